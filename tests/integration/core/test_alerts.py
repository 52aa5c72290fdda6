"""Alerts about votes, refusals of what is there, and drift."""

import datetime as dt
import random
from decimal import Decimal

import pytest
from django.utils import timezone

from core.access.audiences import asker_for
from core.api import ask, give_feedback
from core.asking.alerts import raise_read_refusal
from core.models import Alert, ContentGap, EvaluationResult, GapQuestion, Query, QueryLog, RetrievedChunk, User
from core.quality.gaps.refusals import note_answered_again
from core.quality.reports.drift import has_risen, raise_alerts
from core.testing import Cast, fetch_chunks, make_document

pytestmark = pytest.mark.usefixtures("fast")


def asked(question: str, person: User, cast: Cast) -> Query:
    """A question that was asked by a person."""
    result = ask(question, asker=asker_for(person), audience=cast.audience(person))
    return Query.objects.get(request_id=result.request_id)


def vote(query: Query, person: User, verdict: str, *reasons: str) -> None:
    """A person's vote."""
    give_feedback(query.request_id, user_id=person.pk, verdict=verdict, reasons=list(reasons))


def test_an_answer_voted_down_by_more_than_up_raises_one_alert_until_that_changes(cast: Cast) -> None:
    """A vote that it was slow is none; nothing is stored of who voted."""
    make_document("Canteen rules", "The canteen opens at noon every day.", roles=[cast.staff])
    query = asked("When does the canteen open?", cast.bob, cast)
    vote(query, cast.bob, "down", "too_slow")
    assert not Alert.objects.exists()
    vote(query, cast.bob, "down", "wrong")
    vote(query, cast.bob, "down", "wrong")
    alert = Alert.objects.get()
    assert (alert.metric, alert.score, alert.evaluation.query_log.query) == ("votes", Decimal(0), query)
    vote(query, cast.alice, "up")
    assert not Alert.objects.exists()


def test_an_acknowledged_vote_stays_acknowledged(cast: Cast) -> None:
    """Whatever people vote later."""
    make_document("Canteen rules", "The canteen opens at noon every day.", roles=[cast.staff])
    query = asked("When does the canteen open?", cast.bob, cast)
    vote(query, cast.bob, "down", "wrong")
    Alert.objects.update(acknowledged_at=timezone.now())
    vote(query, cast.bob, "up")
    vote(query, cast.bob, "down", "wrong")
    assert Alert.objects.get().acknowledged_at


def test_a_refusal_is_alarmed_on_by_votes_only_where_somebody_says_that_it_is_there(cast: Cast) -> None:
    """Other votes say only that people would rather have an answer."""
    query = asked("Where is the parking permit office?", cast.bob, cast)
    vote(query, cast.bob, "down", "other")
    assert not Alert.objects.exists()
    vote(query, cast.bob, "down", "not_found")
    assert Alert.objects.get().metric == "votes"


def _refused(cast: Cast) -> GapQuestion:
    """A refused question of Bob's in a gap."""
    query = asked("Where is the parking permit office?", cast.bob, cast)
    now = timezone.now()
    gap = ContentGap.objects.create(first_seen=now, last_seen=now)
    return GapQuestion.objects.create(gap=gap, query=query, outcome="refused", asked_at=now)


def test_a_refusal_is_alarmed_on_only_if_the_answer_quotes_what_had_been_found(cast: Cast) -> None:
    """Another answer may come of a document that was added or granted later."""
    question = _refused(cast)
    [chunk] = fetch_chunks(make_document("Parking", "The permit office is in room 4.", roles=[cast.staff]))
    assert not note_answered_again(question, {chunk.pk})
    assert not Alert.objects.exists()
    RetrievedChunk.objects.create(query=question.query, chunk=chunk, rank=9, similarity=0.5)
    assert note_answered_again(question, {chunk.pk})
    assert (Alert.objects.get().metric, EvaluationResult.objects.get().abstained) == ("refusal", True)


def test_the_reader_alarms_on_a_refusal_from_a_probability_of_four_fifths(cast: Cast) -> None:
    """Below is below, and an answer is no refusal."""
    log = QueryLog.objects.get(query=_refused(cast).query)
    raise_read_refusal(log, 0.79)
    assert not Alert.objects.exists()
    raise_read_refusal(log, 0.91)
    alert = Alert.objects.get()
    assert (alert.metric, alert.score) == ("refusal_read", Decimal("0.910"))
    assert "0.91" in alert.in_words


def test_drift_is_a_rise_that_chance_does_not_explain() -> None:
    """A thousand weeks like those before raise next to nothing; a week in which a source was lost does."""
    draw = random.Random(37)
    counts = [sum(draw.random() < 0.3 for _ in range(100)) for _ in range(1000)]
    false = sum(has_risen((now, 100), (120, 400)) for now in counts)
    assert false <= 5
    assert has_risen((50, 100), (120, 400))
    assert not has_risen((20, 40), (120, 400))  # too few to tell
    assert not has_risen((315, 1000), (1000, 4000))  # certain, and less than a tenth


def test_a_week_with_many_more_refusals_raises_one_alert(cast: Cast) -> None:
    """It is about no question, and says both shares."""
    template = QueryLog.objects.get(query=asked("Where is the parking permit office?", cast.bob, cast))
    monday = timezone.now() - dt.timedelta(days=timezone.now().weekday())
    for days, refused in ((-3, 60), (-15, 10)):
        for number in range(80):
            template.pk, template.query, template.request_id = None, None, f"req_{days}_{number}"
            template._state.adding = True
            template.refusal_reason = "nothing_found" if number < refused else ""
            template.save()
            QueryLog.objects.filter(pk=template.pk).update(created_at=monday + dt.timedelta(days=days))
    [alert] = raise_alerts()
    assert (alert.metric, alert.score, alert.threshold) == ("refused_share", Decimal("0.750"), Decimal("0.125"))
    assert alert.subject.startswith("the week from")
    assert raise_alerts() == []
