"""The fuzzer's process: reads one text after the other, as atheris makes them up. Started by `fuzz_parsing`."""

from __future__ import annotations

import importlib
import sys
from typing import Any, Final

REASONS: Final = ("stop", None, "tool_calls", "length", "", "weird")


def main() -> None:
    """Hand over to the fuzzer, which does not come back."""
    atheris: Any = importlib.import_module("atheris")
    with atheris.instrument_imports(include=["erpsim"]):
        parsing: Any = importlib.import_module("erpsim.parsing")
        schema: dict[str, Any] = importlib.import_module("erpsim.decision").decision_schema()

    def one(data: bytes) -> None:
        text = text_of(data)
        reason = REASONS[len(data) % len(REASONS)]
        check(parsing, text, reason)
        parsing.read_arguments(text, schema)

    atheris.Setup(sys.argv, one)
    atheris.Fuzz()


def text_of(data: bytes) -> str:
    """Any bytes as text: lone surrogates stay where all else is sound, what is no UTF-8 is replaced."""
    try:
        return data.decode("utf-8", errors="surrogatepass")
    except UnicodeDecodeError:
        return data.decode("utf-8", errors="replace")


def check(parsing: Any, text: str, reason: str | None) -> None:
    """Read a text; what is read must be a decision that JSON holds, or a reason why there is none."""
    reading = parsing.read_decision(text, reason)
    assert reading.decision is not None or reading.failure is not None, "neither decision nor failure"
    if reading.decision is not None:
        again = parsing.read_decision(reading.decision.model_dump_json(), "stop")
        acting = reading.decision.model_dump(exclude={"rationale"}, exclude_defaults=True)
        assert not acting or again.decision is not None, "a decision that was read cannot be read again"


if __name__ == "__main__":
    main()
