"""Replies that failed are seen, and tried again."""

import datetime as dt

import pytest
from django.contrib.auth.models import Permission
from django.db import connection
from django.test import Client
from django.utils import timezone
from procrastinate.contrib.django.models import ProcrastinateJob

from bot.intake import Incoming, receive, take_up_again
from bot.models import Reply, SlackEvent
from core.asking.history.retention import erase_texts
from core.infrastructure.queue import ANSWER, ANSWER_AGAIN
from core.models import AuditEvent, SlackIdentity, User

LIST = "/admin/bot/reply/"


@pytest.fixture
def failed(db: None) -> Reply:
    """A reply that failed, with its question still there."""
    receive(
        Incoming(
            event_id="Ev7",
            team_id="T1",
            channel_id="C1",
            user_id="U1",
            kind=SlackEvent.Kind.MENTION,
            ts="7.7",
            thread_ts="7.7",
            text="What is there?",
        )
    )
    SlackEvent.objects.update(state="failed")
    Reply.objects.update(state="failed", error_code="is_archived")
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM procrastinate_jobs")
    return Reply.objects.get()


def try_again(client: Client, *replies: Reply) -> None:
    """Choose the action for some replies."""
    chosen = {"action": "try_again", "_selected_action": [str(reply.pk) for reply in replies]}
    assert client.post(LIST, chosen, follow=True).status_code == 200


def queued(task: str) -> int:
    """Count the waiting jobs of a task."""
    return ProcrastinateJob.objects.filter(task_name=task, status="todo").count()


def test_the_reason_is_shown(root: Client, failed: Reply) -> None:
    """In a list that can be narrowed to what failed."""
    row = f"/reply/{failed.pk}/"
    page = root.get(LIST, {"state__exact": "failed"}).content.decode()
    assert row in page
    assert "is_archived" in page
    assert row not in root.get(LIST, {"state__exact": "posted"}).content.decode()


def test_the_way_of_a_question_is_not_headed_as_its_asker(root: Client, failed: Reply) -> None:
    """A mention or a direct message is a way, as in the list of questions."""
    said = root.get(LIST).content.decode()
    assert "Through" in said
    assert "Asked by" not in said


def test_a_failed_reply_is_queued_again(root: Client, failed: Reply) -> None:
    """Through the worker, with a row in the audit trail; then it can be answered."""
    try_again(root, failed)
    assert queued(ANSWER_AGAIN) == 1
    assert AuditEvent.objects.get(action="try again").object_id == str(failed.pk)
    assert take_up_again(failed.pk)
    failed.refresh_from_db()
    assert (failed.state, failed.error_code, failed.event.state) == ("pending", "", "received")
    assert queued(ANSWER) == 1


def test_only_what_failed_is_tried_again(root: Client, failed: Reply) -> None:
    """A reply that was posted stays; and a second wish changes nothing."""
    Reply.objects.update(state="posted")
    try_again(root, failed)
    assert queued(ANSWER_AGAIN) == 0
    assert not take_up_again(failed.pk)


def test_a_question_that_is_not_kept_cannot_be(failed: Reply) -> None:
    """Its text is erased, and no query holds it."""
    SlackEvent.objects.update(text="")
    assert not take_up_again(failed.pk)
    assert queued(ANSWER) == 0


def test_the_retention_period_holds_for_what_failed(failed: Reply) -> None:
    """A text that never became a query is erased as well when it is old enough, and cannot be retried then."""
    SlackEvent.objects.update(selected_text="What stood there", filters={"source": "rules"})
    erase_texts(before=timezone.now() - dt.timedelta(days=1))
    assert SlackEvent.objects.get().text == "What is there?"
    erase_texts(before=timezone.now())
    event = SlackEvent.objects.get()
    assert (event.text, event.selected_text, event.filters) == ("", "", {})
    assert not take_up_again(failed.pk)


def test_what_somebody_typed_goes_with_the_person(failed: Reply) -> None:
    """Only what came from an account of theirs."""
    ann, ben = (User.objects.create_user(f"{name}@example.com") for name in ("ann", "ben"))
    for account, user in (("U1", ann), ("U2", ben)):
        SlackIdentity.objects.create(team_id="T1", slack_user_id=account, user=user, checked_at=timezone.now())
    erase_texts(before=timezone.now(), of=ben)
    assert SlackEvent.objects.get().text == "What is there?"
    erase_texts(before=timezone.now(), of=ann)
    assert SlackEvent.objects.get().text == ""


def test_what_is_being_answered_is_left(failed: Reply) -> None:
    """Its text is needed, and erased when the query holds it."""
    SlackEvent.objects.update(state="received")
    erase_texts(before=timezone.now())
    assert SlackEvent.objects.get().text == "What is there?"


def test_looking_gives_no_right_to_try(failed: Reply) -> None:
    """A viewer has no such action."""
    looker = User.objects.create_user("looker@example.com", "secret-of-the-test", is_staff=True)
    looker.user_permissions.add(Permission.objects.get(codename="view_reply"))
    client = Client()
    client.force_login(looker)
    try_again(client, failed)
    assert queued(ANSWER_AGAIN) == 0
