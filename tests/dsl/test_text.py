"""What texts mean."""

import pytest

from dsl import tree
from tests.dsl.reading import read, value


def plain(written: str) -> str | None:
    node = value(written)
    assert isinstance(node, tree.Text)
    return node.plain


@pytest.mark.parametrize(
    ("written", "meaning"),
    [
        ('""', ""),
        (r'"\" \\ \n \t \r \$ \{ \u{41} \u{1F600}"', '" \\ \n \t \r $ { A \U0001f600'),
        ('"{a} $ $5 // x"', "{a} $ $5 // x"),
        (r'"\{\{ a }}"', "{{ a }}"),
        ('"""a "b" c"""', 'a "b" c'),
        ('"""\n  a\n    b\n\n  c\n  """', "a\n  b\n\nc\n"),
        ('"""\n    a\n  """', "a\n"),
        ('"""\n  a"""', "a"),
        ('"""a\n    b\n      c"""', "a\nb\n  c"),
        ('"""\n\ta\n\t b\n"""', "a\n b\n"),
        ('"""\r\n  a\r\n  b\r\n  """', "a\nb\n"),
        ('"""\n  a\n   \n  b"""', "a\n\nb"),
        (r'"""  \n x"""', "  \n x"),
    ],
)
def test_meaning(written: str, meaning: str):
    assert plain(written) == meaning


def test_parts_of_a_block():
    node = value('"""\n    a ${b}\n      ${c} d\n    """')
    assert isinstance(node, tree.Text)
    assert node.block
    assert [part if isinstance(part, str) else type(part).__name__ for part in node.parts] == [
        "a ",
        "Ref",
        "\n  ",
        "Ref",
        " d\n",
    ]
    assert node.plain is None


def test_an_expression_at_the_start_of_a_line_counts_as_text():
    node = value('"""\n    ${b}\n      c\n    """')
    assert isinstance(node, tree.Text)
    assert node.parts[1:] == ("\n  c\n",)


@pytest.mark.parametrize(
    ("written", "code", "place"),
    [
        (r'"a \q"', "E0009", r"\q"),
        (r'"\u{110000}"', "E0009", r"\u{110000}"),
        (r'"\u{d800}"', "E0009", r"\u{d800}"),
        (r'"\u41"', "E0009", r"\u"),
        (r'"a ${b} \q"', "E0009", r"\q"),
        (r'"""x \q"""', "E0009", r"\q"),
        ('"a\x07"', "E0002", "\x07"),
        ('"\ud83d"', "E0002", "\ud83d"),
        ('"{{ a.b | upper }}"', "E0007", "{{ a.b | upper }}"),
        ('"x ${{ a }} ${b}"', "E0007", "${{ a }}"),
    ],
)
def test_mistakes_point_at_their_signs(written: str, code: str, place: str):
    _, said = read(f"let x = {written}\n")
    assert [(each.code, each.span.text) for each in said if each.span] == [(code, place)]


def test_braces_that_are_no_template_are_text():
    assert plain('"{{}} {{1}} { {a} }"') == "{{}} {{1}} { {a} }"
