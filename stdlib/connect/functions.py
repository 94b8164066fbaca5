"""The public functions of a Python module as tools: their types give the schemas, their docstrings the descriptions."""

from __future__ import annotations

import importlib
import importlib.machinery
import importlib.util
import inspect
import os
import sys
import traceback
import typing
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any, Final

from ..plan.digest import tool_digest
from ..plan.model import JsonSchema
from ..plan.plan import Python
from ..values.digest import digest
from .pieces import piece_type, whole_schema
from .raised import text_of
from .typed_dicts import readable

if TYPE_CHECKING:
    from pydantic import BaseModel, TypeAdapter
    from pydantic.json_schema import GenerateJsonSchema, JsonSchemaMode

_NO_TYPE: Final = inspect.Parameter.empty
_MANY: Final = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}


class BadModule(Exception):
    """The module cannot be loaded. `problem` is a sentence without its end; `line` is one of its file."""

    def __init__(self, problem: str, line: int | None = None) -> None:
        super().__init__(problem)
        self.problem, self.line = problem, line

    def __str__(self) -> str:
        return self.problem if self.line is None else f"line {self.line}: {self.problem}"


@dataclass(frozen=True, slots=True)
class Function:
    """A function and how it is called: `arguments` reads JSON into its parameters (a field's alias is the name of one),
    `result` writes what it returns. `output_schema` is that of the value itself. `piece`: it comes in such pieces."""

    name: str
    description: str
    input_schema: JsonSchema
    output_schema: JsonSchema
    target: Callable[..., Any]
    is_async: bool
    arguments: type[BaseModel]
    result: TypeAdapter[Any]
    piece: type[bytes] | type[str] | None = None

    @property
    def digest(self) -> str:
        return tool_digest(self.name, self.input_schema, self.output_schema)


@dataclass(frozen=True, slots=True)
class Functions:
    """The tools of a module by name, in its order; `left_out`: public functions that are none, and why. `path`: where
    the module was found; None where it is no file."""

    tools: Mapping[str, Function]
    left_out: Mapping[str, str]
    path: str | None = None


def load_functions(source: Python, home: Path) -> Functions:
    """Runs the module and describes its functions. Raises BadModule, whatever the module does short of ending the
    process."""
    try:
        return read_functions(_loaded(source, home))
    except BadModule:
        raise
    except SyntaxError as error:
        raise BadModule(f"{error.msg}", error.lineno) from None
    except BaseException as error:
        if issubclass(type(error), SystemExit):  # not `isinstance`: it asks the exception
            raise BadModule("it ends the program", _line(error, source, home)) from None
        text, name = text_of(error), type(error).__name__
        raise BadModule(f"{name}: {text}"[:300] if text else name, _line(error, source, home)) from error


def file_of(source: Python, home: Path) -> Path:
    """The path of a source's file. Raises BadModule where it leads out of `home`, by itself or through a link."""
    path = home / (source.file or "")
    if not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(home)):
        raise BadModule("it lies outside of the folder of sources")
    return path


def _loaded(source: Python, home: Path) -> ModuleType:
    if source.file is None:
        return importlib.import_module(source.module or "")
    path = file_of(source, home)
    if not path.is_file():
        raise BadModule("there is no such file")
    # A name of ours: the module hides no other one, and its folder is not searched for imports.
    name = f"chainc_source_{digest({'file': source.file})[:16]}"
    spec = importlib.util.spec_from_file_location(name, path, loader=_Loader(name, str(path)))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # classes look their own module up by name
    try:
        spec.loader.exec_module(module)
    except BaseException:
        sys.modules.pop(name, None)
        raise
    return module


class _Loader(importlib.machinery.SourceFileLoader):
    """Leaves nothing in the user's folder."""

    def set_data(self, path: str, data: Any, *, _mode: int = 0o666) -> None:
        return


def _line(error: BaseException, source: Python, home: Path) -> int | None:
    """The last line of the module's own file that was reached."""
    if source.file is None:
        return None
    own = str(home / source.file)
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == own]
    return lines[-1] if lines else None


def read_functions(module: ModuleType) -> Functions:
    """The functions that a module defines under a name without leading `_`, or those that its `__all__` names."""
    given = getattr(module, "__all__", None)
    named = isinstance(given, list | tuple)
    tools: dict[str, Function] = {}
    left_out: dict[str, str] = {}
    for name in given if named and given is not None else vars(module):
        value = getattr(module, str(name), None)
        if not isinstance(value, FunctionType) or str(name).startswith("_"):
            continue
        if not named and value.__module__ != module.__name__:
            continue  # it was imported
        made = _described(str(name), value)
        if isinstance(made, str):
            left_out[str(name)] = made
        else:
            tools[str(name)] = made
    return Functions(tools, left_out, getattr(module, "__file__", None))


def _described(name: str, function: FunctionType) -> Function | str:
    """The function as a tool, or why it is none, as a sentence."""
    from pydantic import TypeAdapter
    from pydantic.errors import PydanticUserError

    try:
        hints = {key: readable(hint) for key, hint in typing.get_type_hints(function, include_extras=True).items()}
        signature = inspect.signature(function)
    except Exception as error:
        return f"Its types cannot be read: {_first_line(error)}."
    for parameter in signature.parameters.values():
        if parameter.kind in _MANY:
            return f"It takes `{_MANY[parameter.kind]}{parameter.name}`. Name its parameters."
        if parameter.kind is inspect.Parameter.POSITIONAL_ONLY:
            return f"Its parameter `{parameter.name}` cannot be passed by name."
        if parameter.name not in hints:
            return f"Its parameter `{parameter.name}` has no type."
    if "return" not in hints:
        return "It does not say what it returns. Write `-> TYPE`."
    piece = piece_type(hints["return"])
    if piece is None and (inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function)):
        return "It gives its values one by one. Return a list, or the pieces of a body: `-> Iterator[bytes]`, or `str`."
    schemas = _schemas()
    try:
        arguments = _arguments(name, signature, hints)
        takes = arguments.model_json_schema(by_alias=True, schema_generator=schemas)
        whole: Any = hints["return"] if piece is None else piece
        result: TypeAdapter[Any] = TypeAdapter(whole)
        gives = result.json_schema(mode="serialization", schema_generator=schemas)
        gives = gives if piece is None else whole_schema(piece)
    except (PydanticUserError, TypeError, ValueError, RecursionError) as error:
        return _unwritten(function, hints, schemas) or f"Its types cannot be written as JSON: {_first_line(error)}."
    takes.pop("title", None)
    return Function(
        name=name,
        description=inspect.getdoc(function) or "",
        input_schema=takes,
        output_schema=gives,
        target=function,
        is_async=inspect.iscoroutinefunction(function),
        arguments=arguments,
        result=result,
        piece=piece,
    )


def _arguments(name: str, signature: inspect.Signature, hints: Mapping[str, Any]) -> type[BaseModel]:
    """The parameters as a model. Its fields have names of ours, so that no parameter's name can be in the way."""
    from pydantic import ConfigDict, Field, create_model

    fields: dict[str, Any] = {}
    for number, parameter in enumerate(signature.parameters.values()):
        default = ... if parameter.default is _NO_TYPE else parameter.default
        fields[f"field_{number}"] = (hints[parameter.name], Field(default, alias=parameter.name))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made: type[BaseModel] = create_model(name, __config__=ConfigDict(extra="forbid"), **fields)
    return made


def _schemas() -> type[GenerateJsonSchema]:
    """Schemas without the titles that would be made from names, and without a word about defaults that are no JSON."""
    from pydantic.json_schema import GenerateJsonSchema, JsonSchemaWarningKind

    class Schemas(GenerateJsonSchema):
        ignored_warning_kinds: set[JsonSchemaWarningKind] = {"skipped-choice", "non-serializable-default"}

        def field_title_should_be_set(self, schema: Any) -> bool:
            return False

    return Schemas


def _unwritten(function: FunctionType, hints: Mapping[str, Any], schemas: type[GenerateJsonSchema]) -> str:
    """Which of the types is none of JSON, as a sentence; nothing where each by itself is one."""
    from pydantic import TypeAdapter

    for name, hint in hints.items():
        if name == "return" and piece_type(hint) is not None:
            continue
        try:
            mode: JsonSchemaMode = "serialization" if name == "return" else "validation"
            TypeAdapter(hint).json_schema(mode=mode, schema_generator=schemas)
        except Exception:
            what = "What it returns" if name == "return" else f"Its parameter `{name}`"
            known = "a dataclass, a `TypedDict` or a model of pydantic"
            return f"{what} has the type `{_author_name(hint, function)}`, which JSON cannot hold. Use {known}."
    return ""


def _author_name(hint: Any, function: FunctionType) -> str:
    """A type as the author wrote it, as far as that is known."""
    name = hint.__name__ if isinstance(hint, type) and not typing.get_args(hint) else str(hint)
    if " at 0x" in name:  # a value that is no type
        name = type(hint).__name__
    return name.replace(f"{function.__module__}.", "").replace("typing.", "")[:100]


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0].strip().rstrip(".")[:300]
