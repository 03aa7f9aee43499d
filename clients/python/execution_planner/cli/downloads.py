"""Results of a job as files."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from ..tables import plain
from .output import say

if TYPE_CHECKING:
    from ..jobs import Job
    from ..results import Result, Results

ENDINGS = {"application/x-ipynb+json": ".ipynb", "text/html": ".html"}
"""What programs of a desktop go by."""


def download(job: Job, folder: str, names: Iterable[str] = ()) -> list[Path]:
    """Saves results to a folder, which is made; a later call goes on where one broke off.

    Args:
        job: The job.
        folder: Where.
        names: Only these.
    """
    results = job.results
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    saved = []
    for name in list(names) or _once(results):
        saved.append(results[name].save(target / _file_name(results[name])))
        say(f"saved {saved[-1]}")
    return saved


def _once(results: Results) -> list[str]:
    """All results but `result`, which is another name of one of them."""
    others = [name for name in results if name != "result"]
    return others if others and "result" in results else list(results)


def _file_name(result: Result) -> str:
    # A name that would leave the folder must not.
    name = plain(result.name).replace("/", "_").replace("\\", "_").lstrip(".") or "result"
    kind = result.media_type.partition(";")[0].strip().lower()
    return name if Path(name).suffix else name + ENDINGS.get(kind, "")
