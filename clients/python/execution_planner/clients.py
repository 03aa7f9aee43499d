"""Several httpx clients as one, for many connections at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import asyncio

    import httpx

    from .requests import Request
    from .service import Service

MOST = 40
"""Connections of a client: with each request, httpx looks at all of its connections."""


class _Slot:
    """A client, and how many of its answers are open."""

    def __init__(self, client: httpx.AsyncClient) -> None:
        self.client = client
        self.open = 0


class Opened:
    """An answer that is open."""

    def __init__(self, response: httpx.Response, slot: _Slot) -> None:
        self.response = response
        self.chunks = response.aiter_bytes()
        self._slot: _Slot | None = slot

    async def aclose(self) -> None:
        """Closes it, and makes room for another one."""
        slot, self._slot = self._slot, None
        if slot is not None:
            slot.open -= 1
            await self.response.aclose()


class Clients:
    """As many httpx clients as the open answers need.

    Args:
        service: The planner.
    """

    def __init__(self, service: Service) -> None:
        self._service = service
        self._slots: list[_Slot] = []
        self._loop: asyncio.AbstractEventLoop | None = None

    async def open(self, request: Request) -> Opened:
        """Sends a request, and comes back when the head of its answer is there."""
        slot = self._room()
        slot.open += 1
        try:
            built = self._service.build(slot.client, request)
            return Opened(await slot.client.send(built, stream=True), slot)
        except BaseException:
            slot.open -= 1
            raise

    async def close(self) -> None:
        """Closes all connections."""
        slots, self._slots = self._slots, []
        for slot in slots:
            await slot.client.aclose()

    def _room(self) -> _Slot:
        import asyncio

        loop = asyncio.get_running_loop()
        if loop is not self._loop:
            # Connections belong to the loop that made them; a second `asyncio.run` has another.
            self._slots, self._loop = [], loop
        for slot in self._slots:
            if slot.open < MOST or not self._service.may_spread:
                return slot
        import httpx

        self._slots.append(_Slot(httpx.AsyncClient(**self._service.client_settings())))
        return self._slots[-1]
