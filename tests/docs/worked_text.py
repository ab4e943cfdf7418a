"""The worked round as the page shows it: tables and figures, all of them from the played round."""

from __future__ import annotations

from typing import Any, Final

from erpsim.catalogue import CHANNEL_INDEX, MATERIALS, SKU_INDEX
from erpsim.conditions import conditions
from erpsim.exogenous import demand_shocks, leads, material_prices, receivable_days
from erpsim.ledger import Account
from erpsim.loans import loan_rate, net_debt
from erpsim.parameters import RULES
from tests.docs.rules_text import euros, number, percent, table
from tests.docs.worked_round import ADVERTISING, CHANNEL, DECISION, PRICE, PROBLEM, SKU, UNITS, Worked, played

SHOWN_DAYS: Final = 9
J, K = SKU_INDEX[SKU], CHANNEL_INDEX[CHANNEL]
INCOME: Final = (
    *(Account.REVENUE, Account.COST_OF_GOODS, Account.LABOUR, Account.OVERHEAD, Account.ADMINISTRATION),
    *(Account.MARKETING, Account.FREIGHT, Account.STORAGE, Account.ORDER_FEES, Account.INTEREST),
    *(Account.DEPRECIATION, Account.SETUP_INVESTMENT, Account.CARBON, Account.TAX),
)


def worked() -> dict[str, Any]:
    """Everything that the template asks of the worked round."""
    done = played()
    now, run = conditions(PROBLEM, 1), done.plan.schedule.runs[0]
    ticks = RULES.capacity  # of an hour
    balances, result = done.settled.state.balances, done.settled.result
    first_sale = int((done.sales.sold[:, J, K] > 0).argmax())
    last_sale = 29 - int((done.sales.sold[::-1, J, K] > 0).argmax())
    risk = done.state.credit.company_risk
    return {
        "outside_share": number(PROBLEM.market.outside_share),
        "draws": _draws(),
        "decision": _decision(),
        "opening_risk": f"{100 * risk:g}",
        "loan_rate": f"{100 * loan_rate(risk):g}",
        "limit": f"{done.state.credit.limit / 1e8:g}",
        "purchases": _purchases(done),
        "fees": number(int(done.plan.purchases.fees.sum()) / 100),
        "setup_hours": RULES.setup_hours - 1,
        "material_day": max(line.receipt_day for line in done.plan.purchases.lines),
        "start_hour": number(run.start / ticks),
        "units": run.quantity,
        "run_hours": number((run.end - run.start) / ticks),
        "sale_day": first_sale + 1,
        "freight": number(int(result.moves[:, Account.FREIGHT].sum()) / 100),
        "price_factor": f"{(PRICE / 5.26) ** -3:.4f}",
        "advertising": ADVERTISING,
        "preference": f"{now.preference[J, K]:.6f}",
        "potential": f"{now.potential[K]:,.2f}",
        "sales": _sales(done),
        "early": number(int(done.sales.demanded[:first_sale, J, K].sum())),
        "lost": number(done.lost),
        "last_day": last_sale + 1,
        "income": _income(done),
        "balance": _balance(done),
        "net_debt": f"{net_debt(balances) / 1e8:.6f}",
        "demanded": number(int(done.sales.demanded.sum())),
        "fill": f"{100 * result.fill_rate:.4f}",
        "channel_fill": f"{100 * _channel_fill(done):.4f}",
        "service": f"{done.settled.state.service[K]:.6f}",
        "closing_risk": f"{100 * result.company_risk:.6f}",
        "net_income": euros(result.net_income),
        "breakup": _breakup(done),
        "value": f"{result.valuation:,.2f}",
    }


def _channel_fill(done: Worked) -> float:
    demanded, unmet = done.sales.demanded[:, :, K].sum(), done.sales.unmet[:, :, K].sum()
    return float(1 - unmet / demanded)


def _draws() -> str:
    prices, days = material_prices(PROBLEM, 1)[0], leads(PROBLEM, 1)[0, :, 1]
    used = [MATERIALS.index(order.material) for order in DECISION.purchase_orders]
    rows = [[MATERIALS[n], f"{prices[n]:.4f}", str(days[n])] for n in used]
    return table(["material", "price of week 1, A", "lead of vendor B, ordered on day 1"], rows)


def _decision() -> str:
    orders = ", ".join(f"{number(order.quantity)} {order.material}" for order in DECISION.purchase_orders)
    return (
        f"Make {number(UNITS)} `{SKU}`, all for {CHANNEL}, at {PRICE:.2f} EUR. Order on day 1 from vendor B: {orders}. "
        f"Advertise it there for {number(ADVERTISING)} EUR. Cut the setup by one hour."
    )


def _purchases(done: Worked) -> str:
    rows = [
        [MATERIALS[line.material], number(line.quantity), euros(line.value), str(line.receipt_day)]
        for line in done.plan.purchases.lines
    ]
    total = sum(line.value for line in done.plan.purchases.lines)
    rows.append(["together", "", euros(total), ""])
    return table(["material", "quantity", "EUR", "usable on day"], rows)


def _sales(done: Worked) -> str:
    now, shocks = conditions(PROBLEM, 1), demand_shocks(PROBLEM, 1)[:, J, K]
    due = receivable_days(PROBLEM, 1)[:, K]
    demanded, sold = done.sales.demanded[:, J, K], done.sales.sold[:, J, K]
    goodwill = done.plan.offer.goodwill[:, J, K]
    rows = [
        [
            str(day + 1),
            f"{now.season[day]:.5f}",
            f"{shocks[day]:.5f}",
            f"{goodwill[day]:.4f}",
            number(int(demanded[: day + 1].sum())),
            number(int(demanded[day])),
            number(int(sold[day])),
            str(day + 1 + due[day]) if sold[day] else "",
        ]
        for day in range(SHOWN_DAYS)
    ]
    return table(["day", "season", "ξ", "G", "running sum, floor", "wished", "sold", "paid on day"], rows)


def _income(done: Worked) -> str:
    moves = done.settled.result.moves.sum(axis=0)
    rows = [[account.name.replace("_", " ").lower(), euros(-moves[account])] for account in INCOME]
    rows.append(["**net income**", f"**{euros(done.settled.result.net_income)}**"])
    kg = done.settled.result.carbon_kg
    carbon = f"Carbon: {kg[0]:,.0f} + {kg[1]:,.0f} + {kg[2]:,.0f} kg of scopes 1 to 3 at {RULES.carbon_price} EUR. "
    tax = f"Tax: {percent(RULES.tax_rate)} of the loss, an asset."
    return table(["", "EUR"], rows) + f"\n\n{carbon}{tax}"


def _balance(done: Worked) -> str:
    opening, closing = done.state.balances, done.settled.state.balances
    shown = [account for account in Account if account < Account.REVENUE and (opening[account] or closing[account])]
    rows = [
        [account.name.replace("_", " ").lower(), euros(opening[account]), euros(closing[account])] for account in shown
    ]
    rows.append(["**sum**", euros(opening.sum()), euros(closing.sum())])
    return table(["debits positive, credits negative", "opening", "close"], rows)


def _breakup(done: Worked) -> str:
    balances = done.settled.state.balances
    fixed = int(balances[[Account.PLANT, Account.BUILDINGS, Account.LAND]].sum())
    debts = -int(balances[Account.LOAN]), -int(balances[Account.TAX_PAYABLE])
    return (
        f"{euros(int(balances[Account.CASH]))} + 0.5 × {euros(fixed)} − {euros(debts[0])} + {euros(-debts[1])} "
        "(the tax asset)"
    )
