"""Reading a result that may break off on its way; no I/O."""

from __future__ import annotations

from typing import BinaryIO, NamedTuple

from .digests import Digest, stated
from .errors import PlannerError, ResultBroken
from .patience import Patience
from .requests import REPEATED, Lost, Open, Pause, Plan, Read, Request, Response, Say, Shut, whole
from .service import Service

LARGE = 16 * 2**20
"""Of a larger file the service states its checksum to HEAD alone."""
SUMMED = 50 * 2**20
"""Bytes that a busy service adds up in a second."""
ANEW = 5
"""How often a result may begin anew whose answers break off and cannot be resumed."""
_WANTED = {
    # Every type is welcome; compressed bytes have other places and another checksum.
    "Accept": "*/*",
    "Accept-Encoding": "identity",
    "Want-Repr-Digest": "sha-256=1",
}


class Part(NamedTuple):
    """What is there from an earlier attempt.

    Attributes:
        size: Its bytes.
        tag: The strong ETag or the `Last-Modified` of the file that it is a part of.
    """

    size: int
    tag: str


class Began(NamedTuple):
    """Said when the first bytes of an answer come.

    Attributes:
        at: Where they belong: 0 means that everything begins anew.
        tag: What the file is known by later, or None; then nothing can be resumed.
    """

    at: int
    tag: str | None


def downloading(
    service: Service, path: str, size: int | None, part: Part | None, digest: Digest
) -> Plan[int]:
    """Reads a result; says `Began` and bytes.

    Args:
        service: The planner.
        path: The result, below the planner's URL.
        size: Its size by the job's document.
        part: What is there already.
        digest: Gets every byte that is new.

    Returns:
        The bytes of the whole.

    Raises:
        ResultBroken: The size or a stated checksum is another one, or every answer breaks off.
    """
    reading = _Reading(service, path, part, digest)
    while not (yield from reading.take()):
        pass
    yield from reading.ask_digest()
    reading.verify(size)
    return reading.at


def place(item: Began | bytes, file: BinaryIO) -> None:
    """Writes what `downloading` says where it belongs."""
    if isinstance(item, bytes):
        file.write(item)
        return
    file.seek(item.at)
    file.truncate()


class _Reading:
    """Where the reading of one result is."""

    def __init__(self, service: Service, path: str, part: Part | None, digest: Digest) -> None:
        self._service = service
        self._path = path
        self._digest = digest
        self._tag = None if part is None else part.tag
        self.at = 0 if part is None else part.size
        self._patience = Patience(service.clock, service.habits.random)
        self._whole: int | None = None
        self._stated: dict[str, bytes] = {}
        self._was_whole = False
        self._has_begun = False
        self._anew = 0

    def take(self) -> Plan[bool]:
        """Reads on from where the last reading ended. True at the end of the result."""
        response: Response | None = None
        try:
            head: Response = yield Open(self._request())
            self._service.noticed(head)
            if head.status in (200, 206):
                yield from self._read(head)
                yield Shut()
                return True
            response = yield from whole(head)
            lost = Lost(f"HTTP {head.status}")
        except Lost as error:
            lost = error
        yield Shut()
        if response is not None and response.status == 416 and self._is_all(response):
            return True
        if response is not None and response.status == 416:
            self.at, self._tag = 0, None
            return False
        if response is not None and response.status not in REPEATED:
            raise self._service.refusal(response)
        if self._tag is None:
            # Without a tag the next answer may be another file: it begins anew.
            self.at = 0
        delay = self._patience.after_loss(response)
        if delay is None:
            raise self._service.unreachable(lost) from lost
        yield Pause(delay)
        return False

    def ask_digest(self) -> Plan[None]:
        """Asks for the checksum of a large file, or a whole part, which no other answer states."""
        if self._stated or not (self._was_whole or self.at > LARGE):
            return
        timeout = self._service.timeout + self.at / SUMMED
        request = Request("HEAD", self._path, headers=_WANTED, repeat=True, timeout=timeout)
        self._stated = stated((yield from self._service.asking(request)).headers, whole=True)
        # Nothing of a part that was whole came through here.
        self._digest.expect(self._stated, self.at)

    def verify(self, size: int | None) -> None:
        """Compares with what the service said.

        Raises:
            ResultBroken: Something differs.
        """
        for wanted in (self._whole, size):
            if wanted is not None and self.at != wanted:
                text = f"{self._path} has {self.at} bytes instead of {wanted}"
                raise ResultBroken(text, code="result-size")
        for name in self._digest.differing(self._stated):
            raise ResultBroken(f"The {name} of {self._path} is another one", code="result-digest")

    def _request(self) -> Request:
        resumed = self.at > 0 and self._tag is not None
        place = {"Range": f"bytes={self.at}-", "If-Range": str(self._tag)} if resumed else {}
        return Request("GET", self._path, headers={**_WANTED, **place})

    def _read(self, head: Response) -> Plan[None]:
        begin, self._whole = _range_of(head)
        if begin not in (0, self.at):
            raise PlannerError(f"{self._path}: the answer begins at another byte", code="range")
        self._anew += begin == 0 and self._has_begun
        if self._anew > ANEW:
            text = f"{self._path} broke off {self._anew} times, and nothing of it can be kept"
            raise ResultBroken(text, code="result-cut")
        self._tag = _validator(head)
        # Of a part, only the checksum of the whole helps.
        self._stated = stated(head.headers, whole=head.status == 206)
        self.at = begin
        yield Say(Began(begin, self._tag))
        is_large = self._whole is not None and self._whole > LARGE
        self._digest.expect(self._stated or (["sha-256"] if is_large else ()), begin)
        while True:
            data: bytes = yield Read()
            if not data:
                break
            self._patience.heard()
            self._patience.moved()
            self._has_begun = True
            self._digest.update(data)
            self.at += len(data)
            yield Say(data)
        if self._whole is not None and self.at < self._whole:
            raise Lost(f"The connection ended after {self.at} of {self._whole} bytes")

    def _is_all(self, response: Response) -> bool:
        """416 for a part that is the whole already: it broke off before it got its name."""
        unit, _, size = response.headers.get("content-range", "").partition("*/")
        self._whole = self.at if size.isdigit() and int(size) == self.at else None
        self._was_whole = self._whole is not None and unit.strip() == "bytes"
        return self._was_whole


def _range_of(head: Response) -> tuple[int, int | None]:
    """The first byte of an answer, and the size of the whole."""
    if head.status == 206:
        span, _, size = head.headers.get("content-range", "").removeprefix("bytes ").partition("/")
        first = span.partition("-")[0].strip()
        return int(first) if first.isdigit() else -1, int(size) if size.isdigit() else None
    length = head.headers.get("content-length", "")
    return 0, int(length) if length.isdigit() else None


def _validator(head: Response) -> str | None:
    """What `If-Range` takes: a strong ETag, or else the time of the last change."""
    tag = head.headers.get("etag", "")
    return tag if tag and not tag.startswith("W/") else head.headers.get("last-modified")
