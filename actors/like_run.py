"""What a decision took in a run that was played, by model, as the cases for another run; read from its journal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean, quantiles
from typing import Any

from actors.entries import read_call
from actors.expectation import KINDS, Cases, Taking
from actors.journal import Journal
from actors.preflight_replies import PREFLIGHT
from actors.run_file import JOURNAL_NAME
from erpsim.errors import RunError


@dataclass
class Decided:
    """One decision of a committed round: its attempts, its tokens by kind, and the seconds of its replies."""

    calls: int = 0
    tokens: dict[str, int | None] = field(default_factory=lambda: dict.fromkeys(KINDS))
    uncounted: set[str] = field(default_factory=set)
    latencies_s: list[float] = field(default_factory=list)

    def add(self, call: Mapping[str, Any]) -> None:
        """Count one attempt; one without a reply that counts nothing is taken as not billed."""
        self.calls += 1
        replied = call["error_class"] == ""
        for kind in KINDS:
            counted = call["tokens"].get(kind)
            if counted is not None:
                self.tokens[kind] = (self.tokens[kind] or 0) + counted
            elif replied:
                self.uncounted.add(kind)
        if replied:
            self.latencies_s.append(call["latency_s"])


def decisions_of(folder: Path) -> dict[str, list[Decided]]:
    """Every decision of the committed rounds of a run, by the model's label.

    Raises:
        RunError: the folder has no journal, or it holds no decision of a model.
    """
    if not (folder / JOURNAL_NAME).exists():
        raise RunError(f"{folder}: {JOURNAL_NAME} not found, so there is no run to go by; name the folder of one")
    journal = Journal(folder / JOURNAL_NAME, writable=False)
    found: dict[tuple[str, str, int, int], Decided] = {}
    try:
        committed = journal.committed()
        for stored in journal.rows("calls"):
            call = read_call(stored.row)
            market_id, number = call["market_id"], call["round_number"]
            if market_id != PREFLIGHT and number <= committed.get(market_id, 0):
                found.setdefault((call["model"], market_id, number, call["seat"]), Decided()).add(call)
    finally:
        journal.close()
    if not found:
        raise RunError(f"{folder}: no round with a call of a model is committed there; name a run that was played")
    by_model: dict[str, list[Decided]] = {}
    for (model, *_), decided in found.items():
        by_model.setdefault(model, []).append(decided)
    return by_model


def measured(decisions: Mapping[str, Sequence[Decided]], label: str) -> Cases:
    """The cases of a model by what its decisions took; of one that is not among them, by those of all models.

    Expected is the mean, low and high are the quartiles of single decisions.
    """
    ours = decisions.get(label) or [one for each in decisions.values() for one in each]
    latencies_s = [seconds for one in ours for seconds in one.latencies_s]
    latency_s = mean(latencies_s) if latencies_s else 0.0
    spreads = {kind: _spread_of_kind(ours, kind) for kind in KINDS}
    calls = _spread([one.calls for one in ours])
    return Cases(
        *(
            Taking(
                calls[case],
                **{kind: None if spread is None else spread[case] for kind, spread in spreads.items()},
                latency_s=latency_s,
            )
            for case in range(3)
        )
    )


def like_grounds(decisions: Mapping[str, Sequence[Decided]], labels: Iterable[str], folder: Path) -> tuple[str, ...]:
    """Say what the cases rest on."""
    strange = [label for label in labels if label not in decisions]
    number = sum(len(each) for each in decisions.values())
    told = [
        f"calls, tokens and seconds are those of {number:,} decisions in {folder}, failed attempts included",
        "expected is the mean of a decision, low and high are quartiles of single ones",
        "other problems, prompts or models take other amounts",
    ]
    if strange:
        told.append(f"not played there, and taken as the mean of its models: {', '.join(strange)}")
    return tuple(told)


def _spread_of_kind(decisions: Sequence[Decided], kind: str) -> tuple[float, ...] | None:
    """Quartile, mean, quartile of a kind of tokens; None where a reply of some decision did not count it."""
    if any(kind in one.uncounted for one in decisions):
        return None
    return _spread([one.tokens[kind] or 0 for one in decisions])


def _spread(values: Sequence[float]) -> tuple[float, ...]:
    """Low, expected, high: the mean within the quartiles, which it widens where they do not hold it."""
    average = mean(values)
    low, _, high = quantiles(values, n=4, method="inclusive") if len(values) > 1 else (average,) * 3
    return (min(low, average), average, max(high, average))
