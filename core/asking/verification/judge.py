"""Define a judge's question and verdict. The judges themselves are in core.asking.verification.entailment. Pure."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Claim:
    """A statement and all that it rests on."""

    statement: str
    quotes: tuple[str, ...]  # whole sentences of the passages, each with its source in front


# For each claim whether its quotes support all of it; None where that could not be found out.
Judge = Callable[[Sequence[Claim]], Sequence[bool | None]]
