"""The Python environments of a site."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .show import environments_table


class Environments(list[Mapping[str, Any]]):
    """Environments, each a document with `environment`, `state`, `python`, `packages` and
    `destinations`; a notebook shows a table."""

    def __repr__(self) -> str:
        return environments_table(self).text()

    def _repr_html_(self) -> str:
        return environments_table(self).html()
