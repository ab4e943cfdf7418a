"""A parameter is altered in a process of its own, and reaches the game there."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from typing import Any

import pytest

from ecologies.calibration.sensitivity import ALTERATIONS, altered_outcome
from ecologies.calibration.special_figures import scale
from erpsim import loans, valuation
from erpsim.parameters import RULES, Rules
from erpsim.valuation import Position
from tests.docs.pages import ROOT


def played(*arguments: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "ecologies.calibration.sensitivity", *arguments, "--problems", "P001"]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    outcome: dict[str, Any] = json.loads(ran.stdout)
    return outcome


def test_every_alteration_fits_the_rules() -> None:
    for name, alteration in ALTERATIONS.items():
        for index in (0, 1):
            changed = replace(RULES, **{field: pair[index] for field, pair in alteration.rules.items()})
            assert isinstance(changed, Rules)
            assert (changed != RULES) == bool(alteration.rules), name


def test_a_fifth_by_hand() -> None:
    assert ALTERATIONS["capacity of the line"].rules == {"capacity": (19_200, 28_800)}
    low, high = ALTERATIONS["price exponents b"].rules["price_exponent"]
    assert low == pytest.approx((2.8, 2.4, 1.84))
    assert high == pytest.approx((4.2, 3.6, 2.76))
    assert ALTERATIONS["storage cost"].rules["storage_goods"] == ((250_000, 400), (250_000, 600))
    assert ALTERATIONS["free storage"].rules["storage_goods"] == ((200_000, 500), (300_000, 500))


def test_rules_that_are_in_use_are_not_altered() -> None:
    with pytest.raises(RuntimeError, match="process of their own"):
        altered_outcome("tax rate", "low", "1")


@pytest.mark.slow
def test_what_is_altered_reaches_the_game() -> None:
    usual = played()
    assert usual["problems"] == 1
    assert played("tax rate", "high")["median"] < usual["median"] < played("tax rate", "low")["median"]
    assert played("company risk", "high")["median"] < usual["median"] < played("market size", "high")["median"]
    assert played("break-up weights", "low")["problems"] == 1


def test_special_figures_are_multiplied(monkeypatch: pytest.MonkeyPatch) -> None:
    # So that both are put back afterwards.
    monkeypatch.setattr(loans, "RISK_LINE", loans.RISK_LINE)
    monkeypatch.setattr(valuation, "breakup_value", valuation.breakup_value)
    scale("risk", 1.2)
    assert loans.company_risk(0) == pytest.approx(0.036)
    scale("break-up", 0.8)
    assert valuation.breakup_value(Position(0, 0, 0, cash=10.0, loan=0, stock=100.0)) == pytest.approx(10 + 0.8 * 60)
