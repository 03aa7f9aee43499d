"""`execplan run`: from a file or a command to its results, in one line."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from .asking import ask
from .carry_on import add_detach, carry_on
from .commands import Command
from .downloads import download
from .exits import Misused
from .idents import short
from .offering import accepted_word, pick
from .sources import parameters_of, task_of
from .wanted import add_words, words_of

if TYPE_CHECKING:
    from .session import Session


def _arguments(parser: ArgumentParser) -> None:
    parser.usage = (
        "execplan run [options] FILE.py|FILE.ipynb|URL [-- ARGUMENT …]\n"
        "       execplan run [options] -- COMMAND …"
    )
    parser.add_argument("file", metavar="FILE", nargs="?", help="a .py or a notebook; also its URL")
    parser.add_argument(
        "-p", dest="parameter", metavar="NAME=VALUE", action="append", help="of a notebook"
    )
    parser.add_argument(
        "-d",
        dest="folder",
        metavar="DIR",
        help="where results are saved; those of a notebook always are",
    )
    parser.add_argument(
        "--accept",
        metavar="N|first|soonest|cheapest",
        type=accepted_word,
        default="first",
        help="which offer to take (default: first)",
    )
    parser.add_argument(
        "--yes-nearest", action="store_true", help="after a NO, ask for the nearest"
    )
    add_detach(parser)
    add_words(parser)


def _run(args: Namespace, session: Session) -> int:
    words = {"name": _name_of(args), **words_of(args)}
    task = _task_of(args)
    with ask(session, task, words, nearest_too=args.yes_nearest) as offers:
        job = pick(offers, args.accept).accept()
    folder = args.folder
    if folder is None and args.file is not None and _stem(args.file)[1] == ".ipynb":
        folder = f"{_stem(args.file)[0]}-{short(job.id)}"
    try:
        code = carry_on(job, args, session)
    finally:
        # What a failed job left says why; a job that goes on has nothing yet.
        if folder is not None and job.ended:
            download(job, folder)
    return code


def _task_of(args: Namespace) -> Any:
    from .. import tasks

    if args.file is not None:
        return task_of(args.file, tuple(args.tail), parameters_of(args))
    if not args.tail:
        raise Misused("what to run? A .py, a .ipynb, or a command behind --")
    return tasks.executable(*args.tail)


def _name_of(args: Namespace) -> str:
    if args.file is None:
        return Path(args.tail[0]).name if args.tail else ""
    return _stem(args.file)[0]


def _stem(file: str) -> tuple[str, str]:
    path = Path(urlsplit(file).path if "://" in file else file)
    return path.stem, path.suffix


RUN = Command(_arguments, _run)
