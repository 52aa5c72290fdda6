"""Test that a question's result is read from the database, so that a fault of the answering is seen."""

from dataclasses import fields, replace

import pytest

from core.access.audiences import asker_for, audience_of
from core.access.grants import grant, revoke
from core.api import ask
from core.models import Chunk, Citation, CitationWords, Document, RetrievedChunk
from core.models.row_security import bypass_row_security
from core.quality.evaluation.datasets.observation import Observed, observe
from core.quality.evaluation.datasets.verdict import Shown
from core.testing import Cast, make_document
from core.types import Answer, Refusal, RefusalReason, Result
from tests.integration.evaluation.conftest import INSPECTION, QUESTION, REPORT


@pytest.fixture
def answer(cast: Cast, manual: Document) -> Answer:
    """Alice's question, answered from the manual."""
    result = ask(QUESTION, asker=asker_for(cast.alice), audience=audience_of([cast.alice.pk]))
    assert isinstance(result, Answer)
    return result


def observed(result: Answer | Refusal, cast: Cast) -> Observed:
    """Observe Alice's question."""
    return observe(result, user_id=cast.alice.pk)


def described(document: Document) -> str:
    """Return the names by which a dataset can name a document."""
    return f"{document.title} {document.source_url} {document.source} "


def test_an_answer_is_observed_with_its_quotes_and_documents(answer: Answer, cast: Cast, manual: Document) -> None:
    """Every quote occurs at its stated place, and every document is one that Alice may read."""
    found = observed(answer, cast)
    assert (found.quotes, found.unsupported, found.dropped) == (len(answer.citations), 0, 0)
    assert set(found.outcome.cited) == {Shown(document=described(manual), permitted=True)}
    assert set(found.outcome.retrieved) == {Shown(document=described(manual), permitted=True)}
    assert (found.outcome.text, found.outcome.failed) == (answer.text, False)
    assert found.log is not None
    assert found.log.request_id == answer.request_id


@pytest.mark.parametrize(
    "fault",
    [
        {"quoted_excerpt": "The brakes of the crane are inspected every six years"},
        {"start_offset": 1},
        {"quoted_excerpt": "", "end_offset": 0},
        {"chunk": None},
    ],
)
def test_a_quote_that_does_not_stand_at_its_place_is_unsupported(
    answer: Answer, cast: Cast, fault: dict[str, object]
) -> None:
    """Other words, another place, no words, no chunk."""
    of_place = {name: value for name, value in fault.items() if name != "quoted_excerpt"}
    with bypass_row_security():
        first = Citation.objects.get(answer__query=answer.query_id, number=1)
        Citation.objects.filter(pk=first.pk).update(**of_place)
        if "quoted_excerpt" in fault:
            CitationWords.objects.filter(citation=first).update(quoted_excerpt=fault["quoted_excerpt"])
    assert observed(answer, cast).unsupported == 1


def test_a_quote_of_another_chunk_is_unsupported(answer: Answer, cast: Cast) -> None:
    """The words are in the library, but not there."""
    with bypass_row_security():
        other = Chunk.objects.get(content=REPORT)
    Citation.objects.filter(answer__query=answer.query_id, number=1).update(chunk=other)
    assert observed(answer, cast).unsupported == 1


def test_a_document_without_a_grant_is_seen_though_the_answering_hides_it(answer: Answer, cast: Cast) -> None:
    """The list of grants decides, and what was really retrieved: a result names what its reader may still see."""
    secret = make_document("Minutes", "The owners meet on Mondays.")
    with bypass_row_security():
        chunk = Chunk.objects.get(document=secret)
        RetrievedChunk.objects.create(query_id=answer.query_id, chunk=chunk, rank=99, similarity=0.5)
    forbidden = {shown for shown in observed(answer, cast).outcome.retrieved if not shown.permitted}
    assert forbidden == {Shown(document=described(secret), permitted=False)}
    grant(cast.owners, [secret], by=cast.alice)
    assert all(shown.permitted for shown in observed(answer, cast).outcome.retrieved)
    revoke(cast.owners, [secret], by=cast.alice)
    assert not all(shown.permitted for shown in observed(answer, cast).outcome.retrieved)


def test_selected_text_is_its_own_source(cast: Cast, fast: None) -> None:
    """Its quotes are looked up in it; what it cites is no document."""
    result = ask(
        "When does the gas store close?",
        asker=asker_for(cast.alice),
        audience=audience_of([cast.alice.pk]),
        selected_text="The gas store in the yard closes at two in the afternoon.",
    )
    assert isinstance(result, Answer)
    found = observed(result, cast)
    assert (found.quotes, found.unsupported) == (len(result.citations), 0)
    assert found.outcome.cited == (Shown(document=""),) * found.quotes
    assert found.outcome.retrieved == ()
    with bypass_row_security():
        words = CitationWords.objects.filter(citation__answer__query=result.query_id)
        words.update(quoted_excerpt="The gas store never closes.")
    assert observed(result, cast).unsupported == found.quotes


def closest_to(answer: Answer) -> Refusal:
    """A refusal that shows what the answer cites."""
    common = {each.name: getattr(answer, each.name) for each in fields(Result)}
    return Refusal(**common, reason=RefusalReason.UNSURE, message="I am not sure.", closest=answer.citations)


def test_the_closest_passages_of_a_refusal_are_observed_as_what_is_shown(
    answer: Answer, cast: Cast, manual: Document
) -> None:
    """With the passage that each quote is from; the quotes are looked up, and the grants asked, as for an answer."""
    refusal = closest_to(answer)
    found = observed(refusal, cast)
    assert (found.outcome.text, found.outcome.cited) == (None, ())
    assert (found.quotes, found.unsupported) == (len(answer.citations), 0)
    assert found.outcome.closest[0] == Shown(document=described(manual), text=INSPECTION)
    moved = replace(refusal.closest[0], start=1)
    assert observed(replace(refusal, closest=(moved,)), cast).unsupported == 1
    revoke(cast.staff, [manual], by=cast.alice)
    revoke(cast.owners, [manual], by=cast.alice)
    assert {shown.permitted for shown in observed(refusal, cast).outcome.closest} == {False}


def test_a_question_that_was_never_stored_has_failed(cast: Cast, fast: None) -> None:
    """It is too short to be one; there is a log, and nothing else."""
    result = ask("?", asker=asker_for(cast.alice), audience=audience_of([cast.alice.pk]))
    found = observed(result, cast)
    assert (found.outcome.failed, found.quotes, found.log is not None) == (True, 0, True)
