"""The phases of UWS 1.1."""

from __future__ import annotations

FINAL = frozenset({"COMPLETED", "ERROR", "ABORTED", "ARCHIVED"})
"""A job leaves none of these."""
