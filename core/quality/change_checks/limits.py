"""Read the limits that an administrator set, and find those that a change crosses."""

from collections.abc import Mapping
from typing import Any

from core.models import ChangeLimit
from core.values.change_checks import ChangeKind, Limit, Outcome


def find_limit(kind: ChangeKind) -> ChangeLimit | None:
    """Return the limit of a kind of changes where it is switched on."""
    return ChangeLimit.objects.filter(kind=kind, is_on=True).first()


def keep_limits(limit: ChangeLimit | None) -> dict[str, int | None]:
    """Return what a check keeps of a limit: it is judged by what held when it was asked for."""
    if limit is None:
        return {}
    return {
        "most_worse": limit.most_worse,
        "most_moved": limit.most_moved,
        "most_changed": limit.most_changed,
        "most_people": limit.most_people,
    }


def find_crossed(limits: Mapping[str, int | None], figures: Mapping[str, Any]) -> list[Limit]:
    """Return the limits that a change crosses; none where none was kept.

    figures: as of `count_outcomes` and `Change.measure_effect`. Shares are of the questions asked.
    """
    if not limits:
        return []
    questions = figures["questions"]
    changed = questions - figures[Outcome.SAME]
    crossed = []
    if not questions and figures.get("people") != 0:  # what nobody gains or loses changes no answer
        crossed.append(Limit.UNCHECKED)
    if _is_above(figures["worse"], questions, limits.get("most_worse")):
        crossed.append(Limit.WORSE)
    if _is_above(figures.get("moved", 0), questions, limits.get("most_moved")):
        crossed.append(Limit.MOVED)
    if _is_above(changed, questions, limits.get("most_changed")):
        crossed.append(Limit.CHANGED)
    most_people = limits.get("most_people")
    if most_people is not None and figures.get("people", 0) > most_people:
        crossed.append(Limit.PEOPLE)
    return crossed


def _is_above(count: int, questions: int, percent: int | None) -> bool:
    return percent is not None and 100 * count > percent * questions
