"""Offers of several planners: one is accepted, and the others are given back."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from functools import partial
from types import TracebackType

from .jobs import Job
from .many_view import ManyView, PlannersWarning
from .offers import Offer, Offers
from .together import together


class OfferOfMany(Offer):
    """An offer of one of several planners: accepting it gives back those of the others.

    Attributes:
        planner: The name of its planner.
    """

    def __init__(self, offer: Offer, planner: str, group: ManyOffers) -> None:
        super().__init__(offer._service, offer._runner, offer.document)
        self._until = offer._until
        self._group = group
        self.planner = planner

    def accept(self, start: str = "auto") -> Job:
        """Accepts the offer, and gives back those of all planners.

        Args:
            start: `auto`, at the offered time; or `client`, with `job.run()`.

        Returns:
            The job. An offer that could not be given back is a `PlannersWarning`.

        Raises:
            OfferExpired: The offer is over; the others are still there.
            OfferTaken: Another one was accepted, or this one was given back.
        """
        job = super().accept(start)
        # There the service itself cancels the others of the same answer.
        self._group._open.pop(self.planner, None)
        self._group._give_back(None, None, depth=3)
        return job


class ManyOffers(ManyView[OfferOfMany, Offers]):
    """The offers of several planners; `with` gives back what was not accepted.

    Attributes:
        by_planner: The offers of each planner that said YES.
        refusals: What the others said.
        notes: The same in sentences, and what could not be given back.
    """

    def __init__(
        self,
        offers: Mapping[str, Offers],
        refusals: Mapping[str, Exception],
        notes: Iterable[str],
        timeout: float,
    ) -> None:
        super().__init__(offers, refusals, notes, timeout)
        self._offers = [OfferOfMany(offer, name, self) for name, offer in self._merged()]

    def reject(self, why: str | None = None, *, timeout: float | None = None) -> None:
        """Gives everything back, at all planners at the same time.

        Args:
            why: For the audit trail.
            timeout: Seconds to wait, by default those of the planners; what takes longer goes on
                by itself, and is said.
        """
        self._give_back(why, timeout, depth=3)

    def _give_back(self, why: str | None, timeout: float | None, *, depth: int) -> None:
        """Gives everything back; a warning names the line that many calls up."""
        held, self._open = self._open, {}
        calls = {name: partial(offers.reject, why) for name, offers in held.items()}
        outcomes = together(calls, self._timeout if timeout is None else timeout)
        for note in self._not_given_back(held, outcomes):
            warnings.warn(note, PlannersWarning, stacklevel=depth)

    def __enter__(self) -> ManyOffers:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._give_back(None, None, depth=3)
