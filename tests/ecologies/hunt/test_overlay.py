import numpy as np
import pytest

from ecologies.hunt.games import BASE
from ecologies.hunt.genome import FAMILIES, RAW_START, ROUNDS, decode, encode
from ecologies.hunt.overlay import decider, laid_over, level, scale
from ecologies.rules import decide_rule
from erpsim.decision import Decision
from erpsim.observation import Observation
from erpsim.round import observe, open_firm
from tests.ecologies.hunt.plays import CALM


def opening_view() -> Observation:
    return observe(open_firm(CALM, 0), CALM, 6)


def laid(**genes: float) -> Decision:
    """The balanced rule's first decision under some genes of round 1."""
    genome = encode(BASE)
    for name, gene in genes.items():
        genome[RAW_START + FAMILIES.index(name) * ROUNDS] = gene
    return laid_over(decide_rule(BASE, opening_view()), opening_view(), decode(genome))


PLAIN = decide_rule(BASE, opening_view())


def test_neutral_genes_leave_a_decision_as_it_is() -> None:
    assert laid() == PLAIN
    assert decider(encode(BASE))(opening_view()) == PLAIN


@pytest.mark.parametrize(("gene", "factor"), [(0.0, 0.0), (0.25, 0.5), (0.5, 1.0), (0.75, 2.0), (1.0, 3.0)])
def test_quantities_are_scaled_from_none_to_threefold(gene: float, factor: float) -> None:
    assert scale(gene) == pytest.approx(factor)
    ordered = [order.quantity for order in laid(purchases=gene).purchase_orders]
    assert ordered == [round(order.quantity * factor) for order in PLAIN.purchase_orders]


@pytest.mark.parametrize(("gene", "share"), [(0.0, 0.0), (0.39, 0.0), (0.5, None), (0.6, 0.0), (0.8, 0.5), (1.0, 1.0)])
def test_an_amount_is_none_or_the_rules_or_a_share_of_the_most(gene: float, share: float | None) -> None:
    assert level(gene) == (None if share is None else pytest.approx(share))


def test_prices_are_scaled_by_channel_and_by_sku() -> None:
    row, plain = laid(price_grocery=1.0).prices["NUT-500"], PLAIN.prices["NUT-500"]
    assert isinstance(row, dict)
    assert isinstance(plain, dict)
    assert row["grocery"] == pytest.approx(4 * plain["grocery"])
    assert row["independent"] == pytest.approx(plain["independent"])
    read = decode(encode(BASE))
    tilted = laid_over(PLAIN, opening_view(), read._replace(sku=np.where(np.arange(12) == 0, 0.0, 0.5)))
    cheap = tilted.prices["NUT-500"]
    assert isinstance(cheap, dict)
    assert cheap["grocery"] == pytest.approx(plain["grocery"] / 4)


def test_a_dividend_is_asked_beyond_all_limits() -> None:
    assert laid(dividend=1.0).finance.dividend == 1e8
    assert laid(dividend=0.0).finance.dividend == 0.0


def test_loan_and_repayment_are_shares_of_what_is_there() -> None:
    own = opening_view().finance
    assert laid(borrow=0.8).finance.borrow == pytest.approx((own.credit_limit - own.loan) / 200, abs=0.01)
    assert laid(repay=1.0).finance.repay == pytest.approx(min(own.cash, own.loan) / 100)


def test_investments_are_replaced_kind_by_kind() -> None:
    bought = {item.kind: item.amount for item in laid(capacity=1.0, setup=0.0, green=0.8).finance.investments}
    assert bought == {"capacity": 6_000, "green_production": 2, "green_fleet": 2}


def test_orders_may_go_to_the_other_vendor_and_later() -> None:
    orders = laid(vendor=1.0, order_day=1.0).purchase_orders
    assert {(order.vendor, order.day) for order in orders} == {("B", 30)}
    assert {order.vendor for order in laid(vendor=0.0).purchase_orders} == {"A"}


def test_goods_may_be_sent_elsewhere() -> None:
    item, plain = laid(grocery_share=1.0).production[0], PLAIN.production[0]
    assert item.distribution is not None
    assert plain.distribution is not None
    assert item.distribution["grocery"] == pytest.approx(4 * plain.distribution["grocery"])
