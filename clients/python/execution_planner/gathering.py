"""Several awaited calls at the same time, for not longer than somebody wants to wait."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeVar

from .together import Outcome

Key = TypeVar("Key")
Value = TypeVar("Value")

# The event loop itself keeps no task alive.
_running: set[asyncio.Future[Any]] = set()


async def gathered(
    calls: Mapping[Key, Callable[[], Awaitable[Value]]],
    timeout: float,
    late: Callable[[Value], Awaitable[None]] | None = None,
) -> dict[Key, Outcome[Value]]:
    """Makes calls at the same time.

    Args:
        calls: What to call.
        timeout: Seconds after which those that have not returned are left out.
        late: Awaited with what such a call returns afterwards, and with everything if the caller
            is cancelled meanwhile.

    Returns:
        The outcomes that were there in time, in the order of the calls.
    """
    tasks = {key: asyncio.ensure_future(call()) for key, call in calls.items()}
    try:
        await asyncio.wait(tasks.values(), timeout=timeout)
    except asyncio.CancelledError:
        for task in tasks.values():
            _keep(_afterwards(task, late))
        raise
    found: dict[Key, Outcome[Value]] = {}
    for key, task in tasks.items():
        if not task.done():
            _keep(_afterwards(task, late))
        else:
            found[key] = await _outcome(task)
    return found


async def _outcome(task: asyncio.Future[Value]) -> Outcome[Value]:
    try:
        return Outcome(await task, None)
    except Exception as error:
        return Outcome(None, error)


async def _afterwards(
    task: asyncio.Future[Value], late: Callable[[Value], Awaitable[None]] | None
) -> None:
    outcome = await _outcome(task)
    if late is not None and outcome.value is not None:
        await late(outcome.value)


def _keep(awaited: Any) -> None:
    task = asyncio.ensure_future(awaited)
    _running.add(task)
    task.add_done_callback(_running.discard)
