import pytest

from stdlib.functions.signature import Parameter, parse_signature
from stdlib.values.show import show
from stdlib.values.types import INTEGER, STRING, ListType, LiteralType, Variable, optional, union


def test_the_design_signature():
    read = parse_signature(
        'sort(list<T>, by: field of T?, order: "asc" | "desc" = "asc") -> list<T>', ("items", "by", "order")
    )
    assert read.name == "sort"
    assert read.parameters == (
        Parameter("items", ListType(Variable("T")), True, True),
        Parameter("by", optional(STRING), False, False, None, "T"),
        Parameter("order", union(LiteralType("asc"), LiteralType("desc")), False, False, "asc"),
    )
    assert read.result == ListType(Variable("T"))


def test_the_name_of_a_positional_parameter_comes_from_the_body():
    assert parse_signature("take(list<T>, integer) -> list<T>", ("xs", "n")).parameters[1] == Parameter(
        "n", INTEGER, True, True
    )


def test_types_nest():
    read = parse_signature("f(map<list<T?>>) -> list<{ key: string, value: (A | B)? }>", ("of",))
    assert show(read.parameters[0].type) == "map<list<T?>>"
    assert show(read.result) == "list<{ key: string, value: (A | B)? }>"
    assert parse_signature("sum(list<T>, by: field of T) -> T.by", ("xs", "by")).result == Variable("T.by")


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("f(string", ("a",)),
        ("f(string) -> ", ("a",)),
        ("f(strong) -> string", ("a",)),
        ("f(string) -> string string", ("a",)),
        ("f(string string) -> string", ("a",)),
        ("f() -> string", ("a",)),
    ],
)
def test_mistakes_in_the_table_are_found(text, names):
    with pytest.raises(ValueError, match=r"\S"):
        parse_signature(text, names)
