"""How diagnostics look, to the column."""

import unicodedata
from textwrap import dedent

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsl.diagnostics import Diagnostic, Edit, Fix, Label, Sink
from dsl.glyphs import glyphs
from dsl.render import render, render_all, summary
from dsl.source import Source, Span


def at(source: Source, what: str, text: str = "") -> Label:
    """A label on the first place where the source says `what`."""
    start = source.text.index(what)
    return Label(Span(source, start, start + len(what)), text)


def error(place: Label | None, *secondary: Label, **more) -> Diagnostic:
    span, label = (place.span, place.text) if place else (None, "")
    return Diagnostic(code="E0408", message="It may be null.", span=span, label=label, secondary=secondary, **more)


def shown(diagnostic: Diagnostic, width: int = 60) -> str:
    """The rendered text without its first line."""
    first, _, rest = render(diagnostic, width=width).partition("\n")
    assert first == "error[E0408]: It may be null."
    return "\n" + rest


def expect(text: str) -> str:
    return dedent(text)


CHAIN = Source(
    "chains/a.chain",
    dedent(
        """\
        chain digest {
          input repo: string
          step one = github.get_issue(
            repo: repo,
            a: 1,
            b: 2,
            c: 3,
            number: 7,
          )
          let k = one.assignee.login
          let sum = one.count + one.count
          output string = k
        }
        """
    ),
)


def test_a_place_with_label_note_and_help():
    diagnostic = error(
        at(CHAIN, "one.assignee.login", "string?"), notes=("First.\nSecond.",), helps=("Write `one.assignee?.login`.",)
    )
    assert shown(diagnostic) == expect(
        """
          --> chains/a.chain:10:11
           |
        10 |   let k = one.assignee.login
           |           ^^^^^^^^^^^^^^^^^^ string?
           |
           = note: First.
                   Second.
           = help: Write `one.assignee?.login`.
        """
    )


def test_labels_of_one_line_hang_below_each_other():
    labels = at(CHAIN, "sum", "the sum"), at(CHAIN, "+", "needs numbers")
    assert shown(error(at(CHAIN, "one.count", "this one"), *labels)) == expect(
        """
          --> chains/a.chain:11:13
           |
        11 |   let sum = one.count + one.count
           |       ---   ^^^^^^^^^ - needs numbers
           |       |     |
           |       |     this one
           |       the sum
        """
    )


def test_a_label_inside_another_and_one_at_the_same_start():
    outer = at(CHAIN, "one.count + one.count", "all of it")
    assert shown(error(at(CHAIN, "one.count", "this one"), outer)) == expect(
        """
          --> chains/a.chain:11:13
           |
        11 |   let sum = one.count + one.count
           |             ^^^^^^^^^------------ all of it
           |             |
           |             this one
        """
    )


def test_lines_far_apart_and_lines_one_apart():
    assert shown(error(at(CHAIN, "let sum"), at(CHAIN, "input", "first"), at(CHAIN, "number"))) == expect(
        """
          --> chains/a.chain:11:3
           |
         2 |   input repo: string
           |   ----- first
        ...
         8 |     number: 7,
           |     ------
        ...
        11 |   let sum = one.count + one.count
           |   ^^^^^^^
        """
    )
    assert "10 |   let k = one.assignee.login\n" in shown(error(at(CHAIN, "let sum"), at(CHAIN, ")\n")))


def test_another_file_has_its_own_place():
    other = Source("lib/kinds.chain", "\n" * 119 + "type Row = string\n")
    assert shown(error(at(CHAIN, "repo", "here"), at(other, "Row", "there"))) == expect(
        """
           --> chains/a.chain:2:9
            |
          2 |   input repo: string
            |         ^^^^ here
            |
           ::: lib/kinds.chain:120:6
            |
        120 | type Row = string
            |      --- there
        """
    )


def test_a_span_of_several_lines_runs_beside_them():
    long = at(CHAIN, CHAIN.text[CHAIN.text.index("github") : CHAIN.text.index("  let k") - 1], "this call")
    assert shown(error(long)) == expect(
        """
         --> chains/a.chain:3:14
          |
        3 |     step one = github.get_issue(
          |  ______________^
        4 | |     repo: repo,
        ... |
        9 | |   )
          | |___^ this call
        """
    )


def test_a_span_that_starts_its_line_opens_beside_it():
    short = at(CHAIN, "  let k = one.assignee.login\n  let sum = one.count", "both")
    short = Label(Span(CHAIN, short.span.start + 2, short.span.end), "both")
    assert shown(error(short)) == expect(
        """
          --> chains/a.chain:10:3
           |
        10 | /   let k = one.assignee.login
        11 | |   let sum = one.count + one.count
           | |_____________________^ both
        """
    )


def test_spans_of_several_lines_nest():
    whole = Label(Span(CHAIN, 0, len(CHAIN.text)), "in this chain")
    start = CHAIN.text.index("step one")
    call = Label(Span(CHAIN, start, CHAIN.text.index("  let k")), "this step")
    assert shown(error(call, whole, at(CHAIN, "get_issue", "this tool"))) == expect(
        """
          --> chains/a.chain:3:3
           |
         1 | /   chain digest {
         2 | |     input repo: string
         3 | | /   step one = github.get_issue(
           | | |                     --------- this tool
         4 | | |     repo: repo,
        ...  | |
         9 | | |   )
           | | |___^ this step
        ...  |
        13 | |   }
           | |___- in this chain
        """
    )


def test_spans_of_several_lines_cross():
    source = Source("a", "aa bb\ncc dd\nee ff\n")
    assert shown(error(at(source, "bb\ncc", "one"), at(source, "dd\nee", "two"))) == expect(
        """
         --> a:1:4
          |
        1 |     aa bb
          |  ______^
        2 | |   cc dd
          | |____^ one
          |    ____-
        3 |   | ee ff
          |   |__- two
        """
    )


def test_the_end_of_the_text_and_the_empty_text():
    source = Source("a", "chain a {\n")
    assert shown(error(Label(Span(source, 10, 10), "here"))) == expect(
        """
         --> a:2:1
          |
        2 |
          | ^ here
        """
    )
    source = Source("a", "chain a {")
    assert shown(error(Label(Span(source, 9, 9)))) == expect(
        """
         --> a:1:10
          |
        1 | chain a {
          |          ^
        """
    )
    assert shown(error(Label(Span(Source("a", ""), 0, 0)))).endswith("1 |\n  | ^\n")


def test_a_span_that_takes_in_a_line_break_stays_on_its_line():
    source = Source("a", "one\r\ntwo\r\n")
    assert shown(error(Label(Span(source, 0, 5)))) == expect(
        """
         --> a:1:1
          |
        1 | one
          | ^^^
        """
    )
    assert shown(error(Label(Span(source, 3, 3)))).endswith("1 | one\n  |    ^\n")


def test_without_a_place_there_is_only_what_to_know():
    assert shown(error(None, helps=("Run `chainc sync`.",))) == "\n  = help: Run `chainc sync`.\n"
    assert " --> chains/a.chain:2:9\n" in shown(error(None, at(CHAIN, "repo", "see")))
    assert "  |         ---- see\n" in shown(error(None, at(CHAIN, "repo", "see")))


@pytest.mark.parametrize(
    ("line", "shows", "columns"),
    [
        ("\tlet ", "    let ", 8),
        ("日本 = ", "日本 = ", 7),
        ("ｆｕｌｌ ", "ｆｕｌｌ ", 9),
        ("e\u0301a ", "e\u0301a ", 3),
        ("👍🏽 ", "👍🏽 ", 3),
        ("👩🏽\u200d💻 ", "👩🏽\u200d💻 ", 3),
        ("🏃\u200d♂\ufe0f ", "🏃\u200d♂\ufe0f ", 3),
        ("❤\ufe0f ", "❤\ufe0f ", 3),
        ("🇩🇪 ", "🇩🇪 ", 3),
        ("\u1112\u1161 ", "\u1112\u1161 ", 3),
        ("a\x1b[31m ", "a␛[31m ", 7),
        ("a\x7f\x85 ", "a␡<U+0085> ", 11),
        ("a\u202eb\u2066 ", "a<U+202E>b<U+2066> ", 19),
        ("日\u200d\u202e ", "日\u200d<U+202E> ", 11),
        ("a\u200db ", "a<U+200D>b ", 11),
        ("\u2028\ud800\ufeff ", "<U+2028><U+D800><U+FEFF> ", 25),
    ],
)
def test_carets_stand_where_the_terminal_shows_the_text(line: str, shows: str, columns: int):
    source = Source("a", line + "HERE")
    assert shown(error(at(source, "HERE"))).splitlines()[3:] == [f"1 | {shows}HERE", "  | " + " " * columns + "^^^^"]


LONG = Source("a", "let a = " + "abc + " * 9 + "HERE" + " + 日本" * 9)


def test_a_long_line_is_cut_around_the_carets():
    assert shown(error(at(LONG, "HERE", "this"))) == expect(
        """
         --> a:1:63
          |
        1 | … abc + abc + abc + abc + HERE + 日本 + 日本 + 日本 + …
          |                           ^^^^ this
        """
    )
    assert shown(error(at(LONG, "let"))) == expect(
        """
         --> a:1:1
          |
        1 | let a = abc + abc + abc + abc + abc + abc + abc + abc +…
          | ^^^
        """
    )
    assert shown(error(at(LONG, "HERE"), at(LONG, "let", "from here"))) == expect(
        """
         --> a:1:63
          |
        1 | … abc + abc + abc + abc + HERE + 日本 + 日本 + 日本 + …
          | -                         ^^^^
          | |
          | from here
        """
    )
    end = Label(Span(LONG, len(LONG.text), len(LONG.text)), "ends")
    assert shown(error(end)) == expect(
        """
         --> a:1:112
          |
        1 | … 日本 + 日本 + 日本 + 日本 + 日本 + 日本 + 日本 + 日本
          |                                                        ^ ends
        """
    )


def test_a_line_of_megabytes_is_not_measured():
    source = Source("a", "x" * 3_000_000 + "HERE" + "y" * 3_000_000)
    lines = shown(error(at(source, "HERE"))).splitlines()
    half = "x" * 25, "y" * 25
    assert lines[3].startswith("1 | …" + half[0])
    assert lines[3].endswith(half[1] + "…")
    assert lines[4].index("^") == lines[3].index("HERE")


def test_a_span_longer_than_the_screen_is_cut():
    lines = shown(error(at(LONG, LONG.text[4:]))).splitlines()
    assert lines[3] == "1 | let a = abc + abc + abc + abc + abc + abc + abc + abc +…"
    assert lines[4] == "  |     " + "^" * 52


def test_what_a_server_named_cannot_act_on_the_terminal():
    label = at(CHAIN, "repo", "a\x1b[2Jb\nc")
    text = render(Diagnostic(code="E0203", message="No tool `\x1b]0;x\x07`.", span=label.span, label=label.text))
    assert "\x1b" not in text
    assert "error[E0203]: No tool `␛]0;x␇`.\n" in text
    assert "^^^^ a␛[2Jb c\n" in text


@pytest.mark.parametrize(
    ("title", "new", "helps", "said"),
    [
        ("Write `and`.", "and", (), ["Write `and`."]),
        ("Insert a comma.", ",", (), ["Insert a comma: `,`"]),
        ("Remove it.", "", (), ["Remove it."]),
        ("Add the output", "\n  output = x\n}", (), ["Add the output: `output = x\n}`"]),
        ("Add", "a\nb", (), ["Add"]),
        ("replace", "items", ("Did you mean `items`?",), ["Did you mean `items`?"]),
        ("Remove it", "", ("Remove it.",), ["Remove it."]),
        ("replace", "items", ("It has: items.",), ["It has: items.", "replace: `items`"]),
    ],
)
def test_a_fix_is_told_once(title: str, new: str, helps: tuple[str, ...], said: list[str]):
    fix = Fix(title, (Edit(at(CHAIN, "repo").span, new),))
    lines = shown(error(at(CHAIN, "repo"), helps=helps, fixes=(fix,))).split("  = help: ")[1:]
    if title == "Add the output":
        said = ["Add the output"]
    assert [line.strip() for line in lines] == said


def test_colour_marks_severity_and_place():
    diagnostic = error(at(CHAIN, "sum", "here"), at(CHAIN, "one.count"), helps=("Do.",))
    assert render(diagnostic, colour=True) == expect(
        """\
        <1;31>error[E0408]</><1>: It may be null.</>
        <1;34>  --> </>chains/a.chain:11:7
        <1;34>   |</>
        <1;34>11 | </>  let sum = one.count + one.count
        <1;34>   |       </><1;31>^^^   </><1;34>---------</>
        <1;34>   |       </><1;31>|</>
        <1;34>   |       </><1;31>here</>
        <1;34>   |</>
        <1;34>   = </><1>help</>: Do.
        """
    ).replace("<", "\x1b[").replace("\x1b[/>", "\x1b[0m").replace(">", "m").replace("--m ", "--> ")
    warning = Diagnostic(code="W0310", message="Unused.", span=at(CHAIN, "sum").span)
    assert render(warning, colour=True).startswith("\x1b[1;33mwarning[W0310]\x1b[0m\x1b[1m: Unused.")


def test_all_of_them_with_what_they_come_to():
    sink = Sink()
    assert render_all(sink) == ""
    sink.add(error(at(CHAIN, "sum")))
    sink.add(error(at(CHAIN, "repo")))
    sink.add(Diagnostic(code="W0310", message="Unused.", span=at(CHAIN, "one").span))
    text = render_all(sink)
    assert text == "\n".join([*(render(each) for each in sink), "2 errors, 1 warning\n"])
    assert [line for line in text.splitlines() if "-->" in line] == [
        " --> chains/a.chain:2:9",
        " --> chains/a.chain:3:8",
        "  --> chains/a.chain:11:7",
    ]


def test_the_summary_counts():
    warning = Diagnostic(code="W0310", message="Unused.", span=None)
    assert summary([error(None)]) == "1 error"
    assert summary([warning, warning]) == "2 warnings"
    assert summary([]) == "no findings"


def columns(text: str) -> int:
    return sum(width for _, width in glyphs(text))


@given(
    text=st.text(st.sampled_from("ab \t\n\r日👍\u0301\u200d\ufe0f\x1b\u202e"), max_size=200),
    places=st.lists(st.tuples(st.integers(-2, 210), st.integers(-2, 210)), min_size=1, max_size=4),
    width=st.integers(0, 80),
)
def test_any_text_and_any_places_can_be_shown(text: str, places: list[tuple[int, int]], width: int):
    source = Source("a", text)
    labels = [Label(Span(source, max(start, 0), max(end, 0)), "") for start, end in places]
    out = render(error(*labels), width=width)
    assert out.endswith("\n")
    assert all(unicodedata.category(char) not in ("Cc", "Cs") or char == "\n" for char in out)
    assert all(line == line.rstrip() for line in out.split("\n"))
    assert any("^" in line for line in out.split("\n")[3:])
    room = max(width, 20 + 3 + 3 + 2 * len(places)) + 1
    assert all(columns(line) <= room for line in out.split("\n")[2:])
