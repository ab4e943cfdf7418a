"""An observation in JSON: nothing forgotten, nothing added, by name and in EUR."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from typing import Any, NamedTuple

import jsonschema
import numpy as np
import pytest

from erpsim.catalogue import ACTIVE, MATERIAL_INDEX
from erpsim.cuts import Cut
from erpsim.decision import Decision
from erpsim.observation import Observation
from erpsim.observation_document import OBSERVATION_FORMAT, observation_json, observation_schema
from erpsim.state import OpenOrder
from tests.erpsim.histories import past_round, public_report, seen, units

CUT = Cut("order", "oats", 9_000, 4_000, "cash and unused credit bind")
ORDER = OpenOrder(MATERIAL_INDEX["oats"], 60_000, 4, 55_200_00)


def rich(**changes: Any) -> Observation:
    """An observation in which every list holds something, with fields changed."""
    sold = units(NUT_500_grocery=900)
    past = past_round(1, sold=sold, demanded=sold, report=public_report(volume=sold), cuts=(CUT,))
    return replace(seen(past), news=("Carbon costs 0.20 EUR/kg.",), open_orders=(ORDER,), **changes)


class Variant(NamedTuple):
    """A value with one thing changed, and the way to that thing: names of types and fields."""

    way: tuple[str, ...]
    value: Any


def variants(value: Any) -> Iterator[Variant]:
    """Every value that differs from a value in one number, text or flag."""
    if is_dataclass(value) and not isinstance(value, type):
        for one in fields(value):
            step = f"{type(value).__name__}.{one.name}"
            for way, changed in variants(getattr(value, one.name)):
                yield Variant((step, *way), replace(value, **{one.name: changed}))
    elif isinstance(value, tuple):
        for position, item in enumerate(value):
            for way, changed in variants(item):
                yield Variant(way, (*value[:position], changed, *value[position + 1 :]))
    elif isinstance(value, np.ndarray):
        for index in np.ndindex(*value.shape):
            if value.shape[-2:] != ACTIVE.shape or ACTIVE[index[-2:]]:
                copy = value.copy()
                copy[index] += 1
                yield Variant((), copy)
    else:
        yield Variant((), _other(value))


def _other(value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, str):
        return f"{value}?"
    if isinstance(value, Decision):
        return value.model_copy(update={"rationale": f"{value.rationale}?"})
    return 1 if value is None else value + 1


def steps(kind: type) -> set[str]:
    """The fields of a dataclass, as `Variant.way` names them."""
    return {f"{kind.__name__}.{one.name}" for one in fields(kind)}


def holds(document: object) -> bool:
    """Whether the schema takes a document."""
    valid: bool = jsonschema.Draft202012Validator(observation_schema()).is_valid(document)
    return valid


def plain_types(value: object) -> set[type]:
    """Types of all values inside a document."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return {type(value)}.union(*map(plain_types, inner))


def test_a_change_of_any_field_changes_the_json() -> None:
    observation = rich()
    written = observation_json(observation)
    changed = list(variants(observation))
    assert [variant.way for variant in changed if observation_json(variant.value) == written] == []
    reached = {step for variant in changed for step in variant.way}
    parts = (observation, observation.finance, observation.plant, observation.investments[0], ORDER, CUT)
    past = observation.history[0]
    assert reached == set().union(*(steps(type(part)) for part in (*parts, past, past.report)))


def test_the_opening_position_is_written_by_name_and_in_euros() -> None:
    written = observation_json(seen())
    assert written["format"] == OBSERVATION_FORMAT
    assert (written["firm"], written["seat"], written["firms"]) == ("Almond", 0, ["Almond", "Barley", "Clover"])
    assert (written["round"], written["horizon"], written["history"]) == (1, 6, [])
    money = written["finance"]
    assert (money["cash"], money["loan"], money["equity"]) == (3_000_000.0, 8_000_000.0, 21_000_000.0)
    assert (money["valuation"], len(money["payments_due"])) == (None, 30)
    assert written["prices"]["last_round"]["NUT-500"] == {"grocery": 3.9, "independent": 3.9}
    assert written["prices"]["list"]["MIXED-1000"] == 5.06
    assert (written["prices"]["lowest"], written["prices"]["highest"]) == (0.3, 5.0)
    assert written["materials"]["lead_time_days"] == {"A": {"low": 2, "high": 7}, "B": {"low": 1, "high": 2}}
    assert written["plant"]["set_up_for"] is None
    assert written["investments"][0] == {"kind": "capacity", "step": 1_000, "steps_left": None, "next_cost": 1e6}


def test_an_order_under_way_is_written_by_its_materials_name() -> None:
    expected = {"material": "oats", "quantity": 60_000, "receipt_day": 4, "value": 55_200.0, "prepaid": False}
    assert observation_json(rich())["open_orders"] == [expected]


def test_the_line_is_set_up_for_a_sku_by_name() -> None:
    plant = replace(rich().plant, last_sku=0)
    assert observation_json(rich(plant=plant))["plant"]["set_up_for"] == "NUT-500"


def test_prices_of_materials_stand_by_material_then_week() -> None:
    observation = rich()
    written = observation_json(observation)["materials"]["price_by_week"]
    assert written["oats"] == observation.material_prices[:, MATERIAL_INDEX["oats"]].tolist()


def test_a_finished_round_is_written_with_its_public_report() -> None:
    (past,) = observation_json(rich())["history"]
    assert (past["round"], past["sold"]["NUT-500"]["grocery"], past["carbon_cost"]) == (1, 900, 2_160.0)
    report = past["market_report"]
    assert (report["firm_count"], report["volume"]["NUT-500"]["grocery"]) == (3, 900)
    assert list(report["firms"]) == ["Almond", "Barley", "Clover"]
    assert report["firms"]["Clover"]["prices"]["NUT-500"]["grocery"] == 3.9


def test_firms_of_a_large_market_stand_under_their_own_names() -> None:
    report = public_report(n_firms=3, seats=(0, 12, 40))
    (past,) = observation_json(seen(past_round(report=report)))["history"]
    assert list(past["market_report"]["firms"]) == ["Almond", "Firm 13", "Firm 41"]


def test_equal_observations_give_equal_text() -> None:
    first, second = (json.dumps(observation_json(rich()), allow_nan=False) for _ in range(2))
    assert first == second
    assert json.loads(first) == observation_json(rich())


def test_only_plain_types_are_written() -> None:
    assert plain_types(observation_json(rich())) == {dict, list, str, int, float, bool, type(None)}


def test_the_schema_is_one_and_takes_what_is_written() -> None:
    jsonschema.Draft202012Validator.check_schema(observation_schema())
    assert holds(observation_json(rich()))
    assert holds(observation_json(seen()))


@pytest.mark.parametrize(
    "change",
    [{"format": "erpbench-observation/0"}, {"round": "1"}, {"model": "x"}, {"goods": {}}, {"history": None}],
)
def test_the_schema_refuses_what_is_not_written_so(change: dict[str, object]) -> None:
    assert not holds({**observation_json(rich()), **change})


def test_the_schema_refuses_an_observation_without_a_member() -> None:
    written = observation_json(rich())
    assert [key for key in written if holds({name: part for name, part in written.items() if name != key})] == []


def test_every_member_of_the_schema_says_what_it_is() -> None:
    def undescribed(schema: dict[str, Any], way: str) -> Iterator[str]:
        names = {key: value for key, value in schema.get("properties", {}).items() if key.islower()}
        for name, part in names.items():
            if "description" not in part and name not in ("hypermarket", "grocery", "independent"):
                yield f"{way}.{name}"
            yield from undescribed(part, f"{way}.{name}")
            yield from undescribed(part.get("items", {}), f"{way}.{name}[]")

    found = set(undescribed(observation_schema(), ""))
    by_material = {name for name in found if ".materials." in name}
    assert found - by_material == {
        ".history[].carbon_kg.scope_1",
        ".history[].carbon_kg.scope_2",
        ".history[].carbon_kg.scope_3",
    }
