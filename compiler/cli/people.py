"""The person at the terminal, who approves and answers questions while a chain runs."""

from __future__ import annotations

import asyncio
import getpass
import json
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from compiler.cli import terminal
from compiler.cli.exits import Usage
from compiler.cli.values import read_value
from stdlib.runtime.fault import RunFault
from stdlib.runtime.people import unanswered
from stdlib.runtime.question import Answer, Answered, Approved, Question, Refused

_SHOWN = 4000
_MISSING = object()


class PersonHere:
    """Asks on stderr and reads stdin, one question after the other. The end of the input declines.

    Approvals of a group are not given here: nobody proves at a terminal who they are. Where stdin is no terminal
    there is nobody. `alone`: entered while somebody is asked, so that nothing else writes on the terminal.
    """

    def __init__(self, alone: Callable[[], AbstractContextManager[None]] = nullcontext) -> None:
        self._turn = asyncio.Lock()
        self._alone = alone
        self._lines: asyncio.Queue[str] | None = None

    async def approve(self, question: Question) -> Answer:
        if question.by is not None:
            raise RunFault(unanswered(question, "That is not decided at this terminal."))
        async with self._turn:
            self._reachable(question)
            with self._alone():
                self._present(question)
                said = (await self._read("Approve? [y/N] ")).strip().lower()
        return Approved(me()) if said in ("y", "yes") else Refused(me())

    async def ask(self, question: Question) -> Answer:
        values: dict[str, Any] = {}
        async with self._turn:
            self._reachable(question)
            with self._alone():
                self._present(question)
                try:
                    for name, field in question.form.get("properties", {}).items():
                        needed = name in question.form.get("required", ())
                        value = await self._field(name, field, question.form, needed)
                        if value is not _MISSING:
                            values[name] = value
                except EOFError:
                    return Refused(me())
        return Answered(values)

    @staticmethod
    def _reachable(question: Question) -> None:
        if not sys.stdin.isatty():
            raise RunFault(unanswered(question, "Run it in a terminal, where somebody can answer."))

    def _present(self, question: Question) -> None:
        terminal.say(f"{question.step}: {question.text}")
        if question.show is not None:
            shown = json.dumps(question.show, ensure_ascii=False, indent=2)
            terminal.say(shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}…")

    async def _field(self, name: str, field: Mapping[str, Any], form: Mapping[str, Any], needed: bool) -> Any:
        """One field, asked for until it fits; an empty line leaves out what may be left out."""
        choices = next((each["enum"] for each in (field, *field.get("anyOf", ())) if "enum" in each), None)
        hint = f" ({', '.join(map(str, choices))})" if choices else "" if needed else " (may be empty)"
        while True:
            line = await self._read(f"  {name}{hint}: ")
            if not line:
                raise EOFError
            text = line.strip()
            if not text:
                if not needed:
                    return _MISSING
                continue
            try:
                value = read_value(name, _boolean(text), field, form)
            except Usage as wrong:
                terminal.say(f"  {wrong.message}")
                continue
            if choices is None or value in choices:
                return value

    async def _read(self, prompt: str) -> str:
        sys.stderr.write(prompt)
        sys.stderr.flush()
        if self._lines is None:
            # A thread of our own: reading cannot be cancelled, and must not keep the process from ending.
            lines: asyncio.Queue[str] = asyncio.Queue()
            self._lines = lines
            loop = asyncio.get_running_loop()

            def read() -> None:
                line = "…"
                while line:
                    line = sys.stdin.readline()
                    loop.call_soon_threadsafe(lines.put_nowait, line)

            threading.Thread(target=read, name="stdin", daemon=True).start()
        line = await self._lines.get()
        if not line:
            self._lines.put_nowait("")  # the end stays the end
        return line


def me() -> str:
    """Who sits here, as the system says."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a user without a name
        return "user"


def _boolean(text: str) -> str:
    return {"y": "true", "yes": "true", "n": "false", "no": "false"}.get(text.lower(), text)
