"""Which limits a change crosses."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.models import ChangeLimit
from core.quality.change_checks.limits import find_crossed, keep_limits
from core.values.change_checks import ChangeKind, Limit

FIGURES = {"questions": 20, "same": 15, "worse": 2, "moved": 3, "people": 8}
NOTHING = dict.fromkeys(FIGURES, 0)
NONE = {"most_worse": 100, "most_moved": 100, "most_changed": None, "most_people": None}


@pytest.mark.parametrize(
    ("limits", "figures", "crossed"),
    [
        ({}, {}, []),
        ({}, {"questions": 0}, []),
        (NONE, {}, []),
        ({"most_worse": 10}, {}, []),  # two of twenty
        ({"most_worse": 9}, {}, [Limit.WORSE]),
        ({"most_worse": 0}, {"worse": 0}, []),
        ({"most_changed": 25}, {}, []),  # five of twenty
        ({"most_changed": 24}, {}, [Limit.CHANGED]),
        ({"most_changed": 0}, {"same": 20}, []),
        ({"most_moved": 15}, {}, []),  # three of twenty
        ({"most_moved": 14}, {}, [Limit.MOVED]),
        ({"most_people": 8}, {}, []),
        ({"most_people": 7}, {}, [Limit.PEOPLE]),
        ({"most_worse": 0, "most_changed": 0, "most_people": 0}, {}, [Limit.WORSE, Limit.CHANGED, Limit.PEOPLE]),
        ({}, NOTHING, []),
        ({"most_worse": 0}, {**NOTHING, "people": 1}, [Limit.UNCHECKED]),
        ({"most_worse": 0}, NOTHING, []),  # nobody gains or loses anything
    ],
)
def test_a_share_above_its_limit_crosses_it(
    limits: dict[str, int], figures: dict[str, int], crossed: list[Limit]
) -> None:
    """As many as the limit allows do not. Where no limit is kept, none is crossed."""
    kept: dict[str, int | None] = {**NONE, **limits} if limits else {}
    assert find_crossed(kept, {**FIGURES, **figures}) == crossed


def test_what_is_of_no_people_crosses_no_limit_of_people() -> None:
    figures = {name: count for name, count in FIGURES.items() if name != "people"}
    assert find_crossed({**NONE, "most_people": 0}, figures) == []


@given(st.integers(1, 1000), st.data())
def test_the_strictest_limit_is_crossed_by_the_first_answer_that_gets_worse(questions: int, data: Any) -> None:
    worse = data.draw(st.integers(0, questions))
    figures = {**NOTHING, "questions": questions, "same": questions - worse, "worse": worse}
    assert (Limit.WORSE in find_crossed({**NONE, "most_worse": 0}, figures)) == (worse > 0)
    assert find_crossed({**NONE, "most_worse": 100}, figures) == []


def test_a_check_keeps_what_holds_when_it_is_asked_for() -> None:
    limit = ChangeLimit(kind=ChangeKind.GRANTS, is_on=True, from_documents=3, most_worse=5, most_people=40)
    assert keep_limits(limit) == {"most_worse": 5, "most_moved": 0, "most_changed": None, "most_people": 40}
    assert keep_limits(None) == {}
