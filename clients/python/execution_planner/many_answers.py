"""What several planners would answer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Generic, TypeVar

from .answers import Answer

OffersT = TypeVar("OffersT")


class ManyAnswers(Mapping[str, Answer[OffersT]], Generic[OffersT]):
    """The answer of each planner by its name; true when one of them is YES.

    Attributes:
        notes: A sentence for each planner that gave no answer.
    """

    def __init__(self, answers: Mapping[str, Answer[OffersT]], notes: Iterable[str]) -> None:
        self._answers = dict(answers)
        self.notes = list(notes)

    def __getitem__(self, name: str) -> Answer[OffersT]:
        return self._answers[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._answers)

    def __len__(self) -> int:
        return len(self._answers)

    def __bool__(self) -> bool:
        return any(self._answers.values())

    def __repr__(self) -> str:
        said = [f"{name}: {answer!r}" for name, answer in self._answers.items()]
        return "\n".join([*said, *self.notes])
