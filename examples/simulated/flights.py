"""Flights from LIS to BER: 120 offers a day, each with its conditions; prices are asked for one by one, and change.

Every seventh offer is gone when its price is asked for, airline NI sells in a currency without a rate, and GA has no
price but on request. On 2026-12-24 everything is sold out meanwhile. There are no rates for the base DKK.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

from effects import LOOKS_OUTSIDE
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from typing_extensions import TypedDict

CONDITIONS = "Bags, meals and changes are sold apart. " * 20
CURRENCIES = {"TA": "EUR", "UB": "GBP", "US": "USD", "NI": "ISK", "GA": "EUR"}
AIRLINES = [*("TA", "UB", "US") * 3, "NI", "GA"]
EURO = {"EUR": 1.0, "GBP": 0.8, "USD": 1.25}
"""What one euro is."""


class Offer(TypedDict):
    id: str
    airline: str
    departs: datetime
    arrives: datetime
    stops: int
    conditions: str


class Offers(TypedDict):
    offers: list[Offer]


class Price(TypedDict):
    total: str
    currency: str


class Rates(TypedDict):
    base: str
    as_of: date
    rates: dict[str, float]


server = MCPServer("simulated-flights", version="1.0.0", log_level="ERROR")


@server.tool(annotations=LOOKS_OUTSIDE)
def search(origin: str, destination: str, day: date) -> Offers:
    """The offers of a day, by departure, without prices."""
    if (origin, destination) != ("LIS", "BER"):
        return {"offers": []}
    midnight = datetime(day.year, day.month, day.day, tzinfo=UTC)
    offers: list[Offer] = []
    for number in range(120):
        departs, stops = midnight + timedelta(minutes=300 + 8 * number), number % 4
        arrives = departs + timedelta(minutes=200 + 95 * stops + number % 11)
        offers.append({"id": f"{day:%m%d}-{number:03}", "airline": AIRLINES[number % 11], "departs": departs,
                       "arrives": arrives, "stops": stops, "conditions": CONDITIONS})  # fmt: skip
    return {"offers": offers}


@server.tool(annotations=LOOKS_OUTSIDE)
def price(offer: str) -> Price:
    """What an offer costs now, in the currency in which its airline sells; fails where the offer is gone."""
    number = int(offer[-3:])
    if number % 7 == 0 or offer.startswith("1224"):
        raise ToolError(f"The offer {offer} is gone.")
    airline = AIRLINES[number % 11]
    total = "on request" if airline == "GA" else f"{90 + number * 37 % 160}.{number % 100:02}"
    return {"total": total, "currency": CURRENCIES[airline]}


@server.tool(annotations=LOOKS_OUTSIDE)
def rates(base: str) -> Rates:
    """What one unit of a currency is in others."""
    if base not in EURO:
        raise ToolError(f"There are no rates for {base}.")
    others = {code: round(rate / EURO[base], 4) for code, rate in EURO.items() if code != base}
    return {"base": base, "as_of": date(2026, 6, 1), "rates": others}


if __name__ == "__main__":
    server.run()
