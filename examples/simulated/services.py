"""The services of the examples behind HTTP: a shop, a CRM, alerts, images and their advisories, rates, an old ticket
system; with invented data.

python examples/simulated/services.py [PORT]        (8765, as the documents of the examples say; 0 for any)
"""

from __future__ import annotations

import socket
import sys
from collections.abc import Awaitable, Callable
from typing import Any

import uvicorn
from inbox import routes as mailbox
from journal import changed
from pay_later import routes as pay_later
from sales import RATES as EXCHANGE
from shop import routes as shop
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route
from vulnerabilities import advisories, registry
from wiki import routes as wiki

Answer = Callable[[Request], Awaitable[Response]]

COMPANIES = {
    "emea": ["Borealis Robotics", "Mumble Media", "Nimbus Cloud", "Quagmire Data", "Tern Logistics"],
    "amer": ["Pampa Foods", "Yukon Rail"],
    "apac": [],
}
SERVICES: dict[str, dict[str, Any]] = {
    "svc-checkout": {"id": "svc-checkout", "name": "Checkout", "owner": "team-pay", "tier": 1},
    "svc-search": {"id": "svc-search", "name": "Search", "tier": 2, "language": "rust"},
    "svc-ledger": {"id": "svc-ledger", "name": "Ledger", "owner": None, "tier": 1},
    "svc-orphan": {"id": "svc-orphan", "name": "Orphan", "owner": None, "tier": 4},
    "svc-dark": {"id": "svc-dark", "name": "Dark", "tier": 3},
    "svc-odd": {"id": "svc-odd", "name": "Odd", "tier": "first"},
}
RATES = {"svc-checkout": 0.31, "svc-search": 0.04, "svc-ledger": 1.02, "svc-orphan": 0.12}
ALERTS = {
    "al-2291": ("Checkout fails", ["svc-checkout", "svc-search", "svc-odd", "svc-gone"]),
    "al-2292": ("Search is slow", ["svc-search"]),
    "al-2293": ("Ledger does not balance", ["svc-ledger", "svc-search"]),
    "al-2294": ("Orphan fails", ["svc-orphan"]),
    "al-2295": ("A drill of silence", ["svc-checkout"]),
    "al-2296": ("Nothing is known", ["svc-dark", "svc-odd"]),
    "al-2297": ("Nobody is behind it", []),
}


def problem(status: int, title: str) -> Response:
    return JSONResponse({"title": title}, status, media_type="application/problem+json")


async def companies(request: Request) -> Response:
    names = COMPANIES.get(request.query_params["region"], [])[: int(request.query_params.get("limit", 50))]
    found = [{"id": f"c-{name.split()[0].lower()}", "name": name, "site": None} for name in names]
    return JSONResponse({"data": found, "next": None})


async def alert(request: Request) -> Response:
    id = request.path_params["id"]
    if id not in ALERTS:
        return problem(404, f"There is no alert {id}.")
    title, services = ALERTS[id]
    return JSONResponse({"id": id, "title": title, "started_at": "2026-05-04T08:00:00Z", "service_ids": services})


async def services(request: Request) -> Response:
    asked = request.query_params.get("ids", "").split(",")
    return JSONResponse({"items": [SERVICES[id] for id in asked if id in SERVICES]})


async def error_rate(request: Request) -> Response:
    rate = RATES.get(request.path_params["service"])
    return JSONResponse({"value": rate}) if rate is not None else problem(404, "Nothing is measured there.")


async def find_ticket(request: Request) -> Response:
    repo, asked_by = request.query_params["filter[repo]"], request.headers["X-Request-Id"]
    changed("legacy.find-ticket", repo=repo, request_id=asked_by)
    if repo.rstrip("/").endswith("/untracked"):
        return problem(404, "There is no ticket.")
    return JSONResponse({"id": "OLD-77", "subject": "<b>Clean up</b> the &amp; history"})


async def exchange(request: Request) -> Response:
    return JSONResponse(EXCHANGE)


def application() -> Starlette:
    """All services, each below its name; the data of the shop is new for every application."""
    return Starlette(
        routes=[
            Mount("/shop", routes=shop()),
            Mount("/pay_later", routes=pay_later()),
            Mount("/mailbox", routes=mailbox()),
            Mount("/wiki", routes=wiki()),
            Mount("/crm", routes=[Route("/companies", companies)]),
            Mount("/alerts", routes=[
                Route("/alerts/{id}", alert),
                Route("/services", services),
                Route("/services/{service}/error-rate", error_rate),
            ]),
            Mount("/legacy", routes=[Route("/find", find_ticket)]),
            Mount("/registry", routes=registry()),
            Mount("/advisories", routes=advisories()),
            Route("/rates", exchange),
        ]
    )  # fmt: skip


def main() -> None:
    port = int(sys.argv[1]) if len(sys.argv) > 1 else 8765
    with socket.create_server(("127.0.0.1", port)) as listening:
        print(f"http://127.0.0.1:{listening.getsockname()[1]}", flush=True)
        config = uvicorn.Config(application(), log_level="critical", timeout_graceful_shutdown=1)
        uvicorn.Server(config).run(sockets=[listening])


if __name__ == "__main__":
    main()
