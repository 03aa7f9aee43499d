"""Asks one planner, or several at the same time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import Refused
from .output import say

if TYPE_CHECKING:
    from ..many_offers import ManyOffers
    from ..offers import Offers
    from ..planner import Planner
    from ..planners import Planners
    from .session import Session

    Asked = Offers | ManyOffers


def ask(session: Session, task: Any, words: dict[str, Any], *, nearest_too: bool) -> Asked:
    """The offers of all planners.

    Args:
        session: The planners.
        task: The document, or the task.
        words: What changes it.
        nearest_too: Whether to ask again, after a NO, for what would be a YES.

    Raises:
        Refused: Every planner says NO.
    """
    planner = _planner_of(session)
    try:
        return planner.ask(task, **words)
    except Refused as no:
        if no.nearest is None or not nearest_too:
            raise
        say(str(no))
        return planner.ask(no.nearest.ask)


def document_of(offers: Asked) -> Any:
    """The answer; of several planners, the answer of each under its name."""
    from ..offers import Offers

    if isinstance(offers, Offers):
        return offers.document
    return {name: answer.document for name, answer in offers.by_planner.items()}


def explained(session: Session, offers: Asked) -> str:
    """Why these are the offers, for people."""
    from ..offers import Offers
    from ..planners import Planners

    if isinstance(offers, Offers):
        return str(session.planner.explain(offers, text=True))
    named = dict(zip(Planners(session.planners).names, session.planners, strict=True))
    return "\n".join(
        f"{name}:\n{named[name].explain(answer, text=True)}"
        for name, answer in offers.by_planner.items()
    )


def _planner_of(session: Session) -> Planner | Planners:
    if session.is_one:
        return session.planner
    from ..planners import Planners

    return Planners(session.planners)
