"""A credit service for shoppers who pay later: who may, customers, plans of instalments. Amounts are in minor units.

`ada@customers.example` is a customer already. Who has an address at `debts.example` may not; nobody may above 1500.00
EUR or USD, or 200000 JPY. What happens to a plan is told by its order: `ord-dropped` breaks the connection once after
the plan was made; the plan of `ord-uneven` does not add up; for `ord-refused` there is none, although one may.
"""

from __future__ import annotations

from typing import Any

from journal import changed
from shop import Broken, problem
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

LIMITS = {"EUR": 150000, "USD": 150000, "JPY": 200000}


class PayLater:
    """`keys`: the answer that a key has got."""

    def __init__(self) -> None:
        self.customers = {"cu-1": {"id": "cu-1", "email": "ada@customers.example", "name": "Ada"}}
        self.plans: dict[str, dict[str, Any]] = {}
        self.keys: dict[str, dict[str, Any]] = {}

    async def check(self, request: Request) -> Response:
        asked = await request.json()
        limit = LIMITS[asked["currency"]]
        reason = None
        if asked["email"].endswith("@debts.example"):
            reason = "unpaid_plans"
        elif asked["amount"] > limit:
            reason = "amount_too_high"
        return JSONResponse({"eligible": reason is None, "reason": reason, "limit": limit})

    async def search(self, request: Request) -> Response:
        asked = await request.json()
        return JSONResponse({"items": [each for each in self.customers.values() if each["email"] == asked["email"]]})

    async def customer(self, request: Request) -> Response:
        asked, key = await request.json(), request.headers["Idempotency-Key"]
        if key not in self.keys:
            made = {"id": f"cu-{len(self.customers) + 1}", **asked}
            self.keys[key] = self.customers[made["id"]] = made
            changed("pay_later.createCustomer", id=made["id"], email=made["email"])
        return JSONResponse(self.keys[key], 201)

    async def close(self, request: Request) -> Response:
        id = request.path_params["id"]
        self.customers.pop(id, None)
        changed("pay_later.closeCustomer", id=id)
        return Response(status_code=204)

    async def plan(self, request: Request) -> Response:
        asked, key = await request.json(), request.headers["Idempotency-Key"]
        if asked["orderId"] == "ord-refused":
            return problem(402, "The bank does not lend for this order.")
        if key not in self.keys:
            id = f"pl-{len(self.plans) + 1}"
            self.keys[key] = self.plans[id] = {"id": id, "status": "active", "instalments": instalments(asked)}
            changed("pay_later.createPlan", id=id, order=asked["orderId"], customer=asked["customerId"], key=key)
            if asked["orderId"] == "ord-dropped":
                return Broken()
        return JSONResponse(self.keys[key], 201)

    async def one(self, request: Request) -> Response:
        found = self.plans.get(request.path_params["id"])
        return problem(404, "There is no such plan.") if found is None else JSONResponse(found)

    async def cancel(self, request: Request) -> Response:
        found = self.plans.get(request.path_params["id"])
        if found is None:
            return problem(404, "There is no such plan.")
        found["status"] = "cancelled"
        changed("pay_later.cancelPlan", id=found["id"])
        return JSONResponse(found)


def instalments(asked: dict[str, Any]) -> list[dict[str, Any]]:
    """One a month. What does not divide is paid with the first."""
    each, rest = divmod(asked["amount"], asked["instalments"])
    if asked["orderId"] == "ord-uneven":
        rest = 0
    return [
        {"due": f"2026-{6 + month:02}-01", "amount": each + (rest if month == 0 else 0)}
        for month in range(asked["instalments"])
    ]


def routes() -> list[BaseRoute]:
    """The routes of a new service."""
    service = PayLater()
    return [
        Route("/eligibility", service.check, methods=["POST"]),
        Route("/customers/search", service.search, methods=["POST"]),
        Route("/customers", service.customer, methods=["POST"]),
        Route("/customers/{id}", service.close, methods=["DELETE"]),
        Route("/plans", service.plan, methods=["POST"]),
        Route("/plans/{id}", service.one),
        Route("/plans/{id}/cancel", service.cancel, methods=["POST"]),
    ]
