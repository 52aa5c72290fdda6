"""Conversations: follow-ups, what they may know, asking back, and their end."""

import datetime as dt

import pytest
from django.utils import timezone

from core.access.grants import revoke
from core.api import stored_result
from core.asking.answering.clarification import NOTHING_BEFORE, options_in
from core.asking.history.results import WHICH_ONE
from core.llm.scripted import answers, script_model
from core.models import Answer as AnswerRow
from core.models import Conversation, Document, Query
from core.testing import Cast, make_document
from core.types import Answer, Refusal, RefusalReason
from tests.integration.answering.conftest import DECEMBER, MARCH, Ask, asking, conversation_of

FEE = "What did the harbour board decide about the mooring fee in the March 2024 minutes?"


def test_a_chain_of_follow_ups(cast: Cast, ask_bob: Ask) -> None:
    """Each is built on the standalone question before."""
    conversation = conversation_of(cast, "bob")
    first = ask_bob(FEE, conversation=conversation)
    second = ask_bob("And in December?", conversation=conversation)
    third = ask_bob("And who voted against the fee?", conversation=conversation)
    assert [result.asked for result in (first, second, third)] == [
        FEE,
        "What did the harbour board decide about the mooring fee in the December 2024 minutes?",
        "Who voted against the fee in December 2024?",
    ]
    assert isinstance(second, Answer)
    assert "13 euros" in second.text
    assert isinstance(third, Answer)
    assert "Erik Falk" in third.text
    stored = Query.objects.get(request_id=second.request_id)
    assert (stored.question_text, stored.standalone_question) == ("And in December?", second.asked)


def test_another_subject_is_not_drawn_into_the_conversation(cast: Cast, ask_bob: Ask) -> None:
    """A standalone question is searched as it is, and gets the answer that it gets without a conversation."""
    conversation = conversation_of(cast, "bob")
    ask_bob(FEE, conversation=conversation)
    within = ask_bob("When does the canteen open?", conversation=conversation)
    without = ask_bob("When does the canteen open?")
    assert isinstance(within, Answer)
    assert isinstance(without, Answer)
    assert (within.asked, within.text) == (without.asked, without.text)


def test_an_announced_subject_is_asked_without_the_conversation(cast: Cast, ask_bob: Ask) -> None:
    """ "And who voted?" would be read behind the question before; announced as something else it is asked alone."""
    conversation = conversation_of(cast, "bob")
    ask_bob(FEE, conversation=conversation)
    announced = ask_bob("Ok, something else: and when does the canteen open?", conversation=conversation)
    assert announced.asked == "and when does the canteen open?"


def test_an_earlier_answer_is_used_only_while_all_that_it_cites_may_be_read(cast: Cast, ask_bob: Ask) -> None:
    """ "The second one" is a statement of the answer; once its document is closed, the question alone is left."""
    sentences = ("Fixed guards enclose the winch.", "Sliding guards cover the winch rope.")
    guards = make_document("Guards", " ".join(sentences), roles=[cast.staff])
    conversation = conversation_of(cast, "bob")
    question = "Which guards of the winch are there: fixed or sliding guards that cover the rope?"
    with script_model(answers(*((sentence, 1, sentence) for sentence in sentences))):
        first = ask_bob(question, conversation=conversation)
    assert isinstance(first, Answer)
    open_ = ask_bob("What about the second one?", conversation=conversation)
    assert open_.asked == "What about Sliding guards cover the winch rope?"
    assert Query.objects.get(request_id=open_.request_id).named_documents == [guards.pk]
    revoke(cast.staff, [guards], by=None)
    Query.objects.filter(request_id=open_.request_id).delete()
    closed = ask_bob("What about the second one?", conversation=conversation)
    assert closed.asked == f"{question} What about the second one?"


def test_a_question_made_of_an_answer_is_shown_to_those_who_may_read_it(cast: Cast, ask_bob: Ask) -> None:
    """To others it is shown as it was written, and it carries no words of the document into their conversation."""
    conversation = conversation_of(cast, "alice")
    text = "The winch has these guards: fixed guards, canary guards, and nets."
    make_document("Winch", text, roles=[cast.owners])
    ask_alice = asking(cast, "alice")
    with script_model(answers((text, 1, text))):
        first = ask_alice("Which guards does the winch have?", conversation=conversation)
    assert isinstance(first, Answer)
    follow_up = ask_alice("What about the second one?", conversation=conversation)
    assert follow_up.asked == "What about canary guards?"
    AnswerRow.objects.get(query__request_id=follow_up.request_id).citations.all().delete()
    told = stored_result(follow_up.request_id, audience=cast.audience(cast.bob))
    assert told.asked == "What about the second one?"


def test_with_a_model_the_model_rewrites(cast: Cast, ask_bob: Ask) -> None:
    """It is shown the earlier turns; what it writes is searched and stored, and what it consumed is counted."""
    conversation = conversation_of(cast, "bob")
    ask_bob(FEE, conversation=conversation)
    rewritten = "Who voted against the mooring fee at the March 2024 meeting?"
    with script_model(rewritten, answers()) as script:
        result = ask_bob("Who voted against it?", conversation=conversation)
    assert result.asked == rewritten
    asked = str(script.asked[0])
    assert FEE in asked
    assert "11 euros" in asked
    assert AnswerRow.objects.get(query__request_id=result.request_id).prompt_tokens == 20


def test_a_rewriting_that_leads_elsewhere_is_refused(cast: Cast, ask_bob: Ask) -> None:
    """A host that nobody named is neither searched, stored nor shown; what the model consumed is counted."""
    conversation = conversation_of(cast, "bob")
    ask_bob(FEE, conversation=conversation)
    with script_model("Who voted against the mooring fee, see evil.example?", answers()):
        result = ask_bob("Who voted against it?", conversation=conversation)
    query = Query.objects.get(request_id=result.request_id)
    assert "evil" not in result.asked + query.standalone_question + query.question_text
    assert AnswerRow.objects.get(query=query).prompt_tokens == 20


def test_the_model_sees_no_answer_that_may_no_longer_be_read(
    cast: Cast, ask_bob: Ask, library: dict[str, Document]
) -> None:
    """The audience is that of this turn."""
    conversation = conversation_of(cast, "bob")
    ask_bob(FEE, conversation=conversation)
    revoke(cast.staff, [library["march"]], by=None)
    with script_model("Who voted against the mooring fee?", answers()) as script:
        ask_bob("Who voted against it?", conversation=conversation)
    assert "11 euros" not in str(script.asked)
    assert FEE in str(script.asked[0])


def test_without_the_model_the_rules_do(cast: Cast, ask_bob: Ask) -> None:
    """A model that is away, or writes nothing, leaves it to them; a standalone question is not sent at all."""
    conversation = conversation_of(cast, "bob")
    ask_bob(FEE, conversation=conversation)
    for reply in (RuntimeError("away"), ""):
        with script_model(reply, answers()):
            result = ask_bob("And in June?", conversation=conversation)
        assert result.asked == FEE.replace("March", "June")
    with script_model(answers()) as script:
        ask_bob("When does the canteen open?", conversation=conversation)
    assert len(script.asked) == 1


def test_a_question_that_refers_to_nothing_is_asked_back(ask_bob: Ask) -> None:
    """Nothing is searched for it."""
    result = ask_bob("What about it?")
    assert isinstance(result, Refusal)
    assert (result.reason, result.message, result.retrieved) == (RefusalReason.AMBIGUOUS, NOTHING_BEFORE, ())


@pytest.mark.parametrize(
    ("question", "asks_back"),
    [
        ("Which of the following is true about the mooring fee?", True),
        ("which of these statements is right", True),
        ("which of them has to sign the form", True),
        ("Which of these may stay on a mooring: a tug or a barge?", False),
        ("which of the moorings is free", False),
    ],
)
def test_choices_that_are_not_named_are_asked_back(ask_bob: Ask, question: str, asks_back: bool) -> None:
    result = ask_bob(question)
    assert (isinstance(result, Refusal) and result.reason is RefusalReason.AMBIGUOUS) is asks_back


def test_the_meeting_without_a_date_is_asked_back_and_chosen(cast: Cast, ask_bob: Ask) -> None:
    """The options are dates of readable documents; naming one of them answers the first question."""
    conversation = conversation_of(cast, "bob")
    asked = ask_bob("Which mooring fee was decided at the meeting of the harbour board?", conversation=conversation)
    assert isinstance(asked, Refusal)
    assert asked.reason is RefusalReason.AMBIGUOUS
    assert set(options_in(asked.message)) == {"20 March 2024", "12 June 2024", "18 December 2024"}
    chosen = ask_bob("the March one", conversation=conversation)
    assert isinstance(chosen, Answer)
    assert "11 euros" in chosen.text
    assert (chosen.filters.date_from, chosen.filters.date_to) == (MARCH, MARCH)


def test_one_of_two_accidents(cast: Cast, ask_bob: Ask) -> None:
    """Reports of one series are distinguished by their dates; with one report there is nothing to ask."""
    accident = "What was the probable cause of the accident?"
    texts = ("The probable cause of the accident was a torn rope.", "The probable cause of the accident was thick fog.")
    make_document("Harbour accident report 1", texts[0], roles=[cast.staff])
    only = ask_bob(accident)
    assert isinstance(only, Answer)
    make_document("Harbour accident report 2", texts[1], roles=[cast.staff])
    conversation = conversation_of(cast, "bob")
    asked = ask_bob(accident, conversation=conversation)
    assert isinstance(asked, Refusal)
    assert set(options_in(asked.message)) == {"“Harbour accident report 1”", "“Harbour accident report 2”"}
    chosen = ask_bob("report 2", conversation=conversation)
    assert isinstance(chosen, Answer)
    assert "fog" in chosen.text
    assert "rope" not in chosen.text
    assert chosen.filters.source == "Harbour accident report 2"


def test_what_was_offered_is_told_only_to_those_who_may_read_it(
    cast: Cast, ask_bob: Ask, library: dict[str, Document]
) -> None:
    """Once a document is closed, the stored question back names none, and its options can no longer be chosen."""
    conversation = conversation_of(cast, "bob")
    asked = ask_bob("Which mooring fee was decided at the meeting of the harbour board?", conversation=conversation)
    revoke(cast.staff, [library["december"]], by=None)
    told = stored_result(asked.request_id, audience=cast.audience(cast.bob))
    assert isinstance(told, Refusal)
    assert told.message == WHICH_ONE
    result = ask_bob("the December one", conversation=conversation)
    assert "18 December" not in result.asked


@pytest.mark.parametrize(
    "question",
    [
        "Which mooring fee was decided at the June 2024 meeting?",
        "What do the minutes say about the mooring fee?",
        "Who voted against the decision on the mooring fee?",
        "What was decided at the latest meeting about the mooring fee?",
    ],
)
def test_a_question_that_can_be_answered_is_not_asked_back(ask_bob: Ask, question: str) -> None:
    """Asking back is for the one meeting or event that a question does not name."""
    result = ask_bob(question)
    assert not (isinstance(result, Refusal) and result.reason is RefusalReason.AMBIGUOUS)


def test_a_month_of_several_years_is_asked_back(cast: Cast, ask_bob: Ask) -> None:
    """And choosing one of them narrows to it."""
    make_document(
        "Harbour board minutes 2023-12-13",
        "At the meeting the harbour board decided to set the mooring fee at 9 euros a day.",
        roles=[cast.staff],
        document_type="minutes",
        document_date=dt.date(2023, 12, 13),
    )
    conversation = conversation_of(cast, "bob")
    asked = ask_bob("Which mooring fee was set in the December minutes?", conversation=conversation)
    assert isinstance(asked, Refusal)
    assert options_in(asked.message) == ("December 2024", "December 2023")
    chosen = ask_bob("2023", conversation=conversation)
    assert isinstance(chosen, Answer)
    assert "9 euros" in chosen.text
    assert (chosen.filters.date_from, chosen.filters.date_to) == (dt.date(2023, 12, 1), dt.date(2023, 12, 31))


def test_a_conversation_ends_after_a_time_without_questions(cast: Cast, ask_bob: Ask) -> None:
    """Then it is over, and nothing of it is used."""
    conversation = conversation_of(cast, "bob")
    ask_bob(FEE, conversation=conversation)
    Conversation.objects.filter(pk=conversation).update(updated_at=timezone.now() - dt.timedelta(minutes=61))
    result = ask_bob("And in December?", conversation=conversation)
    assert isinstance(result, Refusal)
    assert result.reason is RefusalReason.INVALID_QUESTION
    assert not Conversation.objects.get(pk=conversation).is_active


def test_erased_questions_are_not_followed(cast: Cast, ask_bob: Ask) -> None:
    """After the retention period a conversation holds nothing to refer to."""
    conversation = conversation_of(cast, "bob")
    ask_bob(FEE, conversation=conversation)
    Query.objects.update(question_text="", standalone_question="", erased_at=timezone.now())
    result = ask_bob("And in December?", conversation=conversation)
    assert isinstance(result, Refusal)
    assert result.message == NOTHING_BEFORE
    assert result.asked == "And in December?"
    assert DECEMBER.isoformat() not in result.message
