"""The results of a job."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from . import showing
from .digests import Digest
from .downloading import downloading, place
from .parts import PartFile
from .result_view import ResultView, file_names

if TYPE_CHECKING:
    from .service import Service
    from .transport import Runner


class Results(Mapping[str, "Result"]):
    """The results by name."""

    def __init__(self, service: Service, runner: Runner, document: Mapping[str, Any]) -> None:
        # A line of a list of jobs has another name for it, and no results.
        job = str(document.get("jobId") or document["id"])
        self._results = {
            str(entry["id"]): Result(service, runner, job, entry)
            for entry in document.get("results", ())
        }

    def __getitem__(self, name: str) -> Result:
        try:
            return self._results[name]
        except KeyError:
            there = ", ".join(self._results) or "none"
            raise KeyError(f"{name!r}; the results are: {there}") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._results)

    def __len__(self) -> int:
        return len(self._results)

    def _repr_html_(self) -> str:
        links = "".join(f"<li>{one._repr_html_()}</li>" for one in self._results.values())
        return f"<ul>{links}</ul>" if links else "no results"

    def __repr__(self) -> str:
        return "\n".join(repr(result) for result in self._results.values()) or "<no results>"

    def save(self, folder: str | os.PathLike[str] = ".") -> list[Path]:
        """Writes all results to a folder, which is made where it is missing.

        Returns:
            The files.
        """
        target = Path(folder)
        target.mkdir(parents=True, exist_ok=True)
        files = file_names({name: one._file_name() for name, one in self._results.items()})
        return [self._results[name].save(target / file) for name, file in files.items()]


class Result(ResultView):
    """A file that a job left."""

    def __init__(
        self, service: Service, runner: Runner, job: str, document: Mapping[str, Any]
    ) -> None:
        super().__init__(service, job, document)
        self._runner = runner

    def read(self) -> bytes:
        """Its bytes, whole and checked."""
        content = BytesIO()
        plan = downloading(self._service, self._path(), self.size, None, Digest())
        for item in self._runner.items(plan):
            place(item, content)
        return content.getvalue()

    def text(self) -> str:
        """Its text, which is UTF-8."""
        return self.read().decode("utf-8", "replace")

    def open(self) -> BinaryIO:
        """Its bytes as a file that is open for reading; it is removed when it is closed."""
        from tempfile import TemporaryFile

        file: BinaryIO = TemporaryFile()  # noqa: SIM115
        plan = downloading(self._service, self._path(), self.size, None, Digest())
        for item in self._runner.items(plan):
            place(item, file)
        file.seek(0)
        return file

    def save(self, path: str | os.PathLike[str] | None = None) -> Path:
        """Writes it to a file.

        While it comes, the file is called `….part`; a later call goes on where an earlier one broke
        off. The file gets its name when it is whole and its size and checksums are right.

        Args:
            path: The file, or a folder; the present folder by default.

        Returns:
            The file.
        """
        part = PartFile(self._target(None if path is None else Path(path)), self.url)
        with part:
            plan = downloading(self._service, self._path(), self.size, part.had, part.digest)
            for item in self._runner.items(plan):
                part.take(item)
        return part.finish()

    def show(self) -> showing.Shown:
        """For a notebook: a page in a sandbox, a picture, or text."""
        small = self.size is None or self.size <= showing.LARGEST
        content = self.read() if small else None
        return showing.shown(content, self.media_type, self.name, self.url)

    def to_table(self) -> Any:
        """An `astropy.table.Table`; with the extra `vo`."""
        return showing.table_of(self.read(), self.media_type, self.name)

    def to_fits(self) -> Any:
        """An `astropy.io.fits.HDUList`; with the extra `vo`."""
        return showing.fits_of(self.read())

    def _repr_html_(self) -> str:
        return showing.shown(None, self.media_type, self.name, self.url)._repr_html_()
