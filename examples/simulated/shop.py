"""A shop that refunds orders: with idempotency keys, and with the accidents of real networks.

What happens to a refund is told by its order: `ord-dropped` is refunded but the connection breaks before the answer;
`ord-lost` breaks once before anything was done; `ord-failed` ends as a refund that failed; notes on `ord-sealed` are
refused. Callers need the token in SHOP_TOKEN (`simulated` where it is not set).
"""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable
from typing import Any

from journal import changed
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route
from starlette.types import Receive, Scope, Send

ADA = {"email": "ada@customers.example", "name": "Ada"}
ORDERS: dict[str, dict[str, Any]] = {
    id: {"id": id, "total": total, "refunded": refunded, "currency": "EUR", "customer": customer}
    for id, total, refunded, customer in (
        ("ord-1001", 24000, 0, ADA),
        ("ord-1002", 9900, 5000, {"email": "bob@customers.example"}),
        ("ord-1003", 4200, 0, {"email": "eve@bounces.example", "name": None}),
        ("ord-dropped", 5000, 0, ADA),
        ("ord-lost", 5000, 0, ADA),
        ("ord-failed", 5000, 0, ADA),
        ("ord-sealed", 5000, 0, ADA),
    )
}


class Broken(Response):
    """An answer of which only a part comes: the connection breaks."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = [(b"content-type", b"application/json"), (b"content-length", b"1000")]
        await send({"type": "http.response.start", "status": 201, "headers": headers})
        await send({"type": "http.response.body", "body": b"{", "more_body": False})


def problem(status: int, title: str) -> Response:
    return JSONResponse({"title": title}, status, media_type="application/problem+json")


class Shop:
    """`refunds` by their id, `keys`: the id that a key stands for."""

    def __init__(self) -> None:
        self.orders = {id: dict(order) for id, order in ORDERS.items()}
        self.refunds: dict[str, dict[str, Any]] = {}
        self.keys: dict[str, str] = {}
        self.lost = 0

    async def order(self, request: Request) -> Response:
        found = self.orders.get(request.path_params["id"])
        return problem(404, "There is no such order.") if found is None else JSONResponse(found)

    async def note(self, request: Request) -> Response:
        id, asked = request.path_params["id"], await request.json()
        if id == "ord-sealed":
            return problem(409, "The order is sealed.")
        changed("shop.addNote", order=id, text=asked["text"])
        return JSONResponse({"id": f"n-{id}"}, 201)

    async def create(self, request: Request) -> Response:
        asked = await request.json()
        order, key = self.orders.get(asked["orderId"]), asked["idempotencyKey"]
        if key in self.keys:
            return JSONResponse(self.refunds[self.keys[key]], 201)
        if order is None:
            return problem(422, "There is no such order.")
        if asked["amount"] > order["total"] - order["refunded"]:
            return problem(422, "That is more than the customer paid.")
        if order["id"] == "ord-lost" and not self.lost:
            self.lost += 1
            return Broken()
        id = f"rf-{len(self.refunds) + 1}"
        status = "failed" if order["id"] == "ord-failed" else "pending"
        self.refunds[id] = {"id": id, "orderId": order["id"], "amount": asked["amount"], "status": status}
        self.keys[key] = id
        order["refunded"] += asked["amount"]
        changed("shop.createRefund", **self.refunds[id], key=key)
        return Broken() if order["id"] == "ord-dropped" else JSONResponse(self.refunds[id], 201)

    async def find(self, request: Request) -> Response:
        id = self.keys.get(request.query_params["idempotencyKey"])
        changed("shop.findRefund", order=request.query_params["orderId"], found=id)
        return Response(status_code=204) if id is None else JSONResponse(self.refunds[id])

    async def one(self, request: Request) -> Response:
        found = self.refunds.get(request.path_params["id"])
        return problem(404, "There is no such refund.") if found is None else JSONResponse(found)

    async def cancel(self, request: Request) -> Response:
        found = self.refunds.get(request.path_params["id"])
        if found is None:
            return problem(404, "There is no such refund.")
        if found["status"] != "cancelled":
            found["status"] = "cancelled"
            self.orders[found["orderId"]]["refunded"] -= found["amount"]
            changed("shop.cancelRefund", id=found["id"])
        return JSONResponse(found)


def routes() -> list[BaseRoute]:
    """The routes of a new shop."""
    shop = Shop()

    def guarded(answer: Callable[[Request], Awaitable[Response]]) -> Callable[[Request], Awaitable[Response]]:
        async def checked(request: Request) -> Response:
            if request.headers.get("Authorization") != f"Bearer {os.environ.get('SHOP_TOKEN', 'simulated')}":
                return problem(401, "The token is not known.")
            return await answer(request)

        return checked

    return [
        Route("/orders/{id}", guarded(shop.order)),
        Route("/orders/{id}/notes", guarded(shop.note), methods=["POST"]),
        Route("/refunds", guarded(shop.create), methods=["POST"]),
        Route("/refunds", guarded(shop.find)),
        Route("/refunds/{id}", guarded(shop.one)),
        Route("/refunds/{id}/cancel", guarded(shop.cancel), methods=["POST"]),
    ]
