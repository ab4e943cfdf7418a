"""The table of the reference page of dialects; `python -m tests.docs.dialects_page` writes it anew."""

import sys
from collections.abc import Iterable
from typing import Final

from ecologies.dialects import Dialect, Quirks, dialects
from tests.docs.pages import DOCS

PAGE: Final = DOCS / "reference" / "dialects.md"
START: Final = "<!-- made from the code -->\n"
END: Final = "<!-- to here -->"
COLUMNS: Final = (
    "protocol", "path", "key", "limit of a reply", "sampling", "formats", "last turn", "schemas", "connections",
)  # fmt: skip


def page(committed: str) -> str:
    """The page with its table as the code and its data give it."""
    before, _, rest = committed.partition(START)
    _, _, after = rest.partition(END)
    quirks = ", ".join(f"`{name}`" for name in Quirks.model_fields)
    table = "\n".join(_table(dialects()))
    return f"{before}{START}{table}\n\n`quirks` may set: {quirks}.\n{END}{after}"


def _table(known: dict[str, Dialect]) -> Iterable[str]:
    yield f"| dialect | {' | '.join(COLUMNS)} |"
    yield "|---" * (len(COLUMNS) + 1) + "|"
    for name, dialect in known.items():
        yield f"| `{name}` | {' | '.join(_cells(dialect))} |"


def _cells(dialect: Dialect) -> tuple[str, ...]:
    limit = f"`{dialect.token_parameter}`" + (f", {dialect.max_tokens} by default" if dialect.max_tokens else "")
    headers = "".join(f", `{name}: {value}`" for name, value in dialect.headers.items())
    observed = dialect.protocol == "observed"
    return (
        dialect.protocol,
        f"`{dialect.path}`" if dialect.path else "the whole `base_url`",
        f"`{dialect.key_header}: {dialect.key_prefix}…`{headers}",
        "–" if observed else limit,
        ", ".join(dialect.sampling) or "–",
        ", ".join(dialect.formats) or "–",
        "–" if observed else dialect.last_turn,
        "–" if observed else dialect.schemas,
        "kept" if dialect.keep_connections else "closed",
    )


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    sys.stdout.write(f"{PAGE}\n")
