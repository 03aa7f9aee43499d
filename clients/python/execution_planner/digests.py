"""Checksums that a service states in the header of an answer (RFC 9530, and RFC 3230 before it)."""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

_NAMES = {"sha-256": "sha256", "sha-512": "sha512"}


class Digest:
    """Adds up the checksums of what comes, those that the service states and no others.

    Args:
        earlier: Reads what came before; without it, a part cannot be added up later.
    """

    def __init__(self, earlier: Callable[[], Iterable[bytes]] | None = None) -> None:
        self._earlier = earlier
        self._sums: dict[str, Any] = {}

    def expect(self, names: Iterable[str], at: int) -> None:
        """The service states these checksums; bytes come from this place on."""
        if at == 0:
            self._sums = {}
        for name in names:
            if name not in self._sums and (at == 0 or self._earlier is not None):
                self._sums[name] = hashlib.new(_NAMES[name])
                for data in self._earlier() if at > 0 and self._earlier is not None else ():
                    self._sums[name].update(data)

    def update(self, data: bytes) -> None:
        """Adds bytes."""
        for one in self._sums.values():
            one.update(data)

    def differing(self, wanted: Mapping[str, bytes]) -> Iterator[str]:
        """The names of the checksums that are not as stated."""
        for name, value in wanted.items():
            if name in self._sums and self._sums[name].digest() != value:
                yield name


def stated(headers: Mapping[str, str], *, whole: bool = False) -> dict[str, bytes]:
    """The checksums in the headers of an answer.

    Args:
        headers: With names in lower case.
        whole: Leave out those of a part.
    """
    names = ("repr-digest", "digest") if whole else ("repr-digest", "content-digest", "digest")
    found: dict[str, bytes] = {}
    for header in names:
        for entry in headers.get(header, "").split(","):
            name, equals, value = entry.strip().partition("=")
            if not equals or name.lower() not in _NAMES:
                continue
            try:
                found[name.lower()] = base64.b64decode(value.strip().strip(":"), validate=True)
            except binascii.Error:
                continue
    return found
