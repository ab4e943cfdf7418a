"""What must agree in a firm's books whenever a round is closed: each account with what it stands for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from erpsim.catalogue import MATERIALS, OF_CLASS
from erpsim.errors import InvariantError
from erpsim.ledger import Account
from erpsim.state import FirmState
from erpsim.units import IntArray, abreast

_CONTROLLED: Final = (
    Account.RECEIVABLES,
    Account.PREPAYMENTS,
    Account.FOOD_STOCK,
    Account.PACKAGING_STOCK,
    Account.GOODS_STOCK,
    Account.PAYABLES,
)


_MATERIAL: Final = slice(len(MATERIALS))
_GOODS: Final = slice(len(MATERIALS), None)
"""Places in a row of materials and SKUs."""


def reconcile(states: Sequence[FirmState]) -> None:
    """Hold firms' accounts against their stocks, their amounts due and their orders under way.

    Raises:
        InvariantError: naming the account, its balance and what it should be.
    """
    values = np.concatenate(
        (abreast([one.material_value for one in states]), abreast([one.goods_value for one in states])), axis=1
    )
    balances = abreast([one.balances for one in states]).take(_CONTROLLED, axis=1)
    expected = _expected(states, values)
    for firm, place in _where(balances != expected):
        raise InvariantError(
            f"{_CONTROLLED[place].name} is {balances[firm, place]} cents in the ledger, must be {expected[firm, place]}"
        )
    goods = np.add.reduce(abreast([one.goods_stock for one in states]), axis=2)
    stocks = np.concatenate((abreast([one.material_stock for one in states]), goods), axis=1)
    wrong = np.minimum(stocks, values) < 0
    wrong |= (stocks == 0) & (values != 0)
    for firm, place in _where(wrong):
        name, kind = ("material", _MATERIAL) if place < len(MATERIALS) else ("goods", _GOODS)
        raise InvariantError(
            f"{name} stock {stocks[firm, kind].tolist()} stands at {values[firm, kind].tolist()} cents; neither may be "
            "below 0, and what is not there has no value"
        )


def _where(wrong: npt.NDArray[np.bool_]) -> Iterable[IntArray]:
    """Firm and place of all that is wrong; nothing is, but for bugs."""
    return np.argwhere(wrong) if np.count_nonzero(wrong) else ()


def _expected(states: Sequence[FirmState], values: IntArray) -> IntArray:
    """Balances of the accounts that are held against something, (F, 6) cents, from values by material and SKU."""
    expected = np.empty((len(states), len(_CONTROLLED)), dtype=np.int64)
    expected[:, 0] = np.add.reduce(abreast([one.receivables_due for one in states]), axis=1)
    expected[:, 1] = [sum([order.value for order in one.open_orders if order.prepaid]) for one in states]
    expected[:, 2:4] = values[:, _MATERIAL] @ OF_CLASS
    expected[:, 4] = np.add.reduce(values[:, _GOODS], axis=1)
    expected[:, 5] = -np.add.reduce(abreast([one.payables_due for one in states]), axis=1)
    return expected
