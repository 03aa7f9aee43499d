"""What can go wrong, one class for each thing that a program does about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple


class PlannerError(Exception):
    """The planner refused a request, or could not be asked.

    Attributes:
        code: The stable code of the problem, such as `offer-unknown`.
        status: The HTTP status, or None without an answer.
        detail: The sentence for people.
        errors: Places of the body that are wrong, each with `path` and `text`.
        request_id: Names the request in the log of the service.
        retry_after: Seconds after which the service wants to be asked again.
        document: The whole problem document.
    """

    def __init__(
        self,
        detail: str,
        *,
        code: str = "",
        status: int | None = None,
        errors: Sequence[Mapping[str, Any]] = (),
        request_id: str | None = None,
        retry_after: float | None = None,
        document: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(detail)
        self.detail = detail
        self.code = code
        self.status = status
        self.errors = list(errors)
        self.request_id = request_id
        self.retry_after = retry_after
        self.document: Mapping[str, Any] = document or {}

    def __reduce__(self) -> Any:
        # Other processes, such as those of a pool, hand exceptions on; a job's connections and its
        # credential stay where they are.
        kept = {name: None if name == "job" else value for name, value in vars(self).items()}
        return _again, (type(self), self.args, kept)

    def __str__(self) -> str:
        lines = [f"{self.code}: {self.detail}" if self.code else self.detail]
        lines += [f"  {error.get('path', '')}: {error.get('text', '')}" for error in self.errors]
        if self.request_id is not None and (self.status or 0) >= 500:
            lines.append(f"  request {self.request_id}")
        return "\n".join(lines)


class Unauthorized(PlannerError):
    """The credential is missing, wrong or over.

    Attributes:
        challenges: What the service accepts, as its header `WWW-Authenticate` says.
    """

    def __init__(self, detail: str, *, challenges: Sequence[str] = (), **more: Any) -> None:
        super().__init__(detail, **more)
        self.challenges = list(challenges)


class Unreachable(PlannerError, ConnectionError):
    """No answer came: no connection, a lost one, or silence for too long."""


class OfferExpired(PlannerError):
    """The offer is over; ask again with `ask`, the document of the task and its resources."""

    def __init__(self, detail: str, *, ask: Mapping[str, Any] | None = None, **more: Any) -> None:
        super().__init__(detail, **more)
        self.ask: Mapping[str, Any] = ask or {}


class OfferTaken(PlannerError):
    """Another offer of the same answer was accepted, or this one was given back.

    Attributes:
        winner: The accepted offer, where there is one.
        ask: The document to ask again.
    """

    def __init__(
        self,
        detail: str,
        *,
        winner: str | None = None,
        ask: Mapping[str, Any] | None = None,
        **more: Any,
    ) -> None:
        super().__init__(detail, **more)
        self.winner = winner
        self.ask: Mapping[str, Any] = ask or {}


class Nearest(NamedTuple):
    """The smallest change that turns a NO into a YES.

    Attributes:
        destination: Who then says YES.
        changes: Each with `path`, `from`, `to` and `text`.
        ask: The changed ask, for `planner.ask(no.nearest.ask)`.
    """

    destination: str
    changes: Sequence[Mapping[str, Any]]
    ask: Mapping[str, Any]

    @classmethod
    def of(cls, document: Mapping[str, Any] | None) -> Nearest | None:
        """Reads `nearest` of an answer."""
        if not document:
            return None
        return cls(document["destination"], document["changes"], document["ask"])

    def __str__(self) -> str:
        changes = "; ".join(str(change.get("text", "")) for change in self.changes)
        return f"{self.destination} would say YES with {changes}"


class Refused(PlannerError):
    """The planner said NO.

    Attributes:
        reasons: Every reason: `code`, `path`, `text`, and amounts where there are some.
        nearest: What would be a YES, if the planner found something.
        explain: The URL of the record of the decision.
        ident: The ask, for `planner.explain(...)`.
        retry_after: Seconds after which to ask again, if that may help.
    """

    def __init__(self, answer: Mapping[str, Any], **more: Any) -> None:
        self.reasons: list[Mapping[str, Any]] = list(answer.get("reasons", ()))
        self.nearest = Nearest.of(answer.get("nearest"))
        self.explain: str | None = answer.get("explain")
        self.ident: str | None = answer.get("ident")
        self.more_reasons = int(answer.get("more-reasons", 0))
        code = str(self.reasons[0].get("code", "refused")) if self.reasons else "refused"
        super().__init__("The planner says NO", code=code, document=answer, **more)

    def __str__(self) -> str:
        lines = ["The planner says NO:", *grouped(self.reasons)]
        if self.more_reasons:
            lines.append(f"  and {self.more_reasons} more, in the explanation")
        if self.nearest is not None:
            lines.append(f"Nearest: {self.nearest}")
        return "\n".join(lines)


class JobFailed(PlannerError):
    """A job that was waited for failed.

    Attributes:
        job: The job; None in another process than the one that waited.
        stderr: The last lines of what it wrote there.
    """

    def __init__(self, detail: str, *, job: Any, stderr: str = "", **more: Any) -> None:
        super().__init__(detail, **more)
        self.job = job
        self.stderr = stderr

    def __str__(self) -> str:
        return f"{super().__str__()}\n{self.stderr}" if self.stderr else super().__str__()


class JobAborted(PlannerError):
    """A job that was waited for was stopped; `job` has it."""

    def __init__(self, detail: str, *, job: Any, **more: Any) -> None:
        super().__init__(detail, **more)
        self.job = job


class WaitTimeout(PlannerError, TimeoutError):
    """The time of `wait(timeout)` is over; the job goes on, and `job` has it."""

    def __init__(self, detail: str, *, job: Any = None, **more: Any) -> None:
        super().__init__(detail, **more)
        self.job = job


class ResultBroken(PlannerError):
    """A result did not arrive as the planner described it: another size or another checksum."""


def grouped(reasons: Sequence[Mapping[str, Any]]) -> list[str]:
    """Lines for people: destinations that say the same share one line."""
    places: dict[tuple[str, str], list[str]] = {}
    for reason in reasons:
        names = list(reason.get("destinations", ()))
        key = (str(reason.get("path", "")), _without_place(str(reason.get("text", "")), names))
        further = reason.get("more-destinations")
        places.setdefault(key, []).extend(names + ([f"{further} more"] if further else []))
    lines = []
    for (path, text), names in places.items():
        where = f" [{', '.join(dict.fromkeys(names))}]" if names else ""
        lines.append(f"  {path}: {text}{where}" if path else f"  {text}{where}")
    return lines


def _again(kind: type[PlannerError], args: Any, attributes: dict[str, Any]) -> PlannerError:
    error = kind.__new__(kind, *args)
    vars(error).update(attributes)
    return error


def _without_place(text: str, names: Sequence[str]) -> str:
    """The text without the destinations before it, which are said once for all of them."""
    head, colon, rest = text.partition(": ")
    return rest if colon and head.split(", ")[0] in names else text
