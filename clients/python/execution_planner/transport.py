"""The two runners of plans: they do the steps with httpx, one waits and the other awaits."""

from __future__ import annotations

import os
import time
from collections.abc import AsyncGenerator, Generator, Iterator
from contextlib import aclosing
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeVar
from weakref import WeakSet

from .clients import Clients, Opened
from .requests import Lost, Open, Pause, Plan, Read, Request, Response, Say, Send, Step

if TYPE_CHECKING:
    import httpx

    from .service import Service

T = TypeVar("T")


class Runner:
    """Runs plans in the thread that calls it."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._client: httpx.Client | None = None
        self._of_parent: httpx.Client | None = None
        self._opening = Lock()
        _runners.add(self)

    def run(self, plan: Plan[T]) -> T:
        """Runs a plan to its end.

        Returns:
            What the plan returns.
        """
        steps = self._steps(plan)
        while True:
            try:
                next(steps)
            except StopIteration as end:
                value: T = end.value
                return value

    def items(self, plan: Plan[Any]) -> Generator[Any, None, Any]:
        """What a plan says, as it says it."""
        return self._steps(plan)

    def close(self) -> None:
        """Closes all connections."""
        if self._client is not None:
            self._client.close()
            self._client = None

    def forked(self) -> None:
        """In a new process: leaves the connections to the old one. On one connection, each of two
        processes would read answers of the other."""
        self._of_parent, self._client = self._client or self._of_parent, None
        self._opening = Lock()

    def _steps(self, plan: Plan[T]) -> Generator[Any, None, T]:
        opened: httpx.Response | None = None
        chunks: Iterator[bytes] = iter(())
        try:
            step = next(plan)
            while True:
                outcome: Any = None
                try:
                    if isinstance(step, Say):
                        yield step.item
                    elif isinstance(step, Send):
                        outcome = self._send(step.request)
                    elif isinstance(step, Open):
                        opened = self._open(step.request)
                        chunks = opened.iter_bytes()
                        outcome = head_of(opened)
                    elif isinstance(step, Read):
                        outcome = self._read(chunks)
                    elif isinstance(step, Pause):
                        time.sleep(step.seconds)
                    elif opened is not None:
                        opened.close()
                        opened = None
                except Lost as lost:
                    step = plan.throw(lost)
                else:
                    step = plan.send(outcome)
        except StopIteration as end:
            value: T = end.value
            return value
        finally:
            plan.close()
            if opened is not None:
                opened.close()

    def _send(self, request: Request) -> Response:
        response = self._open(request)
        try:
            response.read()
        except transport_error() as error:
            raise lost(error) from error
        finally:
            response.close()
        return head_of(response, response.content)

    def _open(self, request: Request) -> httpx.Response:
        client = self._opened()
        built = self._service.build(client, request)
        try:
            return client.send(built, stream=True)
        except transport_error() as error:
            raise lost(error) from error

    def _read(self, chunks: Iterator[bytes]) -> bytes:
        try:
            return next(chunks, b"")
        except transport_error() as error:
            raise lost(error) from error

    def _opened(self) -> httpx.Client:
        # Threads may share a planner.
        with self._opening:
            if self._client is None:
                import httpx

                self._client = httpx.Client(**self._service.client_settings())
            return self._client


class AsyncRunner:
    """Runs plans on an event loop."""

    def __init__(self, service: Service) -> None:
        self._clients = Clients(service)

    async def run(self, plan: Plan[T]) -> T:
        """Runs a plan to its end.

        Returns:
            What the plan returns.
        """
        returned: list[T] = []
        async with aclosing(self._steps(plan, returned)) as steps:
            async for _ in steps:
                pass
        return returned[0]

    def items(self, plan: Plan[Any]) -> AsyncGenerator[Any, None]:
        """What a plan says, as it says it."""
        return self._steps(plan, [])

    async def close(self) -> None:
        """Closes all connections."""
        await self._clients.close()

    async def _steps(self, plan: Plan[T], returned: list[T]) -> AsyncGenerator[Any, None]:
        import asyncio

        opened: Opened | None = None
        try:
            step: Step = next(plan)
            while True:
                outcome: Any = None
                try:
                    if isinstance(step, Say):
                        yield step.item
                    elif isinstance(step, Send):
                        outcome = await self._send(step.request)
                    elif isinstance(step, Open):
                        opened = await self._open(step.request)
                        outcome = head_of(opened.response)
                    elif isinstance(step, Read):
                        outcome = await self._read(opened)
                    elif isinstance(step, Pause):
                        await asyncio.sleep(step.seconds)
                    elif opened is not None:
                        await opened.aclose()
                        opened = None
                except Lost as lost:
                    step = plan.throw(lost)
                else:
                    step = plan.send(outcome)
        except StopIteration as end:
            returned.append(end.value)
        finally:
            plan.close()
            if opened is not None:
                await opened.aclose()

    async def _send(self, request: Request) -> Response:
        opened = await self._open(request)
        try:
            content = await opened.response.aread()
        except transport_error() as error:
            raise lost(error) from error
        finally:
            await opened.aclose()
        return head_of(opened.response, content)

    async def _open(self, request: Request) -> Opened:
        try:
            return await self._clients.open(request)
        except transport_error() as error:
            raise lost(error) from error

    async def _read(self, opened: Opened | None) -> bytes:
        if opened is None:
            return b""
        try:
            return await anext(opened.chunks, b"")
        except transport_error() as error:
            raise lost(error) from error


_runners: WeakSet[Runner] = WeakSet()


def _forked() -> None:
    for runner in list(_runners):
        runner.forked()


if hasattr(os, "register_at_fork"):  # Windows has no fork.
    os.register_at_fork(after_in_child=_forked)


def head_of(response: httpx.Response, content: bytes = b"") -> Response:
    """The answer without httpx; header names in lower case, repeated ones joined."""
    return Response(response.status_code, dict(response.headers), content)


def transport_error() -> type[Exception]:
    """What httpx raises where no answer comes, or no more of it."""
    import httpx

    return httpx.RequestError


def lost(error: Exception) -> Lost:
    """The loss for httpx's error, with a text: some of them have none."""
    return Lost(str(error) or type(error).__name__)
