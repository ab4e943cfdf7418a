"""The markets still to be played: longest first, parked ones later again, given up when the tries are spent."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from itertools import count
from typing import Final, NamedTuple

from actors.llm.refusals import STOPS
from actors.messages import MarketEnd
from actors.recorded import UNRECORDED
from ecologies.policy import PolicySpec
from ecologies.work import WorkUnit
from erpsim.errors import ErpbenchError, ProviderError, RunError

HOPELESS: Final = frozenset({"quota", "context_overflow", "bad_request"})
"""Failures that the same request would meet again; the market is given up in this play."""
LOSSES: Final = 20
"""Times that a market is restored after an actor was lost."""
PAUSE_SECONDS: Final = 2.0
"""Pause after a market's first parking; doubles with each."""
LONGEST_PAUSE_SECONDS: Final = 60.0
RESTART_SECONDS: Final = 0.5


class Next(NamedTuple):
    """A market to be played now; a fresh one starts at its opening, another at its last committed round."""

    market_id: str
    fresh: bool


class _Waiting(NamedTuple):
    order: int
    market_id: str
    fresh: bool
    not_before: float


Seats = tuple[PolicySpec, ...]


class Backlog:
    """Markets waiting, by the clock that the caller passes in."""

    def __init__(
        self, units: Iterable[WorkUnit], fresh: bool, tries: int, accounts: Mapping[str, str] | None = None
    ) -> None:
        """Queue markets; unless they are fresh, the journal may hold rounds or replies of them.

        Args:
            units: the markets.
            fresh: whether nothing of them has been played.
            tries: times that a market is tried.
            accounts: the account of each model, by label.
        """
        longest_first = sorted(units, key=lambda unit: -unit.model_rounds)
        self._seats = {unit.market.market_id: unit.market.seats for unit in longest_first}
        problems = list(dict.fromkeys(unit.problem.problem_id for unit in longest_first))
        places = {problem_id: place for place, problem_id in enumerate(problems)}
        self._places = {unit.market.market_id: places[unit.problem.problem_id] for unit in longest_first}
        self._accounts = dict(accounts or {})
        self._orders = count()
        # Apart by their seats, so that it takes no look at all of them to find one that fits.
        self._waiting: defaultdict[Seats, list[_Waiting]] = defaultdict(list)
        for market_id in self._seats:
            self._put(market_id, fresh, 0.0)
        self._most = tries
        self._parked: Counter[str] = Counter()
        self._losses: Counter[str] = Counter()
        self.given_up: list[MarketEnd] = []
        self.error: ErpbenchError | None = None

    def __len__(self) -> int:
        """Markets waiting."""
        return sum(map(len, self._waiting.values()))

    def take(self, now: float, fits: Callable[[Seats], bool] = lambda _: True) -> Next | None:
        """The first market whose pause is over and whose seats fit, None when there is none."""
        fitting = [queue for seats, queue in self._waiting.items() if queue and fits(seats)]
        ready = [next((waiting for waiting in queue if waiting.not_before <= now), None) for queue in fitting]
        first = min((waiting for waiting in ready if waiting is not None), default=None)
        if first is None:
            return None
        self._waiting[self._seats[first.market_id]].remove(first)
        return Next(first.market_id, first.fresh)

    def seats(self, market_id: str) -> Seats:
        """Seats of a market."""
        return self._seats[market_id]

    def place(self, market_id: str) -> int:
        """Place of a market's problem among all problems."""
        return self._places[market_id]

    def ended(self, end: MarketEnd, now: float) -> bool:
        """Take note of how a play ended; says whether the market is given up by it.

        `error` is set when the whole run has to stop.
        """
        if end.status == "done":
            return False
        if end.cause in ("run", UNRECORDED):
            self.error = RunError(end.message)
            return False
        if end.cause in STOPS:
            self.error = ProviderError(end.message)
            return False
        if end.status == "interrupted" and self._losses[end.market_id] < LOSSES:
            pause = min(RESTART_SECONDS * 2 ** self._losses[end.market_id], 8 * RESTART_SECONDS)
            self._losses[end.market_id] += 1
            self._again(end.market_id, now + pause)
            return False
        if end.status == "parked" and end.cause not in HOPELESS and self._parked[end.market_id] + 1 < self._most:
            pause = min(PAUSE_SECONDS * 2 ** self._parked[end.market_id], LONGEST_PAUSE_SECONDS)
            self._parked[end.market_id] += 1
            self._again(end.market_id, now + pause)
            return False
        self.given_up.append(end)
        return True

    def withdrawn(self, end: MarketEnd) -> list[MarketEnd]:
        """Give up the markets waiting that need the account whose spent quota has ended a market.

        Played on, they would cost the other models' calls and come to the same end.
        """
        if end.cause != "quota" or end.seat is None:
            return []
        account = self._account(self._seats[end.market_id][end.seat])
        gone: list[tuple[_Waiting, int]] = []
        for seats, queue in self._waiting.items():
            accounts = [self._account(spec) for spec in seats]
            if account is not None and account in accounts:
                gone += [(waiting, accounts.index(account)) for waiting in queue]
                queue.clear()
        ends = [
            MarketEnd(waiting.market_id, "parked", 0, end.cause, message=end.message, seat=seat)
            for waiting, seat in sorted(gone)
        ]
        self.given_up += ends
        return ends

    def _account(self, spec: PolicySpec) -> str | None:
        return None if spec.kind == "rule" else self._accounts.get(spec.label, spec.label)

    def _again(self, market_id: str, not_before: float) -> None:
        self._put(market_id, fresh=False, not_before=not_before)

    def _put(self, market_id: str, fresh: bool, not_before: float) -> None:
        self._waiting[self._seats[market_id]].append(_Waiting(next(self._orders), market_id, fresh, not_before))
