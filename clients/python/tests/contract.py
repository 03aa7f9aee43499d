"""Compares what the client sends and receives with the contract of the service."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import AsyncIterator, Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import httpx

CONTRACT = Path(__file__).resolve().parents[3] / "api" / "openapi.yaml"


class Recording(httpx.BaseTransport, httpx.AsyncBaseTransport):
    """An httpx transport that compares every exchange on its way.

    Attributes:
        seen: `METHOD /template status` of every exchange.
    """

    def __init__(self) -> None:
        self.seen: list[str] = []
        # The tests' services have no TLS, and reading certificates takes 40 ms each time.
        words: Any = {"limits": httpx.Limits(max_connections=None), "verify": False}
        self._sync = httpx.HTTPTransport(**words)
        self._async = httpx.AsyncHTTPTransport(**words)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        response = self._sync.handle_request(request)
        check = self._check(request, response)
        if check is not None:
            assert isinstance(response.stream, httpx.SyncByteStream)
            response.stream = _Seen(response.stream, check)
        return response

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        response = await self._async.handle_async_request(request)
        check = self._check(request, response)
        if check is not None:
            assert isinstance(response.stream, httpx.AsyncByteStream)
            response.stream = _AsyncSeen(response.stream, check)
        return response

    def close(self) -> None:
        self._sync.close()

    async def aclose(self) -> None:
        await self._async.aclose()

    def _check(
        self, request: httpx.Request, response: httpx.Response
    ) -> Callable[[bytes], None] | None:
        """Checks the request, and returns the check of the answer's body."""
        template, operation = operation_of(request.method, request.url.path)
        self.seen.append(f"{request.method} {template} {response.status_code}")
        _check_query(operation, request)
        _check_body(operation, request)
        answers = operation["responses"]
        where = f"{request.method} {template} {response.status_code}"
        assert str(response.status_code) in answers, f"{where} is not in the contract"
        content = _resolved(answers[str(response.status_code)]).get("content", {})
        kind = response.headers.get("content-type", "").partition(";")[0]
        if kind not in content or not kind.endswith("json"):
            known = not kind or kind in content or "*/*" in content
            assert known, f"{where}: {kind} is not in the contract"
            return None
        schema = content[kind]["schema"]
        zipped = response.headers.get("content-encoding") == "gzip"

        def check(body: bytes) -> None:
            validate(schema, json.loads(gzip.decompress(body) if zipped else body), where)

        return check


class _Seen(httpx.SyncByteStream):
    def __init__(self, stream: httpx.SyncByteStream, check: Callable[[bytes], None]) -> None:
        self._stream = stream
        self._check = check

    def __iter__(self) -> Iterator[bytes]:
        body = b""
        for part in self._stream:
            body += part
            yield part
        self._check(body)

    def close(self) -> None:
        self._stream.close()


class _AsyncSeen(httpx.AsyncByteStream):
    def __init__(self, stream: httpx.AsyncByteStream, check: Callable[[bytes], None]) -> None:
        self._stream = stream
        self._check = check

    async def __aiter__(self) -> AsyncIterator[bytes]:
        body = b""
        async for part in self._stream:
            body += part
            yield part
        self._check(body)

    async def aclose(self) -> None:
        await self._stream.aclose()


def operation_of(method: str, path: str) -> tuple[str, dict[str, Any]]:
    """The operation of a request; a path without variables goes first. HEAD is GET."""
    method = "GET" if method == "HEAD" else method
    paths = sorted(contract()["paths"].items(), key=lambda entry: entry[0].count("{"))
    for template, item in paths:
        pattern = re.sub(r"\\\{\w+\\\}", "[^/]+", re.escape(template))
        if re.fullmatch(pattern, path) and method.lower() in item:
            operation: dict[str, Any] = item[method.lower()]
            return template, operation
    raise AssertionError(f"{method} {path} is not in the contract")


def validate(schema: dict[str, Any], document: Any, where: str) -> None:
    """Fails where a document is not as its schema says."""
    problems = [
        f"{where}: {'/'.join(map(str, problem.absolute_path))}: {problem.message[:300]}"
        for problem in _validator(json.dumps(schema)).iter_errors(document)
    ]
    assert not problems, "\n".join(problems)


@cache
def contract() -> dict[str, Any]:
    """The contract."""
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    document: dict[str, Any] = yaml.load(CONTRACT.read_text("utf-8"), loader)
    return document


@cache
def _validator(schema: str) -> Any:
    from jsonschema import Draft202012Validator
    from referencing import Registry
    from referencing.jsonschema import DRAFT202012

    place = "urn:contract"
    registry = Registry().with_resource(place, DRAFT202012.create_resource(contract()))
    absolute = schema.replace('"#/', f'"{place}#/')
    return Draft202012Validator(json.loads(absolute), registry=registry)


def _check_query(operation: dict[str, Any], request: httpx.Request) -> None:
    known = {
        parameter["name"]
        for parameter in map(_resolved, operation.get("parameters", ()))
        if parameter["in"] == "query"
    }
    sent = {name for name, _ in request.url.params.multi_items()}
    assert sent <= known, f"{request.method} {request.url}: unknown {sent - known}"


def _check_body(operation: dict[str, Any], request: httpx.Request) -> None:
    body = request.read() if isinstance(request.stream, httpx.SyncByteStream) else request.content
    where = f"{request.method} {request.url.path}"
    wanted = operation.get("requestBody")
    if wanted is None:
        assert not body, f"{where} has a body"
        return
    kind = request.headers["content-type"]
    assert kind in wanted["content"], f"{where}: {kind} is not in the contract"
    schema = wanted["content"][kind]["schema"]
    if kind == "application/json":
        validate(schema, json.loads(body), where)
    elif kind == "application/x-www-form-urlencoded":
        validate(schema, dict(parse_qsl(body.decode())), where)


def _resolved(document: dict[str, Any]) -> dict[str, Any]:
    reference = document.get("$ref")
    if reference is None:
        return document
    found: Any = contract()
    for key in reference.removeprefix("#/").split("/"):
        found = found[key]
    resolved: dict[str, Any] = found
    return resolved
