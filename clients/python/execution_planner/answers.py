"""The answer to a dry run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Generic, TypeVar

from .asking import refused
from .errors import Nearest, Refused

OffersT = TypeVar("OffersT")


class Answer(Generic[OffersT]):
    """What an ask would be answered; true when it is YES.

    Attributes:
        document: The answer as the service sent it.
        offers: What would be offered; nothing is held, and none can be accepted.
        reasons: Every reason of a NO.
        nearest: What would be a YES, if the planner found something.
        retry_after: Seconds after which to ask again, if that may help.
    """

    def __init__(
        self,
        document: Mapping[str, Any],
        offers: OffersT,
        retry_after: float | None = None,
    ) -> None:
        self.document = document
        self.offers = offers
        self.reasons: list[Mapping[str, Any]] = list(document.get("reasons", ()))
        self.nearest = Nearest.of(document.get("nearest"))
        self.retry_after = retry_after

    @property
    def refusal(self) -> Refused | None:
        """The exception that `ask` would raise, or None for a YES."""
        return None if self else refused(None, self.document)

    def __bool__(self) -> bool:
        return self.document.get("result") == "YES"

    def __repr__(self) -> str:
        return f"YES\n{self.offers!r}" if self else str(self.refusal)

    def _repr_html_(self) -> str:
        if self:
            return f"YES{getattr(self.offers, '_repr_html_', self.offers.__repr__)()}"
        from .show import reasons_table

        more = int(self.document.get("more-reasons", 0))
        return reasons_table(self.reasons, nearest=self.document.get("nearest"), more=more).html()
