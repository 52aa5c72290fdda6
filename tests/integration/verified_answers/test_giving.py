"""Test which questions get a verified answer, and its description of itself."""

from typing import Any

import pytest

from core.access.audiences import audience_of
from core.api import stored_result
from core.asking.dry_runs.replay import answer_now, replay_question
from core.asking.verified_answers.editing import (
    Content,
    NotVerifiableError,
    read_content,
    read_for_take_over,
    retire,
    save_draft,
    verify_answer,
)
from core.asking.verified_answers.matching import embed_again
from core.asking.verified_answers.quoting import SourceQuote
from core.errors import NotFoundError
from core.library import embedding
from core.llm.scripted import script_model
from core.models import Answer as AnswerRow
from core.models import Document, Query, QueryLog, VerifiedAnswer
from core.serialization import as_json
from core.testing import Cast, make_document
from core.types import Answer, ConfidenceLevel, ContextMode, Filters, QueryState
from tests.integration.verified_answers.conftest import QUESTION, TEXT, Asks, Verify


def test_it_is_given_as_it_was_written(cast: Cast, verify: Verify, asks: Asks) -> None:
    """With its citations, by whom and when; no model is asked, and nothing is retrieved."""
    row = verify()
    with script_model() as script:
        result = asks(cast.bob)
    assert script.asked == []
    assert isinstance(result, Answer)
    assert result.text == f"{TEXT} [1]"
    assert result.verified is not None
    assert (result.verified.verified_by, result.verified.verified_at) == ("Alice", row.verified_at)
    assert result.verified.outdated is None
    assert (result.confidence, result.confidence_level) == (1.0, ConfidenceLevel.HIGH)
    assert (result.state, result.retrieved, result.agent_steps) == (QueryState.COMPLETE, (), 0)
    [citation] = result.citations
    assert citation.quoted_excerpt in "The canteen in the harbour office opens at noon and closes at three."
    log = QueryLog.objects.get()
    assert (log.model_provider, log.has_sufficient_context, log.chunk_ids) == ("verified-answer", True, [])
    assert AnswerRow.objects.get().verified_answer == row


def test_it_is_kept_and_shown_later(cast: Cast, verify: Verify, asks: Asks) -> None:
    """The stored result says by whom as well, in JSON too."""
    verify()
    first = asks(cast.bob)
    again = stored_result(first.request_id, audience=audience_of([cast.bob.pk]))
    assert isinstance(again, Answer)
    assert isinstance(first, Answer)
    assert again.verified == first.verified
    said = as_json(again)["verified"]
    assert said is not None
    assert (said["by"], said["outdated"]) == ("Alice", None)


def test_other_answers_say_nothing_of_it(cast: Cast, library: dict[str, Document], asks: Asks) -> None:
    """Null where nobody verified."""
    assert as_json(asks(cast.bob))["verified"] is None


@pytest.mark.parametrize(
    "question",
    [
        "when does the canteen open",
        "When does the canteen open, please?",
        "At what time does the cafeteria open?",
    ],
)
def test_the_same_question_in_other_words(cast: Cast, verify: Verify, asks: Asks, question: str) -> None:
    """By meaning, or by a phrasing that was added."""
    verify(phrasings=("At what time does the cafeteria open?",))
    result = asks(cast.bob, question)
    assert isinstance(result, Answer)
    assert result.verified is not None


@pytest.mark.parametrize(
    "question",
    [
        "When does the canteen close?",
        "When does the canteen not open?",
        "Why does the canteen open?",
        "When does the canteen open on 24 December 2024?",
        "When does canteen 2 open?",
        "When does the canteen open today?",
        "Where does the canteen open?",
    ],
)
def test_a_question_that_differs_in_a_detail_does_not_get_it(
    cast: Cast, verify: Verify, asks: Asks, question: str
) -> None:
    """However near it is."""
    verify()
    result = asks(cast.bob, question)
    assert not (isinstance(result, Answer) and result.verified)


def test_a_follow_up_matches_as_it_was_understood(cast: Cast, verify: Verify, asks: Asks) -> None:
    """ "And the canteen?" after a question about something else."""
    make_document("Library rules", "The library in the harbour office opens at nine.", roles=[cast.staff])
    verify()
    first = asks(cast.bob, "When does the library open?")
    second = asks(cast.bob, "And the canteen?", conversation=first.conversation_id)
    assert second.asked.casefold().rstrip("?") == QUESTION.casefold().rstrip("?")
    assert isinstance(second, Answer)
    assert second.verified is not None


def test_selected_text_is_answered_from_itself(cast: Cast, verify: Verify, asks: Asks) -> None:
    """Nothing of the corpus is used, verified or not."""
    verify()
    result = asks(cast.bob, selected_text="The canteen opens at eight in the morning, every day of the week.")
    assert result.context_mode is ContextMode.SELECTED_TEXT
    assert not (isinstance(result, Answer) and result.verified)


@pytest.mark.parametrize(
    ("filters", "is_given"),
    [
        (Filters(collection="Test library"), True),
        (Filters(collections=("Test library",)), True),
        (Filters(collections=("Elsewhere",)), False),
        (Filters(source="Vault rules"), False),
        (Filters(section="Closing"), False),
    ],
)
def test_filters_leave_it_or_not(cast: Cast, verify: Verify, asks: Asks, filters: Filters, *, is_given: bool) -> None:
    """A question about another place is not answered from here."""
    verify()
    result = asks(cast.alice, filters=filters)
    assert bool(isinstance(result, Answer) and result.verified) is is_given


def test_drafts_and_retired_ones_are_not_given(cast: Cast, verify: Verify, asks: Asks) -> None:
    """Only what somebody verified and nobody retired."""
    row = verify()
    retire(row, by=cast.alice)
    retired = asks(cast.bob)
    save_draft(Content(question=QUESTION, text=TEXT), by=cast.alice, row=row)
    draft = asks(cast.bob)
    assert [isinstance(one, Answer) and one.verified for one in (retired, draft)] == [None, None]


def test_after_a_change_of_models_it_waits_for_its_embeddings(
    cast: Cast, verify: Verify, asks: Asks, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Vectors of another model are never compared."""
    verify().phrasings.update(embedding_model="another")
    before = asks(cast.bob)
    assert embed_again(embedding.provider()) == 1
    after = asks(cast.bob)
    assert [bool(isinstance(one, Answer) and one.verified) for one in (before, after)] == [False, True]


def test_a_replay_gives_it_again(cast: Cast, verify: Verify, asks: Asks) -> None:
    """Nothing differs while it holds; after it is retired, the answer does."""
    row = verify()
    request = asks(cast.bob).request_id
    assert replay_question(request).differing == ()
    assert answer_now(request).text == f"{TEXT} [1]"
    retire(row, by=cast.alice)
    later = replay_question(request)
    assert later.now.text != f"{TEXT} [1]"
    assert later.now.text is not None
    assert "answer" in later.differing


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("The canteen opens at eight.", "opens at noon"),
        ("The canteen does not open at noon.", "opens at noon"),
        ("The canteen opens at noon. Dogs are welcome in the cellar.", "opens at noon"),
        ("The canteen opens at noon.", "opens at midnight"),
        ("The canteen opens at noon.", ""),
        ("", "opens at noon"),
    ],
)
def test_what_no_quote_carries_is_not_verified(verify: Verify, text: str, quote: str) -> None:
    """Neither a number nor a sentence of the writer's own; nothing is stored."""
    with pytest.raises(NotVerifiableError) as refused:
        verify(QUESTION, text, ("Canteen rules", quote))
    assert refused.value.problems
    assert VerifiedAnswer.objects.count() == 0


def test_a_question_about_a_moving_time_is_not_verified(verify: Verify) -> None:
    """Its meaning is another one tomorrow."""
    with pytest.raises(NotVerifiableError, match="another day"):
        verify("When does the canteen open today?")


def test_an_answer_is_taken_over_with_its_sources(cast: Cast, library: dict[str, Document], asks: Asks) -> None:
    """Word for word, and verified unchanged; never from what the person may not read."""
    request = asks(cast.bob, "When does the canteen in the harbour office open?").request_id
    query = Query.objects.get(request_id=request)
    content = read_for_take_over(query, by=cast.bob)
    assert "[1]" not in content.text
    row = verify_answer(content, by=cast.bob, origin=query)
    assert (row.state, row.owner, row.origin) == ("active", cast.bob, query)
    assert read_content(row, reader=audience_of([cast.bob.pk])).quotes == content.quotes
    secret: Any = asks(cast.alice, "With which code does the vault in the harbour office open?")
    with pytest.raises(NotFoundError):
        read_for_take_over(Query.objects.get(request_id=secret.request_id), by=cast.bob)


def test_a_draft_keeps_the_quotes_whether_they_carry_it_or_not(cast: Cast, library: dict[str, Document]) -> None:
    """Nothing that was written is lost; a quote found nowhere is reported."""
    quote = SourceQuote(document=str(library["canteen"].pk), quote="closes at three")
    row = save_draft(Content(question=QUESTION, text="It opens at eight.", quotes=(quote,)), by=cast.alice)
    assert (row.cited_text, read_content(row, reader=audience_of([cast.alice.pk])).quotes) == ("", (quote,))
    wrong = Content(question=QUESTION, text="", quotes=(SourceQuote(document="Canteen rules", quote="at midnight"),))
    with pytest.raises(NotVerifiableError, match="at midnight"):
        save_draft(wrong, by=cast.alice, row=row)
