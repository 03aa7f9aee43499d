"""Signing in with the device flow, at a real OpenID Connect provider."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path

import httpx
import pytest
from identity_provider import IdentityProvider, allow, identity_provider

from execution_planner import credentials, login
from execution_planner.login import Device, Pending, SignInFailed

PLANNER = "https://planner.example.org"


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))


@pytest.fixture(scope="module")
def provider() -> Iterator[IdentityProvider]:
    with identity_provider() as running:
        yield running


def signed_in(provider: IdentityProvider) -> credentials.SignedIn:
    pending = login.begin(provider.device())
    allow(pending.url_with_code or pending.url)
    return login.finish(replace(pending, interval=0.1))


def test_the_tokens_come_once_somebody_has_allowed_it(provider: IdentityProvider) -> None:
    pending = login.begin(provider.device())
    assert pending.url.startswith(provider.url) and pending.code in (pending.url_with_code or "")
    waits: list[float] = []

    def wait(seconds: float) -> None:
        waits.append(seconds)
        if len(waits) == 3:
            allow(pending.url_with_code or pending.url)

    tokens = login.finish(pending, sleep=wait)
    assert waits == [5, 5, 5]
    assert tokens.access_token.count(".") == 2 and tokens.refresh_token is not None
    assert tokens.expires is not None and 500 < tokens.expires - time.time() <= 600


def test_a_refused_sign_in_says_so(provider: IdentityProvider) -> None:
    pending = login.begin(provider.device())
    allow(pending.url_with_code or pending.url, refuse=True)
    with pytest.raises(SignInFailed, match="the sign-in was refused"):
        login.finish(replace(pending, interval=0.1))


def test_a_client_that_the_issuer_does_not_know_is_told(provider: IdentityProvider) -> None:
    with pytest.raises(SignInFailed, match="invalid_client"):
        login.begin(replace(provider.device(), client_id="nobody"))


def test_a_renewed_token_is_another_one_and_is_stored(provider: IdentityProvider) -> None:
    tokens = signed_in(provider)
    credentials.store(PLANNER, replace(tokens, expires=time.time() - 1))
    seen: list[str] = []
    with recording(seen) as client:
        client.get(PLANNER, auth=credentials.find(PLANNER))
        client.get(PLANNER, auth=credentials.find(PLANNER))
    kept = credentials.load(PLANNER)
    assert kept is not None and kept.access_token != tokens.access_token
    assert kept.refresh_token != tokens.refresh_token
    assert seen == [f"Bearer {kept.access_token}"] * 2


async def test_a_token_is_renewed_in_programs_that_await_too(provider: IdentityProvider) -> None:
    tokens = signed_in(provider)
    credentials.store(PLANNER, replace(tokens, expires=time.time() - 1))
    seen: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request.headers["Authorization"])
        return httpx.Response(200)

    async with httpx.AsyncClient(transport=httpx.MockTransport(answer)) as client:
        await client.get(PLANNER, auth=credentials.find(PLANNER))
    kept = credentials.load(PLANNER)
    assert kept is not None and seen == [f"Bearer {kept.access_token}"] != [tokens.access_token]


def test_a_token_that_the_planner_no_longer_takes_is_renewed_once(
    provider: IdentityProvider,
) -> None:
    tokens = signed_in(provider)
    credentials.store(PLANNER, tokens)
    seen: list[str] = []
    with recording(seen, status=401) as client:
        assert client.get(PLANNER, auth=credentials.find(PLANNER)).status_code == 401
    assert len(seen) == 2 and seen[0] == f"Bearer {tokens.access_token}" != seen[1]


def test_programs_that_renew_at_once_use_the_refresh_token_once(provider: IdentityProvider) -> None:
    tokens = signed_in(provider)
    credentials.store(PLANNER, replace(tokens, expires=time.time() - 1))
    seen: list[str] = []
    auths = [credentials.find(PLANNER) for _ in range(5)]
    with recording(seen) as client, ThreadPoolExecutor(5) as pool:
        list(pool.map(lambda auth: client.get(PLANNER, auth=auth), auths))
    kept = credentials.load(PLANNER)
    assert kept is not None and set(seen) == {f"Bearer {kept.access_token}"}
    # The issuer would have ended everything had an old refresh token come twice.
    assert login.renew(kept).access_token


@pytest.mark.parametrize(("lasts", "status"), [(-1.0, 200), (600.0, 401)])
def test_requests_of_one_program_renew_their_token_once(
    lasts: float, status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = credentials.SignedIn("old", time.time() + lasts, "r", "https://iam.example.org", "me")
    credentials.store(PLANNER, old)
    auth, renewed = credentials.find(PLANNER), []
    together, locked = threading.Barrier(5), credentials.locked

    def locked_together() -> AbstractContextManager[None]:
        together.wait(timeout=60)
        return locked()

    def renew(tokens: credentials.SignedIn) -> credentials.SignedIn:
        renewed.append(tokens)
        return replace(tokens, access_token=f"new {len(renewed)}", expires=time.time() + 600)

    def answer(request: httpx.Request) -> httpx.Response:
        return httpx.Response(status if request.headers["Authorization"] == "Bearer old" else 200)

    monkeypatch.setattr(credentials, "locked", locked_together)
    monkeypatch.setattr(login, "renew", renew)
    with httpx.Client(transport=httpx.MockTransport(answer)) as client, ThreadPoolExecutor(5) as at:
        answers = list(at.map(lambda _: client.get(PLANNER, auth=auth), range(5)))
    assert [one.status_code for one in answers] == [200] * 5
    assert renewed == [old]


@pytest.mark.parametrize("blocked", ["credentials.lock", f".credentials.json.{os.getpid()}"])
@pytest.mark.parametrize(("lasts", "status"), [(20.0, 200), (600.0, 401)])
def test_where_nothing_can_be_written_the_refresh_token_is_left_to_others(
    blocked: str, lasts: float, status: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def renew(_: credentials.SignedIn) -> credentials.SignedIn:
        raise AssertionError("whoever has the file would be signed out")

    old = credentials.SignedIn("old", time.time() + lasts, "r", "https://iam.example.org", "me")
    kept = credentials.store(PLANNER, old)
    folder = tmp_path / "execution-planner"
    (folder / "credentials.lock").unlink()
    (folder / blocked).mkdir()
    monkeypatch.setattr(login, "renew", renew)
    auth, seen = credentials.find(PLANNER), []
    with recording(seen, status) as client:
        with pytest.warns(UserWarning, match=f"since {kept} cannot be written"):
            assert client.get(PLANNER, auth=auth).status_code == status
        (folder / blocked).rmdir()
        credentials.store(PLANNER, replace(old, access_token="new", expires=time.time() + 600))
        (folder / "credentials.lock").unlink()
        (folder / "credentials.lock").mkdir()
        with pytest.warns(UserWarning):
            client.get(PLANNER, auth=auth)
    again = ["Bearer old"] if status == 401 else []
    assert seen == ["Bearer old", *again, "Bearer new"]


def test_after_the_end_of_a_refresh_token_the_old_one_is_sent(provider: IdentityProvider) -> None:
    tokens = signed_in(provider)
    assert login.revoke(tokens)
    with pytest.raises(SignInFailed, match="invalid_grant"):
        login.renew(tokens)
    credentials.store(PLANNER, replace(tokens, expires=time.time() - 1))
    seen: list[str] = []
    with recording(seen, status=401) as client:
        assert client.get(PLANNER, auth=credentials.find(PLANNER)).status_code == 401
    assert set(seen) == {f"Bearer {tokens.access_token}"}


def recording(seen: list[str], status: int = 200) -> httpx.Client:
    """A client of a planner that writes down which credential came."""
    lock = threading.Lock()

    def answer(request: httpx.Request) -> httpx.Response:
        with lock:
            seen.append(request.headers["Authorization"])
        return httpx.Response(status)

    return httpx.Client(transport=httpx.MockTransport(answer))


def issuer_of(*answers: tuple[int, object] | type[Exception]) -> httpx.Client:
    """A client of an issuer that answers questions for tokens with these, in turn."""
    left = list(answers)

    def answer(request: httpx.Request) -> httpx.Response:
        said = left.pop(0)
        if isinstance(said, type):
            raise said("lost", request=request)  # type: ignore[call-arg]
        return httpx.Response(said[0], json=said[1])

    return httpx.Client(transport=httpx.MockTransport(answer))


PENDING = Pending(
    "https://iam.example.org/device",
    "ABCD",
    None,
    5,
    60,
    Device("IAM", "https://iam.example.org", "execplan"),
    "secret",
    "https://iam.example.org/token",
)
NOT_YET = (400, {"error": "authorization_pending"})


def test_an_issuer_that_is_asked_too_often_is_asked_less_often() -> None:
    waits: list[float] = []
    http = issuer_of(
        NOT_YET,
        (400, {"error": "slow_down"}),
        NOT_YET,
        httpx.ConnectError,
        (200, {"access_token": "a"}),
    )
    tokens = login.finish(PENDING, http=http, sleep=waits.append)
    assert waits == [5, 5, 10, 10, 20]
    assert (tokens.access_token, tokens.expires, tokens.refresh_token) == ("a", None, None)


def test_a_page_of_a_proxy_before_the_issuer_does_not_end_the_sign_in() -> None:
    waits: list[float] = []
    left = [
        httpx.Response(503, html="<h1>Service Unavailable</h1>"),
        httpx.Response(502, text=""),
        httpx.Response(200, json={"access_token": "a"}),
    ]
    transport = httpx.MockTransport(lambda _: left.pop(0))
    tokens = login.finish(PENDING, http=httpx.Client(transport=transport), sleep=waits.append)
    assert (tokens.access_token, waits) == ("a", [5, 10, 20])
    wrong = httpx.MockTransport(lambda _: httpx.Response(404, html="<h1>Not Found</h1>"))
    with pytest.raises(SignInFailed, match="answers 404, and not what an issuer says"):
        login.finish(PENDING, http=httpx.Client(transport=wrong), sleep=waits.append)


def test_a_code_that_ends_ends_the_waiting() -> None:
    now = [0.0]

    def wait(seconds: float) -> None:
        now[0] += seconds

    http = issuer_of(*[NOT_YET] * 12)
    with pytest.raises(SignInFailed, match="the code has ended"):
        login.finish(PENDING, http=http, sleep=wait, clock=lambda: now[0])
    with pytest.raises(SignInFailed, match="the code has ended"):
        login.finish(PENDING, http=issuer_of((400, {"error": "expired_token"})), sleep=wait)


@pytest.mark.parametrize(
    ("about", "said"),
    [
        ({"issuer": "https://evil.example.org"}, "belongs to another issuer"),
        ({"issuer": "https://iam.example.org/"}, "has no device_authorization_endpoint"),
        (
            {
                "issuer": "https://iam.example.org",
                "device_authorization_endpoint": "http://iam.example.org/device",
            },
            "is not https",
        ),
        ([], "not what an issuer says"),
    ],
)
def test_an_issuer_that_cannot_be_trusted_is_refused(about: object, said: str) -> None:
    with pytest.raises(SignInFailed, match=said):
        login.begin(PENDING.device, http=issuer_of((200, about)))


def test_an_issuer_without_https_is_not_asked_at_all() -> None:
    with pytest.raises(SignInFailed, match="is not https"):
        login.begin(replace(PENDING.device, issuer="http://iam.example.org"), http=issuer_of())


def test_the_site_says_where_programs_sign_in() -> None:
    site = {
        "sign-in": [
            {"kind": "password", "name": "Password"},
            {"kind": "oidc", "name": "No programs", "issuer": "https://a.example.org"},
            {
                "kind": "oidc",
                "name": "IAM",
                "issuer": "https://iam.example.org",
                "device": {"client-id": "execplan", "scopes": ["openid", "email"]},
            },
        ]
    }
    assert login.devices(site) == [
        Device("IAM", "https://iam.example.org", "execplan", ("openid", "email"), None)
    ]
