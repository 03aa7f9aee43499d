"""`execplan completion`: lines for a shell that complete commands, options, files and ids."""

from __future__ import annotations

import sys
from argparse import Action, ArgumentParser, Namespace
from typing import TYPE_CHECKING

from . import exits
from .arguments import PROGRAM, parser_of
from .commands import COMMANDS, Command

if TYPE_CHECKING:
    from .session import Session

SHELLS = ("bash", "zsh", "fish")
OF_JOBS = ("follow", "wait", "cancel", "delete", "results")
OF_OFFERS = ("accept", "reject")


def _arguments(parser: ArgumentParser) -> None:
    parser.add_argument("shell", choices=SHELLS)
    parser.epilog = (
        'bash: eval "$(execplan completion bash)" in ~/.bashrc\n'
        'zsh:  eval "$(execplan completion zsh)" behind compinit in ~/.zshrc\n'
        "fish: execplan completion fish > ~/.config/fish/completions/execplan.fish"
    )


def _run(args: Namespace, session: Session) -> int:
    from . import shells

    commands = {name: options_of(name) for name in COMMANDS}
    makers = {"bash": shells.bash, "zsh": shells.zsh, "fish": shells.fish}
    sys.stdout.write(makers[args.shell](commands))
    return exits.DONE


def options_of(name: str) -> list[Action]:
    """The options of a command, as its parser has them."""
    # argparse has no public list of them.
    return [action for action in parser_of(name)._actions if action.option_strings]


def lister_of(name: str) -> str | None:
    """The command whose ids complete the words of another command."""
    listers = {**dict.fromkeys(OF_JOBS, "jobs"), **dict.fromkeys(OF_OFFERS, "offers")}
    lister = listers.get(name)
    if lister is None:
        return None
    # bash runs `$(…)` in the words that it offers, and a service may call a job anything.
    return f'{PROGRAM} {lister} -o ids 2>/dev/null | grep -x "[0-9A-Za-z._-]*"'


COMPLETION = Command(_arguments, _run)
