"""What the benchmarks take on their command line, and how they say that it cannot be done."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from erpsim.errors import ErpbenchError


def at_least(least: int) -> Callable[[str], int]:
    """Give a type of argument: whole numbers from `least` up."""

    def number(text: str) -> int:
        if not text.isdecimal() or int(text) < least:
            raise argparse.ArgumentTypeError(f"has to be a whole number of at least {least}, not {text!r}")
        return int(text)

    return number


positive = at_least(1)


@contextmanager
def told_in_a_line(parser: argparse.ArgumentParser) -> Iterator[None]:
    """End with 2 and one line where what was asked cannot be done."""
    try:
        yield
    except (ErpbenchError, OSError) as error:
        parser.exit(2, f"{parser.prog}: {error}\n")
