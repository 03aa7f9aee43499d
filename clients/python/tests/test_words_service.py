"""What the words make of an ask is what the real service reads in it."""

from __future__ import annotations

import asyncio
import json
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest
from contract import Recording
from real_service import REPOSITORY, RealService

from execution_planner import (
    AsyncPlanner,
    Planner,
    Refused,
    executable,
    notebook,
    python_program,
)  # fmt: skip

TASK = executable("true")


def test_every_word_is_in_the_offer(planner: Planner) -> None:
    start = datetime.now(timezone.utc).replace(microsecond=0) + timedelta(hours=2)
    with planner.ask(
        TASK,
        cores=(2, 4),
        memory=("1GiB", 3),
        storage="2GiB",
        start=(start, timedelta(minutes=30)),
        duration=(timedelta(minutes=10), "PT40M"),
        name="all words",
    ) as offers:
        for offer in offers:
            assert 2 <= (offer.cores or 0) <= 4 and 1 <= (offer.memory or 0) <= 3
            assert start <= offer.start <= start + timedelta(minutes=30)
            assert timedelta(minutes=10) <= offer.duration <= timedelta(minutes=40)
            assert offer.request["name"] == "all words"
            [stored] = offer.request["resources"]["storage"]
            assert (stored["name"], stored["size"]) == ("scratch", "2Gb")


def test_scratch_space_is_a_directory_beside_the_task(planner: Planner) -> None:
    script = "test -d scratch && test scratch -ef $VOLUME_SCRATCH && echo $BAND"
    task = executable("sh", "-c", script, environment={"BAND": "g"})
    job = planner.ask(task, storage=1).first.accept().wait(120)
    assert job.results["stdout"].text() == "g\n"


def test_the_notebook_of_a_path_runs_and_has_its_parameters(
    service: RealService, tmp_path: Path
) -> None:
    """Once for both kinds of planners: the service takes 5 s of a core to run a notebook."""
    path = tmp_path / "n.ipynb"
    cells = [
        {"cell_type": "code", "metadata": {"tags": ["parameters"]}, "source": "band = 'r'",
         "outputs": [], "execution_count": 1},
        {"cell_type": "code", "metadata": {}, "source": "print(band, n[1])", "execution_count": 2,
         "outputs": [{"output_type": "stream", "name": "stdout", "text": "old"}]},
    ]  # fmt: skip
    path.write_text(
        json.dumps({"nbformat": 4, "nbformat_minor": 4, "metadata": {}, "cells": cells})
    )
    task = notebook(path, parameters={"band": "g", "n": (1, 2)})

    async def read(ident: str) -> str:
        async with AsyncPlanner(service.url, token=service.token, transport=Recording()) as other:
            assert await other.check(task, memory="1GiB")
            job = await (await other.job(ident)).wait(300)
            return await job.results["stdout"].text()

    with Planner(service.url, token=service.token, transport=Recording()) as planner:
        job = planner.ask(task, memory="1GiB").first.accept()
        assert asyncio.run(read(job.id)) == "g 2\n"
        assert job.wait(60).results["stdout"].text() == "g 2\n"


def test_files_and_documents_are_asked_as_they_are(planner: Planner, tmp_path: Path) -> None:
    (tmp_path / "ask.yaml").write_text(
        f"task:\n  type: {TASK['type']}\n  spec:\n    command: [ls]\n"
    )
    (tmp_path / "ask.json").write_text(json.dumps({"request": {"task": TASK}}))
    (tmp_path / "p.py").write_text("print(1)")
    examples = REPOSITORY / "docs" / "examples"
    for task in (
        tmp_path / "ask.yaml",
        str(tmp_path / "ask.json"),
        (tmp_path / "ask.yaml").read_text(),
        (tmp_path / "ask.yaml").read_bytes(),
        tmp_path / "p.py",
        examples / "square-root.ipynb",
        notebook(f"file://{examples}/square-root.ipynb"),
        python_program("print(1)", arguments=[1]),
    ):
        assert planner.check(task), task


def test_words_change_what_the_service_proposed(planner: Planner) -> None:
    with pytest.raises(Refused) as no:
        planner.ask(TASK, cores=64, memory="1GiB")
    assert no.value.nearest is not None
    with planner.ask(no.value.nearest.ask, cores=1, duration=timedelta(minutes=3)) as offers:
        assert (offers.first.cores, offers.first.duration) == (1, timedelta(minutes=3))
    with planner.ask(offers.first.request, memory=2) as again:
        assert (again.first.cores, again.first.memory) == (1, 2)


def test_a_number_of_gpus_needs_a_site_with_one_type(planner: Planner) -> None:
    with pytest.raises(ValueError, match="gpu: 1 names no type"):
        planner.ask(TASK, gpu=1)


def test_the_calendar_of_the_service_has_room_where_an_offer_starts(planner: Planner) -> None:
    calendar = planner.calendar(destinations="programs")
    assert [destination.name for destination in calendar] == ["programs"]
    assert len(calendar["programs"].line(24)) == 24
    room = calendar.room(cores=4, memory="8GiB", duration=timedelta(hours=1))[0]
    offers = planner.check(TASK, cores=4, memory="8GiB", duration="PT1H").offers
    [there] = [offer for offer in offers if offer.destination == "programs"]
    assert room.start - timedelta(minutes=5) <= there.start < room.end
