"""What a firm may do in a round, as pydantic types that validate and that give the JSON schema shown to models.

The same type holds what was asked and what is executed (`feasibility.repair` fills and cuts it). A missing section
asks nothing there; an explicit 0 is honoured. Numbers are strict: no text, no booleans, nothing non-finite.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Number = Annotated[float, Field(strict=True, allow_inf_nan=False)]
Whole = Annotated[int, Field(strict=True)]
InvestmentKind = Literal["capacity", "setup_time", "green_production", "green_fleet"]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ProductionItem(_Part):
    """One run on the line. Items run in the order given."""

    sku: str = Field(description="SKU id, such as NUT-500")
    quantity: Whole = Field(description="units; lots of 1,000, at least 16,000, at most 48,000")
    distribution: dict[str, Number] | None = Field(
        default=None, description="share of the output by channel; left out: by the channels' expected demand"
    )


class PurchaseOrder(_Part):
    """One line of a purchase order; lines of one vendor, class and day travel as one order."""

    material: str = Field(description="material id, such as oats")
    quantity: Whole = Field(description="kg or pieces; at least 1,000")
    vendor: Literal["A", "B"] = Field(default="A", description="A: base price; B: +3 %, 1-2 days, a fee")
    day: Whole = Field(default=1, description="day of the round on which it is placed, 1-30")


class MarketingItem(_Part):
    """Advertising in one channel over the whole round, for one SKU or, with null, for all that it sells."""

    channel: str = Field(description="hypermarket, grocery or independent")
    sku: str | None = Field(default=None, description="SKU id; null: equally over the channel's SKUs")
    amount: Number = Field(description="EUR for this round")


class Investment(_Part):
    """One investment; capacity in units/day, setup_time in hours cut, green_* in steps."""

    kind: InvestmentKind
    amount: Whole = Field(description="capacity: units/day in steps of 1,000; setup_time: hours; green_*: steps")


class Finance(_Part):
    """Loan, dividend and investments; amounts in EUR."""

    borrow: Number = Field(default=0.0, description="EUR")
    repay: Number = Field(default=0.0, description="EUR")
    dividend: Number = Field(default=0.0, description="EUR")
    investments: tuple[Investment, ...] = ()


class Decision(_Part):
    """All that a firm decides for one round."""

    prices: dict[str, Number | dict[str, Number]] = Field(
        default_factory=dict, description="EUR per unit by SKU, one number for all channels or one by channel"
    )
    production: tuple[ProductionItem, ...] = ()
    purchase_orders: tuple[PurchaseOrder, ...] = ()
    marketing: tuple[MarketingItem, ...] = ()
    finance: Finance = Finance()
    rationale: str = Field(default="", description="why; kept, never interpreted")


SECTIONS = ("prices", "production", "purchase_orders", "marketing", "finance", "rationale")


def decision_schema() -> dict[str, Any]:
    """JSON schema of a decision, as shown to models."""
    return Decision.model_json_schema()
