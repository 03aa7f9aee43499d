"""What tests share: the real service, and planners whose bodies are compared with the contract."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from both import Awaited
from contract import Recording
from identity_provider import IdentityProvider, identity_provider
from real_service import RealService, real_service, second_site, why_not

from execution_planner import AsyncPlanner, Planner

# A shell without job control lets what it starts with `&` ignore Ctrl-C, and so would `execplan`.
signal.signal(signal.SIGINT, signal.default_int_handler)

_NUMBERS = count()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Services start as late as may be: one that only waits takes 4 % of a core."""
    items.sort(key=lambda item: [name in _fixtures(item) for name in ("second", "service")])


def _fixtures(item: pytest.Item) -> list[str]:
    return getattr(item, "fixturenames", [])


@pytest.fixture(autouse=True)
def _nobody(
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """No credential and no planner of whoever runs the tests."""
    # A folder for each of 1,400 tests that write nothing would take as long as these tests.
    has_folder = "tmp_path" in request.fixturenames
    home: Path = (
        request.getfixturevalue("tmp_path")
        if has_folder
        else tmp_path_factory.getbasetemp() / "nobody" / str(next(_NUMBERS))
    )
    for name in ("PLANNER_URL", "PLANNER_TOKEN", "NETRC"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / "config"))
    monkeypatch.setenv("HOME", str(home))


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealService]:
    """The real service, once for all tests."""
    reason = why_not()
    if reason is not None:
        pytest.skip(reason)
    with real_service(tmp_path_factory.mktemp("service")) as running:
        yield running


@pytest.fixture(scope="session")
def signing_in(service: RealService) -> Iterator[IdentityProvider]:
    """Where users of the second site sign in."""
    with identity_provider(INTERVAL="1") as running:
        yield running


@pytest.fixture(scope="session")
def second(
    signing_in: IdentityProvider, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RealService]:
    """A second service, once for all tests: its start takes 7 s of a core."""
    site, rules = second_site(signing_in)
    with real_service(tmp_path_factory.mktemp("second"), site=site, rules=rules) as running:
        yield running


@pytest.fixture(params=["sync", "async"])
def opened(request: pytest.FixtureRequest) -> Iterator[Callable[..., Any]]:
    """Opens planners of both kinds: what a test does with one holds for both."""
    loop = asyncio.new_event_loop()
    planners: list[Any] = []

    def open_one(url: str, **words: Any) -> Any:
        kind = Planner if request.param == "sync" else AsyncPlanner
        found: Any = kind(url, **words)
        planners.append(found if request.param == "sync" else Awaited(found, loop))
        return planners[-1]

    yield open_one
    for planner in planners:
        planner.close()
    loop.run_until_complete(loop.shutdown_asyncgens())
    loop.close()


@pytest.fixture
def planner(service: RealService, opened: Callable[..., Any]) -> Any:
    """A user's planner at the real service, sync and async."""
    return opened(service.url, token=service.token, transport=Recording())


@pytest.fixture
def operator(service: RealService, opened: Callable[..., Any]) -> Any:
    """An administrator's planner at the real service, sync and async."""
    return opened(service.url, token=service.operator, transport=Recording())


@pytest.fixture
def anonymous(service: RealService, opened: Callable[..., Any]) -> Any:
    """The planner of somebody without a credential, sync and async."""
    return opened(service.url, transport=Recording())
