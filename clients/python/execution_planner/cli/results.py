"""`execplan results`: lists, prints or saves what a job left."""

from __future__ import annotations

import shutil
import sys
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from ..amounts import bytes_words
from ..tables import Link, Table
from . import exits
from .arguments import add_job
from .commands import Command
from .downloads import download
from .idents import find_job
from .output import emit

if TYPE_CHECKING:
    from ..results import Results
    from .session import Session


def _arguments(parser: ArgumentParser) -> None:
    add_job(parser)
    parser.add_argument("name", metavar="NAME", nargs="*", help="only these; printed without -d")
    parser.add_argument("-d", dest="folder", metavar="DIR", help="save them there")


def _run(args: Namespace, session: Session) -> int:
    job = find_job(session, args.id)
    results = job.results
    unknown = [name for name in args.name if name not in results]
    if unknown:
        there = ", ".join(results) or "none"
        raise exits.Misused(f"there is no result {', '.join(unknown)}; there are: {there}")
    if args.folder is not None:
        saved = download(job, args.folder, args.name)
        emit(args.output, list(map(str, saved)), map(str, saved), lambda: "")
    elif args.name:
        for name in args.name:
            with results[name].open() as content:
                shutil.copyfileobj(content, sys.stdout.buffer)
        sys.stdout.flush()
    else:
        documents = [result.document for result in results.values()]
        emit(args.output, documents, results, lambda: _table(results))
    return exits.DONE


def _table(results: Results) -> Table:
    rows = tuple(
        (
            Link(result.name, result.url),
            "" if result.size is None else bytes_words(result.size),
            result.media_type,
        )
        for result in results.values()
    )
    return Table(("result", "size", "type"), rows, empty="no results", numbers=frozenset(["size"]))


RESULTS = Command(_arguments, _run)
