"""Serves `llmock` on loopback: it answers as it is told to, and judges its client."""

import importlib
import os
import sys


def main() -> None:
    server = importlib.import_module("llmock.testing").LLMockServer()
    server.start()
    sys.stdout.write(f"listening {server.url}\n")
    sys.stdout.flush()
    sys.stdin.read()
    os._exit(0)


if __name__ == "__main__":
    main()
