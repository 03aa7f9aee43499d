"""How long to go on with something that takes long while the service cannot be reached."""

from __future__ import annotations

from collections.abc import Callable

from .requests import LONGEST_PAUSE, Response, retry_after

PATIENCE = 120.0
"""Seconds: a service that is started anew is back by then."""
LONGEST = 5.0
SHORTEST = 0.25


class Patience:
    """Says how long to pause, and when to give up.

    Args:
        clock: Seconds that never go back.
        random: A number from 0 to 1.
    """

    def __init__(self, clock: Callable[[], float], random: Callable[[], float]) -> None:
        self._clock = clock
        self._random = random
        self._silent_since: float | None = None
        self._pause = SHORTEST

    def heard(self) -> None:
        """The service answered."""
        self._silent_since = None

    def moved(self) -> None:
        """Something new came: the next pause is short again."""
        self._pause = SHORTEST

    def pause(self) -> float:
        """The next pause, which grows to five seconds."""
        pause = self._pause
        self._pause = min(LONGEST, pause * 2)
        return pause * (0.75 + 0.25 * self._random())

    def after_loss(self, response: Response | None = None) -> float | None:
        """The pause after a lost connection or a busy service.

        Returns:
            Seconds, or None when it has lasted too long.
        """
        now = self._clock()
        self._silent_since = now if self._silent_since is None else self._silent_since
        if now - self._silent_since > PATIENCE:
            return None
        # A service that says "at once" for two minutes is not asked in a tight loop.
        wanted = retry_after(response)
        return min(wanted, LONGEST_PAUSE) if wanted else self.pause()
