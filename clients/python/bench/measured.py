"""What a measurement prints: a row of a table, and an error where it misses its goal."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from statistics import median


def report(name: str, values: Sequence[float], unit: str, limit: float) -> None:
    """Print the median with its range, and end the program when it is above the limit."""
    middle = median(values)
    spread = f" ({min(values):.1f}–{max(values):.1f})" if len(values) > 1 else ""
    print(f"| {name} | {middle:.1f}{spread} {unit} | {limit:g} {unit} |", flush=True)
    if middle > limit:
        sys.exit(f"{name}: {middle:.1f} {unit} is above {limit:g} {unit}")
