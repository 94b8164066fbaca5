"""The tree of single forms, names, places, limits."""

import pytest

from dsl import tree
from dsl.tokens import RESERVED, SOFT
from dsl.tree.walk import children
from tests.dsl.reading import codes, good, member, read, value


def test_an_empty_file():
    for text in ("", "\n", "\ufeff", "// only a comment"):
        assert good(text).items == ()


@pytest.mark.parametrize("word", sorted({*SOFT} - {"run"}))
def test_soft_words_are_names(word: str):
    good(
        f"type {word} = {{ {word}: {word} }}\n"
        f"chain {word} {{\n"
        f"  input {word}: {word} = {word}\n"
        f"  let {word} = {word}({word}: {word}.{word}, xs: [{word} for {word} in {word} if {word}])\n"
        f"  step {word} = {word}.{word}({word}: {{ {word}: {word} }}) {{\n    when {word}\n    after {word}, {word}\n"
        f"    key {word}\n    on error use {word}\n  }}\n"
        f"  output {word} = {word}\n}}\n"
    )


def test_run_is_a_value():
    node = value("run.started_at")
    assert isinstance(node, tree.Member)
    assert isinstance(node.base, tree.Ref)


@pytest.mark.parametrize("word", RESERVED)
@pytest.mark.parametrize("form", ["let {} = 1", "chain c {{\n  input {}: string\n  output = 1\n}}", "type {} = string"])
def test_reserved_words_cannot_be_bound(word: str, form: str):
    assert [code for _, code in codes(form.format(word))] == ["E0119"]


@pytest.mark.parametrize("word", RESERVED)
def test_reserved_words_are_quoted_as_labels(word: str):
    _, said = read(f"let x = f({word}: 1)\nlet y = a.{word}\nlet z = {{ {word}: 1 }}")
    assert [each.code for each in said] == ["E0119"] * 3
    assert {fix.edits[0].text for each in said for fix in each.fixes} == {f'"{word}"'}
    good(f'let x = f("{word}": 1)\nlet y = a."{word}"\nlet z = {{ "{word}": 1 }}')


@pytest.mark.parametrize("name", ["run", "result"])
def test_ambient_names_cannot_be_declared(name: str):
    assert codes(f"let {name} = 1") == [(1, "E0120")]
    assert codes(f"let x = [a for {name} in b]") == [(1, "E0120")]
    assert codes(f"chain c {{\n  input {name}: string\n  step {name} = t.a()\n}}") == [(2, "E0120"), (3, "E0120")]
    good(f"let x = {{ {name}: 1 }}")


def test_numbers():
    assert value("007") == tree.Integer(8, 11, 7)
    assert value("2.50") == tree.Number(8, 12, 2.5)
    assert value("2m") == tree.Duration(8, 10, 120_000)
    assert value("250ms") == tree.Duration(8, 13, 250)
    assert value("7d") == tree.Duration(8, 10, 604_800_000)
    assert value("5MB") == tree.Size(8, 11, 5_000_000)
    assert value("12345678901234567890") == tree.Integer(8, 28, 12345678901234567890)
    assert isinstance(value("-3"), tree.Unary)


def test_places_of_brackets():
    node = value("(a + b) * c")
    assert isinstance(node, tree.Binary)
    assert (node.op, node.start, node.end, node.op_start) == ("*", 8, 19, 16)
    assert (node.left.start, node.left.end) == (8, 15)


def test_arguments_are_named_spread_or_positional():
    step = member('step x = t."a b"(1, b: 2, ...c, "d e": 3)')
    assert isinstance(step, tree.Step)
    assert isinstance(step.action, tree.CallAction)
    call = step.action.call
    assert [(name.text, name.quoted) for name in call.path] == [("t", False), ("a b", True)]
    assert [(each.name.text if each.name else None, each.spread) for each in call.arguments] == [
        (None, False),
        ("b", False),
        (None, True),
        ("d e", False),
    ]


def test_clauses_of_a_block_are_those_of_the_step():
    step = member("step x = for each a in b {\n  parallel 2\n  let c = a\n  when d\n  return c\n}")
    assert isinstance(step, tree.Step)
    assert isinstance(step.action, tree.EachBlock)
    assert [type(clause) for clause in step.clauses] == [tree.Parallel, tree.When]
    assert [type(each) for each in step.action.members] == [tree.Let]


def test_descriptions():
    file = good('/// One.\n///  Two.\n////no\ntype A = {\n  /// Three.\n  b: string,\n}\n/// T\ntest "t" {}\n')
    first, test = file.items
    assert isinstance(first, tree.TypeDecl)
    assert isinstance(test, tree.Test)
    assert (first.doc, test.doc) == ("One. Two.", "T")
    assert isinstance(first.type, tree.RecordType)
    assert first.type.fields[0].doc == "Three."
    assert [each.text for each in file.comments] == ["////no"]


@pytest.mark.parametrize(
    "text",
    [
        "let x = 1 /// tail",
        "/// before nothing\n",
        'chain c {\n  /// before a clause\n  title "t"\n}',
        "let x = [\n  /// within\n  1]",
    ],
)
def test_descriptions_of_nothing(text: str):
    assert [code for _, code in codes(text)] == ["E0117"]


def test_greater_and_equal_signs_without_a_blank():
    let = good("let x: list<map<string>>= []").items[0]
    assert isinstance(let, tree.Let)
    assert isinstance(let.type, tree.GenericType)


@pytest.mark.parametrize(
    "text",
    [
        'import a from mcp "${b}"',
        'type A = "a${b}"',
        'chain c {\n  version "${b}"\n}',
        'import a from mcp "b" {\n  tool c { parse match "${d}" }\n}',
        'type A = string(pattern: "${b}")',
        'test "a ${b}" {}',
    ],
)
def test_fixed_texts(text: str):
    assert [code for _, code in codes(text)] == ["E0116"]


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ('chain c {\n  title "a"\n  title "b"\n}', "title"),
        ("chain c {\n  effects a\n  effects b\n}", "effects"),
        ("chain c {\n  output = 1\n  output = 2\n}", "output"),
        ("chain c {\n  step s = t.a() {\n    on error skip\n    on error fail\n  }\n}", "on error"),
        ("chain c {\n  section s {\n    when a\n    when b\n  }\n}", "when"),
        ("defaults {\n  retry 1\n  retry 2\n}", "retry"),
        ("chain c {\n  output = 1 {\n    expires 1d\n    expires 2d\n  }\n}", "expires"),
        ('import a from mcp "b" {\n  tool c {\n    parse json\n    parse csv\n  }\n}', "parse"),
        ("let x = { a: 1, a: 2 }", "a"),
        ("let x = f(a: 1, a: 2)", "a"),
        ("type A = { b: string, b: string }", "b"),
        ('test "t" {\n  at "x"\n  at "y"\n}', "at"),
    ],
)
def test_given_twice(text: str, word: str):
    _, said = read(text)
    assert [each.code for each in said] == ["E0115"]
    assert f"`{word}`" in said[0].message
    assert said[0].secondary


def test_clauses_that_may_stand_twice():
    good(
        'chain c {\n  example "a" ()\n  example "b" ()\n  fails a "b"\n  fails c "d"\n  require a else "b"\n'
        '  require c else "d"\n  step s = t.a() {\n    on error skip\n    on item_error skip\n  }\n  output = 1\n}'
    )


DEEP = {
    "lists": "[" * 101 + "]" * 101,
    "many lists": "[" * 2000 + "]" * 2000,
    "minus": "-" * 200 + "1",
    "not": "not " * 200 + "a",
    "sum": "1 + " * 200 + "1",
    "members": "a" + ".b" * 200,
    "choices": "if a then b else " * 200 + "c",
    "texts": '"${' * 120 + "a" + '}"' * 120,
}


@pytest.mark.parametrize("expression", DEEP.values(), ids=DEEP)
def test_too_deep(expression: str):
    file, said = read(f"let x = {expression}\n")
    assert [each.code for each in said] == ["E0118"]
    assert not file.complete


def test_deep_enough():
    value("[" * 100 + "]" * 100)
    value("1 + " * 99 + "1")
    value("(" * 300 + "1" + ")" * 300)
    value("[" + "1, " * 5000 + "1]")


@pytest.mark.parametrize("text", ["[" * 100_000, "let x = " + "[" * 100_000, "type A = " + "list<" * 20_000])
def test_open_brackets_without_end(text: str):
    file, said = read(text)
    assert 1 <= len(said) <= 2
    assert not file.complete


def test_numbers_too_large():
    assert codes("let x = " + "9" * 5000) == [(1, "E0010")]
    assert codes("let x = 1.0e999") == [(1, "E0010")]
    assert codes("let x = " + "9" * 5000 + "s") == [(1, "E0010")]


def test_places_lie_within_their_parents():
    file = good(
        "/// D\nchain c {\n  input a: list<{ b: string? }> = []\n  step s = for each x in a {\n    when x != null\n"
        "    let y = { ...x, [x.b]: (1 + 2) }\n    return y\n  }\n  output = [z.y?.w for z in s if not z.v]\n}"
    )
    waiting: list[tree.Node] = [file]
    seen = 0
    while waiting:
        node = waiting.pop()
        seen += 1
        for child in children(node):
            assert node.start <= child.start <= child.end <= node.end
            waiting.append(child)
    assert seen > 40
