"""The words of an ask, such as `cores=(2, 8)`, in the document that the service reads."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from . import sources
from .documents import Ask
from .machines import needs_gpu_types as needs_gpu_types
from .machines import put_machine
from .times import duration_bounds, start_text

_TYPES_WITH_VARIABLES = ("executable", "oci-container", "docker-container")


def document(
    task: Mapping[str, Any] | str | bytes | Path,
    *,
    needs: object = None,
    environment: str | None = None,
    cores: object = None,
    memory: object = None,
    gpu: object = None,
    storage: object = None,
    start: object = None,
    duration: object = None,
    name: str | None = None,
    resources: Mapping[str, Any] | None = None,
    time: object = None,
    costs: Sequence[Mapping[str, Any]] | None = None,
    gpu_types: Sequence[str] = (),
) -> Ask | bytes:
    """The document of an ask.

    Args:
        task: A task (`notebook(...)`, `python_program(...)`), a whole ask as a dictionary, the path
            of a document, a notebook or a program, or the text of a document. YAML is sent as it
            is.
        needs: Packages that a notebook or a Python program imports: `["astropy>=6"]`, or the text
            or path of a requirements.txt.
        environment: The environment in which a notebook or a Python program runs.
        cores: A number, at least as many; or `(min, max)`.
        memory: A number of GiB, a text such as "512MiB", an astropy `Quantity`; or `(min, max)`.
        gpu: How many, a type, `{"type": …, "count": …}`, or a list with one of these.
        storage: A size for scratch space, a storage item or a list of them. Each is a directory of
            its name where the task runs.
        start: When the run may begin: a `datetime` with a zone, an ISO 8601 text, or a pair.
        duration: The longest run: a `timedelta`, a `Quantity`, an ISO 8601 text; or `(min, max)`.
        name: What you call the job.
        resources: The whole `resources` of the document.
        time: The whole `time` of the document, perhaps a list of alternatives.
        costs: What the job may cost at most: `[{"type": …, "max": …}]`.
        gpu_types: GPUs of the site, of which a mere number means the only one.

    Returns:
        The document; its bytes if it is YAML. What you gave is not changed.

    Raises:
        ValueError: A word has a value that cannot be meant, or YAML was given beside words.
        TypeError: A word has a value of another kind.
        FileNotFoundError: There is no such file.
    """
    machine = {"cores": cores, "memory": memory, "gpu": gpu, "storage": storage}
    when = {"start": start, "duration": duration}
    others = {"needs": needs, "environment": environment, "name": name, "resources": resources,
              "time": time, "costs": costs}  # fmt: skip
    given = [key for key, value in {**machine, **when, **others}.items() if value is not None]
    ask = _begin(task)
    if isinstance(ask, bytes):
        if given:
            raise ValueError(
                f"{', '.join(given)}: words cannot change a YAML document, which is sent as it is. "
                "Write them into the document, or give it as a dictionary: yaml.safe_load(text)."
            )
        return ask
    if not isinstance(ask.get("task"), dict):
        raise ValueError(f"task: the document has no task, but {', '.join(ask) or 'nothing'}.")
    if name is not None:
        ask["name"] = name
    if costs is not None:
        ask["costs"] = [dict(cost) for cost in costs]
    if resources is not None:
        ask["resources"] = copy.deepcopy(dict(resources))
    put_machine(ask, machine, gpu_types)
    _put_time(ask, when, time)
    _put_packages(ask, needs, environment)
    return cast(Ask, ask)


def _begin(task: Mapping[str, Any] | str | bytes | Path) -> dict[str, Any] | bytes:
    """The document before any word changes it."""
    if isinstance(task, (str, Path)):
        suffix = Path(str(task).strip()).suffix.lower() if "\n" not in str(task) else ""
        if suffix in (".ipynb", ".py"):
            from .tasks import notebook, python_program

            made = notebook(task) if suffix == ".ipynb" else python_program(task)
            return {"task": made}
    if isinstance(task, Mapping):
        begun = copy.deepcopy(dict(task))
    elif isinstance(task, (str, bytes, Path)):
        read = sources.whole_document(task)
        if isinstance(read, bytes):
            return read
        begun = read
    else:
        raise TypeError(
            f"task: {task!r} is no task. Give notebook(...), python_program(...), executable(...), "
            "a whole ask as a dictionary, or the path of a document."
        )
    request = begun.get("request")
    if "task" not in begun and isinstance(request, dict):
        # It may surround the whole, which says nothing more.
        begun = request
    is_task = "type" in begun and "task" not in begun
    return {"task": begun} if is_task else begun


def _put_time(ask: dict[str, Any], words: dict[str, Any], time: Any) -> None:
    start, duration = words["start"], words["duration"]
    given = " and ".join(key for key, value in words.items() if value is not None)
    if time is not None:
        if given:
            raise ValueError(f"time: it is the whole time, so give {given} in it.")
        ask.pop("datetime", None)
        alternatives = isinstance(time, list)
        ask["time"] = [_time_item(one) for one in time] if alternatives else _time_item(time)
    if not given:
        return
    key = "datetime" if "datetime" in ask else "time"
    before = ask.get(key, {})
    if isinstance(before, list):
        if len(before) > 1:
            raise ValueError(
                f"{given}: the document has {len(before)} alternative times. Give all with time=."
            )
        before = before[0] if before else {}
    chosen = {"start": before} if isinstance(before, str) else dict(before)
    if start is not None:
        chosen["start"] = start_text(start)
    if duration is not None:
        for old in ("min-duration", "max-duration", "minduration", "maxduration"):
            chosen.pop(old, None)
        chosen["duration"] = duration_bounds(duration)
    ask[key] = chosen


def _time_item(value: Any) -> Any:
    """One time of a whole `time`: its values may be those of Python."""
    if not isinstance(value, Mapping):
        return start_text(value, "time")
    item = copy.deepcopy(dict(value))
    if "start" in item:
        item["start"] = start_text(item["start"], "time.start")
    if "duration" in item and not isinstance(item["duration"], Mapping):
        item["duration"] = duration_bounds(item["duration"], "time.duration")
    return item


def _put_packages(ask: dict[str, Any], needs: object, environment: str | None) -> None:
    if needs is None and environment is None:
        return
    task = ask["task"]
    kind = str(task.get("type", "")).rsplit("/", 1)[-1]
    if kind in (*_TYPES_WITH_VARIABLES, "helm-chart"):
        word = "needs" if needs is not None else "environment"
        raise ValueError(
            f"{word}: a task of type {kind} brings its packages itself. "
            "Only notebooks and Python programs have them from the site."
        )
    spec = task.setdefault("spec", {})
    if needs is not None:
        spec["requirements"] = sources.requirements(needs)
    if environment is not None:
        if not isinstance(environment, str):
            raise TypeError(f"environment: {environment!r} is no name of an environment.")
        spec["environment"] = environment
