"""Ask an ExecutionPlanner for machines, and follow the jobs.

from execution_planner import Planner, notebook

planner = Planner("https://planner.example.org")
offers = planner.ask(notebook("https://example.org/square-root.ipynb"), cores=2)
job = offers.first.accept()
for line in job.follow():
    print(line)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .versions import VERSION as __version__

if TYPE_CHECKING:
    from .answers import Answer as Answer
    from .async_jobs import AsyncJob as AsyncJob
    from .async_many_offers import AsyncManyOffers as AsyncManyOffers
    from .async_offers import AsyncOffer as AsyncOffer
    from .async_offers import AsyncOffers as AsyncOffers
    from .async_planner import AsyncPlanner as AsyncPlanner
    from .async_planners import AsyncPlanners as AsyncPlanners
    from .async_results import AsyncResult as AsyncResult
    from .async_results import AsyncResults as AsyncResults
    from .calendar import Calendar as Calendar
    from .changes import Change as Change
    from .errors import JobAborted as JobAborted
    from .errors import JobFailed as JobFailed
    from .errors import Nearest as Nearest
    from .errors import OfferExpired as OfferExpired
    from .errors import OfferTaken as OfferTaken
    from .errors import PlannerError as PlannerError
    from .errors import Refused as Refused
    from .errors import ResultBroken as ResultBroken
    from .errors import Unauthorized as Unauthorized
    from .errors import Unreachable as Unreachable
    from .errors import WaitTimeout as WaitTimeout
    from .jobs import Job as Job
    from .many import AllRefused as AllRefused
    from .many_answers import ManyAnswers as ManyAnswers
    from .many_offers import ManyOffers as ManyOffers
    from .many_view import PlannersWarning as PlannersWarning
    from .offers import Offer as Offer
    from .offers import Offers as Offers
    from .planner import Planner as Planner
    from .planners import Planners as Planners
    from .results import Result as Result
    from .results import Results as Results
    from .tasks import container as container
    from .tasks import executable as executable
    from .tasks import helm_chart as helm_chart
    from .tasks import notebook as notebook
    from .tasks import python_program as python_program
    from .tasks import task as task
    from .versions import VersionWarning as VersionWarning

_PLACES = {
    "answers": "Answer",
    "async_jobs": "AsyncJob",
    "async_many_offers": "AsyncManyOffers",
    "async_offers": "AsyncOffer AsyncOffers",
    "async_planner": "AsyncPlanner",
    "async_planners": "AsyncPlanners",
    "async_results": "AsyncResult AsyncResults",
    "calendar": "Calendar",
    "changes": "Change",
    "errors": (
        "JobAborted JobFailed Nearest OfferExpired OfferTaken PlannerError Refused ResultBroken "
        "Unauthorized Unreachable WaitTimeout"
    ),
    "jobs": "Job",
    "many": "AllRefused",
    "many_answers": "ManyAnswers",
    "many_offers": "ManyOffers",
    "many_view": "PlannersWarning",
    "offers": "Offer Offers",
    "planner": "Planner",
    "planners": "Planners",
    "results": "Result Results",
    "tasks": "container executable helm_chart notebook python_program task",
    "versions": "VersionWarning",
}
_HOMES = {name: module for module, names in _PLACES.items() for name in names.split()}

__all__ = ["__version__", *_HOMES]  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> Any:
    """Loads what is used, when it is used: `import execution_planner` itself takes no time."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f".{_HOMES[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
