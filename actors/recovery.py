"""Recovery is replay: from the executed decisions in the journal to what brings every firm of a market back.

Nothing that a process held is needed; decisions of committed rounds give states and sales again, and the answers that
the journal holds of the round under way are given to its decisions instead of asking a model twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from actors.entries import read_call, read_round
from actors.journal import Journal, Stored, StoredDecision
from actors.messages import Played, StoredReply
from ecologies.local import replay
from ecologies.work import WorkUnit
from erpsim.decision import Decision
from erpsim.errors import InvariantError


def played_of(path: Path, unit: WorkUnit) -> dict[int, tuple[Played, ...]]:
    """Proposals, executed decisions and sales of a market's committed rounds, by seat.

    Raises:
        RunError: the journal cannot be read.
        InvariantError: a committed round lacks a firm.
    """
    journal = Journal(path, writable=False)
    try:
        rows = journal.decisions(unit.market.market_id)
    finally:
        journal.close()
    decisions = executed(unit, rows)
    asked = {(row.round_number, row.seat): _asked(row) for row in rows}
    rounds = list(enumerate(zip(decisions, replay(unit.problem, decisions).sales, strict=True), start=1))
    return {
        seat: tuple(Played(decided[seat], sold[seat], asked[number, seat]) for number, (decided, sold) in rounds)
        for seat in range(len(unit.market.seats))
    }


def replies_of(path: Path, market_id: str, round_number: int) -> tuple[StoredReply, ...]:
    """Answers that the journal holds for one round of a market, oldest first.

    Raises:
        RunError: the journal cannot be read.
    """
    journal = Journal(path, writable=False)
    try:
        return tuple(_reply(stored) for stored in journal.replies(market_id, round_number))
    finally:
        journal.close()


def executed(unit: WorkUnit, rows: Sequence[StoredDecision]) -> list[list[Decision]]:
    """Executed decisions by round from the first on, then seat.

    Raises:
        InvariantError: a round or a firm is missing.
    """
    found: list[list[Decision]] = []
    for number, group in groupby(rows, key=lambda row: row.round_number):
        by_seat = list(group)
        if number != len(found) + 1 or [row.seat for row in by_seat] != list(range(len(unit.market.seats))):
            raise InvariantError(
                f"{unit.market.market_id}: round {number} of the journal has seats {[row.seat for row in by_seat]}, not"
                f" all {len(unit.market.seats)} of round {len(found) + 1}; the journal cannot be trusted"
            )
        found.append([Decision.model_validate_json(_decision_text(row)) for row in by_seat])
    return found


def _decision_text(row: StoredDecision) -> str:
    return str(read_round(row.row)["decision_json"])


def _asked(row: StoredDecision) -> Decision | None:
    text = read_round(row.row)["proposal_json"]
    return None if text is None else Decision.model_validate_json(text)


def _reply(stored: Stored) -> StoredReply:
    seat, ask, turn, digest = stored.key
    call = read_call(stored.row)
    return StoredReply(int(seat), int(ask), int(turn), str(digest), call["reply"], call["route"])
