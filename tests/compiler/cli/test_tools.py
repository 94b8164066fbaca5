"""`chainc tools` says where a schema says more than the type that it is shown as."""

from compiler.cli.tools import MOST_NOTES, declared
from compiler.project import LockedTool


def tool(taken: dict, given: dict | None = None) -> LockedTool:
    return LockedTool("find", "find", "Find.", taken, given, None, "")


def test_what_the_types_leave_unsaid_is_told():
    host = {"type": "string", "format": "hostname"}
    taken = {"type": "object", "properties": {"host": host}, "dependentRequired": {"host": ["port"]}}
    given = {"type": "array", "items": {"type": "string"}, "uniqueItems": True}
    assert list(declared(tool(taken, given))) == [
        "/// Find.",
        "// takes less than its type says, by its schema at /properties/host/format: the form 'hostname', which is not "
        "checked",
        "// takes less than its type says, by its schema at /dependentRequired: fields that require others",
        "// returns less than its type says, by its schema at /uniqueItems: no two equal items",
        "tool find takes { host: string? } returns list<string>",
    ]


def test_very_many_places_are_counted():
    fields = {f"f{n}": {"type": "string", "format": "hostname"} for n in range(MOST_NOTES + 2)}
    lines = list(declared(tool({"type": "object", "properties": fields})))
    assert lines[-2] == "// … and at 2 more places"
    assert len(lines) == MOST_NOTES + 3


def test_a_plain_schema_has_nothing_to_tell():
    plain = {"type": "object", "properties": {"at": {"type": "string", "format": "date-time", "minLength": 1}}}
    assert list(declared(tool(plain))) == ["/// Find.", "tool find takes { at: timestamp? }"]
