"""A model server in this process, for runs that are processes of their own: it plays well, then refuses the key."""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.actors.llm.peers import completion
from tests.actors.llm.worlds import DECISION

GOOD = completion({"role": "assistant", "content": DECISION.model_dump_json()}, "stop")
REFUSALS = {
    401: {"error": {"message": "Incorrect API key provided: KEY", "code": "invalid_api_key"}},
    403: {"error": {"message": "You are not allowed: KEY"}},
    400: {"error": {"message": "API key not valid. Please pass a valid API key.", "status": "INVALID_ARGUMENT"}},
}


@dataclass
class RefusingPeer:
    """Answers the model "good" a number of times, then refuses it; lets every other model wait.

    Attributes:
        status: of a refusal.
        good: calls that are answered before.
        refused_at: monotonic seconds of the first refusal; None before it.
        asked: model of each call.
    """

    status: int
    good: int = 0
    refused_at: float | None = None
    asked: list[str] = field(default_factory=list)
    address: str = ""
    closing: threading.Event = field(default_factory=threading.Event)

    def answer(self, model: str, key: str) -> tuple[int, str]:
        """Status and body for one call."""
        self.asked.append(model)
        if model != "good":
            self.closing.wait(120.0)
        if self.asked.count("good") <= self.good:
            return 200, GOOD
        if self.refused_at is None:
            self.refused_at = time.monotonic()
        return self.status, json.dumps(REFUSALS[self.status]).replace("KEY", key)


@contextmanager
def refusing(status: int, good: int = 0) -> Iterator[RefusingPeer]:
    """Serve on loopback while the block runs."""
    peer = RefusingPeer(status, good)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            code, body = peer.answer(asked["model"], self.headers["Authorization"].removeprefix("Bearer "))
            data = body.encode()
            try:
                self.send_response(code)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)
            except OSError:
                self.close_connection = True  # the run has ended meanwhile

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    peer.address = f"http://127.0.0.1:{server.server_address[1]}/v1"
    try:
        yield peer
    finally:
        peer.closing.set()
        server.shutdown()
        server.server_close()
        thread.join()
