import re
from dataclasses import replace
from typing import get_args

import numpy as np
import pytest

from actors.llm.prompts.figures import example, figures
from actors.llm.prompts.render import fill, prompts_digest, system_prompt
from actors.llm.prompts.sheet import sheet
from erpsim.catalogue import FIRM_NAMES, MATERIALS, RECIPES, SKU_INDEX
from erpsim.decision import Decision
from erpsim.errors import InvariantError
from erpsim.feasibility import repair
from erpsim.loans import RISK_LINE, company_risk
from erpsim.opening import open_firm
from erpsim.parameters import RULES
from erpsim.problem import DisturbanceKind
from erpsim.state import OpenOrder
from erpsim.units import cents
from erpsim.valuation import Position, breakup_value, value
from tests.actors.llm.prompts.snapshots import FOLDER, prompts
from tests.actors.llm.worlds import later_observation, opening_observation, small_problem

TELLING = re.compile(
    r"\b(solo|arena|mixed ecology|stand-?in|policy|policies|rule-based|llm|language model|gpt|claude|gemini|qwen)\b",
    re.I,
)


SYSTEM = system_prompt(6, 6, 6)


@pytest.mark.parametrize("name", sorted(prompts()))
def test_a_prompt_is_its_snapshot(name: str) -> None:
    assert prompts()[name] + "\n" == (FOLDER / name).read_text(encoding="utf-8")


def test_no_prompt_names_a_model_a_policy_or_the_ecology() -> None:
    assert {name: TELLING.findall(text) for name, text in prompts().items()} == {name: [] for name in prompts()}


def test_no_prompt_names_a_rival() -> None:
    text = "\n".join(prompts().values())
    assert [name for name in FIRM_NAMES if name in text] == [FIRM_NAMES[0]]


def test_a_placeholder_without_a_value_and_a_value_without_a_placeholder_are_errors() -> None:
    with pytest.raises(InvariantError, match=r"without a value \['error'\], without a place \[\]"):
        fill("reask.txt", {})
    with pytest.raises(InvariantError, match=r"without a value \[\], without a place \['other'\]"):
        fill("reask.txt", {"error": "x", "other": "y"})


def test_a_value_with_a_placeholder_inside_is_not_filled_again() -> None:
    assert "${error} $x" in fill("reask.txt", {"error": "${error} $x"})


def test_every_figure_of_the_rules_reaches_the_prompt_from_the_table() -> None:
    text = system_prompt(6, 6, 6)
    assert f"{RULES.capacity_cost} EUR" in text
    assert f"Tax {RULES.tax_rate * 100:g} %" in text
    assert f"plant over {RULES.plant_life // 360} years, buildings over {RULES.building_life // 360}." in text
    assert f"about ±{RULES.preference_sd * 100:g} %" in text
    assert all(value for value in figures().values())


def test_the_told_risk_line_gives_the_risk_of_every_net_debt() -> None:
    told = re.search(r"\(M EUR: risk\): (.*), then \+(\S+) points per (\S+) M EUR up to (\S+): (\S+)%\.", SYSTEM)
    assert told is not None
    points = [(float(debt), float(risk)) for debt, risk in re.findall(r"([\d.]+): ([\d.]+)%", told[1])]
    step, width, last_debt, last_risk = (float(figure) for figure in told.groups()[1:])
    while points[-1][0] < last_debt:
        points.append((points[-1][0] + width, points[-1][1] + step))
    assert points[-1] == (last_debt, last_risk) == (44.5, 12.0)
    assert len(points) == len(RISK_LINE)
    debts = np.arange(-2, 50, 0.25)
    expected = [100 * company_risk(cents(debt * 1e6)) for debt in debts.tolist()]
    found = np.interp(debts, [debt for debt, _ in points], [risk for _, risk in points])
    assert found.tolist() == pytest.approx(expected)


def test_the_told_break_up_value_is_the_one_of_the_code() -> None:
    told = re.search(r"cash \+ (\S+) receivables \+ (\S+) stocks at cost \+ (\S+) plant, buildings and land", SYSTEM)
    assert told is not None
    shares = [float(share) for share in told.groups()]
    assert shares == [0.9, 0.6, 0.5]
    firm = Position(
        earnings=0, book_value=0, company_risk=0.03, cash=700, loan=5_000, receivables=1_000, stock=2_000,
        fixed_assets=30_000, payables=300, tax_payable=40,
    )  # fmt: skip
    proceeds = shares[0] * 1_000 + shares[1] * 2_000 + shares[2] * 30_000
    assert breakup_value(firm) == pytest.approx(700 + proceeds - 5_000 - 300 - 40)


@pytest.mark.parametrize(
    ("earnings", "book_value", "risk"), [(20e6, 30e6, 0.04), (1.5e6, 28e6, 0.03), (2e6, 5e5, 0.12)]
)
def test_the_told_payouts_give_the_valuation(earnings: float, book_value: float, risk: float) -> None:
    market, floor = _told(r"k = (\S+) % \+ risk; ROE = E / max\(B, ([\d ]+)\)")
    years, stable = _told(r"in years 1 to (\d+) payout1 = 1 - g1/ROE .* payout2 = 1 - (\S+) %/max\(ROE, k\) of them")
    times, retention, cap, later = _told(
        r"grow (\d+) times by g1 = min\((\S+) x ROE, (\S+) %\), then by (\S+) % a year"
    )
    rate, roe = market / 100 + risk, earnings / max(book_value, floor)
    growth = min(retention * roe, cap / 100)
    worth, earned = 0.0, earnings
    for year in range(1, 1_000):
        payout = 1 - growth / roe if year <= years else 1 - stable / 100 / max(roe, rate)
        worth += payout * earned / (1 + rate) ** year
        earned *= 1 + (growth if year <= times else later / 100)
    firm = Position(earnings, book_value, risk, cash=500_000, loan=100_000, dividends_paid=70_000)
    assert value(firm).total == pytest.approx(worth + 400_000 + 70_000)


def test_every_kind_of_disturbance_is_told_of() -> None:
    words: dict[DisturbanceKind, str] = {
        "demand_slump": "slump",
        "demand_surge": "surge",
        "channel_shift": "shift between channels",
        "price_sensitivity": "react more strongly to prices",
        "material_price": "materials and carbon can become dearer",
        "supplier_delay": "vendor A can be late",
        "capacity_outage": "the line can work fewer hours",
        "credit_freeze": "freeze credit",
        "carbon_price": "carbon can become dearer",
        "opening_overstock": "open with unsold goods",
        "opening_cash": "less cash",
        "setup_time": "setups can take longer",
    }
    assert set(words) == set(get_args(DisturbanceKind))
    told = SYSTEM[SYSTEM.index("DISTURBANCES") : SYSTEM.index("SCORE")]
    assert [kind for kind, word in words.items() if word not in told] == []


def test_the_digest_is_stable_and_long() -> None:
    assert prompts_digest() == prompts_digest()
    assert re.fullmatch(r"[0-9a-f]{64}", prompts_digest())


def test_the_sheet_shows_the_own_figures_of_the_observation() -> None:
    seen = later_observation()
    rows = sheet(seen)
    assert (rows["round"], rows["horizon"], rows["firm"]) == ("3", "6", "Almond")
    assert f"cash {seen.finance.cash / 100:.0f}, loan {seen.finance.loan / 100:.0f}" in rows["finance"]
    past = seen.history[-1]
    sku, grocery, independent = rows["products"].splitlines()[2:5]
    assert sku == f"NUT-500 | {seen.unit_cost[0]:.2f} | 32 32"
    assert grocery.startswith(f"- grocery {seen.goods_stock[0, 1]} | {seen.prices[0, 1]:.2f} | ")
    assert f"| {past.demanded[0, 1]} {past.sold[0, 1]} {past.unmet[0, 1]} |" in grocery
    assert independent.startswith("- independent ")
    assert past.sold.sum() > 0


def test_a_material_is_told_with_what_was_ordered_of_it_in_the_last_round() -> None:
    rows = sheet(later_observation())["materials"].splitlines()
    assert rows[0] == "material | stock | ordered | under way: quantity@day | price by week"
    assert rows[1].startswith("nuts | 5400 | 10000 | 5000@3 | ")
    assert "ordered" not in sheet(opening_observation())["materials"]


def test_of_many_deliveries_the_later_ones_are_told_as_a_sum() -> None:
    seen = later_observation()
    many = tuple(OpenOrder(0, 1_000 * day, day, 0) for day in (5, 1, 4, 2, 3))
    row = sheet(replace(seen, open_orders=many))["materials"].splitlines()[1]
    assert " | 1000@1 2000@2 and 12000 later | " in row


def test_the_orders_of_the_example_are_what_its_production_needs() -> None:
    asked = Decision.model_validate(example())
    (item,) = asked.production
    needs = (RECIPES[SKU_INDEX[item.sku]] * item.quantity / 1000).tolist()
    assert {order.material: order.quantity for order in asked.purchase_orders} == {
        name: need for name, need in zip(MATERIALS, needs, strict=True) if need
    }
    # 500 g of 30 % nuts, 35 % wheat and 35 % oats for each of 32,000 units
    assert [order.quantity for order in asked.purchase_orders] == [4_800, 5_600, 5_600, 32_000, 32_000]
    repaired = repair(open_firm(small_problem(), 0), small_problem(), asked)
    assert repaired.decision.production == asked.production


def test_distress_and_a_credit_freeze_are_told() -> None:
    seen = opening_observation()
    troubled = replace(seen, finance=replace(seen.finance, distressed=True, credit_frozen=True))
    assert "DISTRESSED" in sheet(troubled)["finance"]
    assert "CREDIT FROZEN" in sheet(troubled)["finance"]
    assert "DISTRESSED" not in sheet(seen)["finance"]


def test_materials_under_way_stand_with_their_days() -> None:
    seen = later_observation()
    order = seen.open_orders[0]
    rows = sheet(seen)["materials"].splitlines()
    assert len(rows) == 11
    assert f"{order.quantity}@{order.receipt_day}" in rows[order.material + 1]


def _told(pattern: str) -> tuple[float, ...]:
    """The figures that a pattern finds in the system prompt."""
    found = re.search(pattern, SYSTEM)
    assert found is not None, pattern
    return tuple(float(figure.replace(" ", "")) for figure in found.groups())
