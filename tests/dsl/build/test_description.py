"""`///` texts: which line breaks are of the text, and which of the editor's width."""

import pytest

from dsl.build.description import description


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("one", "one"),
        ("a sentence that goes\non here", "a sentence that goes on here"),
        ("one.\n two.", "one. two."),
        ("a\nb\n\nc\nd", "a b\n\nc d"),
        ("\na\n", "\na\n"),
        ("these:\n- a\n- b\n* c\n1. d\n22. e", "these:\n- a\n- b\n* c\n1. d\n22. e"),
        ("- an item that\n  goes on\n- another", "- an item that goes on\n- another"),
        ("- a\n  - b that\n    goes on\n- c", "- a\n  - b that goes on\n- c"),
        ("- a\n\n  its second paragraph\n  as it is", "- a\n\n  its second paragraph\n  as it is"),
        ("- a\nwhat follows\nthe list", "- a\nwhat follows the list"),
        ("like so:\n  x = 1\n  y = 2\nand so\non", "like so:\n  x = 1\n  y = 2\nand so on"),
        ("like so:\n\tx\n\ty", "like so:\n\tx\n\ty"),
        (
            "as\nin\n```chain\nlet a = 1\n\nlet b = 2\n```\nand\non",
            "as in\n```chain\nlet a = 1\n\nlet b = 2\n```\nand on",
        ),
        ("````\n```\na\nb\n````\nc\nd", "````\n```\na\nb\n````\nc d"),
        ("~~~\na\nb", "~~~\na\nb"),
        ("| a | b |\n|---|---|\n| 1 | 2 |", "| a | b |\n|---|---|\n| 1 | 2 |"),
        ("# Head\nline\nline\n> said\n> more", "# Head\nline line\n> said\n> more"),
        ("the channel\n#help and -5\n1.5 or\n2.", "the channel #help and -5 1.5 or 2."),
    ],
)
def test_what_becomes_one_line(written: str, read: str):
    assert description(written.split("\n")) == read
