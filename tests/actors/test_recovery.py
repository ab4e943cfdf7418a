import asyncio
import zlib
from pathlib import Path

import pytest

from actors.entries import Writer, call_entry
from actors.journal import Journal, StoredDecision
from actors.recovery import executed, played_of, replies_of
from erpsim.errors import InvariantError
from tests.actors.samples import call_record
from tests.actors.scripts import Stage, short_problems, small_work


def test_decisions_and_sales_are_derived_again_from_the_journal(tmp_path: Path) -> None:
    unit = small_work(short_problems(1))[0]

    async def play() -> None:
        stage = Stage.build(tmp_path, (unit,))
        await stage.market.play(unit.market.market_id, True)
        await stage.audit.close()

    asyncio.run(play())
    played = played_of(tmp_path / "journal.db", unit)
    assert sorted(played) == [0, 1, 2, 3, 4, 5]
    assert {len(rounds) for rounds in played.values()} == {3}
    journal = Journal(tmp_path / "journal.db", writable=False)
    decisions = executed(unit, journal.decisions(unit.market.market_id))
    journal.close()
    assert played[4][2].decision == decisions[2][4]
    assert all(item.sales.sold.sum() >= 0 for rounds in played.values() for item in rounds)


def test_a_market_without_a_committed_round_has_nothing_played(tmp_path: Path) -> None:
    unit = small_work(short_problems(1))[0]
    Journal(tmp_path / "journal.db", writable=True).close()
    assert played_of(tmp_path / "journal.db", unit) == dict.fromkeys(range(6), ())


def test_a_round_that_lacks_a_firm_is_an_invariant_broken() -> None:
    unit = small_work(short_problems(1))[0]
    row = zlib.compress(b'{"decision_json": "{}"}')
    rows = [StoredDecision(1, seat, row) for seat in (0, 1, 2, 4, 5)]
    with pytest.raises(InvariantError, match=r"round 1 of the journal has seats \[0, 1, 2, 4, 5\]"):
        executed(unit, rows)


def test_replies_come_oldest_first_with_place_and_digest(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal.db", writable=True)
    records = [call_record(reply=text, digest=text) for text in ("one", "two")]
    journal.write([call_entry(record, Writer(life, 1)) for record, life in zip(records, "zy", strict=True)])
    journal.close()
    replies = replies_of(tmp_path / "journal.db", "solo/P001/a", 1)
    assert [(reply.seat, reply.ask, reply.turn, reply.digest, reply.body) for reply in replies] == [
        (0, 0, 0, "one", "one"),
        (0, 0, 0, "two", "two"),
    ]
    assert replies_of(tmp_path / "journal.db", "solo/P001/a", 2) == ()
