"""Results of a tool: of calls that are made now, or recorded ones of a file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from compiler.cli.exits import Usage
from compiler.loader.lock_shape import visible

if TYPE_CHECKING:
    from stdlib.plan.plan import Plan
    from stdlib.runtime.result import ToolAnswer

TIMEOUT = 60.0
"""Seconds that one call may take."""
MOST_BYTES = 64_000_000


@dataclass(frozen=True, slots=True)
class Seen:
    """Values as a claim would be held against them. `parse`: what must read the text, where that is not JSON;
    `unread`: kinds of content that no claim reads."""

    values: tuple[Any, ...]
    parse: Literal["text", "jsonl"] | None = None
    unread: tuple[str, ...] = ()


def call(plan: Plan, root: Path, label: str, calls: Sequence[dict[str, Any]]) -> list[ToolAnswer]:
    """The answers of the one tool of the plan, one call after the other.

    Raises `RunFault`; the tool's own refusal, too.
    """
    import anyio

    from compiler.cli import terminal
    from compiler.cli.servers import at_home
    from compiler.cli.tracebacks import tracebacks
    from stdlib.connect.router import Router
    from stdlib.runtime.fault import RunFault
    from stdlib.runtime.result import Reading, read_answer

    ((source, offered),) = plan.sources.items()
    (key,) = offered.tools

    async def every() -> list[ToolAnswer] | RunFault:
        answers = []
        async with Router(at_home(plan, root), root) as tools:
            try:
                for arguments in calls:
                    answer = await tools.call(source, key, arguments, TIMEOUT)
                    read_answer(label, Reading(), answer, plan.limits.result_bytes)
                    answers.append(answer)
            except RunFault as failed:  # what leaves the group would come as a group of faults
                return failed
        return answers

    with tracebacks(), terminal.kept_for_results():  # functions of the project may print
        answers = anyio.run(every)
    if isinstance(answers, RunFault):
        raise answers
    return answers


def recorded(file: str) -> list[ToolAnswer]:
    """The results that a file holds: one as JSON, or one a line where its name ends with `.jsonl`. Each is a whole
    answer of the protocol ({ content, structuredContent }), or its value alone. Raises Usage."""
    from stdlib.values.canonical import JsonError, read_json

    try:
        if Path(file).stat().st_size > MOST_BYTES:
            raise Usage(f"`{file}` has more than {MOST_BYTES // 10**6} MB.")
        text = Path(file).read_bytes().decode()
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise Usage(f"`{file}` cannot be read: {why}.") from None
    lines = [line for line in text.splitlines() if line.strip()] if file.endswith(".jsonl") else [text]
    try:
        return [_answer(read_json(line.removeprefix("\ufeff"))) for line in lines]
    except JsonError as error:
        raise Usage(f"`{file}` holds no results. {error}") from None


def _answer(value: Any) -> ToolAnswer:
    from stdlib.runtime.result import NOTHING, ToolAnswer

    content = value.get("content") if isinstance(value, dict) else None
    if isinstance(content, list) and all(isinstance(each, dict) and "type" in each for each in content):
        structured = value.get("structuredContent")
        return ToolAnswer(tuple(content), NOTHING if structured is None else structured, value.get("isError") is True)
    return ToolAnswer((), value)


def values_of(answers: Sequence[ToolAnswer]) -> Seen:
    """What the answers give, and what in them no claim reads. Raises Usage where there is nothing to read."""
    kinds = sorted({str(block.get("type")) for each in answers for block in each.content} - {"text"})
    return replace(_values(answers), unread=tuple(visible(kind[:40]) for kind in kinds))


def _values(answers: Sequence[ToolAnswer]) -> Seen:
    """What the answers give: their structured content, else their text as JSON, as JSON a line, or as it is. A value
    that stands alone in { "result": … } is that value."""
    from stdlib.plan.plan import ParseRule
    from stdlib.runtime.clean import clean
    from stdlib.runtime.parse import Unreadable, parse_json, parse_text
    from stdlib.runtime.result import NOTHING

    if all(each.structured is not NOTHING for each in answers):
        return Seen(tuple(_unwrapped([clean(each.structured) for each in answers])))
    if any(each.structured is not NOTHING for each in answers):
        raise Usage("some of the results are structured, and some are not.", "Infer from those of one kind.")
    texts = [each.texts for each in answers]
    if not any(texts):
        raise Usage("the results hold neither structured content nor text.", "A chain reads them by `content`.")
    try:
        read = [clean(parse_json(each[0]) if len(each) == 1 else [parse_json(part) for part in each]) for each in texts]
        return Seen(tuple(_unwrapped(read)))
    except Unreadable:
        pass
    whole = ["\n".join(each) for each in texts]
    try:
        rows = [clean(parse_text(ParseRule(mode="jsonl"), each)) for each in whole]
        return Seen(tuple(rows), "jsonl") if any(rows) else Seen(tuple(whole), "text")
    except Unreadable:
        return Seen(tuple(whole), "text")


def _unwrapped(values: list[Any]) -> list[Any]:
    """Records are never unwrapped: the wrapped form would fit a record of optional fields, too."""
    wrapped = all(isinstance(each, dict) and each.keys() == {"result"} for each in values)
    return [each["result"] for each in values] if wrapped and not _has_record(values) else values


def _has_record(values: list[Any]) -> bool:
    return any(isinstance(each["result"], dict) for each in values)
