"""Where requests go: below the URL of the planner and nowhere else, whatever a document names."""

from __future__ import annotations

from itertools import pairwise
from urllib.parse import quote, unquote, urlsplit


def base_url(url: str) -> str:
    """The planner's URL without a slash at its end.

    Raises:
        ValueError: It is no http or https URL, or has a password, a query or a fragment.
    """
    url = url.strip()
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(f"The planner's url must begin with https:// or http://, not {url!r}")
    if parts.username is not None or parts.password is not None:
        raise ValueError(
            "The planner's url has no place for a password: give auth=(user, password)"
        )
    if parts.query or parts.fragment:
        raise ValueError(f"The planner's url has no ? and no #: {url!r}")
    # Reading the port is what checks it.
    _ = parts.port
    return url.rstrip("/")


def path_of(*segments: str) -> str:
    """A path below the planner's URL; what is no letter of a path is escaped.

    Raises:
        ValueError: A segment is `.` or `..`, which leads to another place and cannot be escaped.
    """
    for segment in segments:
        if segment in (".", "..", ""):
            raise ValueError(f"{segment!r} is no name")
    return "".join(f"/{quote(segment, safe='~')}" for segment in segments)


def last_of(ident: str, folder: str, url: str = "") -> str:
    """The identifier in an identifier or in a URL.

    The service may name itself otherwise than the client does, so of a URL only the identifier
    counts; the request goes to the planner's own URL.

    Args:
        ident: An identifier, or a URL such as `https://planner.example.org/jobs/01a1`.
        folder: What stands before the identifier in a URL, such as `jobs`.
        url: The planner, whose own path may have a folder of that name.

    Raises:
        ValueError: A URL of something else.
    """
    if "/" not in ident:
        if not ident:
            raise ValueError("An empty identifier")
        return ident
    path = urlsplit(ident).path
    own = urlsplit(url).path
    path = path.removeprefix(own) if path.startswith(f"{own}/") else path
    segments = [segment for segment in path.split("/") if segment]
    for before, here in pairwise(segments):
        if before == folder or (before == "async" and folder == "jobs"):
            return unquote(here)
    raise ValueError(f"{ident!r} is no URL below /{folder}")


def proxy_for(url: str) -> str | None:
    """The proxy of the environment for a URL, without its password."""
    from urllib.request import getproxies, proxy_bypass

    parts = urlsplit(url)
    proxies = getproxies()
    proxy = proxies.get(parts.scheme) or proxies.get("all")
    if not proxy or proxy_bypass(parts.hostname or ""):
        return None
    return proxy.rpartition("@")[2]
