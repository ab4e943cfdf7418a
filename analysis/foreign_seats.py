"""Who sits where in tables from elsewhere, which need not say it: every entrant of an ecology gets a seat of its own.

A model is one entrant, unless it takes several seats of one market: then each of its given seats is one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from analysis.foreign_columns import ECOLOGIES, Row
from erpsim.errors import RunError

NO_SEAT = -1
"""Seat of an event that no model is behind."""

Setting = tuple[str, str]
Entrant = tuple[str, int]


class Contest(NamedTuple):
    """Where models meet on one problem."""

    ecology: str
    lineup: str
    problem_id: str
    trial: int


@dataclass(frozen=True)
class Seating:
    """Seats and markets.

    Attributes:
        entrants: of each setting (ecology and line-up), in the order of their seats: model and given seat, or `NO_SEAT`
            where the model has one seat only.
        trials: seen anywhere.
        markets: given market of each contest and model.
    """

    entrants: Mapping[Setting, tuple[Entrant, ...]]
    trials: tuple[int, ...]
    markets: Mapping[tuple[Contest, str], str]

    def seat(self, contest: Contest, model: str | None, given: int | None) -> int:
        """Give the seat of a row's model; `NO_SEAT` for none."""
        entrants = self.entrants.get(contest[:2], ())
        if model is None:
            return NO_SEAT
        wanted = (model, NO_SEAT)
        return entrants.index(wanted if wanted in entrants else (model, NO_SEAT if given is None else given))

    def market_id(self, contest: Contest, seat: int, model: str | None) -> str:
        """Give the market of a row: the given one, or one named as the project's own are."""
        given = self.markets.get((contest, model or ""))
        if given is not None:
            return given
        own = (model or str(seat),) if contest.ecology == "solo" else ()
        trial = (f"t{contest.trial}",) if contest.trial else ()
        return "/".join((contest.ecology, *filter(None, (contest.lineup,)), contest.problem_id, *own, *trial))


def contest_of(row: Row) -> Contest:
    """Give the contest of a row; without line-up or trial it is the first of the plain one."""
    return Contest(row["ecology"], row.get("lineup") or "", row["problem_id"], row.get("trial") or 0)


def seating(folder: Path, rows: Iterable[Row], events: Iterable[Row]) -> Seating:
    """Seat the models of rows.

    Args:
        folder: for messages.
        rows: of rounds and outcomes, each with a model.
        events: every one must be of a model of those rows, in an ecology of theirs, or of none.

    Raises:
        RunError: an event's model or seat, or a row's seat, cannot be told.
    """
    seen: dict[Setting, dict[str, set[int]]] = {}
    together: dict[tuple[Contest, str], set[int]] = {}
    markets: dict[tuple[Contest, str], str] = {}
    for row in rows:
        contest, model, seat = contest_of(row), row["model"], row.get("seat")
        given = NO_SEAT if seat is None else int(seat)
        seen.setdefault(contest[:2], {}).setdefault(model, set()).add(given)
        together.setdefault((contest, model), set()).add(given)
        if row.get("market_id"):
            markets.setdefault((contest, model), row["market_id"])
    several = {(contest[:2], model) for (contest, model), seats in together.items() if len(seats - {NO_SEAT}) > 1}
    models = sorted({model for names in seen.values() for model in names})
    entrants = {
        setting: tuple(
            (model, seat)
            for model in (sorted(seen[setting]) if setting[0] == "mixed" else models)
            for seat in (sorted(seen[setting][model]) if (setting, model) in several else [NO_SEAT])
        )
        for setting in sorted(seen, key=lambda setting: (ECOLOGIES.index(setting[0]), setting[1]))
    }
    trials = tuple(sorted({contest.trial for contest, _ in together}))
    result = Seating(entrants, trials, markets)
    _check_seats(folder, entrants, several)
    _check_events(folder, events, result)
    return result


def _check_seats(
    folder: Path, entrants: Mapping[Setting, tuple[Entrant, ...]], several: set[tuple[Setting, str]]
) -> None:
    for setting, model in sorted(several):
        if (model, NO_SEAT) in entrants[setting]:
            raise RunError(f"{folder}: {model} takes several seats in {setting[0]}; give the seat in every row of it")


def _check_events(folder: Path, events: Iterable[Row], seats: Seating) -> None:
    for row in events:
        contest, model = contest_of(row), row["model"]
        known = {name for name, _ in seats.entrants.get(contest[:2], ())}
        if model is not None and model not in known:
            raise RunError(
                f"{folder}: events.csv has an event of {model!r} in {contest.ecology}, which neither rounds.csv nor"
                " outcomes.csv knows there"
            )
        sitting = {(model, NO_SEAT), (model, row.get("seat"))}
        if model is not None and not sitting & set(seats.entrants[contest[:2]]):
            raise RunError(f"{folder}: events.csv: {model} takes several seats; give the seat of each of its events")
