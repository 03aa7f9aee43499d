"""Documents of the service as types: made by scripts/documents.py from api/openapi.yaml."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypedDict

from .documents_jobs import (
    UwsPhase,
)
from .documents_site import (
    CalendarAmounts,
    Closure,
    QuotaLine,
)

if TYPE_CHECKING:
    # Python 3.10 has it not, and it is not needed when it runs.
    from typing_extensions import NotRequired


class OverviewDestinationResults(TypedDict):
    pool: str
    size: float
    held: float
    kept: float


OverviewDestinationQueue = TypedDict("OverviewDestinationQueue", {
    "pending": "int",
    "waiting": "int",
    "due": "int",
    "running": "int",
    "longest-wait": "int",
})


Drain = TypedDict("Drain", {
    "destination": "str",
    "reason": "str",
    "from": "str",
    "until": "NotRequired[str]",
    "owner": "str",
    "at": "str",
})


class OverviewDestination(TypedDict):
    destination: str
    listed: bool
    open: bool
    runner: NotRequired[str]
    engine: Literal['answers', 'silent', 'unasked']
    capacity: NotRequired[CalendarAmounts]
    held: CalendarAmounts
    firm: CalendarAmounts
    free: NotRequired[CalendarAmounts]
    results: NotRequired[OverviewDestinationResults]
    queue: OverviewDestinationQueue
    maintenance: NotRequired[list[Closure]]
    drain: NotRequired[Drain]


class OverviewExecutorEngine(TypedDict):
    destination: str
    answers: bool


class OverviewExecutor(TypedDict):
    executor: str
    host: str
    alive: bool
    until: str
    jobs: int
    engines: list[OverviewExecutorEngine]


class OverviewHolder(TypedDict):
    owner: str
    user: NotRequired[str]
    destination: str
    held: CalendarAmounts
    firm: CalendarAmounts
    answers: int
    jobs: int
    until: str


class OverviewCount(TypedDict):
    owner: str
    user: NotRequired[str]
    phase: UwsPhase
    jobs: int


class OverviewPart(TypedDict):
    part: str
    state: Literal['ok', 'degraded', 'fails']
    problems: list[str]


class OverviewRules(TypedDict):
    digest: str
    since: str
    state: Literal['current', 'stale', 'kept']
    problems: list[str]
    files: list[str]
    loaded: int
    refused: int


class OverviewSite(TypedDict):
    file: str
    problems: list[str]


class Overview(TypedDict):
    at: str
    destinations: list[OverviewDestination]
    executors: list[OverviewExecutor]
    holders: list[OverviewHolder]
    jobs: list[OverviewCount]
    parts: list[OverviewPart]
    rules: NotRequired[OverviewRules]
    site: NotRequired[OverviewSite]
    quotas: list[QuotaLine]


DrainWanted = TypedDict("DrainWanted", {
    "reason": "str",
    "from": "NotRequired[str]",
    "until": "NotRequired[str]",
})


AuditEntry = TypedDict("AuditEntry", {
    "at": "str",
    "request-id": "str",
    "owner": "str",
    "administrator": "bool",
    "address": "str",
    "action": "str",
    "status": "int",
    "why": "NotRequired[str]",
})
