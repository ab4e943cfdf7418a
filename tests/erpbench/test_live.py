"""Progress as a line, now and then, and live on a terminal."""

import io
from dataclasses import replace

import pytest
from rich.console import Console

from actors.llm.governor import Standing
from actors.progress import FailedCall, Progress
from erpbench import live

PROGRESS = Progress(
    stage="playing",
    markets_total=42,
    markets_done=12,
    markets_in_flight=6,
    markets_failed=1,
    rounds_done=120,
    rounds_total=252,
    calls=1_500,
    throttled=2,
    tokens_in=1_000_000,
    tokens_out=20_000,
    cost_usd=1.5,
    elapsed_s=80.0,
    eta_s=3_725.0,
)


def _console(terminal: bool) -> Console:
    return Console(file=io.StringIO(), force_terminal=terminal, width=120, color_system=None)


def _text(console: Console) -> str:
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_a_line_says_markets_calls_throttling_tokens_money_and_time() -> None:
    assert live.line(PROGRESS, 12.34) == (
        "playing: 12 of 42 markets done, 6 in flight, 1 failed; 1:20, about 1:02:05 left; "
        "1,500 calls (12.3/s), 2 x 429; 1,000,000 tokens in, 20,000 out; 1.50 USD"
    )


def test_failed_attempts_are_counted_and_the_last_is_named() -> None:
    failing = replace(PROGRESS, calls=23, throttled=0, calls_failed=23, last_failed=FailedCall("network", "dead"))
    assert "; 23 calls (0.5/s), 23 failed (last: network, model dead), 0 x 429; " in live.line(failing, 0.5)
    for terminal in (False, True):
        console = _console(terminal)
        with live.shown(console) as listener:
            listener(failing)
        assert "23 failed (last: network, model dead)" in _text(console)


def test_a_models_name_cannot_steer_the_terminal() -> None:
    named = FailedCall("network", "\x9b2J\u202edead")
    assert "model \\x9b2J\\u202edead" in live.line(replace(PROGRESS, calls_failed=1, last_failed=named))


def test_a_terminal_shows_a_run_of_unknown_length() -> None:
    console = _console(terminal=True)
    with live.shown(console) as listener:
        listener(replace(PROGRESS, rounds_total=None))
    assert "12 of 42 markets done" in _text(console)


def test_what_is_unknown_is_left_out_or_called_unknown() -> None:
    text = live.line(replace(PROGRESS, cost_usd=None, eta_s=None, markets_failed=0))
    assert "cost unknown" in text
    assert "left" not in text
    assert "failed" not in text
    assert "/s" not in text


def test_a_run_that_is_not_being_played_has_no_time() -> None:
    assert live.line(replace(PROGRESS, elapsed_s=0.0)).split("; ")[1] == "1,500 calls, 2 x 429"


@pytest.mark.parametrize(("seconds", "text"), [(0, "0:00"), (59.6, "1:00"), (3_599, "59:59"), (3_600, "1:00:00")])
def test_a_time_is_given_in_minutes(seconds: float, text: str) -> None:
    assert live.duration(seconds) == text


def test_the_pace_is_taken_over_the_last_seconds() -> None:
    pace = live.Pace()
    calls = {0: 1_000, 5: 1_000, 10: 1_100, 20: 1_300}  # those before this play are not counted
    found = [pace.per_second(replace(PROGRESS, elapsed_s=float(t), calls=n)) for t, n in calls.items()]
    assert found == [None, 0.0, 10.0, 20.0]


def test_plain_lines_come_at_each_stage_and_every_few_seconds() -> None:
    console = _console(terminal=False)
    with live.shown(console) as listener:
        for stage, seconds in [
            ("starting", 0.0),
            ("starting", 1.0),
            ("playing", 2.0),
            ("playing", 6.9),
            ("playing", 7.0),
        ]:
            listener(replace(PROGRESS, stage=stage, elapsed_s=seconds))
    lines = _text(console).splitlines()
    assert [line.split(":")[0] for line in lines] == ["starting", "playing", "playing"]


def test_a_stage_says_how_far_it_is_without_a_line_for_each_step() -> None:
    console = _console(terminal=False)
    with live.shown(console) as listener:
        for number in range(9):
            listener(replace(PROGRESS, stage="starting actors", detail=f"{number} of 8 up", elapsed_s=number / 10))
    assert [line.split(":")[0] for line in _text(console).splitlines()] == ["starting actors (0 of 8 up)"]


def test_a_terminal_says_that_it_loads_and_elsewhere_nothing_stands_before_an_error() -> None:
    watched, piped = _console(terminal=True), _console(terminal=False)
    for console in (watched, piped):
        with live.shown(console):
            pass
    assert "loading" in _text(watched)
    assert not _text(piped)


def test_a_terminal_shows_one_live_display() -> None:
    console = _console(terminal=True)
    with live.shown(console) as listener:
        listener(PROGRESS)
        listener(replace(PROGRESS, markets_done=13))
    assert "13 of 42 markets done, 6 in flight" in _text(console)
    assert "1,500 calls" in _text(console)


def test_a_line_says_where_the_time_went() -> None:
    assert live.time_line({"model": 75.0, "queue": 25.0}) == (
        "waiting of all firms and markets 1:40: model 75.0 %, queue 25.0 %"
    )
    thirds = live.time_line({"model": 1.0, "queue": 1.0, "tools": 1.0})
    assert thirds.endswith("0:03: model 33.4 %, queue 33.3 %, tools 33.3 %")
    assert live.time_line({"model": 0.0}).endswith("0:00: model 0.0 %")


def test_a_stage_cannot_steer_the_terminal() -> None:
    assert "\x1b" not in live.line(replace(PROGRESS, stage="\x1b[2Jplaying"))


def test_money_is_shown_against_the_budget_also_while_some_replies_have_no_known_cost() -> None:
    assert live.line(replace(PROGRESS, budget_usd=5.0, reckoned_usd=1.5)).endswith("; 1.50 of 5.00 USD")
    assert live.line(replace(PROGRESS, budget_usd=5.0, reckoned_usd=1.75, cost_usd=None)).endswith("1.75 of 5.00 USD")
    assert live.line(replace(PROGRESS, budget_usd=5.0, reckoned_usd=None, cost_usd=None)).endswith("; cost unknown")


def test_open_calls_of_accounts_with_a_common_governor_are_summed_and_a_spent_quota_is_named() -> None:
    accounts = (Standing("lab", 3, 4, 7, ""), Standing("other", 1, 8, 0, "quota"))
    text = live.line(replace(PROGRESS, accounts=accounts, quota_spent=("x/one", "x\x1btwo")))
    assert "2 x 429, 4 of 12 open; " in text
    assert "; quota spent: x/one, x\\x1btwo; " in text


@pytest.mark.parametrize("terminal", [False, True])
def test_a_note_is_printed_once_and_cannot_steer_the_terminal(terminal: bool) -> None:
    console = _console(terminal)
    noted = replace(PROGRESS, notes=("model \x9b2Jx: made no tool call",))
    with live.shown(console) as listener:
        listener(PROGRESS)
        listener(noted)
        listener(replace(noted, stage="stopping"))
    assert _text(console).count("warning: model \\x9b2Jx: made no tool call") == 1
