"""From a folder to a project: files, imports, locks."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from compiler.loader import load
from compiler.loader.lock_shape import alias_of, schema_digest
from compiler.project import Annotations, StdioServer
from dsl.diagnostics import Sink
from stdlib.plan.digest import tool_digest
from stdlib.values.digest import digest

MANIFEST = '[project]\nname = "p"\nversion = "1.0.0"\nlanguage = "1"\nchains = ["chains/*.chain"]\n'
GITHUB = '[sources.github]\nmcp = { command = "mcp-server-github" }\n'


def write(root: Path, files: dict[str, str]) -> Path:
    for path, text in {"chainc.toml": MANIFEST, **files}.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, "utf-8")
    return root


def offered(name: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "description": "Does it.", "inputSchema": {"type": "object"}, **more}


def lock(*tools: dict[str, Any], name: str = "github", **changes: Any) -> str:
    entries = [
        {
            "alias": alias_of(tool["name"]),
            "digest": {"schema": schema_digest(tool), "tool": digest(tool)},
            "offered": tool,
        }
        for tool in tools
    ]
    value = {
        "format": "chainc.lock/1",
        "source": name,
        "asked": {"command": "mcp-server-github"},
        "server": {"name": "GitHub", "version": "1.2"},
        "protocol": "2026-07-28",
        "tools": entries,
    }
    return json.dumps(value | changes)


def loaded(path: Path):
    """The project and what was told, as (code, file:line, message, help)."""
    sink = Sink()
    project = load(path, sink)
    told = []
    for d in sink:
        place = f"{d.span.source.path}:{d.span.source.position(d.span.start)[0]}" if d.span else ""
        told.append((d.code, place, d.message, " ".join(d.helps)))
    return project, told


def test_a_project_of_several_files(tmp_path):
    write(
        tmp_path,
        {
            "chains/b.chain": 'import c from chain "../common/c.chain"\n',
            "chains/a.chain": 'import c from chain "../common/c.chain"\nimport b from chain "./b.chain"\n',
            "common/c.chain": "type T = string\n",
            "chains/.hidden.chain": "nonsense",
        },
    )
    project, told = loaded(tmp_path)
    assert told == []
    assert project is not None
    assert project.root == str(tmp_path)
    assert project.entries == ("chains/a.chain", "chains/b.chain")
    assert list(project.modules) == ["common/c.chain", "chains/b.chain", "chains/a.chain"]
    assert project.modules["chains/a.chain"].chain_imports == {"c": "common/c.chain", "b": "chains/b.chain"}
    assert project.modules["chains/a.chain"].broken == frozenset()


def test_a_file_is_the_only_entry(tmp_path):
    write(
        tmp_path,
        {"chains/a.chain": "", "chains/b.chain": "", "other/x.chain": 'import a from chain "../chains/a.chain"'},
    )
    project, told = loaded(tmp_path / "other" / ".." / "other" / "x.chain")
    assert told == []
    assert project is not None
    assert project.entries == ("other/x.chain",)
    assert list(project.modules) == ["chains/a.chain", "other/x.chain"]


def test_a_source_comes_with_its_lock(tmp_path):
    tools = (
        offered("find-ticket", annotations={"readOnlyHint": True}),
        offered("create", annotations={"title": "Create"}, outputSchema={"type": "object"}),
        offered("close", annotations={"idempotentHint": True, "openWorldHint": False}),
    )
    write(
        tmp_path,
        {
            "chainc.toml": MANIFEST + GITHUB,
            "chains/a.chain": 'import g from mcp "github"\nimport h from mcp "github"\n',
            "lock/github.json": lock(*tools),
        },
    )
    project, told = loaded(tmp_path)
    assert told == []
    assert project is not None
    source = project.sources["github"]
    assert (source.server, source.transport) == ("GitHub 1.2", StdioServer("mcp-server-github"))
    assert project.modules["chains/a.chain"].source_imports == {"g": "github", "h": "github"}
    assert [(t.name, t.alias, t.annotations) for t in source.tools.values()] == [
        ("find-ticket", "find_ticket", Annotations(True, True, False, True)),
        ("create", "create", None),
        ("close", "close", Annotations(False, True, True, False)),
    ]
    assert source.tools["create"].digest == tool_digest("create", {"type": "object"}, {"type": "object"})


A = "chains/a.chain"
BROKEN_IMPORTS = [
    (
        'import x from grpc "y"',
        {},
        "E0201",
        "`grpc` is not a kind of import.",
        "Use mcp, openapi, python, command, std or chain.",
    ),
    ('import x from mpc "y"', {}, "E0201", "`mpc` is not a kind of import.", "Did you mean `mcp`?"),
    (
        'import x from chain "./typs.chain"',
        {"chains/types.chain": ""},
        "E0216",
        "There is no file `chains/typs.chain`.",
        "Did you mean `chains/types.chain`?",
    ),
    (
        'import x from chain "types.chain"',
        {"types/types.chain": ""},
        "E0216",
        "There is no file `chains/types.chain`.",
        "There is `types/types.chain`.",
    ),
    (
        'import x from chain "../../x.chain"',
        {},
        "E0217",
        "`../x.chain` leads out of the project.",
        "A project reads only files of its own folder.",
    ),
    (
        'import x from chain "/etc/x.chain"',
        {},
        "E0217",
        "`/etc/x.chain` is no path of this project.",
        'Write it like "./types.chain".',
    ),
    (
        'import x from chain "C:/x.chain"',
        {},
        "E0217",
        "`C:/x.chain` is no path of this project.",
        'Write it like "./types.chain".',
    ),
    ('import x from chain "./"', {}, "E0215", "`chains` is a folder, not a file.", ""),
    (
        'import x from chain "./a.chain"',
        {},
        "E0204",
        "`chains/a.chain` imports itself.",
        "Names of this file need no import.",
    ),
    (
        'import x from mcp "./tools/a.py"',
        {},
        "E0218",
        "The manifest has no source `./tools/a.py`.",
        'Give it a name in the manifest, and write `from mcp "a"`:\n[sources.a]\nmcp = { command = "…" }',
    ),
    (
        'import x from python "json"',
        {},
        "E0218",
        "The manifest has no source `json`.",
        "Name it, a file of yours or a module that is installed:\n[sources.json]\n"
        'python = { file = "json.py" }\nor\npython = { module = "json" }',
    ),
    ('import x from mcp "githb"', {}, "E0218", "The manifest has no source `githb`.", "Did you mean `github`?"),
    (
        'import x from mcp "github"',
        {},
        "E0219",
        "It is not known yet what `github` offers: there is no `lock/github.json`.",
        "Run `chainc sync github`.",
    ),
    (
        'import x from mcp "github"',
        {"lock/github.json": lock(asked={"command": "other"})},
        "E0221",
        "The manifest starts or reaches `github` in another way than when `lock/github.json` was written.",
        "Run `chainc sync github` and look at the diff.",
    ),
]


@pytest.mark.parametrize(("text", "files", "code", "message", "help"), BROKEN_IMPORTS)
def test_an_import_that_cannot_be_loaded_is_told_and_broken(tmp_path, text, files, code, message, help):
    write(tmp_path, {"chainc.toml": MANIFEST + GITHUB, A: f"\n{text}\n", **files})
    project, told = loaded(tmp_path / A)
    assert told == [(code, f"{A}:2", message, help)]
    assert project is not None
    module = project.modules[A]
    assert (module.broken, module.chain_imports, module.source_imports) == (frozenset({"x"}), {}, {})


def test_files_that_import_each_other(tmp_path):
    names = ["a", "b", "c"]
    files = {f"chains/{n}.chain": f'import n from chain "{m}.chain"\n' for n, m in zip(names, "bca", strict=True)}
    write(tmp_path, files)
    project, told = loaded(tmp_path)
    what = "These files import each other: chains/a.chain → chains/b.chain → chains/c.chain → chains/a.chain."
    assert told == [("E0204", "chains/c.chain:1", what, "Move what they share to a third file.")]
    assert project is not None
    assert set(project.modules) == set(files)


def test_a_long_line_of_imports_is_no_problem(tmp_path):
    files = {f"chains/f{i}.chain": f'import n from chain "f{i + 1}.chain"\n' for i in range(1500)}
    write(tmp_path, {**files, "chains/f1500.chain": ""})
    project, told = loaded(tmp_path / "chains" / "f0.chain")
    assert told == []
    assert project is not None
    assert len(project.modules) == 1501


def _edited(*path: str, value: object) -> str:
    whole = json.loads(lock(offered("a"), offered("b")))
    at = whole["tools"][0]
    for part in path[:-1]:
        at = at[part]
    at[path[-1]] = value
    return json.dumps(whole)


DAMAGED = [
    ("", "E0220", "This is no JSON: expecting value at line 1, column 1."),
    ("{", "E0220", "This is no JSON"),
    ("[]", "E0220", "`lock/github.json` is damaged: it must be a table, not a list."),
    ("null", "E0220", "`lock/github.json` is damaged: it must be a table, not null."),
    ("[" * 100_000, "E0220", "nested more than 200 levels"),
    (lock(format="chainc.lock/9"), "E0220", '`format` must be "chainc.lock/1"'),
    (lock(name="gitlab"), "E0220", "it is about `gitlab`."),
    (lock(when=3), "E0220", "There is no `when`"),
    (lock(offered("a"), offered("a")), "E0220", "it has `a` twice."),
    (_edited("offered", "description", value="Does something else."), "E0220", "`a` was changed by hand."),
    (_edited("offered", "inputSchema", value={"type": "object", "x": 1}), "E0220", "`a` was changed by hand."),
    (_edited("alias", value="c"), "E0220", "`a` was changed by hand."),
    (_edited("offered", "inputSchema", value=None), "E0220", "tool 1 has no input schema."),
    (_edited("offered", "name", value=3), "E0220", "tool 1 has no name."),
    (lock(offered("a\u202eb")), "E0225", r"the name `a\u{202e}b` has the invisible character U+202E."),
    (lock(offered("")), "E0220", '`tools[0].alias` cannot be "".'),
    (lock(offered("a" * 201)), "E0225", "is longer than 200 characters."),
]


@pytest.mark.parametrize(("text", "code", "message"), DAMAGED)
def test_a_damaged_lock_is_told_once(tmp_path, text, code, message):
    imports = 'import a from mcp "github"\nimport b from mcp "github"\n'
    write(tmp_path, {"chainc.toml": MANIFEST + GITHUB, A: imports, "lock/github.json": text})
    project, told = loaded(tmp_path)
    assert [(each[0], each[1]) for each in told] == [(code, f"{A}:1")]
    assert message in told[0][2]
    assert told[0][3] == "Run `chainc sync github`."
    assert project is not None
    assert project.modules[A].broken == {"a", "b"}


def test_no_manifest(tmp_path):
    (tmp_path / "a.chain").write_text("")
    project, told = loaded(tmp_path / "a.chain")
    assert project is None
    assert told[0][:2] == ("E0210", "")
    assert "[project]" in told[0][3]


def test_a_wrong_manifest_ends_it(tmp_path):
    write(tmp_path, {"chainc.toml": MANIFEST + "x = 1\n", A: "nonsense"})
    project, told = loaded(tmp_path)
    assert project is None
    assert [code for code, *_ in told] == ["E0212"]


def test_patterns_without_files_and_out_of_the_project(tmp_path):
    patterns = MANIFEST.replace('["chains/*.chain"]', '[\n"a/*.chain",\n"../*.chain",\n"/*.chain",\n"b/**x.chain"]')
    write(tmp_path, {"chainc.toml": patterns})
    _, told = loaded(tmp_path)
    assert [(code, place) for code, place, *_ in told][:3] == [
        ("E0216", "chainc.toml:6"),
        ("E0217", "chainc.toml:7"),
        ("E0217", "chainc.toml:8"),
    ]
    assert told[3][1] == "chainc.toml:9"


@pytest.mark.parametrize(("pattern", "better"), [(".", "*.chain"), ("chains", "chains/*.chain"), ("./a/", "a/*.chain")])
def test_a_folder_is_no_pattern(tmp_path, pattern, better):
    manifest = MANIFEST.replace("chains/*.chain", pattern)
    write(tmp_path, {"chainc.toml": manifest, A: "", "a/b.chain": ""})
    assert loaded(tmp_path)[1] == [("E0216", "chainc.toml:5", f"`{pattern}` is a folder.", f'Write `"{better}"`.')]


def test_files_that_are_no_texts(tmp_path):
    write(tmp_path, {})
    folder = tmp_path / "chains"
    folder.mkdir()
    (folder / "a.chain").write_bytes(b"// fine\n// \xff\n")
    (folder / "b.chain").write_bytes(b"/" * 1_000_001)
    _, told = loaded(tmp_path)
    assert [(code, message) for code, _, message, _ in told] == [
        ("E0215", "`chains/a.chain` is no UTF-8: line 2 has a byte that starts no character."),
        ("E0215", "`chains/b.chain` is larger than 1000 KB."),
    ]


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_links_must_stay_inside(tmp_path):
    outside = tmp_path / "outside.chain"
    outside.write_text("type T = string\n")
    root = tmp_path / "p"
    write(root, {A: 'import o from chain "o.chain"\nimport i from chain "i.chain"\nimport l from chain "l.chain"\n'})
    (root / "chains" / "o.chain").symlink_to(outside)
    (root / "chains" / "l.chain").symlink_to("l.chain")
    (root / "i.real").write_text("type T = string\n")
    (root / "chains" / "i.chain").symlink_to("../i.real")
    project, told = loaded(root / A)
    assert [(code, place) for code, place, *_ in told] == [("E0217", f"{A}:1"), ("E0215", f"{A}:3")]
    assert told[1][2].startswith("`chains/l.chain` cannot be read: ")
    assert str(tmp_path) not in told[1][2]
    assert project is not None
    assert project.modules[A].broken == {"o", "l"}


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="the superuser may read everything")
def test_a_file_that_may_not_be_read(tmp_path):
    write(tmp_path, {A: ""})
    (tmp_path / A).chmod(0)
    assert [code for code, *_ in loaded(tmp_path)[1]] == ["E0215"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes in folders")
def test_a_pipe_is_no_file(tmp_path):
    write(tmp_path, {A: 'import x from chain "p.chain"\n'})
    os.mkfifo(tmp_path / "chains" / "p.chain")
    _, told = loaded(tmp_path / A)
    assert told[0][2] == "`chains/p.chain` is no file."


def test_a_pattern_that_no_file_fits_is_told_with_one_that_some_do(tmp_path):
    write(tmp_path, {"chainc.toml": MANIFEST, "flows/a.chain": ""})
    (found,) = loaded(tmp_path)[1]
    assert (found[0], found[3]) == ("E0216", "There is `flows/a.chain`, which `flows/*.chain` fits.")
    (tmp_path / "flows/a.chain").unlink()
    (found,) = loaded(tmp_path)[1]
    assert found[3].startswith("Write one, with a name that fits and ends in `.chain`")
