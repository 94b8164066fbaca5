"""Diagnostics for editors and for continuous integration."""

import json

import pytest

from dsl.diagnostics import Diagnostic, Edit, Fix, Label
from dsl.interchange import to_github, to_json
from dsl.source import Source, Span

SOURCE = Source("chains/a, b.chain", 'input x\r\n  let 日本 = "👍" && k\r\n')


def span(what: str) -> Span:
    start = SOURCE.text.index(what)
    return Span(SOURCE, start, start + len(what))


FULL = Diagnostic(
    code="E0005",
    message="`&&` is written `and` here.",
    span=span("&&"),
    label="this",
    secondary=(Label(span("input x\r\n"), "see"),),
    notes=("A note.",),
    helps=("Write `and`.",),
    fixes=(Fix("Write `and`.", (Edit(span("&&"), "and"),)),),
)


def test_an_editor_gets_ranges_in_utf_16_from_0():
    (found,) = json.loads(to_json([FULL]))
    place = {"start": {"line": 1, "character": 16}, "end": {"line": 1, "character": 18}}
    assert found == {
        "file": "chains/a, b.chain",
        "range": place,
        "severity": 1,
        "code": "E0005",
        "source": "chainc",
        "message": "`&&` is written `and` here.",
        "relatedInformation": [
            {
                "location": {
                    "uri": "chains/a%2C%20b.chain",
                    "range": {"start": {"line": 0, "character": 0}, "end": {"line": 1, "character": 0}},
                },
                "message": "see",
            }
        ],
        "data": {
            "label": "this",
            "notes": ["A note."],
            "helps": ["Write `and`."],
            "fixes": [
                {
                    "title": "Write `and`.",
                    "edits": [{"file": "chains/a, b.chain", "range": place, "newText": "and"}],
                }
            ],
        },
    }


def test_a_position_in_a_line_break_is_the_end_of_the_line():
    (found,) = json.loads(to_json([Diagnostic(code="E0001", message="Open.", span=span("\n"))]))
    assert found["range"]["start"] == {"line": 0, "character": 7}


def test_without_a_place_the_file_is_null():
    (found,) = json.loads(to_json([Diagnostic(code="W0205", message="m", span=None)]))
    assert found["file"] is None
    assert found["severity"] == 2
    assert found["range"]["end"] == {"line": 0, "character": 0}
    assert to_json([]) == "[]\n"


def test_what_cannot_be_utf_8_is_escaped():
    text = to_json([Diagnostic(code="E0203", message="No tool `\ud800`.", span=None)])
    assert text.isascii()
    assert json.loads(text)[0]["message"] == "No tool `\ud800`."


@pytest.mark.parametrize(
    ("diagnostic", "command"),
    [
        (
            FULL,
            "::error file=chains/a%2C b.chain,line=2,endLine=2,col=16,endColumn=18,title=E0005"
            "::`&&` is written `and` here.%0Anote: A note.%0Ahelp: Write `and`.\n",
        ),
        (
            Diagnostic(code="W0001", message="100%: a\r\nb, c", span=span("input x\r\n")),
            "::warning file=chains/a%2C b.chain,line=1,endLine=2,col=1,title=W0001::100%25: a%0D%0Ab, c\n",
        ),
        (
            Diagnostic(code="E0205", message="Gone.", span=None, helps=("Run `chainc sync`.",)),
            "::error title=E0205::Gone.%0Ahelp: Run `chainc sync`.\n",
        ),
    ],
)
def test_github_gets_one_escaped_line_each(diagnostic: Diagnostic, command: str):
    assert to_github([diagnostic]) == command
