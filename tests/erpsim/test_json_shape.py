import jsonschema
import numpy as np
import pytest

from erpsim.catalogue import CHANNELS, SKUS
from erpsim.json_shape import (
    EUR,
    FLAG,
    NUMBER,
    TEXT,
    WHOLE,
    Member,
    Schema,
    by_cell,
    keyed,
    listed,
    name_at,
    named,
    nullable,
    one_of,
    record,
)
from erpsim.state import OpenOrder


def holds(schema: Schema, value: object) -> bool:
    """Whether a schema takes a value."""
    valid: bool = jsonschema.Draft202012Validator(schema).is_valid(value)
    return valid


def test_cents_are_written_as_euros() -> None:
    assert EUR.write(np.int64(1_234_567)) == 12_345.67
    assert EUR.write(-5) == -0.05


def test_numbers_of_arrays_become_plain_ones() -> None:
    assert [type(shape.write(np.float64(2))) for shape in (NUMBER, WHOLE, EUR)] == [float, int, float]
    assert FLAG.write(np.True_) is True


def test_an_index_is_written_as_its_name() -> None:
    shape = name_at(("A", "B"))
    assert shape.write(1) == "B"
    assert holds(shape.schema, "B")
    assert not holds(shape.schema, "C")


def test_null_stands_for_none_where_it_may() -> None:
    assert [nullable(WHOLE).write(value) for value in (None, 3)] == [None, 3]
    assert holds(nullable(WHOLE).schema, None)
    assert not holds(WHOLE.schema, None)
    kinds = nullable(one_of(("x", "y"))).schema
    assert [holds(kinds, value) for value in (None, "x", "z")] == [True, True, False]


def test_a_list_has_the_length_that_is_asked_for() -> None:
    assert listed(EUR, 2).write(np.array([100, 250])) == [1.0, 2.5]
    assert [holds(listed(NUMBER, 2).schema, [1.0] * length) for length in (1, 2, 3)] == [False, True, False]
    assert holds(listed(NUMBER).schema, [])


def test_an_array_is_written_under_names() -> None:
    shape = keyed(("A", "B"), WHOLE)
    assert shape.write(np.array([7, 8])) == {"A": 7, "B": 8}
    assert [holds(shape.schema, value) for value in ({"A": 7, "B": 8}, {"A": 7})] == [True, False]


def test_a_cell_that_is_not_sold_has_no_key() -> None:
    written = by_cell(WHOLE).write(np.arange(36).reshape(12, 3))
    assert list(written) == list(SKUS)
    assert written["NUT-500"] == {"grocery": 1, "independent": 2}
    assert written["MIXED-1000"] == {"hypermarket": 33, "grocery": 34}
    assert holds(by_cell(WHOLE).schema, written)
    assert not holds(by_cell(WHOLE).schema, {**written, "NUT-500": dict.fromkeys(CHANNELS, 1)})


def test_a_record_is_written_in_the_order_of_its_members() -> None:
    shape = record(
        Member("quantity", WHOLE, "kg"),
        Member("paid", FLAG, "paid or not", lambda order: order.prepaid),
    )
    assert list(shape.write(OpenOrder(5, 1_000, 3, 920_00)).items()) == [("quantity", 1_000), ("paid", False)]
    assert shape.schema["properties"]["quantity"]["description"] == "kg"


@pytest.mark.parametrize("value", [{"quantity": 1}, {"quantity": 1, "paid": True, "more": 1}, {"quantity": "1"}])
def test_a_record_takes_its_members_and_no_others(value: object) -> None:
    schema = record(Member("quantity", WHOLE, "kg"), Member("paid", FLAG, "paid or not")).schema
    assert holds(schema, {"quantity": 1, "paid": True})
    assert not holds(schema, value)


def test_a_named_shape_refers_to_its_definition() -> None:
    shape = named("note", TEXT)
    assert shape.write("x") == "x"
    document = {"$defs": {"note": TEXT.schema}, "properties": {"a": shape.schema}}
    assert [holds(document, {"a": value}) for value in ("x", 1)] == [True, False]
