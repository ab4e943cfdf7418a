"""What is lost for good, an actor or a process of Ray's own, told in one line that says how to go on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ray.exceptions import RayError, RayTaskError

from actors.addresses import reason_of
from actors.messages import Lost
from erpsim.errors import RunError


@contextmanager
def losses_told(folder: Path) -> Iterator[None]:
    """Have a loss in the block end it with an error that names the run's folder.

    An error that an actor's own code raised is no loss and stays as it is.

    Raises:
        RunError: what was lost, and that the run can go on from its journal.
    """
    try:
        yield
    except RayTaskError:
        raise
    except Lost as error:
        raise RunError(_line(folder, str(error))) from error
    except RayError as error:
        raise RunError(_line(folder, reason_of(error))) from error


def _line(folder: Path, lost: str) -> str:
    return (
        f"{folder}: a process that the run needs was lost and did not come back ({lost.rstrip('.')}); what is journaled"
        f" is kept: see what loads this machine or ends processes on it, then `erpbench resume {folder}` goes on"
    )
