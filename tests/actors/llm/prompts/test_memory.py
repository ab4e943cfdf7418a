from dataclasses import replace
from typing import Any

import numpy as np

from actors.llm.prompts.memory import ITEMS_SHOWN, NONE, ROUNDS_SHOWN, decision_text, rounds_text
from erpsim.cuts import Cut
from erpsim.decision import Decision
from erpsim.state import RoundHistory
from tests.actors.llm.worlds import later_observation

FUNDS, TIME = "cash and unused credit bind", "materials do not arrive in time"


def past(number: int = 1, **changes: Any) -> RoundHistory:
    """A round with round figures: revenue 1,000 EUR for 200 of the 1,000 units that all sold."""
    one = later_observation().history[-1]
    sold, none = np.zeros_like(one.sold), np.zeros_like(one.sold)
    sold[0, 1], unmet = 200, none.copy()
    unmet[0, 1] = 50
    volume = np.zeros_like(one.sold)
    volume[0, 1] = 1_000
    figures = replace(
        one, round_number=number, sold=sold, demanded=sold + unmet, unmet=unmet, revenue=1_000_00, cost_of_goods=400_00,
        marketing=30_00, carbon_cost=2_00, net_income=-5_00, dividends=0, valuation=7.4,
        report=replace(one.report, volume=volume), decision=Decision(),
    )  # fmt: skip
    return replace(figures, **changes)


def asked(**sections: Any) -> Decision:
    return Decision.model_validate(sections)


def test_a_round_is_one_row_of_figures_under_their_names() -> None:
    finance = {
        "borrow": 500.0,
        "investments": [{"kind": "setup_time", "amount": 1}, {"kind": "capacity", "amount": 2000}],
    }
    head, row = rounds_text([past(decision=asked(finance=finance))]).splitlines()
    cells = [cell.strip() for cell in row.split("|")]
    assert dict(zip([name.strip() for name in head.split("|")], cells, strict=True)) == {
        "round": "1",
        "revenue": "1000",
        "material cost of sales": "400",
        "advertising": "30",
        "carbon": "2",
        "net income": "-5",
        "dividends": "0",
        "valuation": "7",
        "units sold": "200",
        "% of market": "20.0",
        "% of demand unmet": "20.0",
        "mean price": "5.00",
        "borrowed, repaid": "500, 0",
        "invested": "setup_time 1, capacity 2000",
    }


def test_rounds_of_long_ago_are_one_row_of_sums() -> None:
    text = rounds_text([past(number) for number in range(1, 4 + ROUNDS_SHOWN)])
    _, older, first, *_ = text.splitlines()
    assert older == "1-3 in sum | 3000 | 1200 | 90 | 6 | -15 | 0 | - | 600"
    assert first.startswith("4 | 1000 | ")
    assert len(text.splitlines()) == 2 + ROUNDS_SHOWN


def test_before_the_first_round_nothing_is_remembered() -> None:
    assert (rounds_text(()), decision_text(())) == (NONE, NONE)


def test_cuts_are_told_by_their_reason_in_the_order_asked() -> None:
    cuts = (
        Cut("order", "oats", 90_000, 20_000, FUNDS),
        Cut("production", "NUT-500", 48_000, 0, TIME),
        Cut("advertising", "grocery", 10.5, 0, FUNDS),
        Cut("price", "NUT-500 grocery", 99, 19.5, ""),
    )
    assert decision_text([past(cuts=cuts)]).splitlines() == [
        "advertising: none",
        (
            "cut from what you asked, asked -> got: order oats 90000 -> 20000, advertising grocery 10.50 -> 0 "
            f"({FUNDS}); production NUT-500 48000 -> 0 ({TIME}); price NUT-500 grocery 99 -> 19.50 (not executed)"
        ),
    ]


def test_only_the_last_decision_is_told_and_a_long_list_is_cut_short() -> None:
    cuts = tuple(Cut("production", f"S{n}", 2, 1, TIME) for n in range(ITEMS_SHOWN + 3))
    text = decision_text([past(cuts=cuts), past(2)])
    assert text.endswith("cut from what you asked: nothing")
    assert decision_text([past(cuts=cuts)]).endswith(f"({TIME}); and 3 more")


def test_a_fallback_is_told_as_one() -> None:
    assert "NO USABLE DECISION came from you" in decision_text([past(fallback=True)])


def test_advertising_is_told_by_channel_and_sku() -> None:
    lines = [{"channel": "grocery", "amount": 10}, {"channel": "grocery", "amount": 5}]
    lines += [{"channel": "grocery", "sku": "NUT-500", "amount": 7}]
    text = decision_text([past(decision=asked(marketing=lines))])
    assert text.startswith("advertising: grocery 15, grocery NUT-500 7\n")
    many = [{"channel": "grocery", "sku": f"S{n}", "amount": 1} for n in range(ITEMS_SHOWN + 4)]
    assert ", elsewhere 4\n" in decision_text([past(decision=asked(marketing=many))])
