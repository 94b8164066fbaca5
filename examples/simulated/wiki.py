"""A wiki whose pages have versions. Who writes says which version it has read, else the page stays as it is (412).

Comments on `sealed` and `contested` are closed, and Eve writes on `contested` as soon as anybody has, on `busy` as soon
as anybody has read it. `dropped` saves once without an answer.
"""

from __future__ import annotations

from typing import Any

from journal import changed
from shop import Broken, problem
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

RUNBOOK = """\
# Checkout

Owned by payments.

## On call

Ada until Friday.

### Escalation

Call Bob.

## Restart

```sh
## not a heading
make restart
```

"""
LOG = "## Log\n\n" + "".join(f"* {number:05}: nothing happened, and nobody was called.\n" for number in range(8000))
PAGES = ("runbook", "sealed", "contested", "busy", "dropped")


class Wiki:
    """`texts`: all versions of a page, the first is 1."""

    def __init__(self) -> None:
        self.texts = {id: [RUNBOOK + LOG] for id in PAGES}
        self.dropped = False

    def page(self, id: str) -> dict[str, Any]:
        versions = self.texts[id]
        return {"id": id, "title": id.capitalize(), "version": len(versions), "bytes": len(versions[-1].encode())}

    def write(self, id: str, text: str, by: str) -> None:
        self.texts[id].append(text)
        changed("wiki.write", page=id, version=len(self.texts[id]), by=by, former=text in self.texts[id][:-1])

    async def get(self, request: Request) -> Response:
        id = request.path_params["id"]
        return JSONResponse(self.page(id)) if id in self.texts else problem(404, "There is no such page.")

    async def text(self, request: Request) -> Response:
        id, version = request.path_params["id"], request.path_params["version"]
        versions = self.texts.get(id, [])
        if not 1 <= version <= len(versions):
            return problem(404, "There is no such version.")
        if id == "busy":
            self.write(id, f"{versions[-1]}* One more line.\n", "eve")
        return PlainTextResponse(versions[version - 1], media_type="text/markdown")

    async def put(self, request: Request) -> Response:
        id, text = request.path_params["id"], (await request.body()).decode()
        if id not in self.texts:
            return problem(404, "There is no such page.")
        versions = self.texts[id]
        if text == versions[-1]:  # done already: as RFC 9110 (13.1.1) allows, that is no conflict
            return JSONResponse(self.page(id))
        if request.headers["If-Match"] != f'"{len(versions)}"':
            return problem(412, f"Somebody else has written: the page has version {len(versions)}.")
        self.write(id, text, "us")
        if id == "contested":
            self.write(id, f"{text}* One more line.\n", "eve")
        if id == "dropped" and not self.dropped:
            self.dropped = True
            return Broken()
        return JSONResponse({**self.page(id), "version": len(versions) - (id == "contested")})

    async def comment(self, request: Request) -> Response:
        id, asked = request.path_params["id"], await request.json()
        if id in ("sealed", "contested"):
            return problem(423, "The comments are closed.")
        changed("wiki.comment", page=id, text=asked["text"])
        return Response(status_code=204)


def routes() -> list[BaseRoute]:
    """The routes of a new wiki."""
    wiki = Wiki()
    return [
        Route("/pages/{id}", wiki.get),
        Route("/pages/{id}/text", wiki.put, methods=["PUT"]),
        Route("/pages/{id}/versions/{version:int}", wiki.text),
        Route("/pages/{id}/comments", wiki.comment, methods=["POST"]),
    ]
