"""Our client as the benchmark calls it: request built, sent, read and recorded, under a governor, as an agent does."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from typing import Any

from actors.llm.calls import CallRecord, DecisionKey, Place, Reply, StoredBody
from actors.llm.client import ModelClient
from actors.llm.governor import LocalGovernor
from actors.llm.keys import Keys
from actors.llm.switches import Switches
from actors.llm.wire import Setting, build_request
from ecologies.models import ModelEntry


class LastRecord:
    """A journal that keeps its last record alone."""

    def __init__(self) -> None:
        self.record: CallRecord | None = None

    async def lookup(self, place: Place, digest: str) -> StoredBody | None:
        """Nothing is known."""

    async def commit(self, record: CallRecord) -> None:
        """Keep a record."""
        self.record = record

    async def learn(self, model: str, switches: Switches) -> None:
        """Nothing is learnt."""


def make(port: int, asked: dict[str, Any], dialect: str) -> Callable[[], Awaitable[None]]:
    """A function that sends the request and holds reply and record to what the server gives."""
    values = {"label": "m", "base_url": f"http://127.0.0.1:{port}/v1", "model": "small", "dialect": dialect}
    entry = ModelEntry.model_validate(values)
    client = ModelClient(Keys({}), LocalGovernor({}, time.monotonic))
    setting = Setting("small", {"max_tokens": 1000}, tuple(asked["tools"]))
    place, journal = Place(DecisionKey("market", 0, 1), 0, 0), LastRecord()

    async def call() -> None:
        request = build_request(setting, asked["messages"], 0, with_tools=True)
        outcome = (await client.call(entry, request, place, journal)).outcome
        assert isinstance(outcome, Reply), outcome
        assert outcome.tool_calls[0].name == "get_demand"
        assert journal.record is not None
        assert journal.record.reply == outcome.body

    return call
