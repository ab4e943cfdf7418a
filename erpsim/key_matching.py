"""Names as models write them, matched to ours without regard to case, spaces, underscores and hyphens."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

_IGNORED: Final = str.maketrans("", "", " \t\r\n_-\u00a0\u2010\u2011\u2012\u2013\u2014\u2212")


def match(name: str, options: tuple[str, ...]) -> str | None:
    """Find the option that a name stands for, None when there is none.

    Only case, blanks, underscores, hyphens and dashes are overlooked: `nut_500` is NUT-500, `oat` is nothing.
    """
    return name if name in options else _index(options).get(_plain(name))


def _plain(name: str) -> str:
    return name.translate(_IGNORED).lower()


@lru_cache(maxsize=64)
def _index(options: tuple[str, ...]) -> dict[str, str]:
    return {_plain(option): option for option in options}
