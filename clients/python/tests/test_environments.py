"""Needs and environments, with a service that asks the Python of this machine what it has."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from real_service import ADA, RealService

from execution_planner import Planner, Refused, python_program

TASK = python_program("import sys\nprint('%d.%d.%d' % sys.version_info[:3])")


@pytest.fixture
def planner(service: RealService) -> Iterator[Planner]:
    """A user's planner there."""
    with Planner(service.url, token=ADA) as opened:
        yield opened


def test_a_task_goes_where_its_needs_are_met(planner: Planner) -> None:
    [system] = [one for one in planner.environments() if one["environment"] == "system"]
    assert system["state"] == "ready" and system["packages"]
    package = system["packages"][0]
    needs = [f"{package['name']}=={package['version']}"]
    with planner.ask(TASK, needs=needs, environment="system") as offers:
        assert (offers.first.environment, offers.first.python) == ("system", system["python"])
        column = offers._repr_html_().count(f"system, Python {system['python']}")
        assert column == len(offers)
        job = offers.first.accept().wait(120)
        assert job.results["stdout"].text().strip() == system["python"]
    assert "system" in repr(planner.environments())


@pytest.mark.parametrize(
    "words, code",
    [
        ({"needs": ["a-package-that-nobody-has"]}, "package-missing"),
        ({"needs": "# mine\na-package-that-nobody-has>=2\n"}, "package-missing"),
        ({"environment": "absent"}, "environment-unknown"),
    ],
)
def test_a_need_that_nobody_meets_is_a_no(
    planner: Planner, words: dict[str, object], code: str
) -> None:
    with pytest.raises(Refused) as no:
        planner.ask(TASK, **words)  # type: ignore[arg-type]
    assert code in {reason["code"] for reason in no.value.reasons}
