"""A server that has jobs and their logs, as the service has them: `stand_in.py SECONDS`.

A thousand real jobs keep two cores busy with their processes, and nothing is left to measure. A job
begins with its first follower, and its log grows by a line each second. Prints its URL.
"""

from __future__ import annotations

import asyncio
import json
import sys

JOB: dict[str, object] = {"version": "1.1", "runId": None, "ownerId": None, "quote": None, "parameters": [],
       "destruction": "2030-01-01T00:00:00.000Z", "creationTime": "2026-11-24T12:00:00.000Z",
       "startTime": "2026-11-24T12:00:00.000Z", "endTime": None, "executionDuration": 900,
       "results": [], "errorSummary": None}  # fmt: skip


class StandIn:
    """The server.

    Args:
        seconds: How long a job takes.
    """

    def __init__(self, seconds: int) -> None:
        self._seconds = seconds
        self._over: set[str] = set()

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection, which may ask several times."""
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                path = head.split(b" ", 2)[1].decode().split("?")[0]
                ident = path.split("/")[2]
                if path.endswith("/results/stdout"):
                    await self._log(writer, ident)
                else:
                    document(writer, {**JOB, "jobId": ident, "phase": self._phase(ident)})
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    def _phase(self, ident: str) -> str:
        return "COMPLETED" if ident in self._over else "EXECUTING"

    async def _log(self, writer: asyncio.StreamWriter, ident: str) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
                     b"Transfer-Encoding: chunked\r\n\r\n")  # fmt: skip
        place = 0
        for second in range(self._seconds):
            text = f"second {second}\n"
            place += len(text)
            chunk(writer, f"id: {place}\ndata: {json.dumps(text)}\n\n")
            await writer.drain()
            await asyncio.sleep(1)
        self._over.add(ident)
        chunk(writer, f'event: end\nid: {place}\ndata: "COMPLETED"\n\n')
        chunk(writer, "")


def document(writer: asyncio.StreamWriter, it: object) -> None:
    """Writes an answer in JSON."""
    body = json.dumps(it).encode()
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                 b"Content-Length: %d\r\n\r\n%s" % (len(body), body))  # fmt: skip


def chunk(writer: asyncio.StreamWriter, text: str) -> None:
    """Writes a part of a body; an empty one ends it."""
    writer.write(b"%x\r\n%s\r\n" % (len(text), text.encode()))


async def main() -> None:
    """Serve until somebody ends the process."""
    stand_in = StandIn(int(sys.argv[1]))
    server = await asyncio.start_server(stand_in.answer, "127.0.0.1", 0, backlog=2048)
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())
