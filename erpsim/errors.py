"""Errors of the project: each means a bug or a bad set-up, never an infeasible decision.

    ErpbenchError
    ├── ProblemError      a problem or a panel of problems breaks a bound
    ├── ModelsError       the models file is malformed, or a key is missing
    ├── WorkError         a line-up, a selection of problems or a unit of work makes no sense
    ├── RunError          a run folder cannot be used: unreadable, locked, or of other rules
    ├── ProviderError     a model's server cannot be used at all: wrong key, unknown model, quota
    └── InvariantError    the simulation contradicts itself; always a bug

Every message names the value, the bound and the mend. An infeasible *decision* is no error: `feasibility.repair` turns
it into an executable one and says what it did.
"""

from __future__ import annotations


class ErpbenchError(Exception):
    """Root of all errors raised on purpose by this project."""


class ProblemError(ErpbenchError):
    """A problem is out of bounds; mend the panel file at the place named."""


class ModelsError(ErpbenchError):
    """The models file cannot be used; mend the entry named."""


class WorkError(ErpbenchError):
    """What was asked to be played makes no sense; mend the option named."""


class RunError(ErpbenchError):
    """A run folder cannot be used; choose another or mend it as told."""


class ProviderError(ErpbenchError):
    """A model's server refuses to work; mend the key, the model name or the account."""


class InvariantError(ErpbenchError):
    """Two figures that must agree do not; report it, the run's numbers cannot be trusted."""
