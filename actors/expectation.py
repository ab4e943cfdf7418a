"""What a run is expected to take, before anything is called: calls, tokens by kind, money and time, each as a range.

Pure: what a decision takes is given in three cases (`expected_decision` assumes them, `like_run` measures them) and is
multiplied by the decisions that there are to make. What is unknown stays unknown (None).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from actors.llm.calls import Tokens
from actors.llm.pricing import cost_usd
from actors.llm.terms import Terms, terms_by_account
from ecologies.model_entry import ModelEntry
from ecologies.work import WorkUnit

KINDS: Final = ("prompt", "cached", "written", "completion", "reasoning")
"""Kinds of tokens, by the fields of `Tokens`."""


@dataclass(frozen=True)
class Taking:
    """What one decision takes: calls, tokens over all of them (None: unknown), and seconds that one call lasts."""

    calls: float
    prompt: float | None = None
    completion: float | None = None
    cached: float | None = None
    written: float | None = None
    reasoning: float | None = None
    latency_s: float = 0.0


class Cases(NamedTuple):
    """One decision in three cases."""

    low: Taking
    expected: Taking
    high: Taking


@dataclass(frozen=True)
class Amounts:
    """What a model, or the run, takes in one case; None where it is unknown.

    Attributes:
        cost_usd: money, with prompt tokens read from a cache only where they are known.
        seconds: that the calls take at least, with all that is known of limits.
    """

    calls: float
    prompt: float | None
    completion: float | None
    cached: float | None
    written: float | None
    reasoning: float | None
    cost_usd: float | None
    seconds: float


@dataclass(frozen=True)
class Expected:
    """A model, or all of them under `ALL`, in the three cases."""

    label: str
    decisions: int
    low: Amounts
    expected: Amounts
    high: Amounts


@dataclass(frozen=True)
class Expectation:
    """Each model in the order of its seat, and the run."""

    models: tuple[Expected, ...]
    total: Expected


class Load(NamedTuple):
    """What one model has to play: its decisions, its firms, and the rounds of its longest market."""

    entry: ModelEntry
    decisions: int
    firms: int
    longest: int


ALL: Final = "all models"


def loads_of(units: Iterable[WorkUnit], entries: Iterable[ModelEntry]) -> tuple[Load, ...]:
    """What each model that has a seat has to play."""
    decisions: Counter[object] = Counter()
    firms: Counter[object] = Counter()
    longest: dict[object, int] = {}
    for unit in units:
        for seat in unit.market.model_seats:
            spec = unit.market.seats[seat]
            decisions[spec] += unit.problem.horizon
            firms[spec] += 1
            longest[spec] = max(longest.get(spec, 0), unit.problem.horizon)
    return tuple(
        Load(entry, decisions[entry.spec], firms[entry.spec], longest[entry.spec])
        for entry in entries
        if entry.spec in decisions
    )


def expect(loads: Sequence[Load], cases: Mapping[str, Cases], share_at_once: float = 1.0) -> Expectation:
    """Multiply out what a run takes.

    Args:
        loads: what each model has to play.
        cases: of one decision, by model.
        share_at_once: share of all markets that are played at the same time, in (0, 1].
    """
    terms = terms_by_account(load.entry for load in loads)
    models = []
    for load in loads:
        own = terms[load.entry.account_name]
        made = [_amounts(load, case, own, share_at_once) for case in cases[load.entry.label]]
        models.append(Expected(load.entry.label, load.decisions, *made))
    columns = [[getattr(model, name) for model in models] for name in Cases._fields]
    by_account = [_account_seconds(loads, column, cases, index, share_at_once) for index, column in enumerate(columns)]
    totals = [
        replace(_sum(column), seconds=max([seconds, *(amounts.seconds for amounts in column)]))
        for column, seconds in zip(columns, by_account, strict=True)
    ]
    return Expectation(tuple(models), Expected(ALL, sum(load.decisions for load in loads), *totals))


def _amounts(load: Load, case: Taking, terms: Terms, share_at_once: float) -> Amounts:
    times = load.decisions
    tokens = {kind: None if (each := getattr(case, kind)) is None else each * times for kind in KINDS}
    counted = Tokens(**{kind: None if amount is None else round(amount) for kind, amount in tokens.items()})
    calls = case.calls * times
    path_s = load.longest * case.calls * case.latency_s
    shared_s = _seconds(calls * case.latency_s, (calls, _in_all(tokens)), terms, load.firms * share_at_once)
    return Amounts(
        calls=calls,
        **tokens,
        cost_usd=cost_usd(counted, load.entry.prices),
        seconds=max(path_s, shared_s),
    )


def _seconds(busy_s: float, asked: tuple[float, float], terms: Terms, firms_at_once: float) -> float:
    """Seconds that calls take which are busy for so long in all, within an account's terms."""
    calls, tokens = asked
    at_once = max(1.0, min(terms.connections, firms_at_once))
    by_requests = 60 * calls / terms.requests_per_minute if terms.requests_per_minute else 0.0
    by_tokens = 60 * tokens / terms.tokens_per_minute if terms.tokens_per_minute else 0.0
    return max(busy_s / at_once, by_requests, by_tokens)


def _account_seconds(
    loads: Sequence[Load], column: Sequence[Amounts], cases: Mapping[str, Cases], case: int, share_at_once: float
) -> float:
    """Seconds of the account that takes the longest, with all models that share it."""
    longest_s = 0.0
    for account, terms in terms_by_account(load.entry for load in loads).items():
        ours = [index for index, load in enumerate(loads) if load.entry.account_name == account]
        busy_s = sum(column[index].calls * cases[loads[index].entry.label][case].latency_s for index in ours)
        calls = sum(column[index].calls for index in ours)
        tokens = sum(_in_all({kind: getattr(column[index], kind) for kind in KINDS}) for index in ours)
        firms = sum(loads[index].firms for index in ours) * share_at_once
        longest_s = max(longest_s, _seconds(busy_s, (calls, tokens), terms, firms))
    return longest_s


def _in_all(tokens: Mapping[str, float | None]) -> float:
    """Tokens that count against a limit a minute, as far as they are known."""
    return (tokens["prompt"] or 0.0) + (tokens["completion"] or 0.0)


def _sum(column: Sequence[Amounts]) -> Amounts:
    kinds = {kind: _total([getattr(amounts, kind) for amounts in column]) for kind in (*KINDS, "cost_usd")}
    return Amounts(calls=sum(amounts.calls for amounts in column), seconds=0.0, **kinds)


def _total(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) if len(known) == len(values) else None
