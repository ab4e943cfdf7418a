"""API keys by the name of their variable: readable by the client alone, never shown, never pickled."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import NoReturn
from urllib.parse import quote

from erpsim.errors import ModelsError

HIDDEN = "[key]"
SHORTEST_HIDDEN = 6
"""A shorter key would stand in ordinary text by chance; no provider gives one."""


class Keys:
    """The keys of one process; its text shows the variables' names only."""

    def __init__(self, values: Mapping[str, str]) -> None:
        """Keep the keys that are set.

        Raises:
            ModelsError: a key holds a character that no header may carry.
        """
        self._values = {name: value.strip() for name, value in values.items() if value.strip()}
        for name, value in self._values.items():
            if not (value.isascii() and value.isprintable()):
                raise ModelsError(f"the key in {name} holds a character that no header may carry; set it again")

    def __repr__(self) -> str:
        return f"Keys({', '.join(sorted(self._values))})"

    def __reduce__(self) -> NoReturn:
        raise TypeError("keys are never written down; make Keys anew from the environment")

    def get(self, variable: str) -> str | None:
        """The key in a variable, None when it is not set."""
        return self._values.get(variable)

    def hide(self, text: str) -> str:
        """Take every key out of a text, as it stands, as JSON and as a URL would write it."""
        for value in self._values.values():
            if len(value) >= SHORTEST_HIDDEN:
                for form in (value, json.dumps(value)[1:-1], quote(value, safe="")):
                    text = text.replace(form, HIDDEN)
        return text
