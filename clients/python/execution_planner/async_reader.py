"""What is only read on an event loop."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import aclosing
from typing import TYPE_CHECKING, Any

from . import listing, looking
from .addresses import last_of
from .changes import Change, changing

if TYPE_CHECKING:
    from .async_jobs import AsyncJob
    from .async_offers import AsyncOffer, AsyncOffers
    from .calendar import Calendar
    from .environments import Environments
    from .service import Service
    from .transport import AsyncRunner


class AsyncReader:
    """The part of a planner that changes nothing."""

    _service: Service
    _runner: AsyncRunner

    async def asks(
        self, *, owner: str | None = None, limit: int | None = None
    ) -> AsyncIterator[Mapping[str, Any]]:
        """Your asks, the latest first, read page by page while you iterate.

        Args:
            owner: For administrators, the asks of this user, and with `*` those of everybody.
            limit: The most asks.
        """
        async with aclosing(self._runner.items(listing.asks(self._service, owner, limit))) as items:
            async for item in items:
                yield item

    async def asked(self, ident: str) -> Mapping[str, Any]:
        """What was asked, and the answer as it is now; its `document` can be asked again."""
        return await self._runner.run(
            looking.asked(self._service, last_of(ident, "asks", self._service.url))
        )

    async def calendar(
        self,
        *,
        start: object = None,
        end: object = None,
        destinations: str | Iterable[str] | None = None,
        mine: bool = False,
    ) -> Calendar:
        """What is free, held and taken over time.

        Args:
            start: The first instant; now by default.
            end: The last instant; a week later by default.
            destinations: Only these.
            mine: With your own reservations.
        """
        from .calendar import Calendar

        plan = looking.calendar(self._service, start, end, destinations, mine)
        return Calendar(await self._runner.run(plan))

    async def explain(
        self, ident: str | AsyncOffer | AsyncOffers | AsyncJob, *, text: bool = False
    ) -> Any:
        """How the planner came to an answer.

        Args:
            ident: AsyncOffers, an offer, a job, or the identifier or URL of an ask or an offer.
            text: As text for people.

        Returns:
            The record of the decision, as a document or as text.
        """
        return await self._runner.run(looking.explanation(self._service, ident, text))

    async def me(self) -> Mapping[str, Any]:
        """Who you are there, with your roles and what is left of your quotas."""
        return await self._runner.run(looking.part(self._service, "me"))

    async def site(self) -> Mapping[str, Any]:
        """What everybody may know of the site: task types, destinations, limits."""
        return await self._runner.run(looking.part(self._service, "site"))

    async def environments(self) -> Environments:
        """The Python environments of the site, with their packages."""
        from .environments import Environments

        return Environments(await self._runner.run(looking.part(self._service, "environments")))

    async def events(self) -> AsyncIterator[Change]:
        """Changes of your offers and jobs as they come, without an end.

        Yields:
            `Change`s. After `start`, read your lists anew: something before it may be unknown.
        """
        async with aclosing(self._runner.items(changing(self._service))) as items:
            async for item in items:
                yield item
