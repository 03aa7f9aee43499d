"""`execplan offers`, `accept` and `reject`: what is held for you."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from . import exits
from .carry_on import add_detach, carry_on
from .commands import Command
from .exits import Misused
from .idents import find_offer, short
from .offering import with_ids
from .output import emit, say
from .session import host_of

if TYPE_CHECKING:
    from .session import Session


def _list_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--all", action="store_true", help="those that are over, too")
    parser.add_argument("--destination", action="append", metavar="NAME")


def _list(args: Namespace, session: Session) -> int:
    from ..show import offers_table

    found = [
        (planner, offer)
        for planner in session.planners
        for offer in planner.offers(
            status=None if args.all else "OFFERED", destination=args.destination
        )
    ]
    offers = [offer for _, offer in found]
    hosts = None if session.is_one else [host_of(planner) for planner, _ in found]
    emit(
        args.output,
        [offer.document for offer in offers],
        [offer.id for offer in offers],
        lambda: with_ids(
            offers_table(offers, planners=hosts), [short(offer.id) for offer in offers]
        ),
    )
    return exits.DONE


def _accept_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("id", metavar="ID", help="the offer: its id, or an end of it")
    add_detach(parser)


def _accept(args: Namespace, session: Session) -> int:
    job = find_offer(session, args.id).accept()
    return carry_on(job, args, session)


def _reject_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("id", metavar="ID", nargs="*", help="the offers")
    parser.add_argument("--all", action="store_true", help="all that are held for you")
    parser.add_argument("--why", metavar="TEXT", help="for the audit trail")


def _reject(args: Namespace, session: Session) -> int:
    if args.all == bool(args.id):
        raise Misused("give ids of offers, or --all")
    if args.all:
        held = [planner.offers() for planner in session.planners]
        for some in held:
            # One that has ended meanwhile is no error here.
            some.reject(args.why)
        offers = [offer for some in held for offer in some]
    else:
        offers = [find_offer(session, ident) for ident in args.id]
        for offer in offers:
            offer.reject(args.why)
    documents = [offer.document for offer in offers]
    emit(args.output, documents, [offer.id for offer in offers], lambda: "")
    say(f"{len(offers)} given back")
    return exits.DONE


OFFERS = Command(_list_arguments, _list)
ACCEPT = Command(_accept_arguments, _accept)
REJECT = Command(_reject_arguments, _reject)
