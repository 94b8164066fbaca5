"""What must wait for what in a drawn program, by the rules of the language reference."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tests.dags.sketch import Let, Member, Program, Require, Section, Step

Edges = Mapping[str, frozenset[str]]
"""Name → all names that it waits for, directly or not."""


def edges(program: Program, members: Sequence[Member]) -> Edges:
    """Of a chain, or of the body of a loop (what lies outside is not in it). A step waits for

    what it refers to, itself or in its loop · what `after` names · what the guard of its section refers to · where it
    writes, the write before it in the text (in an `any_order` section the writes before the section; what comes after
    such a section waits for all its writes) · a `require` on inputs · where it writes, any `require` above it.
    """
    direct: dict[str, set[str]] = {}
    sections: dict[str, list[str]] = {}
    for member in members:
        if isinstance(member, Section):
            sections[member.name] = [each.name for each in member.members if isinstance(each, Step)]
    last: list[str] = []
    above: list[str] = []
    for member, section in _flat(members):
        wanted = direct.setdefault(member.name, set())
        if section is not None and section.when is not None:
            wanted.add(section.when.name)
        wanted.update(member.uses)
        if isinstance(member, Require):
            above.append(member.name)
        if not isinstance(member, Step):
            last = _after(program, section, member, last)
            continue
        for name in (*member.after, *(section.after if section is not None else ())):
            wanted.update(sections.get(name, [name]))
        wanted.update(_spoken_of(member))
        if program.writes(member):
            wanted.update(last, above)
            if section is None or not section.any_order:
                last = [member.name]
        last = _after(program, section, member, last)
    steps = {each.name for each, _ in _flat(members) if isinstance(each, Step)}
    for member, _ in _flat(members):
        if isinstance(member, Require) and not _closed(direct, member.name) & steps:
            for name in steps:
                direct[name].add(member.name)
    return {name: frozenset(_closed(direct, name) & set(direct)) for name in direct}


def _after(program: Program, section: Section | None, member: Member, last: list[str]) -> list[str]:
    """The writes to wait for below a member: all of an `any_order` section at its end."""
    if section is None or not section.any_order or member is not section.members[-1]:
        return last
    return [each.name for each in section.members if isinstance(each, Step) and program.writes(each)] or last


def _spoken_of(step: Step) -> Iterator[str]:
    """The names from outside that a step refers to, apart from `uses`."""
    if step.when is not None:
        yield step.when.name
    if step.loop is not None:
        if isinstance(step.loop.over, str):
            yield step.loop.over
        own = {each.name for each in step.loop.body}
        for inner in step.loop.body:
            yield from (name for name in (*inner.uses, *_spoken_of(inner)) if name not in own)


def _flat(members: Sequence[Member]) -> Iterator[tuple[Step | Let | Require, Section | None]]:
    for member in members:
        if isinstance(member, Section):
            for each in member.members:
                yield each, member
        else:
            yield member, None


def _closed(direct: Mapping[str, set[str]], name: str) -> set[str]:
    found: set[str] = set()
    stack = list(direct.get(name, ()))
    while stack:
        at = stack.pop()
        if at not in found:
            found.add(at)
            stack += direct.get(at, ())
    return found
