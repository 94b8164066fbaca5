"""Results of primitive tools: what a server answered → the value that the workflow's types promise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from ..plan.plan import ParseRule
from ..values.canonical import clean_text
from ..values.plain import unhidden
from .clean import clean, json_bytes
from .fault import RunFault, bounded, fault
from .parse import Unreadable, is_slow, parse_json, parse_text
from .schema import Mismatch, Shape

if TYPE_CHECKING:
    from .store.handles import Handle

LARGE: Final = 1 << 16
"""From so many characters on, what is read or checked would keep everybody else waiting: it goes into a thread."""

_NODE: Final = 10
"""What a number, a record or a list weighs beside texts."""

NOTHING: Final = object()
"""`structured` of an answer without structured content; null would be content."""


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """What a tool answered: content blocks as JSON, structured content (or `NOTHING`), and whether it is an error.

    `plain`: the structured content is the very value that the step gives; only its type is checked. `kept`: the whole
    answer went into the store as it came.
    """

    content: tuple[dict[str, Any], ...] = ()
    structured: Any = NOTHING
    is_error: bool = False
    plain: bool = False
    kept: Handle | None = None

    @property
    def texts(self) -> list[str]:
        return [clean_text(str(block.get("text", ""))) for block in self.content if block.get("type") == "text"]


@dataclass(frozen=True, slots=True)
class Reading:
    """How results of one tool are read: `shape` is the claim or the output schema, None for { text, content }."""

    shape: Shape | None = None
    parse: ParseRule | None = None


def read_answer(name: str, reading: Reading, answer: ToolAnswer, limit: int) -> Any:
    """The value of an answer of the tool `name` (as messages call it). `limit`: most bytes of the answer as JSON.

    A parse rule reads the text. Without one, structured content counts; where there is none, a single text as JSON
    (several texts: a list of them). A value that stands alone in { "result": … } is unwrapped where only that fits.

    Raises `RunFault`: `tool_error`, `result_too_large`, `shape_mismatch`.
    """
    return read_sized(name, reading, answer, limit)[0]


def read_sized(name: str, reading: Reading, answer: ToolAnswer, limit: int) -> tuple[Any, int]:
    """The value of an answer, as `read_answer` gives it, and the bytes of the answer."""
    if answer.is_error:
        said = unhidden(bounded("\n".join(answer.texts).strip())) or "no reason given"
        raise fault("tool_error", f"{name} failed: {said}")
    size = _checked_size(name, answer, limit)
    return _value(name, reading, answer), size


def reads_slowly(reading: Reading, answer: ToolAnswer) -> bool:
    """Whether `read_sized` may block for longer, so that it belongs into a thread of its own."""
    if _is_large([answer.content, None if answer.structured is NOTHING else answer.structured]):
        return True
    return reading.parse is not None and is_slow(reading.parse, "\n".join(answer.texts))


def _is_large(value: Any) -> bool:
    """Whether the value has roughly `LARGE` characters as JSON; no more of it is looked at than that takes."""
    room, todo = LARGE, [iter((value,))]
    while todo:
        each = next(todo[-1], NOTHING)
        if each is NOTHING:
            todo.pop()
            continue
        room -= len(each) if isinstance(each, str) else _NODE
        if room < 0:
            return True
        if isinstance(each, dict):
            todo.append(iter(each.values()))
        elif isinstance(each, list | tuple):
            todo.append(iter(each))
    return False


def _value(name: str, reading: Reading, answer: ToolAnswer) -> Any:
    if answer.plain:
        return _fitting(name, reading.shape, [clean(answer.structured)])
    if reading.parse is not None:
        try:
            value = parse_text(reading.parse, "\n".join(answer.texts))
        except Unreadable as found:
            raise _unreadable(name, found) from None
        return _fitting(name, reading.shape, [value])
    if reading.shape is None:
        return {"text": "\n".join(answer.texts), "content": [clean(block) for block in answer.content]}
    if answer.structured is not NOTHING:
        return _fitting(name, reading.shape, _unwrappings(clean(answer.structured)))
    return _fitting(name, reading.shape, _readings_of_texts(answer.texts))


def _unreadable(name: str, found: Unreadable) -> RunFault:
    return fault(found.fault_class, f"{name} {found.problem}.")


def _checked_size(name: str, answer: ToolAnswer, limit: int) -> int:
    size = sum(len(text.encode()) for text in answer.texts)
    if answer.structured is not NOTHING:
        try:
            size = max(size, json_bytes(answer.structured))
        except (ValueError, RecursionError):
            raise fault("shape_mismatch", f"{name} answered a value that is no JSON.") from None
    if size > limit:
        advice = "Ask the tool for less: a filter, a shorter range, a page."
        raise fault("result_too_large", f"{name} answered {size} bytes; at most {limit} are taken.", next=advice)
    return size


def _unwrappings(value: Any) -> list[Any]:
    wrapped = isinstance(value, dict) and value.keys() == {"result"}
    return [value, value["result"]] if wrapped else [value]


def _readings_of_texts(texts: list[str]) -> list[Any]:
    """What texts without structured content may mean, the likeliest first; the last is the text itself."""
    if not texts:
        return [Unreadable("answered neither structured content nor text")]
    readings: list[Any] = []
    try:
        if len(texts) == 1:
            readings += _unwrappings(clean(parse_json(texts[0])))
        else:
            readings.append([clean(parse_json(text, f"text block {n}")) for n, text in enumerate(texts, start=1)])
    except Unreadable as found:
        readings.append(found)
    return [*readings, "\n".join(texts)]


def _fitting(name: str, shape: Shape | None, readings: list[Any]) -> Any:
    """The first reading that fits. Where none does, what is wrong with the first one is reported."""
    if shape is None:
        return readings[0]
    problem: Unreadable | Mismatch | None = None
    for value in readings:
        found = value if isinstance(value, Unreadable) else shape.mismatch(value)
        if found is None:
            return shape.settled(value)
        problem = problem or found
    if isinstance(problem, Unreadable):
        raise _unreadable(name, problem)
    assert problem is not None, "there is at least one reading"
    sentence = problem.sentence("the whole of it")
    raise fault("shape_mismatch", f"The result of {name} has another form: {sentence}", details={"path": problem.path})
