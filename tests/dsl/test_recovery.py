"""One mistake, one message, at its place; the rest is read; fixes mend."""

import pytest

from dsl import tree
from dsl.codes import codes as all_codes
from dsl.codes import page
from tests.dsl.reading import codes, good, mended, read

STEP = "chain c {{\n  input a: string\n  step s = t.a(x: 1) {{\n    {}\n  }}\n  output = s\n}}\n"
CHAIN = "chain c {{\n  input a: string\n  {}\n  output = a\n}}\n"
VALUE = "chain c {{\n  let v = {}\n  output = v\n}}\n"
FILE = 'import t from mcp "t"\n{}\nchain c {{\n  output = 1\n}}\n'

MISTAKES = [
    *(
        (STEP, text, 4, code)
        for text, code in [
            ("timeout 20", "E0104"),
            ("timeout 20 seconds", "E0104"),
            ('timeout "20s"', "E0104"),
            ("timeout 1.5", "E0104"),
            ("timeout", "E0104"),
            ("retry", "E0100"),
            ("retry 3 wait: 1s", "E0100"),
            ("retry 3 (wait 1s)", "E0100"),
            ("retry: 3", "E0106"),
            ("timeout = 3s", "E0106"),
            ("when: a == 1", "E0106"),
            ("tiemout 20s", "E0113"),
            ("on_error skip", "E0113"),
            ("depends_on x", "E0113"),
            ("foo bar baz", "E0113"),
            ("on error ignore", "E0109"),
            ("on error timeout skip", "E0109"),
            ("on error", "E0109"),
            ("when", "E0107"),
            ("when a ==", "E0107"),
            ("when a = 1", "E0005"),
            ("by ops-team", "E0103"),
            ("undo t.b", "E0111"),
            ("verify t.b() result.x", "E0100"),
            ("timeout 3s, retry 3", "E0122"),
            ("after a b", "E0100"),
            ("undo { t.b() }", "E0122"),
            ("undo {\n  t.b(x: result.id)\n}", "E0122"),
            ("verify t.b()", "E0122"),
            ("parallel 2.5", "E0122"),
        ]
    ),
    *(
        (CHAIN, text, 3, code)
        for text, code in [
            ("input b string", "E0100"),
            ("input : string", "E0100"),
            ("input b: = 1", "E0102"),
            ("input b: string[]", "E0110"),
            ("input b: list[string]", "E0110"),
            ("input b: { x?: string }", "E0110"),
            ("input b: string or integer", "E0110"),
            ("input b: list<string = []", "E0100"),
            ("input b: { x: string y: string }", "E0100"),
            ("step x t.a()", "E0111"),
            ("step x = t.a", "E0111"),
            ("step x = 3", "E0111"),
            ("step x = { a: 1 }", "E0111"),
            ("step = t.a()", "E0100"),
            ("step x = for i in a do t.b(i: i)", "E0105"),
            ("step x = for each i of a do t.b(i: i)", "E0105"),
            ("step x = for each i in a t.b(i: i)", "E0105"),
            ("step x = t.a(b = 1)", "E0112"),
            ("step x = t.a(b: 1 c: 2)", "E0100"),
            ("step x = t.a(b: 1", "E0100"),
            ('step x = ask "q" { a: string }', "E0100"),
            ("stpe x = t.a()", "E0113"),
            ("const x = 1", "E0113"),
            ("return a", "E0113"),
            ("foo", "E0113"),
            ("let x =", "E0107"),
            ("version 1.0.0", "E0103"),
            ("title Foo bar", "E0103"),
            ("require a > 1", "E0122"),
            ("section {", "E0122"),
            ("output string", "E0122"),
            ("effects read_only idempotent", "E0100"),
            ("budget calls: 5", "E0100"),
            ('adapter "1.x" { input z: string }', "E0113"),
            ("input b: string,", "E0122"),
            ("deprecated input b: string", "E0103"),
            ('step x = approve message: "q"', "E0103"),
            ("step x = approve a", "E0103"),
            ('step x = approve("q")', "E0103"),
            ('step x = ask("q")', "E0103"),
            ('step x = ask("q") for { b: string }', "E0103"),
            ('step x = ask "q"', "E0122"),
            ('step x = for each y in ys do approve "q ${y}" { by "g" }', "E0105"),
            ('step x = for each y in ys do ask "q" for { b: string } { timeout 3m }', "E0105"),
            ("input b: integer >= 3", "E0110"),
            ('input b: "x", "y"', "E0110"),
            ("input b: Optional<string>", "E0110"),
            ("input b: Optional[string]", "E0110"),
            ("input b: Record<string, number>", "E0110"),
            ('require a, "no"', "E0122"),
            ("if a {\n  step x = t.a()\n} else {\n  step x = t.b()\n}", "E0113"),
            ('adapter "1.x" { call c1(a: "x") }', "E0122"),
        ]
    ),
    *(
        (CHAIN, text, 4, code)
        for text, code in [
            ('adapter "1.x" {\n    step x = t.a()\n    call (a: "x")\n}', "E0113"),
            ('adapter "1.x" {\n    output = 1\n    call (a: "x")\n}', "E0113"),
            ('adapter "1.x" {\n    output = 1\n}', "E0113"),
            ('step x = for each y in [1] {\n    require a > 1 else "no"\n    return y\n}', "E0113"),
            ("section x {\n    output = a\n}", "E0113"),
        ]
    ),
    *(
        (VALUE, text, 2, code)
        for text, code in [
            ("a ? 1 : 2", "E0110"),
            ("a == 1 ? { x: 1 } : [b, c]", "E0110"),
            ("x => y", "E0110"),
            ("f(x => y)", "E0110"),
            ("xs.filter(x => x.y > 1)", "E0110"),
            ("xs.map(x => x.y)", "E0110"),
            ("True", "E0110"),
            ("!a", "E0005"),
            ("a is not null", "E0005"),
            ("a < b < c", "E0121"),
            ("a == b in c", "E0121"),
            ("[1, 2", "E0100"),
            ("[1 2]", "E0100"),
            ("(1 + 2", "E0100"),
            ("{ a: 1", "E0100"),
            ("{ a 1 }", "E0100"),
            ("{ a: 1 b: 2 }", "E0100"),
            ("{ a }", "E0112"),
            ("{ a = 1 }", "E0112"),
            ("[x for x in]", "E0107"),
            ("1 +", "E0107"),
            ("a ??", "E0107"),
            ("f(a: 1,, b: 2)", "E0107"),
            ('"a ${}"', "E0107"),
            ('"a ${b c}"', "E0122"),
            ("a as", "E0102"),
            ("if a then 1", "E0122"),
            ("if a { 1 } else { 2 }", "E0122"),
            ("f(1))", "E0122"),
            ("null?", "E0122"),
            ("x.", "E0100"),
            ("x?[0", "E0100"),
            ("[k for k, v in m]", "E0105"),
            ("[x for each x in xs]", "E0105"),
            ("[x for x in xs where x > 1]", "E0110"),
            ("[y for x in xs for y in x]", "E0110"),
            ("{ x.k: x.v for x in xs }", "E0110"),
            ("lambda x: x", "E0110"),
            ("xs.map(lambda x: x)", "E0110"),
            ("xs | count", "E0110"),
            ('f"a {b}"', "E0110"),
            ("xs.0.name", "E0110"),
        ]
    ),
    *(
        (FILE, text, 2, code)
        for text, code in [
            ('import a from "x"', "E0101"),
            ('import a mcp "x"', "E0101"),
            ('import "x"', "E0101"),
            ('import { a } from "x"', "E0101"),
            ("import a", "E0101"),
            ("import a from", "E0101"),
            ('import a from mcp "x" { foo }', "E0113"),
            ("type A", "E0122"),
            ("type A =", "E0102"),
            ("type A { x: string }", "E0100"),
            ("type A = { x: list<string,}", "E0102"),
            ("type A = { x: string", "E0100"),
            ("chain x {", "E0100"),
            ("chain {}", "E0100"),
            ("chain x(a: string) { output = 1 }", "E0122"),
            ("chain x: { output = 1 }", "E0122"),
            ("Chain x { output = 1 }", "E0114"),
            ("foo", "E0114"),
            ("def f(): pass", "E0114"),
            ("step x = t.a()", "E0114"),
            ("test x { expect true }", "E0103"),
            ('test "x" { foo }', "E0113"),
            ('test "x" { given a.b returning 3 }', "E0122"),
            ("defaults timeout 3s", "E0122"),
            ("```chain", "E0002"),
            ("def x() { output = 1 }", "E0114"),
            ("type A = { a: string; b: string }", "E0006"),
            ("chain x { output { s: 1 } }", "E0122"),
            ("chain x { output { s: s } }", "E0122"),
            ('test "x" { given t.a = { b: 1 } }', "E0122"),
        ]
    ),
]


@pytest.mark.parametrize(("frame", "text", "line", "code"), MISTAKES, ids=[mistake[1] for mistake in MISTAKES])
def test_one_mistake_one_message(frame: str, text: str, line: int, code: str):
    assert codes(frame.format(text)) == [(line, code)]


@pytest.mark.parametrize(("frame", "text", "line", "code"), MISTAKES, ids=[mistake[1] for mistake in MISTAKES])
def test_what_follows_is_read(frame: str, text: str, line: int, code: str):
    file, _ = read(frame.format(text) + "type Last = string\n")
    last = file.items[-1]
    assert isinstance(last, tree.TypeDecl)
    assert last.name.text == "Last"


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("let a = b && c || d", "let a = b and c or d"),
        ('let a = b == 1 ? "x" : "y"', 'let a = if b == 1 then "x" else "y"'),
        ("let a = xs.map(x => x.y)", "let a = [x.y for x in xs]"),
        ("let a = xs.filter(x => x.y > 1)", "let a = [x for x in xs if x.y > 1]"),
        ("let a = !b", "let a = not b"),
        ("let a = b is not None", "let a = b != null"),
        ("let a = {b, c: 1 d: 2}", "let a = {b: b, c: 1, d: 2}"),
        ("type A = { b?: string | date, c: integer[] }", "type A = { b: (string | date)?, c: list<integer> }"),
        ("defaults { timeout: 20s retry = 3; }", "defaults { timeout 20s retry 3 }"),
        ("defaults { timeout 20sec, }", "defaults { timeout 20s }"),
        ('# note\nlet a = "{{ b }}"', '// note\nlet a = "${b}"'),
        ("chain c { version 1.2.0\n}", 'chain c { version "1.2.0"\n}'),
        ("chain c { step s = for i in x do t.a(i: i)\n}", "chain c { step s = for each i in x do t.a(i: i)\n}"),
        ("let a = f(if: 1).in", 'let a = f("if": 1)."in"'),
        ("let a = [1, 2", "let a = [1, 2]"),
        ("type A { b: string }", "type A = { b: string }"),
        ("let a = 1_000 + 1e5", "let a = 1000 + 1.0e5"),
        ("type A = { a: string; b: string; }", "type A = { a: string, b: string }"),
        ('chain c { step s = approve message: "x"\n}', 'chain c { step s = approve "x"\n}'),
        ("let a = [x for each x in xs where x]", "let a = [x for x in xs if x]"),
        ("let a = { x.k: 1 for x in xs }", "let a = { [x.k]: 1 for x in xs }"),
        ("type A = Record<string, number>", "type A = map<number>"),
        ('type A = Optional["a" | "b"]', 'type A = ("a" | "b")?'),
        ("def c() { output { a: 1 }\n}", "chain c { output = { a: 1 }\n}"),
        ("defaults { undo { t.b() } on_error skip }", "defaults { undo t.b() on error skip }"),
        ('chain c { require a, "no"\n}', 'chain c { require a else "no"\n}'),
        ('chain c { adapter "1.x" { call c1(a: 1) }\n}', 'chain c { adapter "1.x" { call (a: 1) }\n}'),
        ("let a = xs.0.b + ys?.1.2", "let a = xs[0].b + ys?[1][2]"),
        ("let a = [\n  /// x\n  1]", "let a = [\n  // x\n  1]"),
    ],
)
def test_fixes_mend(wrong: str, right: str):
    got = mended(wrong)
    assert " ".join(got.split()) == " ".join(right.split())
    good(got)


@pytest.mark.parametrize(("frame", "text", "line", "code"), MISTAKES, ids=[mistake[1] for mistake in MISTAKES])
def test_a_fix_leaves_no_mistake(frame: str, text: str, line: int, code: str):
    program = frame.format(text)
    _, said = read(program)
    if said[0].fixes and said[0].code not in ("E0113", "E0114", "E0100") and "`not`" not in said[0].message:
        good(mended(program))


@pytest.mark.parametrize(
    "code", [code for code in all_codes() if (code.startswith(("E00", "E01")) and code != "E0108") or code == "W0009"]
)
def test_pages_of_syntax(code: str):
    found = page(code)
    assert found is not None
    for program in found.wrong:
        assert [each for _, each in codes(program)] == [code]
    for program in found.right:
        good(program)


@pytest.mark.parametrize(
    "text",
    [
        "chain c { deprecated input a: string output = a }",
        "chain c { title Foo: bar\n}",
        "chain c { step s = approve id\n}",
        "chain c { input g: integer >= 3\n}",
        "let v = [k for k, v in m]",
        "let v = f(lambda x: x)",
    ],
)
def test_where_nobody_knows_what_was_meant_no_fix_is_offered(text: str):
    _, said = read(text)
    assert [each.fixes for each in said] == [()]


@pytest.mark.parametrize(
    ("member", "told"),
    [
        ('step s = for each y in ys { require y > 1 else "no" }', "`for each y in [y for y in ys if CONDITION] { … }`"),
        ("step s = for each y in ys { output = y }", "`return VALUE`"),
        ("step s = for each y in ys { section t { let z = y } }", "`{ when CONDITION }`"),
        ('section s { require a else "no" }', "It belongs directly into the chain."),
        ('step s = for each y in ys do approve "q"', '`{ step answer = approve "…"  return answer }`'),
        ('step s = for each y in ys do ask "q" for boolean', '`{ step answer = ask "…" for { … }  return answer }`'),
        ("let v = a.b.0", "An item of a list is written `a.b[0]`."),
    ],
)
def test_what_to_write_instead(member: str, told: str):
    _, said = read(f"chain c {{ {member}\noutput = 1 }}")
    assert told in " ".join(said[0].helps)


def test_a_bracket_that_is_missing_shows_where_it_was_opened():
    _, said = read("let x = [1, (2 + 3]\nlet y = 1")
    assert [each.code for each in said] == ["E0100"]
    assert said[0].secondary[0].span.start == 12


def test_an_unclosed_block_of_text_says_so_once():
    _, said = read('chain c {\n  let a = """\n  text\n}\n')
    assert [each.code for each in said] == ["E0001"]


def test_messages_never_name_terminals():
    for frame, text, _, _ in MISTAKES:
        _, said = read(frame.format(text))
        for each in said:
            words = f"{each.message} {' '.join(each.helps)}"
            assert not any(name in words for name in ("BAD_", "RBRACE", "LPAR", "NAME`", "$END", "many{")), words


def test_what_was_read_before_a_mistake_stays():
    file, _ = read("chain c {\n  input a: string\n  input b: ]]]\n  step s = t.a(x: 1)\n  let z = )\n  output = a\n}\n")
    chain = file.items[0]
    assert isinstance(chain, tree.Chain)
    assert [type(each).__name__ for each in chain.members] == ["Input", "Input", "Step", "Let", "Output"]
    assert not file.complete
