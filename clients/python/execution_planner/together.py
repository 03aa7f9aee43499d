"""Several calls at the same time, each in a thread, for not longer than somebody wants to wait."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")


@dataclass(frozen=True)
class Outcome(Generic[Value]):
    """What a call returned or raised; `error` is None if it returned."""

    value: Value | None
    error: Exception | None


def together(
    calls: Mapping[Key, Callable[[], Value]],
    timeout: float,
    late: Callable[[Key, Value], None] = lambda key, value: None,
) -> dict[Key, Outcome[Value]]:
    """Makes calls at the same time.

    Args:
        calls: What to call.
        timeout: Seconds after which those that have not returned are left out.
        late: Called in its thread with what such a call returns afterwards; and with everything
            if Ctrl-C ends the waiting.

    Returns:
        The outcomes that were there in time, in the order of the calls.
    """
    gathering = _Gathering(len(calls), late)
    try:
        for key, call in calls.items():
            # A daemon: a planner that never answers must not keep the program from ending.
            threading.Thread(target=gathering.run, args=(key, call), daemon=True).start()
        found = gathering.wait(timeout)
    except BaseException:
        gathering.abandon()
        raise
    return {key: found[key] for key in calls if key in found}


def raised(outcomes: Sequence[Outcome[Value]]) -> list[Exception]:
    """What was raised."""
    return [outcome.error for outcome in outcomes if outcome.error is not None]


class _Gathering(Generic[Key, Value]):
    def __init__(self, wanted: int, late: Callable[[Key, Value], None]) -> None:
        self._wanted = wanted
        self._late = late
        self._found: dict[Key, Outcome[Value]] = {}
        self._is_over = False
        self._changed = threading.Condition()

    def run(self, key: Key, call: Callable[[], Value]) -> None:
        outcome: Outcome[Value]
        try:
            outcome = Outcome(call(), None)
        except Exception as error:
            outcome = Outcome(None, error)
        with self._changed:
            is_late = self._is_over
            if not is_late:
                self._found[key] = outcome
            self._changed.notify_all()
        if is_late:
            self._hand_over(key, outcome)

    def wait(self, timeout: float) -> dict[Key, Outcome[Value]]:
        with self._changed:
            self._changed.wait_for(lambda: len(self._found) == self._wanted, timeout)
            self._is_over = True
            return dict(self._found)

    def abandon(self) -> None:
        for key, outcome in self.wait(0).items():
            self._hand_over(key, outcome)

    def _hand_over(self, key: Key, outcome: Outcome[Value]) -> None:
        if outcome.error is None and outcome.value is not None:
            self._late(key, outcome.value)
