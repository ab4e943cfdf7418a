"""`erpbench show`: the whole conversation of one decision, its reading, and what was executed."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from erpbench import options
from erpbench.terminal import inert
from erpsim.errors import RunError

if TYPE_CHECKING:
    from actors.journal import Journal
    from actors.transcript import Place, Transcript

NAMED_AT_MOST: Final = 12
"""Valid values that an error lists."""


def show(
    folder: options.RunFolder,
    market: Annotated[str, typer.Argument(metavar="MARKET", help="Id of a market, such as arena/P001.")],
    firm: Annotated[str, typer.Argument(metavar="FIRM", help="Name of a firm, number of its seat, or its model.")],
    round_number: Annotated[int, typer.Argument(metavar="ROUND", help="Number of the round, from 1.")],
    as_json: options.AsJson = False,
    raw: Annotated[bool, typer.Option("--raw", help="Requests and replies as they are recorded, besides.")] = False,
) -> None:
    """Show one decision: the whole conversation, every attempt, the reading, and what was executed.

    Reads the journal alone, so also a run that is being played or was moved, without its models file. Requests are
    recorded by what each call adds to the conversation. Control characters are spelt out; --json has them as they are.
    """
    from actors.transcript import read_transcript
    from erpbench.show_text import transcript_lines

    journal = _open(folder)
    try:
        found = read_transcript(journal, _find(journal, market, firm, round_number))
    finally:
        journal.close()
    if as_json:
        typer.echo(json.dumps(_figures(found, raw)))
        return
    for line in transcript_lines(found, raw):
        typer.echo(inert(line))


def seat_of(places: Sequence[Place], market: str, firm: str) -> int:
    """Find the seat that is meant: by the firm's name, else by its number, else by its model or rule.

    Raises:
        RunError: none is meant, or several are.
    """
    firms = {place.seat: place for place in places}
    named = [seat for seat, place in firms.items() if place.firm.casefold() == firm.casefold()]
    numbered = [seat for seat in firms if str(seat) == firm]
    led = [seat for seat, place in firms.items() if place.policy.casefold() == firm.casefold()]
    meant = named or numbered or led
    if len(meant) == 1:
        return meant[0]
    shown = meant or list(firms)[:NAMED_AT_MOST]
    listed = ", ".join(f"{firms[seat].firm} ({seat}, {firms[seat].policy})" for seat in shown)
    more = "" if meant or len(firms) <= len(shown) else f" and {len(firms) - len(shown)} more"
    fault = f"which leads {len(meant)} firms" if meant else f"which is no firm, seat or model of {market}"
    raise RunError(f"FIRM is {firm!r}, {fault}; name one of {listed}{more}, by firm or seat")


def _open(folder: Path) -> Journal:
    from actors.journal import Journal
    from actors.run_file import JOURNAL_NAME

    path = folder / JOURNAL_NAME
    if not path.is_file():
        raise RunError(f"{path}: not found, so {folder} is no run that was begun; name the folder of a run")
    return Journal(path, writable=False)


def _find(journal: Journal, market: str, firm: str, round_number: int) -> Place:
    from actors.transcript import read_places

    markets = journal.markets()
    if market not in markets:
        alike = [name for name in markets if name.casefold() == market.casefold()]
        if len(alike) != 1:
            raise RunError(f"MARKET is {market!r}, which the journal does not hold; {_offer(market, markets)}")
        market = alike[0]
    places = read_places(journal, market)
    seat = seat_of(places, market, firm)
    rounds = [place.round for place in places if place.seat == seat]
    if round_number not in rounds:
        raise RunError(
            f"ROUND is {round_number}; of {market} and that firm the journal holds"
            f" {f'{rounds[0]} to {rounds[-1]}' if rounds else 'none'}: name one of them"
        )
    return next(place for place in places if (place.round, place.seat) == (round_number, seat))


def _offer(wrong: str, valid: Sequence[str]) -> str:
    """Say what is valid: what is alike, else the first ones."""
    if not valid:
        return "it holds no market yet: wait for the first call"
    inside = [name for name in valid if wrong.casefold() in name.casefold()]
    close = inside or get_close_matches(wrong, valid, NAMED_AT_MOST, 0.6) or list(valid)
    rest = len(valid) - len(close[:NAMED_AT_MOST])
    return f"name one of {', '.join(close[:NAMED_AT_MOST])}" + (f" (it holds {rest} more)" if rest else "")


def _figures(found: Transcript, raw: bool) -> dict[str, object]:
    """The transcript as plain data; the recorded bodies only when they are asked for."""
    figures = asdict(found)
    if not raw:
        for exchange in figures["exchanges"]:
            del exchange["request"]
            for attempt in exchange["attempts"]:
                del attempt["reply"]
    return figures
