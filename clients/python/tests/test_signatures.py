"""The sync and the async classes have the same shape."""

from __future__ import annotations

import inspect
import re
from typing import Any

import pytest

import execution_planner
from execution_planner import (
    AsyncJob,
    AsyncOffer,
    AsyncOffers,
    AsyncPlanner,
    AsyncResult,
    AsyncResults,
    Job,
    Offer,
    Offers,
    Planner,
    Result,
    Results,
)

PAIRS = [
    (Planner, AsyncPlanner),
    (Offers, AsyncOffers),
    (Offer, AsyncOffer),
    (Job, AsyncJob),
    (Results, AsyncResults),
    (Result, AsyncResult),
]
OTHER_NAMES = {"__aenter__": "__enter__", "__aexit__": "__exit__"}


def public(kind: type) -> dict[str, Any]:
    return {
        OTHER_NAMES.get(name, name): value
        for name, value in inspect.getmembers(kind)
        if not name.startswith("_") or name in ("__init__", *OTHER_NAMES, *OTHER_NAMES.values())
    }


def shape(value: Any) -> Any:
    """The words of a method with their defaults and types, whatever is awaited."""
    if not callable(value):
        return type(value).__name__
    text = str(inspect.signature(value))
    return re.sub(r"\bAsync(?=[A-Z])", "", text).replace("Generator[", "Iterator[")


@pytest.mark.parametrize(("sync", "other"), PAIRS)
def test_both_have_the_same_members_with_the_same_words(sync: type, other: type) -> None:
    ours, theirs = public(sync), public(other)
    assert {name: shape(value) for name, value in ours.items()} == {
        name: shape(value) for name, value in theirs.items()
    }


@pytest.mark.parametrize(("sync", "other"), PAIRS)
def test_what_needs_the_network_is_awaited_and_nothing_else(sync: type, other: type) -> None:
    awaited = {
        name
        for name, value in public(other).items()
        if inspect.iscoroutinefunction(value) or inspect.isasyncgenfunction(value)
    }
    own = {
        name
        for base in sync.__mro__
        for name, value in list(vars(base).items())
        if "View" not in base.__name__ and base.__module__.startswith("execution_planner")
        if inspect.isfunction(value) and name in public(sync) and name != "__init__"
    }
    assert awaited - {"__enter__", "__exit__"} == own - {"__enter__", "__exit__"}


@pytest.mark.parametrize("kind", [kind for pair in PAIRS for kind in pair])
def test_everything_public_is_documented(kind: type) -> None:
    for name, value in {**public(kind), "": kind}.items():
        if not name.startswith("__"):
            assert inspect.getdoc(value), f"{kind.__name__}.{name} has no docstring"


def test_all_names_of_the_package_are_there_and_documented() -> None:
    for name in execution_planner.__all__:
        value = getattr(execution_planner, name)
        assert name in dir(execution_planner)
        assert name == "__version__" or inspect.getdoc(value)
    with pytest.raises(AttributeError, match="Plannner"):
        execution_planner.Plannner  # noqa: B018
