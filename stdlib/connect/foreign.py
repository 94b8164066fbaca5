"""What answers at the URL of a server and does not speak its protocol: a page, another API, a way elsewhere."""

from __future__ import annotations

from typing import Any, Final
from urllib.parse import urljoin, urlsplit

from ..runtime.fault import Fault, bounded
from ..values.plain import unhidden

FOREIGN_BYTES: Final = 4096
"""So much of an answer is looked at."""
_MOST_BODY: Final = 120
_MOST_URL: Final = 200
_IS_IT_THERE: Final = "Is the path right? It often ends in `/mcp`."
_OUTSIDE: Final = (
    "Is this the URL of the server? Write the one where it answers itself; nothing is sent to another host."
)


def is_foreign(status: int, kind: str) -> bool:
    """Whether an answer to a request cannot be one of the protocol, whatever it holds. `kind`: its media type.
    Other refusals (400, 401, 500, …) say something, and are told as they are."""
    if status < 300:
        return status in (202, 204, 205) or kind not in ("application/json", "text/event-stream")
    return status < 400 or status in (404, 405, 406, 410, 415)


def stays(asked: str, location: str) -> bool:
    """Whether a redirect leads to the same place of the web: there the protocol's client goes itself."""
    try:
        one, other = urlsplit(asked), urlsplit(urljoin(asked, location))
    except ValueError:
        return False
    same = (one.scheme, one.hostname, _port(one)) == (other.scheme, other.hostname, _port(other))
    return same and other.username is None


def _port(parts: Any) -> int | None:
    try:
        port: int | None = parts.port
    except ValueError:
        return None
    return port or {"http": 80, "https": 443}.get(parts.scheme)


def bare(url: str) -> str:
    """A URL that may be shown: without user, query and fragment."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return "its URL"
    return unhidden(bounded(f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}", _MOST_URL))


def foreign_data(asked: str, status: int, kind: str, body: bytes, location: str) -> dict[str, Any]:
    """What `foreign_fault` tells. `asked`: the URL; `location`: where a redirect leads, or nothing."""
    try:
        leads = urljoin(asked, location) if location else ""
    except ValueError:
        leads = ""
    text = " ".join(unhidden(body[:FOREIGN_BYTES].decode("utf-8", "replace")).split())
    return {"url": asked, "status": status, "kind": kind, "text": text, "leads": leads}


def foreign_fault(name: str, data: dict[str, Any], *, whole: bool) -> Fault:
    """The fault of a connection that cannot be opened. `whole`: for the author, who is shown the URL and the beginning
    of the answer; others are told of which host it is."""
    url, status, leads = data["url"], data["status"], data["leads"]
    parts = urlsplit(url)
    place = bare(url) if whole else bare(f"{parts.scheme}://{parts.netloc}")
    who = f"The server of `{name}` at {place}"
    if leads:
        where = f" to {bare(leads)}" if whole else ""
        advice = _IS_IT_THERE if stays(url, leads) else _OUTSIDE
        return Fault("unavailable", f"{who} only leads elsewhere ({status}){where}.", sent=False, next=advice)
    told = str(status)
    if status < 300:
        told += f", {_kind(data['kind'])}"
        shown = data["text"].replace("`", "'") if data["kind"] in ("application/json", "text/plain") else ""
        if whole and data["kind"] == "application/json":
            told += f": `{bounded(shown, _MOST_BODY)}`" if shown else ", and nothing in it"
        elif whole and shown:
            told += f": `{bounded(shown, _MOST_BODY)}`"
    return Fault("unavailable", f"{who} answered, but not in MCP ({told}).", sent=False, next=_IS_IT_THERE)


def _kind(kind: str) -> str:
    return unhidden(bounded(kind, 80)) or "without a media type"
