"""AsyncOffers, accepted or given back, on an event loop."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, overload

from . import asking
from .async_jobs import AsyncJob
from .errors import PlannerError
from .offer_view import OffersView, OfferView, cost_of, may_be_open
from .waiting import current

if TYPE_CHECKING:
    from .service import Service
    from .transport import AsyncRunner


class AsyncOffer(OfferView):
    """An offer that can be accepted while it is held."""

    def __init__(self, service: Service, runner: AsyncRunner, document: Mapping[str, Any]) -> None:
        super().__init__(service, document)
        self._runner = runner

    async def accept(self, start: str = "auto") -> AsyncJob:
        """Accepts the offer; the other ones of the same answer are cancelled.

        Args:
            start: `auto`, at the offered time; or `client`, with `job.run()`.

        Returns:
            The job.

        Raises:
            OfferExpired: The offer is over.
            OfferTaken: Another one was accepted, or this one was given back.
        """
        plan = asking.accept(self._service, self.id, start, self.request)
        self._take(await self._runner.run(plan))
        document = await self._runner.run(current(self._service, self.id))
        return AsyncJob(self._service, self._runner, document)

    async def reject(self, why: str | None = None) -> None:
        """Gives the offer back.

        Args:
            why: For the audit trail.
        """
        self._take(await self._runner.run(asking.reject(self._service, self.id, why)))

    async def refresh(self) -> AsyncOffer:
        """Reads the offer again.

        Returns:
            This offer.
        """
        self._take(await self._runner.run(asking.offer(self._service, self.id)))
        return self


class AsyncOffers(OffersView, Sequence[AsyncOffer]):
    """The offers of a YES, best first; `async with` gives back what was not accepted."""

    def __init__(
        self,
        service: Service,
        runner: AsyncRunner,
        document: Mapping[str, Any],
        offers: Sequence[Mapping[str, Any]] | None = None,
    ) -> None:
        super().__init__(service, document)
        documents = document.get("offers", ()) if offers is None else offers
        self._offers = [AsyncOffer(service, runner, one) for one in documents]

    @property
    def first(self) -> AsyncOffer:
        """The one that the planner prefers."""
        return self._best(lambda _: 0.0)

    @property
    def cheapest(self) -> AsyncOffer:
        """The one with the lowest costs; where the site says none, the one that occupies least."""
        return self._best(cost_of)

    @property
    def soonest(self) -> AsyncOffer:
        """The one that starts first."""
        return self._best(lambda offer: offer.start)

    async def reject(self, why: str | None = None) -> None:
        """Gives back all offers that are still open; one that is over already is no error.

        Args:
            why: For the audit trail.
        """
        left: PlannerError | None = None
        for offer in self._offers:
            if may_be_open(offer):
                try:
                    await offer.reject(why)
                except PlannerError as problem:
                    if problem.status not in (404, 409, 410):
                        left = left or problem
        if left is not None:
            raise left

    @overload
    def __getitem__(self, index: int) -> AsyncOffer: ...

    @overload
    def __getitem__(self, index: slice) -> list[AsyncOffer]: ...

    def __getitem__(self, index: int | slice) -> AsyncOffer | list[AsyncOffer]:
        return self._offers[index]

    def __iter__(self) -> Iterator[AsyncOffer]:
        return iter(self._offers)

    def __len__(self) -> int:
        return len(self._offers)

    async def __aenter__(self) -> AsyncOffers:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        # An accepted offer has cancelled the others of its answer already.
        if self.ident is not None and any(offer.status == "ACCEPTED" for offer in self._offers):
            return
        try:
            await self.reject()
        except PlannerError:
            # They expire by themselves, and the block's own exception matters more.
            if kind is None:
                raise

    def __repr__(self) -> str:
        from .show import offers_table

        return offers_table(self._offers).text()

    def _repr_html_(self) -> str:
        from .show import offers_table

        return offers_table(self._offers).html()

    def _best(self, key: Callable[[AsyncOffer], Any]) -> AsyncOffer:
        if not self._offers:
            raise LookupError("There are no offers")
        return min(self._offers, key=key)
