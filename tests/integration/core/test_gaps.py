"""Content gaps: which questions become one, that groups stay, what erasure leaves, and when a gap is closed."""

import datetime as dt

import pytest
from django.utils import timezone

from core.access.audiences import asker_for
from core.access.grants import grant
from core.api import ask, erase_texts, give_feedback
from core.gaps.assigning import assign_new_questions
from core.gaps.checking import check_gap
from core.gaps.documents import find_near_documents
from core.models import ContentGap, GapQuestion, Query, User
from core.testing import Cast, make_document

pytestmark = pytest.mark.usefixtures("fast")


def asked(question: str, person: User, cast: Cast) -> Query:
    """A question that was asked by a person."""
    result = ask(question, asker=asker_for(person), audience=cast.audience(person))
    return Query.objects.get(request_id=result.request_id)


def test_questions_that_mean_the_same_are_one_gap(cast: Cast) -> None:
    """Whoever asks them; what is about something else, and greetings, are not in it."""
    asked("Where is the parking permit office?", cast.bob, cast)
    asked("Where is the office for a parking permit?", cast.alice, cast)
    asked("Which vaccinations do sailors need?", cast.alice, cast)
    asked("hello good morning", cast.alice, cast)
    assert assign_new_questions() == 3
    parking, sailors = ContentGap.objects.order_by("-asked")
    assert (parking.asked, parking.people, sailors.asked) == (2, 2, 1)
    assert "parking" in parking.label_query.question_text
    assert assign_new_questions() == 0


def test_a_later_question_joins_the_gap_that_is_there(cast: Cast) -> None:
    """A group stays what it is from week to week."""
    asked("Where is the parking permit office?", cast.bob, cast)
    assign_new_questions()
    before = ContentGap.objects.get()
    asked("Where is the parking permit office now?", cast.alice, cast)
    assign_new_questions()
    after = ContentGap.objects.get()
    assert (after.pk, after.asked, after.people) == (before.pk, 2, 2)


def test_erasing_texts_erases_what_is_kept_of_them(cast: Cast) -> None:
    """The embedding and the name of the gap; its figures stay."""
    asked("Where is the parking permit office?", cast.bob, cast)
    assign_new_questions()
    erase_texts(before=timezone.now() + dt.timedelta(minutes=1))
    question = GapQuestion.objects.get()
    assert question.embedding is None
    gap = ContentGap.objects.get()
    assert (gap.asked, gap.label_query.question_text) == (1, "")
    assert assign_new_questions() == 0
    assert GapQuestion.objects.get().embedding is None
    assert check_gap(gap) is None


def test_an_answer_that_was_voted_down_is_a_gap_and_one_that_was_slow_is_none(cast: Cast) -> None:
    """Votes on an answer count."""
    make_document("Canteen rules", "The canteen opens at noon every day.", roles=[cast.staff])
    for verdict in (["wrong"], ["too_slow"]):
        query = asked("When does the canteen open?", cast.bob, cast)
        assert query.answer.answer_text
        give_feedback(query.request_id, user_id=cast.bob.pk, verdict="down", reasons=verdict)
    assert assign_new_questions() == 1
    assert GapQuestion.objects.get().outcome == "voted_down"
    assert check_gap(ContentGap.objects.get()).answered == 0  # the answer is still the same


def test_a_gap_is_closed_when_its_questions_are_answered_for_who_asked(cast: Cast) -> None:
    """A document that they may not read closes nothing; a grant does, and nothing is stored of the questions."""
    asked("When does the canteen open?", cast.bob, cast)
    assign_new_questions()
    gap = ContentGap.objects.get()
    document = make_document("Canteen rules", "The canteen opens at noon every day.", roles=[cast.owners])
    assert check_gap(gap).answered == 0
    near = find_near_documents(gap, viewer=cast.audience(cast.alice))
    assert (near.unread, [each.title for each in near.readable]) == (1, ["Canteen rules"])
    assert find_near_documents(gap, viewer=cast.audience(cast.bob)).readable == ()
    grant(cast.staff, [document], by=cast.alice)
    assert check_gap(gap).answered == 1
    gap.refresh_from_db()
    assert (gap.state, Query.objects.count()) == ("closed", 1)
