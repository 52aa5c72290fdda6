"""A question is right by what its answer holds or quotes, and a model better only where nothing is lost for it."""

from uuid import UUID

import pytest

from core.quality.examination.judging import (
    BETTER,
    EQUAL,
    FAILED,
    INVENTED,
    MISSED,
    RIGHT,
    WITHHELD,
    WORSE,
    WRONG,
    Ended,
    Place,
    compare,
    judge,
    sum_up,
)
from core.types import Citation

DOCUMENT, CHUNK, OTHER = UUID(int=1), UUID(int=2), UUID(int=3)
PLACE = Place(document_id=DOCUMENT, chunk_id=CHUNK, start=10, end=20)


def quote(chunk: UUID | None, start: int, end: int, document: UUID = DOCUMENT) -> Citation:
    return Citation(
        number=1,
        chunk_id=chunk,
        document_id=document,
        document_name="",
        document_date=None,
        page_number=None,
        section="",
        source_url="",
        excerpt="",
        quoted_excerpt="",
        start=start,
        end=end,
        relevance_score=0.0,
    )


@pytest.mark.parametrize(
    ("ended", "is_answerable", "words", "outcome"),
    [
        (Ended(text="It costs 75 euros."), True, "75 euros", RIGHT),
        (Ended(text="It costs 175 euros."), True, "75 euros", WRONG),
        (Ended(text="5 members were there."), True, "Five", RIGHT),
        (Ended(text="Five members were there."), True, "5", RIGHT),
        (Ended(text="15 members were there."), True, "Five", WRONG),
        (Ended(text="Six members were there."), True, "5", WRONG),
        (Ended(text=None), True, "75 euros", MISSED),
        (Ended(text=None), False, "75 euros", WITHHELD),
        (Ended(text="It costs 75 euros."), False, "75 euros", INVENTED),
        (Ended(text="It costs 75 euros.", has_failed=True), True, "75 euros", FAILED),
        (Ended(text="A post.", citations=(quote(CHUNK, 0, 11),)), True, "", RIGHT),
        (Ended(text="A post.", citations=(quote(CHUNK, 20, 30),)), True, "", WRONG),
        (Ended(text="A post.", citations=(quote(OTHER, 0, 11),)), True, "", WRONG),
        (Ended(text="A post.", citations=(quote(None, 0, 1),)), True, "", RIGHT),
        (Ended(text="A post."), True, "", WRONG),
    ],
)
def test_an_outcome(ended: Ended, is_answerable: bool, words: str, outcome: str) -> None:
    assert judge(ended, is_answerable=is_answerable, words=words, places=[PLACE]) == outcome


def figures(**counts: int) -> dict[str, int]:
    return {"right": 5, "wrong": 1, "invented": 1} | counts


@pytest.mark.parametrize(
    ("model", "how"),
    [
        (figures(), EQUAL),
        (figures(right=6), BETTER),
        (figures(wrong=0), BETTER),
        (figures(right=4), WORSE),
        (figures(right=9, invented=2), WORSE),
        (figures(right=4, wrong=0, invented=0), WORSE),
        (figures(wrong=0, invented=2), EQUAL),
    ],
)
def test_better_means_that_nothing_is_lost_for_it(model: dict[str, int], how: str) -> None:
    assert compare(model, figures()) == how


def test_the_figures_add_up() -> None:
    ended = [Ended(text="x", ms=1000.0, tokens=5, keeps_format=True), Ended(text=None, ms=3000.0, tokens=7)]
    assert sum_up([RIGHT, MISSED], ended) == {
        **dict.fromkeys((WRONG, INVENTED, WITHHELD, FAILED), 0),
        RIGHT: 1,
        MISSED: 1,
        "questions": 2,
        "seconds_p50": 2.0,
        "seconds_p95": 3.0,
        "tokens": 12,
        "format_kept": 1,
        "own_words": 0,
    }
