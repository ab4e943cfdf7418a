"""Messages as bytes: what goes in comes out, and nothing else goes in."""

import math
from dataclasses import fields
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors.desk import Given, Holder, Letter, Returned, Wanted
from actors.journal import Entry
from actors.llm.governor import Permit, Signal
from actors.message_codec import ERRORS, decode, encode
from actors.messages import Ack, Lost, NoOffer
from ecologies.local import play_rounds
from ecologies.problems import shipped_panel
from ecologies.rules import rule_policy
from erpsim.errors import ErpbenchError, RunError
from erpsim.offer import Offer, Sales

TEXTS = st.text(st.characters())
SCALARS = st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats() | TEXTS | st.binary()
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.lists(inner).map(tuple), max_leaves=20)


def same(one: Any, two: Any) -> bool:
    """Equality of plain data; nan is nan, and a tuple is no list."""
    if isinstance(one, np.ndarray):
        return one.dtype == two.dtype and np.array_equal(one, two)
    if hasattr(one, "__dataclass_fields__"):
        return all(same(getattr(one, part.name), getattr(two, part.name)) for part in fields(one))
    if isinstance(one, list | tuple):
        return type(one) is type(two) and len(one) == len(two) and all(map(same, one, two))
    if isinstance(one, float) and math.isnan(one):
        return isinstance(two, float) and math.isnan(two)
    return type(one) is type(two) and bool(one == two)


@given(VALUES)
def test_plain_data_comes_out_as_it_went_in(value: Any) -> None:
    assert same(decode(encode(value)), value)


@pytest.mark.parametrize(
    "value",
    [
        Ack("arena/P001", 3),
        NoOffer("arena/P001", 3, 0, "network", 5, "refused"),
        NoOffer("arena/P001", 3, 0, "network", 5, "half a pair: \ud800"),
        Entry("calls", ("m", 1, 0, 0, 0), (b"\x00row", 12, None, 0.5)),
        Letter(Holder("firm", "life"), "desk", (Wanted(1, "a", 10),), (Returned(2, "a", Signal("rate", 0.5, 7)),)),
        Letter(Holder("firm", "life"), returned=(Returned(2, "a", None),), held=(Wanted(3, "a", 0),)),
        Given("desk", (Permit("a", 1.5, ("life", 1)), Permit("a", 2.5, ("life", 2), "quota"))),
        np.arange(6, dtype=np.int64).reshape(2, 3),
        np.zeros((0, 3)),
        np.asfortranarray(np.arange(6.0).reshape(2, 3)),
        {1: 2, "a": (3,)},
        np.array([True, False]),
    ],
)
def test_messages_come_out_with_their_type(value: Any) -> None:
    assert same(decode(encode(value)), value)


async def test_offers_and_sales_come_out_whole_and_read_only() -> None:
    problem = shipped_panel().problems[0]
    async for played in play_rounds(problem, [rule_policy("balanced")] * 2):
        offers = tuple(turn.plan.offer for turn in played.turns)
        for sent in (offers, played.sales):
            came = decode(encode(sent))
            assert same(came, sent)
            assert all(isinstance(item, Offer | Sales) for item in came)
            arrays = [value for item in came for value in vars(item).values() if isinstance(value, np.ndarray)]
            assert arrays
            assert not any(array.flags.writeable for array in arrays)
        break


def test_an_array_that_stands_in_a_message_twice_is_written_once_and_comes_as_one() -> None:
    shared, other = np.arange(1_000), np.arange(1_000)
    once = len(encode((shared,)))
    one, (two, three), four = came = decode(encode((shared, (shared, other), shared)))
    assert same(came, (shared, (shared, other), shared))
    assert one is two is four
    assert three is not one
    assert len(encode((shared, (shared, other), shared))) < 2.1 * once


@pytest.mark.parametrize("kind", ERRORS)
def test_errors_of_ours_keep_their_class_and_words(kind: type[ErpbenchError]) -> None:
    came = decode(encode(kind("the disk is full; free some")))
    assert type(came) is kind
    assert str(came) == "the disk is full; free some"


def test_an_error_of_a_class_of_its_own_comes_out_as_the_nearest_that_crosses() -> None:
    class Odd(Lost):
        pass

    came = decode(encode(Odd("gone")))
    assert type(came) is Lost
    assert isinstance(came, RunError)


@pytest.mark.parametrize("value", [{1, 2}, object(), 1 + 2j, [print], (Ack,), np.array([print])])
def test_nothing_else_crosses(value: object) -> None:
    with pytest.raises(TypeError, match="does not cross between actors"):
        encode(value)
