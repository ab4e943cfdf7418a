"""The rules of an account without any waiting: worked examples, then a provider that is played against them."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

from hypothesis import given, settings
from hypothesis import strategies as st

from actors.llm.account import HOLD_S, Account, Key, Signal
from actors.llm.terms import Terms
from actors.llm.window import MINUTE_S, SLACK_S

SPAN_S = MINUTE_S + SLACK_S


def key(number: int) -> Key:
    return ("me", number)


def keys(*numbers: int) -> list[Key]:
    return [key(number) for number in numbers]


def asked(account: Account, count: int, tokens: int = 0) -> Account:
    for number in range(1, count + 1):
        account.ask(key(number), tokens)
    return account


def test_who_asked_first_is_served_first_up_to_the_cap() -> None:
    account = asked(Account(Terms(2), 0.0), 4)
    assert account.step(0.0) == (keys(1, 2), [], math.inf)
    account.give_back(key(2), Signal(""), 1.0)
    assert account.step(1.0) == (keys(3), [], math.inf)
    assert (account.open, account.waiting, account.cap) == (2, 1, 2)


def test_requests_of_a_minute_are_counted_from_when_they_were_allowed() -> None:
    account = asked(Account(Terms(9, requests_per_minute=2), 0.0), 3)
    assert account.step(0.0) == (keys(1, 2), [], SPAN_S)
    account.give_back(key(1), Signal(""), 50.0)
    assert account.step(50.0) == ([], [], SPAN_S)
    assert account.step(SPAN_S) == (keys(3), [], math.inf)


def test_tokens_are_reserved_by_estimate_and_corrected_to_what_was_used() -> None:
    account = asked(Account(Terms(9, tokens_per_minute=100), 0.0), 3, tokens=60)
    assert account.step(0.0) == (keys(1), [], SPAN_S)
    account.give_back(key(1), Signal("", tokens=40), 5.0)
    assert account.step(5.0) == (keys(2), [], 5.0 + SPAN_S)  # 40 + 60; without the 40, 60 more are still too many
    account.give_back(key(2), Signal("", tokens=None), 6.0)
    assert account.step(SPAN_S) == ([], [], 5.0 + SPAN_S)
    assert account.step(5.0 + SPAN_S) == (keys(3), [], math.inf)


def test_a_request_that_was_refused_used_no_tokens_and_one_that_broke_off_all_that_were_reserved() -> None:
    for error_class, free_at in (("rate", 1.0), ("bad_request", 1.0), ("network", SPAN_S), ("timeout", SPAN_S)):
        account = asked(Account(Terms(9, tokens_per_minute=100), 0.0), 2, tokens=60)
        account.step(0.0)
        account.give_back(key(1), Signal(error_class), 1.0)  # type: ignore[arg-type]
        step = account.step(1.0)
        assert (step.granted == keys(2)) == (free_at == 1.0)
        assert step.again_at in (free_at, math.inf)


def test_an_estimate_beyond_the_whole_limit_goes_alone() -> None:
    account = Account(Terms(9, tokens_per_minute=100), 0.0)
    account.ask(key(1), 1)
    account.ask(key(2), 1_000)
    account.ask(key(3), 1)
    assert account.step(0.0) == (keys(1), [], SPAN_S)
    assert account.step(SPAN_S) == (keys(2), [], 2 * SPAN_S)
    assert account.step(2 * SPAN_S) == (keys(3), [], math.inf)


def test_a_request_that_was_never_sent_costs_nothing() -> None:
    account = asked(Account(Terms(1, requests_per_minute=1, tokens_per_minute=5), 0.0), 3, tokens=5)
    assert account.step(0.0).granted == keys(1)
    account.withdraw(key(2))
    account.withdraw(key(1))
    assert account.step(0.0).granted == keys(3)


def test_a_429_halves_the_cap_once_for_all_calls_that_were_open() -> None:
    account = asked(Account(Terms(16), 0.0), 17)
    account.step(0.0)
    for number in range(1, 17):
        account.give_back(key(number), Signal("rate"), 1.0)
    assert account.cap == 8
    account.step(2.0)
    account.give_back(key(17), Signal("rate"), 3.0)
    assert account.cap == 4


def test_the_cap_grows_by_one_for_about_a_caps_worth_of_replies_and_only_while_it_is_in_use() -> None:
    account = Account(Terms(8), 0.0)
    account.adopt(key(0), 0, 0.0)
    account.give_back(key(0), Signal("rate"), 1.0)
    for number in range(1, 9):  # one at a time: of 4 that may be open
        account.adopt(key(number), 0, 2.0)
        account.give_back(key(number), Signal(""), 2.0)
    assert account.cap == 4
    for number in range(10, 14):  # the fourth finds the cap in use
        account.adopt(key(number), 0, 2.0)
    for number in range(10, 14):
        account.give_back(key(number), Signal(""), 2.0)
    for number in range(20, 24):
        account.adopt(key(number), 0, 3.0)
    assert account.cap == 4  # 4 + 1/4
    for _ in range(4):
        account.give_back(key(23), Signal(""), 3.0)
        account.adopt(key(23), 0, 3.0)
    assert account.cap == 5


def test_a_server_error_and_an_overload_hold_growth_for_a_while() -> None:
    for error_class in ("server", "overloaded"):
        account = Account(Terms(2), 0.0)
        account.adopt(key(0), 0, 0.0)
        account.give_back(key(0), Signal("rate"), 1.0)
        account.adopt(key(1), 0, 1.0)
        account.give_back(key(1), Signal(error_class), 1.0)
        account.adopt(key(2), 0, 1.0)
        account.give_back(key(2), Signal(""), 1.0 + HOLD_S / 2)
        assert account.cap == 1
        account.adopt(key(3), 0, 1.0)
        account.give_back(key(3), Signal(""), 1.0 + HOLD_S)
        assert account.cap == 2


def test_the_longest_retry_after_closes_the_account_and_a_shorter_one_later_opens_nothing() -> None:
    account = Account(Terms(9), 0.0)
    for number, (error_class, seconds) in enumerate([("rate", 30.0), ("overloaded", 5.0), ("rate", None)]):
        account.adopt(key(number), 0, 0.0)
        account.give_back(key(number), Signal(error_class, seconds), 1.0)  # type: ignore[arg-type]
    account.ask(key(9), 0)
    assert account.step(2.0) == ([], [], 31.0)
    assert account.step(31.0).granted == keys(9)


def test_a_stopped_account_refuses_everybody_until_the_time_that_the_server_said_if_it_said_one() -> None:
    account = asked(Account(Terms(1), 0.0), 3)
    account.step(0.0)
    account.give_back(key(1), Signal("quota", 14_400.0), 0.0)
    assert account.step(14_399.0) == ([], keys(2, 3), math.inf)
    assert account.stopped(14_399.0) == "quota"
    assert account.stopped(14_400.0) is None
    refused = asked(Account(Terms(1), 0.0), 2)
    refused.step(0.0)
    refused.give_back(key(1), Signal("auth"), 0.0)
    assert refused.stopped(1e9) == "auth"


def test_g2_03_a_permit_whose_holder_died_is_free_again_after_its_lease() -> None:
    account = asked(Account(Terms(1, lease_s=360.0), 0.0), 2)
    assert account.step(10.0) == (keys(1), [], 370.0)
    assert account.step(370.0).granted == keys(2)
    account.give_back(key(1), Signal("rate", 50.0), 371.0)  # late news of it is news all the same
    account.ask(key(3), 0)
    assert account.open == 1
    assert account.step(371.0).again_at == 370.0 + 360.0
    account.give_back(key(2), Signal(""), 380.0)
    assert account.step(380.0).again_at == 421.0


def test_an_account_whose_history_is_lost_begins_low_and_with_a_minute_that_is_used_up() -> None:
    account = asked(Account(Terms(16, requests_per_minute=3, tokens_per_minute=9.5), 5.0, cautious=True), 9, tokens=1)
    assert account.step(5.0) == ([], [], 5.0 + SPAN_S)
    assert account.step(5.0 + SPAN_S).granted == keys(1, 2, 3)
    assert account.cap == 4
    assert Account(Terms(1), 0.0, cautious=True).cap == 1
    assert Account(Terms(64), 0.0, cautious=True).cap == 8


@dataclass
class Provider:
    """A server that stands so many calls at once, played in steps of 0.1 s."""

    account: Account
    stands: int
    seconds: float
    now: float = 0.0
    asked: int = 0
    ends: dict[Key, tuple[float, Signal]] = field(default_factory=dict)
    granted: list[float] = field(default_factory=list)
    caps: list[int] = field(default_factory=list)

    def play(self, steps: int) -> None:
        for _ in range(steps):
            self.now = round(self.now + 0.1, 1)
            for name in [name for name, (end, _) in self.ends.items() if end <= self.now]:
                self.account.give_back(name, self.ends.pop(name)[1], self.now)
            while self.account.waiting < 2 * self.stands + 3:
                self.asked += 1
                self.account.ask(key(self.asked), 0)
            for name in self.account.step(self.now).granted:
                busy = len(self.ends) >= self.stands
                self.ends[name] = (self.now + (0.1 if busy else self.seconds), Signal("rate" if busy else ""))
                self.granted.append(self.now)
            self.caps.append(self.account.cap)


@settings(max_examples=20)
@given(st.integers(1, 40), st.floats(0.3, 2.0))
def test_the_cap_converges_to_what_the_server_stands(stands: int, seconds: float) -> None:
    provider = Provider(Account(Terms(64), 0.0), stands, seconds)
    provider.play(700)
    late = provider.caps[350:]
    assert max(late) <= stands + 1
    assert min(late) >= max(1, stands // 2 - 1)


@given(
    st.integers(1, 8),
    st.integers(1, 30),
    st.integers(5, 60),
    st.lists(
        st.tuples(
            st.floats(0.0, 20.0),
            st.integers(0, 90),
            st.sampled_from(["", "", "", "rate", "server", "network", "overloaded"]),
            st.none() | st.floats(0.0, 90.0),
            st.none() | st.integers(0, 90),
        ),
        max_size=25,
    ),
)
def test_whatever_happens_limits_are_kept_and_no_retry_after_is_shortened(
    connections: int, requests: int, tokens: int, life: list[tuple[float, int, str, float | None, int | None]]
) -> None:
    account = Account(Terms(connections, requests, tokens), 0.0)
    now, closed_until, granted, spent = 0.0, 0.0, list[float](), list[tuple[float, int]]()
    for number, (pause_s, estimate, error_class, retry_after_s, used) in enumerate(life):
        now += pause_s
        estimates = {key(2 * number): estimate, key(2 * number + 1): estimate // 2}
        for name, amount in estimates.items():
            account.ask(name, amount)
        for names, at in served(account, now, len(estimates)):
            now = at
            assert now >= closed_until
            assert account.open <= connections
            for name in names:
                granted.append(now)
                within = estimates[name] if used is None else min(used, estimates[name])
                spent.append((now, within))
                account.give_back(name, Signal(error_class, retry_after_s, within), now)  # type: ignore[arg-type]
                if error_class in ("rate", "overloaded"):
                    closed_until = max(closed_until, now + (retry_after_s or 0.0))
    for start in granted:
        assert sum(start <= at < start + MINUTE_S for at in granted) <= requests
        stretch = [amount for at, amount in spent if start <= at < start + MINUTE_S and amount]
        assert sum(stretch) <= tokens or len(stretch) == 1  # one beyond the whole limit goes alone


def served(account: Account, now: float, count: int) -> Iterator[tuple[list[Key], float]]:
    """Those who are served together, with the time, until all are: waiting for that alone moves the clock."""
    while count:
        step = account.step(now)
        count -= len(step.granted)
        if step.granted:
            yield step.granted, now
        elif count:
            assert now < step.again_at < math.inf
            now = step.again_at
