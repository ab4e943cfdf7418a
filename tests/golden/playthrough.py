"""Writes a game down so that a person can read it and a test can add it up again."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ecologies.local import PlayedRound, play_rounds
from ecologies.policy import Policy
from erpsim.catalogue import ACTIVE, CHANNELS, MATERIALS, SKUS, firm_name
from erpsim.conditions import conditions
from erpsim.decision import Decision
from erpsim.ledger import Account
from erpsim.observation import Observation
from erpsim.parameters import RULES_VERSION
from erpsim.problem import Problem
from erpsim.proposal import Proposal
from erpsim.state import FirmState
from erpsim.units import DAYS, WEEK


class Silent:
    """Never gives a decision, so that every round is the fallback's."""

    async def decide(self, observation: Observation) -> Proposal:
        """Propose nothing."""
        return Proposal(None, "fallback")


@dataclass(frozen=True)
class Game:
    """A game to write down: who plays, and whose books are shown."""

    problem: Problem
    names: tuple[str, ...]  # by seat
    policies: tuple[Policy, ...]  # by seat
    shown: int  # seat


def write(game: Game) -> str:
    """Play a game and give its text."""
    return asyncio.run(_text(game))


async def _text(game: Game) -> str:
    return "\n".join([line async for line in _lines(game)]) + "\n"


async def _lines(game: Game) -> AsyncIterator[str]:
    problem = game.problem
    yield f"Problem {problem.problem_id}, {problem.stratum}, {problem.scenario}, rules {RULES_VERSION}"
    yield "Firms: " + ", ".join(f"{firm_name(seat)} {name}" for seat, name in enumerate(game.names))
    yield f"Books of {firm_name(game.shown)}; money in EUR, debits positive; columns are weeks of {WEEK} days"
    before: FirmState | None = None
    async for played in play_rounds(problem, game.policies):
        for line in _round(problem, before, played, game.shown):
            yield line
        before = played.settled[game.shown].state


def _round(problem: Problem, before: FirmState | None, played: PlayedRound, seat: int) -> Iterator[str]:
    yield ""
    yield f"== Round {played.round_number}"
    yield from _news(problem, played.round_number)
    yield from _decision(played.turns[seat].decision)
    yield from _events(played, seat)
    yield from _cells(played, seat)
    yield from _goods(played, seat)
    yield from _materials(before, played, seat)
    yield from _ledger(before, played, seat)
    yield from _firms(played)


def _news(problem: Problem, round_number: int) -> Iterator[str]:
    for sentence in conditions(problem, round_number).news:
        yield f"news: {sentence}"


def _decision(decision: Decision) -> Iterator[str]:
    for item in decision.production:
        yield f"make: {item.sku} {item.quantity}"
    for order in decision.purchase_orders:
        yield f"buy: {order.material} {order.quantity} from {order.vendor} on day {order.day}"
    for line in decision.marketing:
        yield f"advertise: {line.channel} {line.sku or 'all'} {line.amount:.2f}"
    finance = decision.finance
    for name in ("borrow", "repay", "dividend"):
        if amount := getattr(finance, name):
            yield f"{name}: {amount:.2f}"
    for investment in finance.investments:
        yield f"invest: {investment.kind} {investment.amount}"


def _events(played: PlayedRound, seat: int) -> Iterator[str]:
    for event in played.turns[seat].events:
        yield f"event: {event.category} {event.code} {event.field} asked {event.asked} granted {event.granted}"


def _cells(played: PlayedRound, seat: int) -> Iterator[str]:
    sales, prices = played.sales[seat], played.turns[seat].plan.offer.prices
    yield from _table("cells", ["price", "demanded", "first", "received", "sold", "unmet"])
    for j, k in np.argwhere(ACTIVE).tolist():
        demanded, sold, received, unmet = (
            int(array[:, j, k].sum()) for array in (sales.demanded, sales.sold, sales.received, sales.unmet)
        )
        numbers = [demanded, sold - received, received, sold, unmet]
        yield _row(f"{SKUS[j]}/{CHANNELS[k]}", [f"{prices[j, k]:.2f}", *map(str, numbers)])


def _goods(played: PlayedRound, seat: int) -> Iterator[str]:
    planned, sales = played.turns[seat].plan, played.sales[seat]
    yield from _table("goods", ["opening", "arrived", "sold", "closing", "overnight"])
    opening, arrived = planned.offer.opening_stock.sum(axis=1), planned.offer.arrivals.sum(axis=(0, 2))
    sold, closing = sales.sold.sum(axis=(0, 2)), played.settled[seat].result.goods_end.sum(axis=1)
    overnight = planned.arrivals[DAYS].sum(axis=1)
    for j, sku in enumerate(SKUS):
        yield _row(sku, (str(int(column[j])) for column in (opening, arrived, sold, closing, overnight)))


def _materials(before: FirmState | None, played: PlayedRound, seat: int) -> Iterator[str]:
    planned, after = played.turns[seat].plan, played.settled[seat].state
    yield from _table("materials", ["opening", "received", "used", "closing"])
    for n, name in enumerate(MATERIALS):
        received, used = int(planned.receipts[:, n].sum()), int(planned.schedule.usage[:, n].sum())
        closing = int(after.material_stock[n])
        opening = int(before.material_stock[n]) if before else closing - received + used
        yield _row(name, map(str, (opening, received, used, closing)))


def _ledger(before: FirmState | None, played: PlayedRound, seat: int) -> Iterator[str]:
    moves, after = played.settled[seat].result.moves, played.settled[seat].state
    weeks = moves.reshape(DAYS // WEEK, WEEK, -1).sum(axis=1)
    yield from _table("ledger", ["opening", *(f"week {week}" for week in range(1, len(weeks) + 1)), "closing"])
    for account in Account:
        moved = int(moves[:, account].sum())
        opening = int(before.balances[account]) if before else _first_opening(after, account, moved)
        amounts = [opening, *weeks[:, account].tolist(), opening + moved]
        if any(amounts):
            yield _row(account.name.lower(), (f"{amount / 100:.2f}" for amount in amounts))


def _first_opening(after: FirmState, account: Account, moved: int) -> int:
    """Balance before round 1: income accounts and retained earnings open at 0."""
    return 0 if account >= Account.RETAINED_EARNINGS else int(after.balances[account]) - moved


def _firms(played: PlayedRound) -> Iterator[str]:
    yield from _table("firms", ["valuation", "net income", "cash", "loan", "sold", "unmet"])
    for seat, settled in enumerate(played.settled):
        result = settled.result
        money = (f"{amount:.2f}" for amount in (result.valuation, result.net_income / 100, result.cash / 100))
        yield _row(
            firm_name(seat), [*money, f"{result.loan / 100:.2f}", str(result.units_sold), str(result.units_lost)]
        )


def _table(name: str, columns: Sequence[str]) -> Iterator[str]:
    yield ""
    yield _row(f"[{name}]", columns)


def _row(name: str, values: Iterable[str]) -> str:
    return f"{name:<28}" + "".join(f"{value:>18}" for value in values)
