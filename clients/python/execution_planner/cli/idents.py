"""Jobs and offers by the beginning or the end of their ids."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, TypeVar

from ..errors import PlannerError
from .exits import Misused

if TYPE_CHECKING:
    from ..jobs import Job
    from ..offers import Offer
    from ..planner import Planner
    from .session import Session

WHOLE = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
LEAST = 3
Thing = TypeVar("Thing", "Job", "Offer")


def short(ident: str) -> str:
    """What people type: the end of an id. Ids begin with their time, so neighbours begin alike."""
    return ident[-8:]


def find_job(session: Session, given: str) -> Job:
    """The job that is meant.

    Raises:
        Misused: Several are meant.
        PlannerError: None is.
    """
    return _find(session, given, "job", lambda planner: planner.job, lambda planner: planner.jobs())


def find_offer(session: Session, given: str, *, open_only: bool = True) -> Offer:
    """The offer that is meant.

    Raises:
        Misused: Several are meant.
        PlannerError: None is.
    """
    status = "OFFERED" if open_only else None
    return _find(
        session,
        given,
        "offer",
        lambda planner: planner.offer,
        lambda planner: planner.offers(status=status),
    )


def _find(
    session: Session,
    given: str,
    kind: str,
    whole: Callable[[Planner], Callable[[str], Thing]],
    all_of: Callable[[Planner], Iterable[Thing]],
) -> Thing:
    if WHOLE.fullmatch(given) or "/" in given:
        return _whole(session, given, whole)
    if len(given) < LEAST:
        raise Misused(f"{given!r} is too short: give at least {LEAST} letters of the {kind}'s id")
    wanted = given.lower()
    found = [
        one
        for planner in session.planners
        for one in all_of(planner)
        if one.id.startswith(wanted) or one.id.endswith(wanted)
    ]
    if not found:
        raise PlannerError(f"no {kind} of yours begins or ends with {given}")
    if len(found) > 1:
        several = "".join(f"\n  {one.id}" for one in found[:9])
        raise Misused(f"{given} is the beginning or the end of {len(found)} {kind}s:{several}")
    if kind == "job":
        # A line of the list is not the whole document.
        found[0].refresh()
    return found[0]


def _whole(
    session: Session, given: str, whole: Callable[[Planner], Callable[[str], Thing]]
) -> Thing:
    problem: PlannerError | None = None
    for planner in session.planners:
        try:
            return whole(planner)(given)
        except PlannerError as error:
            # UWS says 403 where others say 404.
            if error.status not in (403, 404) or session.is_one:
                raise
            problem = error
    assert problem is not None
    raise problem
