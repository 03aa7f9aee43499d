"""Results of a job as files."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from ..result_view import file_names
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
    # A name for all of them, so that a later call for one writes into none of the others.
    files = file_names({name: _file_name(results[name]) for name in _once(results)})
    saved = []
    for name in list(names) or files:
        file = files.get(name) or _file_name(results[name])
        saved.append(results[name].save(target / file))
        say(f"saved {saved[-1]}")
    return saved


def _once(results: Results) -> list[str]:
    """All results, without the `result` that is another name of one of them: that comes first. A
    job may also have left a file of this name."""
    first, *others = list(results) or [""]
    is_name = first == "result" and any(_like(results[name], results[first]) for name in others)
    return others if is_name else list(results)


def _like(one: Result, other: Result) -> bool:
    return (one.size, one.media_type) == (other.size, other.media_type)


def _file_name(result: Result) -> str:
    # A name that would leave the folder must not.
    name = plain(result.name).replace("/", "_").replace("\\", "_").lstrip(".") or "result"
    kind = result.media_type.partition(";")[0].strip().lower()
    return name if Path(name).suffix else name + ENDINGS.get(kind, "")
