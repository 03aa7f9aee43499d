"""What an offer says, for the sync and the async class."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from .service import Service


class OfferView:
    """An offer: a destination, a time and resources that are held for a while.

    Attributes:
        document: The offer as the service sent it, with everything that has no property here.
    """

    def __init__(self, service: Service, document: Mapping[str, Any]) -> None:
        self._service = service
        self._take(document)

    def _take(self, document: Mapping[str, Any]) -> None:
        self.document: Mapping[str, Any] = document
        # Counted from now on: the wall clock of this machine may be wrong.
        self._until = self._service.clock() + float(document.get("expires-in", 0))

    @property
    def id(self) -> str:
        """The identifier, which the job has, too; empty for a proposal of a dry run."""
        return str(self.document.get("ident", ""))

    @property
    def status(self) -> str:
        """The state as it was told last: `OFFERED`, `ACCEPTED`, `EXPIRED`, …"""
        return str(self.document["status"])

    @property
    def destination(self) -> str:
        """Where the task would run."""
        return str(self.document["destination"])

    @property
    def start(self) -> datetime:
        """When the run begins."""
        from .times import read_instant

        return read_instant(self.document["time"]["start"])

    @property
    def duration(self) -> timedelta:
        """The longest run."""
        from .times import read_duration

        return read_duration(self.document["time"]["duration"]) or timedelta(0)

    @property
    def cores(self) -> float | None:
        """The most cores of one machine, or None where the offer names none."""
        return _most(self._compute(), "cores")

    @property
    def memory(self) -> float | None:
        """The most memory of one machine in GiB, or None where the offer names none."""
        from .amounts import gibibytes

        amounts = [item.get("max-memory", item.get("min-memory")) for item in self._compute()]
        sizes = [gibibytes(amount) for amount in amounts if amount is not None]
        return max((size for size in sizes if size is not None), default=None)

    @property
    def gpus(self) -> int:
        """The GPUs of all machines."""
        return sum(
            int(item["gpu"].get("count", 1)) * int(item.get("replicas", 1))
            for item in self._compute()
            if item.get("gpu")
        )

    @property
    def expires(self) -> datetime | None:
        """When the offer ends by the clock of the service."""
        from .times import read_instant

        text = self.document.get("expires")
        return None if text is None else read_instant(text)

    @property
    def seconds_left(self) -> float:
        """The seconds until the offer ends; right also where this machine's clock is wrong."""
        if self.status != "OFFERED":
            return 0.0
        return max(0.0, self._until - self._service.clock())

    @property
    def costs(self) -> Sequence[Mapping[str, Any]]:
        """What the run costs, each with `type`, `min` and `max`; empty where the site says none."""
        return list(self.document.get("costs", ()))

    @property
    def environment(self) -> str | None:
        """The Python environment of the run, where the offer names one."""
        found = self.document.get("environment")
        return None if found is None else str(found)

    @property
    def python(self) -> str | None:
        """The version of Python there, where the offer names one."""
        found = self.document.get("python")
        return None if found is None else str(found)

    @property
    def request(self) -> Mapping[str, Any]:
        """The task and the offered resources, as a document that can be asked again."""
        request: Mapping[str, Any] = self.document["request"]
        return request

    def _compute(self) -> list[Mapping[str, Any]]:
        return list((self.request.get("resources") or {}).get("compute") or ())

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.id or 'proposed'} {self.destination} {self.status}>"


class OffersView:
    """What offers of one answer, or of a list, have in common."""

    def __init__(self, service: Service, document: Mapping[str, Any]) -> None:
        self._service = service
        self.document: Mapping[str, Any] = document

    @property
    def ident(self) -> str | None:
        """The identifier of the ask, for `planner.explain(...)`."""
        found = self.document.get("ident")
        return None if found is None else str(found)

    @property
    def explain(self) -> str | None:
        """The URL of the record of the decision."""
        ident = self.ident
        return None if ident is None else f"{self._service.url}/asks/{ident}/explain"


def may_be_open(offer: OfferView) -> bool:
    """Whether the service may still hold it: `expires-in` is in whole seconds, rounded down."""
    return offer.status == "OFFERED" and offer._service.clock() < offer._until + 1


def cost_of(offer: OfferView) -> tuple[float, float, float]:
    """What sorts offers by price: costs where the site says some, then what they occupy."""
    costs = sum(float(cost.get("max", 0)) for cost in offer.costs)
    hours = offer.duration.total_seconds() / 3600
    return costs, (offer.cores or 0) * hours, (offer.memory or 0) * hours


def _most(items: Sequence[Mapping[str, Any]], name: str) -> float | None:
    amounts = [item.get(f"max-{name}", item.get(f"min-{name}")) for item in items]
    return max((amount for amount in amounts if amount is not None), default=None)
