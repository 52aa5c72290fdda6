"""A question about selected text: that text alone counts."""

from core.api import stored_result
from core.models import Query, QueryLog
from core.testing import Cast
from core.types import Answer, ContextMode, Filters, Refusal
from tests.integration.answering.conftest import MARCH, Ask, conversation_of

SELECTED = "The canteen in the harbour office opens at seven in winter. Soup is served until nine."


def test_what_only_the_library_answers_is_refused(ask_bob: Ask) -> None:
    """The same question is answered without the selection."""
    question = "Who voted against the decision on the mooring fee in March 2024?"
    assert isinstance(ask_bob(question), Answer)
    result = ask_bob(question, selected_text=SELECTED)
    assert isinstance(result, Refusal)
    assert result.retrieved == ()


def test_the_answer_is_that_of_the_selection(ask_bob: Ask) -> None:
    """The library's other answer is not used; citations point into the text."""
    question = "When does the canteen in the harbour office open?"
    from_library, from_text = ask_bob(question), ask_bob(question, selected_text=SELECTED)
    assert isinstance(from_library, Answer)
    assert isinstance(from_text, Answer)
    assert ("noon" in from_library.text, "noon" in from_text.text) == (True, False)
    assert "seven" in from_text.text
    assert {citation.document_id for citation in from_text.citations} == {None}


def test_its_similarities_are_kept(cast: Cast, ask_bob: Ask) -> None:
    """In the log one for each passage of the text, without an id; their mean is in the result, now and later."""
    result = ask_bob("When does the canteen in the harbour office open?", selected_text=SELECTED)
    log = QueryLog.objects.get(request_id=result.request_id)
    assert len(log.similarity_scores) == len(log.chunk_ids) > 0
    assert set(log.chunk_ids) == {None}
    assert result.mean_similarity == sum(log.similarity_scores) / len(log.similarity_scores)
    later = stored_result(result.request_id, audience=cast.audience(cast.bob), viewer=cast.bob.pk)
    for told in (result, later):
        assert (told.context_mode, told.retrieved) == (ContextMode.SELECTED_TEXT, ())
        assert told.mean_similarity == log.mean_similarity


def test_filters_do_not_narrow_it(ask_bob: Ask) -> None:
    """Neither those given nor those that the question names; the result says that none was applied."""
    given = Filters(document_type="minutes", date_from=MARCH, max_results=3)
    result = ask_bob("When does the canteen open, in the March 2024 minutes?", selected_text=SELECTED, filters=given)
    assert result.filters == Filters(max_results=3)
    assert Query.objects.get(request_id=result.request_id).applied_filters == {"max_results": 3}


def test_follow_ups_stay_in_the_text(cast: Cast, ask_bob: Ask) -> None:
    """A follow-up with the same text is understood from what was asked of it, and answered from it alone."""
    conversation = conversation_of(cast, "bob")
    ask_bob("When does the canteen in the harbour office open?", selected_text=SELECTED, conversation=conversation)
    inside = ask_bob("And until when is soup served?", selected_text=SELECTED, conversation=conversation)
    assert isinstance(inside, Answer)
    assert "nine" in inside.text
    outside = ask_bob("And who voted against the mooring fee?", selected_text=SELECTED, conversation=conversation)
    assert isinstance(outside, Refusal) or {citation.document_id for citation in outside.citations} == {None}


def test_the_library_does_not_hear_of_the_text(cast: Cast, ask_bob: Ask) -> None:
    """A follow-up without the text, or with another, knows nothing of what was asked of the first."""
    conversation = conversation_of(cast, "bob")
    ask_bob("When does the canteen in winter open?", selected_text=SELECTED, conversation=conversation)
    without = ask_bob("And in December?", conversation=conversation)
    other = ask_bob("And in December?", selected_text="The pool is closed in December.", conversation=conversation)
    assert (without.asked, other.asked) == ("And in December?", "And in December?")
    assert "seven" not in str(without)


def test_the_text_does_not_hear_of_the_library(cast: Cast, ask_bob: Ask) -> None:
    """Nor does a question about a text follow one of the library's."""
    conversation = conversation_of(cast, "bob")
    ask_bob("Who voted against the decision on the mooring fee in March 2024?", conversation=conversation)
    result = ask_bob("And in December?", selected_text=SELECTED, conversation=conversation)
    assert result.asked == "And in December?"


def test_what_was_made_of_a_question_about_a_text_is_its_askers_alone(cast: Cast, ask_bob: Ask) -> None:
    """Its wording may repeat the text: others see what was asked as it was written."""
    result = ask_bob("Who keeps the lighthouse?", selected_text=SELECTED)
    Query.objects.filter(request_id=result.request_id).update(standalone_question="Who serves soup until nine?")
    audience = cast.audience(cast.bob, cast.alice)
    asked = [stored_result(result.request_id, audience=audience, viewer=who.pk).asked for who in (cast.bob, cast.alice)]
    assert isinstance(result, Refusal)
    assert asked == ["Who serves soup until nine?", "Who keeps the lighthouse?"]
    assert stored_result(result.request_id, audience=audience).asked == "Who keeps the lighthouse?"
