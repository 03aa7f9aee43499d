"""What offers of several planners have in common, for the sync and the async class."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Generic, TypeVar, overload

from . import many
from .offer_view import OfferView, cost_of
from .tables import Table
from .together import Outcome


class PlannersWarning(UserWarning):
    """One of several planners did not do what it should; the others did."""


OneOffer = TypeVar("OneOffer", bound=OfferView)
OfPlanner = TypeVar("OfPlanner", bound="Sequence[Any]")


class ManyView(Sequence[OneOffer], Generic[OneOffer, OfPlanner]):
    """The offers of several planners.

    Attributes:
        by_planner: The offers of each planner that said YES.
        refusals: What the others said.
        notes: The same in sentences, and what could not be given back.
    """

    def __init__(
        self,
        offers: Mapping[str, OfPlanner],
        refusals: Mapping[str, Exception],
        notes: Iterable[str],
        timeout: float,
    ) -> None:
        self.by_planner = dict(offers)
        self.refusals = dict(refusals)
        self.notes = list(notes)
        self._open = dict(offers)
        self._timeout = timeout
        self._offers: list[OneOffer] = []

    @property
    def first(self) -> OneOffer:
        """The first of the table: it starts first, and its planner prefers it."""
        return self._offers[0]

    @property
    def soonest(self) -> OneOffer:
        """The one that starts first."""
        return min(self._offers, key=lambda offer: offer.start)

    @property
    def cheapest(self) -> OneOffer:
        """The one with the lowest costs, else the one that occupies least. Planners may count
        costs in different units."""
        return min(self._offers, key=cost_of)

    def table(self) -> Table:
        """The table that a notebook shows."""
        from .show import offers_table

        planners = [str(getattr(offer, "planner", "")) for offer in self._offers]
        return offers_table(self._offers, planners=planners, notes=self.notes)

    def _merged(self) -> list[tuple[str, Any]]:
        return many.merged(self.by_planner)

    def _not_given_back(
        self, held: Mapping[str, OfPlanner], outcomes: Mapping[str, Outcome[None]]
    ) -> list[str]:
        """Notes what could not be given back; the sentences."""
        found = []
        for name, offers in held.items():
            outcome: Outcome[None] = outcomes.get(name, Outcome(None, None))
            if name in outcomes and outcome.error is None:
                continue
            left = max((offer.seconds_left for offer in offers), default=0.0)
            found.append(many.not_given_back(name, outcome.error, left))
        self.notes += found
        return found

    @overload
    def __getitem__(self, index: int) -> OneOffer: ...

    @overload
    def __getitem__(self, index: slice) -> list[OneOffer]: ...

    def __getitem__(self, index: int | slice) -> OneOffer | list[OneOffer]:
        return self._offers[index]

    def __iter__(self) -> Iterator[OneOffer]:
        return iter(self._offers)

    def __len__(self) -> int:
        return len(self._offers)

    def __repr__(self) -> str:
        return self.table().text()

    def _repr_html_(self) -> str:
        return self.table().html()
