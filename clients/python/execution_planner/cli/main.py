"""`execplan`: finds the command and runs it."""

from __future__ import annotations

import importlib.util
import os
import signal
import sys
import warnings
from collections.abc import Callable, Sequence
from io import TextIOWrapper
from types import FrameType

from . import exits
from .commands import COMMANDS, GROUPS, load
from .output import clean

VALUED = ("--at", "-o", "--output")


def main(argv: Sequence[str] | None = None) -> int:
    """Runs a command.

    Args:
        argv: Its words; those of the process by default.

    Returns:
        The exit code.
    """
    words = list(sys.argv[1:] if argv is None else argv)
    if importlib.util.find_spec("yaml") is None:
        print('execplan needs more: pip install "execution-planner-client[cli]"', file=sys.stderr)
        return exits.USAGE
    if argv is None:
        _own_process()
    try:
        return _dispatch(words)
    except KeyboardInterrupt:
        return exits.INTERRUPTED
    except BrokenPipeError:
        # Somebody like `head` has read enough; Python would complain at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return exits.DONE
    except Exception as error:
        code = exits.code_of(error)
        if code is None or os.environ.get("EXECPLAN_TRACEBACK"):
            raise
        exits.explain(error)
        return code


def _own_process() -> None:
    """Settings of the process, which belong to a command and not to who calls `main`."""
    # So that what is open is given back when the terminal is closed, too.
    _handle(("SIGTERM", "SIGHUP"), _stop)
    # A log may have letters that a terminal lacks, and goes on without them.
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")
    # Sentences for people have no place in the source.
    warnings.formatwarning = lambda message, *_, **__: clean(f"execplan: {message}\n")


def _dispatch(words: list[str]) -> int:
    name, rest = _split(words)
    if name is None:
        return _without_command(rest)
    if name not in COMMANDS:
        from difflib import get_close_matches

        close = get_close_matches(name, COMMANDS, 1)
        hint = f"; did you mean {close[0]}?" if close else "; execplan --help lists all"
        raise exits.Misused(f"there is no command {name!r}{hint}")
    from .arguments import parse
    from .session import Session

    args = parse(name, rest)
    with Session(args) as session:
        return load(name).run(args, session)


def _split(words: list[str]) -> tuple[str | None, list[str]]:
    """The command, and the other words: options may stand before it, too."""
    number = 0
    while number < len(words) and words[number].startswith("-"):
        number += 2 if words[number] in VALUED else 1
    if number >= len(words):
        return None, words
    return words[number], words[:number] + words[number + 1 :]


def _without_command(words: list[str]) -> int:
    if "--version" in words:
        from ..versions import VERSION

        print(f"execplan {VERSION}")
        return exits.DONE
    asked = not words or "-h" in words or "--help" in words
    print(_overview(), file=sys.stdout if asked else sys.stderr)
    return exits.DONE if asked else exits.USAGE


def _overview() -> str:
    lines = ["usage: execplan COMMAND …", ""]
    for title, commands in GROUPS.items():
        lines.append(title)
        lines += [f"  {name:<13} {text}" for name, (_, text) in commands.items()]
        lines.append("")
    lines.append("execplan COMMAND --help has the options; --at URL or PLANNER_URL is the planner.")
    codes = ", ".join(f"{code} {text}" for code, text in exits.MEANINGS.items())
    return "\n".join([*lines, f"Exit codes: {codes}."])


def _stop(number: int, frame: FrameType | None) -> None:
    # A terminal that is closed sends several signals, and so does its shell; the first one ends the
    # command, and the others must not keep it from giving back what is open.
    _handle(("SIGHUP", "SIGINT"), signal.SIG_IGN)
    raise SystemExit(128 + number)


def _handle(
    names: Sequence[str], handler: Callable[[int, FrameType | None], None] | signal.Handlers
) -> None:
    """Handles those of the signals that this system has."""
    for name in names:
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), handler)
