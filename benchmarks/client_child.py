"""One client in a process of its own, measured from within: what it costs to import, to call, and to keep.

    python -m benchmarks.client_child CLIENT PORT CALLS REQUEST.json

CLIENT is ours, ours-anthropic, openai or anthropic. Prints one JSON line. Vendors' packages are found on PYTHONPATH.
"""

from __future__ import annotations

import asyncio
import importlib
import importlib.metadata
import json
import re
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Final

Call = Callable[[], Awaitable[None]]
"""Sends the request and holds the reply to what the server gives."""

WARM_UP: Final = 10
MAX_TOKENS: Final = 1000


def ours(port: int, asked: dict[str, Any], dialect: str = "openai") -> Call:
    """The project's client, which is imported only now, as the others are."""
    made: Call = importlib.import_module("benchmarks.client_ours").make(port, asked, dialect)
    return made


def openai(port: int, asked: dict[str, Any]) -> Call:
    """OpenAI's own client."""
    sdk = importlib.import_module("openai")
    client = sdk.AsyncOpenAI(base_url=f"http://127.0.0.1:{port}/v1", api_key="none", max_retries=0)

    async def call() -> None:
        reply = await client.chat.completions.create(
            model="small", messages=asked["messages"], tools=asked["tools"], max_tokens=MAX_TOKENS
        )
        assert reply.choices[0].message.tool_calls[0].function.name == "get_demand"

    return call


def anthropic(port: int, asked: dict[str, Any]) -> Call:
    """Anthropic's own client; its protocol has the system text and the tools in other places."""
    sdk = importlib.import_module("anthropic")
    client = sdk.AsyncAnthropic(base_url=f"http://127.0.0.1:{port}", api_key="none", max_retries=0)
    system, *messages = asked["messages"]
    functions = [tool["function"] for tool in asked["tools"]]
    tools = [
        {"name": item["name"], "description": item["description"], "input_schema": item["parameters"]}
        for item in functions
    ]

    async def call() -> None:
        reply = await client.messages.create(
            model="small", system=system["content"], messages=messages, tools=tools, max_tokens=MAX_TOKENS
        )
        assert reply.content[0].name == "get_demand"

    return call


CLIENTS: Final[dict[str, Callable[[int, dict[str, Any]], Call]]] = {
    "ours": ours,
    "ours-anthropic": lambda port, asked: ours(port, asked, "anthropic"),
    "openai": openai,
    "anthropic": anthropic,
}


async def measure(name: str, port: int, calls: int, asked: dict[str, Any]) -> dict[str, Any]:
    """Import a client, call with it, and say what that took of the processor and of memory."""
    started = time.process_time()
    call = CLIENTS[name](port, asked)
    imported = time.process_time()
    await call()  # what a client puts off until its first call belongs to its start
    ready = time.process_time()
    for _ in range(WARM_UP):
        await call()
    before = time.process_time()
    for _ in range(calls):
        await call()
    after = time.process_time()
    return {
        "import_cpu_s": imported - started,
        "first_call_cpu_s": ready - imported,
        "cpu_ms_per_call": 1000.0 * (after - before) / calls,
        "rss_mb": resident_mb(),
        "version": "" if name.startswith("ours") else importlib.metadata.version(name),
        "requests": 1 + WARM_UP + calls,
    }


def resident_mb() -> float:
    """Resident memory of this process, in MB of 10^6 bytes."""
    found = re.search(r"VmRSS:\s+(\d+) kB", Path("/proc/self/status").read_text())
    assert found is not None
    return int(found[1]) * 1024 / 1e6


if __name__ == "__main__":
    chosen, where, count, path = sys.argv[1:]
    print(json.dumps(asyncio.run(measure(chosen, int(where), int(count), json.loads(Path(path).read_text())))))
