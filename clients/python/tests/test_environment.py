"""What the environment of a user does: proxies, and tokens from files."""

from __future__ import annotations

import httpx
import pytest

from execution_planner import Planner, Unreachable


@pytest.fixture(autouse=True)
def _proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


def test_a_proxy_that_does_not_answer_is_named_without_its_password(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("http_proxy", "http://ada:secret@127.0.0.1:1")
    with pytest.raises(Unreachable, match=r"through the proxy 127\.0\.0\.1:1: ") as raised:
        Planner("http://planner.invalid", retries=0).site()
    assert "secret" not in str(raised.value)


def test_a_planner_beside_the_proxy_is_asked_without_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with pytest.raises(Unreachable) as raised:
        Planner("http://127.0.0.1:2", retries=0).site()
    assert "proxy" not in str(raised.value)


def test_a_token_of_a_file_may_end_with_its_line() -> None:
    seen: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request.headers["Authorization"])
        return httpx.Response(200, json={"me": {}})

    Planner("http://x", token="abc\n", transport=httpx.MockTransport(answer)).me()
    assert seen == ["Bearer abc"]


@pytest.mark.parametrize("token", ["", " ", "a b", "a\nb", "ä"])
def test_a_token_that_no_header_may_have_is_refused_at_once(token: str) -> None:
    with pytest.raises(ValueError, match="The token"):
        Planner("http://x", token=token)
