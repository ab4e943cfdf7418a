"""The prompts of one small world as files; `python -m tests.actors.llm.prompts.snapshots` writes them anew."""

import sys
from pathlib import Path

from actors.llm.prompts.render import last_turn_prompt, reask_prompt, round_prompt, system_prompt
from tests.actors.llm.worlds import later_observation, opening_observation

FOLDER = Path(__file__).with_name("snapshots")


def prompts() -> dict[str, str]:
    """Every prompt by the name of its file."""
    return {
        "system.txt": system_prompt(6, 6, 6),
        "round_1.txt": round_prompt(opening_observation()),
        "round_3.txt": round_prompt(later_observation()),
        "reask.txt": reask_prompt("no item of production can be used"),
        "last_turn.txt": last_turn_prompt(),
    }


def write() -> None:
    """Write every file; read the difference before you commit it."""
    for name, text in prompts().items():
        (FOLDER / name).write_text(text + "\n", encoding="utf-8")
        sys.stdout.write(f"wrote {name}: {len(text)} characters\n")


if __name__ == "__main__":
    write()
