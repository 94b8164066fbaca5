"""The folders in which the manifest has programs start."""

from __future__ import annotations

from pathlib import Path

import pytest

from compiler.project import CommandProgram, StdioServer

from .test_manifest import PROJECT, read


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A project beside an allowed folder and another one, with links to both."""
    for each in ("project/inside", "lent", "other"):
        (tmp_path / each).mkdir(parents=True)
    for name, to in {"in": "inside", "lent": "../lent", "out": "../other", "loop": "loop"}.items():
        (tmp_path / "project" / name).symlink_to(to)
    return tmp_path / "project"


def with_folder(cwd: str, kind: str = "command", roots: str = '"../lent"') -> str:
    table = 'program = "x"' if kind == "command" else 'command = "x"'
    return f"{PROJECT}[sources.a]\n{kind} = {{ {table}, cwd = '{cwd}' }}\n[allow]\nroots = [{roots}]\n"


@pytest.mark.parametrize("kind", ["mcp", "command"])
@pytest.mark.parametrize("cwd", [".", "inside", "inside/..", "in", "not/there/yet", "../lent", "../lent/x", "lent"])
def test_in_the_project_or_in_an_allowed_folder(root, cwd, kind):
    manifest, told = read(root, with_folder(cwd, kind))
    assert told == []
    made = StdioServer("x", cwd=cwd) if kind == "mcp" else CommandProgram("x", cwd=cwd)
    assert manifest.sources["a"].transport == made


def test_a_folder_of_the_project_is_relative_to_it_unless_it_is_allowed_by_itself(root):
    """So that plans and locks are the same on every machine."""
    for cwd, roots, known in [
        (str(root / "inside"), "", "inside"),
        (str(root / "in"), '"../lent"', "inside"),
        (str(root), "", "."),
        (str(root / "inside"), f'"{root}"', str(root / "inside")),
        (str(root.parent / "lent"), '"../lent"', str(root.parent / "lent")),
    ]:
        manifest, told = read(root, with_folder(cwd, roots=roots))
        assert told == []
        assert manifest.sources["a"].transport.cwd == known


@pytest.mark.parametrize("kind", ["mcp", "command"])
@pytest.mark.parametrize(
    ("cwd", "meant"),
    [("/etc", "/etc"), ("../other", "../other"), ("../..", "../.."), ("inside/../../other", "../other"), ("/", "/")],
)
def test_no_other_folder(root, cwd, meant, kind):
    manifest, told = read(root, with_folder(cwd, kind))
    message = f"The folder `{cwd}` lies neither in the project nor in a folder that `[allow]` names."
    helps = f'Allow it, if programs may start there:\n[allow]\nroots = ["../lent", "{meant}"]'
    assert told == [("E0235", 6, message, helps)]
    assert manifest.sources["a"].transport is None
    (_, told) = read(root, with_folder(cwd, roots=f"'{meant}'"))
    assert told == []


def test_where_a_link_leads_is_told(root):
    other = root.parent / "other"
    ((code, _, message, helps),) = read(root, with_folder("out/deep", roots=""))[1]
    assert code == "E0235"
    assert message.startswith(f"The folder `out/deep` leads to `{other}/deep`, which lies neither in the project nor ")
    assert helps.endswith(f'roots = [".", "{other}/deep"]')


@pytest.mark.parametrize("cwd", ["loop", "loop/x", "in/../loop", "inside\\u0000"])
def test_what_is_no_path(root, cwd):
    told = read(root, with_folder("CWD").replace("'CWD'", f'"{cwd}"'))[1]
    assert [(code, message.endswith("` is no path.")) for code, _, message, _ in told] == [("E0235", True)]
