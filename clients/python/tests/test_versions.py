"""A service of another version is told in a sentence, once."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from broken_server import answer, broken_server
from contract import CONTRACT

from execution_planner import PlannerError, VersionWarning, __version__
from execution_planner.versions import difference


@pytest.mark.parametrize("same", [None, "0.1.0", "0.1.9", "0.1", "unknown", "", "0.1.0-rc1"])
def test_the_same_version_or_none_needs_no_words(same: str | None) -> None:
    assert difference(same, "0.1.0") is None


def test_a_newer_and_an_older_service_are_told_apart() -> None:
    newer, older = difference("0.2.0", "0.1.0"), difference("0.9.3", "1.0.0")
    assert newer is not None and "update execution-planner-client" in newer
    assert older is not None and "0.9.3" in older and "may be refused" in older


def test_a_service_of_another_version_is_warned_of_once(opened: Callable[..., Any]) -> None:
    with broken_server(lambda *_: answer({"me": {}}, API_Version="9.0.0")) as server:
        planner = opened(server.url)
        with pytest.warns(VersionWarning, match=f"{server.url}: .*9.0.0") as warned:
            planner.me()
        told = [one for one in warned if one.category is VersionWarning]
        assert len(told) == 1 and planner.version == "9.0.0"
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            planner.me()


@pytest.mark.parametrize(
    ("headers", "words"),
    [
        ({}, "The planner may be older"),
        ({"API_Version": "0.0.1"}, "0.0.1"),
        ({"API_Version": __version__}, "There is nothing"),
    ],
)
@pytest.mark.parametrize("code", ["route-unknown", "method-not-allowed"])
@pytest.mark.filterwarnings("ignore::execution_planner.VersionWarning")
def test_what_another_version_lacks_names_the_version(
    code: str, headers: dict[str, str], words: str, opened: Callable[..., Any]
) -> None:
    problem = {"code": code, "detail": "There is nothing at /environments."}
    with broken_server(lambda *_: answer(problem, "404 Not Found", **headers)) as server:
        with pytest.raises(PlannerError, match=words):
            opened(server.url).environments()


def test_an_offer_that_does_not_exist_is_no_matter_of_versions(opened: Callable[..., Any]) -> None:
    problem = {"code": "offer-unknown", "detail": "There is no offer."}
    with broken_server(lambda *_: answer(problem, "404 Not Found")) as server:
        with pytest.raises(PlannerError) as refused:
            opened(server.url).offer("o1")
    assert refused.value.detail == "There is no offer."


@pytest.mark.skipif(not CONTRACT.exists(), reason="the contract of the service is not here")
def test_the_version_is_that_of_the_contract() -> None:
    found = re.search(r"^  version: (\S+)$", CONTRACT.read_text("utf-8"), re.M)
    assert found is not None and found[1] == __version__


def test_the_version_is_in_one_place() -> None:
    package = Path(__file__).parents[1]
    assert f'"{__version__}"' not in (package / "pyproject.toml").read_text("utf-8")
