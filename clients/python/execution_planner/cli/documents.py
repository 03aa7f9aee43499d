"""YAML as the service reads it: version 1.2, in which `10:00` and `yes` are texts."""

from __future__ import annotations

import re
from typing import Any

from .exits import Misused
from .output import has_all_letters

_RULES = (
    ("bool", r"true|True|TRUE|false|False|FALSE", "tTfF"),
    ("null", r"~|null|Null|NULL|", ["~", "n", "N", ""]),
    ("int", r"[-+]?[0-9]+|0x[0-9a-fA-F]+|0o[0-7]+", "-+0123456789"),
    ("float", r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?", "-+0123456789."),
)


def read_yaml(text: str) -> Any:
    """The value of a document.

    Raises:
        Misused: It is no YAML.
    """
    import yaml

    class Loader(yaml.SafeLoader):
        pass

    Loader.yaml_implicit_resolvers = {}

    for name, pattern, first in _RULES:
        matching = re.compile(f"^(?:{pattern})$")
        Loader.add_implicit_resolver(f"tag:yaml.org,2002:{name}", matching, list(first))
    Loader.add_constructor("tag:yaml.org,2002:int", _whole)
    try:
        return yaml.load(text, Loader)
    except yaml.YAMLError as error:
        raise Misused(f"the document cannot be read: {error}") from error


def write_yaml(value: Any) -> str:
    """A document for people and programs; keys stay in their order."""
    import yaml

    letters = has_all_letters()
    text: str = yaml.safe_dump(value, sort_keys=False, allow_unicode=letters, width=100)
    return text


def _whole(loader: Any, node: Any) -> int:
    text = str(node.value)
    # Version 1.1 reads 010 as eight.
    base = {"0x": 16, "0o": 8}.get(text[:2], 10)
    return int(text, base)
