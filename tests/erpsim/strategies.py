"""Hypothesis strategies for decisions: sensible ones, extreme ones and mixtures."""

from __future__ import annotations

from hypothesis import strategies as st

from erpsim.catalogue import CHANNELS, MATERIALS, SKUS
from erpsim.decision import Decision, Finance, Investment, MarketingItem, ProductionItem, PurchaseOrder

_NAMES = st.sampled_from(["", "oat", "NUT-750", "corner shop"])
_SKUS = st.one_of(st.sampled_from(SKUS), _NAMES)
_CHANNELS = st.one_of(st.sampled_from(CHANNELS), _NAMES)
_MATERIALS = st.one_of(st.sampled_from(MATERIALS), _NAMES)
_AMOUNTS = st.one_of(
    st.floats(0, 3_000_000), st.floats(-1e9, 1e9), st.sampled_from([0.0, 1e-9, 0.005, 1e18, 1.7e308, -1.7e308])
)
_PRICES = st.one_of(st.floats(1.0, 9.0), _AMOUNTS)
_COUNTS = st.one_of(
    st.integers(0, 120_000), st.integers(-(10**6), 10**7), st.sampled_from([999, 1_000, 15_999, 16_000, 48_001, 10**40])
)
_KINDS = st.sampled_from(["capacity", "setup_time", "green_production", "green_fleet"])

_production = st.builds(
    ProductionItem,
    sku=_SKUS,
    quantity=_COUNTS,
    distribution=st.one_of(st.none(), st.dictionaries(_CHANNELS, _AMOUNTS, max_size=3)),
)
_orders = st.builds(
    PurchaseOrder,
    material=_MATERIALS,
    quantity=_COUNTS,
    vendor=st.sampled_from(["A", "B"]),
    day=st.one_of(st.integers(1, 30), st.integers(-5, 10**20)),
)
_marketing = st.builds(MarketingItem, channel=_CHANNELS, sku=st.one_of(st.none(), _SKUS), amount=_AMOUNTS)
_finance = st.builds(
    Finance,
    borrow=_AMOUNTS,
    repay=_AMOUNTS,
    dividend=_AMOUNTS,
    investments=st.lists(st.builds(Investment, kind=_KINDS, amount=_COUNTS), max_size=5).map(tuple),
)

decisions = st.builds(
    Decision,
    prices=st.dictionaries(_SKUS, st.one_of(_PRICES, st.dictionaries(_CHANNELS, _PRICES, max_size=3)), max_size=12),
    production=st.lists(_production, max_size=8).map(tuple),
    purchase_orders=st.lists(_orders, max_size=12).map(tuple),
    marketing=st.lists(_marketing, max_size=5).map(tuple),
    finance=_finance,
)
"""Any decision that validates, sensible or absurd."""


def _supply(quantity: int, day: int) -> tuple[PurchaseOrder, ...]:
    return tuple(PurchaseOrder(material=name, quantity=quantity, day=day) for name in MATERIALS)


working_decisions = st.builds(
    Decision,
    prices=st.dictionaries(st.sampled_from(SKUS), st.floats(3.0, 9.0), max_size=12),
    production=st.lists(
        st.builds(ProductionItem, sku=st.sampled_from(SKUS), quantity=st.integers(16_000, 48_000)), max_size=14
    ).map(tuple),
    purchase_orders=st.builds(_supply, st.integers(1_000, 300_000), st.integers(1, 12)),
    marketing=st.lists(
        st.builds(MarketingItem, channel=st.sampled_from(CHANNELS), amount=st.floats(0, 80_000)), max_size=3
    ).map(tuple),
    finance=_finance,
)
"""Decisions of a firm that buys, makes and sells."""
