"""What the command's exit codes mean."""

from __future__ import annotations

from typing import Final

DONE: Final = 0
INCOMPLETE: Final = 1
BAD_USE: Final = 2
REFUSED: Final = 3
INTERRUPTED: Final = 130

MEANINGS: Final = {
    DONE: "done; nothing that was asked is missing",
    INCOMPLETE: "some market failed or is still to be played",
    BAD_USE: "bad use or set-up; one line on the error stream says what to mend",
    REFUSED: "a model's server refuses to work, such as for a wrong key; one line says what to mend, nothing counts as"
    " the model's",
    INTERRUPTED: "interrupted; the journal is consistent and `erpbench resume` goes on",
}
