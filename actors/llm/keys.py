"""API keys by the name of their variable: readable by the client alone, never shown, never pickled."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, NoReturn

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
        # Longest first: where one key begins another, no rest of the longer one is left.
        hidden = sorted({value for value in self._values.values() if len(value) >= SHORTEST_HIDDEN}, key=len)[::-1]
        self._forms = {value: re.compile("".join(map(_any_form, value))) for value in hidden}

    def __repr__(self) -> str:
        return f"Keys({', '.join(sorted(self._values))})"

    def __reduce__(self) -> NoReturn:
        raise TypeError("keys are never written down; make Keys anew from the environment")

    def get(self, variable: str) -> str | None:
        """The key in a variable, None when it is not set."""
        return self._values.get(variable)

    def hide(self, text: str) -> str:
        """Take every key out of a text, also where its characters are written as JSON, HTML or a URL may write them."""
        written = _may_write(text) and _WRITTEN.search(text) is not None
        for value, form in self._forms.items():
            text = form.sub(HIDDEN, text) if written or {'"', "\\"} & set(value) else text.replace(value, HIDDEN)
        return text


def _may_write(text: str) -> bool:
    """Whether to look for `_WRITTEN` at all; a search stops at every backslash, and JSON in JSON is full of them."""
    return any(mark in text for mark in ("\\/", "\\u00", "%", "&"))


def _any_form(character: str) -> str:
    r"""Pattern of a character: as it is, or as `\/`, `\u002f` (JSON, also quoted again), `%2f`, `&#47;` or `&quot;`."""
    itself, code = re.escape(character), ord(character)
    in_json = rf"\\\\{{0,3}}(?:{itself}|u(?i:{code:04x}))"
    in_html = "|".join((rf"\#0{{0,5}}{code}", rf"\#(?i:x0{{0,5}}{code:x})", *_NAMED.get(character, ())))
    return f"(?:{itself}|{in_json}|%(?i:{code:02x})|&(?:{in_html});)"


_NAMED: Final = {'"': ("quot",), "'": ("apos",), "&": ("amp",), "<": ("lt",), ">": ("gt",)}
"""HTML's names of characters."""
_WRITTEN: Final = re.compile(r"\\(?=/|u00)|%(?=[2-7][0-9A-Fa-f])|&(?=\#|quot;|apos;|amp;|lt;|gt;)")
"""Where a text writes some printable character otherwise than as it is; the rare case, and the slow one."""
