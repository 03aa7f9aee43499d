"""`execplan demo`: a whole conversation with a planner, each step explained."""

from __future__ import annotations

import json
import sys
import time
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING, Any

from . import exits
from .commands import Command
from .idents import short
from .offering import numbered
from .output import clean, show

if TYPE_CHECKING:
    from ..jobs import Job
    from ..planner import Planner
    from .session import Session

PROGRAM = """\
x, steps = 10.0, 0
while abs(x * x - 2) > 1e-12:
    x, steps = (x + 2 / x) / 2, steps + 1
    print(steps, x)
with open('root.txt', 'w') as file:
    print(x, file=file)
print(f'The square root of 2 is {x}, found in {steps} steps.')
"""


def _arguments(parser: ArgumentParser) -> None:
    parser.set_defaults(output="table")


def _run(args: Namespace, session: Session) -> int:
    planner = session.planner
    _heading("1. The question: can you run this program, and when?")
    document = _question(planner)
    print(f"   POST {planner.url}/request\n")
    print(_indented(json.dumps(document, indent=2)))

    offers = planner.ask(document)
    _heading("2. The answer: YES, with offers that are held until they expire")
    show(numbered(offers))

    with offers:
        _heading("3. The first offer is accepted; the others are cancelled")
        offer = offers.first
        print(f"   POST {planner.url}/offers/{offer.id}\n   offer: {{ status: ACCEPTED }}\n")
        job = offer.accept()
    print(clean(f"   The offer is now {offer.status}."))

    _heading("4. The job is followed at its UWS 1.1 endpoint")
    print(f"   {job.url}\n")
    is_done = _follow(job)

    _heading("5. The results")
    for result in job.results.values():
        print(clean(f"   {result.name:<10} {result.url}"))
    if "stdout" in job.results:
        print("\n   What the program printed:\n")
        print(_indented(job.results["stdout"].text()))
    if not is_done:
        print(clean(f"\nThe job did not complete: {job.error or job.phase}"))
        return exits.JOB_FAILED
    print(f"\nDone. Remove it: {session.command('delete', short(job.id))}")
    return exits.DONE


def _question(planner: Planner) -> dict[str, Any]:
    """A Python program where the site takes some, else its own example of a task."""
    from ..tasks import PYTHON_PROGRAM

    types = planner.site()["task-types"]
    if any(entry["type"] == PYTHON_PROGRAM for entry in types):
        task = {"type": PYTHON_PROGRAM, "spec": {"source": PROGRAM}}
    else:
        examples = [entry for entry in types if "example" in entry]
        if not examples:
            raise exits.Misused("the site names no example of a task")
        task = {"type": examples[0]["type"], "spec": examples[0]["example"]}
    return {"name": "demo of execplan", "task": task, "time": {"duration": "PT5M"}}


def _follow(job: Job) -> bool:
    begun = time.monotonic()
    phase = ""
    while True:
        if job.phase != phase:
            phase = job.phase
            print(clean(f"   {time.monotonic() - begun:5.1f} s  {phase}"))
            sys.stdout.flush()
        if job.ended:
            return phase == "COMPLETED"
        time.sleep(0.2)
        job.refresh()


def _heading(text: str) -> None:
    print(f"\n── {text} {'─' * max(0, 76 - len(text))}")


def _indented(text: str) -> str:
    return "\n".join(f"   {clean(line)}" for line in text.rstrip().splitlines())


DEMO = Command(_arguments, _run)
