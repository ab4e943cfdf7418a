"""What a firm may do in a round: records that give the JSON schema shown to models, and the border that checks them.

The same type holds what was asked and what is executed (`feasibility.repair` fills and cuts it). A missing section
asks nothing there; an explicit 0 is honoured. Numbers are strict: no text, no booleans, nothing non-finite.

A `Decision` checks all that it is made of, its parts once more. The parts are plain records: one by itself is not
checked, and neither is what `Decision.model_copy` puts in, so the engine pays nothing for parts that it makes itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Number = Annotated[float, Field(strict=True, allow_inf_nan=False)]
Whole = Annotated[int, Field(strict=True)]
Vendor = Literal["A", "B"]
InvestmentKind = Literal["capacity", "setup_time", "green_production", "green_fleet"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProductionItem:
    """One run on the line. Items run in the order given."""

    sku: Annotated[str, Field(description="SKU id, such as NUT-500")]
    quantity: Annotated[Whole, Field(description="units; lots of 1,000, at least 16,000, at most 48,000")]
    distribution: Annotated[
        dict[str, Number] | None,
        Field(description="share of the output by channel; left out: by the channels' expected demand"),
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PurchaseOrder:
    """One line of a purchase order; lines of one vendor, class and day travel as one order."""

    material: Annotated[str, Field(description="material id, such as oats")]
    quantity: Annotated[Whole, Field(description="kg or pieces; at least 1,000")]
    vendor: Annotated[Vendor, Field(description="A: base price; B: +3 %, 1-2 days, a fee")] = "A"
    day: Annotated[Whole, Field(description="day of the round on which it is placed, 1-30")] = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class MarketingItem:
    """Advertising in one channel over the whole round, for one SKU or, with null, for all that it sells."""

    channel: Annotated[str, Field(description="hypermarket, grocery or independent")]
    sku: Annotated[str | None, Field(description="SKU id; null: equally over the channel's SKUs")] = None
    amount: Annotated[Number, Field(description="EUR for this round")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Investment:
    """One investment; capacity in units/day, setup_time in hours cut, green_* in steps."""

    kind: InvestmentKind
    amount: Annotated[
        Whole, Field(description="capacity: units/day in steps of 1,000; setup_time: hours; green_*: steps")
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finance:
    """Loan, dividend and investments; amounts in EUR."""

    borrow: Annotated[Number, Field(description="EUR")] = 0.0
    repay: Annotated[Number, Field(description="EUR")] = 0.0
    dividend: Annotated[Number, Field(description="EUR")] = 0.0
    investments: tuple[Investment, ...] = ()


class Decision(BaseModel):
    """All that a firm decides for one round."""

    model_config = ConfigDict(extra="forbid", frozen=True, revalidate_instances="always")

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
