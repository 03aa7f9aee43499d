"""The version of this package, which is the version of the contract that it speaks."""

from __future__ import annotations

VERSION = "0.1.0"


class VersionWarning(UserWarning):
    """The service and this package speak different versions."""


def difference(service: str | None, own: str = VERSION) -> str | None:
    """Compares the service's version with this package's.

    Args:
        service: The header `API-Version` of an answer; services before 0.1.0 send none.
        own: The version of this package.

    Returns:
        One sentence for people where the two differ in what they can say, else None.
    """
    if service is None:
        return None
    theirs, ours = _numbers(service), _numbers(own)
    if theirs is None or ours is None or theirs == ours:
        return None
    if theirs > ours:
        return (
            f"The planner speaks version {service} and this package {own}: "
            "update execution-planner-client to use what is new."
        )
    return (
        f"The planner speaks version {service} and this package {own}: "
        "what is newer in the package may be refused there."
    )


def _numbers(version: str) -> tuple[int, int] | None:
    """Major and minor: a patch changes nothing that is said."""
    parts = version.strip().split(".")
    try:
        return int(parts[0]), int(parts[1])
    except (IndexError, ValueError):
        return None
