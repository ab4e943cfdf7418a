import math

from actors.llm.terms import LEASE_MARGIN_S, Terms, terms_by_account
from ecologies.models import parse_models

FILE = """
[models."one"]
base_url = "http://127.0.0.1:9/v1"
model = "one"
account = "lab"
limits = {connections = 64, requests_per_minute = 30}
[models."two"]
base_url = "http://127.0.0.1:9/v1"
model = "two"
account = "lab"
limits = {requests_per_minute = 20.5, tokens_per_minute = 1000}
timeouts = {total = 900}
[models."own"]
base_url = "http://127.0.0.1:9/v1"
model = "own"
"""


def test_an_account_has_the_smallest_limit_that_its_models_state_and_their_longest_timeout() -> None:
    assert terms_by_account(parse_models(FILE, "models.toml").entries) == {
        "lab": Terms(64, 20.5, 1000.0, 900.0 + LEASE_MARGIN_S),
        "http://127.0.0.1:9/v1 -": Terms(8, None, None, 300.0 + LEASE_MARGIN_S),
    }


def test_the_models_order_does_not_matter() -> None:
    entries = parse_models(FILE, "models.toml").entries
    assert terms_by_account(entries[::-1]) == terms_by_account(entries)


def test_permits_of_one_process_are_never_taken_as_lost() -> None:
    assert Terms().lease_s == math.inf
