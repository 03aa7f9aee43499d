"""Data on standard output in the form that `-o` wants; everything else on standard error."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable
from typing import Any

from ..tables import Table, plain

FORMATS = ("table", "json", "yaml", "ids")


def emit(form: str, value: Any, ids: Iterable[str], table: Callable[[], Table | str]) -> None:
    """Prints a value.

    Args:
        form: One of `FORMATS`.
        value: The document, for json and yaml.
        ids: What other commands take, for ids.
        table: Makes what a person reads; only called for that.
    """
    if form == "json":
        print(json.dumps(value, indent=2, ensure_ascii=not has_all_letters()))
    elif form == "yaml":
        from .documents import write_yaml

        sys.stdout.write(write_yaml(value))
    elif form == "ids":
        for ident in ids:
            print(ident)
    elif (made := table()) != "":
        show(made)
    sys.stdout.flush()


def show(made: Table | str) -> None:
    """Prints what a person reads; on a terminal, a table fits the window."""
    if isinstance(made, Table) and sys.stdout.isatty():
        from .fitting import lines_of

        print("\n".join(lines_of(made)))
    else:
        print(made.text() if isinstance(made, Table) else clean(made))


def has_all_letters() -> bool:
    """Whether standard output has every letter; where it lacks some, documents have escapes."""
    return (sys.stdout.encoding or "").lower().startswith("utf")


def say(text: str = "") -> None:
    """A sentence for a person, on standard error."""
    print(clean(text), file=sys.stderr, flush=True)


def clean(text: str) -> str:
    """The lines without characters that steer a terminal: services and issuers write some of it."""
    return "\n".join(map(plain, text.split("\n")))
