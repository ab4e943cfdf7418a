"""Examples that the help of each command ends with."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from actors.llm.standin_kinds import NETWORK, REPLY

EXAMPLES: Final[dict[str, tuple[str, ...]]] = {
    "run": (
        "erpbench run",
        "erpbench run --problems all --delay 0",
        "erpbench run --problems P001,P042 --models models.toml --out runs/first",
        "erpbench run --ecology solo --problems 12",
        "erpbench run --problems all --models models.toml --dry-run --like runs/first",
        "erpbench run --problems all --models models.toml --budget 40",
        "erpbench run --replay runs/first --out runs/again",
        "erpbench run --lineup 'standin/a*2,standin/b,balanced,growth'",
    ),
    "resume": ("erpbench resume runs/first", "erpbench resume runs/first --budget 80"),
    "status": ("erpbench status runs/first", "erpbench status runs/first --json"),
    "report": (
        "erpbench report runs/first",
        "erpbench report runs/first --format json",
        "erpbench report runs/first --format all --out first-report",
        "erpbench report runs/solo runs/arena --out both",
        "erpbench report my-tables --format html",
    ),
    "show": (
        "erpbench show runs/first arena/P001 Almond 1",
        "erpbench show runs/first solo/P042/standin-a standin/a 3 --json",
        "erpbench show runs/first arena/P001 0 1 --raw",
    ),
    "replay": ("erpbench replay runs/first --out runs/again",),
    "verify": ("erpbench verify runs/first", "erpbench verify runs/first --json"),
    "problem list": ("erpbench problem list", "erpbench problem list --problems 6"),
    "problem show": ("erpbench problem show P042",),
    "problem generate": ("erpbench problem generate --seed 7 --count 20 --out mine.json",),
    "problem compare": ("erpbench problem compare mine.json", "erpbench problem compare mine.json theirs.json --json"),
    "models list": ("erpbench models list", "erpbench models list --models models.toml"),
    "models check": (
        "erpbench models check --models models.toml",
        "erpbench models check --prompts",
        "erpbench models check --models models.toml --live",
    ),
    "standin": (
        "erpbench standin --port 8900",
        "erpbench standin --fault 429=0.1 --fault reset=0.01",
        "erpbench standin --fault 503@1=1 --fault truncated=0.2",
    ),
}
"""Examples by command."""


LISTS: Final[dict[str, dict[str, Mapping[str, str]]]] = {
    "standin": {"Faults of the provider or the network:": NETWORK, "Faults of a reply:": REPLY},
}
"""What the help of a command lists beside its options: names and their meanings by title."""


def examples(command: str) -> str:
    """Give the lists and the examples of a command as the last part of its help."""
    lists = [
        block(title, (f"{name:<{max(map(len, rows))}}  {text}" for name, text in rows.items()))
        for title, rows in LISTS.get(command, {}).items()
    ]
    return "\n\n".join((*lists, block("Examples:", EXAMPLES[command])))


def block(title: str, lines: Iterable[str]) -> str:
    r"""Set lines in under a title; the leading \b keeps them apart when help is wrapped."""
    return "\n".join(["\b", title, *(f"  {line}" for line in lines)])
