"""Several planners as one: all are asked at the same time, and one gets the task."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timezone
from functools import partial
from heapq import merge
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar, overload

from . import many
from .errors import PlannerError
from .jobs import Job
from .many_answers import ManyAnswers
from .many_offers import ManyOffers
from .many_view import PlannersWarning
from .offers import Offers
from .planner import Planner
from .service import require_one_owner
from .together import Outcome, together

if TYPE_CHECKING:
    from .calendar import Calendar

Value = TypeVar("Value")


class Planners(Sequence[Planner]):
    """Several planners.

    Args:
        planners: URLs, or `Planner`s with credentials and settings of their own.
        timeout: Seconds after which a planner that has not answered is left out. Giving back
            takes no longer either.

    Attributes:
        names: A short name for each planner.
    """

    def __init__(self, planners: Iterable[str | Planner], *, timeout: float = 15.0) -> None:
        if isinstance(planners, str):
            raise TypeError(f"Planners: {planners!r} is one text. Give a list of URLs.")
        planners = list(planners)
        require_one_owner(one for one in planners if isinstance(one, str))
        self._planners = [one if isinstance(one, Planner) else Planner(one) for one in planners]
        self.names = many.names_of([planner.url for planner in self._planners])
        self.timeout = timeout

    def ask(
        self,
        task: Mapping[str, Any] | str | bytes | Path,
        *,
        timeout: float | None = None,
        **words: Any,
    ) -> ManyOffers:
        """Asks all planners at the same time.

        Args:
            task: As in `Planner.ask`.
            timeout: Seconds after which a planner that has not answered is left out; if it says
                YES later, its offers are given back.
            words: Those of `Planner.ask`.

        Returns:
            The offers of all, the soonest first. A planner that offers nothing is a note below
            them.

        Raises:
            AllRefused: No planner says YES, and at least one says NO. It is a `Refused`.
            Unreachable: No planner answers.
        """
        seconds = self.timeout if timeout is None else timeout
        calls = {name: partial(planner.ask, task, timeout=seconds, **words)
                 for name, planner in self._named()}  # fmt: skip
        outcomes = together(calls, seconds, late=_give_back)
        offers = {name: found.value for name, found in outcomes.items() if found.value is not None}
        errors = {name: found.error for name, found in outcomes.items() if found.error is not None}
        late = {name: seconds for name in self.names if name not in outcomes}
        if not offers:
            raise many.no_yes(errors, late) from None
        return ManyOffers(offers, errors, many.notes_of(errors, late), self.timeout)

    def check(
        self,
        task: Mapping[str, Any] | str | bytes | Path,
        *,
        timeout: float | None = None,
        **words: Any,
    ) -> ManyAnswers[Offers]:
        """Asks all planners what their answer would be, and holds nothing.

        Args:
            task: As in `Planner.ask`.
            timeout: Seconds after which a planner that has not answered is left out.
            words: Those of `Planner.check`.

        Returns:
            The answers by the names of the planners, true if one is YES. A planner that gives
            none is a note.

        Raises:
            Unreachable: No planner answers.
        """
        seconds = self.timeout if timeout is None else timeout
        calls = {name: partial(planner.check, task, timeout=seconds, **words)
                 for name, planner in self._named()}  # fmt: skip
        outcomes = together(calls, seconds)
        return ManyAnswers(*many.answers_of(outcomes, self.names, seconds))

    def jobs(self, *, limit: int | None = None, **filters: Any) -> Iterator[Job]:
        """Jobs at all planners, the newest first.

        A planner that does not answer is a `PlannersWarning`.

        Args:
            limit: The most jobs of all planners together.
            filters: Those of `Planner.jobs`.
        """
        lists = {name: planner.jobs(limit=limit, **filters) for name, planner in self._named()}
        firsts = together({name: partial(_first, jobs) for name, jobs in lists.items()},
                          self.timeout)  # fmt: skip
        streams = []
        for name, jobs in lists.items():
            outcome = firsts.get(name)
            if outcome is None:
                _warn(f"{name}: no answer within {self.timeout:g} s")
            elif outcome.error is not None:
                if not isinstance(outcome.error, PlannerError):
                    raise outcome.error
                _warn(f"{name}: {outcome.error}")
            elif outcome.value:
                streams.append(_rest(name, outcome.value[0], jobs))
        found = merge(*streams, key=_created, reverse=True)
        for number, job in enumerate(found):
            if limit is not None and number >= limit:
                return
            yield job

    def job(self, ident: str) -> Job:
        """A job by its URL; or by its identifier, which all planners are asked for.

        Raises:
            PlannerError: No planner has it.
        """
        for planner in self._planners:
            if ident.startswith(f"{planner.url}/"):
                return planner.job(ident)
        calls = {name: partial(planner.job, ident) for name, planner in self._named()}
        outcomes = together(calls, self.timeout)
        for outcome in outcomes.values():
            if outcome.value is not None:
                return outcome.value
        errors = {name: out.error for name, out in outcomes.items() if out.error is not None}
        said = "; ".join(f"{name}: {error}" for name, error in errors.items())
        raise PlannerError(f"No planner has the job {ident}. {said}", code="job-unknown")

    def offers(self, **filters: Any) -> dict[str, Offers]:
        """Your offers at each planner, by its name.

        A planner that does not answer is a `PlannersWarning`. Accepting one of the offers gives
        back none of other planners.

        Args:
            filters: Those of `Planner.offers`.

        Raises:
            Unreachable: No planner answers.
        """
        calls = {name: partial(planner.offers, **filters) for name, planner in self._named()}
        return self._found(together(calls, self.timeout))

    def calendar(self, **words: Any) -> dict[str, Calendar]:
        """What is free over time at each planner, by its name.

        A planner that does not answer is a `PlannersWarning`.

        Args:
            words: Those of `Planner.calendar`.

        Raises:
            Unreachable: No planner answers.
        """
        calls = {name: partial(planner.calendar, **words) for name, planner in self._named()}
        return self._found(together(calls, self.timeout))

    def close(self) -> None:
        """Closes the connections of all planners."""
        for planner in self._planners:
            planner.close()

    def _named(self) -> list[tuple[str, Planner]]:
        return list(zip(self.names, self._planners, strict=True))

    def _found(self, outcomes: Mapping[str, Outcome[Value]]) -> dict[str, Value]:
        """What the planners returned; a warning names the line that many calls up."""
        found, notes = many.answers_of(outcomes, self.names, self.timeout)
        for note in notes:
            _warn(note, depth=4)
        return found

    @overload
    def __getitem__(self, index: int) -> Planner: ...

    @overload
    def __getitem__(self, index: slice) -> list[Planner]: ...

    def __getitem__(self, index: int | slice) -> Planner | list[Planner]:
        return self._planners[index]

    def __len__(self) -> int:
        return len(self._planners)

    def __enter__(self) -> Planners:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Planners {', '.join(self.names)}>"


def _give_back(_: str, offers: Offers) -> None:
    try:
        offers.reject("the client had stopped waiting")
    except PlannerError:
        # Nobody waits for them any more, and they expire by themselves.
        return


def _first(jobs: Iterator[Job]) -> list[Job]:
    found = next(jobs, None)
    return [] if found is None else [found]


def _rest(name: str, first: Job, others: Iterator[Job]) -> Iterator[Job]:
    yield first
    try:
        yield from others
    except PlannerError as error:
        _warn(f"{name}: the list ends here, {error}")


def _created(job: Job) -> datetime:
    return job.created or datetime.min.replace(tzinfo=timezone.utc)


def _warn(text: str, depth: int = 3) -> None:
    warnings.warn(text, PlannersWarning, stacklevel=depth)
