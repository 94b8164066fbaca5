"""A registry of images and a service that knows what is wrong with packages.

What happens to a query is told by its package: `libdark` is never answered, `libbusy` once too often asked, `libodd`
answered with something else than was promised.
"""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

IMAGES = {
    "shop/api:1.4.0": ["deb zlib 1.2.11", "deb tar 1.34", "pypi rapidyaml 5.3", "deb zlib 1.2.11", "deb bash 5.2"],
    "shop/api:1.5.0": ["deb zlib 1.3.1", "deb bash 5.2", "pypi rapidyaml 6.0"],
    "shop/jobs:2.0.0": ["deb libdark 1.0", "deb libbusy 2.0", "deb libodd 3.0", "deb tar 1.34"],
    "shop/web:0.9.0": ["deb bash 5.2", "deb libdark 1.0"],
    "shop/scratch:1": [],
}
ADVISORIES: dict[str, list[tuple[str, str, float, str | None]]] = {
    "zlib 1.2.11": [("ADV-2022-0037", "A deflated stream writes beyond its buffer.", 8.1, "1.2.12")],
    "tar 1.34": [("ADV-2022-0048", "A header is read one byte too far.", 3.7, None)],
    "rapidyaml 5.3": [
        ("ADV-2020-0014", "Tags of a document call functions.", 7.3, "5.4"),
        ("ADV-2020-0015", "A loader that is called safe runs code.", 9.8, "5.4"),
    ],
    "libbusy 2.0": [("ADV-2024-0101", "A certificate of the wrong host is accepted.", 5.9, "2.1")],
}


def problem(status: int, title: str) -> Response:
    return JSONResponse({"title": title}, status, media_type="application/problem+json")


async def config(request: Request) -> Response:
    packages = IMAGES.get(request.query_params["image"])
    if packages is None:
        return problem(404, "There is no such image.")
    names = ("ecosystem", "name", "version")
    return JSONResponse({
        "digest": f"sha256:{len(packages):064x}",
        "base": None,
        "packages": [dict(zip(names, package.split(), strict=True)) for package in packages],
    })  # fmt: skip


def registry() -> list[BaseRoute]:
    return [Route("/config", config)]


def advisories() -> list[BaseRoute]:
    """The routes of a new service: it has not been busy yet."""
    asked: list[str] = []

    async def query(request: Request) -> Response:
        wanted: dict[str, Any] = await request.json()
        name = wanted["name"]
        asked.append(name)
        if name == "libdark":
            return problem(503, "The index of the package is being built.")
        if name == "libbusy" and asked.count(name) == 1:
            return problem(429, "Too many queries.")
        if name == "libodd":
            return JSONResponse({"advisories": "see our page"})
        names = ("id", "summary", "score", "fixed_in")
        found = ADVISORIES.get(f"{name} {wanted['version']}", [])
        return JSONResponse({"advisories": [dict(zip(names, each, strict=True)) for each in found]})

    return [Route("/query", query, methods=["POST"])]
