"""An observation as plain JSON, for policies in any language, and the JSON schema of it.

Amounts are EUR, not cents; arrays are written by the names of SKUs, channels, materials and vendors; floats are written
in full, so that a policy over JSON sees the very numbers that a policy in Python sees. Only what `Observation` holds is
written, and all of it.
"""

from __future__ import annotations

from typing import Any, Final

from erpsim.catalogue import CHANNELS, MATERIALS, SKUS, VENDORS, firm_name
from erpsim.decision import decision_schema
from erpsim.investments import KINDS
from erpsim.json_shape import (
    EUR,
    FLAG,
    NUMBER,
    TEXT,
    WHOLE,
    Member,
    Schema,
    Shape,
    by_cell,
    keyed,
    listed,
    name_at,
    named,
    nullable,
    one_of,
    record,
)
from erpsim.observation import Observation
from erpsim.offer import MarketReport
from erpsim.units import DAYS, WEEKS

OBSERVATION_FORMAT: Final = "erpbench-observation/1"
"""Name and version of the layout; a change that breaks a reader gets the next number."""


def observation_json(observation: Observation) -> dict[str, Any]:
    """Write an observation as plain JSON; equal observations give equal JSON, its keys always in the same order."""
    written: dict[str, Any] = _OBSERVATION.write(observation)
    return written


def observation_schema() -> Schema:
    """JSON schema (draft 2020-12) that holds for every observation written here."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": OBSERVATION_FORMAT,
        **_OBSERVATION.schema,
        "$defs": _definitions(),
    }


def _definitions() -> Schema:
    decision = decision_schema()
    parts = decision.pop("$defs")
    return {**{name: shape.schema for name, shape in _DEFINITIONS.items()}, "decision": decision, **parts}


def _shown_firms(report: MarketReport) -> dict[str, dict[str, Any]]:
    firms = zip(report.seats, report.prices, report.shares, strict=True)
    return {
        firm_name(seat): {"prices": _MONEY_CELLS.write(prices), "market_share": _RATE_CELLS.write(shares)}
        for seat, prices, shares in firms
    }


_DEFINITIONS: Final = {"numbers_by_cell": by_cell(NUMBER), "units_by_cell": by_cell(WHOLE)}
_MONEY_CELLS: Final = named("numbers_by_cell", _DEFINITIONS["numbers_by_cell"])
_RATE_CELLS: Final = _MONEY_CELLS
_UNIT_CELLS: Final = named("units_by_cell", _DEFINITIONS["units_by_cell"])
_DECISION: Final = named("decision", Shape(lambda decision: decision.model_dump(mode="json"), {}))
_RANGE_DAYS: Final = record(
    Member("low", WHOLE, "days, at least", lambda days: days[0]),
    Member("high", WHOLE, "days, at most", lambda days: days[1]),
)

_FINANCE: Final = record(
    Member("cash", EUR, "EUR at the bank"),
    Member("accounts_receivable", EUR, "EUR that customers owe", lambda money: money.receivables),
    Member("accounts_payable", EUR, "EUR owed for goods received", lambda money: money.payables),
    Member("tax_payable", EUR, "EUR of tax owed; negative when it is an asset"),
    Member("loan", EUR, "EUR"),
    Member("credit_limit", EUR, "EUR; the loan may grow up to it"),
    Member("equity", EUR, "EUR"),
    Member("company_risk", NUMBER, "fraction a year, set by the bank at the last close"),
    Member("loan_rate", NUMBER, "interest, fraction a year"),
    Member("rating", TEXT, "the bank's rating"),
    Member("distressed", FLAG, "true: nothing is lent, invested or paid out, and orders are paid when placed"),
    Member("credit_frozen", FLAG, "true: nothing is lent or invested this round"),
    Member("net_income_to_date", EUR, "EUR over all finished rounds", lambda money: money.net_income),
    Member("dividends_to_date", EUR, "EUR over all finished rounds", lambda money: money.dividends_paid),
    Member("valuation", nullable(NUMBER), "EUR, value of the firm at the last close; null in round 1"),
    Member("collections_due", listed(EUR, DAYS), "EUR from sales made, by day of this round; the first is day 1"),
    Member("payments_due", listed(EUR, DAYS), "EUR for goods received, and tax, by day of this round"),
)

_PLANT: Final = record(
    Member("capacity", WHOLE, "units a day of 24 hours", lambda seen: seen.plant.capacity),
    Member("hours_available", NUMBER, "hours that the line works in this round", lambda seen: seen.capacity_hours),
    Member("setup_hours", NUMBER, "hours that a change of SKU takes in this round"),
    Member(
        "set_up_for",
        nullable(one_of(SKUS)),
        "SKU that the line is set up for; null: none",
        lambda seen: SKUS[seen.plant.last_sku] if seen.plant.last_sku >= 0 else None,
    ),
    Member("capacity_steps", WHOLE, "steps of capacity bought so far", lambda seen: seen.plant.capacity_steps),
    Member("setup_hours_cut", WHOLE, "hours of setup bought off so far", lambda seen: seen.plant.setup_cut),
    Member("green_production", WHOLE, "steps bought so far", lambda seen: seen.plant.green_production),
    Member("green_fleet", WHOLE, "steps bought so far", lambda seen: seen.plant.green_fleet),
    Member("plant_cost", EUR, "EUR ever paid for plant; what is depreciated", lambda seen: seen.plant.cost),
)

_INVESTMENT: Final = record(
    Member("kind", one_of(KINDS), "as in a decision's finance.investments"),
    Member("step", WHOLE, "size of one step in the decision's unit: units/day, hours or steps"),
    Member("steps_left", nullable(WHOLE), "steps that may still be bought; null: no end"),
    Member("next_cost", EUR, "EUR of the next step"),
)

_GOODS: Final = record(
    Member("on_hand", _UNIT_CELLS, "units on sale on the morning of day 1", lambda seen: seen.goods_stock),
    Member(
        "average_cost",
        keyed(SKUS, NUMBER),
        "EUR/unit, moving average of the stock; the material cost where there is no stock",
        lambda seen: seen.goods_cost,
    ),
    Member(
        "material_cost", keyed(SKUS, NUMBER), "EUR/unit of materials at this week's prices", lambda seen: seen.unit_cost
    ),
)

_MATERIALS: Final = record(
    Member("on_hand", keyed(MATERIALS, WHOLE), "kg, or pieces of packaging", lambda seen: seen.material_stock),
    Member(
        "price_by_week",
        keyed(MATERIALS, listed(NUMBER, WEEKS)),
        "EUR per kg or piece from vendor A in each of the round's six weeks of five days",
        lambda seen: seen.material_prices.T,
    ),
    Member("lead_time_days", keyed(VENDORS, _RANGE_DAYS), "days by vendor", lambda seen: seen.lead_ranges),
)

_OPEN_ORDER: Final = record(
    Member("material", name_at(MATERIALS), "name of the material"),
    Member("quantity", WHOLE, "kg or pieces"),
    Member("receipt_day", WHOLE, "day of this round on whose morning it can be used"),
    Member("value", EUR, "EUR"),
    Member("prepaid", FLAG, "true: paid when it was placed"),
)

_PRICES: Final = record(
    Member("last_round", _MONEY_CELLS, "EUR/unit charged in the last round; list in round 1", lambda seen: seen.prices),
    Member("list", keyed(SKUS, NUMBER), "EUR/unit", lambda seen: seen.list_prices),
    Member("lowest", NUMBER, "lowest price allowed, as a multiple of list", lambda seen: seen.price_band[0]),
    Member("highest", NUMBER, "highest price allowed, as a multiple of list", lambda seen: seen.price_band[1]),
)

_MARKET: Final = record(
    Member("goodwill", _MONEY_CELLS, "EUR/day; advertising that customers remember"),
    Member("service_level", keyed(CHANNELS, NUMBER), "fill rate that customers remember", lambda seen: seen.service),
    Member(
        "study",
        _MONEY_CELLS,
        "units/day that one firm sells when all ask list prices: an outside study, made before the game",
        lambda seen: seen.market_study,
    ),
)

_REPORT: Final = record(
    Member("firm_count", WHOLE, "firms in the market", lambda report: report.n_firms),
    Member(
        "firms",
        Shape(
            _shown_firms,
            {
                "type": "object",
                "additionalProperties": record(
                    Member("prices", _MONEY_CELLS, "EUR/unit"),
                    Member("market_share", _RATE_CELLS, "share of the units that all firms sold; 0 when none were"),
                ).schema,
            },
        ),
        "by firm name: all of up to 12 firms; of more, the own one and the five largest rivals",
        lambda report: report,
    ),
    Member("volume", _UNIT_CELLS, "units that all firms sold"),
    Member("rival_price_mean", _MONEY_CELLS, "EUR/unit over all rivals"),
    Member("rival_price_low", _MONEY_CELLS, "EUR/unit, lowest of all rivals"),
    Member("rival_price_high", _MONEY_CELLS, "EUR/unit, highest of all rivals"),
    Member("rival_units", _UNIT_CELLS, "units that all rivals sold"),
)

_CUT: Final = record(
    Member("section", TEXT, "price, production, order, advertising, finance or investment"),
    Member("what", TEXT, "SKU, SKU and channel, material, channel, or kind of finance action or investment"),
    Member("asked", NUMBER, "in the unit of the decision"),
    Member("granted", NUMBER, "in the unit of the decision; 0 for nothing"),
    Member("why", TEXT, "the reason"),
)

_PAST_ROUND: Final = record(
    Member("round", WHOLE, "number of the round", lambda past: past.round_number),
    Member("prices", _MONEY_CELLS, "EUR/unit charged"),
    Member("demanded", _UNIT_CELLS, "units that customers wanted from this firm first"),
    Member("sold", _UNIT_CELLS, "units, those received from others included"),
    Member("received", _UNIT_CELLS, "units sold to customers whose first choice had sold out"),
    Member("unmet", _UNIT_CELLS, "units of `demanded` that were not served"),
    Member("produced", keyed(SKUS, WHOLE), "units finished"),
    Member("marketing", EUR, "EUR"),
    Member("revenue", EUR, "EUR"),
    Member("cost_of_goods_sold", EUR, "EUR", lambda past: past.cost_of_goods),
    Member("net_income", EUR, "EUR"),
    Member("dividends", EUR, "EUR"),
    Member("valuation", NUMBER, "EUR, value of the firm at the round's close"),
    Member("carbon_kg", keyed(("scope_1", "scope_2", "scope_3"), NUMBER), "kg CO2e by scope"),
    Member("carbon_cost", EUR, "EUR"),
    Member("market_report", _REPORT, "what every firm may read about the round", lambda past: past.report),
    Member("decision", _DECISION, "what was executed, in the form of a decision"),
    Member("cuts", listed(_CUT), "what was not executed as asked"),
    Member("fallback", FLAG, "true: no usable decision was proposed, and the fallback was executed"),
)

_OBSERVATION: Final = record(
    Member(
        "format",
        Shape(str, {"type": "string", "const": OBSERVATION_FORMAT}),
        "name and version of this layout",
        lambda _: OBSERVATION_FORMAT,
    ),
    Member("firm", TEXT, "this firm's name in the market"),
    Member("seat", WHOLE, "its index in `firms`, from 0"),
    Member("firms", listed(TEXT), "names of all firms, by seat"),
    Member("round", WHOLE, "the round to decide, from 1", lambda seen: seen.round_number),
    Member("horizon", WHOLE, "rounds of the game"),
    Member("news", listed(TEXT), "what is known of disturbances, one sentence each"),
    Member("finance", _FINANCE, "own money"),
    Member("plant", _PLANT, "the own line", lambda seen: seen),
    Member("investments", listed(_INVESTMENT), "what may still be bought"),
    Member("goods", _GOODS, "own finished goods", lambda seen: seen),
    Member("materials", _MATERIALS, "own raw materials, and what they cost", lambda seen: seen),
    Member("open_orders", listed(_OPEN_ORDER), "purchase orders under way, oldest first"),
    Member("prices", _PRICES, "own prices and their bounds", lambda seen: seen),
    Member("market", _MARKET, "how customers stand to this firm", lambda seen: seen),
    Member("carbon_price", NUMBER, "EUR/kg CO2e of this round"),
    Member("history", listed(_PAST_ROUND), "the own finished rounds, oldest first"),
)
