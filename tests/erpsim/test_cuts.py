"""What was not granted, told by thing: worked examples, and that an executable decision has no cut."""

from __future__ import annotations

from hypothesis import given

from erpsim.cuts import AMOUNT_CAP, NAME_CHARACTERS, Cut, cuts
from erpsim.decision import Decision
from erpsim.feasibility import repair
from tests.erpsim.samples import calm_problem, decision, opened
from tests.erpsim.strategies import decisions


def _cuts(asked: Decision) -> tuple[Cut, ...]:
    repaired = repair(opened(), calm_problem(), asked)
    return cuts(asked, repaired.decision, [(event.field, event.cause) for event in repaired.events])


def test_items_of_one_sku_are_one_cut_with_the_first_cause() -> None:
    asked = decision(production=[{"sku": "NUT-500", "quantity": 20_500}, {"sku": "NUT-500", "quantity": 16_000}])
    assert _cuts(asked) == (Cut("production", "NUT-500", 36_500, 0, "materials do not arrive in time"),)


def test_every_section_tells_what_it_lost_and_why() -> None:
    asked = decision(
        prices={"NUT-500": 100.0, "NUT-1000": {"independent": 4.0}, "CORN-500": 3.0, "OAT-500": {"grocery": 2.0}},
        purchase_orders=[{"material": "oats", "quantity": 100}, {"material": "wheat", "quantity": 1_000, "day": 99}],
        marketing=[{"channel": "kiosk", "amount": 10.0}],
        finance={"borrow": 1e12, "dividend": 5.0, "investments": [{"kind": "capacity", "amount": 1_500}]},
    )
    limit = repair(opened(), calm_problem(), asked).decision.finance.borrow
    band, dividend = "prices lie within 0.3 and 5 times list", "at most cash beyond the loan"
    found = {(cut.section, cut.what): cut for cut in _cuts(asked)}
    assert found["price", "NUT-500 grocery"] == Cut("price", "NUT-500 grocery", 100, 19.5, band)
    assert found["price", "NUT-1000 independent"].why == "the SKU is not sold there"
    assert found["price", "CORN-500"] == Cut("price", "CORN-500", 3, 0, "no such SKU")
    assert found["price", "OAT-500"] == Cut("price", "OAT-500", 2, 0, "no such SKU")
    assert found["order", "oats"] == Cut("order", "oats", 100, 0, "below the smallest line")
    assert ("order", "wheat") not in found, "another day is no cut"
    assert found["advertising", "kiosk"].granted == 0
    assert found["finance", "borrow"] == Cut(
        "finance", "borrow", 1e12, limit, "at most the unused credit limit; none in distress or a credit freeze"
    )
    assert found["finance", "dividend"].why.startswith(dividend)
    assert found["investment", "capacity"] == Cut("investment", "capacity", 1_500, 1_000, "rounded down to whole steps")


def test_a_cut_without_an_event_has_no_cause() -> None:
    assert cuts(decision(finance={"repay": 5.0}), Decision(), ()) == (Cut("finance", "repay", 5, 0, ""),)


def test_names_and_amounts_without_a_bound_are_held_short() -> None:
    asked = decision(production=[{"sku": "X" * 99, "quantity": 10**400}])
    assert _cuts(asked) == (Cut("production", "X" * NAME_CHARACTERS, AMOUNT_CAP, 0, "no such SKU"),)


@given(decisions)
def test_an_executable_decision_has_no_cut(asked: Decision) -> None:
    executed = repair(opened(), calm_problem(), asked).decision
    assert _cuts(executed) == ()
    assert {cut.section for cut in cuts(asked, executed, ())} <= {
        "price",
        "production",
        "order",
        "advertising",
        "finance",
        "investment",
    }
