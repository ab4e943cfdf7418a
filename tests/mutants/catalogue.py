"""Hand-made mutants of `erpsim`: a sign, an off-by-one day, a swapped channel, a forgotten factor."""

from __future__ import annotations

from typing import Final, NamedTuple


class Mutant(NamedTuple):
    """One fault: a text that stands once in a module, what replaces it, and the tests that must fail."""

    name: str
    module: str
    original: str
    mutated: str
    tests: str


MUTANTS: Final = (
    Mutant(
        "receipts usable a day late",
        "production",
        "stock + receipts.cumsum(axis=0)",
        "stock + np.roll(receipts, 1, axis=0).cumsum(axis=0)",
        "production",
    ),
    Mutant("setup for the same SKU", "production", "if sku != self.sku else 0", "if True else 0", "production"),
    Mutant("lot rounded to nearest", "production", "asked - asked % RULES.lot_step", "round(asked, -3)", "production"),
    Mutant(
        "fee for every line",
        "procurement",
        "in dict.fromkeys(keys)",
        "in keys",
        "procurement",
    ),
    Mutant("price of next week", "procurement", "(order.day - 1) // WEEK", "order.day // WEEK", "procurement"),
    Mutant(
        "vendor B without markup",
        "procurement",
        "1 + markup for",
        "1 + 0 * markup for",
        "procurement",
    ),
    Mutant("arrivals on the day made", "planning", "arrivals=on_sale[:DAYS]", "arrivals=on_sale[1:]", "planning"),
    Mutant(
        "goodwill twice as forgetful",
        "planning",
        "(RULES.goodwill_decay) **",
        "(RULES.goodwill_decay) ** 2 **",
        "planning",
    ),
    Mutant("price raises demand", "demand", "(preference - price +", "(preference + price +", "demand"),
    Mutant(
        "no outside option growth", "demand", "math.log(n_firms * outside_share", "math.log(outside_share", "demand"
    ),
    Mutant("one later pass only", "demand", "LATER_PASSES: Final = 2", "LATER_PASSES: Final = 1", "demand"),
    Mutant(
        "empty cells take wishes",
        "demand",
        "stocked *= wishes - served",
        "stocked = wishes - served",
        "demand",
    ),
    Mutant(
        "stock not carried over days",
        "demand",
        "np.add(left, arriving, out=stock)",
        "np.add(0.0, arriving, out=stock)",
        "demand",
    ),
    Mutant(
        "channel shift the wrong way",
        "conditions",
        "potential[CHANNEL_INDEX[one.source]] -= moved",
        "potential[CHANNEL_INDEX[one.source]] += moved",
        "conditions",
    ),
    Mutant(
        "payables a day early",
        "settlement",
        "RULES.payable_days : RULES.payable_days + DAYS",
        "RULES.payable_days - 1 : RULES.payable_days - 1 + DAYS",
        "settlement",
    ),
    Mutant(
        "freight forgotten",
        "settlement",
        "cents_array(setting.sent * RULES.freight)",
        "cents_array(0 * setting.sent * RULES.freight)",
        "settlement",
    ),
    Mutant(
        "dividend not paid in cash",
        "settlement",
        "        finance.dividend,",
        "        0 * finance.dividend,",
        "settlement",
    ),
    Mutant(
        "overdraft at the loan rate",
        "closing",
        "overdraft_rate(company_risks[firm])",
        "loan_rate(company_risks[firm])",
        "closing",
    ),
    Mutant(
        "losses earn no tax credit",
        "closing",
        "round(RULES.tax_rate * profit)",
        "max(0, round(RULES.tax_rate * profit))",
        "closing",
    ),
    Mutant(
        "one firm's batches in another's days",
        "costing",
        "DAYS * np.arange(len(batches))",
        "DAYS * np.arange(len(batches))[::-1]",
        "costing",
    ),
    Mutant("moving averages overflow", "costing", "2 * held * whole + whole <", "whole <", "costing"),
    Mutant("service without a floor", "closing", "np.maximum(RULES.service_floor, ", "np.maximum(0.0, ", "closing"),
    Mutant(
        "risk line a knot off",
        "loans",
        "RISK_LINE[above - 1], RISK_LINE[above]",
        "RISK_LINE[above - 2], RISK_LINE[above - 1]",
        "loans",
    ),
    Mutant(
        "green production cuts freight too",
        "carbon",
        "* _left(green_fleet)",
        "* _left(green_fleet + green_production)",
        "carbon",
    ),
    Mutant(
        "growth never capped",
        "valuation",
        "min(RULES.retention * return_on_equity, RULES.growth_cap)",
        "RULES.retention * return_on_equity",
        "valuation",
    ),
    Mutant(
        "dividends counted twice",
        "valuation",
        "+ position.dividends_paid,",
        "+ 2 * position.dividends_paid,",
        "valuation",
    ),
    Mutant(
        "limit ignored when borrowing",
        "funds",
        "state.credit.limit - loan",
        "2 * state.credit.limit - loan",
        "feasibility",
    ),
    Mutant(
        "storage from the full block on",
        "storage",
        "-(-over // RULES.storage_block)",
        "over // RULES.storage_block",
        "storage",
    ),
)
