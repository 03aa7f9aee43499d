"""A clock that neither jumps nor stops."""

from __future__ import annotations

import time


def steady() -> float:
    """Seconds that go on while a laptop sleeps, and that do not jump when its clock is set.

    `time.monotonic` stands still during sleep on Linux; an offer does not.
    """
    return time.clock_gettime(_CLOCK) if _CLOCK is not None else time.monotonic()


_CLOCK: int | None = getattr(time, "CLOCK_BOOTTIME", None)
