"""Issues of two repositories: some old, some new, some without an assignee or a comment.

The repository `acme/empty` has no issues, `acme/busy` answers that it gets too many calls, others do not exist.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Annotated, Literal, NotRequired

from effects import LOOKS_OUTSIDE
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field
from typing_extensions import TypedDict

STARTED = datetime.now(UTC).replace(microsecond=0)


class User(TypedDict):
    login: str


class Issue(TypedDict):
    number: int
    title: str
    state: Literal["open", "closed"]
    updated_at: datetime
    assignee: User | None
    labels: list[str]
    body: NotRequired[str]


class Issues(TypedDict):
    items: list[Issue]
    total: int


class Comment(TypedDict):
    body: str | None
    author: str | None


def issue(number: int, title: str, days: float, assignee: str | None, *labels: str, state: str = "open") -> Issue:
    user: User | None = None if assignee is None else {"login": assignee}
    updated = STARTED - timedelta(days=days)
    return {"number": number, "title": title, "state": "open" if state == "open" else "closed", "updated_at": updated,
            "assignee": user, "labels": list(labels)}  # fmt: skip


REPOSITORIES: dict[str, list[Issue]] = {
    "acme/app": [
        {**issue(3, "Crash when the cart is empty", 400.5, "ada", "bug"), "body": "It happens every time."},
        issue(7, "Umlauts are lost in the CSV export", 90.5, None),
        issue(8, "Remove the old login", 31.5, "bob", "chore", "security"),
        issue(12, "Dark mode", 2.5, None, "idea"),
        issue(5, "Typo on the start page", 200.5, "ada", state="closed"),
    ],
    "acme/empty": [],
}
COMMENTS: dict[int, Comment] = {
    3: {"body": "Still there in 2.1.", "author": "eve"},
    7: {"body": None, "author": None},
}

server = MCPServer("simulated-github", version="1.0.0", log_level="ERROR")


def issues_of(repo: str) -> list[Issue]:
    if repo == "acme/busy":
        raise ToolError("Too many requests; try again later.")
    if repo not in REPOSITORIES:
        raise ToolError(f"There is no repository {repo}.")
    return REPOSITORIES[repo]


@server.tool(annotations=LOOKS_OUTSIDE)
def get_issue(repo: str, number: int) -> Issue:
    """One issue of a repository."""
    found = [each for each in issues_of(repo) if each["number"] == number]
    if not found:
        raise ToolError(f"{repo} has no issue {number}.")
    return found[0]


@server.tool(annotations=LOOKS_OUTSIDE)
def list_issues(
    repo: str, state: Literal["open", "closed", "all"] = "open", per_page: Annotated[int, Field(ge=1, le=100)] = 30
) -> Issues:
    """The issues of a repository, the lowest number first."""
    found = [each for each in issues_of(repo) if state in ("all", each["state"])]
    found.sort(key=lambda each: each["number"])
    return {"items": found[:per_page], "total": len(found)}


@server.tool(annotations=LOOKS_OUTSIDE)
def last_comment(repo: str, number: int) -> Comment:
    """What was said last about an issue; fails where nobody said anything."""
    issues_of(repo)
    if number not in COMMENTS:
        raise ToolError(f"Nobody has commented on issue {number}.")
    return COMMENTS[number]


if __name__ == "__main__":
    server.run()
