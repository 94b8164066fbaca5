"""Bearer tokens at the HTTP border, through the protocol's own middleware: it answers 401 with `WWW-Authenticate`,
refuses tokens that were made for another server (RFC 8707), and binds sessions to who opened them.

A token ends here: what goes on is the principal. Sources are reached with their own credentials.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.auth.settings import AuthSettings
from mcp.server.subscriptions import InMemorySubscriptionBus, SubscriptionBus, ToolsListChanged
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from ..runtime.gates.principal import Principals
from ..runtime.principal import Principal
from .principals import TokenFile, Verifier

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext
    from starlette.applications import Starlette

NOBODY = Principal("nobody", "nobody", frozenset())
"""Who has no rights at all."""

METADATA = "/.well-known/oauth-protected-resource"


class Bearer(AccessToken):
    """What is known of a token that was accepted; the token itself is not kept."""

    principal: Principal


class Tokens:
    """Asks each verifier in turn. `resource`: the address of this server."""

    def __init__(self, verifiers: Sequence[Verifier], resource: str) -> None:
        self._verifiers = verifiers
        self._resource = resource

    async def verify_token(self, token: str) -> AccessToken | None:
        for verifier in self._verifiers:
            found = await verifier.verify(token)
            if found is not None:
                who = found.principal
                return Bearer(
                    token="",
                    client_id=f"{who.tenant}/{who.id}",
                    subject=who.id,
                    scopes=sorted(who.scopes or ()),
                    expires_at=found.expires,
                    resource=found.resource or self._resource,
                    principal=who,
                )
        return None


@dataclass(frozen=True, slots=True)
class Access:
    """Who may call, how they are known by their requests, where it is told that this has changed, and what rights each
    has now."""

    verifiers: tuple[Verifier, ...]
    principal_of: Callable[[ServerRequestContext[Any]], Principal]
    changes: SubscriptionBus
    principals: Principals


def read_access(file: Path) -> Access:
    """The principals of a file. Raises `WrongPrincipals`."""
    changes = InMemorySubscriptionBus()

    async def changed() -> None:
        await changes.publish(ToolsListChanged())

    known = TokenFile(file, changed)
    return Access((known,), principal_of, changes, known)


def principal_of(context: ServerRequestContext[Any]) -> Principal:
    """Who sent a request; the middleware lets none through without."""
    request = context.request
    user = request.scope.get("user") if isinstance(request, Request) else None
    token = user.access_token if isinstance(user, AuthenticatedUser) else None
    return token.principal if isinstance(token, Bearer) else NOBODY


def auth_settings(resource: str, issuer: str | None) -> AuthSettings:
    """`issuer`: the authorization server that clients may be sent to."""
    # As texts: the model then leaves their ends as they are, and issuers are compared sign by sign (RFC 8414).
    told = {"issuer_url": issuer or resource, "resource_server_url": resource, "validate_token_resource": True}
    return AuthSettings.model_validate(told)


def without_issuer(app: Starlette, resource: str) -> None:
    """Tells in the metadata of the resource (RFC 9728) what is true where no authorization server is known: that
    tokens come in the header. The protocol's own model must name one."""

    async def metadata(_: Request) -> Response:
        return JSONResponse({"resource": resource, "bearer_methods_supported": ["header"]})

    for at, route in enumerate(app.router.routes):
        if isinstance(route, Route) and route.path.startswith(METADATA):
            app.router.routes[at] = Route(route.path, metadata, methods=["GET"])
