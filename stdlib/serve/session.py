"""What one request may see and do: who asks, and which tools are visible to them.

The visible set is decided here, before anything is answered: the server's own choice (manifest and options), then what
the request chooses by its headers and its `_meta`, which can only narrow it, then the scopes of the principal.
"""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from ..runtime.principal import Principal
from ..values.digest import digest
from .search import Index
from .visible import Candidate, Choice

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext

HEADERS: Final = {"profile": "chainc-profile", "groups": "chainc-groups", "stages": "chainc-stages"}
"""Of an HTTP request: one profile, or names with commas between them."""

META: Final = {"profile": "chainc/profile", "groups": "chainc/groups", "stages": "chainc/stages"}
"""In the `_meta` of a request: a profile, or a list of names."""

_NAMES_MOST: Final = 100
_SETS_KEPT: Final = 32
_SESSIONS_KEPT: Final = 1000
"""Most visible sets, and most sessions, that are remembered. Requests make them, so there is an end to it."""

log = logging.getLogger("chainc.serve")


class WrongChoice(Exception):
    """A header or `_meta` that says nothing. The message is for the client."""


class VisibleSet:
    """The tools that a request sees, in their order."""

    def __init__(self, tools: Iterable[Candidate]) -> None:
        self.tools: Mapping[str, Candidate] = {each.name: each for each in tools}

    @cached_property
    def digest(self) -> str:
        """Of names and versions: equal for requests that see the same."""
        return digest([[each.name, each.version] for each in self.tools.values()])

    @cached_property
    def registry(self) -> str:
        """One line a tool."""
        return "".join(f"{each.line}\n" for each in self.tools.values())

    @cached_property
    def index(self) -> Index:
        return Index({name: tuple(each.fields()) for name, each in self.tools.items()})


@dataclass(frozen=True, slots=True)
class SessionState:
    """Of one request. `id`: the transport's session, where there is one. `choices`: what the request itself chose.
    `permitted`: what the principal sees where nothing is chosen, and whose runs may be gone on with."""

    id: str | None
    principal: Principal
    choices: tuple[Choice, ...]
    visible: VisibleSet
    permitted: VisibleSet


class Sessions:
    """Makes the state of each request. `principal_of`: who sent it; None: nobody is told apart, and all is theirs."""

    def __init__(
        self,
        tools: tuple[Candidate, ...],
        principal_of: Callable[[ServerRequestContext[Any]], Principal] | None = None,
    ) -> None:
        self._tools = tools
        self._by_name = {each.name: each for each in tools}
        self._principal_of = principal_of
        self._sets: OrderedDict[tuple[tuple[Choice, ...], frozenset[str] | None], VisibleSet] = OrderedDict()
        self._told: OrderedDict[str, str] = OrderedDict()

    async def enter(self, context: ServerRequestContext[Any], *, lists: bool = False) -> SessionState:
        """The state of a request. A client of the earlier era is told when its list is not right any more, unless it
        asks for it just now (`lists`). Raises `WrongChoice`."""
        headers: Mapping[str, str] = getattr(context.request, "headers", None) or {}
        principal = self._principal_of(context) if self._principal_of else Principal()
        choices = tuple(each for each in (_of_headers(headers), _of_meta(context.meta or {})) if each != Choice())
        permitted = self._visible((), principal)
        visible = self._visible(choices, principal) if choices else permitted
        state = SessionState(headers.get("mcp-session-id"), principal, choices, visible, permitted)
        await self._tell(context, state, lists=lists)
        return state

    def is_private(self, state: SessionState) -> bool:
        """Whether what is listed depends on who asks, or on how."""
        return self._principal_of is not None or bool(state.choices)

    def refused(self, state: SessionState, name: str) -> str:
        """The gate that a call of what the request does not see fails at; without the scopes for it, the log says so.
        The caller is not told."""
        tool, who = self._by_name.get(name), state.principal
        if tool is not None and all(choice.admits(tool) for choice in state.choices):
            lacking = sorted(who.lacks(tool.scopes))
            log.warning("refused: %s of %s may not call `%s`, for want of %s", who.id, who.tenant, name, lacking)
            return "resource"
        log.warning("refused: %s of %s may not call %r: they see no such tool", who.id, who.tenant, name[:200])
        return "tool"

    def _visible(self, choices: tuple[Choice, ...], principal: Principal) -> VisibleSet:
        key = (choices, principal.scopes)
        found = self._sets.get(key)
        if found is None:
            found = self._sets[key] = VisibleSet(
                each
                for each in self._tools
                if all(choice.admits(each) for choice in choices) and not principal.lacks(each.scopes)
            )
            if len(self._sets) > _SETS_KEPT:
                self._sets.popitem(last=False)
        else:
            self._sets.move_to_end(key)
        return found

    async def _tell(self, context: ServerRequestContext[Any], state: SessionState, *, lists: bool) -> None:
        from mcp_types.version import MODERN_PROTOCOL_VERSIONS

        if context.protocol_version in MODERN_PROTOCOL_VERSIONS:
            return
        if state.id is None and context.request is not None:
            return  # over HTTP without a session nobody can be told apart: no list is remembered as theirs
        session = state.id or ""
        known = self._told.pop(session, None)
        self._told[session] = state.visible.digest
        if len(self._told) > _SESSIONS_KEPT:
            self._told.popitem(last=False)
        if known not in (None, state.visible.digest) and not lists:
            await context.session.send_tool_list_changed()


def _of_headers(headers: Mapping[str, str]) -> Choice:
    """Headers of one name count as one with commas (RFC 9110, section 5.3)."""
    given: dict[str, str | None] = dict.fromkeys(HEADERS)
    for what, name in HEADERS.items():
        values = [value for key, value in headers.items() if key.lower() == name]
        given[what] = ",".join(values) if values else None
    groups, stages = (tuple(each.strip() for each in (given[what] or "").split(",")) for what in ("groups", "stages"))
    return _choice(HEADERS, given["profile"], tuple(filter(None, groups)), tuple(filter(None, stages)))


def _of_meta(meta: Mapping[str, Any]) -> Choice:
    groups, stages = (meta.get(META[what]) or () for what in ("groups", "stages"))
    for name, value in ((META["groups"], groups), (META["stages"], stages)):
        if not isinstance(value, list | tuple) or not all(isinstance(each, str) for each in value):
            raise WrongChoice(f"`{name}` must be a list of names.")
    return _choice(META, meta.get(META["profile"]), tuple(groups), tuple(stages))


def _choice(names: Mapping[str, str], profile: Any, groups: tuple[str, ...], stages: tuple[str, ...]) -> Choice:
    if profile not in (None, "semantic", "all"):
        raise WrongChoice(f"`{names['profile']}` must be semantic or all.")
    for what, given in (("groups", groups), ("stages", stages)):
        if len(given) > _NAMES_MOST:
            raise WrongChoice(f"`{names[what]}` names more than {_NAMES_MOST}.")
    return Choice(profile or "all", tuple(sorted(set(groups))), tuple(sorted(set(stages))))
