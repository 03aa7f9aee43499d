"""What stands in the cells of an offer's line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .amounts import number_words, size_words


def text_of(value: object) -> str:
    """The text of a value; nothing for one that is missing."""
    return "" if value is None else str(value)


def time_of(document: Mapping[str, Any], key: str) -> str:
    """`start` or `duration` of an offer."""
    return text_of((document.get("time") or {}).get(key))


def machines(document: Mapping[str, Any], name: str) -> str:
    """The amount of each machine: `2`, `3 × 2` for equal ones, `1 + 3 × 2`."""
    said = []
    for item in _compute(document):
        amount = item.get(f"max-{name}", item.get(f"min-{name}"))
        if amount is not None:
            words = size_words(amount) if name == "memory" else number_words(amount)
            said.append(_times(item, words))
    return " + ".join(said)


def gpus(document: Mapping[str, Any]) -> str:
    """The GPUs of each machine with their kind."""
    items = [(item, item["gpu"]) for item in _compute(document) if item.get("gpu")]
    return " + ".join(
        _times(item, f"{gpu.get('count', 1)} {_last(str(gpu.get('type', '')))}")
        for item, gpu in items
    )


def environment(document: Mapping[str, Any]) -> str:
    """Its environment and the Python there."""
    python = document.get("python")
    said = [text_of(document.get("environment")), f"Python {python}" if python else ""]
    return ", ".join(word for word in said if word)


def costs(document: Mapping[str, Any]) -> str:
    """What it costs, each kind by the end of its URI."""
    said = []
    for cost in document.get("costs") or ():
        least, most = number_words(cost.get("min", 0)), number_words(cost.get("max", "?"))
        span = least if least == most else f"{least} to {most}"
        said.append(f"{span} {_last(str(cost.get('type', '')))}")
    return ", ".join(said)


def state(document: Mapping[str, Any]) -> str:
    """The state, where it is not the usual one of an offer or of a dry run's."""
    status = text_of(document.get("status"))
    return "" if status in ("OFFERED", "PROPOSED") else status


def _compute(document: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    resources = (document.get("request") or {}).get("resources") or {}
    return list(resources.get("compute") or ())


def _times(item: Mapping[str, Any], words: str) -> str:
    replicas = item.get("replicas", 1)
    return words if replicas == 1 else f"{replicas} × {words}"


def _last(uri: str) -> str:
    """The part of a URI that people recognise."""
    return uri.rstrip("/").replace("#", "/").rsplit("/", 1)[-1]
