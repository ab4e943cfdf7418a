import copy
import json
import pickle
from collections.abc import Callable
from dataclasses import FrozenInstanceError
from typing import Any

import jsonschema
import pytest
from pydantic import ValidationError

from erpsim.decision import (
    SECTIONS,
    Decision,
    Finance,
    Investment,
    MarketingItem,
    ProductionItem,
    PurchaseOrder,
    decision_schema,
)

EXAMPLE: dict[str, Any] = {
    "prices": {"NUT-500": {"grocery": 4.10, "independent": 4.35}, "NUT-1000": 4.80},
    "production": [{"sku": "NUT-500", "quantity": 48000, "distribution": {"grocery": 0.7, "independent": 0.3}}],
    "purchase_orders": [{"material": "oats", "quantity": 60000, "vendor": "A", "day": 1}],
    "marketing": [{"channel": "grocery", "sku": None, "amount": 20000}],
    "finance": {"borrow": 0, "repay": 0, "dividend": 0, "investments": [{"kind": "capacity", "amount": 2000}]},
    "rationale": "kept, never interpreted",
}


def test_the_schema_shown_to_models_admits_what_validates() -> None:
    schema = decision_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(EXAMPLE, schema)
    jsonschema.validate(json.loads(Decision.model_validate(EXAMPLE).model_dump_json()), schema)
    assert tuple(schema["properties"]) == SECTIONS


@pytest.mark.parametrize(
    "wrong",
    [
        {"production": [{"sku": "NUT-500", "quantity": "48000"}]},
        {"production": [{"sku": "NUT-500", "quantity": True}]},
        {"prices": {"NUT-500": float("nan")}},
        {"finance": {"borrow": "0"}},
        {"prises": {}},
    ],
)
def test_numbers_are_strict_and_nothing_unknown_is_let_in(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Decision.model_validate(wrong)


PARTS: dict[str, tuple[Any, ...]] = {
    "production": (
        ProductionItem(sku="NUT-500", quantity="48000"),  # type: ignore[arg-type]
        ProductionItem(sku="NUT-500", quantity=True),
        ProductionItem(sku="NUT-500", quantity=16_000, distribution={"grocery": float("inf")}),
    ),
    "purchase_orders": (PurchaseOrder(material="oats", quantity=1_000, vendor="C"),),  # type: ignore[arg-type]
    "marketing": (MarketingItem(channel="grocery", amount=float("nan")),),
    "finance": (
        Finance(borrow="0"),  # type: ignore[arg-type]
        Finance(investments=(Investment(kind="capacity", amount=2.0),)),  # type: ignore[arg-type]
    ),
}


@pytest.mark.parametrize(("section", "part"), [(name, part) for name, parts in PARTS.items() for part in parts])
def test_a_part_made_by_hand_is_checked_where_it_enters_a_decision(section: str, part: object) -> None:
    with pytest.raises(ValidationError) as found:
        Decision.model_validate({section: part if section == "finance" else [part]})
    assert found.value.errors()[0]["loc"][0] == section


def test_an_amount_in_whole_euros_is_the_same_number_however_it_comes() -> None:
    by_hand = Decision(
        marketing=(MarketingItem(channel="grocery", amount=20_000),), finance=Finance(borrow=5, dividend=0)
    )
    given = {"marketing": [{"channel": "grocery", "amount": 20_000}], "finance": {"borrow": 5}}
    assert by_hand.model_dump_json() == Decision.model_validate(given).model_dump_json()
    assert '"amount":20000.0' in by_hand.model_dump_json()


def test_a_part_holds_its_fields_and_nothing_else() -> None:
    item = ProductionItem(sku="NUT-500", quantity=16_000)
    assert not hasattr(item, "__dict__")
    with pytest.raises(FrozenInstanceError):
        item.quantity = 0  # type: ignore[misc]


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
def test_a_decision_is_the_same_after_a_journey(copied: Callable[[Decision], Decision]) -> None:
    decision = Decision.model_validate(EXAMPLE)
    assert copied(decision) == decision
    assert copied(decision).model_dump_json() == decision.model_dump_json()


def test_a_missing_section_asks_nothing() -> None:
    assert Decision() == Decision.model_validate({"prices": {}, "finance": {}})
