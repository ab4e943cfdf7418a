"""Messages between actors as bytes: arrays and plain data of a fixed set of types, nothing else and no code."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from functools import cache
from operator import attrgetter
from typing import Any, Final

import msgpack  # type: ignore[import-untyped]
import numpy as np

from actors.journal import Entry
from actors.messages import Ack, Lost, NoOffer
from erpsim.errors import (
    ErpbenchError,
    InvariantError,
    ModelsError,
    ProblemError,
    ProviderError,
    RunError,
    WorkError,
)
from erpsim.offer import MarketReport, Offer, Sales

PLAIN: Final = (Offer, Sales, MarketReport, Ack, NoOffer, Entry)
"""Types whose fields cross; beside them only numbers, texts, bytes, None, tuples, lists and arrays."""
ERRORS: Final = (ErpbenchError, ProblemError, ModelsError, WorkError, RunError, ProviderError, InvariantError, Lost)
"""Errors that cross, each after those that it is one of; one of another class crosses as the last that it is."""

_TUPLE: Final = 0
_ARRAY: Final = 1
_ERROR: Final = 2
_FIRST_PLAIN: Final = 3


def encode(value: object) -> bytes:
    """Write a message.

    Raises:
        TypeError: it holds something of another type.
    """
    packed: bytes = msgpack.packb(value, default=_extension, strict_types=True)
    return packed


def decode(data: bytes) -> Any:
    """Read a message; arrays are read-only.

    Raises:
        ValueError: it was not written by `encode`.
    """
    return msgpack.unpackb(data, ext_hook=_value)


def _extension(value: object) -> Any:
    kind = type(value)
    if isinstance(value, tuple) and kind is tuple:
        return msgpack.ExtType(_TUPLE, encode(list(value)))
    if isinstance(value, np.ndarray):
        return msgpack.ExtType(_ARRAY, encode([value.dtype.str, list(value.shape), value.tobytes()]))
    if isinstance(value, ErpbenchError):
        near = max(index for index, known in enumerate(ERRORS) if issubclass(kind, known))
        return msgpack.ExtType(_ERROR, encode([near, str(value)]))
    if kind in PLAIN:
        return msgpack.ExtType(_FIRST_PLAIN + PLAIN.index(kind), encode(list(_parts(kind)(value))))
    raise TypeError(f"a {kind.__name__} does not cross between actors")


def _value(code: int, data: bytes) -> Any:
    parts = decode(data)
    if code == _TUPLE:
        return tuple(parts)
    if code == _ARRAY:
        return np.frombuffer(parts[2], dtype=parts[0]).reshape(parts[1])
    if code == _ERROR:
        return ERRORS[parts[0]](parts[1])
    return PLAIN[code - _FIRST_PLAIN](*parts)


@cache
def _parts(kind: type) -> attrgetter[Any]:
    """What gives the fields of an object; each of the types has two or more."""
    names = [part.name for part in fields(kind)] if is_dataclass(kind) else kind._fields  # type: ignore[attr-defined]
    return attrgetter(*names)
