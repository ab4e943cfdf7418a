"""How far a run is, as one frozen snapshot that the audit actor makes and the command line shows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from actors.llm.governor import Standing


@dataclass(frozen=True)
class FailedCall:
    """An attempt that gave no reply: its class, such as "network", the model's label, and what was said."""

    error_class: str
    model: str
    message: str = ""


@dataclass(frozen=True)
class Progress:
    """A run at one moment.

    Attributes:
        stage: what is being done, such as "starting Ray", "playing" or "writing records".
        detail: how far that is, such as "3 of 8 up"; empty where nothing is to be said.
        markets_total: markets that the plan has.
        markets_done: markets played to their end.
        markets_in_flight: markets being played now.
        markets_failed: markets given up; they are missing from the records.
        rounds_done: market rounds committed.
        rounds_total: market rounds that the plan has; None while unknown.
        calls: attempts at models' servers so far, of all plays of this run.
        calls_failed: those of them that gave no reply.
        last_failed: the last of these; None when there is none.
        throttled: attempts answered with 429.
        tokens_in: tokens sent.
        tokens_out: tokens received.
        cost_usd: money spent on models; None when some price is unknown.
        reckoned_usd: money that counts against a budget, see `budget`; None when it cannot be told.
        unpriced: replies of unknown cost.
        budget_usd: money that the run may spend; None for any.
        quota_spent: models whose account's quota was found spent in this play.
        refused: the first call of this play that says that the set-up is wrong, such as the key; the run ends.
        notes: what a person should know of this play, such as a model that calls no tools.
        accounts: how the accounts stand that several firm actors share, or that have limits a minute.
        events: number of execution events by category.
        elapsed_s: seconds since this play began.
        eta_s: seconds that the rest will take at this play's pace; None while unknown.
    """

    stage: str = ""
    detail: str = ""
    markets_total: int = 0
    markets_done: int = 0
    markets_in_flight: int = 0
    markets_failed: int = 0
    rounds_done: int = 0
    rounds_total: int | None = 0
    calls: int = 0
    calls_failed: int = 0
    last_failed: FailedCall | None = None
    throttled: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost_usd: float | None = 0.0
    reckoned_usd: float | None = 0.0
    unpriced: int = 0
    budget_usd: float | None = None
    quota_spent: tuple[str, ...] = ()
    refused: FailedCall | None = None
    notes: tuple[str, ...] = ()
    accounts: tuple[Standing, ...] = ()
    events: dict[str, int] = field(default_factory=dict)
    elapsed_s: float = 0.0
    eta_s: float | None = None


Listener = Callable[[Progress], None]
"""Called about twice a second from the driver's own thread while a run is played."""
