"""The generated package: its names, and that it builds and runs without anything of ours installed."""

import ast
import os
import re
import subprocess
import sys
import tomllib
import zipfile
from contextlib import suppress
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, packages_distributions, requires
from pathlib import Path

import pytest

from compiler.emit import emit
from compiler.emit.server import (
    DEPENDENCIES,
    distribution_name,
    distribution_version,
    emit_server,
    module_name,
    runtime_files,
)
from dsl.diagnostics import Sink
from tests.compiler.emit.sample import sample

ROOT = Path(__file__).resolve().parents[3]


def files(name: str = "sample-tools") -> dict[str, str]:
    bundle = sample()
    named = replace(bundle, plan=bundle.plan.model_copy(update={"name": name}))
    return {each.path: each.text for each in emit_server(named, Sink())}


@pytest.mark.parametrize(
    ("name", "module", "distribution"),
    [
        ("acme-support", "acme_support", "acme-support"),
        ("Acme.Support", "acme_support", "Acme.Support"),
        ("3d tools", "tools_3d_tools", "3d-tools"),
        ("mcp", "mcp_server", "mcp-server"),
        ("Typing_Extensions", "typing_extensions_server", "Typing_Extensions-server"),
        ("click", "click_server", "click-server"),
        ("jwt", "jwt_server", "jwt"),
        ("json", "json_server", "json"),
        ("class", "class_server", "class"),
        ("Über", "ber", "ber"),
        ("日本", "tools", "tools"),
    ],
)
def test_names_of_the_package(name: str, module: str, distribution: str):
    assert (module_name(name), distribution_name(name)) == (module, distribution)
    assert f"server/{module}/__main__.py" in files(name)
    assert tomllib.loads(files(name)["server/pyproject.toml"])["project"]["name"] == distribution


@pytest.mark.parametrize(
    ("version", "written"),
    [
        ("1.4.0", "1.4.0"),
        ("1.4.0-beta.2", "1.4.0b2"),
        ("1.4.0-rc1", "1.4.0rc1"),
        ("1.4.0-alpha", "1.4.0a0"),
        ("1.4.0-next_try", "1.4.0+next.try"),
    ],
)
def test_versions_are_those_that_an_index_takes(version: str, written: str):
    assert distribution_version(version) == written


def test_what_it_needs_is_what_we_need():
    ours = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]
    assert set(DEPENDENCIES) <= set(ours)
    assert tomllib.loads(files()["server/pyproject.toml"])["project"]["dependencies"] == list(DEPENDENCIES)


def test_no_name_is_that_of_a_package_which_it_needs():
    """Whatever the dependencies bring along today, a project may be called so."""
    names, left = set[str](), [re.split(r"[^\w.-]", each)[0] for each in DEPENDENCIES]
    while left:
        name = left.pop()
        if name not in names:
            names.add(name)
            with suppress(PackageNotFoundError):  # of another system
                needed = [each for each in requires(name) or () if "extra ==" not in each]
                left += [re.split(r"[^\w.-]", each)[0] for each in needed]
    assert len(names) > 10
    assert [name for name in names if distribution_name(name) == name and "jsfetch" not in name] == []
    modules = {module for module, owners in packages_distributions().items() if {*owners} & names}
    assert [module for module in modules if module_name(module) == module] == []


def test_the_runtime_is_whole_and_refers_to_itself_alone():
    vendored = dict(runtime_files())
    present = {
        path.relative_to(ROOT / "stdlib").as_posix()
        for path in (ROOT / "stdlib").rglob("*")
        if path.is_file() and path.suffix != ".md" and not {"__pycache__", "schemas", "examples"} & set(path.parts)
    }
    assert set(vendored) == present
    for path, text in vendored.items():
        for node in ast.walk(ast.parse(text)) if path.endswith(".py") else ():
            names = [each.name for each in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and not node.level:
                names = [node.module or ""]
            assert not {name.split(".")[0] for name in names} & {"stdlib", "dsl", "compiler"}, path


def test_the_page_names_programs_and_variables():
    page = files()["server/README.md"]
    assert "`mcp-server-git`" in page
    assert "`GIT_TOKEN`, `SEARCH_AUTH`" in page
    for block in re.findall(r"```json\n(.*?)```", page, re.DOTALL):
        assert "sample-tools" in block
        ast.literal_eval(block)


def build(folder: Path, out: Path) -> Path:
    """The wheel of a package, by its build backend as any installer calls it (PEP 517), without network."""
    out.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-c", "import sys; from flit_core.buildapi import build_wheel; build_wheel(sys.argv[1])"]
    environment = {**os.environ, "SOURCE_DATE_EPOCH": "1767225600"}
    subprocess.run([*command, str(out)], cwd=folder, env=environment, check=True, timeout=120)
    (wheel,) = out.glob("*.whl")
    return wheel


ALONE = """
import importlib.abc, runpy, sys

class Refuse(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("dsl", "compiler", "stdlib"):
            raise AssertionError(f"the package imports {name}")

sys.meta_path.insert(0, Refuse())
sys.path.insert(0, sys.argv.pop(1))
sys.argv = ["sample-tools", "--help"]
try:
    runpy.run_module("sample_tools", run_name="__main__", alter_sys=True)
finally:
    heavy = {"lark", "networkx", "jinja2", "typer", "dsl", "compiler", "stdlib"} & set(sys.modules)
    assert not heavy, heavy
"""


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The same bundle, written and built twice in different places."""
    made = []
    for name in ("one", "two"):
        folder = tmp_path_factory.mktemp(name)
        for each in emit(sample(), Sink()):
            path = folder / each.path
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(each.text.encode())
        made.append(build(folder / "server", folder / "wheels"))
    return made


def test_wheels_are_the_same_bytes_wherever_they_are_built(wheels: list[Path]):
    one, two = wheels
    assert one.name == two.name == "sample_tools-1.2.3-py3-none-any.whl"
    assert one.read_bytes() == two.read_bytes()


def test_the_wheel_holds_what_the_server_needs(wheels: list[Path]):
    names = set(zipfile.ZipFile(wheels[0]).namelist())
    inside = {path.removeprefix("server/") for path in files() if path.startswith("server/sample_tools/")}
    assert inside <= names
    metadata = zipfile.ZipFile(wheels[0]).read("sample_tools-1.2.3.dist-info/METADATA").decode()
    required = re.findall(r"^Requires-Dist: ([\w-]+)[^;\n]*(;.*)?$", metadata, re.MULTILINE)
    assert [name for name, condition in required if not condition] == ["jsonschema", "mcp", "pydantic"]
    assert [name for name, condition in required if re.search(r"extra *== *.otel", condition)] == [
        "opentelemetry-exporter-otlp-proto-http",
        "opentelemetry-sdk",
    ]
    entry_points = zipfile.ZipFile(wheels[0]).read("sample_tools-1.2.3.dist-info/entry_points.txt").decode()
    assert "sample-tools=sample_tools.__main__:main" in entry_points.replace(" ", "")


def test_the_package_starts_without_anything_of_ours(wheels: list[Path], tmp_path: Path):
    with zipfile.ZipFile(wheels[0]) as archive:
        archive.extractall(tmp_path / "content")
    command = [sys.executable, "-I", "-c", ALONE, str(tmp_path / "content")]
    run = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    assert "--profile" in run.stdout
