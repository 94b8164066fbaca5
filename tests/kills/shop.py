"""A shop whose book of effects outlives whoever calls it: one line an effect, appended at once."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import anyio

from stdlib.runtime.fault import fault
from stdlib.runtime.question import Answer, Approved, Question
from stdlib.runtime.result import ToolAnswer


@dataclass(frozen=True, slots=True)
class Effect:
    """`id`: of a booking or a payment; what is cancelled has the id of what it cancels. `asked again`: a payment whose
    key the shop knows."""

    tool: str
    id: str
    item: int | None = None
    key: str | None = None


class Shop:
    """Tools over the book in a file. Before and after each effect some time passes, as it does with real tools."""

    def __init__(self, book: Path, chance: Random) -> None:
        self._book = book
        self._chance = chance

    async def call(self, source: str, key: str, arguments: dict[str, Any], timeout: float) -> ToolAnswer:
        await anyio.sleep(self._chance.random() * 0.004)
        value = self._do(key, arguments)
        await anyio.sleep(self._chance.random() * 0.004)
        return ToolAnswer(structured=value)

    def _do(self, tool: str, arguments: dict[str, Any]) -> Any:
        match tool:
            case "look":
                return {"items": list(range(arguments["n"]))}
            case "pay" if known := self._paid(arguments["key"]):
                self._append(Effect("asked again", known.id))
                return {"id": known.id}
            case "book" | "pay":
                made = f"{tool}-{os.urandom(8).hex()}"
                self._append(Effect(tool, made, arguments["item"], arguments.get("key")))
                return {"id": made}
            case "cancel":
                self._append(Effect("cancel", arguments["id"]))
                return {}
            case "paid":
                known = self._paid(arguments["key"])
                return {"id": known.id} if known else None
            case "note":
                self._append(Effect("note", arguments["text"]))
                return {}
            case "ship":
                if arguments["fails"]:
                    raise fault("tool_error", "there is no ship")
                self._append(Effect("ship", "all"))
                return {}
        raise AssertionError(tool)

    def _paid(self, key: str) -> Effect | None:
        return next((each for each in effects(self._book) if each.tool == "pay" and each.key == key), None)

    def _append(self, effect: Effect) -> None:
        """One write, so that a kill leaves a whole line or none."""
        line = json.dumps([effect.tool, effect.id, effect.item, effect.key]) + "\n"
        book = os.open(self._book, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        try:
            os.write(book, line.encode())
        finally:
            os.close(book)


class Buyer:
    """Agrees, after a while."""

    async def approve(self, question: Question) -> Answer:
        await anyio.sleep(0.003)
        return Approved("buyer")

    async def ask(self, question: Question) -> Answer:
        raise AssertionError(question)


def effects(book: Path) -> tuple[Effect, ...]:
    """In the order in which they happened."""
    return tuple(_effects(book))


def _effects(book: Path) -> Iterator[Effect]:
    if book.exists():
        for line in book.read_text("utf-8").splitlines():
            yield Effect(*json.loads(line))
