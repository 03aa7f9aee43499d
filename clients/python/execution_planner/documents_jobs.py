"""Documents of the service as types: made by scripts/documents.py from api/openapi.yaml."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias, TypedDict

from .documents_asks import (
    SessionState,
)

if TYPE_CHECKING:
    # Python 3.10 has it not, and it is not needed when it runs.
    from typing_extensions import NotRequired


UwsPhase: TypeAlias = Literal[
    'PENDING',
    'QUEUED',
    'EXECUTING',
    'COMPLETED',
    'ERROR',
    'UNKNOWN',
    'HELD',
    'SUSPENDED',
    'ABORTED',
    'ARCHIVED',
]


class JobParameter(TypedDict):
    id: str
    value: str
    byReference: bool


class JobResult(TypedDict):
    id: str
    href: str
    size: int
    mimeType: str


class UwsErrorSummary(TypedDict):
    type: Literal['transient', 'fatal']
    hasDetail: bool
    message: str


class UwsDecision(TypedDict):
    asked: str
    rules: str
    tool: str | None
    considered: int
    suitable: int
    rank: int | None


class UwsUsage(TypedDict):
    wallTime: float | None
    processorTime: float | None
    peakMemory: float | None


class JobInfoSession(TypedDict):
    state: str
    offer: str
    destination: str
    runner: str
    offeredStart: str
    claimedStart: str | None
    queuePosition: int | None
    decision: UwsDecision | None
    usage: UwsUsage | None


class JobInfo(TypedDict):
    session: JobInfoSession


class UwsJob(TypedDict):
    version: Literal['1.1']
    jobId: str
    runId: str | None
    ownerId: str | None
    phase: UwsPhase
    quote: str | None
    creationTime: str
    startTime: str | None
    endTime: str | None
    executionDuration: int
    destruction: str
    parameters: list[JobParameter]
    results: list[JobResult]
    errorSummary: UwsErrorSummary | None
    jobInfo: JobInfo


class UwsJobListCountsPhases(TypedDict):
    phase: UwsPhase
    jobs: int


class UwsJobListCounts(TypedDict):
    phases: list[UwsJobListCountsPhases]
    complete: bool


class UwsAmountsGpus(TypedDict):
    type: str
    count: int


class UwsAmounts(TypedDict):
    cores: float
    memory: float
    scratch: float
    gpus: NotRequired[UwsAmountsGpus]


class ListedJob(TypedDict):
    id: str
    href: str
    phase: UwsPhase
    runId: str | None
    ownerId: str | None
    creationTime: str
    name: str | None
    destination: str
    type: str | None
    state: str
    offeredStart: str
    startTime: str | None
    endTime: str | None
    executionDuration: int
    resources: UwsAmounts


class UwsJobList(TypedDict):
    version: Literal['1.1']
    counts: NotRequired[UwsJobListCounts]
    jobs: list[ListedJob]
    next: NotRequired[str]


class OfferEvent(TypedDict):
    id: str
    ask: str
    state: SessionState


class JobEvent(TypedDict):
    id: str
    state: str
    phase: UwsPhase


class BookEvent(TypedDict):
    number: int
