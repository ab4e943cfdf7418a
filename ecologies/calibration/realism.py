"""What a market of the five rules is like beside real ones: cross-price and advertising effects, empty shelves, books.

Demand is measured on a round of the five rules that is cleared again with one thing changed and more goods on the
shelves than can be sold; the books' figures are those of the rounds as they were played.
"""

from __future__ import annotations

import asyncio
import math
from dataclasses import dataclass, replace
from statistics import mean
from typing import Final, NamedTuple

import numpy as np

from ecologies.calibration.measures import MEASURED_ROUND, RISE
from ecologies.ecology import RULE_NAMES
from ecologies.local import PlayedRound, play_rounds
from ecologies.rules import rule_policy
from erpsim.catalogue import ACTIVE, CHANNELS, SIZES
from erpsim.ledger import Account
from erpsim.market import clear
from erpsim.offer import Offer
from erpsim.parameters import RULES
from erpsim.problem import Problem
from erpsim.units import DAYS, FloatArray

ROUNDS_A_YEAR: Final = 12
PLENTY: Final = 10_000_000
"""Units of every cell on the shelves."""
KILOGRAMS: Final = np.repeat([int(size) / 1000 for size in SIZES], ACTIVE.shape[0] // len(SIZES))  # (12,) kg/unit


@dataclass(frozen=True)
class Books:
    """Of all firms of a market over the whole game."""

    unmet: float  # share of units wished for that the firm asked could not serve
    turns: float  # cost of goods a year by mean stock of goods and materials at a round's end
    gross_margin: float  # of revenue, after cost of goods
    net_margin: float  # of revenue
    carbon: tuple[float, ...]  # kg CO2e per kg sold, by scope


@dataclass(frozen=True)
class Realism:
    """One problem's figures; triples by channel, means over the cells that a channel sells."""

    own_others: tuple[float, ...]  # elasticity of a firm's other SKUs in the channel to the price of one
    rivals: tuple[float, ...]  # elasticity of one rival's same SKU to the price of one
    advertising: tuple[float, ...]  # elasticity of a cell to this round's spending on it
    advertising_lasting: tuple[float, ...]  # to spending that was always so much more
    to_own: tuple[float, ...]  # share of the wishes for an empty cell that the firm's other SKUs take
    to_rivals: tuple[float, ...]  # share that other firms take; the rest buys nothing
    books: Books


def realism(problem: Problem) -> Realism:
    """Measure a problem, horizon at least 3 rounds; firm 0 changes, the five rules play."""
    rounds = asyncio.run(_rounds(problem))
    measured = rounds[MEASURED_ROUND - 1]
    full = np.where(ACTIVE, PLENTY, 0)
    offers = [replace(turn.plan.offer, opening_stock=full) for turn in measured.turns]
    base = _wished(problem, offers)
    prices = [_by_price(problem, offers, base, cell) for cell in _CELLS]
    carried = rounds[MEASURED_ROUND - 2].settled[0].state.goodwill
    empty = [_by_empty_shelf(problem, offers, base, cell) for cell in _CELLS]
    return Realism(
        own_others=_by_channel([one.own_others for one in prices]),
        rivals=_by_channel([one.rivals for one in prices]),
        advertising=_by_channel([_by_goodwill(problem, offers, base, cell, carried) for cell in _CELLS]),
        advertising_lasting=_by_channel([_by_goodwill(problem, offers, base, cell, None) for cell in _CELLS]),
        to_own=_by_channel([one.own_others for one in empty]),
        to_rivals=_by_channel([one.rivals for one in empty]),
        books=_books(rounds),
    )


class _Cell(NamedTuple):
    sku: int
    channel: int


_CELLS: Final = tuple(_Cell(int(sku), int(channel)) for sku, channel in np.argwhere(ACTIVE))


async def _rounds(problem: Problem) -> list[PlayedRound]:
    return [one async for one in play_rounds(problem, [rule_policy(name) for name in RULE_NAMES])]


class _Response(NamedTuple):
    own_others: float
    rivals: float


def _by_price(problem: Problem, offers: list[Offer], base: FloatArray, cell: _Cell) -> _Response:
    dearer = offers[0].prices.copy()
    dearer[cell] *= RISE
    wished = _wished(problem, [replace(offers[0], prices=dearer), *offers[1:]])
    others = _others(cell)
    return _Response(
        _slope(base[0, others, cell.channel].sum(), wished[0, others, cell.channel].sum()),
        mean(_slope(base[seat][cell], wished[seat][cell]) for seat in range(1, len(offers))),
    )


def _by_goodwill(
    problem: Problem, offers: list[Offer], base: FloatArray, cell: _Cell, carried: FloatArray | None
) -> float:
    goodwill, now = offers[0].goodwill.copy(), offers[0].goodwill[:, *cell]
    kept = RULES.goodwill_decay ** np.arange(1, DAYS + 1)
    spent = now if carried is None else now - kept * carried[cell]
    goodwill[:, *cell] = now + (RISE - 1) * spent
    return _slope(base[0][cell], _wished(problem, [replace(offers[0], goodwill=goodwill), *offers[1:]])[0][cell])


def _by_empty_shelf(problem: Problem, offers: list[Offer], base: FloatArray, cell: _Cell) -> _Response:
    stock, arrivals = offers[0].opening_stock.copy(), offers[0].arrivals.copy()
    stock[cell] = 0
    arrivals[:, *cell] = 0
    wished = _wished(problem, [replace(offers[0], opening_stock=stock, arrivals=arrivals), *offers[1:]])
    gained = (wished - base)[:, :, cell.channel].sum(axis=1)
    gained[0] -= (wished - base)[0][cell]
    return _Response(float(gained[0] / base[0][cell]), float(gained[1:].sum() / base[0][cell]))


def _wished(problem: Problem, offers: list[Offer]) -> FloatArray:
    """Units wished for in the round, (F, 12, 3)."""
    return np.stack([one.by_cell.demanded for one in clear(problem, MEASURED_ROUND, offers).sales]).astype(np.float64)


def _others(cell: _Cell) -> list[int]:
    return [one.sku for one in _CELLS if one.channel == cell.channel and one.sku != cell.sku]


def _slope(before: float, after: float) -> float:
    return math.log(after / before) / math.log(RISE)


def _by_channel(values: list[float]) -> tuple[float, ...]:
    return tuple(
        mean(value for value, cell in zip(values, _CELLS, strict=True) if cell.channel == k)
        for k in range(len(CHANNELS))
    )


def _books(rounds: list[PlayedRound]) -> Books:
    settled = [one for played in rounds for one in played.settled]
    past = [one.result.history for one in settled]
    stocks = (Account.FOOD_STOCK, Account.PACKAGING_STOCK, Account.GOODS_STOCK)
    stock = mean(sum(int(one.state.balances[account]) for account in stocks) for one in settled)
    revenue, cost = sum(one.revenue for one in past), sum(one.cost_of_goods for one in past)
    sold = sum(float(one.sold.sum(axis=1) @ KILOGRAMS) for one in past)
    carbon = np.sum([one.carbon_kg for one in past], axis=0) / sold
    return Books(
        unmet=float(sum(one.unmet.sum() for one in past) / sum(one.demanded.sum() for one in past)),
        turns=ROUNDS_A_YEAR * cost / len(past) / stock,
        gross_margin=1 - cost / revenue,
        net_margin=sum(one.net_income for one in past) / revenue,
        carbon=tuple(carbon.tolist()),
    )
