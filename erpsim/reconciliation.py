"""What must agree in a firm's books whenever a round is closed: each account with what it stands for."""

from __future__ import annotations

import numpy as np

from erpsim.catalogue import OF_CLASS
from erpsim.errors import InvariantError
from erpsim.ledger import Account
from erpsim.state import FirmState


def reconcile(state: FirmState) -> None:
    """Hold a firm's accounts against its stocks, its amounts due and its orders under way.

    Raises:
        InvariantError: naming the account, its balance and what it should be.
    """
    food, packaging = (state.material_value @ OF_CLASS).tolist()
    expected = {
        Account.RECEIVABLES: np.add.reduce(state.receivables_due),
        Account.PREPAYMENTS: sum(order.value for order in state.open_orders if order.prepaid),
        Account.FOOD_STOCK: food,
        Account.PACKAGING_STOCK: packaging,
        Account.GOODS_STOCK: np.add.reduce(state.goods_value),
        Account.PAYABLES: -np.add.reduce(state.payables_due),
    }
    for account, amount in expected.items():
        if (balance := state.balances.item(account)) != int(amount):
            raise InvariantError(f"{account.name} is {balance} cents in the ledger, must be {int(amount)}")
    for name, stock, value in (
        ("material", state.material_stock.tolist(), state.material_value.tolist()),
        ("goods", np.add.reduce(state.goods_stock, axis=1).tolist(), state.goods_value.tolist()),
    ):
        if (
            min(stock) < 0
            or min(value) < 0
            or any(worth and not units for units, worth in zip(stock, value, strict=True))
        ):
            raise InvariantError(
                f"{name} stock {stock} stands at {value} cents; neither may be below 0, and what is "
                "not there has no value"
            )
