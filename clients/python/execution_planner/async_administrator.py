"""What administrators do on an event loop."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from . import administering, looking

if TYPE_CHECKING:
    from .service import Service
    from .transport import AsyncRunner


class AsyncAdministrator:
    """The part of a planner that is for administrators."""

    _service: Service
    _runner: AsyncRunner

    async def overview(self) -> Mapping[str, Any]:
        """For administrators: destinations, engines, who holds what, rules and quotas now."""
        return await self._runner.run(looking.part(self._service, "overview"))

    async def drain(
        self, destination: str, reason: str, *, start: object = None, end: object = None
    ) -> Mapping[str, Any]:
        """For administrators: makes no new offers for a destination.

        Args:
            destination: Its name.
            reason: For clients who get no offer because of it.
            start: When it begins; now by default.
            end: When it ends; without it, with `undrain`.
        """
        plan = administering.drain(self._service, destination, reason, start, end)
        return await self._runner.run(plan)

    async def undrain(self, destination: str, *, why: str | None = None) -> None:
        """For administrators: makes offers for a destination again."""
        await self._runner.run(administering.undrain(self._service, destination, why))

    async def audit(
        self, *, before: object = None, limit: int | None = None
    ) -> list[Mapping[str, Any]]:
        """For administrators: who changed what, newest first.

        Args:
            before: Only entries before this time.
            limit: The most entries, 100 by default and 1,000 at most.
        """
        return await self._runner.run(administering.audit(self._service, before, limit))
