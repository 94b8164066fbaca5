"""Claims put into files: one edit, the rest of the file as it was, in the one style."""

import pytest

from compiler.names.proposed import CannotWrite, Claim, claim_text, with_claim
from compiler.project import LockedSource, LockedTool, StdioServer
from dsl.diagnostics import Sink
from dsl.source import Source
from stdlib.values.types import INTEGER, STRING, Field, ListType, Record

TOOL = LockedTool("find-ticket", "find_ticket", "", {"type": "object"}, None, None, "0" * 64)
SOURCE = LockedSource("tickets", "mcp", StdioServer("tickets"), "", {TOOL.name: TOOL})
ROW = Claim(Record((Field("id", INTEGER), Field("title", STRING, required=False))))
SHOWN = "{ id: integer, title: string? }"
HEAD = 'import t from mcp "tickets"'


def put(text: str, claim: Claim = ROW) -> str:
    sink = Sink()
    made = with_claim(Source("a.chain", text), SOURCE, TOOL, claim, sink)
    assert list(sink) == []
    return made


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (f"{HEAD}\n", f"{HEAD} {{\n  tool find_ticket returns {SHOWN}\n}}\n"),
        (f"{HEAD} {{ tool a }}\n", f"{HEAD} {{\n  tool a\n  tool find_ticket returns {SHOWN}\n}}\n"),
        (f"{HEAD} {{ tool find_ticket }}\n", f"{HEAD} {{\n  tool find_ticket returns {SHOWN}\n}}\n"),
        (
            f'{HEAD} {{ tool "find-ticket" takes {{ id: integer }} {{ effects read_only }} }}\n',
            f'{HEAD} {{\n  tool "find-ticket" takes {{ id: integer }} returns {SHOWN} {{ effects read_only }}\n}}\n',
        ),
        (
            f"// mine\n{HEAD} {{\n  /// One.\n  tool find_ticket returns json {{ effects read_only }} // told\n}}\n",
            f"// mine\n{HEAD} {{\n  /// One.\n  tool find_ticket returns {SHOWN} {{ effects read_only }} // told\n}}\n",
        ),
    ],
)
def test_where_a_claim_goes(before, after):
    assert put(before) == after
    assert put(after) == after


def test_a_way_to_read_the_text_goes_into_the_block_of_the_tool():
    prose = Claim(STRING, "text")
    assert put(f"{HEAD}\n", prose) == f"{HEAD} {{\n  tool find_ticket returns string {{ parse text }}\n}}\n"
    before = f"{HEAD} {{ tool find_ticket {{ effects read_only }} }}\n"
    after = f"{HEAD} {{\n  tool find_ticket returns string {{\n    effects read_only\n    parse text\n  }}\n}}\n"
    assert put(before, prose) == after
    rows = Claim(ListType(INTEGER), "jsonl")
    assert "returns list<integer> { parse jsonl }" in put(f"{HEAD} {{ tool find_ticket returns string }}\n", rows)


def test_the_rest_of_the_file_stays_as_its_author_wrote_it():
    rest = "chain   c {\n      output = 1 // odd\n}\n"
    before = f"{HEAD} {{\n    tool a    returns string // mine\n}}\n{rest}"
    after = f"{HEAD} {{\n    tool a    returns string // mine\n  tool find_ticket returns {SHOWN}\n}}\n{rest}"
    assert put(before) == after
    assert put(after.replace(SHOWN, "json")) == after
    assert put(f"{HEAD}\n{rest}") == f"{HEAD} {{\n  tool find_ticket returns {SHOWN}\n}}\n{rest}"
    assert put(f"{HEAD} {{\n  tool a }}\n") == f"{HEAD} {{\n  tool a \n  tool find_ticket returns {SHOWN}\n}}\n"


def test_other_imports_are_left_alone():
    other = 'import a from openapi "tickets"\nimport b from mcp "others" {\n  tool find_ticket\n}\n'
    assert put(f"{other}{HEAD}\n").startswith(other)


def test_without_an_import_there_is_no_place():
    with pytest.raises(CannotWrite, match="does not import `tickets`"):
        put('import t from mcp "others"\n')


def test_a_parse_of_the_author_stays():
    with pytest.raises(CannotWrite, match="by a `parse`"):
        put(f"{HEAD} {{ tool find_ticket returns list<string> {{ parse lines }} }}\n")


def test_a_file_with_mistakes_stays_as_it_is():
    sink = Sink()
    text = f"{HEAD} {{ tool find_ticket returns }}\n"
    assert with_claim(Source("a.chain", text), SOURCE, TOOL, ROW, sink) == text
    assert sink.has_errors


def test_alone_it_is_an_import():
    assert (
        claim_text(SOURCE, TOOL, ROW)
        == f'import tickets from mcp "tickets" {{\n  tool find_ticket returns {SHOWN}\n}}\n'
    )
