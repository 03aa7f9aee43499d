"""A server that fails as a test wants it to: real sockets, and bytes as they are given."""

from __future__ import annotations

import json
import socket
import struct
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Got:
    """A request as it came."""

    method: str
    target: str
    headers: Mapping[str, str]
    body: bytes


class Broken(Exception):
    """Raised by a handler: break the connection off, with a reset."""


@dataclass
class BrokenServer:
    """A running server.

    Attributes:
        url: Its URL.
        got: The requests so far.
    """

    url: str
    got: list[Got] = field(default_factory=list)


Handler = Callable[[Got, socket.socket], "bytes | None"]


@contextmanager
def broken_server(handler: Handler) -> Iterator[BrokenServer]:
    """Starts a server. The handler returns the bytes of the answer, writes itself and returns None,
    or raises `Broken`."""
    listening = socket.create_server(("127.0.0.1", 0))
    server = BrokenServer(f"http://127.0.0.1:{listening.getsockname()[1]}")

    def serve(connection: socket.socket) -> None:
        try:
            reader = connection.makefile("rb")
            while (got := _read(reader)) is not None:
                server.got.append(got)
                answer = handler(got, connection)
                if answer is None:
                    break
                connection.sendall(answer)
        except Broken:
            # Linger of zero seconds makes the close a reset.
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        except OSError:
            pass
        finally:
            reader.close()
            connection.close()

    def accept() -> None:
        while True:
            try:
                connection, _ = listening.accept()
            except OSError:
                return
            threading.Thread(target=serve, args=(connection,), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    try:
        yield server
    finally:
        listening.shutdown(socket.SHUT_RDWR)
        listening.close()


def answer(
    body: Any = b"", status: str = "200 OK", length: int | None = None, **headers: str
) -> bytes:
    """The bytes of an answer. A length that is too large makes a body that breaks off."""
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    if not isinstance(body, bytes):
        named = {"Content-Type": "application/json", **named}
    named["Content-Length"] = str(len(content) if length is None else length)
    lines = [f"HTTP/1.1 {status}", *(f"{name}: {value}" for name, value in named.items())]
    return "\r\n".join([*lines, "", ""]).encode() + content


def _read(reader: Any) -> Got | None:
    first = reader.readline().decode().split()
    if not first:
        return None
    headers = {}
    while (line := reader.readline().decode().strip()) != "":
        name, _, value = line.partition(":")
        headers[name.lower()] = value.strip()
    body = reader.read(int(headers.get("content-length", 0)))
    return Got(first[0], first[1], headers, body)
