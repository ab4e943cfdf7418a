"""The scripts of the page on policies, and what the first one prints.

`python -m tests.docs.own_policy` writes its output anew.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.docs.pages import DOCS, ROOT, Block, blocks

PAGE = DOCS / "how-to" / "own-policy.md"


def script() -> Block:
    """The page's first Python block: a policy in Python."""
    return blocks(PAGE, "python")[0]


def server() -> Block:
    """The page's other Python block: a policy as a server."""
    (block,) = blocks(PAGE, "python")[1:]
    return block


def shown_output() -> Block:
    """The block that shows what the script prints: the first text after it."""
    return next(block for block in blocks(PAGE, "text") if block.start > script().end)


def printed(folder: Path) -> str:
    """Save the script in a folder and start it there, warnings being errors; gives what it prints."""
    path = folder / "two_cycles.py"
    path.write_text(script().text, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-W", "error", path.name]
    ran = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def main() -> None:
    """Put what the script prints into the page."""
    page = PAGE.read_text(encoding="utf-8")
    block = shown_output()
    with tempfile.TemporaryDirectory() as folder:
        PAGE.write_text(page[: block.start] + printed(Path(folder)) + page[block.end :], encoding="utf-8")
    sys.stdout.write("wrote docs/how-to/own-policy.md\n")


if __name__ == "__main__":
    main()
