"""Drawn programs one call after the other: what a run must call, what it gives, which faults it can end with.

Written from the language reference alone. Where something fails, everything that does not depend on it is still worked
out: a concurrent run may have got as far as that, so those calls are possible; the others are certain.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tests.dags.edges import edges
from tests.dags.sketch import TOOLS, Chain, Condition, Let, Member, OnError, Program, Require, Section, Step
from tests.dags.tool import fails, value_of

EMPTY = {"value": -1, "few": []}


@dataclass(frozen=True)
class Expected:
    """One call of a tool. `certain`: it is made in every run. `write`: it does more than read."""

    tool: str
    arguments: dict[str, Any]
    ok: bool
    write: bool
    certain: bool = True


class Fails(Exception):
    """A region cannot go on: the places of all faults that may be its first one."""

    def __init__(self, faults: set[str]) -> None:
        super().__init__(sorted(faults))
        self.faults = faults


@dataclass
class Scope:
    """`values` and `outcomes` by name; `lists`: the names that are loops."""

    values: dict[str, Any] = field(default_factory=dict)
    outcomes: dict[str, str] = field(default_factory=dict)
    lists: frozenset[str] = frozenset()

    def number(self, name: str) -> int:
        value = self.values[name]
        if name in self.lists:
            return sum(each["value"] for each in value or [])
        return 1 if value is None else int(value["value"])

    def seen(self, name: str) -> int | None:
        return None if name not in self.lists and self.values[name] is None else self.number(name)

    def few(self, name: str) -> list[int]:
        if name in self.lists:
            return [self.number(name)]
        return [] if self.values[name] is None else list(self.values[name]["few"])

    def holds(self, when: Condition | None) -> bool:
        if when is None:
            return True
        return self.number(when.name) % 2 == 0 if when.kind == "even" else self.outcomes[when.name] == when.kind

    def inner(self) -> Scope:
        return Scope(dict(self.values), dict(self.outcomes), self.lists)


class Reference:
    """`calls` by path and attempt, in the order of a sequential run. `faults`: places of the faults that can end the
    run (the path of a step, or the name of a `require`); none: it gives `value`. `regions`: the paths of what failed
    and was caught; of an attempt of a chain that was made anew, what its steps begin with (`s.`, `s~2.`)."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.calls: dict[tuple[str, int], Expected] = {}
        self.regions: set[str] = {""}
        self.faults: set[str] = set()
        self.value: dict[str, Any] = {}
        try:
            scope = self._members(program.root, program.root.members, "", Scope(), 0, {})
        except Fails as failed:
            self.faults = failed.faults
            self._doubt(0)
        else:
            self.value = {each.name: scope.seen(each.name) for each in program.root.named()}

    def _doubt(self, since: int) -> None:
        for key in list(self.calls)[since:]:
            self.calls[key] = replace(self.calls[key], certain=False)

    def _members(
        self, chain: Chain, members: Sequence[Member], prefix: str, scope: Scope, tries: int, given: dict[str, Any]
    ) -> Scope:
        """The names after all of it ran, in an order that respects every edge. Raises `Fails`."""
        scope.lists |= {each.name for each in chain.named() if isinstance(each, Step) and each.loop is not None}
        waits = edges(self.program, members)
        flat: list[tuple[Step | Let | Require, Section | None]] = []
        for member in members:
            flat += [(each, member) for each in member.members] if isinstance(member, Section) else [(member, None)]
        settled: set[str] = set()
        dead: set[str] = set()
        faults: set[str] = set()
        while flat:
            at = next(place for place, (each, _) in enumerate(flat) if waits[each.name] <= settled | dead)
            each, section = flat.pop(at)
            path = f"{prefix}.{each.name}" if prefix else each.name
            try:
                if waits[each.name] & dead:
                    raise Fails(set())
                self._one(each, section, path, scope, tries, given)
            except Fails as failed:
                faults |= failed.faults
                dead.add(each.name)
            else:
                settled.add(each.name)
        if dead:
            raise Fails(faults)
        return scope

    def _one(
        self,
        each: Step | Let | Require,
        section: Section | None,
        path: str,
        scope: Scope,
        tries: int,
        given: dict[str, Any],
    ) -> None:
        guarded = section is None or scope.holds(section.when)
        if isinstance(each, Require):
            if not each.holds:
                raise Fails({each.name})
        elif isinstance(each, Let):
            numbers = [scope.number(name) for name in each.uses]
            scope.values[each.name] = {"value": sum(numbers) + 1, "few": numbers} if guarded else None
        elif not guarded or not scope.holds(each.when):
            scope.values[each.name], scope.outcomes[each.name] = None, "skipped"
        else:
            try:
                value, outcome = self._step(each, path, scope, tries, given), "succeeded"
            except Fails:
                if each.on_error == "fail":
                    raise
                self.regions.add(path)
                empty: Any = [] if each.loop is not None else EMPTY
                value, outcome = None if each.on_error == "skip" else empty, "failed"
            scope.values[each.name], scope.outcomes[each.name] = value, outcome

    # ------------------------------------------------------------------ steps

    def _step(self, step: Step, path: str, scope: Scope, tries: int, given: dict[str, Any]) -> Any:
        loop = step.loop
        if loop is None:
            return self._call(step, path, scope, tries, given, [])
        items = list(range(loop.over)) if isinstance(loop.over, int) else scope.few(loop.over)
        before, results, faults = len(self.calls), [], set()
        for place, item in enumerate(items):
            at = f"{path}[{place}]"
            try:
                results.append(self._item(step, at, scope.inner(), tries, given, item))
            except Fails as failed:
                if loop.on_item == "fail":
                    faults |= failed.faults
                else:
                    self.regions.add(at)
                    results += self._instead(loop.on_item)
        if faults:
            self._doubt(before)
            raise Fails(faults)
        return results

    @staticmethod
    def _instead(on_item: OnError) -> list[Any]:
        return [EMPTY] if on_item == "use" else []

    def _item(self, step: Step, path: str, scope: Scope, tries: int, given: dict[str, Any], item: int) -> Any:
        assert step.loop is not None
        if not step.loop.body:
            return self._call(step, path, scope, tries, given, [item])
        before, own = len(self.calls), {**given, "items": [item]}
        try:
            self._members(Chain("", step.loop.body), step.loop.body, path, scope, tries, own)
        except Fails:
            self._doubt(before)
            raise
        return {"value": scope.number(step.loop.result), "few": scope.few(step.loop.result)}

    def _call(self, step: Step, path: str, scope: Scope, tries: int, given: dict[str, Any], items: list[int]) -> Any:
        """Attempts until one succeeds or none is left."""
        of = [*given.get("items", ()), *items, *given.get("given", ()), *(scope.seen(name) for name in step.uses)]
        tag = f"{given['tag']}.{step.name}" if "tag" in given else step.name
        for attempt in range(1, step.retry + 2):
            before = len(self.calls)
            try:
                if step.does in TOOLS:
                    return self._tool(step, path, {"tag": tag, "of": of}, attempt, tries)
                inner = path if attempt == 1 else f"{path}~{attempt}"
                return self._chain(step.does, inner, tag, of, tries + attempt - 1)
            except Fails:
                if step.does not in TOOLS:
                    self._doubt(before)
                if attempt > step.retry or self.program.mode == "tool_error":
                    raise
                if step.does not in TOOLS:
                    self.regions.add(f"{inner}.")
        raise AssertionError

    def _tool(self, step: Step, path: str, arguments: dict[str, Any], attempt: int, tries: int) -> Any:
        ok = not fails(self.program, step.does, arguments, tries + attempt - 1)
        self.calls[path, attempt] = Expected(step.does, arguments, ok, step.does != "read")
        if not ok:
            raise Fails({path})
        return value_of(step.does, arguments)

    def _chain(self, id: str, prefix: str, tag: str, of: list[Any], tries: int) -> Any:
        chain = self.program.chain(id)
        scope = self._members(chain, chain.members, prefix, Scope(), tries, {"tag": tag, "given": [of]})
        return {"value": scope.number(chain.result), "few": scope.few(chain.result)}
