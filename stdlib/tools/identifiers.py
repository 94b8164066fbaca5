"""UUIDs (RFC 9562): by chance, and made from names."""

from __future__ import annotations

import uuid
from typing import Any, Final

_NAMESPACES: Final = {
    "dns": uuid.NAMESPACE_DNS,
    "url": uuid.NAMESPACE_URL,
    "oid": uuid.NAMESPACE_OID,
    "x500": uuid.NAMESPACE_X500,
}


def v4() -> str:
    """From the system's source of chance: another one each time."""
    return str(uuid.uuid4())


def v5(namespace: str, name: str) -> str:
    """The same for the same name."""
    return str(uuid.uuid5(_NAMESPACES.get(namespace) or uuid.UUID(namespace), name))


TOOLS: Final[dict[str, Any]] = {"v4": v4, "v5": v5}
