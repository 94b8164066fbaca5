"""Who calls: a person or a program, in a tenant, with rights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

LOCAL: Final = "local"
"""The principal, and the tenant, where there is nobody else: the owner of this process."""


@dataclass(frozen=True, slots=True)
class Owner:
    """What handles and runs are bound to."""

    tenant: str = LOCAL
    principal: str = LOCAL


@dataclass(frozen=True, slots=True)
class Principal:
    """`scopes`: what the principal may do, None: everything (the owner of this process). `groups`: whom it may approve
    for."""

    id: str = LOCAL
    tenant: str = LOCAL
    scopes: frozenset[str] | None = None
    groups: frozenset[str] = frozenset()

    @property
    def owner(self) -> Owner:
        return Owner(self.tenant, self.id)

    def lacks(self, needed: frozenset[str]) -> frozenset[str]:
        """The scopes among these that the principal does not have."""
        return frozenset() if self.scopes is None else needed - self.scopes
