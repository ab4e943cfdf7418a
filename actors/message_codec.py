"""Messages between actors as bytes: arrays and plain data of a fixed set of types, nothing else and no code."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from functools import cache
from operator import attrgetter
from typing import Any, Final

import msgpack  # type: ignore[import-untyped]
import numpy as np
import numpy.typing as npt

from actors.desk import Given, Holder, Letter, Returned, Wanted
from actors.journal import Entry
from actors.llm.governor import Permit, Signal
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

_OF_THE_GAME: Final = (Offer, Sales, MarketReport, Ack, NoOffer, Entry)
_OF_THE_DESK: Final = (Letter, Holder, Wanted, Returned, Signal, Given, Permit)
PLAIN: Final = _OF_THE_GAME + _OF_THE_DESK
"""Types whose fields cross; beside them only numbers, texts, bytes, None, tuples, lists, dicts and arrays."""
ERRORS: Final = (ErpbenchError, ProblemError, ModelsError, WorkError, RunError, ProviderError, InvariantError, Lost)
"""Errors that cross, each after those that it is one of; one of another class crosses as the last that it is."""

_TEXT_ERRORS: Final = "surrogatepass"  # a path or a server's words may hold half of a pair
_NO_DATA: Final = "OV"  # kinds of arrays that hold objects, or fields whose names the type's text does not tell
_TUPLE: Final = 0
_ARRAY: Final = 1
_AGAIN: Final = 2
_ERROR: Final = 3
_FIRST_PLAIN: Final = 4


def encode(value: object) -> bytes:
    """Write a message; an array that it holds several times is written once.

    Raises:
        TypeError: it holds something of another type.
    """
    return _Writer().packed(value)


def decode(data: bytes) -> Any:
    """Read a message; arrays are read-only, and one that was written once comes as one object.

    Raises:
        ValueError: it was not written by `encode`.
    """
    return _Reader().unpacked(data)


class _Writer:
    def __init__(self) -> None:
        self._numbers: dict[int, int] = {}  # of arrays met, by identity; the message keeps them alive

    def packed(self, value: object) -> bytes:
        packed: bytes = msgpack.packb(value, default=self._extension, strict_types=True, unicode_errors=_TEXT_ERRORS)
        return packed

    def _extension(self, value: object) -> Any:
        kind = type(value)
        if isinstance(value, np.ndarray):
            return self._array(value)
        if kind in PLAIN:
            return msgpack.ExtType(_FIRST_PLAIN + PLAIN.index(kind), self.packed(list(_parts(kind)(value))))
        if isinstance(value, tuple) and kind is tuple:
            return msgpack.ExtType(_TUPLE, self.packed(list(value)))
        if isinstance(value, ErpbenchError):
            near = max(index for index, known in enumerate(ERRORS) if issubclass(kind, known))
            return msgpack.ExtType(_ERROR, self.packed([near, str(value)]))
        raise TypeError(f"a {kind.__name__} does not cross between actors")

    def _array(self, value: npt.NDArray[Any]) -> Any:
        if value.dtype.kind in _NO_DATA:
            raise TypeError(f"an array of {value.dtype} does not cross between actors")
        known = self._numbers.get(id(value))
        if known is not None:
            return msgpack.ExtType(_AGAIN, self.packed(known))
        self._numbers[id(value)] = len(self._numbers)
        return msgpack.ExtType(_ARRAY, self.packed([value.dtype.str, list(value.shape), value.tobytes()]))


class _Reader:
    def __init__(self) -> None:
        self._arrays: list[npt.NDArray[Any]] = []

    def unpacked(self, data: bytes) -> Any:
        return msgpack.unpackb(data, strict_map_key=False, ext_hook=self._value, unicode_errors=_TEXT_ERRORS)

    def _value(self, code: int, data: bytes) -> Any:
        parts = self.unpacked(data)
        if code >= _FIRST_PLAIN:
            return PLAIN[code - _FIRST_PLAIN](*parts)
        if code == _TUPLE:
            return tuple(parts)
        if code == _AGAIN:
            return self._arrays[parts]
        if code == _ERROR:
            return ERRORS[parts[0]](parts[1])
        self._arrays.append(np.frombuffer(parts[2], dtype=parts[0]).reshape(parts[1]))
        return self._arrays[-1]


@cache
def _parts(kind: type) -> attrgetter[Any]:
    """What gives the fields of an object; each of the types has two or more."""
    names = [part.name for part in fields(kind)] if is_dataclass(kind) else kind._fields  # type: ignore[attr-defined]
    return attrgetter(*names)
