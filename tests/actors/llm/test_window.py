"""Sliding windows: hand-worked examples, then any stretch of a long random life."""

from hypothesis import given
from hypothesis import strategies as st

from actors.llm.window import MINUTE_S, SLACK_S, Window, request_window

LIMIT = 10


def test_an_amount_waits_until_enough_of_the_last_minute_is_gone() -> None:
    window = Window(5, 60.0)
    window.add(3, 0.0)
    window.add(2, 10.0)
    assert window.free_at(0, 20.0) == 20.0
    assert window.free_at(1, 20.0) == 60.0
    assert window.free_at(3, 20.0) == 60.0
    assert window.free_at(4, 20.0) == 70.0
    assert window.free_at(3, 60.0) == 60.0
    assert window.free_at(4, 60.0) == 70.0


def test_more_than_the_whole_limit_waits_for_an_empty_window_and_then_goes() -> None:
    window = Window(5, 60.0)
    assert window.free_at(9, 0.0) == 0.0
    window.add(1, 0.0)
    assert window.free_at(9, 1.0) == 60.0
    assert window.free_at(9, 60.0) == 60.0
    window.add(9, 60.0)
    assert window.free_at(1, 61.0) == 120.0


def test_a_corrected_amount_counts_at_its_time_and_one_that_is_gone_changes_nothing() -> None:
    window = Window(10, 60.0)
    use = window.add(8, 0.0)
    assert window.free_at(5, 1.0) == 60.0
    window.correct(use, 2)
    assert window.free_at(5, 1.0) == 1.0
    window.correct(use, 30)
    assert window.free_at(1, 1.0) == 60.0
    assert window.free_at(10, 60.0) == 60.0
    window.correct(use, 30)
    assert window.free_at(10, 60.0) == 60.0


def test_less_than_one_request_a_minute_is_one_in_a_longer_time() -> None:
    window = request_window(0.25)
    window.add(1, 0.0)
    assert window.free_at(1, 1.0) == 4 * MINUTE_S + SLACK_S


def test_half_a_request_more_than_a_whole_number_is_never_sent() -> None:
    window = request_window(1.5)
    window.add(1, 0.0)
    assert window.free_at(1, 0.0) == MINUTE_S + SLACK_S


@given(
    st.lists(st.tuples(st.floats(0, 40), st.integers(0, LIMIT), st.none() | st.integers(0, LIMIT)), min_size=1),
)
def test_no_stretch_of_a_minute_ever_holds_more_than_the_limit(life: list[tuple[float, int, int | None]]) -> None:
    window = Window(LIMIT, 60.0)
    now, uses = 0.0, []
    for pause_s, amount, correction in life:
        now += pause_s
        now = max(now, window.free_at(amount, now))
        use = window.add(amount, now)
        if correction is not None and correction <= amount:
            window.correct(use, correction)
        uses.append(use)
    for first in uses:
        assert sum(use.amount for use in uses if first.at <= use.at < first.at + 60.0) <= LIMIT
