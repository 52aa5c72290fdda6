"""The plan of a research as a form: its headings and questions in one list, and the limits of asking them.

A heading is followed by the questions that stand below it. A script moves them in the browser; without it each button
sends the form, and what comes back is the form as it would be then. Nothing is stored before it is saved.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise
from typing import Any
from uuid import UUID

from django import forms
from django.http import QueryDict

from core.values.research import LONGEST_HEADING, MOST_MINUTES, Budget, PlannedQuestion, ResearchQuestion

FIELD = "part"  # for each part its kind and its text, in the order of the form
HEADING, NEW = "heading", "new"  # kinds; that of a question which is stored is its id


@dataclass(frozen=True, kw_only=True, slots=True)
class Part:
    """Holds a heading, or a question."""

    text: str = ""
    is_heading: bool = False
    question_id: UUID | None = None

    @property
    def kind(self) -> str:
        """Return the kind as the form has it."""
        return HEADING if self.is_heading else str(self.question_id or NEW)


def list_parts(questions: Sequence[ResearchQuestion]) -> list[Part]:
    """Return the parts of a stored plan."""
    parts: list[Part] = []
    for before, one in pairwise([None, *questions]):
        if one and (before is None or before.heading != one.heading):
            parts.append(Part(text=one.heading, is_heading=True))
        if one:
            parts.append(Part(text=one.text, question_id=one.question_id))
    return parts


def read_parts(data: QueryDict) -> list[Part]:
    """Return the parts of a form that was sent."""
    sent = data.getlist(FIELD)
    return [_read_part(kind, text) for kind, text in zip(sent[::2], sent[1::2], strict=False)]


def _read_part(kind: str, text: str) -> Part:
    if kind == HEADING:
        return Part(text=text, is_heading=True)
    try:
        return Part(text=text, question_id=UUID(kind))
    except ValueError:
        return Part(text=text)


def change_parts(parts: Sequence[Part], act: str) -> list[Part]:
    """Do what a button says: "up", "down", "drop" or "add" with a part's number, or "add" for a section at the end."""
    verb, _, numbered = act.partition(" ")
    if verb == "add" and not numbered:
        return [*parts, Part(is_heading=True), Part()]
    at = int(numbered) if numbered.isascii() and numbered.isdecimal() else len(parts)
    if at >= len(parts):
        return list(parts)
    end = _find_end(parts, at)
    before, moved, after = list(parts[:at]), list(parts[at:end]), list(parts[end:])
    if verb == "add":
        return [*before, *moved, Part(), *after]
    if verb == "drop":
        return [*before, *after]
    if verb == "up" and (start := _find_start(before, is_heading=parts[at].is_heading)) is not None:
        return [*before[:start], *moved, *before[start:], *after]
    if verb == "down" and after:
        passed = _find_end(after, 0) if parts[at].is_heading else 1
        return [*before, *after[:passed], *moved, *after[passed:]]
    return list(parts)


def _find_end(parts: Sequence[Part], at: int) -> int:
    """Return the place behind a question, or behind a heading and its questions."""
    if not parts[at].is_heading:
        return at + 1
    later = range(at + 1, len(parts))
    return next((place for place in later if parts[place].is_heading), len(parts))


def _find_start(before: Sequence[Part], *, is_heading: bool) -> int | None:
    """Return the place to which a part goes up; None for what is at the top. A question stays below a heading."""
    if not is_heading:
        return len(before) - 1 if len(before) > 1 else None
    return next((place for place in reversed(range(len(before))) if before[place].is_heading), None)


def make_questions(parts: Sequence[Part], stored: Sequence[ResearchQuestion]) -> list[PlannedQuestion]:
    """Return the questions that the parts make: those that were emptied are struck out.

    A question keeps its id, by which it keeps its filters: also in a form from before the plan was stored anew.
    """
    ids, by_text = {one.question_id for one in stored}, {one.text: one.question_id for one in stored}
    heading, made = "", []
    for part in parts:
        if part.is_heading:
            heading = part.text
        elif part.text.strip():
            kept = part.question_id if part.question_id in ids else by_text.get(part.text.strip())
            made.append(PlannedQuestion(text=part.text, heading=heading, question_id=kept))
    return made


class LimitsForm(forms.Form):
    """Takes the limits of a research: its time, and its cost where its model costs."""

    minutes = forms.IntegerField(
        label="Minutes, at most",
        min_value=1,
        max_value=MOST_MINUTES,
        initial=Budget().most_minutes,
        widget=forms.NumberInput(attrs={"required": True}),
    )
    usd = forms.DecimalField(
        label="US dollars, at most",
        required=False,
        min_value=Decimal("0.0001"),
        max_digits=10,
        decimal_places=4,
        widget=forms.NumberInput(attrs={"placeholder": "no limit"}),
    )

    def __init__(self, *args: Any, costs: bool, **options: Any) -> None:
        """costs: whether its model may cost something."""
        super().__init__(*args, **options)
        if not costs:
            del self.fields["usd"]

    @property
    def budget(self) -> Budget:
        """Return the limits, once they are valid."""
        return Budget(most_minutes=self.cleaned_data["minutes"], most_usd=self.cleaned_data.get("usd"))


LONGEST = {"heading": LONGEST_HEADING, "question": 1000}  # characters
