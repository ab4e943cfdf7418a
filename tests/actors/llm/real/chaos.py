"""A server that breaks on request, and its own verdict on whoever called it: `llmock`, which nobody here wrote."""

import json
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.error import HTTPError

from actors.llm.agent import ModelAgent
from actors.llm.client import ModelClient
from actors.llm.governor import LocalGovernor
from actors.llm.keys import Keys
from ecologies.models import ModelEntry
from tests.actors.llm.peers import entry
from tests.actors.llm.real.children import LOOPBACK, child, fetch, wait_until_ready
from tests.actors.llm.worlds import KEY, Decided, MemoryJournal, opening_observation

PATHS = {"openai": "/v1", "anthropic": "/anthropic/v1"}
WAITS = {"first": 0.2, "longest": 1.0, "attempts": 8, "budget": 60.0}


@dataclass(frozen=True)
class Chaos:
    """The server under test."""

    address: str

    def will(self, *behaviours: dict[str, Any]) -> None:
        """Forget all before, and do this with the requests that follow."""
        fetch(f"{self.address}/_llmock/reset", {})
        fetch(f"{self.address}/_llmock/scenario", {"behaviors": behaviours})

    def verdict(self) -> dict[str, Any]:
        """What the server thinks of its client since then."""
        found: dict[str, Any] = json.loads(fetch(f"{self.address}/_llmock/verdict"))
        return found

    def requests(self) -> list[dict[str, Any]]:
        """What the server was asked since then."""
        found: list[dict[str, Any]] = json.loads(fetch(f"{self.address}/_llmock/requests"))["requests"]
        return found


@contextmanager
def chaos(folder: Path) -> Iterator[Chaos]:
    """Serve while the block runs."""
    with child("chaos", (), folder / "chaos.log") as (address, _):
        wait_until_ready(address, 30.0)
        yield Chaos(address)


async def decide(server: Chaos, dialect: str = "openai") -> Decided:
    """Have our agent decide once, in real time."""
    journal = MemoryJournal()
    client = ModelClient(Keys({"CANARY_KEY": "a key"}), LocalGovernor({}, time.monotonic))
    try:
        agent = ModelAgent(model(server, dialect), client, journal)
        return Decided(await agent.decide(opening_observation(), KEY), journal)
    finally:
        await client.close()


def model(server: Chaos, dialect: str) -> ModelEntry:
    return entry(server.address + PATHS[dialect], dialect=dialect, retries=WAITS)


def careless(server: Chaos, times: int, stream: bool = False) -> Sequence[str]:
    """What a client does that sends the same request again whatever came, at once, and takes any body for an answer."""
    message = {"role": "user", "content": "decide"}
    body = json.dumps({"model": "m", "messages": [message], "stream": stream}).encode()
    request = urllib.request.Request(
        f"{server.address}/v1/chat/completions", body, {"Content-Type": "application/json"}
    )
    bodies = []
    for _ in range(times):
        try:
            with LOOPBACK.open(request, timeout=30) as answer:
                bodies.append(answer.read().decode())
        except HTTPError as error:
            error.close()
    return bodies
