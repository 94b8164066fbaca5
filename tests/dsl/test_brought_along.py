"""What other languages write: one message each, which says what to write here; a fix gives a program that is read."""

import pytest

from tests.dsl.reading import mended, read

FILE = "{}\nchain c {{\n  output = 1\n}}\n"
CHAIN = "chain c {{\n  input a: string\n  {}\n  output = a\n}}\n"
OUTPUT = "chain c {{\n  input a: string\n  {}\n}}\n"
STEP = "chain c {{\n  input a: string\n  step s = t.a(x: 1) {}\n  output = s\n}}\n"
SECTION = "chain c {{\n  input a: string\n  section s {{\n    {}\n    let b = 1\n  }}\n  output = a\n}}\n"
LOOP = "chain c {{\n  step s = for each n in [1] {{\n    let m = n\n    {}\n    return m\n  }}\n  output = s\n}}\n"
TOOL = """import git from command "git" {{
  tool log takes {{ a: string }} returns json {{
    effects read_only
    {}
  }}
}}
"""
MODES = 'It is read by `parse`: `parse json`, or text, jsonl, lines, csv, match "…".'
AT_THE_STEP = "It is said where the tool is called: `step NAME = TOOL(…) {{ {} … }}`, or in `defaults`."
IN_THE_MANIFEST = 'It stands in the manifest: `[sources.NAME]`, `command = {{ program = "…", {} }}`.'
CHAINS = "It belongs directly into the chain."
NO_WHILE = (
    "A loop goes over a list: `step NAME = for each n in range(10) { … return VALUE }`; a round that fails ends it."
)
WAIT = "Only a tool can wait for a time. Between attempts of a step: `retry 5 (wait: 10s)`."
QUESTION = 'A question is a step: `step NAME = approve "…" { … }`, `step NAME = ask "…" for { … }`.'
NAMES = "Names have the letters A to Z and a to z, digits and `_`."

WRITTEN = [
    (TOOL, "stdout json", "E0113", "Write `parse json`."),
    (TOOL, "stdout as text", "E0113", "Write `parse text`."),
    (TOOL, "stdout: json", "E0113", "Write `parse json`."),
    (TOOL, "stdout -> ndjson", "E0113", "Write `parse jsonl`."),
    (TOOL, "output = csv", "E0113", "Write `parse csv`."),
    (TOOL, "format csv with a header", "E0113", "Write `parse csv`."),
    (TOOL, 'stdout regex "(?P<a>x)"', "E0113", 'Write `parse match "(?P<a>x)"`.'),
    (TOOL, "stdout match", "E0113", MODES),
    (TOOL, "stdout", "E0113", MODES),
    (TOOL, "result yaml", "E0113", MODES),
    (TOOL, "parse as json", "E0122", "Write `parse json`."),
    (TOOL, 'parse "lines"', "E0122", "Write `parse lines`."),
    (TOOL, "parse stdout as json", "E0122", "Write `parse json`."),
    (TOOL, "parse output json", "E0122", "Write `parse json`."),
    (TOOL, 'parse as regex "(?P<a>x)"', "E0122", 'Write `parse match "…"`.'),
    (TOOL, "parse: json", "E0106", "Write `parse json`."),
    (TOOL, "parse match (?P<a>x)", "E0103", 'Write `parse match "(?P<a>x)"`.'),
    (TOOL, 'args ["-n", a]', "E0113", "Write `run`."),
    (TOOL, 'command: ["-n"]', "E0113", "Write `run`."),
    (TOOL, 'exec "git log -n ${a}"', "E0113", 'Write `run ["log", "-n", a]`.'),
    (TOOL, 'run "log -n${a}"', "E0122", 'Write `run ["log", "-n${a}"]`.'),
    (TOOL, 'run "log"', "E0122", 'Write `run ["log"]`.'),
    (TOOL, "run \"log '${a}' | head\"", "E0122", 'Write `run ["…", "…"]`.'),
    (TOOL, "timeout 20s", "E0113", AT_THE_STEP.format("timeout")),
    (TOOL, "retry 3", "E0113", AT_THE_STEP.format("retry")),
    (TOOL, "on error skip", "E0113", AT_THE_STEP.format("on")),
    (TOOL, 'env ["A"]', "E0113", IN_THE_MANIFEST.format('env = ["VARIABLE"]')),
    (TOOL, 'cwd "data"', "E0113", IN_THE_MANIFEST.format('cwd = "FOLDER"')),
    (TOOL, "input b: string", "E0113", "It stands before the block: `tool NAME takes { … } … {`."),
    (
        TOOL,
        "returns json",
        "E0113",
        "It stands before the block: `tool NAME returns TYPE … {`. How the output is read is said by `parse`.",
    ),
    (TOOL, 'description "x"', "E0113", "It stands above the tool: `/// What it is for.`"),
    (
        TOOL,
        "stderr ignore",
        "E0113",
        "Nothing is said of it: it goes into the log, and into the fault where the program fails.",
    ),
    (FILE, "import g from mcp github", "E0103", 'Write `"github"`.'),
    (FILE, "import g from openapi ./shop.json", "E0103", 'Write `"./shop.json"`.'),
    (OUTPUT, "output: i.title", "E0106", "Write `output = i.title`."),
    (OUTPUT, "output: string = a", "E0106", "Write `output string = a`."),
    (STEP, '{ when: a == "x" }', "E0106", 'Write `when a == "x"`.'),
    (STEP, '{ when: a > "x" and b < 3 }', "E0106", 'Write `when a > "x" and b < 3`.'),
    (SECTION, 'require a > 1 else "x"', "E0113", CHAINS),
    (SECTION, "input b: list<string> = []", "E0113", CHAINS),
    (SECTION, "output = { a: 1 }", "E0113", CHAINS),
    (SECTION, "section t {\n let d = 1\n }", "E0113", CHAINS),
    (CHAIN, "input b: [string]", "E0110", "Write `list<string>`."),
    (CHAIN, "input b: [{ x: integer }]", "E0110", "Write `list<{ x: integer }>`."),
    (CHAIN, "input b: []", "E0110", "Write `list<string>`."),
    (CHAIN, 'input b: ["x", "y",]', "E0110", 'Write `"x" | "y"`.'),
    (CHAIN, 'input b: list<["x", "y"]>?', "E0110", 'Write `"x" | "y"`.'),
    (CHAIN, 'step q = ask "?" for { b: ["x", "y"] }', "E0110", 'Write `"x" | "y"`.'),
    (CHAIN, f'input b: ["{"x" * 40}", "{"y" * 40}"]', "E0110", 'Put `|` between: `"a" | "b"`.'),
    (CHAIN, "step s = while a == 1 { step b = t.a(x: 1) }", "E0105", NO_WHILE),
    (CHAIN, "step s = repeat 5 {\n step b = t.a(x: 1)\n return b\n }", "E0105", NO_WHILE),
    (CHAIN, "step s = for each n in a { step b = until n\n return b }", "E0105", NO_WHILE),
    (CHAIN, "step s = loop { step b = t.a(x: 1) } { timeout 1s }", "E0105", NO_WHILE),
    (CHAIN, "while true { step b = t.a(x: 1) }", "E0113", NO_WHILE),
    (LOOP, "break", "E0113", NO_WHILE),
    (LOOP, "wait 30s", "E0113", WAIT),
    (STEP, "{ until s.done }", "E0113", NO_WHILE),
    (CHAIN, "sleep 5", "E0113", WAIT),
    (CHAIN, 'approve "Go?" { timeout 1h }', "E0113", QUESTION),
    (CHAIN, 'ask "Who?" for { name: string }', "E0113", QUESTION),
    (CHAIN, "input b?: string", "E0110", "Write `b: string?`."),
    (CHAIN, "input b?: list<string>", "E0110", "Write `b: TYPE?`."),
    (CHAIN, "input b: string | null", "E0110", "Write `string?`."),
    (CHAIN, "input b: null | string", "E0110", "Put a `?` behind the type: `string?`, `(string | integer)?`."),
    (CHAIN, 'input b: string default "a"', "E0110", 'Write `= "a"`.'),
    (CHAIN, 'let y = x || "d"', "E0005", "A value for what may be absent follows `??`; between conditions write `or`."),
    (CHAIN, "let y = x || z", "E0005", "Write `or`."),
    (CHAIN, 'let y = "a" ++ x', "E0110", 'Write one text: `"a${x}"`. Lists are joined so: `[...a, ...b]`.'),
    (CHAIN, 'let y = x ++ "a"', "E0110", 'Write one text: `"${x}a"`. Lists are joined so: `[...a, ...b]`.'),
    (CHAIN, "step s = g.find-ticket(a: 1)", "E0119", 'Write `"find-ticket"`.'),
    (CHAIN, "step s = g.find-all-for(a: 1)", "E0119", 'Write `"find-all-for"`.'),
    (CHAIN, "step s = g.t(X-Request-Id: a)", "E0119", 'Write `"X-Request-Id"`.'),
    (CHAIN, "step s = g.t(b: 1, X-Request-Id: a)", "E0119", 'Write `"X-Request-Id"`.'),
    (CHAIN, "let y = { a-b: 1 }", "E0119", 'Write `"a-b"`.'),
    (CHAIN, "step g.tool(a: 1)", "E0111", "Write `step NAME = g.tool(…)`."),
    (CHAIN, "step tool(a: 1)", "E0111", "Write `step NAME = tool(…)`."),
    (CHAIN, "step z = await g.t()", "E0110", "Drop `await`. A step calls its tool when what it refers to is there."),
    (
        CHAIN,
        "step z = try g.t()",
        "E0110",
        "Drop `try`. What happens when a call fails is said in a clause: `{ on error skip }`.",
    ),
    (CHAIN, "let y = {k: v for k in xs}", "E0110", "Write `{ [k]: v for k in xs }`."),
    (CHAIN, "let y = [for x in xs: x.z]", "E0110", "Write `[x.z for x in xs]`."),
    (CHAIN, "let y = [for x in xs]", "E0110", "Write `[VALUE for x in LIST]`."),
    (CHAIN, "let y = é", "E0002", NAMES),
    (CHAIN, "let café = 1", "E0002", NAMES),
    (CHAIN, "let été = 1", "E0002", NAMES),
    (CHAIN, "let 名前 = 1", "E0002", NAMES),
    (CHAIN, "let y = 👍", "E0002", NAMES),
    (CHAIN, "let y = @x", "E0002", None),
    (CHAIN, "@x", "E0002", None),
]


@pytest.mark.parametrize(("frame", "text", "code", "told"), WRITTEN, ids=[text for _, text, *_ in WRITTEN])
def test_one_message_says_what_to_write(frame: str, text: str, code: str, told: str | None):
    _, said = read(frame.format(text))
    assert [(each.code, each.helps) for each in said] == [(code, (told,) if told else ())]


@pytest.mark.parametrize(("frame", "text"), [case[:2] for case in WRITTEN], ids=[text for _, text, *_ in WRITTEN])
def test_a_fix_gives_a_program_that_is_read(frame: str, text: str):
    program = frame.format(text)
    _, said = read(program)
    if said[0].fixes:
        assert read(mended(program))[1] == []


def test_a_block_that_is_not_closed_is_still_that():
    _, said = read("chain c {\n  section s {\n    let b = 1\n  output = 1\n}\n")
    assert [each.code for each in said] == ["E0100"]
