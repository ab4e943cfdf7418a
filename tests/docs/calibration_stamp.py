"""What a file of measurements was made on, and what a page says where that is not what ships."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from ecologies.panel_file import panel_digest
from ecologies.problems import shipped_panel
from erpsim.parameters import RULES_VERSION

DIGITS: Final = 12
"""Of a digest, on a page."""


def of_shipped_panel(problems: int) -> dict[str, Any]:
    """The stamp of what is measured on so many problems of the shipped panel."""
    return {"rules": RULES_VERSION, "panel": panel_digest(shipped_panel()), "problems": problems}


def fits(found: Mapping[str, Any], stamp: Mapping[str, Any]) -> bool:
    """Whether a file has this stamp."""
    return {key: found.get(key) for key in stamp} == stamp


def where_from(found: Mapping[str, Any]) -> list[str]:
    """A paragraph where figures are of another panel than the one that ships; none where they are of it."""
    if found["panel"] == panel_digest(shipped_panel()):
        return []
    digest = found["panel"][:DIGITS]
    said = f"These figures are of the panel with the digest `{digest}`, whose problems are not all those that ship;"
    return [f"{said}\n`bash scripts/calibrate` measures them again."]
