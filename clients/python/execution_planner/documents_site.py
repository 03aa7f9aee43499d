"""Documents of the service as types: made by scripts/documents.py from api/openapi.yaml."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypedDict

from .documents_asks import (
    Identity,
)

if TYPE_CHECKING:
    # Python 3.10 has it not, and it is not needed when it runs.
    from typing_extensions import NotRequired


class CalendarAmountsGpu(TypedDict):
    type: str
    count: int


class CalendarAmounts(TypedDict):
    cores: float
    memory: float
    scratch: float
    results: NotRequired[float]
    gpus: NotRequired[list[CalendarAmountsGpu]]


class CalendarDestinationResults(TypedDict):
    size: float
    free: float
    held: float
    kept: float


class CalendarDestinationStep(TypedDict):
    start: str
    end: str
    free: CalendarAmounts
    held: CalendarAmounts
    firm: CalendarAmounts


class Closure(TypedDict):
    start: str
    end: str
    reason: str
    takes: Literal['all'] | CalendarAmounts


class CalendarDestinationReservation(TypedDict):
    ask: str
    job: NotRequired[str]
    state: Literal['held', 'firm']
    start: str
    end: str
    amount: CalendarAmounts


class CalendarDestination(TypedDict):
    destination: str
    capacity: CalendarAmounts
    results: NotRequired[CalendarDestinationResults]
    steps: list[CalendarDestinationStep]
    maintenance: list[Closure]
    mine: NotRequired[list[CalendarDestinationReservation]]


class CalendarPool(TypedDict):
    pool: str
    tasks: int
    cores: float
    memory: float
    gpus: float


Calendar = TypedDict("Calendar", {
    "from": "str",
    "to": "str",
    "destinations": "list[CalendarDestination]",
    "pools": "NotRequired[list[CalendarPool]]",
})


class MeSignIn(TypedDict):
    id: str
    since: str
    kind: Literal['oidc', 'password', 'token']


QuotaLineLimit: TypeAlias = Literal[
    'holds',
    'jobs',
    'cores',
    'memory',
    'gpu-hours',
    'share',
    'results',
    'stored',
    'asks-per-minute',
]


QuotaLine = TypedDict("QuotaLine", {
    "for": "Literal['user', 'anonymous', 'role', 'site']",
    "name": "NotRequired[str]",
    "owner": "NotRequired[str]",
    "limit": "QuotaLineLimit",
    "most": "float",
    "used": "float",
    "destination": "NotRequired[str]",
    "window": "NotRequired[int]",
})


Me = TypedDict("Me", {
    "identity": "Identity",
    "roles": "list[str]",
    "administrator": "bool",
    "until": "NotRequired[str]",
    "sign-in": "NotRequired[MeSignIn]",
    "quotas": "list[QuotaLine]",
})


SignInDevice = TypedDict("SignInDevice", {
    "client-id": "str",
    "scopes": "list[str]",
    "resource": "NotRequired[str]",
})


class SignIn(TypedDict):
    kind: Literal['oidc', 'password', 'token']
    name: NotRequired[str]
    issuer: NotRequired[str]
    start: NotRequired[str]
    device: NotRequired[SignInDevice]


SiteOffers = TypedDict("SiteOffers", {
    "lifetime": "int",
    "most": "int",
    "duration": "int",
    "longest": "int",
    "horizon": "int",
    "start-window": "int",
    "queue-limit": "int",
    "keep-results": "int",
})


class SiteDefaults(TypedDict):
    cores: float
    memory: float
    scratch: float


class SiteTaskType(TypedDict):
    type: str
    name: str
    title: str
    schema: dict[str, Any]
    example: NotRequired[dict[str, Any]]


SitePlace = TypedDict("SitePlace", {
    "size": "float",
    "max-lifetime": "int",
    "destinations": "NotRequired[list[str]]",
})


SiteDestination = TypedDict("SiteDestination", {
    "destination": "str",
    "description": "NotRequired[str]",
    "task-types": "list[str]",
    "arch": "NotRequired[Literal['amd64', 'arm64']]",
    "open": "bool",
    "capacity": "CalendarAmounts",
    "maintenance": "list[Closure]",
})


Site = TypedDict("Site", {
    "name": "str",
    "message": "NotRequired[str]",
    "time-zone": "NotRequired[str]",
    "sign-in": "list[SignIn]",
    "anonymous": "bool",
    "offers": "SiteOffers",
    "defaults": "SiteDefaults",
    "task-types": "list[SiteTaskType]",
    "storage": "NotRequired[list[SitePlace]]",
    "gpu-types": "list[str]",
    "architectures": "list[str]",
    "destinations": "list[SiteDestination]",
})


class EnvironmentPackage(TypedDict):
    name: str
    version: str


class Environment(TypedDict):
    environment: str
    state: Literal['ready', 'broken']
    python: NotRequired[str]
    packages: list[EnvironmentPackage]
    destinations: list[str]


class EnvironmentList(TypedDict):
    environments: list[Environment]
