"""The async classes behind the sync calls, so that both go through the same tests."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Iterator
from typing import Any

from execution_planner import async_jobs, async_offers, async_planner, async_results
from execution_planner.answers import Answer

WRAPPED = (
    async_planner.AsyncPlanner,
    async_offers.AsyncOffers,
    async_offers.AsyncOffer,
    async_jobs.AsyncJob,
    async_results.AsyncResults,
    async_results.AsyncResult,
    Answer,
)


class Awaited:
    """Awaits what the async object's methods return, on one event loop."""

    def __init__(self, inner: Any, loop: asyncio.AbstractEventLoop) -> None:
        self.__dict__["inner"] = inner
        self.__dict__["loop"] = loop

    def __getattr__(self, name: str) -> Any:
        value = getattr(self.inner, name)
        if not inspect.ismethod(value):
            return self._out(value)
        return lambda *args, **words: self._out(
            value(*map(self._in, args), **{k: self._in(v) for k, v in words.items()})
        )

    def __getitem__(self, key: Any) -> Any:
        return self._out(self.inner[key])

    def __iter__(self) -> Iterator[Any]:
        return map(self._out, iter(self.inner))

    def __len__(self) -> int:
        return len(self.inner)

    def __bool__(self) -> bool:
        return bool(self.inner)

    def __contains__(self, key: Any) -> bool:
        return key in self.inner

    def __repr__(self) -> str:
        return repr(self.inner)

    def __enter__(self) -> Any:
        return self._out(self.inner.__aenter__())

    def __exit__(self, *error: Any) -> None:
        self._out(self.inner.__aexit__(*error))

    def _out(self, value: Any) -> Any:
        if inspect.iscoroutine(value):
            value = self.loop.run_until_complete(value)
        if inspect.isasyncgen(value):
            return self._iterated(value)
        return Awaited(value, self.loop) if isinstance(value, WRAPPED) else value

    def _iterated(self, items: Any) -> Iterator[Any]:
        try:
            while True:
                try:
                    yield self._out(self.loop.run_until_complete(items.__anext__()))
                except StopAsyncIteration:
                    return
        finally:
            self.loop.run_until_complete(items.aclose())

    @staticmethod
    def _in(value: Any) -> Any:
        return value.inner if isinstance(value, Awaited) else value
