"""The question which offer to take: a table with a countdown and a prompt, drawn in place."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ..errors import PlannerError
from ..tables import Table
from .fitting import lines_of
from .keys import NOTHING, Keys, keys
from .output import clean
from .region import Region

if TYPE_CHECKING:
    from ..offers import Offer


class Expired(Exception):
    """All offers ended before one was chosen."""


Draw = Callable[[], Table]
"""Makes the table as it is now."""


def choose(offers: Sequence[Offer], draw: Draw, why: Callable[[], str]) -> int | None:
    """Asks on the terminal.

    Args:
        offers: What can be chosen.
        draw: Makes the table, whose first line is number 1.
        why: The explanation, for those who type `w`.

    Returns:
        The index of the chosen offer; `None` to give all back.

    Raises:
        Expired: All have ended.
        KeyboardInterrupt: Ctrl-C.
    """
    region = Region(sys.stdout)
    try:
        with keys() as typed:
            return _Question(offers, draw, why, region).answer(typed)
    finally:
        region.forget()


class _Question:
    def __init__(
        self, offers: Sequence[Offer], draw: Draw, why: Callable[[], str], region: Region
    ) -> None:
        self._offers = offers
        self._draw = draw
        self._why = why
        self._region = region
        self._typed = ""
        self._hint = ""

    def answer(self, typed: Keys) -> int | None:
        """Reads keys until they are an answer."""
        while True:
            self._show()
            left = max(offer.seconds_left for offer in self._offers)
            if left <= 0:
                raise Expired
            # Drawn when the second changes, not somewhere within it.
            try:
                key = typed.next(min(1.0, left % 1 + 0.02))
            except EOFError:
                return None
            if key in ("\r", "\n"):
                if not self._typed:
                    return None
                if (index := self._chosen()) is not None:
                    return index
            elif key != NOTHING:
                self._take(key)

    def _take(self, key: str) -> None:
        self._hint = ""
        if key.isdigit():
            self._typed += key
        elif key in ("\x7f", "\b"):
            self._typed = self._typed[:-1]
        elif key == "\x15":
            self._typed = ""
        elif key in ("w", "W"):
            self._explain()
        else:
            self._hint = f"type a number from 1 to {len(self._offers)}, or Enter alone"

    def _chosen(self) -> int | None:
        number = int(self._typed)
        self._typed = ""
        if not 1 <= number <= len(self._offers):
            self._hint = f"there is no offer {number}"
        elif self._offers[number - 1].seconds_left <= 0:
            self._hint = f"offer {number} has ended"
        else:
            self._typed = str(number)
            self._show()
            return number - 1
        return None

    def _explain(self) -> None:
        try:
            lines = clean(self._why()).splitlines()
        except PlannerError as error:
            # The offers are still there, and one can choose without it.
            lines = clean(str(error)).splitlines()
        self._region.above(lines)

    def _show(self) -> None:
        hint = [f"({self._hint})"] if self._hint else []
        count = len(self._offers)
        numbers = "1" if count == 1 else f"1-{count}"
        prompt = f"Which one? [{numbers}, w why, Enter gives all back] {self._typed}"
        self._region.draw([*lines_of(self._draw()), *hint, prompt])
