"""`execplan explain`: why the planner answered as it did."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING, Any

from ..errors import PlannerError
from . import exits
from .commands import Command
from .exits import Misused
from .idents import LEAST, WHOLE
from .output import emit

if TYPE_CHECKING:
    from ..planner import Planner
    from .session import Session


def _arguments(parser: ArgumentParser) -> None:
    parser.add_argument("id", metavar="ID", help="an ask, an offer or a job; or an end of its id")


def _run(args: Namespace, session: Session) -> int:
    planner, ident = _meant(session, args.id)
    as_text = args.output == "table"
    explained: Any = planner.explain(ident, text=as_text)
    emit(args.output, explained, [ident], lambda: str(explained).rstrip())
    return exits.DONE


def _meant(session: Session, given: str) -> tuple[Planner, str]:
    if WHOLE.fullmatch(given) or "/" in given:
        return session.planner, given
    if len(given) < LEAST:
        raise Misused(f"{given!r} is too short: give at least {LEAST} letters of the id")
    found = {
        ident: planner
        for planner in session.planners
        for ident in _idents(planner)
        if ident.startswith(given) or ident.endswith(given)
    }
    if not found:
        raise PlannerError(f"no ask and no offer of yours begins or ends with {given}")
    if len(found) > 1:
        several = "".join(f"\n  {ident}" for ident in list(found)[:9])
        raise Misused(f"{given} is the beginning or the end of several:{several}")
    ((ident, planner),) = found.items()
    return planner, ident


def _idents(planner: Planner) -> list[str]:
    # A job has the id of its offer.
    return [
        ident for ask in planner.asks() for ident in (str(ask["ask"]), *map(str, ask["offers"]))
    ]


EXPLAIN = Command(_arguments, _run)
