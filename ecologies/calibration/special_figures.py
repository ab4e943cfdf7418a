"""Two figures of the rules that stand outside of their table, multiplied in this process."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from erpsim import loans, valuation
from erpsim.valuation import Position


def scale(what: Literal["risk", "break-up"], factor: float) -> None:
    """Multiply the company risk at every net debt, or what is got for a firm's parts in a sale in haste."""
    if what == "risk":
        vars(loans)["RISK_LINE"] = tuple(knot._replace(risk=knot.risk * factor) for knot in loans.RISK_LINE)
        return
    usual = valuation.breakup_value

    def scaled(position: Position) -> float:
        return usual(
            replace(
                position,
                receivables=position.receivables * factor,
                stock=position.stock * factor,
                fixed_assets=position.fixed_assets * factor,
            )
        )

    vars(valuation)["breakup_value"] = scaled
