"""What changed in a tool, in the words of its contract."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from compiler.loader.lock import hinted_effects
from compiler.loader.lock_shape import visible
from compiler.project import Annotations
from compiler.sources.limits import changed_limits
from compiler.sources.remarks import MOST_TOLD, changed_remarks
from compiler.types.from_schema import BadSchema, from_schema, parameters
from stdlib.values.digest import digest
from stdlib.values.plain import without_remarks
from stdlib.values.reworded import reworded
from stdlib.values.show import show
from stdlib.values.types import Field, Record


def changes(old: dict[str, Any], new: dict[str, Any]) -> tuple[str, ...]:
    """Ends of sentences that begin with the tool: "lost `number`", "requires `repo` now". Empty where all is equal."""
    if digest(old) == digest(new):
        return ()
    words = [
        *_schema("", old["inputSchema"], new["inputSchema"]),
        *_result(old.get("outputSchema"), new.get("outputSchema")),
        *_effects(hinted_effects(old.get("annotations")), hinted_effects(new.get("annotations"))),
    ]
    if old.get("description") != new.get("description"):
        words.append(_described(old.get("description") or "", new.get("description") or ""))
    return tuple(words) or ("differs in what no chain sees",)


def changed_tools(before: dict[str, Any], after: dict[str, Any]) -> tuple[str, ...]:
    """What changed in the tools that two plans call, as sentences without an end."""
    told = []
    for name, source in after["sources"].items():
        old = before["sources"].get(name, {}).get("tools", {})
        for key, tool in source["tools"].items():
            if key in old and (words := changes(_offered(old[key]), _offered(tool))):
                told.append(f"`{visible(name)}.{visible(tool['name'])}` {'; '.join(words)}")
    return tuple(told)


def _offered(tool: dict[str, Any]) -> dict[str, Any]:
    """A tool of a plan as its server offered it."""
    return {
        "inputSchema": tool["input_schema"],
        "outputSchema": tool.get("output_schema"),
        "description": tool.get("description"),
    }


def _described(old: str, new: str) -> str:
    if not new:
        return "has no description any more"
    words = reworded(old, new, MOST_TOLD)
    return f"has another description, now {words}" if words else "has its description in other lines"


def _schema(result: str, old: dict[str, Any], new: dict[str, Any]) -> Iterator[str]:
    if digest(old) == digest(new):
        return
    bare, now = without_remarks(old), without_remarks(new)
    same = digest(bare) == digest(now)
    if not same:
        yield from _structure(result, bare, now)
    yield from changed_remarks(f"its {result.strip() or 'parameters'}", old, new, same_places=same)


def _structure(result: str, old: dict[str, Any], new: dict[str, Any]) -> Iterator[str]:
    before, after = _record(old, bool(result)), _record(new, bool(result))
    told = False
    if before is not None and after is not None:
        for word in _fields(result, before, after):
            told = True
            yield word
    if not told:
        yield f"has another schema of its {'result' if result else 'parameters'}"


def _record(schema: dict[str, Any], result: bool) -> Record | None:
    if result:
        reading = from_schema(schema)
        return reading.type if not isinstance(reading, BadSchema) and isinstance(reading.type, Record) else None
    takes = parameters(schema)
    return None if isinstance(takes, BadSchema) else takes.record


def _fields(result: str, before: Record, after: Record) -> Iterator[str]:
    for f in before.fields:
        now = after.field(f.name)
        name = f"{result}`{visible(f.name)}`"
        if now is None:
            yield f"lost {name}"
            continue
        if f.required != now.required:
            yield f"requires {name} now" if now.required and not result else _presence(name, now, bool(result))
        if _shown(f) != _shown(now):
            yield (
                f"takes {_shown(now)} for {name}, not {_shown(f)}"
                if not result
                else f"gives {_shown(now)} as {name}, not {_shown(f)}"
            )
        elif f != now:
            words = tuple(changed_limits(result, f, now))
            yield from words
            if not words and f.required == now.required:
                yield f"says something else about {name}"
    for f in after.fields:
        if before.field(f.name) is None:
            must = ", which it requires" if f.required and not result else ""
            yield f"has the new {result}`{visible(f.name)}: {_shown(f)}`{must}"


def _presence(name: str, now: Field, result: bool) -> str:
    if result:
        return f"always gives {name} now" if now.required else f"may leave out {name} now"
    return f"does not require {name} any more"


def _shown(f: Field) -> str:
    return show(f.type, 3)


def _result(old: dict[str, Any] | None, new: dict[str, Any] | None) -> Iterator[str]:
    if old is None and new is not None:
        yield "declares its result now"
        yield from changed_remarks("its result", {}, new, same_places=False)
    elif old is not None and new is None:
        yield "does not declare its result any more"
    elif old is not None and new is not None:
        yield from _schema("result ", old, new)


def _effects(old: Annotations | None, new: Annotations | None) -> Iterator[str]:
    before, after = old or Annotations(), new or Annotations()
    for name, said in (
        ("read_only", ("is read-only now", "is not read-only any more")),
        ("idempotent", ("is idempotent now", "is not idempotent any more")),
        ("destructive", ("is destructive now", "is not destructive any more")),
        ("open_world", ("reaches the open world now", "does not reach the open world any more")),
    ):
        if getattr(before, name) != getattr(after, name):
            yield said[0] if getattr(after, name) else said[1]
