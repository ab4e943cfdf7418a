"""Policies that are another one but for one thing: what a price, a mistake or a lever is worth is seen by them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from ecologies.policy import Policy
from ecologies.rule_parameters import RULE_PARAMETERS, RuleParameters
from ecologies.rules import RulePolicy
from erpsim.decision import Decision, PurchaseOrder, Vendor
from erpsim.observation import Observation
from erpsim.parameters import RULES
from erpsim.proposal import Proposal

BALANCED: Final = RULE_PARAMETERS["balanced"]

Change = Callable[[Decision], Decision]


@dataclass(frozen=True)
class Altered:
    """Another policy whose decisions are changed in some rounds."""

    policy: Policy
    change: Change
    rounds: tuple[int, ...] = ()  # all if empty

    async def decide(self, observation: Observation) -> Proposal:
        """Propose what the other policy proposes, changed in the rounds named."""
        proposal = await self.policy.decide(observation)
        if proposal.decision is None or (self.rounds and observation.round_number not in self.rounds):
            return proposal
        return replace(proposal, decision=self.change(proposal.decision))


def balanced(**changes: object) -> RulePolicy:
    """The balanced rule with other parameters."""
    parameters: RuleParameters = replace(BALANCED, **changes)  # type: ignore[arg-type]
    return RulePolicy(parameters)


def uniform_price(level: float) -> RulePolicy:
    """The balanced rule at one price level, x list, in all cells; a rise of costs is passed on and nothing else."""
    return balanced(
        opening_price=level,
        channel_tilt=(1.0, 1.0, 1.0),
        markup=0.0,
        floor=RULES.price_floor,
        rival_weight=0.0,
        learning=0.0,
        price_step=0.0,
    )


def prices_times(factor: float) -> Change:
    """Multiply every price."""

    def change(decision: Decision) -> Decision:
        return decision.model_copy(
            update={"prices": {sku: _times(row, factor) for sku, row in decision.prices.items()}}
        )

    return change


def no_production(decision: Decision) -> Decision:
    """Make nothing, and order nothing."""
    return decision.model_copy(update={"production": (), "purchase_orders": ()})


def half_production(decision: Decision) -> Decision:
    """Leave out every second run of the line; what was ordered stays ordered."""
    return decision.model_copy(update={"production": decision.production[::2]})


def from_vendor(vendor: Vendor) -> Change:
    """Order everything from one vendor."""

    def change(decision: Decision) -> Decision:
        orders = tuple(_from(order, vendor) for order in decision.purchase_orders)
        return decision.model_copy(update={"purchase_orders": orders})

    return change


def _from(order: PurchaseOrder, vendor: Vendor) -> PurchaseOrder:
    return replace(order, vendor=vendor)


def _times(row: float | Mapping[str, float], factor: float) -> float | dict[str, float]:
    if isinstance(row, Mapping):
        return {channel: round(price * factor, 2) for channel, price in row.items()}
    return round(row * factor, 2)
