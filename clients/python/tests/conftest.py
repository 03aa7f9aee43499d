"""What tests share: the real service, and planners whose bodies are compared with the contract."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from both import Awaited
from contract import Recording
from real_service import RealService, real_service, why_not

from execution_planner import AsyncPlanner, Planner

# A shell without job control lets what it starts with `&` ignore Ctrl-C, and so would `execplan`.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def _nobody(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No credential and no planner of whoever runs the tests."""
    for name in ("PLANNER_URL", "PLANNER_TOKEN", "NETRC"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("HOME", str(tmp_path))


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealService]:
    """The real service, once for all tests."""
    reason = why_not()
    if reason is not None:
        pytest.skip(reason)
    with real_service(tmp_path_factory.mktemp("service")) as running:
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
