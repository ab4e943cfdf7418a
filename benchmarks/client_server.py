"""A server for the benchmark of clients: the same small reply to every request, in both protocols, and a count.

    python -m benchmarks.client_server

Says `listening PORT` and ends when its standard input closes.
"""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any, Final

from aiohttp import web

ARGUMENTS: Final = {"rounds": 2, "skus": ["NUT-500", "MIXED-1000"]}
CALLED: Final = {"name": "get_demand", "arguments": json.dumps(ARGUMENTS)}
CHAT: Final[dict[str, Any]] = {
    "id": "chatcmpl-1",
    "object": "chat.completion",
    "created": 1_790_000_000,
    "model": "small",
    "choices": [
        {
            "index": 0,
            "finish_reason": "tool_calls",
            "message": {
                "role": "assistant",
                "content": None,
                "tool_calls": [{"id": "call_1", "type": "function", "function": CALLED}],
            },
        }
    ],
    "usage": {"prompt_tokens": 5000, "completion_tokens": 30, "total_tokens": 5030},
}
MESSAGE: Final[dict[str, Any]] = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "small",
    "stop_reason": "tool_use",
    "stop_sequence": None,
    "content": [{"type": "tool_use", "id": "toolu_1", "name": "get_demand", "input": ARGUMENTS}],
    "usage": {"input_tokens": 5000, "output_tokens": 30},
}


class Counter:
    """Requests answered, and the bytes that they brought."""

    def __init__(self) -> None:
        self.requests = 0
        self.bytes = 0

    def answering(self, reply: dict[str, Any]) -> Any:
        """A handler that counts and gives one reply."""
        body = json.dumps(reply).encode()

        async def handle(request: web.Request) -> web.Response:
            self.bytes += len(await request.read())
            self.requests += 1
            return web.Response(body=body, content_type="application/json")

        return handle

    async def told(self, _: web.Request) -> web.Response:
        """Give the count."""
        return web.json_response({"requests": self.requests, "bytes": self.bytes})


async def serve() -> None:
    """Serve until standard input closes."""
    counter = Counter()
    app = web.Application(client_max_size=2**24)
    app.router.add_post("/v1/chat/completions", counter.answering(CHAT))
    app.router.add_post("/v1/messages", counter.answering(MESSAGE))
    app.router.add_get("/count", counter.told)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    print("listening", runner.addresses[0][1], flush=True)
    await asyncio.to_thread(sys.stdin.read)
    await runner.cleanup()


if __name__ == "__main__":
    asyncio.run(serve())
