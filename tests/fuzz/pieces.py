"""What inputs are put together from: the words of the language, names of the sample sources, oddities, programs."""

from functools import cache
from pathlib import Path

from dsl.diagnostics import Sink
from dsl.lexer import lex
from dsl.parser import parse
from dsl.source import Source
from dsl.tokens import SIGNS, WORDS, Token, words
from dsl.tree import Import
from stdlib.functions import names as function_names
from tests.bench.program import program

ROOT = Path(__file__).parents[2]
FOLDERS = ("tests/golden/good", "tests/golden/bad", "tests/golden/plan", "tests/golden/parse", "examples")

# Names that mean something in the sample sources, so that what comes out is not unknown from its first word on.
NAMES = words(
    """
    github slack shop get_issue list_issues last_comment search_code get_settings close_issue post_message list_channels
    find_user get_order list_orders stock set_note create_refund report repo number state items title labels assignee
    login body milestone due total orders status id sku quantity channel text thread ts order_id amount reason name
    string integer number boolean json timestamp date duration url email uuid bytes list map handle
    mcp openapi python command std chain read_only idempotent destructive open_world item_error reject decline expiry
    error run id started_at result output a b c i x xs
    """
)
VALUES = words('1 0 2.5 1e3 20s 5MB 30d "t" "" "${a}" "a ${b} c" true false null "open" "2026-01-31" "1.0.0" [] {}')
ODDITIES = (
    *words(r"1_0 12ab 0x1 1. .5 1..2 20sec 1e999 \ é 'q' # ; && || === !== @ $ ${ {{ }} ${{ ``` ~ ^ & ' ` /* /**/ \x"),
    *words(r'''" """ "${ }" "${"${" "\u{d800}" "\u{110000}" "\x" {{x}} ${{x}} string[] len(x) “t” ‘t’ «t» ａ １'''),
    *("// c\n", "/// d\n", "\n", "\r\n", "\r", "\t", "\v", "\x00", "\x1b[31m", "\x7f", "\x85"),
    *("\u2028", "\xa0", "\u3000"),
    *("\ud800", "\udfff", "\ufeff", "\u202e", "\u0301", "\U0001f600", '"a\nb"', '"""\n  a\n b"""'),
    *("9" * 400, "9" * 5000, "1." + "0" * 400, "9" * 400 + ".5", "9" * 30 + "d", "9" * 30 + "GB"),
    *("x => x", "for x in xs", "x ? y : z", "name?: string", "a.map(x => x)", "-> x", "if (a) { b }", "def f():"),
)
# Words that stand for a value of their kind and may be too much for those who read the value.
EXTREMES = {
    "NAME": NAMES,
    "STRING": (
        *words(r'''"" "[[a]" "(?P<a>x)" "(a+)+b" "(?P<" "\\p{L}" "a{99999999999999999999}" "${" "\u{0}" "a\u{301}"'''),
        *words('"1.0.0" "0.0" "9.99999999999999999999.9" "2026-02-30" "9999-12-31" "2026-01-31T08:00:00Z" "P1Y"'),
        *words('"https://[" "a@b" "==" "0.x" "../../x.chain" "main.chain" "C:\\\\x" "null" "output"'),
        *(f'"{"(" * 3000}{")" * 3000}"', f'"{"a" * 3000}!"', '"0000-00-00T00:00:00+99:99"', '"\ud800"', '"\x00"'),
    ),
    "INT": ("0", "1", "9" * 20, "9" * 400, "9" * 5000, "0" * 50),
    "FLOAT": ("0.0", "0." + "0" * 400 + "1", "9" * 400 + ".5", "1.5e308", "1.5e999", "1.5e-999"),
    "DURATION": ("0s", "1ms", "9" * 30 + "d", "9" * 5000 + "h"),
    "SIZE": ("0B", "9" * 30 + "GB", "9" * 5000 + "KB"),
}
VOCABULARY = (*SIGNS, *WORDS, *NAMES, *function_names(), *VALUES)


@cache
def programs() -> tuple[str, ...]:
    """The programs of the golden tests and examples, good and bad, and parts of an ordinary one."""
    paths = sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.chain"))
    return (*(path.read_text(encoding="utf-8") for path in paths), program(150))


@cache
def fragments() -> tuple[str, ...]:
    """Each declaration of each program with the imports of its file: short, so that many can be tried."""
    found: list[str] = []
    for text in programs():
        items = parse(Source("", text), Sink()).items
        head = "".join(text[item.start : item.end] + "\n" for item in items if isinstance(item, Import))
        found += [head + text[item.start : item.end] + "\n" for item in items if not isinstance(item, Import)]
    return tuple(dict.fromkeys(found))


@cache
def companions() -> dict[str, str]:
    """Files that a program may import, by their paths beside it."""
    folder = ROOT / "tests/golden/good"
    return {path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8") for path in folder.glob("*/*.chain")}


def tokens(text: str) -> list[Token]:
    """The tokens of a text without the last one, which is empty."""
    return lex(Source("", text)).tokens[:-1]
