"""A thousand jobs followed by one process with one event loop: `follows.py`."""

from __future__ import annotations

import asyncio
import resource
import subprocess
import sys
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from execution_planner import AsyncPlanner
from measured import report

JOBS = 1000
# Long enough that all of them are followed at once.
SECONDS = 30
LINES = [f"second {second}" for second in range(SECONDS)]
MOST_MIB = 256


async def main(url: str) -> None:
    """Follow all of them to the end, and see that no line is missing."""
    inside = Count()
    async with AsyncPlanner(url, token="of-the-bench") as planner:
        logs = await asyncio.gather(*(follow(planner, inside) for _ in range(JOBS)))
    wrong = [log for log in logs if log != LINES]
    if wrong:
        sys.exit(f"{len(wrong)} of {JOBS} logs are not whole, such as {wrong[0]}")
    if inside.most < JOBS or threading.active_count() > 1:
        sys.exit(f"{inside.most} jobs at once in {threading.active_count()} threads")
    used = resource.getrusage(resource.RUSAGE_SELF)
    what = f"{JOBS:,} jobs followed at once"
    report(f"{what}: memory of the process", [used.ru_maxrss / 1024], "MiB", MOST_MIB)
    report(f"{what}: processor time", [used.ru_utime + used.ru_stime], "s", SECONDS)


class Count:
    """How many are inside, and the most that ever were."""

    def __init__(self) -> None:
        self.now = self.most = 0

    def __enter__(self) -> None:
        self.now += 1
        self.most = max(self.most, self.now)

    def __exit__(self, *_: object) -> None:
        self.now -= 1


async def follow(planner: AsyncPlanner, inside: Count) -> list[str]:
    """The whole log of one job, and its end."""
    job = await planner.job(str(uuid.uuid4()))
    with inside:
        lines = [line async for line in job.follow()]
        await job.wait(timeout=60)
    return lines


@contextmanager
def stand_in() -> Iterator[str]:
    """The URL of a server of its own process."""
    program = Path(__file__).with_name("stand_in.py")
    words = [sys.executable, str(program), str(SECONDS)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.terminate()


if __name__ == "__main__":
    with stand_in() as url:
        asyncio.run(main(url))
