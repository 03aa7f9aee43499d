"""Tasks: what is to run, as the service reads it.

Each function returns a plain dictionary with `type` and `spec`, so a task can be printed, kept and
changed. `document` puts a task and the words of an ask together.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from .documents import Task
from .sources import is_url, notebook_content, program_source
from .words import document as document

TYPES = "https://www.purl.org/ivoa-net/task-type/"
NOTEBOOK = TYPES + "jupyter-notebook"
PYTHON_PROGRAM = TYPES + "python-program"
EXECUTABLE = TYPES + "executable"
CONTAINER = TYPES + "oci-container"
HELM_CHART = TYPES + "helm-chart"


def notebook(
    source: str | Path | Mapping[str, Any], *, parameters: Mapping[str, Any] | None = None
) -> Task:
    """A Jupyter notebook.

    Args:
        source: A URL, from which the worker fetches it; or a path, a notebook as a dictionary, or
            its JSON text, which are sent with the ask. Outputs of a file are not sent.
        parameters: Values of variables, as in papermill.

    Raises:
        FileNotFoundError: There is no such file.
        ValueError: The file is no notebook.
    """
    spec: dict[str, Any] = {}
    if is_url(source):
        spec["notebook"] = source
    else:
        spec["content"] = notebook_content(source)
    if parameters is not None:
        spec["parameters"] = {name: _plain(value, name) for name, value in parameters.items()}
    return {"type": NOTEBOOK, "spec": spec}


def python_program(source: str | Path, *, arguments: Sequence[object] = ()) -> Task:
    """A Python program.

    Args:
        source: The program itself; or a URL, from which the worker fetches it; or a path (a `Path`,
            or a text that ends with `.py`), whose file is sent with the ask.
        arguments: `sys.argv[1:]`; numbers and paths become texts.

    Raises:
        FileNotFoundError: There is no such file.
        TypeError: `arguments` is one text.
    """
    spec: dict[str, Any] = {}
    if is_url(source):
        spec["program"] = source
    else:
        spec["source"] = program_source(source)
    if isinstance(arguments, (str, bytes)):
        raise TypeError(f"arguments: {arguments!r} is one text. Give a list: [{arguments!r}].")
    if arguments:
        spec["arguments"] = [str(argument) for argument in arguments]
    return {"type": PYTHON_PROGRAM, "spec": spec}


def executable(*command: object, environment: Mapping[str, object] | None = None) -> Task:
    """A program of the machine; no shell reads its words.

    Args:
        command: The program and its arguments, each a word of its own.
        environment: Variables for the program.

    Raises:
        ValueError: There is no command, or it is one text with spaces.
    """
    words = _command(command)
    if not words:
        raise ValueError("executable: the command is missing. Write executable('sort', 'a.txt').")
    if len(words) == 1 and " " in words[0].strip():
        raise ValueError(
            f"executable: {words[0]!r} is one word with spaces, and no shell splits it. "
            f"Give the words one by one, or executable('sh', '-c', {words[0]!r})."
        )
    spec: dict[str, Any] = {"command": words}
    if environment is not None:
        spec["environment"] = _variables(environment)
    return {"type": EXECUTABLE, "spec": spec}


def container(
    image: str | Mapping[str, Any],
    *command: object,
    repo: str | None = None,
    entrypoint: str | Sequence[str] | None = None,
    environment: Mapping[str, object] | None = None,
    arch: str | None = None,
    network: str | None = None,
    **more: Any,
) -> Task:
    """A container.

    Args:
        image: A whole reference, `ghcr.io/ivoa/example:1.0`; the part below `repo`; the `file:` URL
            of an archive; or a mapping with `locations`.
        command: In place of the image's, each word of its own.
        repo: The registry, perhaps with the start of the path.
        entrypoint: In place of the image's.
        environment: Variables, added to the image's.
        arch: `amd64` or `arm64`.
        network: `none` or `outbound`.
        more: Other keys of the spec, such as `tag` and `digest`.
    """
    spec: dict[str, Any] = {"image": dict(image) if isinstance(image, Mapping) else image, **more}
    words = _command(command)
    for key, value in (("repo", repo), ("arch", arch), ("network", network)):
        if value is not None:
            spec[key] = value
    if entrypoint is not None:
        spec["entrypoint"] = entrypoint if isinstance(entrypoint, str) else list(entrypoint)
    if words:
        spec["command"] = words
    if environment is not None:
        spec["environment"] = _variables(environment)
    return {"type": CONTAINER, "spec": spec}


def helm_chart(chart: str, *, values: Mapping[str, Any] | None = None) -> Task:
    """A Helm chart.

    Args:
        chart: URL of the packaged chart.
        values: They are merged over the chart's own.
    """
    spec: dict[str, Any] = {"chart": chart}
    if values is not None:
        spec["values"] = _plain(values, "values")
    return {"type": HELM_CHART, "spec": spec}


def task(type: str, **spec: Any) -> Task:
    """A task of any type, such as one of a plug-in.

    Args:
        type: Its URI, or the last part of a built-in type's, such as `python-program`.
        spec: What the type needs.
    """
    uri = type if ":" in type else TYPES + type
    return {"type": uri, "spec": {key: _plain(value, key) for key, value in spec.items()}}


def _command(words: tuple[object, ...]) -> list[str]:
    if len(words) == 1 and isinstance(words[0], (list, tuple)):
        words = tuple(words[0])
    return [str(word) for word in words]


def _variables(environment: Mapping[str, object]) -> dict[str, str]:
    if not isinstance(environment, Mapping):
        raise TypeError(f"environment: {environment!r} is no mapping of names and texts.")
    return {name: str(value) for name, value in environment.items()}


def _plain(value: Any, name: str) -> Any:
    """The value as JSON has it: tuples become lists, numbers of numpy become numbers."""
    try:
        return json.loads(json.dumps(value, default=_item, allow_nan=False))
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name}: {value!r} cannot be sent as JSON: {error}") from error


def _item(value: Any) -> Any:
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, Path):
        return str(value)
    raise TypeError(f"a {type(value).__name__} is no JSON value")
