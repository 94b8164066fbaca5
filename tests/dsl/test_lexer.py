"""Tokens, comments, descriptions and foreign signs."""

import pytest

from dsl.lexer import lex
from dsl.source import Source


def kinds(text: str) -> list[str]:
    lexed = lex(Source("t", text))
    assert lexed.diagnostics == []
    return [token.kind for token in lexed.tokens[:-1]]


def said(text: str) -> list[tuple[str, str]]:
    return [(each.code, each.span.text) for each in lex(Source("t", text)).diagnostics if each.span]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("step steps _x9", ["STEP", "NAME", "NAME"]),
        ("and And", ["AND", "NAME"]),
        (
            "1 2.5 1.0e-3 20s 500ms 7d 5MB 3B",
            ["INT", "FLOAT", "FLOAT", "DURATION", "DURATION", "DURATION", "SIZE", "SIZE"],
        ),
        (
            "a.b a?.b a?[0] ...c",
            ["NAME", "DOT", "NAME", "NAME", "QDOT", "NAME", "NAME", "QLSQB", "INT", "RSQB", "ELLIPSIS", "NAME"],
        ),
        ("== = => ?? ? != ! <= < >= >", ["EQ", "EQUAL", "ARROW", "QQ", "QMARK", "NE", "BANG", "LE", "LT", "GE", "GT"]),
        (
            "+-*/%|,:(){}[]",
            [
                "PLUS",
                "MINUS",
                "STAR",
                "SLASH",
                "PERCENT",
                "VBAR",
                "COMMA",
                "COLON",
                "LPAR",
                "RPAR",
                "LBRACE",
                "RBRACE",
                "LSQB",
                "RSQB",
            ],
        ),
        ('"" "a\\"b" """a"b"""', ["STRING"] * 3),
        ('"$5 \\${"', ["STRING"]),
        ('"a${b}c"', ["TEXT_OPEN", "TEXT_PART", "INTERP", "NAME", "INTERP_END", "TEXT_PART", "TEXT_CLOSE"]),
        (
            '"${ {a: {}} }"',
            [
                "TEXT_OPEN",
                "INTERP",
                "LBRACE",
                "NAME",
                "COLON",
                "LBRACE",
                "RBRACE",
                "RBRACE",
                "INTERP_END",
                "TEXT_CLOSE",
            ],
        ),
        (
            '"${"${a}"}"',
            [
                "TEXT_OPEN",
                "INTERP",
                "TEXT_OPEN",
                "INTERP",
                "NAME",
                "INTERP_END",
                "TEXT_CLOSE",
                "INTERP_END",
                "TEXT_CLOSE",
            ],
        ),
        ('"""\n${a\n}\n"""', ["TEXT_OPEN", "TEXT_PART", "INTERP", "NAME", "INTERP_END", "TEXT_PART", "TEXT_CLOSE"]),
        ("a// b\n//c\n////d\ne", ["NAME", "NAME"]),
        ("\ufeffa\r\nb", ["NAME", "NAME"]),
    ],
)
def test_kinds(text: str, expected: list[str]):
    assert kinds(text) == expected


def test_tokens_say_where_they_are():
    text = 'let  x = "a${b}" // c\n  + 20s'
    lexed = lex(Source("t", text))
    assert all(text[token.start : token.end] == token.text for token in lexed.tokens)
    assert lexed.tokens[-1] == ("$END", "", len(text), len(text))
    assert [(each.start, each.end, each.text) for each in lexed.comments] == [(17, 21, "// c")]


def test_descriptions_wait_for_the_token_below():
    lexed = lex(Source("t", "/// a\n/// b\n// c\nlet x = 1"))
    assert {at: [line.text for line in lines] for at, lines in lexed.docs.items()} == {17: ["/// a", "/// b"]}
    assert [each.text for each in lexed.comments] == ["// c"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("@", [("E0002", "@")]),
        ("a\x07b", [("E0002", "\x07")]),
        ("éà", [("E0002", "éà")]),
        ("# x", [("E0003", "# x")]),
        ("/* a\nb */ c", [("E0003", "/*")]),
        ("'a b'", [("E0004", "'a b'")]),
        ("`a`", [("E0004", "`a`")]),
        ("“a”", [("E0004", "“a”")]),
        ("'", [("E0004", "'")]),
        ("a && b || c", [("E0005", "&&"), ("E0005", "||")]),
        ("a === b !== c", [("E0005", "==="), ("E0005", "!==")]),
        ("a;", [("E0006", ";")]),
        ("{{ a }} ${{ b }} ${c}", [("E0007", "{{ a }}"), ("E0007", "${{ b }}"), ("E0007", "${c}")]),
        ('"${a"', [("E0008", "${a")]),
        ('"${\\""}${', [("E0002", "\\"), ("E0001", '"${\\""}$')]),
        ('"a\nb', [("E0001", '"a')]),
        ('f("a)\n', [("E0001", '"a')]),
        ('"""a', [("E0001", '"""')]),
        ('"a\nb" + c', [("E0001", '"a')]),
        ("1_000", [("E0010", "1_000")]),
        ("0x1F", [("E0010", "0x1F")]),
        ("1e5", [("E0010", "1e5")]),
        ("20sec 3Hours 1.5s 2mb", [("E0104", "20sec"), ("E0104", "3Hours"), ("E0104", "1.5s"), ("E0104", "2mb")]),
        ("a /// b", [("E0117", "/// b")]),
        ("a // 3", [("W0009", "// 3")]),
        ("a // 3 of them\nb //4,\n, // 5", [("W0009", "//4,")]),
    ],
)
def test_foreign_signs(text: str, expected: list[tuple[str, str]]):
    assert said(text) == expected


def test_what_stands_in_is_read_on():
    lexed = lex(Source("t", "'a' && 20sec"))
    assert [(token.kind, token.text) for token in lexed.tokens[:-1]] == [
        ("STRING", '"a"'),
        ("AND", "and"),
        ("DURATION", "20s"),
    ]
