"""`chainc tools`: where a schema says more than the type that it is shown as, and what has no lock."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from compiler.cli import main
from compiler.cli.exits import OK, USAGE
from compiler.cli.shown_tools import MOST_NOTES, block, declared
from compiler.loader.sources import STANDARD, standard_chains, standard_modules, standard_text
from compiler.project import Annotations, LockedTool
from dsl import tree
from dsl.diagnostics import Sink
from dsl.parser import parse
from dsl.source import Source
from tests.compiler import world


def tool(taken: dict, given: dict | None = None) -> LockedTool:
    return LockedTool("find", "find", "Find.", taken, given, None, "")


def test_what_the_types_leave_unsaid_is_told():
    host = {"type": "string", "format": "hostname"}
    taken = {"type": "object", "properties": {"host": host}, "dependentRequired": {"host": ["port"]}}
    given = {"type": "array", "items": {"type": "string"}, "uniqueItems": True}
    assert list(declared(tool(taken, given))) == [
        "/// Find.",
        "// takes less than its type says, by its schema at /properties/host/format: the form 'hostname', which is not "
        "checked",
        "// takes less than its type says, by its schema at /dependentRequired: fields that require others",
        "// returns less than its type says, by its schema at /uniqueItems: no two equal items",
        "tool find takes { host: string? } returns list<string>",
    ]


def test_very_many_places_are_counted():
    fields = {f"f{n}": {"type": "string", "format": "hostname"} for n in range(MOST_NOTES + 2)}
    lines = list(declared(tool({"type": "object", "properties": fields})))
    assert lines[-2] == "// … and at 2 more places"
    assert len(lines) == MOST_NOTES + 3


def test_pages_are_told():
    text, number = {"type": "string"}, {"type": "integer"}
    taken = {"type": "object", "properties": {"cursor": text, "limit": number}}
    meta = {"type": "object", "properties": {"next_cursor": text}}
    given = {"type": "object", "properties": {"meta": meta}, "required": ["meta"]}
    assert list(declared(tool(taken, given)))[1:] == [
        "// gives its answer in pages: `cursor` asks for another, `meta.next_cursor` tells whether there is one, "
        "`limit` says how long one is",
        "tool find takes { cursor: string?, limit: integer? } returns { meta: { next_cursor: string? } }",
    ]
    linked = replace(tool({"type": "object"}), pages={"style": "link", "field": ["next\u202e"]})
    assert list(declared(linked))[1] == (
        "// gives its answer in pages: no argument asks for another, `next\\u{202e}` tells whether there is one"
    )


def test_a_plain_schema_has_nothing_to_tell():
    plain = {"type": "object", "properties": {"at": {"type": "string", "format": "date-time", "minLength": 1}}}
    assert list(declared(tool(plain))) == ["/// Find.", "tool find takes { at: timestamp? }"]


# ------------------------------------------------------------------ what is needed to write a call

ODD: dict[str, Any] = {
    "type": "object",
    "properties": {
        "query": {
            "type": "string",
            "minLength": 1,
            "maxLength": 9,
            "pattern": "^[^\\\\-]${",
            "description": "What\nis sought.",
        },
        "limit": {"type": "integer", "minimum": 1, "maximum": 100, "default": 20},
        "share": {"type": "number", "exclusiveMinimum": 0, "multipleOf": 0.5},
        "tags": {"type": "array", "items": {"type": "string", "maxLength": 3}, "maxItems": 5, "default": ["a"]},
        "since": {"type": "string", "format": "date", "default": "2026-01-01"},
        "mode": {"enum": ["x", "y", None], "default": "x"},
        "text": {"type": "string", "default": 'say "${hi}" {{x}}\n'},
        "in": {"type": "object", "properties": {"a b": {"type": "boolean"}}, "default": {"a b": True}},
        "dialect": {"type": "string", "pattern": "(?<a>"},
    },
    "required": ["query"],
}


def test_limits_defaults_effects_and_parameters_are_shown_as_chains_write_them():
    found = replace(
        tool(ODD, {"type": "integer", "minimum": 0}), annotations=Annotations(read_only=True, idempotent=True)
    )
    assert list(declared(found)) == [
        "/// Find.",
        "// takes less than its type says, by its schema at /properties/dialect/pattern: a pattern of another dialect",
        "tool find takes {",
        "  /// What is sought.",
        '  query: string(min_length: 1, max_length: 9, pattern: "^[^\\\\\\\\-]\\${"),',
        "  limit: integer(min: 1, max: 100) = 20,",
        "  share: number(above: 0, multiple_of: 0.5)?,",
        '  tags: list<string(max_length: 3)>(max_items: 5) = ["a"],',
        "  since: date?,",
        '  mode: ("x" | "y")? = "x",',
        '  text: string = "say \\"\\${hi}\\" {\\{x}}\\n",',
        '  "in": { "a b": boolean? } = { "a b": true },',
        "  dialect: string?,",
        "} returns integer(min: 0) { effects read_only, open_world }",
    ]


@pytest.mark.parametrize("source", ["stranger", *world.sources()])
def test_what_is_listed_is_a_program_that_imports_it(source: str, tmp_path: Path):
    offered = {"name": "find", "description": "Find.", "inputSchema": ODD, "annotations": {"readOnlyHint": True}}
    (tmp_path / "stranger.json").write_text(json.dumps({"server": "stranger", "tools": [offered]}))
    tools = [list(declared(each)) for each in world.sources(tmp_path)[source].tools.values()]
    # The language has no type for one number among several, and none for a schema that is wrong.
    lines = [line for each in tools if not re.search(r"[|] \d|I cannot read", "".join(each)) for line in each]
    assert len(lines) > len(tools) / 2
    text = block(f'import x from mcp "{source}"', lines)
    assert [each.message for each in world.checked(text, tmp_path)[1] if each.severity == "error"] == []


def test_long_descriptions_are_cut_and_shown_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    """What an older lock holds is shown, too, and told to be old."""
    (tmp_path / "rate.py").write_text(f'def half(n: int) -> float:\n    """{"Half. " * 50}"""\n    return n / 2\n')
    manifest = f'{MANIFEST}[sources.rate]\npython = {{ file = "rate.py" }}\n'
    (tmp_path / "chainc.toml").write_text(manifest)
    monkeypatch.chdir(tmp_path)
    assert main(["sync", "--trust"]) == OK
    capsys.readouterr()
    out, err = listed(capsys)
    assert "Half. Half…" in out
    assert err == "Long descriptions are cut: `--full` shows them whole.\n"
    assert listed(capsys, "rate", "--full") == (out.replace("Half…", " ".join(["Half."] * 24)), "")
    with (tmp_path / "rate.py").open("a") as file:
        file.write("# changed\n")
    again, err = listed(capsys, "--full", code=1)
    assert "tool half takes { n: integer } returns number" in again
    assert "error[E0221]: `rate.py` is not as it was" in err


# ------------------------------------------------------------------ the standard library

MANIFEST = '[project]\nname = "p"\nversion = "1.0.0"\nlanguage = "1"\n'


def listed(capsys: pytest.CaptureFixture[str], *words: str, code: int = OK) -> tuple[str, str]:
    assert main(["tools", *words]) == code
    told = capsys.readouterr()
    return told.out, told.err


def test_the_whole_standard_library_is_listed_without_a_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.chdir(tmp_path)
    out, err = listed(capsys, "std")
    assert err == ""
    for module in standard_modules():
        file = parse(Source(module, standard_text(f"{STANDARD}{module}")), Sink())
        one, _ = listed(capsys, f"std/{module}")
        assert one in out
        assert one.startswith(f'import {module} from std "{module}"')
        chains = [each for each in file.items if isinstance(each, tree.Chain)]
        tools = [t for each in file.items if isinstance(each, tree.Import) for t in each.tools]
        assert one.count("\n  tool ") == len(tools)
        assert one.count("\nprivate chain ") == len(chains)
        assert all(f"\nprivate chain {each.name.text} {{\n" in one for each in chains)
        assert all(f"\n  tool {each.name.text} " in one for each in tools)


@pytest.mark.parametrize("module", [each for each in standard_modules() if not standard_chains(each)])
def test_what_is_listed_of_a_module_is_a_program_that_imports_it(module: str, capsys: pytest.CaptureFixture[str]):
    out, _ = listed(capsys, f"std/{module}")
    assert [each for each in world.checked(out)[1] if each.severity == "error"] == []


def test_a_source_of_the_manifest_has_the_name_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    chain = 'import s from command "std" { tool ls takes {} returns string { run [] } }\n'
    (tmp_path / "chains").mkdir()
    (tmp_path / "chains" / "a.chain").write_text(chain, "utf-8")
    (tmp_path / "chainc.toml").write_text(f'{MANIFEST}[sources.std]\ncommand = {{ program = "ls" }}\n', "utf-8")
    monkeypatch.chdir(tmp_path)
    out, err = listed(capsys, "std")
    assert "tool ls takes {} returns string\n" in out
    assert "from std" not in out
    assert err == "`std` is a source of the manifest. `chainc tools std/MODULE` is the standard library.\n"
    assert listed(capsys, "std/uuid")[0].startswith('import uuid from std "uuid"')


# ------------------------------------------------------------------ commands and Python files

COMMANDS = """import git from command "git" {
  /// Commits.
  tool log takes { path: string = ".", author: string? } returns list<Commit> {
    run ["log"]
    parse json
  }
}
import own from command "./size.sh" { tool size takes {} returns handle<page> { run [] } }

type Commit = { hash: string }
kind page = string
"""


@pytest.fixture
def commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "chains").mkdir()
    (tmp_path / "chains" / "a.chain").write_text(COMMANDS, "utf-8")
    (tmp_path / "chains" / "size.sh").touch()
    (tmp_path / "chains" / "b.chain").write_text(
        'import g from command "git" { tool gc takes {} { run [] } }\n', "utf-8"
    )
    manifest = f'{MANIFEST}[sources.tidy]\ncommand = {{ program = "tidy" }}\n'
    (tmp_path / "chainc.toml").write_text(manifest, "utf-8")
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("commands")
def test_commands_are_listed_as_each_file_declares_them(capsys: pytest.CaptureFixture[str]):
    git = """// declared in chains/a.chain
import git from command "git" {
  /// Commits.
  tool log takes { path: string = ".", author: string? } returns list<{ hash: string }>
}
"""
    own = 'import own from command "./size.sh" {\n  tool size takes {} returns handle<page>\n}\n'
    own = f"// declared in chains/a.chain\n{own}"
    other = '// declared in chains/b.chain\nimport g from command "git" {\n  tool gc takes {}\n}\n'
    assert listed(capsys) == (f"{git}\n{other}\n{own}", "")
    assert listed(capsys, "git") == (f"{git}\n{other}", "")
    assert listed(capsys, "./size.sh") == (own, "")
    assert listed(capsys, "git", "--search", "gc") == (other, "")


@pytest.mark.usefixtures("commands")
def test_a_folder_may_be_called_like_the_standard_library(capsys: pytest.CaptureFixture[str]):
    """Its files have an ending, so none of them is a module."""
    text = 'import a from command "std/a.sh" { tool a takes {} { run [] } }\n'
    Path("chains/c.chain").write_text(text, "utf-8")
    Path("chains/std").mkdir()
    Path("chains/std/a.sh").touch()
    assert listed(capsys, "std/a.sh")[0].endswith("  tool a takes {}\n}\n")
    assert listed(capsys, "std/uuid")[0].startswith('import uuid from std "uuid"')
    told = "chainc: the standard library has no module `uid`.\n  Did you mean `std/uuid`?\n"
    assert listed(capsys, "std/uid", code=USAGE) == ("", told)


@pytest.mark.usefixtures("commands")
def test_a_command_of_which_nothing_is_declared_is_known(capsys: pytest.CaptureFixture[str]):
    told = "No chain declares tools of `tidy`: those of a command are declared by the import that names it.\n"
    assert listed(capsys, "tidy") == ("", told)
    assert "Did you mean `git`?" in listed(capsys, "gti", code=USAGE)[1]


@pytest.mark.parametrize("way", ['[sources.rate]\npython = { file = "chains/rate.py" }\n', ""])
def test_python_files_are_listed_from_their_lock(
    way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    (tmp_path / "chains").mkdir()
    (tmp_path / "chains" / "rate.py").write_text(
        'def half(n: int) -> float:\n    """Half."""\n    return n / 2\n', "utf-8"
    )
    where = "rate" if way else "./rate.py"
    (tmp_path / "chains" / "a.chain").write_text(f'import r from python "{where}"\n', "utf-8")
    (tmp_path / "chainc.toml").write_text(MANIFEST + way, "utf-8")
    monkeypatch.chdir(tmp_path)
    name = "rate" if way else "chains/rate.py"
    assert "there is no `lock/" in listed(capsys, code=1)[1]
    assert main(["sync", "--trust"]) == OK
    capsys.readouterr()
    half = "  /// Half.\n  tool half takes { n: integer } returns number\n"
    imported = f'import rate from python "{where}" {{\n{half}}}\n'
    whole = imported if way else f"// as chains/a.chain names it\n{imported}"
    assert listed(capsys) == (whole, "")
    assert listed(capsys, name) == listed(capsys)
