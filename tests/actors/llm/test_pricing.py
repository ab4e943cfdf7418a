import pytest

from actors.llm.calls import Tokens
from actors.llm.pricing import cost_usd
from ecologies.models import Prices

ALL = Prices(input=3.0, cached=0.3, output=15.0, reasoning=10.0)


def test_each_kind_of_token_is_priced_once() -> None:
    # 600 x 3 + 400 x 0.3 + 50 x 15 + 150 x 10 = 1800 + 120 + 750 + 1500 = 4170 USD per million
    assert cost_usd(Tokens(1000, 400, 200, 150), ALL) == pytest.approx(0.00417)


def test_unknown_is_not_nothing() -> None:
    assert cost_usd(Tokens(), ALL) is None
    assert cost_usd(Tokens(prompt=10), ALL) is None
    assert cost_usd(Tokens(10, 0, 10, 0), Prices(input=1.0)) is None
    assert cost_usd(Tokens(10, 5, 10, 0), Prices(input=1.0, output=1.0)) is None


def test_a_price_that_no_token_needs_may_be_unknown() -> None:
    assert cost_usd(Tokens(10, 0, 10, None), Prices(input=1.0, output=1.0)) == pytest.approx(2e-5)


def test_a_prompt_written_to_a_cache_has_its_own_price() -> None:
    # 500 x 3 + 400 x 0.3 + 100 x 3.75 + 200 x 15 = 1500 + 120 + 375 + 3000 = 4995 USD per million
    prices = Prices(input=3.0, cached=0.3, cache_write=3.75, output=15.0)
    assert cost_usd(Tokens(1000, 400, 200, None, 100), prices) == pytest.approx(0.004995)
    assert cost_usd(Tokens(1000, 400, 200, None, 100), Prices(input=3.0, cached=0.3, output=15.0)) is None


def test_what_is_free_costs_nothing_also_when_its_server_counts_no_tokens() -> None:
    assert cost_usd(Tokens(), Prices(input=0.0, output=0.0)) == 0.0
    assert cost_usd(Tokens(), Prices()) is None
    assert cost_usd(Tokens(), Prices(input=0.0, output=0.1)) is None
