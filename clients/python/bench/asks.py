"""What `planner.ask` takes above the same request by bare httpx: `asks.py URL TOKEN`."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from statistics import median

import httpx
from measured import report

from execution_planner import Planner, executable
from execution_planner.tasks import document

BLOCKS = 9
ASKS = 60
LIMIT_MS = 5
TASK = executable("true")


def main() -> None:
    """Ask both ways in turn. A block's value is the difference of its medians."""
    url, token = sys.argv[1:]
    body = json.dumps(document(TASK, cores=1, memory="1GiB")).encode()
    headers = {"Authorization": f"Bearer {token}", "Accept": "application/json",
               "Content-Type": "application/json"}  # fmt: skip
    with Planner(url, token=token) as planner, httpx.Client(headers=headers) as bare:

        def by_httpx() -> None:
            bare.post(f"{url}/request", content=body).raise_for_status()

        def by_planner() -> None:
            planner.ask(TASK, cores=1, memory="1GiB")

        by_httpx()
        by_planner()
        blocks = [difference(by_httpx, by_planner) for _ in range(BLOCKS)]
    report("`planner.ask` above httpx", blocks, "ms", LIMIT_MS)


def difference(one: Callable[[], None], other: Callable[[], None]) -> float:
    """The median of the other minus the median of the one, in milliseconds."""
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(ASKS):
        for call, taken in zip((one, other), times, strict=True):
            begun = time.perf_counter()
            call()
            taken.append(1000 * (time.perf_counter() - begun))
    return median(times[1]) - median(times[0])


if __name__ == "__main__":
    main()
