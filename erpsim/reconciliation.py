"""What must agree in a firm's books whenever a round is closed: each account with what it stands for."""

from __future__ import annotations

from erpsim.catalogue import IS_FOOD
from erpsim.errors import InvariantError
from erpsim.ledger import Account
from erpsim.state import FirmState


def reconcile(state: FirmState) -> None:
    """Hold a firm's accounts against its stocks, its amounts due and its orders under way.

    Raises:
        InvariantError: naming the account, its balance and what it should be.
    """
    expected = {
        Account.RECEIVABLES: state.receivables_due.sum(),
        Account.PREPAYMENTS: sum(order.value for order in state.open_orders if order.prepaid),
        Account.FOOD_STOCK: state.material_value[IS_FOOD].sum(),
        Account.PACKAGING_STOCK: state.material_value[~IS_FOOD].sum(),
        Account.GOODS_STOCK: state.goods_value.sum(),
        Account.PAYABLES: -state.payables_due.sum(),
    }
    for account, amount in expected.items():
        if (balance := int(state.balances[account])) != int(amount):
            raise InvariantError(f"{account.name} is {balance} cents in the ledger, must be {int(amount)}")
    for name, stock, value in (
        ("material", state.material_stock, state.material_value),
        ("goods", state.goods_stock.sum(axis=1), state.goods_value),
    ):
        if (stock < 0).any() or (value < 0).any() or value[stock == 0].any():
            raise InvariantError(
                f"{name} stock {stock.tolist()} stands at {value.tolist()} cents; neither may be below 0, and what is "
                "not there has no value"
            )
