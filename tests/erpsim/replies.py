"""One complete decision and what a test asks of its reading; the cases are of faults that people met in public."""

import json
from typing import Any

from erpsim.catalogue import ACTIVE, CHANNELS, MATERIALS, SKUS
from erpsim.decision import Decision
from erpsim.parsing import Failure, Reading, read_decision

D: dict[str, Any] = {
    "prices": {
        sku: {channel: 4.0 + j / 100 for k, channel in enumerate(CHANNELS) if ACTIVE[j, k]}
        for j, sku in enumerate(SKUS)
    },
    "production": [{"sku": sku, "quantity": 16_000} for sku in SKUS],
    "purchase_orders": [{"material": name, "quantity": 20_000} for name in MATERIALS],
    "marketing": [{"channel": name, "amount": 1_000} for name in CHANNELS],
    "finance": {"borrow": 0, "repay": 0, "dividend": 0, "investments": [{"kind": "capacity", "amount": 1_000}]},
    "rationale": "as before",
}
TEXT = json.dumps(D)
DECISION = Decision.model_validate(D)
DRAFT = TEXT.replace("4.0,", "0.01,", 1)
FENCE = "`" * 3


def with_rationale(rationale: str) -> str:
    """The decision as text with another rationale."""
    return json.dumps(D | {"rationale": rationale}, ensure_ascii=False)


def read(text: str | None, finish_reason: str | None = "stop", refusal: str | None = None) -> Reading:
    """A reply read; it ended by itself unless the test says otherwise."""
    return read_decision(text, finish_reason, refusal)


def decided(text: str) -> Decision:
    """The decision of a reply that must have no failure."""
    reading = read(text)
    assert reading.failure is None, reading.failure
    assert reading.decision is not None
    return reading.decision


def codes(text: str) -> list[str]:
    """Codes of a reply's events, prices left out apart."""
    return [event.code for event in read(text).events if event.code != "absent_price"]


def told(text: str) -> list[tuple[str, str]]:
    """Code and field of a reply's events, prices left out apart."""
    return [(event.code, event.field) for event in read(text).events if event.code != "absent_price"]


def failed(text: str | None, finish_reason: str | None = "stop", refusal: str | None = None) -> Failure:
    """The failure of a reply that must give no decision at all."""
    reading = read(text, finish_reason, refusal)
    assert reading.decision is None, reading.decision
    assert reading.failure is not None
    return reading.failure
