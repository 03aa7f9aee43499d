"""Who you are at a planner: what `execplan login` keeps, and what netrc says."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx

__all__ = ["Credential", "SignedIn", "find", "forget", "is_private", "load", "path", "store"]

Credential = httpx.Auth
"""What httpx sends with each request. One that came from `execplan login` renews itself."""


@dataclass(frozen=True)
class SignedIn:
    """The tokens of one planner, as an issuer gave them.

    Args:
        access_token: The bearer token that the planner takes.
        expires: When it ends, in seconds since 1970; `None` when the issuer does not say.
        refresh_token: What a new access token is asked with.
        issuer: Who gave the tokens.
        client_id: The public client that the tokens were given to.
        resource: For what the tokens are, where the issuer wants to be told.
        more: Keys of the file that this version does not know.
    """

    access_token: str
    expires: float | None
    refresh_token: str | None
    issuer: str
    client_id: str
    resource: str | None = None
    more: dict[str, Any] | None = None

    def ends_within(self, seconds: float, now: float | None = None) -> bool:
        """Whether the access token ends that soon.

        Args:
            seconds: How soon.
            now: The time; the clock's by default.
        """
        return self.expires is not None and self.expires - (now or time.time()) < seconds


def find(url: str) -> Credential | None:
    """The stored credential of a planner: of `execplan login`, or else of netrc.

    Args:
        url: The planner.

    Returns:
        What to hand to httpx as `auth`, or `None`.
    """
    if not is_private(url):
        return None
    signed_in = None
    # There may be no home folder, or one of somebody else.
    with suppress(OSError, RuntimeError):
        signed_in = load(url)
    if signed_in is not None:
        from .renewal import Renewing

        return Renewing(url, signed_in)
    return _from_netrc(url)


def load(url: str) -> SignedIn | None:
    """What `execplan login` has kept for a planner, or `None`."""
    entry = _read().get(_key(url))
    if not isinstance(entry, dict) or not isinstance(entry.get("access_token"), str):
        return None
    known = {name: entry[name] for name in SignedIn.__dataclass_fields__ if name in entry}
    unknown = {name: value for name, value in entry.items() if name not in known}
    try:
        return replace(SignedIn(**known), more=unknown or None)
    except TypeError:
        return None


def store(url: str, signed_in: SignedIn) -> Path:
    """Keeps the tokens of a planner in a file that only its owner may read.

    Args:
        url: The planner.
        signed_in: Its tokens.

    Returns:
        The file.
    """
    with locked():
        store_locked(url, signed_in)
    return path()


def store_locked(url: str, signed_in: SignedIn) -> None:
    """As `store`, for a caller that has the lock already."""
    entry = asdict(signed_in)
    more = entry.pop("more") or {}
    _write({**_read(), _key(url): {**more, **entry}})


def forget(url: str) -> SignedIn | None:
    """Removes the tokens of a planner.

    Returns:
        The removed ones, so that their issuer can be told; `None` when there were none.
    """
    with locked():
        found = load(url)
        _write({key: value for key, value in _read().items() if key != _key(url)})
    return found


def path() -> Path:
    """The file, below `XDG_CONFIG_HOME`."""
    base = os.environ.get("XDG_CONFIG_HOME") or ""
    # XDG's rule: a relative path is ignored.
    folder = Path(base) if os.path.isabs(base) else Path.home() / ".config"
    return folder / "execution-planner" / "credentials.json"


@contextmanager
def locked() -> Iterator[None]:
    """Keeps other processes from changing the file, so that none of two changes is lost."""
    folder = path().parent
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    # A file of its own, since the other one is replaced by each change.
    handle = os.open(folder / "credentials.lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        _lock(handle)
        yield
    finally:
        os.close(handle)


def is_private(url: str) -> bool:
    """Whether nobody on the way can read what is sent there: https, or this machine."""
    parts = urlsplit(url)
    return parts.scheme == "https" or parts.hostname in ("localhost", "127.0.0.1", "::1")


def _key(url: str) -> str:
    parts = urlsplit(url)
    usual = {"https": 443, "http": 80}.get(parts.scheme)
    host = (parts.hostname or "").lower()
    host = f"[{host}]" if ":" in host else host
    port = "" if parts.port in (None, usual) else f":{parts.port}"
    return f"{parts.scheme}://{host}{port}{parts.path.rstrip('/')}"


def _read() -> dict[str, Any]:
    try:
        document = json.loads(path().read_text("utf-8"))
    except (FileNotFoundError, ValueError):
        return {}
    planners = document.get("planners") if isinstance(document, dict) else None
    return planners if isinstance(planners, dict) else {}


def _write(planners: dict[str, Any]) -> None:
    file = path()
    part = file.with_name(f".{file.name}.{os.getpid()}")
    handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as out:
        # An older file of the same name may have had other rights.
        os.chmod(part, 0o600)
        json.dump({"version": 1, "planners": planners}, out, indent=2)
        out.write("\n")
    os.replace(part, file)


def _lock(handle: int) -> None:
    try:
        import fcntl
    except ImportError:
        # Windows has none; there the last of two changes wins.
        return
    fcntl.flock(handle, fcntl.LOCK_EX)


def _from_netrc(url: str) -> Credential | None:
    import netrc

    try:
        file = os.environ.get("NETRC") or Path.home() / ".netrc"
        entry = netrc.netrc(str(file)).authenticators(urlsplit(url).hostname or "")
    except (OSError, RuntimeError, UnicodeDecodeError, netrc.NetrcParseError):
        return None
    return None if entry is None else httpx.BasicAuth(entry[0], entry[2] or "")
