"""What a result says, for the sync and the async class."""

from __future__ import annotations

from collections.abc import Mapping
from errno import EEXIST
from pathlib import Path
from typing import Any

from .addresses import path_of
from .service import Service


class ResultView:
    """A file that a job left.

    Attributes:
        document: Its entry in the job's document.
    """

    def __init__(self, service: Service, job: str, document: Mapping[str, Any]) -> None:
        self._service = service
        self._job = job
        self.document: Mapping[str, Any] = document

    @property
    def name(self) -> str:
        """Its identifier, such as `stdout`."""
        return str(self.document["id"])

    @property
    def size(self) -> int | None:
        """Its size in bytes."""
        found = self.document.get("size")
        return None if found is None else int(found)

    @property
    def media_type(self) -> str:
        """Its media type, such as `text/plain; charset=utf-8`."""
        return str(self.document.get("mimeType") or "application/octet-stream")

    @property
    def url(self) -> str:
        """Where it is; a site with sign-in wants the credential there, too."""
        return self._service.url + self._path()

    def _path(self) -> str:
        return path_of("jobs", self._job, "results", self.name)

    def _target(self, path: str | Path | None) -> Path:
        """The file to write: a folder gets a file with the name of the result."""
        target = Path(path) if path is not None else Path()
        target = target / self._file_name() if target.is_dir() else target
        if target.exists() and not target.is_file():
            # The file gets its name when it is whole: a device of root's would be gone.
            raise FileExistsError(EEXIST, "It is no file", str(target))
        return target

    def _file_name(self) -> str:
        # The service names results; a name that leaves the folder is not followed.
        return self.name.replace("/", "_").replace("\\", "_").lstrip(".") or "result"

    def __repr__(self) -> str:
        size = "" if self.size is None else f" {self.size} bytes"
        return f"<{type(self).__name__} {self.name} {self.media_type}{size}>"


def file_names(wanted: Mapping[str, str]) -> dict[str, str]:
    """Names of the files of a job's results, no two of them alike.

    Args:
        wanted: The file's name by the result's. Where a file has the name of another result, it
            gets a number.
    """
    taken = {file for name, file in wanted.items() if file == name}
    found = {}
    for name, file in wanted.items():
        number, free = 2, Path(file)
        while name != file and free.name in taken:
            free = Path(f"{Path(file).stem}-{number}{Path(file).suffix}")
            number += 1
        taken.add(free.name)
        found[name] = free.name
    return found
