"""All commands: in which module each is, and what it does."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .session import Session


@dataclass(frozen=True)
class Command:
    """A command: its options, and what it does."""

    arguments: Callable[[ArgumentParser], None]
    run: Callable[[Namespace, Session], int]


# Only the module of the wanted command is loaded, so that each begins quickly.
GROUPS: dict[str, dict[str, tuple[str, str]]] = {
    "Ask and run": {
        "ask": ("ask", "ask for a machine, choose an offer, follow the job"),
        "run": ("run", "run a notebook, a script or a command with the first offer"),
        "offers": ("offers", "what is held for you now"),
        "accept": ("offers", "accept an offer"),
        "reject": ("offers", "give offers back"),
    },
    "Jobs": {
        "jobs": ("jobs", "your jobs, the latest first"),
        "follow": ("job", "print the log of a job while it runs"),
        "wait": ("job", "wait until a job is done"),
        "cancel": ("job", "stop a job"),
        "delete": ("job", "remove a job and its results"),
        "results": ("results", "list, print or download the results of a job"),
    },
    "Know": {
        "calendar": ("calendar", "when there is room"),
        "explain": ("explain", "why the planner answered as it did"),
        "environments": ("site", "where notebooks and Python programs run, with packages"),
        "site": ("site", "what a planner takes"),
        "demo": ("demo", "a whole conversation with a planner, step by step"),
    },
    "You": {
        "login": ("login", "sign in, with a browser on any device"),
        "logout": ("login", "forget the sign-in"),
        "whoami": ("login", "who you are there, and your quotas"),
        "completion": ("completion", "lines for your shell that complete words"),
    },
    "Administrators": {
        "overview": ("administer", "destinations, executors, and who holds what"),
        "drain": ("administer", "make no new offers for a destination"),
        "undrain": ("administer", "make offers for a destination again"),
        "audit": ("administer", "who changed what"),
    },
}
COMMANDS = {name: entry for group in GROUPS.values() for name, entry in group.items()}


def load(name: str) -> Command:
    """The command of a name."""
    module = import_module(f".{COMMANDS[name][0]}", __package__)
    found = getattr(module, name.upper())
    assert isinstance(found, Command)
    return found
