"""Clauses of a tool as people write them first: how its output is read, what it runs, what is said elsewhere."""

from __future__ import annotations

import json
import re
from typing import Final

from dsl.diagnostics import Diagnostic, Edit, Fix
from dsl.foreign import MODES, OTHER_MODES
from dsl.mend.mended import Mended
from dsl.situation import Situation
from dsl.source import Span
from dsl.tokens import END, Token, words

_BLOCK: Final = "many{tool_clause}"
_OUTPUT: Final = frozenset(words("stdout output out result results format decode parsed reads as"))
_RUNS: Final = frozenset(words("args arguments argv exec execute command cmd call invoke shell program"))
_BETWEEN: Final = frozenset((":", "=", "->", "=>", "as", "is", "to", "into"))
_ALL_MODES: Final = 'It is read by `parse`: `parse json`, or text, jsonl, lines, csv, match "…".'
_AT_THE_STEP: Final = "It is said where the tool is called: `step NAME = TOOL(…) {{ {0} … }}`, or in `defaults`."
_IN_THE_MANIFEST: Final = 'It stands in the manifest: `[sources.NAME]`, `command = {{ program = "…", {0} = {1} }}`.'
_BEFORE: Final = "It stands before the block: `tool NAME {0} … {{`."
_ELSEWHERE: Final = {
    **{each: _AT_THE_STEP.format(each) for each in ("timeout", "retry", "on", "when", "after", "undo", "parallel")},
    **dict.fromkeys(("env", "environment"), _IN_THE_MANIFEST.format("env", '["VARIABLE"]')),
    **dict.fromkeys(("cwd", "dir", "directory", "workdir", "folder"), _IN_THE_MANIFEST.format("cwd", '"FOLDER"')),
    **dict.fromkeys(("takes", "input", "inputs", "param", "params", "parameters"), _BEFORE.format("takes { … }")),
    "returns": _BEFORE.format("returns TYPE") + " How the output is read is said by `parse`.",
    **dict.fromkeys(("description", "doc", "title", "summary"), "It stands above the tool: `/// What it is for.`"),
    "stderr": "Nothing is said of it: it goes into the log, and into the fault where the program fails.",
    **dict.fromkeys(("exit", "exit_code", "status"), "Nothing is said of it: a code other than 0 is a fault."),
}


def output_word(place: Situation) -> Mended | None:
    """`stdout json`, `output as text`, `format: csv` for `parse …`."""
    if not _begins_clause(place) or place.token.text not in _OUTPUT:
        return None
    last, at = place.last_on_line(), place.at + 1
    while at <= last and place.tokens[at].text in _BETWEEN:
        at += 1
    rest = place.tokens[at : last + 1]
    mode = _mode(rest[0]) if rest else ""
    if not mode or (mode == "match" and (len(rest) < 2 or rest[1].kind != "STRING")):
        return Mended(_no_place(place, _ALL_MODES), (), last - place.at + 1)
    ours = f"parse {mode} {rest[1].text}" if mode == "match" else f"parse {mode}"
    span = place.span(place.token, rest[1] if mode == "match" else rest[-1])
    put = [_as("PARSE", "parse", place.token), _as("NAME", mode, rest[0]), *(rest[1:2] if mode == "match" else ())]
    diagnostic = _no_place(place, f"Write `{ours}`.", Fix(f"Write `{ours}`", (Edit(span, ours),)))
    return Mended(diagnostic, tuple(put), last - place.at + 1)


def words_before_mode(place: Situation) -> Mended | None:
    """`parse as json`, `parse "json"`, `parse stdout as json`."""
    at, token = place.at, place.token
    named = at > 1 and place.tokens[at - 2].kind == "PARSE" and place.previous.text in _OUTPUT
    if not named and (place.previous.kind != "PARSE" or place.entered() != "PARSE"):
        return None
    last = place.last_on_line()
    while at < last and place.tokens[at].text in _BETWEEN:
        at += 1
    found = place.tokens[at]
    mode = _mode(found)
    if place.first_on_line(place.at) or not mode or (not named and token.text in (":", "=")):
        return None
    ours = f"parse {mode}"
    span = place.span(place.previous if named else token, found)
    diagnostic = Diagnostic(
        code="E0122",
        message="What the output is read as stands right behind `parse`.",
        span=span,
        helps=(f"Write `{ours}`." if mode != "match" else f'Write `{ours} "…"`.',),
        fixes=(Fix(f"Write `{ours}`", (Edit(span, mode),)),),
    )
    return Mended(diagnostic, () if named else (_as("NAME", mode, found),), at - place.at + 1)


def pattern_without_quotes(place: Situation) -> Mended | None:
    """`parse match (?P<n>x)`."""
    if place.at < 2 or place.tokens[place.at - 2].kind != "PARSE" or place.previous.text not in ("match", "regex"):
        return None
    if place.first_on_line(place.at) or place.token.kind in ("STRING", "TEXT_OPEN", "RBRACE", END):
        return None
    line = place.source.text[place.previous.end :].partition("\n")[0]  # its signs may be none of the language
    pattern = line.strip().strip("/")
    good = json.dumps(pattern, ensure_ascii=False)
    at = place.at + 1
    while place.tokens[at].kind != END and not place.first_on_line(at):
        at += 1
    span = Span(place.source, place.token.start, place.tokens[at - 1].end)
    diagnostic = Diagnostic(
        code="E0103",
        message="A pattern is a text.",
        span=span,
        helps=(f"Write `parse match {good}`." if len(good) < 60 else 'Write `parse match "…"`, with `\\\\` for `\\`.',),
    )
    return Mended(diagnostic, (Token("STRING", good, span.start, span.end),), at - place.at)


def run_by_another_word(place: Situation) -> Mended | None:
    """`args ["-n"]`, `command "ls -n"` for `run ["-n"]`."""
    if not _begins_clause(place) or place.token.text not in _RUNS:
        return None
    at = place.at + 1 + (place.next.text in (":", "="))
    if place.tokens[at].kind not in ("LSQB", "STRING", "TEXT_OPEN"):
        return None
    span = place.span(place.token, place.tokens[at - 1])
    fixes = (Fix("Write `run`", (Edit(span, "run"),)),) if place.tokens[at].kind == "LSQB" else ()
    shown = "run" if fixes else f"run {_listed(place, at)[0]}"
    return Mended(_no_place(place, f"Write `{shown}`.", *fixes), _run(place, at), _run_skips(place, at))


def line_for_run(place: Situation) -> Mended | None:
    """`run "log -n1"` for `run ["log", "-n1"]`."""
    if place.previous.kind != "RUN" or place.entered() != "RUN" or place.token.kind not in ("STRING", "TEXT_OPEN"):
        return None
    shown, last = _listed(place, place.at)
    diagnostic = Diagnostic(
        code="E0122",
        message="A program gets a list of arguments: there is no shell that takes a line apart.",
        span=place.span(place.token, place.tokens[last]),
        helps=(f"Write `run {shown}`.",),
    )
    return Mended(diagnostic, _list(place, place.at, last), last - place.at + 1)


def said_elsewhere(place: Situation) -> Mended | None:
    """`timeout 20s`, `env ["A"]`, `returns json`, in a tool; left out as a whole."""
    if not _begins_clause(place) or place.token.text not in _ELSEWHERE:
        return None
    last = place.last_on_line()
    return Mended(_no_place(place, _ELSEWHERE[place.token.text]), (), last - place.at + 1)


# ------------------------------------------------------------------ parts


def _begins_clause(place: Situation) -> bool:
    """Whether a word that is none of a tool begins a clause of one."""
    begins = place.first_on_line(place.at) or place.previous.kind in ("LBRACE", "RBRACE")
    return begins and place.block() == _BLOCK


def _no_place(place: Situation, hint: str, *fixes: Fix) -> Diagnostic:
    message = f"Inside a tool there is no place for `{place.token.text}`."
    return Diagnostic(code="E0113", message=message, span=place.span(place.token), helps=(hint,), fixes=fixes)


def _mode(token: Token) -> str:
    """What a word says of how output is read, in the language's words; '' for anything else."""
    word = token.text.strip('"').lower()
    return word if word in MODES else OTHER_MODES.get(word, "")


def _as(kind: str, text: str, token: Token) -> Token:
    return Token(kind, text, token.start, token.end)


def _listed(place: Situation, at: int) -> tuple[str, int]:
    """The line of a text as a list of arguments, and the last token of the text."""
    depth, last = 0, at
    for last in range(at, len(place.tokens)):
        kind = place.tokens[last].kind
        depth += (kind == "TEXT_OPEN") - (kind == "TEXT_CLOSE")
        if not depth:
            break
    text = place.source.text[place.tokens[at].start + 1 : place.tokens[last].end - 1]
    parts = text.split()
    if len(parts) > 1 and parts[0] == _program(place):
        del parts[0]
    if "\n" in text or len(text) > 60 or not parts or re.search(r"[\"'\\|<>&;`*]|\$\{[^}]* ", text):
        return '["…", "…"]', last
    return "[" + ", ".join(re.sub(r'^"\$\{(\w+)\}"$', r"\1", f'"{each}"') for each in parts) + "]", last


def _program(place: Situation) -> str:
    """The program that the import names, without its folder."""
    for at in range(place.at, -1, -1):
        if place.tokens[at].kind == "IMPORT":
            return next(
                (each.text.strip('"').rpartition("/")[2] for each in place.tokens[at:] if each.kind == "STRING"), ""
            )
    return ""


def _list(place: Situation, first: int, last: int) -> tuple[Token, ...]:
    start, end = place.tokens[first].start, place.tokens[last].end
    between = tuple(place.tokens[first : last + 1])
    return (Token("LSQB", "[", start, start), *between, Token("RSQB", "]", end, end))


def _run(place: Situation, at: int) -> tuple[Token, ...]:
    begun = (_as("RUN", "run", place.token),)
    return begun if place.tokens[at].kind == "LSQB" else begun + _list(place, at, _listed(place, at)[1])


def _run_skips(place: Situation, at: int) -> int:
    return (at if place.tokens[at].kind == "LSQB" else _listed(place, at)[1] + 1) - place.at
