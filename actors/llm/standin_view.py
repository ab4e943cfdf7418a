"""What a stand-in model reads out of a conversation: the round from the prompt, every figure from the tool results."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import orjson

Json = Mapping[str, Any]

FIGURES: Final[Mapping[str, str]] = {
    "get_finance": "position",
    "get_inventory": "goods",
    "get_market_prices": "products",
    "get_demand": "cells",
    "get_raw_materials": "materials",
}
NEEDED_TOOLS: Final = tuple(FIGURES)
"""Tools without whose figures a stand-in does not plan; a client that shortens a conversation may leave them out."""

_ROUND: Final = re.compile(r"^ROUND (\d+) of (\d+)\b", re.MULTILINE)
_REASKED: Final = "could not be used"


@dataclass(frozen=True)
class Cell:
    """One SKU in one channel that buys it; prices in EUR/unit, quantities in units a round."""

    sku: str
    channel: str
    list_price: float
    price: float
    material_cost: float
    rival_price: float | None  # mean of the rivals, None in round 1
    expected: float  # at list prices, by the market study
    demanded: float | None  # last round; None in round 1
    unmet: float
    stock: int


@dataclass(frozen=True)
class Line:
    """The production line in this round."""

    units_per_hour: float
    hours: float
    setup_hours: float
    set_up_for: str | None
    lot_minimum: int
    lot_maximum: int
    lot_step: int


@dataclass(frozen=True)
class Supply:
    """One material: kg or pieces, EUR."""

    stock: int
    under_way: tuple[tuple[int, int], ...]  # (day, quantity)
    prices: tuple[float, ...]  # by week


@dataclass(frozen=True)
class View:
    """All that a plan rests on."""

    round_number: int
    horizon: int
    cells: tuple[Cell, ...]
    made: Mapping[str, int]  # units by SKU in the last round
    line: Line
    supplies: Mapping[str, Supply]
    recipes: Mapping[str, Mapping[str, int]]  # per 1,000 units
    lead_days: Mapping[str, tuple[int, int]]  # by vendor
    cash: float
    loan: float
    equity: float
    net_debt: float
    funds: float
    borrow: float
    repay: float
    dividend: float
    collections: float  # due in this round
    payments: float
    investments: Mapping[str, Json]  # by kind


@dataclass(frozen=True)
class Talk:
    """A conversation as far as it has come."""

    model: str
    round_number: int | None  # None when it is no round of the game
    horizon: int
    results: Mapping[str, Json]  # answers of tools by tool name, the last one of each
    answered: bool  # the model has said something in it
    reasks: int
    tools_offered: tuple[str, ...]  # none when the request forbids calls


def read_talk(body: Json) -> Talk:
    """Read a request's conversation; anything unknown in it is passed over."""
    messages = [message for message in body.get("messages") or () if isinstance(message, dict)]
    users = [_text(message.get("content")) for message in messages if message.get("role") == "user"]
    found = next((match for match in map(_ROUND.search, users) if match), None)
    offered = () if body.get("tool_choice") == "none" else body.get("tools") or ()
    tools = [tool.get("function", {}).get("name", "") for tool in offered if isinstance(tool, dict)]
    return Talk(
        model=str(body.get("model")),
        round_number=int(found[1]) if found else None,
        horizon=int(found[2]) if found else 0,
        results=_results(messages),
        answered=any(message.get("role") == "assistant" for message in messages),
        reasks=sum(_REASKED in text for text in users),
        tools_offered=tuple(tools),
    )


def has_figures(talk: Talk) -> bool:
    """Whether every tool that a plan needs has been answered."""
    return all(name in talk.results for name in NEEDED_TOOLS)


def read_view(talk: Talk) -> View:
    """The figures of a conversation that has them (`has_figures`)."""
    finance, inventory, prices, demand, materials = (talk.results[name] for name in NEEDED_TOOLS)
    line, position, limits = inventory["line"], finance["position"], finance["limits"]
    return View(
        round_number=talk.round_number or int(finance["round"]),
        horizon=talk.horizon or int(finance["round"]),
        cells=tuple(_cells(inventory, prices, demand)),
        made={sku: int(goods["made_last_round"] or 0) for sku, goods in inventory["goods"].items()},
        line=Line(
            units_per_hour=float(line["units_per_hour"]),
            hours=float(line["hours"]),
            setup_hours=float(line["setup_hours"]),
            set_up_for=line["set_up_for"],
            lot_minimum=int(line["lot_minimum"]),
            lot_maximum=int(line["lot_maximum"]),
            lot_step=int(line["lot_step"]),
        ),
        supplies={name: _supply(row) for name, row in materials["materials"].items()},
        recipes=materials["recipes"],
        lead_days={name: (row["lead_days"][0], row["lead_days"][1]) for name, row in materials["vendors"].items()},
        cash=float(position["cash"]),
        loan=float(position["loan"]),
        equity=float(position["equity"]),
        net_debt=float(
            position["loan"]
            + position["payables"]
            + position["tax_payable"]
            - position["cash"]
            - position["receivables"]
        ),
        **{name: float(limits[name]) for name in ("funds", "borrow", "repay", "dividend")},
        collections=float(sum(row["collections"] for row in finance["cash_due"])),
        payments=float(sum(row["payments"] for row in finance["cash_due"])),
        investments={row["kind"]: row for row in finance["investments"] if row["allowed"]},
    )


def _results(messages: Sequence[Json]) -> dict[str, Json]:
    names: dict[str, str] = {}
    results: dict[str, Json] = {}
    for message in messages:
        for call in message.get("tool_calls") or ():
            names[str(call.get("id"))] = str((call.get("function") or {}).get("name"))
        if message.get("role") == "tool":
            answer = _object(_text(message.get("content")))
            name = names.get(str(message.get("tool_call_id")), "")
            if answer and "error" not in answer and FIGURES.get(name, "") in {"", *answer}:
                results[name] = answer
    return results


def _text(content: object) -> str:
    """The text of a message, which is a string or a list of parts."""
    if isinstance(content, list):
        return "".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else ""


def _object(text: str) -> Json:
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        return {}
    return value if isinstance(value, dict) else {}


def _cells(inventory: Json, prices: Json, demand: Json) -> list[Cell]:
    cells = []
    for sku, product in prices["products"].items():
        for channel, offer in product["channels"].items():
            asked = demand["cells"][sku][channel]
            last = asked["by_round"][-1] if asked["by_round"] else None
            cells.append(
                Cell(
                    sku=sku,
                    channel=channel,
                    list_price=float(product["list"]),
                    price=float(offer["own"]),
                    material_cost=float(product["material_cost"]),
                    rival_price=float(offer["rivals"][0]) if offer.get("rivals") else None,
                    expected=float(asked["expected_at_list"]),
                    demanded=float(last["demanded"]) if last else None,
                    unmet=float(last["unmet"]) if last else 0.0,
                    stock=int(inventory["goods"][sku]["stock"][channel]),
                )
            )
    return cells


def _supply(row: Json) -> Supply:
    under_way = tuple((int(order["day"]), int(order["quantity"])) for order in row["under_way"])
    return Supply(int(row["stock"]), under_way, tuple(float(price) for price in row["price_by_week"]))
