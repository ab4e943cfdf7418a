from pathlib import Path

from actors.entries import lost_entry
from actors.journal import Journal
from actors.progress import Progress
from actors.summary import failure_lines, stop_lines
from ecologies.models import parse_models
from tests.actors.samples import firm_records

FILE = """
[models."one"]
base_url = "http://127.0.0.1:9/v1"
model = "one"
account = "lab"
[models."two"]
base_url = "http://127.0.0.1:9/v1"
model = "two"
account = "lab"
[models."own"]
base_url = "http://127.0.0.1:9/v1"
model = "own"
"""


def test_a_spent_quota_is_one_line_for_each_account_that_names_its_models() -> None:
    models = parse_models(FILE, "models.toml")
    lines = stop_lines(models, Progress(quota_spent=("one", "own", "two")))
    assert len(lines) == 2
    assert lines[0].startswith("the quota of account 'lab' is spent, met by one, two: none of its models was called")
    assert "account 'http://127.0.0.1:9/v1 -' is spent, met by own" in lines[1]


def test_a_spent_budget_says_how_much_is_spent_and_one_that_is_not_says_nothing() -> None:
    models = parse_models(FILE, "models.toml")
    assert stop_lines(models, Progress(budget_usd=5.0, reckoned_usd=4.0)) == ()
    assert stop_lines(models, Progress(reckoned_usd=4.0)) == ()
    assert stop_lines(models, Progress(budget_usd=5.0, reckoned_usd=5.5)) == (
        "the budget is spent: 5.50 of 5.00 USD; no further call was made",
    )


def test_markets_that_wait_for_a_quota_are_no_failures_of_their_own(tmp_path: Path) -> None:
    events = [firm_records(market_id=f"solo/P00{number}/a").events[0] for number in (1, 2)]
    journal = Journal(tmp_path / "journal.db", writable=True)
    rows = [lost_entry(event) for event in events]
    quota = rows[1]._replace(values=(rows[1].values[0].replace(b'"no_json"', b'"quota"'),))  # type: ignore[union-attr, arg-type]
    journal.write([rows[0], quota])
    journal.close()
    assert failure_lines(tmp_path) == ("solo/P001/a, round 1: no_json: because",)
