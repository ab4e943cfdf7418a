"""A result is given again for the very same arguments, and only for them."""

import numpy as np
import pytest

from erpsim.recall import last_result
from erpsim.units import IntArray, frozen


class Counted:
    """A function that counts its calls, with its first argument compared by value."""

    def __init__(self) -> None:
        self.calls = 0
        self.ask = last_result(by_value=1)(self._work)

    def _work(self, items: list[int], stock: IntArray, doubled: bool = False) -> int:
        self.calls += 1
        return (sum(items) + int(stock.sum())) * (1 + doubled)


def test_the_same_is_worked_out_once() -> None:
    counted, stock = Counted(), frozen(np.arange(3))
    assert counted.ask([1, 2], stock) == counted.ask([1, 2], stock) == 6
    assert counted.calls == 1


@pytest.mark.parametrize("doubled", [False, True])
def test_another_value_another_object_or_another_keyword_is_worked_out_anew(doubled: bool) -> None:
    counted, stock = Counted(), frozen(np.arange(3))
    assert counted.ask([1, 2], stock, doubled=False) == 6
    assert counted.ask([1, 3], stock, doubled=False) == 7
    assert counted.ask([1, 3], frozen(np.arange(3)), doubled=False) == 7
    assert counted.ask([1, 3], stock) == 7
    assert counted.ask([1, 3], stock, doubled=doubled) == 7 * (1 + doubled)
    assert counted.calls == 5


def test_an_array_that_may_have_been_edited_is_looked_at_again() -> None:
    counted, stock = Counted(), np.arange(3)
    assert counted.ask([], stock) == 3
    stock[0] = 5
    assert counted.ask([], stock) == 8


def test_a_list_that_was_edited_is_looked_at_again() -> None:
    counted, stock = Counted(), frozen(np.arange(3))
    items = [1, 2]
    assert counted.ask(items, stock) == 6
    items.append(4)
    assert counted.ask(items, stock) == 10
    length = last_result()(len)
    assert length(items) == 3
    items.append(1)
    assert length(items) == 4


def test_keywords_are_told_apart_by_their_names() -> None:
    minus = last_result()(lambda more, less: more - less)
    assert minus(more=1, less=2) == -1
    assert minus(less=1, more=2) == 1


def test_only_the_last_result_is_kept() -> None:
    counted, stock = Counted(), frozen(np.arange(3))
    for items in ([1], [2], [1]):
        counted.ask(items, stock)
    assert counted.calls == 3
