"""The planners that a command speaks with."""

from __future__ import annotations

import os
from argparse import Namespace
from types import TracebackType
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from .exits import Misused

if TYPE_CHECKING:
    from ..planner import Planner


class Session:
    """The planners of `--at`, opened when they are needed first.

    Args:
        args: The words of the command.
    """

    def __init__(self, args: Namespace) -> None:
        given = [getattr(args, name, None) or [] for name in ("url", "at")]
        self._urls: list[str] = [url for urls in given for url in urls]
        self._planners: list[Planner] = []

    def __enter__(self) -> Session:  # noqa: PYI034 - Self is of Python 3.11
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for planner in self._planners:
            planner.close()

    @property
    def urls(self) -> list[str]:
        """Where the planners are.

        Raises:
            Misused: Nobody said so.
            ValueError: `PLANNER_TOKEN` could be meant for any of several.
        """
        named = os.environ.get("PLANNER_URL")
        urls = self._urls or ([named] if named else [])
        if not urls:
            raise Misused("which planner? Say --at https://planner.example.org, or set PLANNER_URL")
        from ..service import require_one_owner

        require_one_owner(urls)
        return list(dict.fromkeys(urls))

    @property
    def planners(self) -> list[Planner]:
        """All planners."""
        if not self._planners:
            from ..planner import Planner

            self._planners = [Planner(url) for url in self.urls]
        return self._planners

    @property
    def planner(self) -> Planner:
        """The only planner.

        Raises:
            Misused: There are several, and this command speaks with one.
        """
        if len(self.planners) > 1:
            raise Misused("this command speaks with one planner: give one --at")
        return self.planners[0]

    @property
    def is_one(self) -> bool:
        """Whether there is one planner, so that tables need no column for it."""
        return len(self.urls) == 1

    def command(self, name: str, *words: str) -> str:
        """A command to type next, which speaks with the same planners."""
        named = os.environ.get("PLANNER_URL")
        at = [] if self.urls == [named] else [word for url in self.urls for word in ("--at", url)]
        return " ".join(["execplan", name, *words, *at])


def host_of(planner: Planner) -> str:
    """The name of a planner in tables."""
    return urlsplit(planner.url).netloc
