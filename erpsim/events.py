"""The execution audit: one event for each thing that was done to a proposal, as a tagged union of plain records.

    structural    FallbackDecision · ParseRecovered · ValueCoerced · ItemDropped · Reask
    operational   ProductionCapacitySkip · InvestmentUnavailable · ProductionQuantityClamped · PriceAdjusted ·
                  OrderAdjusted · MarketingAdjusted · FinanceAdjusted
    runtime       Traceback · ExperimentFailed · ToolError · ContextCompacted · InfraRetry · InfraFailed

The six that the ERPBench paper counts are in `PAPER_CATEGORIES`. Categories are never summed into one error rate, and
nothing graded depends on them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final

Scalar = str | float | int | bool | None


@dataclass(frozen=True)
class Intervention:
    """What every event says.

    Attributes:
        code: which of the category's reasons, such as "lot_step" or "fence".
        field: path of the item in the proposal, such as "production[2].quantity".
        asked: what the proposal asked, JSON-able.
        granted: what is executed instead, JSON-able; None when nothing is.
        limit: the binding bound, as a short JSON-able text or number.
        cause: a sentence for a person.
        n: how many items the event stands for.
    """

    category: ClassVar[str]
    layer: ClassVar[str]

    code: str
    field: str = ""
    asked: Scalar = None
    granted: Scalar = None
    limit: Scalar = None
    cause: str = ""
    n: int = 1


class FallbackDecision(Intervention):
    """No usable decision came; the fallback decision is executed. Code is the cause, such as "no_json"."""

    category, layer = "fallback_decision", "structural"


class ParseRecovered(Intervention):
    """The text was no clean JSON, and the decision was found all the same."""

    category, layer = "parse_recovered", "structural"


class ValueCoerced(Intervention):
    """A key or a value was read by a documented rule, such as a number given as text."""

    category, layer = "value_coerced", "structural"


class ItemDropped(Intervention):
    """An item could not be used: unknown name, wrong type, non-finite or out of its type's range."""

    category, layer = "item_dropped", "structural"


class Reask(Intervention):
    """The model was asked again, with the precise error."""

    category, layer = "reask", "structural"


class ProductionCapacitySkip(Intervention):
    """A production item got no time on the line; limit is capacity, lot_size or material."""

    category, layer = "production_capacity_skip", "operational"


class InvestmentUnavailable(Intervention):
    """An investment was granted nothing."""

    category, layer = "investment_unavailable", "operational"


class ProductionQuantityClamped(Intervention):
    """A production item was granted less than asked; code lot_step, lot_maximum, capacity or material."""

    category, layer = "production_quantity_clamped", "operational"


class PriceAdjusted(Intervention):
    """A price was moved into its band."""

    category, layer = "price_adjusted", "operational"


class OrderAdjusted(Intervention):
    """A purchase order line was cut or left out."""

    category, layer = "order_adjusted", "operational"


class MarketingAdjusted(Intervention):
    """A marketing line was cut or left out."""

    category, layer = "marketing_adjusted", "operational"


class FinanceAdjusted(Intervention):
    """A loan, repayment, dividend or investment was granted in part, or not at all."""

    category, layer = "finance_adjusted", "operational"


class Traceback(Intervention):
    """The software around one decision failed; the fallback decision is executed."""

    category, layer = "traceback", "runtime"


class ExperimentFailed(Intervention):
    """A market could not be finished; its outcomes are missing, never zero."""

    category, layer = "experiment_failed", "runtime"


class ToolError(Intervention):
    """A tool was called with an unknown name or bad arguments, and answered with an error text."""

    category, layer = "tool_error", "runtime"


class ContextCompacted(Intervention):
    """The conversation was too long for the model and was shortened once."""

    category, layer = "context_compacted", "runtime"


class InfraRetry(Intervention):
    """A call failed for a reason that is not the model's, and was repeated."""

    category, layer = "infra_retry", "runtime"


class InfraFailed(Intervention):
    """A call failed for good for a reason that is not the model's."""

    category, layer = "infra_failed", "runtime"


Event = (
    FallbackDecision
    | ParseRecovered
    | ValueCoerced
    | ItemDropped
    | Reask
    | ProductionCapacitySkip
    | InvestmentUnavailable
    | ProductionQuantityClamped
    | PriceAdjusted
    | OrderAdjusted
    | MarketingAdjusted
    | FinanceAdjusted
    | Traceback
    | ExperimentFailed
    | ToolError
    | ContextCompacted
    | InfraRetry
    | InfraFailed
)

EVENT_TYPES: Final[dict[str, type[Event]]] = {kind.category: kind for kind in Event.__args__}
"""Every kind of event by its category."""


def storable(number: int) -> int | str:
    """A whole number as an event may hold it: one beyond 15 digits as a short text."""
    if abs(number) < 10**15:
        return number
    return "over 1e15" if number > 0 else "below -1e15"


PAPER_CATEGORIES: Final = (
    "production_capacity_skip",
    "investment_unavailable",
    "fallback_decision",
    "production_quantity_clamped",
    "traceback",
    "experiment_failed",
)
"""The six categories that the paper reports, in its order; the last is left out of its displayed shares."""
