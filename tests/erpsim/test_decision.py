import json
from typing import Any

import jsonschema
import pytest
from pydantic import ValidationError

from erpsim.decision import SECTIONS, Decision, decision_schema

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


def test_a_missing_section_asks_nothing() -> None:
    assert Decision() == Decision.model_validate({"prices": {}, "finance": {}})
