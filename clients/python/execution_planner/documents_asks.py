"""Documents of the service as types: made by scripts/documents.py from api/openapi.yaml."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypedDict

if TYPE_CHECKING:
    # Python 3.10 has it not, and it is not needed when it runs.
    from typing_extensions import NotRequired


class Task(TypedDict):
    type: str
    spec: NotRequired[dict[str, Any]]


class ComputeItemGpu(TypedDict):
    type: str
    count: NotRequired[int]


class Volume(TypedDict):
    name: str
    path: str
    mode: NotRequired[str]


ComputeItem = TypedDict("ComputeItem", {
    "name": "NotRequired[str]",
    "replicas": "NotRequired[int]",
    "type": "NotRequired[str]",
    "arch": "NotRequired[str]",
    "min-cores": "NotRequired[float]",
    "max-cores": "NotRequired[float]",
    "min-memory": "NotRequired[str | float]",
    "max-memory": "NotRequired[str | float]",
    "gpu": "NotRequired[ComputeItemGpu]",
    "volumes": "NotRequired[list[Volume]]",
})


class StorageItem(TypedDict):
    name: str
    type: str
    size: NotRequired[str | float]
    lifetime: NotRequired[str]
    objectid: NotRequired[str]
    lifecycle: NotRequired[str]
    endpoint: NotRequired[str]
    bucket: NotRequired[str]
    object: NotRequired[str]
    prefix: NotRequired[str]
    scope: NotRequired[str]
    location: NotRequired[str]


class Resources(TypedDict):
    compute: NotRequired[list[ComputeItem]]
    storage: NotRequired[list[StorageItem]]


class TimeItemDuration(TypedDict):
    min: NotRequired[str]
    max: NotRequired[str]


TimeItem = TypedDict("TimeItem", {
    "start": "NotRequired[str]",
    "duration": "NotRequired[str | TimeItemDuration]",
    "min-duration": "NotRequired[str]",
    "max-duration": "NotRequired[str]",
    "minduration": "NotRequired[str]",
    "maxduration": "NotRequired[str]",
})


class CostLimit(TypedDict):
    type: str
    max: NotRequired[float]


class Ask(TypedDict):
    name: NotRequired[str]
    task: Task
    resources: NotRequired[Resources]
    time: NotRequired[str | TimeItem | list[str | TimeItem]]
    datetime: NotRequired[str | TimeItem | list[str | TimeItem]]
    costs: NotRequired[list[CostLimit]]


SessionState: TypeAlias = Literal[
    'OFFERED',
    'REJECTED',
    'EXPIRED',
    'ACCEPTED',
    'WAITING',
    'PREPARING',
    'AVAILABLE',
    'RUNNING',
    'RELEASING',
    'COMPLETED',
    'FAILED',
    'CANCELLED',
]


class Identity(TypedDict):
    type: Literal['anonymous', 'local', 'oidc']
    user: NotRequired[str]
    issuer: NotRequired[str]
    subject: NotRequired[str]


class OfferTime(TypedDict):
    start: str
    duration: str


class Connection(TypedDict):
    type: Literal['ivo://ivoa.net/std/UWS#rest-1.1']
    jobs: str
    job: str
    method: Literal['POST']
    parameters: dict[str, str]


class Cost(TypedDict):
    type: str
    description: NotRequired[str]
    min: float
    max: float


class OfferRequest(TypedDict):
    name: NotRequired[str]
    task: Task
    resources: Resources


Offer = TypedDict("Offer", {
    "ask": "NotRequired[str]",
    "ident": "str",
    "href": "str",
    "status": "SessionState",
    "expires": "str",
    "expires-in": "int",
    "destination": "str",
    "environment": "NotRequired[str]",
    "python": "NotRequired[str]",
    "note": "NotRequired[str]",
    "identity": "Identity",
    "time": "OfferTime",
    "connection": "Connection",
    "costs": "NotRequired[list[Cost]]",
    "request": "OfferRequest",
})


class AnswerYes(TypedDict):
    result: Literal['YES']
    ident: str
    explain: str
    offers: list[Offer]


Change = TypedDict("Change", {
    "path": "str",
    "from": "NotRequired[Any]",
    "to": "NotRequired[Any]",
    "text": "str",
})


class Nearest(TypedDict):
    destination: str
    changes: list[Change]
    ask: Ask


Reason = TypedDict("Reason", {
    "code": "str",
    "path": "str",
    "text": "str",
    "destination": "NotRequired[str]",
    "destinations": "NotRequired[list[str]]",
    "more-destinations": "NotRequired[int]",
    "resource": "NotRequired[Literal['cores', 'memory', 'gpus', 'scratch', 'storage', 'results']]",
    "asked": "NotRequired[str | float]",
    "needed": "NotRequired[str | float]",
    "limit": "NotRequired[str | float]",
    "earliest": "NotRequired[str]",
})


AnswerNo = TypedDict("AnswerNo", {
    "result": "Literal['NO']",
    "ident": "str",
    "explain": "str",
    "nearest": "NotRequired[Nearest]",
    "reasons": "list[Reason]",
    "more-reasons": "NotRequired[int]",
})


class Proposal(TypedDict):
    status: Literal['PROPOSED']
    destination: str
    environment: NotRequired[str]
    python: NotRequired[str]
    note: NotRequired[str]
    identity: Identity
    time: OfferTime
    costs: NotRequired[list[Cost]]
    request: OfferRequest


DryRunYes = TypedDict("DryRunYes", {
    "result": "Literal['YES']",
    "dry-run": "bool",
    "offers": "list[Proposal]",
})


DryRunNo = TypedDict("DryRunNo", {
    "result": "Literal['NO']",
    "dry-run": "bool",
    "nearest": "NotRequired[Nearest]",
    "reasons": "list[Reason]",
    "more-reasons": "NotRequired[int]",
})


Answer: TypeAlias = "AnswerYes | AnswerNo | DryRunYes | DryRunNo"


class OfferList(TypedDict):
    offers: list[Offer]
    next: NotRequired[str]


class OfferUpdate(TypedDict):
    ident: NotRequired[str]
    status: Literal['ACCEPTED', 'REJECTED', 'CANCELLED']
    why: NotRequired[str]
    start: NotRequired[Literal['auto', 'client']]


ListedAsk = TypedDict("ListedAsk", {
    "ask": "str",
    "created": "str",
    "result": "Literal['YES', 'NO']",
    "identity": "Identity",
    "name": "NotRequired[str]",
    "tool": "NotRequired[str]",
    "offers": "list[str]",
    "open-offers": "int",
    "accepted": "NotRequired[str]",
})


class AskList(TypedDict):
    asks: list[ListedAsk]
    next: NotRequired[str]


AskRecord = TypedDict("AskRecord", {
    "ask": "str",
    "created": "str",
    "result": "Literal['YES', 'NO']",
    "identity": "Identity",
    "name": "NotRequired[str]",
    "tool": "NotRequired[str]",
    "offers": "list[str]",
    "open-offers": "int",
    "accepted": "NotRequired[str]",
    "document": "NotRequired[dict[str, Any]]",
    "answer": "Answer",
})


class ProblemPlace(TypedDict):
    path: str
    text: str


Problem = TypedDict("Problem", {
    "type": "str",
    "title": "str",
    "status": "int",
    "code": "str",
    "detail": "str",
    "instance": "NotRequired[str]",
    "request-id": "NotRequired[str]",
    "errors": "NotRequired[list[ProblemPlace]]",
    "allowed": "NotRequired[list[str]]",
    "state": "NotRequired[str]",
    "winner": "NotRequired[str]",
})
