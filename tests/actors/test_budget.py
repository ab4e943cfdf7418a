"""What a run may spend: worked sums, and what is refused before anything is spent."""

import pytest

from actors.budget import UNPRICED_MOST, Spending, is_spent, missing_prices, require_prices, require_rest, spent_line
from actors.progress import Progress
from ecologies.models import parse_models, standin_models
from erpsim.errors import ModelsError, RunError

FILE = """
[models."chat"]
base_url = "http://127.0.0.1:9/v1"
model = "chat"
prices = {input = 1.0, output = 2.0}
[models."messages"]
base_url = "http://127.0.0.1:9/v1"
model = "messages"
dialect = "anthropic"
prices = {input = 1.0, cached = 0.1, output = 2.0}
[models."known"]
base_url = "http://127.0.0.1:9/v1"
model = "known"
prices = {input = 1.0, cached = 0.0, output = 2.0, reasoning = 2.0}
[models."own"]
base_url = "http://127.0.0.1:9/v1"
model = "own"
policy = "http"
"""


def test_costs_that_are_known_are_summed_and_a_reply_of_unknown_cost_counts_as_the_dearest_attempt() -> None:
    spending = Spending()
    spending.add(0.25, replied=True)
    spending.add(0.5, replied=False)  # billed all the same
    spending.add(None, replied=False)  # not billed
    spending.add(None, replied=True)
    assert spending == Spending(0.75, priced=1, unpriced=1, dearest_usd=0.5)
    assert spending.reckoned_usd() == 1.25


def test_a_budget_cannot_be_held_where_many_replies_have_come_and_none_has_a_known_cost() -> None:
    spending = Spending()
    for _ in range(UNPRICED_MOST):
        spending.add(None, replied=True)
    assert spending.reckoned_usd() == 0.0
    spending.add(None, replied=True)
    assert spending.reckoned_usd() is None
    spending.add(0.0, replied=True)
    assert spending.reckoned_usd() == 0.0


def test_a_budget_is_spent_when_it_is_reached_or_cannot_be_told() -> None:
    assert [is_spent(reckoned, 5.0) for reckoned in (4.99, 5.0, 5.01, None)] == [False, True, True, True]


def test_a_budget_needs_the_price_of_every_kind_of_token_that_a_models_server_reports() -> None:
    models = parse_models(FILE, "models.toml")
    assert {entry.label: missing_prices(entry) for entry in models.entries} == {
        "chat": ("prices.cached", "prices.reasoning"),
        "messages": ("prices.cache_write",),
        "known": (),
        "own": ("prices.input", "prices.output"),
    }
    require_prices(models.entries, None)
    require_prices(models.entries[2:3], 5.0)
    require_prices(standin_models("http://127.0.0.1:9/v1").entries, 5.0)
    with pytest.raises(ModelsError) as caught:
        require_prices(models.entries[:3], 5.0)
    assert str(caught.value) == (
        "a budget of 5.00 USD cannot be held, since prices are unknown: model 'chat': prices.cached, prices.reasoning;"
        " model 'messages': prices.cache_write; state them in the models file (0 for what is free), or leave the budget"
        " out"
    )


def test_a_run_whose_budget_is_spent_does_not_go_on_without_a_higher_one() -> None:
    require_rest(Progress(reckoned_usd=4.0), 5.0)
    require_rest(Progress(reckoned_usd=9.0), None)
    with pytest.raises(RunError, match=r"^the budget is spent: 5\.25 of 5\.00 USD; go on with a higher one: --budget"):
        require_rest(Progress(reckoned_usd=5.25), 5.0)


def test_what_is_spent_is_said_with_what_is_not_known_of_it() -> None:
    assert spent_line(Progress(reckoned_usd=5.25, unpriced=2), 5.0) == (
        "the budget is spent: 5.25 of 5.00 USD, of it 2 replies of unknown cost by the dearest call"
    )
    assert "21 replies have come and none has a known cost" in spent_line(Progress(reckoned_usd=None, unpriced=21), 5.0)
