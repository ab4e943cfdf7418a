"""The forms of a report, and what is written for each."""

from __future__ import annotations

from enum import StrEnum
from types import MappingProxyType
from typing import Final


class ReportFormat(StrEnum):
    """What is printed, and what is written beside report.md and report.json."""

    TABLES = "tables"
    HTML = "html"
    MARKDOWN = "md"
    LATEX = "latex"
    JSON = "json"
    ALL = "all"


class Part(StrEnum):
    """A part of a report that may be written or left out."""

    PAGE = "page"
    ROWS = "rows"
    LATEX = "latex"
    IMAGES = "images"


PAGE: Final = frozenset({Part.PAGE, Part.ROWS})
"""The page and the rows that it links to."""

PARTS: Final = MappingProxyType(
    {
        ReportFormat.TABLES: PAGE,
        ReportFormat.HTML: PAGE,
        ReportFormat.MARKDOWN: frozenset[Part](),
        ReportFormat.LATEX: frozenset({Part.LATEX}),
        ReportFormat.JSON: frozenset[Part](),
        ReportFormat.ALL: frozenset(Part),
    }
)
"""What is written beside report.md and report.json."""
