"""What the sync and the async class for several planners share; no I/O."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from .errors import PlannerError, Refused, Unauthorized, Unreachable, grouped
from .offer_view import OfferView
from .times import countdown
from .together import Outcome

AnyOffer = TypeVar("AnyOffer", bound=OfferView)
Value = TypeVar("Value")


class AllRefused(Refused):
    """No planner said YES, and at least one said NO.

    Attributes:
        planners: What each planner said: a `Refused`, or why it said nothing.
        reasons: Those of all, each with `planner`.
        nearest: That of the first planner that has one.
    """

    def __init__(self, planners: Mapping[str, PlannerError]) -> None:
        self.planners = dict(planners)
        refusals = {name: no for name, no in planners.items() if isinstance(no, Refused)}
        first = next((no for no in refusals.values() if no.nearest), None)
        reasons = [{**reason, "planner": name} for name, no in refusals.items()
                   for reason in no.reasons]  # fmt: skip
        again = [no.retry_after for no in refusals.values() if no.retry_after is not None]
        answer: dict[str, Any] = {
            "result": "NO",
            "reasons": reasons,
            "more-reasons": sum(no.more_reasons for no in refusals.values()),
        }
        if first is not None:
            answer["nearest"] = first.document["nearest"]
        super().__init__(answer, retry_after=min(again, default=None))

    def __str__(self) -> str:
        lines = ["No planner says YES."]
        for name, error in self.planners.items():
            said = str(error).splitlines() or [""]
            lines += [f"{name}: {said[0]}", *(f"  {line}" for line in said[1:])]
        return "\n".join(lines)


def names_of(urls: Sequence[str]) -> list[str]:
    """Short names for planners: their hosts, as long as these tell them apart.

    Raises:
        ValueError: A planner is there twice, or there is none.
    """
    if not urls:
        raise ValueError("Planners: there is none. Give their URLs: Planners([url, url]).")
    for url in urls:
        if list(urls).count(url) > 1:
            raise ValueError(f"Planners: {url} is there twice.")
    places = [url.partition("://")[2] or url for url in urls]
    hosts = [place.partition("/")[0] for place in places]
    return hosts if len(set(hosts)) == len(hosts) else places


def answers_of(
    outcomes: Mapping[str, Outcome[Value]], names: Sequence[str], seconds: float
) -> tuple[dict[str, Value], list[str]]:
    """What the planners returned, and a line for each that did not.

    Args:
        outcomes: What was there in time.
        names: Those of all planners.
        seconds: For which they were waited for.

    Raises:
        Unreachable: None of them answers.
    """
    found = {name: out.value for name, out in outcomes.items() if out.value is not None}
    errors = {name: out.error for name, out in outcomes.items() if out.error is not None}
    late = {name: seconds for name in names if name not in outcomes}
    is_wrong = any(not isinstance(error, PlannerError) for error in errors.values())
    if is_wrong or not found:
        raise no_yes(errors, late) from None
    return found, notes_of(errors, late)


def no_yes(errors: Mapping[str, Exception], late: Mapping[str, float]) -> Exception:
    """The exception where no planner offers anything.

    Args:
        errors: What the planners said.
        late: The seconds for which a planner was waited for.
    """
    said = {name: error for name, error in errors.items() if isinstance(error, PlannerError)}
    for error in errors.values():
        # A wrong word is the caller's mistake, and the same at each planner.
        if not isinstance(error, PlannerError):
            return error
    for name, seconds in late.items():
        said[name] = Unreachable(f"no answer within {seconds:g} s", code="unreachable")
    if any(isinstance(error, Refused) for error in said.values()):
        return AllRefused(said)
    text = "\n".join(["No planner answers.", *(f"{n}: {error}" for n, error in said.items())])
    first = next((e for e in said.values() if not isinstance(e, Unreachable)), None)
    if first is None:
        return Unreachable(text, code="unreachable")
    kind = Unauthorized if isinstance(first, Unauthorized) else PlannerError
    return kind(text, code=first.code, status=first.status)


def notes_of(errors: Mapping[str, Exception], late: Mapping[str, float]) -> list[str]:
    """A line for each planner that offers nothing."""
    notes = [f"{name}: {_said(error)}" for name, error in errors.items()]
    return notes + [f"{name}: no answer within {seconds:g} s" for name, seconds in late.items()]


def not_given_back(name: str, error: Exception | None, seconds_left: float) -> str:
    """The sentence where offers could not be given back."""
    why = "no answer yet" if error is None else _said(error)
    return (
        f"{name}: the offers were not given back ({why}). "
        f"They expire by themselves in {countdown(seconds_left)}."
    )


def merged(offers: Mapping[str, Sequence[AnyOffer]]) -> list[tuple[str, AnyOffer]]:
    """The offers of all planners in one order: by the minute of their start, then by the order in
    which their planner prefers them."""
    ranked = [
        (int(offer.start.timestamp() // 60), rank, place, name, offer)
        for place, (name, of_planner) in enumerate(offers.items())
        for rank, offer in enumerate(of_planner)
    ]
    return [(name, offer) for *_, name, offer in sorted(ranked, key=lambda one: one[:3])]


def _said(error: Exception) -> str:
    if isinstance(error, Refused):
        lines = [line.strip() for line in grouped(error.reasons)]
        more = len(lines) - 1 + error.more_reasons
        return f"NO: {lines[0] if lines else error.detail}" + (
            f" (and {more} more)" if more else ""
        )
    return error.detail if isinstance(error, PlannerError) else str(error)
