"""Which tools a request sees. What it does not see it cannot call, and nothing tells it that the tool is there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from ..plan.catalogue import Catalogue, Entry
from ..plan.plan import Plan
from ..plan.registry import registry_line, tool_line
from .offer import Primitive, chain_tool, primitive_tool, primitives
from .search import Field

if TYPE_CHECKING:
    import mcp_types as t

Profile = Literal["semantic", "all"]


@dataclass(frozen=True, slots=True)
class Choice:
    """What a server or a request chooses; empty groups or stages, and the profile `all`, choose nothing."""

    profile: Profile = "all"
    groups: tuple[str, ...] = ()
    stages: tuple[str, ...] = ()

    def admits(self, tool: Candidate) -> bool:
        """Groups: the tool is in one of them. Stages: it is in one of them, or in none at all, which means every one.
        A tool of a source is in no group."""
        in_profile = self.profile == "all" or tool.primitive is None
        in_group = not self.groups or any(group in self.groups for group in tool.groups)
        in_stage = not self.stages or not tool.stages or any(stage in self.stages for stage in tool.stages)
        return in_profile and in_group and in_stage


class Candidate:
    """A tool that some request may see: a chain, or a tool of a source (`primitive`). `plan` is asked for only where it
    is needed, so that a list of chains does without it."""

    def __init__(self, plan: Callable[[], Plan], entry: Entry | None, primitive: Primitive | None) -> None:
        self._plan = plan
        self._entry = entry
        self.primitive = primitive
        self.name = entry.id if entry is not None else _known(primitive).name
        self.groups = () if entry is None else entry.selection.groups
        self.stages = () if entry is None else entry.selection.stages
        self.scopes = _scopes(plan(), _known(primitive)) if entry is None else frozenset(entry.behaviour.scopes)

    @property
    def version(self) -> str:
        """Of the chain; for a tool of a source the digest of its schemas."""
        if self._entry is not None:
            return self._entry.version
        primitive = _known(self.primitive)
        return self._plan().sources[primitive.source].tools[primitive.key].digest

    @cached_property
    def tool(self) -> t.Tool:
        """As clients see it."""
        return chain_tool(self._entry) if self._entry else primitive_tool(self._plan(), _known(self.primitive))

    @cached_property
    def line(self) -> str:
        """Its line of the registry."""
        if self._entry is None:
            return tool_line(self.name, self.tool.input_schema)
        chain = self._plan().chains.get(self._entry.id)
        handles = {each.name: each.handle for each in chain.inputs if each.handle} if chain else {}
        return registry_line(self._entry, handles)

    @property
    def description(self) -> str:
        """What it does, without when to use it."""
        return (self._entry.selection.description if self._entry else self.tool.description) or ""

    def fields(self) -> Iterator[Field]:
        """What it is found by."""
        yield Field(self.name, 3.0)
        yield Field(self.tool.title or "", 2.0)
        yield Field(self.description)
        if self._entry is not None:
            selection = self._entry.selection
            yield from (Field(text, 2.0) for text in selection.use_when)
            yield from (Field(each.request, 2.0) for each in selection.examples)
        for name, description in _parameters(self.tool.input_schema, 0):
            yield Field(name)
            yield Field(description, 0.5)


def candidates(catalogue: Catalogue, plan: Callable[[], Plan], choice: Choice) -> tuple[Candidate, ...]:
    """The tools that the server's own choice leaves. A chain takes the name of a tool of a source."""
    found = [Candidate(plan, entry, None) for entry in catalogue.entries]
    if choice.profile == "all":
        taken = {each.name for each in found}
        found += [Candidate(plan, None, each) for each in primitives(plan()) if each.name not in taken]
    return tuple(each for each in found if choice.admits(each))


def unknown_tags(catalogue: Catalogue, choice: Choice) -> Iterator[str]:
    """A sentence for every chosen group or stage that no chain has."""
    yield from _unknown("group", choice.groups, (each.selection.groups for each in catalogue.entries))
    yield from _unknown("stage", choice.stages, (each.selection.stages for each in catalogue.entries))


def _unknown(what: str, chosen: tuple[str, ...], tags: Iterable[tuple[str, ...]]) -> Iterator[str]:
    known = sorted({tag for some in tags for tag in some})
    for name in chosen:
        if name not in known:
            yield f"no chain has the {what} `{name}`; there are: {', '.join(known) or 'none'}"


def _scopes(plan: Plan, primitive: Primitive) -> frozenset[str]:
    """Files may claim different scopes for one tool; who calls it as it is needs all of them."""
    tools = plan.sources[primitive.source].tools
    name = tools[primitive.key].name
    return frozenset(scope for tool in tools.values() if tool.name == name for scope in tool.scopes)


def _known(primitive: Primitive | None) -> Primitive:
    assert primitive is not None, "a candidate is a chain or a tool of a source"
    return primitive


_DEEPEST = 4


def _parameters(schema: object, depth: int) -> Iterator[tuple[str, str]]:
    """Names and descriptions, those inside of records and lists, too."""
    if not isinstance(schema, dict) or depth > _DEEPEST:
        return
    properties = schema.get("properties")
    for name, node in properties.items() if isinstance(properties, dict) else ():
        description = node.get("description") if isinstance(node, dict) else None
        yield name, description if isinstance(description, str) else ""
        yield from _parameters(node, depth + 1)
    yield from _parameters(schema.get("items"), depth + 1)
    for keyword in ("anyOf", "oneOf"):
        forms = schema.get(keyword)
        for each in forms if isinstance(forms, list) else ():
            yield from _parameters(each, depth + 1)
