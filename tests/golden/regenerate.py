"""Writes the golden playthroughs anew: `python -m tests.golden.regenerate`. Read the difference before a commit."""

from __future__ import annotations

from pathlib import Path

from tests.golden.games import GAMES, game
from tests.golden.playthrough import write

FOLDER = Path(__file__).parent


def main() -> None:
    """Write one text file for each game."""
    for problem_id in GAMES:
        path = FOLDER / f"{problem_id}.txt"
        path.write_text(write(game(problem_id)), encoding="utf-8")
        print(path.name)


if __name__ == "__main__":
    main()
