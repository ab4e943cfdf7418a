"""What `get_finance` and `get_carbon` answer, as plain data.

Every amount is whole EUR and every rate a fraction a year, unless the key says otherwise.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from erpsim.catalogue import CHANNELS
from erpsim.figures import rounded, whole, whole_euros
from erpsim.loans import overdraft_rate
from erpsim.observation import InvestmentOption, Observation
from erpsim.parameters import RULES
from erpsim.tool_arguments import Arguments
from erpsim.units import DAYS, WEEK

FIXED_PER_DAY: Final = RULES.labour + RULES.overhead + RULES.administration
"""Fixed costs in EUR a day."""


def finance_view(observation: Observation, arguments: Arguments) -> dict[str, Any]:
    """Show the firm's money.

    Keys: `position` (balances now, `net_income` and `dividends_paid` so far, company_risk and rates), `limits` (the
    most that `borrow`, `repay` and `dividend` can be, and `funds`: what orders, marketing, investments and dividend
    may come to together), `costs` (what falls due whatever is decided, and terms), `cash_due` (days with collections
    or payments, and `cash_after` them and the fixed costs so far, without any sale or order of this round), `income`
    (own past rounds), `investments` (next step's `cost` and size `step`, `steps_left` null without end, `allowed`).
    """
    views = {
        "position": _position,
        "limits": _limits,
        "costs": _costs,
        "cash_due": _cash_due,
        "income": _income,
        "investments": _investments,
    }
    return {"round": observation.round_number, "currency": "EUR"} | {
        part: views[part](observation) for part in arguments.parts
    }


def carbon_view(observation: Observation, arguments: Arguments) -> dict[str, Any]:
    """Show emissions in kg CO2e, what they cost and what the next green step would have saved in the last round.

    Keys: `price_eur_per_kg` of this round; `last_round` (kg by scope and `cost_eur`, null in round 1); `factors` (kg
    by cause before green steps); `steps` by kind: `bought`, `steps_left`, `next_cost_eur`, `cut` (share of its
    emissions that one step cuts), `emissions` it cuts, `saved_kg` and `saved_eur`: [at least, at most] that one more
    step would have saved in the last round at this round's price, null in round 1. The two differ for the fleet, whose
    pickups are not booked apart.
    """
    del arguments
    past = observation.history[-1] if observation.history else None
    last = None
    if past:
        scopes = {f"scope{index + 1}_kg": whole(kg) for index, kg in enumerate(past.carbon_kg)}
        last = {"round": past.round_number, **scopes, "cost_eur": whole_euros(past.carbon_cost)}
    options: dict[str, InvestmentOption] = {option.kind: option for option in observation.investments}
    return {
        "round": observation.round_number,
        "price_eur_per_kg": rounded(observation.carbon_price, 4),
        "last_round": last,
        "factors": _carbon_factors(),
        "steps": {kind: _green_step(kind, observation, options.get(kind)) for kind in _CUTS},
    }


def _position(observation: Observation) -> dict[str, Any]:
    finance = observation.finance
    names = ("cash", "receivables", "payables", "tax_payable", "loan", "credit_limit", "equity")
    return {
        **{name: whole_euros(getattr(finance, name)) for name in names},
        "net_income": whole_euros(finance.net_income),
        "dividends_paid": whole_euros(finance.dividends_paid),
        "valuation": None if finance.valuation is None else round(finance.valuation),
        "rating": finance.rating,
        "company_risk": rounded(finance.company_risk, 5),
        "loan_rate": rounded(finance.loan_rate, 5),
        "overdraft_rate": rounded(overdraft_rate(finance.company_risk), 5),
        "distressed": finance.distressed,
        "credit_frozen": finance.credit_frozen,
    }


def _limits(observation: Observation) -> dict[str, Any]:
    finance = observation.finance
    unused = max(0, finance.credit_limit - finance.loan)
    borrow = 0 if finance.distressed or finance.credit_frozen else unused
    own = max(0, min(finance.cash - finance.loan, finance.net_income - finance.dividends_paid))
    repay = max(0, min(finance.cash, finance.loan))
    payables = int(observation.finance.payments_due.sum()) - _tax_due(observation)
    funds = max(0, finance.cash - payables) + borrow
    return {
        "funds": funds // 100,
        "borrow": borrow // 100,
        "repay": repay // 100,
        "dividend": 0 if finance.distressed else min(own, funds) // 100,
    }


def _tax_due(observation: Observation) -> int:
    return max(0, observation.finance.tax_payable)


def _costs(observation: Observation) -> dict[str, Any]:
    depreciation = observation.plant.cost / 100 / RULES.plant_life + RULES.buildings / RULES.building_life
    terms = zip(CHANNELS, RULES.receivable_days_low, RULES.receivable_days_high, strict=True)
    return {
        "fixed_per_day": FIXED_PER_DAY,
        "depreciation_per_day": whole(depreciation),
        "freight_per_unit": RULES.freight,
        "tax_rate": RULES.tax_rate,
        "tax_day": RULES.tax_day,
        "payable_days": RULES.payable_days,
        "receivable_days": {channel: [low, high] for channel, low, high in terms},
    }


def _cash_due(observation: Observation) -> list[dict[str, int]]:
    finance = observation.finance
    path = np.cumsum(finance.collections_due - finance.payments_due) + finance.cash
    due = zip(finance.collections_due.tolist(), finance.payments_due.tolist(), path.tolist(), strict=True)
    return [
        {
            "day": day,
            "collections": whole_euros(collected),
            "payments": whole_euros(paid),
            "cash_after": whole_euros(cash) - FIXED_PER_DAY * day,
        }
        for day, (collected, paid, cash) in enumerate(due, start=1)
        if collected or paid or day == DAYS
    ]


def _income(observation: Observation) -> list[dict[str, int]]:
    names = ("revenue", "cost_of_goods", "marketing", "carbon_cost", "net_income", "dividends")
    return [
        {
            "round": past.round_number,
            **{name: whole_euros(getattr(past, name)) for name in names},
            "valuation": round(past.valuation),
        }
        for past in observation.history
    ]


def _investments(observation: Observation) -> list[dict[str, Any]]:
    allowed = not (observation.finance.distressed or observation.finance.credit_frozen)
    return [
        {
            "kind": option.kind,
            "step": option.step,
            "steps_left": option.steps_left,
            "cost": whole_euros(option.next_cost),
            "allowed": allowed,
        }
        for option in observation.investments
    ]


_CUTS: Final = {"green_production": "production", "green_fleet": "freight and pickup"}


def _carbon_factors() -> dict[str, Any]:
    vendors = {"A": 0, "B": 1}
    return {
        "production_kg_per_unit": RULES.carbon_production,
        "setup_kg_per_hour": RULES.carbon_setup,
        "freight_kg_per_unit": RULES.carbon_freight,
        "food_pickup_kg_per_order": {vendor: RULES.carbon_pickup_food[index] for vendor, index in vendors.items()},
        "packaging_pickup_kg_per_order": {
            vendor: RULES.carbon_pickup_packaging[index] for vendor, index in vendors.items()
        },
        "food_kg_per_kg_purchased": RULES.carbon_food,
        "energy_kg_per_day": RULES.carbon_energy,
        "overhead_kg_per_day": RULES.carbon_overhead,
        "overstock_kg_per_day_and_block": dict(
            zip(("goods", "food", "packaging"), RULES.carbon_overstock, strict=True)
        ),
        "billed_every_days": WEEK,
    }


def _green_step(kind: str, observation: Observation, option: InvestmentOption | None) -> dict[str, Any]:
    saved = _saved_kg(kind, observation) if option else None
    return {
        "bought": getattr(observation.plant, kind),
        "steps_left": option.steps_left if option else 0,
        "next_cost_eur": whole_euros(option.next_cost) if option else None,
        "cut": RULES.green_cut,
        "emissions": _CUTS[kind],
        "saved_kg": saved and [whole(kg) for kg in saved],
        "saved_eur": saved and [whole(kg * observation.carbon_price) for kg in saved],
    }


def _saved_kg(kind: str, observation: Observation) -> list[float] | None:
    """Kg that one more step would have saved in the last round: at least and at most."""
    if not observation.history:
        return None
    past, plant = observation.history[-1], observation.plant
    units = int(past.produced.sum())
    if kind == "green_production":
        saved = units * RULES.carbon_production * RULES.green_cut
        return [saved, saved]
    freight = units * RULES.carbon_freight
    production = units * RULES.carbon_production * (1 - RULES.green_cut * plant.green_production)
    fleet = (past.carbon_kg[0] - production) / (1 - RULES.green_cut * plant.green_fleet)
    return [freight * RULES.green_cut, max(freight, fleet) * RULES.green_cut]
