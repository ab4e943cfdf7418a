"""The members of a JSON object as texts, for readers that must see how a value was written."""

from __future__ import annotations

import json
import re
from typing import Final


def members(text: str) -> dict[str, str]:
    """JSON text of each member of the object that a text is, the last one of a key given twice; {} for anything else.

    The texts are cut out as they stand: what is read from them must show duplicate keys and numbers without end.
    """
    text = text.strip("\ufeff \t\r\n")
    try:
        if not isinstance(json.loads(text), dict):
            return {}
    except (ValueError, RecursionError):
        return {}
    decoder = json.JSONDecoder()
    found: dict[str, str] = {}
    position = 1
    while key := _KEY.match(text, position):
        start = key.end()
        _, position = decoder.raw_decode(text, start)
        found[json.loads(key[1])] = text[start:position]
    return found


_KEY: Final = re.compile(r'[\s,]*("(?:[^"\\]|\\.)*")\s*:\s*')
"""A member's key up to its value; the text around it is known to be sound JSON."""
