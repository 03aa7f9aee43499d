"""What `execplan login` keeps, where, and for whom."""

from __future__ import annotations

import json
import os
import stat
import threading
from pathlib import Path

import httpx
import pytest

from execution_planner import credentials
from execution_planner.credentials import SignedIn

PLANNER = "https://planner.example.org"
TOKENS = SignedIn("access", 2e9, "refresh", "https://iam.example.org", "execplan", "urn:planner")


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("NETRC", raising=False)


def sent(auth: httpx.Auth | None, url: str = PLANNER) -> str | None:
    """The header that a request with this credential has."""
    seen: list[str | None] = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request.headers.get("Authorization"))
        return httpx.Response(200)

    with httpx.Client(transport=httpx.MockTransport(answer)) as client:
        client.get(url, auth=auth)
    return seen[0]


def test_what_is_stored_is_sent_to_that_planner_only() -> None:
    credentials.store(PLANNER, TOKENS)
    assert sent(credentials.find(PLANNER)) == "Bearer access"
    assert credentials.find("https://other.example.org") is None
    assert credentials.find("https://planner.example.org:8443") is None
    assert credentials.find("https://planner.example.org/two") is None


@pytest.mark.parametrize(
    "url",
    ["https://planner.example.org/", "https://PLANNER.example.org", f"{PLANNER}:443"],
)
def test_other_spellings_of_an_address_are_the_same_planner(url: str) -> None:
    credentials.store(url, TOKENS)
    assert credentials.load(PLANNER) == TOKENS


def test_only_its_owner_may_read_the_file_even_if_others_could_before() -> None:
    file = credentials.path()
    credentials.store(PLANNER, TOKENS)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    file.chmod(0o644)
    credentials.store(PLANNER, TOKENS)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_the_file_is_below_the_configuration_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert credentials.path() == tmp_path / "config/execution-planner/credentials.json"
    monkeypatch.setenv("XDG_CONFIG_HOME", "relative")
    assert credentials.path() == tmp_path / ".config/execution-planner/credentials.json"


def test_forgetting_one_planner_keeps_the_others() -> None:
    credentials.store(PLANNER, TOKENS)
    credentials.store("https://other.example.org", TOKENS)
    assert credentials.forget(PLANNER) == TOKENS
    assert credentials.forget(PLANNER) is None
    assert credentials.find(PLANNER) is None
    assert credentials.load("https://other.example.org") == TOKENS


def test_keys_that_a_newer_version_wrote_are_kept() -> None:
    credentials.store(PLANNER, TOKENS)
    document = json.loads(credentials.path().read_text())
    document["planners"][PLANNER]["colour"] = "blue"
    credentials.path().write_text(json.dumps(document))
    loaded = credentials.load(PLANNER)
    assert loaded is not None and loaded.more == {"colour": "blue"}
    credentials.store(PLANNER, loaded)
    assert json.loads(credentials.path().read_text()) == document


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", '{"planners": []}', f'{{"planners": {{"{PLANNER}": {{"access_token": 1}}}}}}'],
)
def test_a_broken_file_is_as_none_and_login_mends_it(text: str) -> None:
    credentials.store(PLANNER, TOKENS)
    credentials.path().write_text(text)
    assert credentials.find(PLANNER) is None
    credentials.store(PLANNER, TOKENS)
    assert credentials.load(PLANNER) == TOKENS


def test_many_changes_at_once_lose_none() -> None:
    urls = [f"https://planner-{number}.example.org" for number in range(12)]
    threads = [threading.Thread(target=credentials.store, args=(url, TOKENS)) for url in urls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(credentials.load(url) == TOKENS for url in urls)


def test_netrc_is_read_where_nothing_is_stored(tmp_path: Path) -> None:
    netrc = tmp_path / ".netrc"
    netrc.write_text("machine planner.example.org login ada password secret\n")
    netrc.chmod(0o600)
    assert sent(credentials.find(PLANNER)) == httpx.BasicAuth("ada", "secret")._auth_header
    credentials.store(PLANNER, TOKENS)
    assert sent(credentials.find(PLANNER)) == "Bearer access"


def test_a_netrc_for_others_and_a_broken_one_are_as_none(tmp_path: Path) -> None:
    netrc = tmp_path / ".netrc"
    netrc.write_text("machine elsewhere.example.org login ada password secret\n")
    assert credentials.find(PLANNER) is None
    netrc.write_text("nonsense\n")
    assert credentials.find(PLANNER) is None


@pytest.mark.parametrize(
    ("url", "private"),
    [
        ("https://planner.example.org", True),
        ("http://127.0.0.1:8080", True),
        ("http://localhost:8080", True),
        ("http://[::1]:8080", True),
        ("http://planner.example.org", False),
        ("http://localhost.example.org", False),
        ("ftp://localhost.example.org", False),
    ],
)
def test_no_credential_goes_where_others_can_listen(url: str, private: bool) -> None:
    assert credentials.is_private(url) is private
    credentials.store(url, TOKENS)
    assert (credentials.find(url) is not None) is private


def test_without_a_home_that_can_be_read_nothing_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("XDG_CONFIG_HOME")
    # A file in place of a folder, since root may read everything.
    (tmp_path / "file").touch()
    monkeypatch.setenv("HOME", str(tmp_path / "file"))
    assert credentials.find(PLANNER) is None
    monkeypatch.delenv("HOME")
    monkeypatch.setattr(os, "getuid", lambda: 4_000_000)
    assert credentials.find(PLANNER) is None
