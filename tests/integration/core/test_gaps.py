"""Content gaps: which questions become one, that groups stay, what erasure leaves, and when a gap is closed."""

import datetime as dt

import pytest
from django.utils import timezone

from core.access.audiences import asker_for
from core.access.grants import grant
from core.api import ask, erase_texts, give_feedback
from core.models import Alert, ContentGap, GapQuestion, GapUpdate, Query, User
from core.quality.gaps.assigning import assign_new_questions, count_again, leave_out_small_talk
from core.quality.gaps.checking import check_gap, check_gaps_near_new_documents
from core.quality.gaps.documents import find_near_documents
from core.quality.gaps.grouping import means_the_same
from core.testing import Cast, make_document

pytestmark = pytest.mark.usefixtures("fast")


def asked(question: str, person: User, cast: Cast) -> Query:
    """A question that was asked by a person."""
    result = ask(question, asker=asker_for(person), audience=cast.audience(person))
    return Query.objects.get(request_id=result.request_id)


def stored_as_asked(message: str, person: User, cast: Cast) -> Query:
    """A message that asks nothing, as earlier releases stored it."""
    query = asked("Where is the ferry to Holm?", person, cast)
    Query.objects.filter(pk=query.pk).update(question_text=message)
    return query


def test_questions_that_mean_the_same_are_one_gap(cast: Cast) -> None:
    """Whoever asks them; what is about something else, and greetings, are not in it."""
    asked("Where is the parking permit office?", cast.bob, cast)
    asked("Where is the office for a parking permit?", cast.alice, cast)
    asked("Which vaccinations do sailors need?", cast.alice, cast)
    stored_as_asked("hello good morning", cast.alice, cast)
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


def test_small_talk_is_no_gap_and_leaves_the_gaps_that_it_is_in(cast: Cast) -> None:
    """Those of an earlier release are taken out at night."""
    stored_as_asked("cheers mate", cast.bob, cast)
    stored_as_asked("zxcvbnm", cast.bob, cast)
    assert assign_new_questions() == 0
    query = stored_as_asked("hiya folks", cast.bob, cast)
    now = timezone.now()
    gap = ContentGap.objects.create(first_seen=now, last_seen=now, asked=1)
    GapQuestion.objects.create(gap=gap, query=query, outcome="refused", asked_at=now)
    assert leave_out_small_talk() == 1
    assert not ContentGap.objects.exists()


@pytest.mark.parametrize(
    ("outcomes", "heap"),
    [
        ([("refused", 0.1)], "nothing"),
        ([("refused", 0.6)], "unsure"),
        ([("refused", None)], "nothing"),
        ([("unsure", None)], "unsure"),
        ([("voted_down", None)], "unsure"),
        ([("unsure", 0.1), ("refused", 0.1), ("refused", 0.9)], "nothing"),
        ([("refused", 0.1), ("answered", 0.9)], "nothing"),
    ],
)
def test_a_gap_is_unsure_where_something_was_found_for_half_of_its_questions(
    cast: Cast, outcomes: list[tuple[str, float | None]], heap: str
) -> None:
    """The reader decides, and where nothing was read whether the closest passages were shown."""
    now = timezone.now()
    gap = ContentGap.objects.create(first_seen=now, last_seen=now)
    for number, (outcome, found) in enumerate(outcomes):
        query = asked(f"Where is parking office number {number}?", cast.bob, cast)
        GapQuestion.objects.create(gap=gap, query=query, outcome=outcome, asked_at=now, found=found)
    count_again([gap.pk])
    gap.refresh_from_db()
    assert gap.heap == heap


def test_the_time_of_the_update_is_kept_also_without_new_questions(cast: Cast) -> None:
    """So that an old list is not taken for a new one."""
    assign_new_questions()
    first = GapUpdate.objects.get().updated_at
    assign_new_questions()
    assert GapUpdate.objects.get().updated_at > first


def test_a_gap_is_closed_soon_after_a_document_answers_it(cast: Cast) -> None:
    """Not before the night only; a document about something else, or for other readers, closes nothing."""
    asked("When does the canteen open?", cast.bob, cast)
    assign_new_questions()
    make_document("Canteen plans", "The canteen opens at noon every day.", roles=[cast.owners])
    assert check_gaps_near_new_documents() == 0
    assert ContentGap.objects.get().state == "open"
    make_document("Canteen rules", "The canteen opens at noon every day.", roles=[cast.staff])
    assert check_gaps_near_new_documents() == 1
    assert ContentGap.objects.get().state == "closed"
    assert not Alert.objects.exists()


def test_questions_that_differ_in_a_number_or_year_are_two_gaps(cast: Cast) -> None:
    """However near their embeddings are."""
    for question in ("Where is the permit office of 2023?", "Where is the permit office of 2024?"):
        asked(question, cast.bob, cast)
    assign_new_questions()
    assert ContentGap.objects.count() == 2
    assert not means_the_same("Who runs bay 3?", "Who runs bay 5?", 0.95)
    assert means_the_same("Who runs bay 3?", "who does run bay 3", 0.95)
    assert not means_the_same("", "Who runs bay 3?", 0.5)
