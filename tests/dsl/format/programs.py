"""Programs to format: good ones, generated ones, and the same with other gaps between their words."""

from collections.abc import Sequence
from pathlib import Path

from hypothesis import strategies as st

from dsl.lexer import lex
from dsl.source import Source
from dsl.tokens import RESERVED, SOFT

ROOT = Path(__file__).parents[3]
GOOD = [
    path.read_bytes().decode()
    for folder, pattern in (
        ("examples", "*/chains/*.chain"),
        ("tests/golden/good", "*.chain"),
        ("tests/golden/parse", "good_*.chain"),
        ("tests/golden/fmt", "*.chain"),
    )
    for path in sorted((ROOT / folder).glob(pattern))
    if path.stem != "mistakes"
]
BLANKS = ("", " ", "   ", "\t")
GAPS = (
    *BLANKS,
    *("\n", "\r\n", "\n\n\n", "\n \t\n  "),
    *(" // one\n", " //two  \n", "\n// three\n", "\r\n  // four\r\n", "\n\n//// five\n\n", " // six\n// seven\n\n\n"),
)


def pieces(text: str) -> list[tuple[str, str]]:
    """The words of a text, each with what may stand before it: `any`, only `blanks`, or its own gap as it is.

    Within texts nothing may change, within the expressions of one-line texts no line may end.
    """
    lexed = lex(Source("t", text))
    found: list[tuple[str, str]] = []
    open_texts: list[str] = []
    at = 0
    for token in lexed.tokens:
        gap = text[at : token.start]
        fixed = token.kind in ("TEXT_PART", "INTERP", "TEXT_CLOSE")
        if fixed or token.start in lexed.docs or "//" in gap or "\ufeff" in gap:
            kind = gap
        elif '"' in open_texts:
            kind = "blanks"
        else:
            kind = "any"
        if token.kind == "TEXT_OPEN":
            open_texts.append(token.text)
        elif token.kind == "TEXT_CLOSE":
            open_texts.pop()
        found.append((kind, token.text))
        at = token.end
    return found


def joined(words: Sequence[tuple[str, str]], gaps: Sequence[str]) -> str:
    """The words with these gaps where they may stand, and otherwise a space where two words would become one."""
    out = ""
    for (kind, word), gap in zip(words, gaps, strict=True):
        if kind == "any":
            out += gap
        elif kind == "blanks":
            out += gap if gap in BLANKS else " "
        else:
            out += kind
        if kind in ("any", "blanks") and not gap and word and out:
            out += " "
        out += word
    return out


def other_gaps(text: str, choices: Sequence[str]) -> st.SearchStrategy[str]:
    """The same words, most of them one space apart, some with other gaps before them."""
    words = pieces(text)
    places = st.dictionaries(st.integers(0, len(words) - 1), st.sampled_from(choices), max_size=25)
    return places.map(lambda found: joined(words, [found.get(place, " ") for place in range(len(words))]))


def any_gaps(text: str, choices: Sequence[str]) -> st.SearchStrategy[str]:
    """The same words, with any gap before any of them."""
    words = pieces(text)
    return st.randoms(use_true_random=True).map(lambda random: joined(words, random.choices(choices, k=len(words))))


# -- generated programs

NAMES = st.sampled_from(["a", "b1", "long_name_of_something", *(word for word in SOFT if word not in ("run",))])
LABELS = st.one_of(NAMES, st.sampled_from(['"a b"', '"if"', '"x\\"y"']))
LITERALS = st.sampled_from(
    [
        *("1", "0.50", "007", "30s", "5MB", "true", "null"),
        *('""', '"t"', '"\\u{41}\\n"', '"x // y"', '"""  z """', '"""\n    two\n  lines\n  """', '"""one\n\n  more"""'),
    ]
)


def _list(items: st.SearchStrategy[str], opening: str, closing: str, most: int = 4) -> st.SearchStrategy[str]:
    return st.tuples(st.lists(items, max_size=most), st.booleans()).map(
        lambda found: opening + ", ".join(found[0]) + ("," if found[0] and found[1] else "") + closing
    )


def _unique(pairs: st.SearchStrategy[str], opening: str, closing: str) -> st.SearchStrategy[str]:
    """Fields whose names differ: each is numbered."""
    return _list(pairs, opening, closing).map(_numbered)


def _numbered(text: str) -> str:
    parts = text.split("@")
    return parts[0] + "".join(f"{place}{part}" for place, part in enumerate(parts[1:]))


def _wider(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    operators = ["+", "-", "*", "/", "%", "==", "<", "in", "not in", "??", "and", "or", "as"]
    operand = inner.map(lambda text: f"({text})")
    return st.one_of(
        operand,
        st.tuples(st.one_of(inner, operand), st.sampled_from(operators[:-1]), st.one_of(inner, operand)).map(" ".join),
        st.tuples(operand, types()).map(lambda found: f"{found[0]} as {found[1]}"),
        st.tuples(st.sampled_from(["not ", "-", "- "]), operand).map("".join),
        st.tuples(operand, st.sampled_from([".x", "?.y", "[0]", "?[ 1 ]", "!", '."q r"'])).map("".join),
        _list(st.one_of(inner, inner.map(lambda text: f"...{text}")), "[", "]"),
        _unique(st.tuples(NAMES, inner).map(lambda found: f"{found[0]}_@: {found[1]}"), "{", "}"),
        _list(inner, "count(", ")"),
        _unique(st.tuples(NAMES, inner).map(lambda found: f"{found[0]}_@: {found[1]}"), "sort(a, ", ")").map(
            lambda text: text.replace("(a, )", "(a)")
        ),
        st.tuples(operand, operand, operand).map(lambda found: f"if {found[0]} then {found[1]} else {found[2]}"),
        st.tuples(operand, operand).map(lambda found: f"[{found[0]} for each_one in {found[1]} if {found[0]}]"),
        st.tuples(operand, inner).map(lambda found: f"{{[{found[0]}]: {found[1]} for y in {found[0]}}}"),
        inner.map(lambda text: text if "\n" in text else f'"before ${{{text}}} after"').map(
            lambda text: text.replace("${{", "${ {")
        ),
        inner.map(lambda text: f'"""\n   in a block ${{ {text} }}\n\n     deeper\n  """'),
    )


def types() -> st.SearchStrategy[str]:
    atoms = st.sampled_from(
        ['"a"', "string", "common.Region", 'string(pattern: "x", min_length: 1)', "integer( min: -1 )"]
    )
    return st.recursive(
        atoms,
        lambda inner: st.one_of(
            inner.map(lambda text: f"({text})?"),
            inner.map(lambda text: f"list<{text}>(max_items: 3)"),
            st.tuples(inner, inner).map(lambda found: f"({found[0]} | {found[1]})"),
            _unique(st.tuples(NAMES, inner).map(lambda found: f"{found[0]}_@: {found[1]}"), "{", "}"),
        ),
        max_leaves=5,
    )


def expressions() -> st.SearchStrategy[str]:
    names = NAMES.filter(lambda name: name not in RESERVED)
    return st.recursive(st.one_of(names, LITERALS), _wider, max_leaves=12)


def declarations() -> st.SearchStrategy[str]:
    """Top level declarations with generated expressions and types in all sorts of places."""
    value, type_ = expressions(), types()
    call = _unique(st.tuples(LABELS, value).map(lambda found: f"arg@: {found[1]}"), "tools.find(", ")")
    clauses = st.lists(
        st.one_of(
            value.map(lambda text: f"when {text}"),
            st.just("timeout 20s"),
            st.just('retry 3 (wait: 1s, on: ["timeout"],)'),
            st.just("after a, b1"),
            call.map(lambda text: f"undo {text}"),
            value.map(lambda text: f"on error use {text}"),
        ),
        max_size=3,
        unique_by=lambda text: text.split()[0],
    ).map(lambda found: "{" + " ".join(found) + "}")
    return st.one_of(
        st.tuples(NAMES, value).map(lambda found: f"let {found[0]} = {found[1]}"),
        st.tuples(NAMES, type_, value).map(lambda found: f"let {found[0]}: {found[1]} = {found[2]}"),
        st.tuples(NAMES, type_).map(lambda found: f"/// about it\ntype {found[0]} = {found[1]}"),
        st.tuples(type_, value, call, clauses).map(_chain),
    )


def _chain(parts: tuple[str, str, str, str]) -> str:
    type_, value, call, clauses = parts
    return (
        f'chain c {{ input a: {type_} = {value} require {value} else "no" step s = {call} {clauses}'
        f" step t = for each x in {value} do {call} output {type_} = {value} {{ expires 1d }} }}"
    )


def programs() -> st.SearchStrategy[str]:
    return st.lists(declarations(), min_size=1, max_size=2).map("\n".join)
