"""The rules that hold the source tree together, as data and as functions over a root folder.

`findings(root)` gives every breach; `test_architecture.py` demands that the project has none and that each kind of
breach, planted in an empty tree, is found.
"""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

PACKAGES = ("dsl", "compiler", "stdlib")
LINE_CAP = 400
# File -> its number of lines. An entry may only shrink, and goes when the file is back under the cap.
LONG_FILES: dict[str, int] = {}
VAGUE_NAMES = frozenset({"util", "utils", "helper", "helpers", "common", "manager", "managers"})
# The only file that may say where the corpus of real tool schemas lies.
CORPUS_FINDER = "tests/corpus.py"


@dataclass(frozen=True, slots=True)
class Room:
    """What the modules at or below `name` may import: each other, `ours` and all below those, the packages `third`."""

    name: str
    ours: tuple[str, ...] = ()
    third: tuple[str, ...] = ()


_VALUES = "stdlib.values"  # the leaf that everyone but the language shares
_MEANING = ("dsl", _VALUES, "stdlib.functions", "compiler.project", "compiler.program")
_FRONT = ("compiler.loader", "compiler.types", "compiler.names", "compiler.graph", "compiler.check")
_BUNDLE = ("dsl.diagnostics", _VALUES, "stdlib.plan")
_PYDANTIC = ("pydantic", "typing_extensions")  # which brings the other one
_MCP = ("mcp", "mcp_types", "anyio")  # the protocol's types are a package of their own; its streams are anyio's

# The longest name that fits a module decides. A module without a row is a breach: the table stays complete.
ROOMS = (
    Room("dsl", third=("lark",)),
    Room("stdlib"),
    Room("stdlib.values"),
    Room("stdlib.functions", (_VALUES,)),
    Room("stdlib.plan", (_VALUES,), ("pydantic", "typing_extensions")),
    Room("stdlib.runtime", (_VALUES, "stdlib.functions", "stdlib.plan"), ("pydantic", "jsonschema", "anyio")),
    Room("stdlib.tools", (_VALUES,)),
    Room("stdlib.connect", (_VALUES, "stdlib.plan", "stdlib.runtime", "stdlib.tools"), (*_MCP, "httpx2", *_PYDANTIC)),
    Room("stdlib.serve", ("stdlib",), (*_MCP, "pydantic", "jsonschema", "starlette", "uvicorn", "opentelemetry")),
    Room("compiler"),
    # What the stages hand on: files and locked tools, then the checked program.
    Room("compiler.project", ("dsl", _VALUES)),
    Room("compiler.program", ("dsl", _VALUES, "compiler.project")),
    # Stages in their order: each may look back, none ahead. The manifest and the lock are pydantic models.
    Room("compiler.loader", _MEANING, ("pydantic",)),
    # Where requests may go is said by a document, which the loader reads as the sources do.
    Room("compiler.loader.document", (_VALUES,), ("yaml",)),
    Room("compiler.types", (*_MEANING, "compiler.loader")),
    Room("compiler.names", (*_MEANING, "compiler.loader", "compiler.types")),
    # The graph needs names and effects; types are worked out in its order.
    Room("compiler.graph", (*_MEANING, "compiler.loader", "compiler.types", "compiler.names")),
    Room("compiler.check", (*_MEANING, "compiler.loader", "compiler.types", "compiler.names", "compiler.graph")),
    Room("compiler.lower", (*_MEANING, *_FRONT, "stdlib.plan")),
    Room("compiler.passes", ("dsl", _VALUES, "stdlib.functions", "stdlib.plan")),
    Room("compiler.lint", (*_MEANING, *_FRONT)),
    # Beside the stages: these see sources or bundles, never the tree or the checker.
    Room(
        "compiler.sources",
        # A server that cannot be asked is a fault of the runtime, which says why.
        (*_BUNDLE, "stdlib.connect", "stdlib.runtime.fault", "compiler.project", "compiler.types", "compiler.loader"),
        ("pydantic", "yaml"),
    ),
    Room("compiler.emit", (*_BUNDLE, "compiler.project"), ("jinja2", "jsonschema")),
    Room("compiler.contract", _BUNDLE, ("jsonschema",)),
    Room("compiler.writer", ("dsl.diagnostics", "compiler.emit")),
    Room("compiler.driver", ("dsl", "stdlib", "compiler")),
    Room("compiler.cli", ("dsl", "stdlib", "compiler"), ("anyio", "rich")),
)

# Rows for `__init__.py` alone: what lies below needs a row of its own.
BARE = ("stdlib", "compiler")

# Slow to import, so the compiler loads them in the function that needs them: `chainc check` must not wait for them.
LAZY_IN_COMPILER = frozenset({"mcp", "mcp_types", "jinja2"})


@dataclass(frozen=True, slots=True)
class Finding:
    """One breach: which rule, where (path below the root, line or 0 for the whole file), and what."""

    rule: str
    path: str
    line: int
    what: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.what} [{self.rule}]"


def findings(root: Path) -> list[Finding]:
    """Every breach below `root`, in the order of files."""
    found: list[Finding] = []
    for path in project_files(root):
        found += check_name(path)
        try:
            text = (root / path).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        found += check_text(path, text)
        if path.split("/")[0] in PACKAGES:
            found += check_length(path, text)
            if path.endswith(".py"):
                found += check_imports(root, path, text)
    return sorted(found, key=lambda each: (each.path, each.line, each.rule, each.what))


def project_files(root: Path) -> list[str]:
    """The files that are or would be committed, as posix paths below `root`; without git all visible ones."""
    if (root / ".git").exists():
        command = ["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        listed = subprocess.run(command, capture_output=True, text=True, check=False)
        if listed.returncode == 0:
            return sorted({path for path in listed.stdout.split("\0") if path and (root / path).is_file()})
    below = (path.relative_to(root) for path in root.rglob("*") if path.is_file())
    return sorted(
        path.as_posix()
        for path in below
        if not any(part.startswith(".") or part == "__pycache__" for part in path.parts)
    )


def check_name(path: str) -> Iterator[Finding]:
    """Python files and packages are named with the words of the field, never with words that fit everything."""
    if not path.endswith(".py"):
        return
    for part in path.removesuffix(".py").split("/"):
        if VAGUE_NAMES & set(part.lower().split("_")):
            yield Finding("name", path, 0, f"`{part}` says nothing about its job")


def check_length(path: str, text: str) -> Iterator[Finding]:
    """Source files stay under the cap; a listed exception may only shrink. Built data is not source."""
    if path.endswith(".json"):
        return
    lines = len(text.splitlines())
    allowed = LONG_FILES.get(path)
    if allowed is None and lines > LINE_CAP:
        yield Finding("length", path, 0, f"{lines} lines, the cap is {LINE_CAP}: split it by what it does")
    elif allowed is not None and lines > allowed:
        yield Finding("length", path, 0, f"{lines} lines, {allowed} are allowed: an exception only shrinks")
    elif allowed is not None and (lines < allowed or lines <= LINE_CAP):
        yield Finding("length", path, 0, f"{lines} lines now: lower its number, or drop the exception at {LINE_CAP}")


# Written in pieces, so that this file does not break the rules that it states.
_INDEX_HOSTS = "|".join(re.escape(host) for host in ("pypi" + ".org", "python" + "hosted.org", "npm" + "js.org"))
_TEXT_RULES = (
    ("unfinished", re.compile(r"\b(" + "TO" + r"DO|FIX" + r"ME|XX" + r"X)\b"), "finish it, or say why it is as it is"),
    ("host", re.compile(rf"\b({_INDEX_HOSTS})\b|--(extra-)?index-url\b|--find-" + r"links\b"), "names a package index"),
    (
        "place",
        re.compile(r"(?<![\w.>}*-])/(wo" + r"rk|ro" + r"ot|ho" + r"me/\w+|Us" + r"ers/\w+)/"),
        "a path of one machine",
    ),
    ("corpus", re.compile(r"\.\./shar" + "ed"), f"only {CORPUS_FINDER} knows where the corpus is"),
)


def check_text(path: str, text: str) -> Iterator[Finding]:
    """No unfinished business, no package index, no path of somebody's machine, no URL in the lock."""
    for number, line in enumerate(text.splitlines(), start=1):
        for rule, pattern, why in _TEXT_RULES:
            found = pattern.search(line)
            if found and not (rule == "corpus" and path == CORPUS_FINDER):
                yield Finding(rule, path, number, f"`{found[0]}`: {why}")
        if path == "requirements.lock" and "://" in line:
            yield Finding("host", path, number, "the lock names no URL")
        if path.split("/")[0] in PACKAGES and path.endswith(".py") and "NotImplemented" + "Error" in line:
            yield Finding("unfinished", path, number, "code that is not there yet")


@dataclass(frozen=True, slots=True)
class Import:
    """An imported module by its full name; `relative` as written, `lazy` when no module-level code runs it."""

    module: str
    line: int
    relative: bool
    lazy: bool


def check_imports(root: Path, path: str, text: str) -> Iterator[Finding]:
    """The table of rooms, how each package writes its imports, and which libraries the compiler imports late."""
    module = module_of(path)
    try:
        tree = ast.parse(text)
    except SyntaxError as error:
        yield Finding("syntax", path, error.lineno or 0, "cannot be parsed")
        return
    room = room_of(module)
    if room is None:
        yield Finding("import", path, 0, f"{module} has no row in the table of rooms")
        return
    package = module.split(".")[0]
    for each in imports_of(root, path, tree):
        top = each.module.split(".")[0]
        if top in PACKAGES:
            if not within(each.module, room.ours if room.name in BARE else (room.name, *room.ours)):
                yield Finding("import", path, each.line, f"{room.name} may not import {each.module}")
            if package == "stdlib" and top == "stdlib" and not each.relative:
                yield Finding("style", path, each.line, f"inside stdlib imports are relative: {each.module}")
            if package != "stdlib" and each.relative:
                yield Finding("style", path, each.line, f"imports are absolute here: {each.module}")
        elif top not in sys.stdlib_module_names:
            if top not in room.third:
                yield Finding("import", path, each.line, f"{room.name} may not import {top}")
            if package == "compiler" and top in LAZY_IN_COMPILER and not each.lazy:
                yield Finding("lazy", path, each.line, f"{top} is slow: import it in the function that needs it")


def module_of(path: str) -> str:
    """`stdlib/plan/__init__.py` -> `stdlib.plan`, `dsl/source.py` -> `dsl.source`."""
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def room_of(module: str) -> Room | None:
    """The row with the longest name that fits."""
    fitting = [room for room in ROOMS if within(module, (room.name,))]
    room = max(fitting, key=lambda each: len(each.name), default=None)
    return None if room is not None and room.name in BARE and module != room.name else room


def within(module: str, names: tuple[str, ...]) -> bool:
    """Whether a module is one of the names or lies below one."""
    return any(module == name or module.startswith(name + ".") for name in names)


def imports_of(root: Path, path: str, tree: ast.Module) -> Iterator[Import]:
    """All imports of a file: at any depth, for type checking only, and by name through importlib."""
    package = module_of(path) if path.endswith("/__init__.py") else module_of(path).rpartition(".")[0]
    pending: list[tuple[ast.AST, bool]] = [(tree, False)]
    while pending:
        node, lazy = pending.pop()
        if isinstance(node, ast.Import):
            for name in node.names:
                yield Import(name.name, node.lineno, False, lazy)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parts = package.split(".")
                above = parts[: len(parts) - node.level + 1]
                base = ".".join([*above, *([base] if base else [])]) if above else "outside every package"
            for name in node.names:
                inner = f"{base}.{name.name}"
                yield Import(inner if is_module(root, inner) else base, node.lineno, node.level > 0, lazy)
        elif isinstance(node, ast.Call) and _callee(node.func) in ("import_module", "__import__") and node.args:
            argument = node.args[0]
            if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                target = argument.value
                yield Import(target.lstrip(".") or package, node.lineno, target.startswith("."), lazy)
        late = lazy or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        if isinstance(node, ast.If) and _callee(node.test) == "TYPE_CHECKING":
            pending += [(child, True) for child in node.body] + [(child, lazy) for child in node.orelse]
        else:
            pending += [(child, late) for child in ast.iter_child_nodes(node)]


def is_module(root: Path, module: str) -> bool:
    """Whether a dotted name is a file or folder of ours, and not a thing inside a module."""
    place = root.joinpath(*module.split("."))
    return place.is_dir() or place.with_name(place.name + ".py").is_file()


def _callee(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
