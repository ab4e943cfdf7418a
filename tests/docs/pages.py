"""Pages of the documentation and the fenced blocks in them."""

import re
from pathlib import Path
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).resolve().parents[2]
DOCS: Final = ROOT / "docs"

_BLOCK: Final = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Block(NamedTuple):
    """One fenced block: its language, its text, and where the text stands in the page."""

    language: str
    text: str
    start: int
    end: int


def written_pages() -> list[Path]:
    """Every page that is written by hand, the README first."""
    return [ROOT / "README.md", *(page for page in sorted(DOCS.rglob("*.md")) if page.parent.name != "reference")]


def blocks(page: Path, language: str = "") -> list[Block]:
    """Blocks of a page in their order, of one language if it is given."""
    text = page.read_text(encoding="utf-8")
    found = [Block(match[1], match[2], match.start(2), match.end(2)) for match in _BLOCK.finditer(text)]
    return [block for block in found if block.language == (language or block.language)]
