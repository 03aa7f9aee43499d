"""`execplan login`, `logout` and `whoami`."""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..errors import PlannerError
from ..tables import Table
from . import exits
from .commands import Command
from .exits import Misused
from .output import emit, say

if TYPE_CHECKING:
    from ..login import Device
    from ..planner import Planner
    from .session import Session


def _login_arguments(parser: ArgumentParser) -> None:
    _url_argument(parser)
    parser.add_argument("--issuer", metavar="NAME", help="where to sign in, if there are several")


def _login(args: Namespace, session: Session) -> int:
    from ..planner import Planner

    if os.environ.get("PLANNER_TOKEN"):
        say("PLANNER_TOKEN is set; where it is for this planner, it comes before a sign-in")
    for planner in session.planners:
        device = _device(planner, args.issuer)
        _sign_in(planner, device)
        # The planner has read who asks when it was opened.
        with Planner(planner.url) as opened:
            emit(args.output, *_me(opened))
    return exits.DONE


def _sign_in(planner: Planner, device: Device) -> None:
    from .. import credentials, login

    if not credentials.is_private(planner.url):
        raise Misused(f"{planner.url} is not https, so others could read what says who you are")
    try:
        pending = login.begin(device)
        say(f"Open this page on any device, and sign in at {device.name}:")
        say(f"  {pending.url_with_code or pending.url}")
        say(f"Its code is {pending.code}. Waiting …")
        tokens = login.finish(pending)
    except login.SignInFailed as failed:
        raise PlannerError(str(failed)) from failed
    file = credentials.store(planner.url, tokens)
    say(f"signed in; kept in {file}")


def _device(planner: Planner, name: str | None) -> Device:
    from ..login import devices

    found = devices(dict(planner.site()))
    if not found:
        raise PlannerError(
            f"{planner.url} has no sign-in for programs. Set PLANNER_TOKEN, or use netrc."
        )
    wanted = [one for one in found if name is None or name in (one.name, one.issuer)]
    if len(wanted) != 1:
        raise Misused("say --issuer: " + ", ".join(repr(one.name) for one in found))
    return wanted[0]


def _url_argument(parser: ArgumentParser) -> None:
    parser.add_argument("url", metavar="URL", nargs="*", help="the planner, as with --at")


def _logout(args: Namespace, session: Session) -> int:
    from .. import credentials, login

    urls = session.urls
    for url in urls:
        tokens = credentials.forget(url)
        if tokens is None:
            say(f"{url}: there was no sign-in")
            continue
        try:
            ended = login.revoke(tokens)
        except (login.SignInFailed, OSError):
            ended = False
        told = "" if ended else "; its issuer could not be told, so the tokens end by themselves"
        say(f"{url}: signed out{told}")
    emit(args.output, urls, urls, lambda: "")
    return exits.DONE


def _whoami(args: Namespace, session: Session) -> int:
    for planner in session.planners:
        emit(args.output, *_me(planner))
    return exits.DONE


def _me(planner: Planner) -> Any:
    me = planner.me()
    return me, [user_of(me)], lambda: _me_table(planner, me)


def user_of(me: Mapping[str, Any]) -> str:
    """The name of who asks."""
    identity = me["identity"]
    return str(identity.get("user") or identity["type"])


def _me_table(planner: Planner, me: Mapping[str, Any]) -> Table:
    from ..times import instant_words

    lines = [f"You are {user_of(me)} at {planner.url}"]
    if me["roles"]:
        lines.append(f"roles: {', '.join(map(str, me['roles']))}")
    if me["administrator"]:
        lines.append("an administrator")
    if "until" in me:
        lines.append(f"until {instant_words(str(me['until']))}")
    rows = tuple(
        (
            str(quota["limit"]),
            f"{quota.get('used', 0):g}",
            f"{quota['most']:g}",
            " ".join(str(quota[key]) for key in ("for", "name", "destination") if key in quota),
        )
        for quota in me["quotas"]
    )
    return Table(
        ("quota", "used", "of", "for"),
        rows,
        title="; ".join(lines),
        numbers=frozenset(["used", "of"]),
        empty="no quotas",
    )


LOGIN = Command(_login_arguments, _login)
LOGOUT = Command(_url_argument, _logout)
WHOAMI = Command(_url_argument, _whoami)
