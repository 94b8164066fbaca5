"""What changed in how a source is reached, and in the files that it is read from, in words."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from compiler.loader.lock_shape import visible

_MOST: Final = 200
_WAYS: Final = ("command", "url", "document", "file", "module", "program")


def changed_way(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[str]:
    """Sentences without an end. `old` and `new`: `asked` of two locks."""
    way, other = _way(old), _way(new)
    if way != other:
        yield f"the manifest names its `{other}` now, {_shown(new.get(other))}, not its `{way}`, {_shown(old.get(way))}"
        return
    for key in dict.fromkeys([*new, *old]):
        was, now = old.get(key), new.get(key)
        if was == now:
            continue
        if key == "env":
            yield from _variables(was or [], now or [])
        elif key in ("headers", "auth"):
            what = "header" if key == "headers" else "credential"
            yield from _entries(what, was or {}, now or {})
        else:
            yield _changed(f"its `{key}`", was, now)


def changed_service(old: Mapping[str, Any] | None, new: Mapping[str, Any] | None, told: set[str]) -> Iterator[str]:
    """The same of the service of an OpenAPI document. `told`: keys of the manifest about which something is told."""
    before, after = old or {}, new or {}
    for key in dict.fromkeys([*after, *before]):
        was, now = before.get(key), after.get(key)
        if was == now or key in told:
            continue
        if key == "auth":
            yield from _entries("credential", was or {}, now or {})
        else:
            yield _changed("the address of its service" if key == "base_url" else f"`{key}` of its service", was, now)


def changed_keys(old: Mapping[str, Any], new: Mapping[str, Any]) -> set[str]:
    """The keys of `asked` that are not the same."""
    return {key for key in (*old, *new) if old.get(key) != new.get(key)}


def changed_files(old: Mapping[str, str], new: Mapping[str, str], tools_changed: bool) -> Iterator[str]:
    """Of digests by path; a lock of before, which has none of a module, is told nothing about."""
    for path, known in old.items():
        if path not in new:
            yield f"it is not read from `{visible(path)}` any more"
        elif new[path] != known:
            yield f"`{visible(path)}` was edited" + ("" if tools_changed else ", and its tools take and give the same")


def _way(asked: Mapping[str, Any]) -> str:
    return next((each for each in _WAYS if each in asked), "")


def _changed(what: str, was: object, now: object) -> str:
    if now is None:
        return f"{what} is left out now, which was {_shown(was)}"
    return f"{what} is {_shown(now)} now" + ("" if was is None else f", not {_shown(was)}")


def _variables(was: list[str], now: list[str]) -> Iterator[str]:
    for each in now:
        if each not in was:
            yield f"its program gets the variable `{visible(each)}` now"
    for each in was:
        if each not in now:
            yield f"its program does not get the variable `{visible(each)}` any more"
    if sorted(was) == sorted(now):
        yield "its `env` has another order"


def _entries(what: str, was: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[str]:
    for name in dict.fromkeys([*now, *was]):
        if was.get(name) != now.get(name):
            yield _changed(f"the {what} `{visible(name)}`", was.get(name), now.get(name))


def _shown(value: object) -> str:
    if isinstance(value, list):
        import shlex

        value = shlex.join(map(str, value))
    return f"`{visible(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False), _MOST)}`"
