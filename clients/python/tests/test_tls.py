"""Certificates: those of the system, one's own, and none that nobody vouches for."""

from __future__ import annotations

import json
import shutil
import ssl
import subprocess
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest

from execution_planner import Planner, Unreachable
from execution_planner.service import verification


class Me(BaseHTTPRequestHandler):
    """Answers every request."""

    def do_GET(self) -> None:  # noqa: N802
        body = json.dumps({"me": {"sent": self.headers.get("authorization")}}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Nothing."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """A service with a certificate of its own, and the certificate."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("there is no openssl to make a certificate")
    folder = tmp_path_factory.mktemp("tls")
    key, certificate = folder / "key.pem", folder / "certificate.pem"
    words = "req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=localhost -addext"
    subprocess.run(
        [
            openssl,
            *words.split(),
            "subjectAltName=DNS:localhost",
            "-keyout",
            key,
            "-out",
            certificate,
        ],
        check=True,
        capture_output=True,
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Me)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"https://localhost:{server.server_port}", certificate
    server.shutdown()
    server.server_close()


def test_a_certificate_that_nobody_vouches_for_gets_no_credential(
    site: tuple[str, Path], opened: Callable[..., Any]
) -> None:
    with pytest.raises(Unreachable, match="(?i)certificate"):
        opened(site[0], token="secret", retries=0).me()


def test_a_certificate_of_ones_own_is_given_as_a_context(
    site: tuple[str, Path], opened: Callable[..., Any]
) -> None:
    context = ssl.create_default_context(cafile=str(site[1]))
    assert opened(site[0], token="secret", verify=context).me() == {"sent": "Bearer secret"}


def test_the_usual_variable_names_certificates_too(
    site: tuple[str, Path], opened: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(site[1]))
    assert opened(site[0]).me() == {"sent": None}


def test_nothing_is_checked_where_one_says_so(
    site: tuple[str, Path], opened: Callable[..., Any]
) -> None:
    assert opened(site[0], verify=False).me() == {"sent": None}


def test_the_certificates_of_the_system_are_used_where_truststore_is() -> None:
    truststore = pytest.importorskip("truststore")
    assert isinstance(verification(), truststore.SSLContext)


UNUSED = httpx.MockTransport(lambda _: httpx.Response(200))


@pytest.mark.parametrize(
    ("url", "words", "count"),
    [
        ("http://planner.test", {}, 0),
        ("http://planner.test", {"token": "secret"}, 0),
        ("http://planner.test", {"auth": ("ada", "secret")}, 0),
        ("https://planner.test", {"transport": UNUSED}, 0),
        ("https://planner.test", {}, 1),
        ("http://planner.test", {"auth": httpx.DigestAuth("ada", "secret")}, 1),
    ],
)
def test_certificates_are_read_once_and_where_a_connection_may_need_them(
    url: str, words: dict[str, Any], count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[ssl.SSLContext] = []

    def reading() -> ssl.SSLContext:
        read.append(ssl.create_default_context())
        return read[-1]

    monkeypatch.setattr("execution_planner.service.verification", reading)
    service = Planner(url, **words)._service
    first, second = (service.client_settings()["verify"] for _ in range(2))
    assert first is second and len(read) == count
    # Without certificates nobody is believed, rather than everybody.
    assert first.verify_mode == ssl.CERT_REQUIRED and first.check_hostname
