"""Options that many commands have, and the parser of each command."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter

from .commands import COMMANDS, load
from .output import FORMATS

PROGRAM = "execplan"


def parse(name: str, words: list[str]) -> Namespace:
    """Reads the words of a command; what stands behind `--` of `run` is `tail`, untouched."""
    tail: list[str] = []
    if name == "run" and "--" in words:
        place = words.index("--")
        words, tail = words[:place], words[place + 1 :]
    args = parser_of(name).parse_args(words)
    args.tail = tail
    return args


def parser_of(name: str) -> ArgumentParser:
    """The parser of one command."""
    parser = ArgumentParser(
        prog=f"{PROGRAM} {name}",
        description=COMMANDS[name][1][:1].upper() + COMMANDS[name][1][1:] + ".",
        formatter_class=RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    load(name).arguments(parser)
    if name != "completion":
        parser.add_argument(
            "--at",
            metavar="URL",
            action="append",
            help="the planner, or several: --at URL --at URL; PLANNER_URL by default",
        )
        parser.add_argument(
            "-o",
            "--output",
            choices=FORMATS,
            default="table",
            help="the form of what is printed (default: table)",
        )
    return parser


def add_job(parser: ArgumentParser) -> None:
    """One job; its id may be shortened."""
    parser.add_argument("id", metavar="ID", help="the job: its id, or the beginning of it")
