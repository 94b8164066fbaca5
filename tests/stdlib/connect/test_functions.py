"""Which functions of a module are tools, and what their types give."""

import sys
from pathlib import Path

import pytest

from stdlib.connect.functions import BadModule, Functions, load_functions
from stdlib.connect.python_listing import list_functions
from stdlib.plan.plan import Python


def load(folder: Path, text: str) -> Functions:
    (folder / "m.py").write_text(text)
    return load_functions(Python(file="m.py"), folder)


def test_schemas_come_from_types(tmp_path):
    found = load(
        tmp_path,
        """
from __future__ import annotations
from dataclasses import dataclass
from typing import Annotated, Literal, NotRequired, Optional, TypedDict
from pydantic import BaseModel, Field

class Row(TypedDict):
    name: str
    note: NotRequired[str]
    next: Row | None

@dataclass
class Point:
    x: int
    y: float = 0.0

class Shape(BaseModel):
    points: list[Point]
    kind: Literal["line", "area"]

def draw(shape: Shape, rows: list[Row], scale: Annotated[float, Field(gt=0, description="Times.")] = 1.0,
         schema: Optional[dict[str, int]] = None) -> tuple[Row, ...]:
    '''Draw it.

    With care.'''
    return tuple(rows)

async def nothing() -> None: ...
""",
    )
    assert found.left_out == {}
    draw, nothing = found.tools.values()
    assert (draw.name, draw.description, draw.is_async) == ("draw", "Draw it.\n\nWith care.", False)
    takes = draw.input_schema
    assert takes["required"] == ["shape", "rows"]
    assert takes["additionalProperties"] is False
    assert list(takes["properties"]) == ["shape", "rows", "scale", "schema"]
    assert takes["properties"]["scale"] == {
        "default": 1.0,
        "description": "Times.",
        "exclusiveMinimum": 0,
        "type": "number",
    }
    assert takes["$defs"]["Row"]["required"] == ["name", "next"]
    assert takes["$defs"]["Shape"]["properties"]["kind"] == {"enum": ["line", "area"], "type": "string"}
    assert draw.output_schema["type"] == "array"
    assert (nothing.is_async, nothing.output_schema) == (True, {"type": "null"})
    assert nothing.input_schema == {"additionalProperties": False, "properties": {}, "type": "object"}


def test_only_public_functions_of_the_module_itself_are_tools(tmp_path):
    text = """
from os.path import join
from json import dumps
CONSTANT = 1
class Thing:
    def method(self) -> int: return 1
def _private(x: int) -> int: return x
def public(x: int) -> int: return x
short = lambda x: x
"""
    found = load(tmp_path, text)
    assert (list(found.tools), list(found.left_out)) == (["public"], ["short"])
    found = load(tmp_path, text + "__all__ = ['public', 'join', 'CONSTANT', 'missing']\n")
    assert (list(found.tools), list(found.left_out)) == (["public"], ["join"])


@pytest.mark.parametrize(
    ("function", "why"),
    [
        ("def f(x) -> int: return 1", "Its parameter `x` has no type."),
        ("def f(x: int): return 1", "It does not say what it returns. Write `-> TYPE`."),
        ("def f(*xs: int) -> int: return 1", "It takes `*xs`. Name its parameters."),
        ("def f(**xs: int) -> int: return 1", "It takes `**xs`. Name its parameters."),
        ("def f(x: int, /) -> int: return 1", "Its parameter `x` cannot be passed by name."),
        ("def f() -> int:\n    yield 1", "It gives its values one by one. Return a list, or the pieces"),
        ("def f(x: 'Missing') -> int: return 1", "Its types cannot be read: name 'Missing' is not defined."),
        ("def f(x: object()) -> int: return 1", "Its parameter `x` has the type `object`, which JSON cannot hold."),
        (
            "from typing import Callable\ndef f(y: int, x: Callable[[], int]) -> int: return 1",
            "Its parameter `x` has the type `Callable[[], int]`, which JSON cannot hold.",
        ),
        (
            "class C: pass\ndef f(x: 'list[C] | None') -> int: return 1",
            "Its parameter `x` has the type `list[C] | None`, which JSON cannot hold. Use a dataclass, a `TypedDict`",
        ),
        ("class C: pass\ndef f() -> C: return C()", "What it returns has the type `C`, which JSON cannot hold."),
    ],
)
def test_what_cannot_be_a_tool_is_left_out_and_the_rest_stays(tmp_path, function, why):
    found = load(tmp_path, function + "\ndef good(x: int) -> int: return x\n")
    assert list(found.tools) == ["good"]
    assert found.left_out["f"].startswith(why)


def test_the_folder_of_a_module_is_not_searched_and_nothing_is_left_in_it(tmp_path, monkeypatch):
    (tmp_path / "json.py").write_text("raise RuntimeError('the wrong one')")
    (tmp_path / "beside.py").write_text("")
    found = load(tmp_path, "import json\ndef f() -> str: return json.dumps(1)\n")
    assert list(found.tools) == ["f"]
    assert str(tmp_path) not in sys.path
    with pytest.raises(BadModule, match="line 2: ModuleNotFoundError: No module named 'beside'"):
        load(tmp_path, "\nimport beside\n")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["beside.py", "json.py", "m.py"]


def test_a_module_that_is_installed_is_found_by_its_name():
    found = load_functions(Python(module="textwrap"), Path("."))
    assert found.tools == {}
    assert found.left_out["dedent"] == "Its parameter `text` has no type."
    with pytest.raises(BadModule, match="No module named 'no_such_module'"):
        load_functions(Python(module="no_such_module.x"), Path("."))


def test_a_file_outside_of_the_folder_is_never_run(tmp_path):
    inside = tmp_path / "inside"
    inside.mkdir()
    ran = tmp_path / "ran"
    (tmp_path / "m.py").write_text(f"open({str(ran)!r}, 'w')")
    (inside / "link.py").symlink_to(tmp_path / "m.py")
    for file in ("../m.py", "link.py", str(tmp_path / "m.py")):
        with pytest.raises(BadModule, match="outside"):
            load_functions(Python(file=file), inside)
    assert not ran.exists()
    (inside / "loop.py").symlink_to("loop.py")
    with pytest.raises(BadModule, match="no such file"):
        load_functions(Python(file="loop.py"), inside)


HOSTILE = {
    "syntax": ("def f(:\n", "line 1: invalid syntax"),
    "raises": ("\nraise ValueError('a\\nb')", "line 2: ValueError: a"),
    "base": ("class E(BaseException): pass\nraise E", "line 2: E"),
    "exits": ("import sys\nsys.exit(0)", "line 2: it ends the program"),
    "deep": ("x = " + "(" * 300 + ")" * 300, "line 1: too many nested parentheses"),
    "recursion": ("def f(): f()\nf()", "line 1: RecursionError"),
    "null": ("x = '\0'", "null bytes"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_module_that_fails_is_told_with_its_line(tmp_path, name):
    text, told = HOSTILE[name]
    with pytest.raises(BadModule) as found:
        load(tmp_path, text)
    assert str(found.value).startswith(told) or told in str(found.value)
    assert str(tmp_path) not in str(found.value)


@pytest.mark.anyio
class TestInAProcessOfItsOwn:
    """What the compiler does: the module cannot harm it."""

    async def test_it_may_print_and_leave_threads(self, tmp_path):
        (tmp_path / "m.py").write_text(
            "import os, threading, time\n"
            "print('{}'); os.write(1, b'noise')\n"
            "threading.Thread(target=time.sleep, args=(60,)).start()\n"
            "def f(x: int) -> int:\n    'Does it.'\n    return x\n"
        )
        found = await list_functions(Python(file="m.py"), tmp_path, timeout=20)
        assert [(each["name"], each["description"]) for each in found.tools] == [("f", "Does it.")]

    @pytest.mark.parametrize(
        ("text", "told"),
        [
            ("import os\nos._exit(0)", "it ended the program with exit code 0"),
            ("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)", "it ended the program by SIGKILL"),
            ("import os\nos.kill(os.getpid(), 40)", "it ended the program by signal 40"),
        ],
    )
    async def test_it_may_end(self, tmp_path, text, told):
        (tmp_path / "m.py").write_text(text)
        with pytest.raises(BadModule) as found:
            await list_functions(Python(file="m.py"), tmp_path, timeout=20)
        assert str(found.value) == told

    @pytest.mark.parametrize(
        ("written", "told"),
        [
            ("b'5'", "it wrote something else in place of the list of its functions"),
            ("""b'{"tools": [{}], "left_out": {}, "path": null}'""", "it wrote something else in place of the list of"),
            ("b'[' * 100_000", "the list of its functions cannot be read: the JSON is nested more than 200 levels"),
            ("b'[' * (17 << 20)", "the list of its functions has more than 16 MB"),
        ],
        ids=["number", "nameless", "deep", "large"],
    )
    async def test_it_may_answer_in_our_place(self, tmp_path, written, told):
        answers = "next(n for n in range(3, 20) if os.path.exists(f'/proc/self/fd/{n}'))"
        text = f"import os\nout = os.fdopen({answers}, 'wb')\nout.write({written})\nout.flush()\nos._exit(0)"
        (tmp_path / "m.py").write_text(text)
        with pytest.raises(BadModule) as found:
            await list_functions(Python(file="m.py"), tmp_path, timeout=20)
        assert str(found.value).startswith(told)

    async def test_its_texts_are_clean(self, tmp_path):
        (tmp_path / "m.py").write_text('def f(x: int) -> int:\n    return x\nf.__doc__ = "Half \\ud800."\n')
        (tool,) = (await list_functions(Python(file="m.py"), tmp_path, timeout=20)).tools
        assert tool["description"] == "Half \ufffd."

    async def test_it_may_hang(self, tmp_path):
        (tmp_path / "m.py").write_text("while True: pass")
        with pytest.raises(TimeoutError):
            await list_functions(Python(file="m.py"), tmp_path, timeout=2)

    async def test_a_file_beside_it_hides_no_module(self, tmp_path):
        (tmp_path / "m.py").write_text("def f() -> int: return 1")
        for name in ("json", "importlib", "stdlib"):
            (tmp_path / f"{name}.py").write_text("raise RuntimeError('the wrong one')")
        assert len((await list_functions(Python(file="m.py"), tmp_path, timeout=20)).tools) == 1
