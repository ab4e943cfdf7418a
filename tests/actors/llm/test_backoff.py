from datetime import UTC, datetime

import pytest

from actors.llm.backoff import RetryPolicy, retry_after_s
from actors.llm.calls import CallClass, CallFailure

NOW = datetime(2026, 11, 9, 10, 0, 0, tzinfo=UTC)


def failed(error_class: CallClass = "server", attempts: int = 1, retry_after: float | None = None) -> CallFailure:
    return CallFailure(error_class, 500, attempts, "", retry_after)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        (None, None),
        ("30", 30.0),
        ("0.5", 0.5),
        ("-3", 0.0),
        ("nan", None),
        ("inf", None),
        ("soon", None),
        ("", None),
        ("Mon, 09 Nov 2026 10:00:30 GMT", 30.0),
        ("Mon, 09 Nov 2026 10:00:30 -0000", 30.0),
        ("Mon, 09 Nov 2026 09:00:00 GMT", 0.0),
        ("Mon, 99 Nov 2026 09:00:00 GMT", None),
    ],
)
def test_g2_01_retry_after_is_read_as_seconds_or_as_a_date(value: str | None, seconds: float | None) -> None:
    assert retry_after_s(value, NOW) == seconds


def test_the_ceiling_doubles_up_to_the_longest_and_the_draw_is_a_share_of_it() -> None:
    policy = RetryPolicy(attempts=9, first_s=1.0, longest_s=10.0)
    assert [policy.wait_s(failed(attempts=n), 1.0, 0.0) for n in range(1, 7)] == [1.0, 2.0, 4.0, 8.0, 10.0, 10.0]
    assert policy.wait_s(failed(attempts=4), 0.25, 0.0) == 2.0
    assert policy.wait_s(failed(attempts=4), 0.0, 0.0) == 0.0


def test_retry_after_is_a_lower_bound_and_is_never_shortened() -> None:
    policy = RetryPolicy(longest_s=10.0)
    assert policy.wait_s(failed("rate", 1, 30.0), 1.0, 0.0) == 30.0
    assert policy.wait_s(failed("rate", 4, 0.0), 1.0, 0.0) == 8.0


def test_attempts_and_budget_end_the_retries() -> None:
    policy = RetryPolicy(attempts=3, budget_s=5.0)
    assert policy.wait_s(failed(attempts=3), 1.0, 0.0) is None
    assert policy.wait_s(failed(attempts=2), 1.0, 3.0) == 2.0
    assert policy.wait_s(failed(attempts=2), 1.0, 3.5) is None


@pytest.mark.parametrize("error_class", ["auth", "quota", "bad_request", "context_overflow", "model_not_found"])
def test_what_cannot_pass_by_itself_is_not_tried_again(error_class: CallClass) -> None:
    assert RetryPolicy().wait_s(failed(error_class), 1.0, 0.0) is None
