"""A file that is on its way, beside the one that it becomes."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import BinaryIO

from .digests import Digest
from .downloading import Began, Part, place
from .errors import ResultBroken

try:
    import fcntl
except ImportError:  # Windows does not let two processes have the file.
    fcntl = None  # type: ignore[assignment]

CHUNK = 1 << 20


class PartFile:
    """`name.part`, with `name.part.json` that says of which file it is a part.

    While another process writes it, the part has a name of its own, and nobody goes on with it.

    Args:
        target: The file that it becomes.
        url: Where it comes from: a part of another result is not gone on with.
    """

    def __init__(self, target: Path, url: str) -> None:
        self._target = target
        self._url = url
        self._part = target.with_name(f"{target.name}.part")
        self._note = target.with_name(f"{target.name}.part.json")
        self._file: BinaryIO | None = None
        self.digest = Digest(self._present)
        self.had = self._earlier()
        self._is_shared = True

    def __enter__(self) -> PartFile:
        self._file = self._claimed()
        if self._file is None:
            own = f"{self._target.name}.{secrets.token_hex(4)}.part"
            self._part = self._target.with_name(own)
            self.had, self._is_shared = None, False
            self._file = _made(self._part)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is None or self._file is None:
            return
        if isinstance(error, ResultBroken) or not self._is_shared:
            # Nothing to go on with: the next call begins anew.
            self._part.unlink(missing_ok=True)
            self._forget()
        self._file.close()

    def take(self, item: Began | bytes) -> None:
        """Takes what `downloading` says."""
        assert self._file is not None
        place(item, self._file)
        if isinstance(item, bytes):
            return
        if item.tag is None:
            self._forget()
        elif self._is_shared:
            self._note.unlink(missing_ok=True)
            with _made(self._note) as note:
                note.write(json.dumps({"url": self._url, "etag": item.tag}).encode())

    def finish(self) -> Path:
        """Gives the whole file its name.

        Returns:
            The file.
        """
        assert self._file is not None
        self._file.flush()
        if fcntl is None:
            self._file.close()
        # Before it is closed: another process must not go on with what gets its name now.
        os.replace(self._part, self._target)
        self._forget()
        self._file.close()
        return self._target

    def _claimed(self) -> BinaryIO | None:
        """The part, open for this process alone; None when another one writes it."""
        try:
            file = _own(self._part) if self.had is not None else _anew(self._part)
        except (FileExistsError, FileNotFoundError):
            # Another process made it, or gave it its name, just now.
            return None
        if file is None or (_lock(file) and _is_at(file, self._part)):
            return file
        file.close()
        return None

    def _forget(self) -> None:
        if self._is_shared:
            self._note.unlink(missing_ok=True)

    def _present(self) -> Iterator[bytes]:
        """What is there now."""
        if self._file is not None:
            self._file.flush()
        with open(self._part, "rb") as file:
            while data := file.read(CHUNK):
                yield data

    def _earlier(self) -> Part | None:
        try:
            note = json.loads(self._note.read_text("utf-8"))
            size = self._part.stat().st_size
        except (OSError, ValueError):
            return None
        if size == 0 or not isinstance(note, dict) or note.get("url") != self._url:
            return None
        return None if self._part.is_symlink() else Part(size, str(note.get("etag")))


FLAGS = os.O_RDWR | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
"""In a folder of many users, a name may be a link that somebody else has put there, and what it
leads to must not be written."""


def _own(path: Path) -> BinaryIO:
    """Opens a file for writing."""
    return os.fdopen(os.open(path, FLAGS), "r+b")


def _made(path: Path) -> BinaryIO:
    """Makes a file."""
    return os.fdopen(os.open(path, FLAGS | os.O_CREAT | os.O_EXCL, 0o666), "r+b")


def _anew(path: Path) -> BinaryIO | None:
    """Makes a file in the place of one that may be there; None when another process writes that."""
    try:
        old = _own(path)
    except FileNotFoundError:
        return _made(path)
    except OSError:
        # A link, or a file of somebody else.
        path.unlink(missing_ok=True)
        return _made(path)
    with old:
        if fcntl is None:
            old.close()
        elif not (_lock(old) and _is_at(old, path)):
            return None
        path.unlink(missing_ok=True)
        return _made(path)


def _lock(file: BinaryIO) -> bool:
    """Takes the file for this process, until it is closed."""
    if fcntl is None:
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        # A file system without locks.
        return True
    return True


def _is_at(file: BinaryIO, path: Path) -> bool:
    """Whether the file still has this name."""
    try:
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    except FileNotFoundError:
        return False
