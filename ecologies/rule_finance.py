"""A rule's money: what it may spend, what it invests, borrows, repays and pays out."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from ecologies.rule_parameters import RuleParameters
from ecologies.rule_planner import SupplyPlan
from erpsim.catalogue import CHANNELS
from erpsim.decision import Finance, Investment, MarketingItem
from erpsim.observation import Observation
from erpsim.parameters import RULES
from erpsim.units import DAYS, FloatArray, euros

CHANNEL_WEIGHTS: Final = (0.08, 0.52, 0.40)
"""Share of the marketing budget by channel: where a euro moves demand most."""
STEPS_A_ROUND: Final = 2
ROUNDS_TO_PAY: Final = 3
"""Rounds that must be left, this one included, for capacity to be bought."""
SCARCITY: Final = 1.2
"""Price level over list from which goods are so scarce that more capacity is wanted."""
COLLECTION_LAG: Final = 18
"""Days after which sales of a round are counted as cash."""
FIXED: Final = (RULES.labour + RULES.overhead + RULES.administration) * 100
"""Cents of fixed costs a day."""


class Outlook(NamedTuple):
    """What a rule expects of its round, in cents."""

    supply: SupplyPlan
    revenue: int
    price_level: float  # mean of the prices over list
    funds: int  # what may be spent in all
    distressed: bool  # then all of it is kept for materials


def funds_of(observation: Observation) -> int:
    """Cents that orders, marketing, investments and dividend may come to without any forecast; never negative."""
    finance = observation.finance
    payables = int(np.add.reduce(finance.payments_due)) - max(0, finance.tax_payable)
    barred = finance.distressed or finance.credit_frozen
    unused = 0 if barred else max(0, finance.credit_limit - finance.loan)
    return max(0, finance.cash - payables) + unused


def setup_cut(parameters: RuleParameters, observation: Observation, spare: int) -> int:
    """Hours of setup time to buy this round with the cents to spare."""
    finance = observation.finance
    if finance.distressed or finance.credit_frozen or observation.round_number > observation.horizon - 1:
        return 0
    bought = observation.plant.setup_cut
    steps = 0
    while bought + steps < parameters.setup_cut and _ladder(bought, steps + 1) <= spare:
        steps += 1
    return steps


def marketing(parameters: RuleParameters, outlook: Outlook) -> tuple[MarketingItem, ...]:
    """Spend a share of the expected revenue, over all SKUs of each channel."""
    budget = min(round(parameters.marketing_share * outlook.revenue), outlook.funds - outlook.supply.cost)
    if outlook.distressed:
        return ()
    amounts = (euros(int(max(0, budget) * weight)) for weight in CHANNEL_WEIGHTS)
    return tuple(
        MarketingItem(channel=channel, sku=None, amount=amount)
        for channel, amount in zip(CHANNELS, amounts, strict=True)
        if amount > 0
    )


def finance_plan(
    parameters: RuleParameters, observation: Observation, outlook: Outlook, advertising: float, setup_hours: int
) -> Finance:
    """Decide investments, loan, repayment and dividend.

    Args:
        parameters: the manager.
        observation: the round's.
        outlook: what the round is expected to bring.
        advertising: EUR of marketing.
        setup_hours: hours of setup time that are bought.
    """
    spent = outlook.supply.cost + round(advertising * 100)
    investments = [Investment(kind="setup_time", amount=setup_hours)] if setup_hours else []
    cost = _ladder(observation.plant.setup_cut, setup_hours)
    room = min(outlook.funds - spent, _net_debt_room(parameters, observation, outlook, spent))
    for item, price in (*_capacity(parameters, observation, outlook, room - cost), *_green(parameters, observation)):
        if cost + price <= room:
            investments.append(item)
            cost += price
    path = _cash_path(observation, outlook, spent, cost)
    lowest, own = int(np.minimum.reduce(path)), observation.finance
    borrow = max(0, min(parameters.cash_buffer * 100 // 4 - lowest, own.credit_limit - own.loan))
    if own.distressed or own.credit_frozen:
        borrow = 0
    spare = max(0, lowest - parameters.cash_buffer * 100)
    repay = 0 if borrow or own.distressed or own.credit_frozen else max(0, min(spare, own.loan, own.cash))
    earned = min(own.cash - own.loan, own.net_income - own.dividends_paid, outlook.funds - spent - cost, spare - repay)
    dividend = 0 if own.distressed else int(max(0.0, parameters.payout * earned))
    return Finance(borrow=euros(borrow), repay=euros(repay), dividend=euros(dividend), investments=tuple(investments))


def _ladder(bought: int, steps: int) -> int:
    """Cents of the next hours of setup time."""
    return 100 * sum(RULES.setup_ladder[bought : bought + steps])


def _net_debt_room(parameters: RuleParameters, observation: Observation, outlook: Outlook, spent: int) -> int:
    """Cents by which net debt may still rise through investments by the round's end."""
    own = observation.finance
    debt = own.loan + own.payables + own.tax_payable - own.cash - own.receivables
    return parameters.net_debt * 100 - (debt + spent + FIXED * DAYS - outlook.revenue)


def _capacity(
    parameters: RuleParameters, observation: Observation, outlook: Outlook, room: int
) -> list[tuple[Investment, int]]:
    """Steps of capacity, while goods are scarce, time is left to earn them back and money is there."""
    own, bought = observation.finance, observation.plant.capacity_steps
    rounds_left = observation.horizon - observation.round_number + 1
    if own.distressed or own.credit_frozen or rounds_left < ROUNDS_TO_PAY or outlook.price_level < SCARCITY:
        return []
    steps = cost = 0
    while steps < min(STEPS_A_ROUND, parameters.capacity_steps - bought):
        price = round(100 * RULES.capacity_cost * (1 + RULES.capacity_growth * (bought + steps)))
        if cost + price > room:
            break
        steps, cost = steps + 1, cost + price
    return [(Investment(kind="capacity", amount=steps * RULES.capacity_step), cost)] if steps else []


def _green(parameters: RuleParameters, observation: Observation) -> list[tuple[Investment, int]]:
    """One step of each green kind that its savings would pay at today's carbon price."""
    own = observation.finance
    if own.distressed or own.credit_frozen or not observation.history:
        return []
    units = float(observation.history[-1].produced.sum())
    rounds_left = observation.horizon - observation.round_number + 1
    found: list[tuple[Investment, int]] = []
    for option in observation.investments:
        if option.kind not in ("green_production", "green_fleet"):
            continue
        factor = RULES.carbon_production if option.kind == "green_production" else RULES.carbon_freight
        saved = units * factor * RULES.green_cut * observation.carbon_price * rounds_left
        if saved >= parameters.green_hurdle * option.next_cost / 100:
            found.append((Investment(kind=option.kind, amount=1), option.next_cost))
    return found


def _cash_path(observation: Observation, outlook: Outlook, spent: int, invested: int) -> FloatArray:
    """Cash expected after each day, (30,) cents; what is ordered on day 1 is paid from day 23 on."""
    own = observation.finance
    known = own.cash + (own.collections_due - own.payments_due).cumsum()
    running = _FIXED_SO_FAR + (spent - outlook.supply.cost) * _DAY / DAYS
    bought = outlook.supply.cost / 2 * _PAYING
    collected = outlook.revenue / DAYS * _DAYS_COLLECTED
    path: FloatArray = known - running - bought - invested + collected
    return path


_DAY: Final = np.arange(1, DAYS + 1)
_FIXED_SO_FAR: Final = FIXED * _DAY
_PAYING: Final = RULES.payable_days + 2 < _DAY
_DAYS_COLLECTED: Final = np.maximum(0, _DAY - COLLECTION_LAG)
