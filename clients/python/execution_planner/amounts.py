"""Amounts of cores, memory and disc: from what people give to what the service reads, and back."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from numbers import Real
from typing import Any, TypeVar

Number = int | float
Size = str | int | float
T = TypeVar("T")

_MIB = 2**20
_SIZE = re.compile(r"([+-]?(?:\d+(?:\.\d*)?|\.\d+))\s*([A-Za-z]*)")
_POWERS = {"": 3, "b": 0, "k": 1, "m": 2, "g": 3, "t": 4, "p": 5}


def cores_bounds(value: object, argument: str = "cores") -> dict[str, Number]:
    """`min-cores` and `max-cores` of a number or a pair; None leaves an end open.

    Raises:
        ValueError: The pair is not two numbers, the smaller one first.
        TypeError: It is no number.
    """
    return _bounds(value, argument, lambda end, _: number(end, argument), float)


def memory_bounds(value: object, argument: str = "memory") -> dict[str, Size]:
    """`min-memory` and `max-memory` of a size or a pair; None leaves an end open.

    Raises:
        ValueError: A text is no size, or the pair is not two sizes, the smaller one first.
        TypeError: It is no size.
    """

    def convert(end: object, is_least: bool) -> Size:
        return size(end, argument, round_up=is_least)

    return _bounds(value, argument, convert, gibibytes)


def size(value: object, argument: str, *, round_up: bool = True) -> Size:
    """A size as the service reads it.

    Args:
        value: A number of GiB, a text such as "512MiB", or an astropy `Quantity`.
        argument: The name of the argument, for errors.
        round_up: The service counts whole MiB: a `Quantity` between two of them becomes the
            larger one, or else the smaller one.

    Raises:
        ValueError: A text is no size, or a number is not finite.
        TypeError: It is no size.
    """
    if isinstance(value, str):
        if gibibytes(value) is None:
            raise ValueError(
                f"{argument}: {value!r} is no size. Write '4GiB', '512MiB', or a number of GiB."
            )
        return value.strip()
    if hasattr(value, "to_value"):
        mebibytes = _converted(value, "byte", argument) / _MIB
        whole = math.ceil(mebibytes - 1e-6) if round_up else math.floor(mebibytes + 1e-6)
        return whole // 1024 if whole % 1024 == 0 else f"{whole}MiB"
    return number(value, argument, "a number of GiB, a text such as '4GiB', or 4 * u.GB")


def number(value: object, argument: str, wanted: str = "a number, or a pair (min, max)") -> Number:
    """A finite number that JSON can say, of whatever kind it is.

    Raises:
        ValueError: It is not finite.
        TypeError: It is no number.
    """
    if hasattr(value, "to_value"):
        value = _converted(value, "", argument)
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(f"{argument}: {value!r} is no number. Give {wanted}.")
    as_float = float(value)
    if not math.isfinite(as_float):
        raise ValueError(f"{argument}: {value!r} is not finite. Give {wanted}.")
    return int(as_float) if as_float.is_integer() else as_float


def count(value: object, argument: str) -> int:
    """A whole number of things.

    Raises:
        ValueError: It is no whole number above 0.
        TypeError: It is no number.
    """
    read = number(value, argument, "a whole number")
    if not isinstance(read, int) or read < 1:
        raise ValueError(f"{argument}: {value!r} is no whole number above 0.")
    return read


def gibibytes(value: Size) -> float | None:
    """GiB of a size as the service writes it; its units are binary. None if it is no size."""
    if not isinstance(value, str):
        return float(value)
    found = _SIZE.fullmatch(value.strip())
    if found is None:
        return None
    digits, unit = found.groups()
    unit = unit.lower()
    letter = unit[:1] if unit in ("", "b") or unit[1:] in ("", "b", "i", "ib") else "?"
    power = _POWERS.get(letter)
    return None if power is None else float(digits) * 1024.0 ** (power - 3)


def size_words(value: Size) -> str:
    """A size for people: `4 GiB`, `512 MiB`, `1.5 TiB`; what is no size stays as it is."""
    amount = gibibytes(value) if isinstance(value, (str, int, float)) else None
    if amount is None:
        return str(value)
    for unit, factor in (("TiB", 1024.0), ("GiB", 1.0)):
        if amount >= factor:
            return f"{number_words(amount / factor)} {unit}"
    return f"{number_words(amount * 1024)} MiB"


def bytes_words(value: Number) -> str:
    """A size of a file for people, decimal as in file managers: `5.4 kB`, `12 MB`."""
    amount = float(value)
    for unit in ("B", "kB", "MB", "GB"):
        if amount < 1000:
            return f"{amount:.0f} {unit}" if amount >= 10 or unit == "B" else f"{amount:.1f} {unit}"
        amount /= 1000
    return f"{amount:.1f} TB"


def number_words(value: Number) -> str:
    """A number with at most three decimals: `2`, `0.5`; what is no number stays as it is."""
    if not isinstance(value, (int, float)):
        return str(value)
    return f"{value:.3f}".rstrip("0").rstrip(".")


def _bounds(
    value: object,
    argument: str,
    convert: Callable[[object, bool], T],
    measure: Callable[[T], float | None],
) -> dict[str, T]:
    if not isinstance(value, (tuple, list)):
        return {f"min-{argument}": convert(value, True)}
    if len(value) != 2 or all(end is None for end in value):
        raise ValueError(f"{argument}: {value!r} is no pair. Give (min, max).")
    bounds: dict[str, T] = {}
    for end, key in zip(value, ("min", "max"), strict=True):
        if end is not None:
            bounds[f"{key}-{argument}"] = convert(end, key == "min")
    measured = [measure(bound) for bound in bounds.values()]
    if len(measured) == 2 and (measured[0] or 0) > (measured[1] or 0):
        raise ValueError(f"{argument}: in {value!r} the first is larger. Give (min, max).")
    return bounds


def _converted(value: Any, unit: str, argument: str) -> float:
    try:
        return float(value.to_value(unit))
    except Exception as error:
        raise ValueError(f"{argument}: {value!r} has another unit: {error}") from error
