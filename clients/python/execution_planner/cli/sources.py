"""Where a task comes from: a document, a notebook, a program, a command."""

from __future__ import annotations

import sys
from argparse import Namespace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from .exits import Misused


def read_document(file: str, *, is_changed: bool) -> Any:
    """The document of an ask, as `planner.ask` takes it.

    Args:
        file: Its path, or `-` for standard input; a notebook and a program are tasks, too.
        is_changed: Whether words will change it; else it is sent as it is.
    """
    if Path(file).suffix in (".ipynb", ".py"):
        return task_of(file, (), {})
    text = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    if not text.strip():
        raise Misused("the document is empty")
    if not is_changed:
        return text
    from .documents import read_yaml

    document = read_yaml(text.decode("utf-8"))
    if not isinstance(document, dict):
        raise Misused(f"{file} is no document of an ask: it has no keys")
    return document


def task_of(file: str, arguments: tuple[str, ...], parameters: dict[str, Any]) -> Any:
    """The task of a notebook or a program, in a file or at a URL."""
    from .. import tasks

    is_url = "://" in file
    suffix = Path(urlsplit(file).path if is_url else file).suffix
    source = file if is_url else Path(file)
    if suffix == ".ipynb":
        if arguments:
            raise Misused("a notebook has no arguments, but parameters: -p NAME=VALUE")
        return tasks.notebook(source, parameters=parameters or None)
    if suffix == ".py":
        if parameters:
            raise Misused("a program has no parameters, but arguments: behind --")
        return tasks.python_program(source, arguments=arguments)
    raise Misused(f"{file} is neither .ipynb nor .py; a command stands behind --")


def parameters_of(args: Namespace) -> dict[str, Any]:
    """The values of `-p NAME=VALUE`: numbers, truth, lists and texts, as in YAML."""
    from .documents import read_yaml

    found = {}
    for word in args.parameter or []:
        name, equals, value = word.partition("=")
        if not equals:
            raise Misused(f"-p {word}: say NAME=VALUE")
        found[name] = read_yaml(value)
    return found
