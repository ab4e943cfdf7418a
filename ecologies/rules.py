"""The five rule policies: one decision function, five rows of parameters.

Deterministic, from the observation alone: price and forecast from own demanded units, material requirements planning
with orders under way, marketing as a share of revenue, and money kept within what the bank lets it spend. They pass the
same repair as anyone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from ecologies.rule_finance import Outlook, finance_plan, funds_of, marketing, setup_cut
from ecologies.rule_forecast import demand_at
from ecologies.rule_parameters import RULE_PARAMETERS, RuleParameters
from ecologies.rule_planner import SupplyPlan, capacity_of, line_of, supply_plan
from ecologies.rule_pricing import price_list
from erpsim.catalogue import ACTIVE, CHANNEL_INDEX, CHANNELS_OF, SKUS
from erpsim.decision import Decision, ProductionItem
from erpsim.errors import WorkError
from erpsim.observation import Observation
from erpsim.production import Line
from erpsim.proposal import Proposal
from erpsim.units import DAYS, FloatArray

RUNS_EXPECTED = 20
"""Setups in a round that a first guess of supply reckons with."""

LAUNCH_SALES = 0.75
"""Share of a first round's expected sales that a rule counts on while its shelves fill."""


@dataclass(frozen=True)
class RulePolicy:
    """A firm run by a rule."""

    parameters: RuleParameters

    async def decide(self, observation: Observation) -> Proposal:
        """Propose the rule's decision; equal observations give equal decisions."""
        return Proposal(decide_rule(self.parameters, observation))


def rule_policy(name: str) -> RulePolicy:
    """Find a rule by its name.

    Raises:
        WorkError: there is no such rule.
    """
    if name not in RULE_PARAMETERS:
        raise WorkError(f"unknown rule {name!r}; known: {', '.join(RULE_PARAMETERS)}")
    return RulePolicy(RULE_PARAMETERS[name])


def decide_rule(parameters: RuleParameters, observation: Observation) -> Decision:
    """Decide a round; pure."""
    funds = funds_of(observation)
    unit_cost = float(np.add.reduce(observation.unit_cost)) / len(SKUS)
    cut = setup_cut(parameters, observation, funds - _materials_bill(observation, unit_cost))
    line = line_of(observation, cut)
    supply = float(np.add.reduce(observation.goods_stock, axis=None)) + _makeable(observation, line, funds, unit_cost)
    prices = price_list(parameters, observation, supply)
    demand = demand_at(observation, prices)
    plan = supply_plan(parameters, observation, demand, line, funds)
    outlook = Outlook(
        supply=plan,
        revenue=_revenue(observation, plan, demand, prices),
        price_level=_price_level(observation, prices),
        funds=funds,
        distressed=observation.finance.distressed,
    )
    advertising = marketing(parameters, outlook)
    spend = sum(item.amount for item in advertising)
    sections = {
        "prices": _price_section(prices),
        "production": _production(observation, plan, demand),
        "purchase_orders": plan.orders,
        "marketing": advertising,
        "finance": finance_plan(parameters, observation, outlook, spend, cut),
    }
    # The parts are valid as they are made, so the whole is not validated once more.
    return _NOTHING.model_copy(update=sections)


_NOTHING: Final = Decision()


def _materials_bill(observation: Observation, unit_cost: float) -> int:
    """Cents that a round's materials would cost at the line's full capacity."""
    units = observation.plant.capacity * observation.capacity_hours / 24
    return round(units * unit_cost * 100)


def _makeable(observation: Observation, line: Line, funds: int, unit_cost: float) -> float:
    """Units that the round can make: by hours, less what is lost while first materials arrive, and by money."""
    idle = 0 if observation.material_stock.any() else observation.lead_ranges[1][1]
    by_hours = capacity_of(line, RUNS_EXPECTED) * (1 - idle / DAYS)
    under_way = sum(order.value for order in observation.open_orders)
    stock = float(observation.material_stock @ observation.material_prices[0])
    by_money = ((funds + under_way) / 100 + stock) / unit_cost
    return min(by_hours, by_money)


def _price_level(observation: Observation, prices: FloatArray) -> float:
    """Mean of the prices over list."""
    over_list = (prices / observation.list_prices[:, None])[ACTIVE]
    return float(np.add.reduce(over_list)) / len(over_list)


def _revenue(observation: Observation, plan: SupplyPlan, demand: FloatArray, prices: FloatArray) -> int:
    """Cents that the round's sales should come to."""
    made = [0] * len(SKUS)
    for sku, quantity in plan.items:
        made[sku] += quantity
    goods = np.array(made) + np.add.reduce(observation.goods_stock, axis=1)
    wanted = np.add.reduce(demand, axis=1)
    served = np.minimum(goods, wanted) / np.maximum(wanted, 1.0)
    # Half of what a first round makes comes too late to be sold in it.
    launch = 1.0 if observation.history or observation.goods_stock.any() else LAUNCH_SALES
    return round(launch * float(np.add.reduce(demand * prices * served[:, None], axis=None)) * 100)


def _price_section(prices: FloatArray) -> dict[str, dict[str, float] | float]:
    """Prices by SKU and channel; they are in whole cents."""
    rows = zip(CHANNELS_OF.items(), prices.tolist(), strict=True)
    return {sku: {channel: row[CHANNEL_INDEX[channel]] for channel in sold} for (sku, sold), row in rows}


def _production(observation: Observation, plan: SupplyPlan, demand: FloatArray) -> tuple[ProductionItem, ...]:
    """Items of the plan, sent to channels by what each is expected to lack."""
    lacking = np.maximum(demand * 1.1 - observation.goods_stock, 0.02 * demand + 1.0) * ACTIVE
    shares = (lacking / np.add.reduce(lacking, axis=1)[:, None]).tolist()
    distributions = [
        {channel: round(row[CHANNEL_INDEX[channel]], 4) for channel in sold}
        for row, sold in zip(shares, CHANNELS_OF.values(), strict=True)
    ]
    # A SKU that is made in both cycles is often made in two equal lots.
    lots = {
        (sku, quantity): ProductionItem(sku=SKUS[sku], quantity=quantity, distribution=distributions[sku])
        for sku, quantity in dict.fromkeys(plan.items)
    }
    return tuple([lots[item] for item in plan.items])
