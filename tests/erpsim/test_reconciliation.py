"""Control accounts agree with what they stand for, and a contradiction is named."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from erpsim.errors import InvariantError
from erpsim.ledger import Account
from erpsim.reconciliation import reconcile
from erpsim.state import OpenOrder
from erpsim.units import IntArray
from tests.erpsim.samples import opened


def _one(length: int, amount: int) -> IntArray:
    row = np.zeros(length, dtype=np.int64)
    row[0] = amount
    return row


def test_an_opening_agrees() -> None:
    reconcile([opened()])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"receivables_due": _one(60, 5)}, "RECEIVABLES is 0 cents in the ledger, must be 5"),
        ({"payables_due": _one(60, 5)}, "PAYABLES is 0 cents in the ledger, must be -5"),
        (
            {"open_orders": (OpenOrder(0, 1_000, 3, 7, prepaid=True),)},
            "PREPAYMENTS is 0 cents in the ledger, must be 7",
        ),
        ({"material_value": _one(10, 9)}, "FOOD_STOCK is 0 cents in the ledger, must be 9"),
        ({"material_value": _one(10, 9)[::-1]}, "PACKAGING_STOCK is 0 cents in the ledger, must be 9"),
        ({"goods_value": _one(12, 9)}, "GOODS_STOCK is 0 cents in the ledger, must be 9"),
        ({"material_stock": _one(10, -1)}, "material stock .* neither may be below 0"),
        ({"goods_stock": _one(36, -1).reshape(12, 3)}, "goods stock .* neither may be below 0"),
    ],
)
def test_an_account_that_disagrees_is_named(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InvariantError, match=message):
        reconcile([opened(), opened(**changes)])


def test_a_value_without_stock_is_named() -> None:
    firm = opened(goods_value=_one(12, 9))
    balances = firm.balances.copy()
    balances[Account.GOODS_STOCK] = 9
    with pytest.raises(InvariantError, match="goods stock"):
        reconcile([opened(), replace(firm, balances=balances)])


def test_a_negative_value_is_named() -> None:
    firm = opened(material_stock=_one(10, 1), material_value=_one(10, -9))
    balances = firm.balances.copy()
    balances[Account.FOOD_STOCK] = -9
    with pytest.raises(InvariantError, match="material stock"):
        reconcile([opened(), replace(firm, balances=balances)])
