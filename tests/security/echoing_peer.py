"""A model server in this process that says the key back in every place of an answer; one of its models fails first."""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

from tests.actors.llm.worlds import DECISION

DELAY_SECONDS = 0.2


class Said(NamedTuple):
    """An answer: status, body, and further headers."""

    status: int
    body: str
    headers: dict[str, str] = {}  # noqa: RUF012 - never changed


@dataclass
class EchoingPeer:
    """Counts the calls of each model."""

    asked: list[str] = field(default_factory=list)
    address: str = ""

    def answer(self, model: str, key: str) -> Said:
        self.asked.append(model)
        number = self.asked.count(model)
        faults = failing(key) if model == "flaky" else []
        return faults[number - 1] if number <= len(faults) else Said(200, good(key), {"x-provider": key})


def good(key: str) -> str:
    """A completion with the key in every text, in the forms in which servers write it."""
    decision = json.loads(DECISION.model_dump_json()) | {"rationale": f"my key is {key}"}
    written = json.dumps(decision)
    answer = {
        "id": key,
        "model": f"m-{key}",
        "system_fingerprint": key,
        "choices": [
            {
                "finish_reason": "stop",
                "message": {
                    "role": "assistant",
                    "content": f"{key}\n{written}",
                    "reasoning_content": key,
                    "odd": [key],
                },
            }
        ],
        "usage": {"prompt_tokens": 100, "completion_tokens": 10},
    }
    return json.dumps(answer).replace("/", "\\/").replace("+", "\\u002b")


def failing(key: str) -> list[Said]:
    """Failures of every kind, each with the key in it."""
    header = {"x-request": key, "Retry-After": "0"}
    return [
        Said(500, f"down: Bearer {key}", header),
        Said(503, f"<html><title>{key}</title>{key.replace('/', '&#x2F;')}</html>", header),
        Said(429, json.dumps({"error": {"message": f"slow down, {key}"}}).replace("/", "\\/"), header),
        Said(200, f"<html>{key}</html>", header),
        Said(200, json.dumps({"error": {"message": json.dumps({"message": key})}}), header),
        Said(200, '{"choices":[{"message":{"content":"' + key, header),
    ]


@contextmanager
def echoing() -> Iterator[EchoingPeer]:
    """Serve on loopback while the block runs."""
    peer = EchoingPeer()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body: Any = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            said = peer.answer(body["model"], self.headers["Authorization"].removeprefix("Bearer "))
            time.sleep(DELAY_SECONDS)
            data = said.body.encode()
            self.send_response(said.status, said.headers.get("x-request"))
            for name, value in {**said.headers, "Content-Type": "application/json"}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *args: Any) -> None:
            del args

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    peer.address = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield peer
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
