"""The governor actor: gives the permits of accounts that several firm actors share, for the whole run.

A plain class, made an actor in `remote`. It holds nothing that may not be lost: a desk that comes back begins at low
caps with every minute taken as used up, and is told by the firm actors which calls they have open.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple, Protocol
from uuid import uuid4

from actors.llm.account import Key
from actors.llm.governor import Clock, LocalGovernor, Permit, Signal, Sleep, Standing
from actors.llm.terms import Terms


class Holder(NamedTuple):
    """A firm actor in one of its lives; a new life of a name ends what the one before held."""

    name: str
    life: str


class Wanted(NamedTuple):
    """A request for a permit: the holder's number for it, its account, and the tokens that it will use, estimated."""

    number: int
    account: str
    tokens: int


class Returned(NamedTuple):
    """A permit that is given back; a request that was not sent comes back without a signal."""

    number: int
    account: str
    signal: Signal | None


@dataclass(frozen=True)
class Letter:
    """What one holder has to say: all that gathered since its last letter.

    Attributes:
        desk: life of the desk that it is for; "" for any, and then it says all that waits and is open.
        wanted: permits asked for; asking again for the same number changes nothing.
        returned: permits given back, and requests withdrawn.
        held: permits of an earlier desk whose calls are still open.
    """

    holder: Holder
    desk: str = ""
    wanted: tuple[Wanted, ...] = ()
    returned: tuple[Returned, ...] = ()
    held: tuple[Wanted, ...] = ()


@dataclass(frozen=True)
class Given:
    """Permits that have come for a holder, and the life of the desk that gives them."""

    desk: str
    permits: tuple[Permit, ...]


class DeskFace(Protocol):
    """The desk as a firm actor sees it."""

    async def post(self, letter: Letter) -> Given:
        """Read a letter; gives what has come by now. A letter for another life of the desk is not read."""
        ...

    async def collect(self, holder: Holder) -> Given:
        """Wait until something has come; a holder that is not known gets nothing, at once."""
        ...


@dataclass
class _Box:
    """What the desk knows of one holder."""

    life: str
    asked: dict[int, str] = field(default_factory=dict)  # accounts of the numbers that wait
    open: dict[int, Permit] = field(default_factory=dict)
    come: list[Permit] = field(default_factory=list)
    news: asyncio.Event = field(default_factory=asyncio.Event)
    collects: int = 0  # how often it was collected; who collected before has lost the way

    def put(self, permit: Permit) -> None:
        self.asked.pop(permit.key[1], None)
        if permit.stopped is None:
            self.open[permit.key[1]] = permit
        self.come.append(permit)
        self.news.set()

    def empty(self) -> tuple[Permit, ...]:
        come, self.come = tuple(self.come), []
        self.news.clear()
        return come


class Desk:
    """The run's governor; use it from one event loop."""

    def __init__(self, terms: Mapping[str, Terms], clock: Clock = time.monotonic, sleep: Sleep = asyncio.sleep) -> None:
        """Keep accounts to their terms; what was sent before is taken as unknown until `ready` says otherwise."""
        self._life = uuid4().hex[:12]
        self._begin = partial(LocalGovernor, terms, clock, sleep)
        self._governor = self._begin(cautious=True)
        self._boxes: dict[str, _Box] = {}

    async def ready(self) -> str:
        """Say that the actor is up; asked once, at the start of a run, when nothing has been sent yet."""
        if not self._boxes:
            self._governor = self._begin(cautious=False)
        return "governor"

    async def post(self, letter: Letter) -> Given:
        """See `DeskFace`."""
        holder = letter.holder
        if letter.desk not in ("", self._life):
            return Given(self._life, ())
        box = self._box(holder)
        for item in letter.held:
            if item.number not in box.open:
                self._forget(box, item.number)  # asked for again before its permit of the desk before was known
                self._governor.adopt(item.account, (holder.life, item.number), item.tokens)
                box.open[item.number] = Permit(item.account, 0.0, (holder.life, item.number))
        for back in letter.returned:
            self._take_back(box, (holder.life, back.number), back)
        for item in letter.wanted:
            if item.number in box.open:
                box.put(box.open[item.number])  # its answer was lost on the way
            elif item.number not in box.asked:
                box.asked[item.number] = item.account
                self._governor.ask(item.account, (holder.life, item.number), item.tokens, box.put)
        return Given(self._life, box.empty())

    async def collect(self, holder: Holder) -> Given:
        """See `DeskFace`."""
        box = self._boxes.get(holder.name)
        if box is None or box.life != holder.life:
            return Given(self._life, ())
        box.collects, mine = box.collects + 1, box.collects + 1
        box.news.set()
        box.news = asyncio.Event()
        while not box.come and self._boxes[holder.name] is box and box.collects == mine:
            await box.news.wait()
        return Given(self._life, box.empty() if box.collects == mine else ())

    async def standing(self) -> tuple[Standing, ...]:
        """How every account stands."""
        return self._governor.standing()

    def _box(self, holder: Holder) -> _Box:
        box = self._boxes.get(holder.name)
        if box is None or box.life != holder.life:
            if box is not None:
                self._drop(box)
            box = self._boxes[holder.name] = _Box(holder.life)
        return box

    def _drop(self, box: _Box) -> None:
        """End what an earlier life held: its calls have ended with it, but were sent."""
        for number, account in box.asked.items():
            self._governor.withdraw(account, (box.life, number))
        for permit in box.open.values():
            self._governor.give_back(permit.account, permit.key, Signal("network"))
        box.news.set()

    def _take_back(self, box: _Box, key: Key, back: Returned) -> None:
        self._forget(box, back.number)
        box.open.pop(back.number, None)
        box.come = [permit for permit in box.come if permit.key != key]
        if back.signal is None:
            self._governor.withdraw(back.account, key)
        else:
            self._governor.give_back(back.account, key, back.signal)

    def _forget(self, box: _Box, number: int) -> None:
        """Take a number that waits out of its account's line: it will never be sent under this desk."""
        account = box.asked.pop(number, None)
        if account is not None:
            self._governor.withdraw(account, (box.life, number))
