"""`execplan ask`: the whole conversation, from a document to a followed job."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING, Any

from ..errors import Refused
from . import exits
from .asking import ask, document_of, explained
from .carry_on import add_detach, carry_on
from .commands import Command
from .idents import short
from .offering import accepted_word, numbered, pick, with_ids
from .output import emit, say
from .sources import read_document
from .wanted import add_words, words_of

if TYPE_CHECKING:
    from .asking import Asked
    from .session import Session


def _arguments(parser: ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE|-", help="the document; also a notebook or a .py")
    add_words(parser)
    parser.add_argument("--check", action="store_true", help="ask what would be, and hold nothing")
    parser.add_argument(
        "--accept",
        metavar="N|first|soonest|cheapest",
        type=accepted_word,
        help="which offer to take, without a question",
    )
    add_detach(parser)
    parser.add_argument(
        "--yes-nearest", action="store_true", help="after a NO, ask for what would be a YES"
    )


def _run(args: Namespace, session: Session) -> int:
    words = words_of(args)
    task = read_document(args.file, is_changed=bool(words))
    if args.check:
        return _check(task, words, args, session)
    try:
        offers = ask(session, task, words, nearest_too=args.yes_nearest)
    except Refused as no:
        if args.output in ("json", "yaml"):
            emit(args.output, no.document, (), str)
        raise
    if args.accept is not None:
        with offers:
            return carry_on(pick(offers, args.accept).accept(), args, session)
    if args.output == "table" and _can_be_asked():
        return _choose(offers, args, session)
    emit(
        args.output,
        document_of(offers),
        [offer.id for offer in offers],
        lambda: with_ids(numbered(offers), [short(offer.id) for offer in offers]),
    )
    say(f"{len(offers)} held; take one: {session.command('accept', 'ID')}, "
        f"or give all back: {session.command('reject', '--all')}")  # fmt: skip
    return exits.DONE


def _can_be_asked() -> bool:
    """Whether somebody sits at a terminal whose keys can be read one by one."""
    return sys.stdin.isatty() and sys.stdout.isatty() and sys.platform != "win32"


def _check(task: Any, words: dict[str, Any], args: Namespace, session: Session) -> int:
    answer = session.planner.check(task, **words)
    if not answer:
        if args.output in ("json", "yaml"):
            emit(args.output, answer.document, (), str)
        say(str(answer.refusal))
        return exits.NO
    emit(args.output, answer.document, (), lambda: numbered(answer.offers))
    return exits.DONE


def _choose(offers: Asked, args: Namespace, session: Session) -> int:
    from .choose import Expired, choose

    with offers:
        try:
            index = choose(
                list(offers), lambda: numbered(offers), lambda: explained(session, offers)
            )
        except Expired:
            say("All offers have ended. Ask again.")
            return exits.SERVICE_REFUSED
        except KeyboardInterrupt:
            offers.reject()
            say("all given back")
            raise
        if index is None:
            offers.reject()
            say("all given back")
            return exits.DONE
        job = offers[index].accept()
    return carry_on(job, args, session)


ASK = Command(_arguments, _run)
