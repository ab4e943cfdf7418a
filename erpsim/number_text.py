"""Numbers that were written as text, read by one rule that does not depend on anybody's locale.

1. Blanks around it, one currency sign or code (€ $ £ ¥ EUR USD GBP), a sign before or after it, and a unit (units,
   pieces, pcs, kg) are set aside. `k` or `K` right after the digits means thousand. `%` is read in shares only.
2. Full-width digits and marks, and the minus sign U+2212, count as their ASCII twins. No other character is folded:
   a superscript, a fraction or a letter makes the text no number.
3. Blanks (no-break and thin ones too), apostrophes and underscores may separate groups of three digits; so may commas
   and dots:
   - two kinds of mark: the last one is the decimal mark (`1.234,56` and `1,234.56` are 1234.56);
   - one mark, several times: groups of three (`1,234,567`);
   - one comma before exactly three digits: thousands in whole numbers and amounts (`12,000` is 12000), and ambiguous,
     so no number, in prices and shares;
   - one dot before exactly three digits: decimal in prices and shares (`4.125`), and ambiguous, so no number, in whole
     numbers and amounts (`12.000`); a leading 0 or more than three digits before the mark settle it as decimal;
   - one mark before any other count of digits: decimal (`4,20` is 4.2).
4. A plain exponent (`1e3`) is read; infinity, not-a-number and what is too large for a float are no numbers.
"""

from __future__ import annotations

import math
import re
from typing import Final, Literal

NumberKind = Literal["whole", "amount", "price", "share"]
"""What a field holds: a count, EUR of any size, EUR per unit, or a share."""

LONGEST: Final = 64
"""Characters beyond which a text is no number."""

_TWINS: Final = str.maketrans("０１２３４５６７８９．，＋－％＄￥\u2212", "0123456789.,+-%$¥-")
_BLANKS: Final = " \u00a0\u2007\u2009\u202f"
_GAP: Final = rf"[\s{_BLANKS}]*"
_FRAME: Final = re.compile(
    rf"(?P<sign>[+-]?){_GAP}(?:[€$£¥]|(?:eur|usd|gbp)\b)?{_GAP}(?P<sign_after>[+-]?){_GAP}"
    rf"(?P<body>(?=[.,]?\d)[\d.,'’_{_BLANKS}]*\d)(?P<exponent>e[+-]?\d{{1,4}})?(?P<thousand>k\b)?"
    rf"{_GAP}(?P<percent>%)?{_GAP}(?:[€$£¥]|eur|usd|gbp|euros?|units?|pieces|pcs|kg)?",
    re.IGNORECASE | re.ASCII,
)
_BLANK_GROUPS: Final = re.compile(rf"\d{{1,3}}(['’_{_BLANKS}])\d{{3}}(?:\1\d{{3}})*(?:[.,]\d+)?", re.ASCII)
_GROUP_MARKS: Final = re.compile(rf"['’_{_BLANKS}]")
_GROUPED: Final = re.compile(r"[1-9]\d{0,2}(?:([.,])\d{3})(?:\1\d{3})*", re.ASCII)


def read_number(text: str, kind: NumberKind) -> float | None:
    """Read a number, None when the text is none or may mean two things."""
    framed = _FRAME.fullmatch(text.strip().translate(_TWINS)) if len(text) <= LONGEST else None
    if framed is None or (framed["sign"] and framed["sign_after"]) or (framed["percent"] and kind != "share"):
        return None
    body = _decimal_text(framed["body"], kind)
    if body is None:
        return None
    power = int((framed["exponent"] or "e0")[1:]) + (3 if framed["thousand"] else 0) - (2 if framed["percent"] else 0)
    value = float(f"{body}e{power}")
    if not math.isfinite(value):
        return None
    return -value if "-" in (framed["sign"], framed["sign_after"]) else value


def _decimal_text(body: str, kind: NumberKind) -> str | None:
    """The digits with at most one dot as decimal mark; `body` holds digits and marks only."""
    if _GROUP_MARKS.search(body):
        if not _BLANK_GROUPS.fullmatch(body):
            return None
        return _GROUP_MARKS.sub("", body).replace(",", ".")
    marks = [mark for mark in body if mark in ".,"]
    if len(set(marks)) == 2:
        return _two_marks(body, marks[-1])
    if len(marks) == 1:
        return _one_mark(body, marks[0], kind)
    if marks:
        return body.replace(marks[0], "") if _GROUPED.fullmatch(body) else None
    return body


def _two_marks(body: str, decimal: str) -> str | None:
    whole, _, fraction = body.rpartition(decimal)
    groups = "," if decimal == "." else "."
    if decimal in whole or not _GROUPED.fullmatch(whole):
        return None
    return f"{whole.replace(groups, '')}.{fraction}"


def _one_mark(body: str, mark: str, kind: NumberKind) -> str | None:
    if not _GROUPED.fullmatch(body):
        return body.replace(mark, ".")
    if (mark == ",") == (kind in ("whole", "amount")):
        return body.replace(",", "")
    return None
