"""The last result of a pure function, given again to whoever asks the same next: repair and plan of a firm do."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

import numpy as np

Asked = ParamSpec("Asked")
Result = TypeVar("Result")


def last_result(by_value: int = 0) -> Callable[[Callable[Asked, Result]], Callable[Asked, Result]]:
    """Make a function give its last result again when it is asked with the very same objects.

    Args:
        by_value: so many of its first arguments need only be equal; the others are compared by identity, and arrays
            count as the same only when they are read-only.
    """

    def decorate(function: Callable[Asked, Result]) -> Callable[Asked, Result]:
        last: tuple[tuple[object, ...], Result] | None = None

        @wraps(function)
        def ask(*args: Asked.args, **kwargs: Asked.kwargs) -> Result:
            nonlocal last
            asked = (*args, *kwargs.values())
            held = last  # another thread may replace it
            if held is not None and held[0][:by_value] == asked[:by_value] and _are_same(held[0], asked, by_value):
                return held[1]
            result = function(*args, **kwargs)
            last = (asked, result)
            return result

        return ask

    return decorate


def _are_same(before: tuple[object, ...], now: tuple[object, ...], start: int) -> bool:
    return len(before) == len(now) and all(
        old is new and not (isinstance(new, np.ndarray) and new.flags.writeable)
        for old, new in zip(before[start:], now[start:], strict=True)
    )
