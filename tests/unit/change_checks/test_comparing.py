"""What a change does to one answer, and which answers are worse."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any
from uuid import UUID, uuid4

import pytest

from core.quality.change_checks.comparing import Difference, compare
from core.quality.examination.judging import Place
from core.quality.examination.questions import Question
from core.types import Audience, Citation, Edition, Run
from core.values.change_checks import Outcome

HERE, THERE = uuid4(), uuid4()
WORDS = "It opens at noon."
OTHER = "It opens at ten."


def cite(document: UUID, quote: str = WORDS) -> Citation:
    """Build a citation of a document."""
    return Citation(
        number=1,
        chunk_id=UUID(int=document.int ^ 1),
        document_id=document,
        document_name="Canteen",
        document_date=None,
        page_number=None,
        section="",
        source_url="",
        excerpt=quote,
        quoted_excerpt=quote,
        start=0,
        end=len(quote),
        relevance_score=0.9,
        document_version=1,
    )


def answer(*documents: UUID, text: str | None = WORDS) -> Run:
    """Build how a question ended: by default with an answer from some documents."""
    return Run(
        text=text,
        refusal="" if text is not None else "nothing_found",
        confidence=0.9,
        citations=tuple(cite(document) for document in documents),
        closest=(),
        steps=(),
        dropped=0,
    )


REFUSAL = answer(text=None)


def dispute(run: Run) -> Run:
    """Build an answer that says which other document answers its question differently."""
    contradiction: Any = object()  # of which only that it is there is compared
    return replace(run, contradiction=contradiction)


def library(document: UUID) -> Question:
    """Build a question that a passage of a document answers."""
    place = Place(document_id=document, chunk_id=UUID(int=document.int ^ 1), start=0, end=len(WORDS))
    return Question(
        kind="label",
        text="When does it open?",
        audience=Audience.of([[uuid4()]]),
        words="noon",
        places=(place,),
        sources=(Edition(document, 1),),
    )


def ask(before: Run | None, after: Run | None, **more: Any) -> Difference:
    """Compare two ends of a person's question, whose answer nobody voted on."""
    return compare(before, after, **{"by_model": False, "is_liked": False, "library": None, "replaced": (), **more})


@pytest.mark.parametrize(
    ("before", "after", "outcome"),
    [
        (answer(HERE), None, Outcome.FAILED),
        (REFUSAL, None, Outcome.FAILED),
        (answer(HERE), REFUSAL, Outcome.VANISHED),
        (answer(HERE), dispute(answer(HERE)), Outcome.DISPUTED),
        (dispute(answer(HERE)), dispute(answer(HERE)), Outcome.SAME),
        (answer(HERE), answer(THERE), Outcome.SOURCES),
        (answer(HERE), answer(HERE, THERE), Outcome.SOURCES),
        (answer(HERE), answer(HERE, text="At twelve."), Outcome.WORDING),
        (REFUSAL, answer(HERE), Outcome.ANSWERED),
        (None, answer(HERE), Outcome.ANSWERED),
        (answer(HERE), answer(HERE), Outcome.SAME),
        (REFUSAL, REFUSAL, Outcome.SAME),
        (None, None, Outcome.SAME),
        (None, REFUSAL, Outcome.SAME),
    ],
)
def test_each_pair_of_ends_has_an_outcome(before: Run | None, after: Run | None, outcome: Outcome) -> None:
    """What fails, vanishes or is disputed is worse, and of a question that nobody voted on nothing else is."""
    is_worse = outcome in {Outcome.FAILED, Outcome.VANISHED, Outcome.DISPUTED}
    found = ask(before, after)
    assert (found.outcome, found.is_worse) == (outcome, is_worse)


def test_the_words_of_a_model_differ_each_time() -> None:
    """Only whether there is an answer, and from which documents, is compared."""
    other = answer(HERE, text="At twelve.")
    assert ask(answer(HERE), other, by_model=True).outcome == Outcome.SAME
    assert ask(answer(HERE), answer(THERE), by_model=True).outcome == Outcome.SOURCES


@pytest.mark.parametrize(
    ("after", "replaced", "is_worse"),
    [
        (answer(THERE, text=OTHER), (), True),  # what somebody found helpful came from here
        (answer(HERE, THERE), (), False),
        (answer(HERE, text="At twelve."), (), False),
        (answer(HERE, text="At one."), (HERE,), False),  # the change replaces that text: another answer is wanted
        (answer(THERE, text=OTHER), (HERE,), True),  # but not one from elsewhere
    ],
)
def test_a_helpful_answer_is_worse_without_its_document(after: Run, replaced: Iterable[UUID], is_worse: bool) -> None:
    assert ask(answer(HERE), after, is_liked=True, replaced=tuple(replaced)).is_worse is is_worse


@pytest.mark.parametrize(
    ("after", "replaced", "is_worse"),
    [
        (answer(THERE, text="Never."), (), True),
        (answer(HERE, THERE), (), False),  # still right
        (answer(HERE, THERE, text="Never."), (HERE,), False),
        (answer(THERE, text="Never."), (THERE,), True),
    ],
)
def test_a_question_of_the_library_is_worse_where_it_was_right(
    after: Run, replaced: Iterable[UUID], is_worse: bool
) -> None:
    found = ask(answer(HERE), after, library=library(HERE), replaced=tuple(replaced))
    assert (found.outcome, found.is_worse) == (Outcome.SOURCES, is_worse)


@pytest.mark.parametrize("after", [answer(THERE, text=OTHER), answer(HERE, THERE), answer(HERE, text="At one.")])
def test_an_answer_that_leaves_a_replaced_document_is_worse(after: Run) -> None:
    """The new text answers no more, and what comes instead is from elsewhere. Another answer from it is expected."""
    assert ask(answer(HERE), after, replaced=(HERE,)).is_worse is (after.citations[0].document_id == THERE)


@pytest.mark.parametrize(
    ("after", "is_displaced"),
    [
        (answer(THERE, text=OTHER), True),
        (answer(THERE), False),
        (answer(HERE, THERE), False),
        (answer(HERE, text="At one."), False),
    ],
)
def test_an_answer_is_displaced_where_it_cites_none_of_the_documents_of_before(after: Run, is_displaced: bool) -> None:
    assert ask(answer(HERE), after).is_displaced is is_displaced


def test_the_same_words_from_a_copy_are_not_worse() -> None:
    assert not ask(answer(HERE), answer(THERE), is_liked=True).is_worse


def test_what_was_wrong_before_cannot_get_worse_but_by_vanishing() -> None:
    before = answer(THERE, text="Never.")
    assert not ask(before, answer(THERE, text="Not at all."), library=library(HERE)).is_worse
    assert ask(before, REFUSAL, library=library(HERE)).is_worse
