"""Test that the audit trail records each display of another person's text, and its viewer."""

from collections.abc import Callable

import pytest
from django.db.models import Model
from django.test import Client
from django.urls import reverse

from core.models import Answer, AuditEvent, Feedback, Query, User, UserRole
from core.testing import Cast
from tests.integration.adminsite.conftest import World

Reading = tuple[str, str, str]
pytestmark = pytest.mark.usefixtures("kept_world", "fast")


def page(row: Model, name: str = "change") -> str:
    """The address of a row's page."""
    return reverse(f"admin:core_{row._meta.model_name}_{name}", args=[row.pk])


def readings() -> list[Reading]:
    """Return the readings, oldest first."""
    events = AuditEvent.objects.filter(action="read_text").order_by("created_at").select_related("actor")
    return [(event.actor.email if event.actor else "", event.object_type, event.object_id) for event in events]


def test_each_view_of_anothers_question_is_recorded(staff: Callable[..., Client], world: World) -> None:
    """Once for each view, by ids alone; not for looking at histories."""
    desk, query = staff("core.view_query"), world.vault_answer.query
    desk.get(page(query, "history"))
    assert readings() == []
    for _ in range(2):
        assert query.question_text in desk.get(page(query), follow=True).content.decode()
    assert readings() == [("desk@example.com", "conversation", str(query.conversation_id))] * 2
    details = {str(event.details) for event in AuditEvent.objects.filter(action="read_text")}
    assert details == {str({"questions": [query.request_id]})}


def test_what_is_withheld_or_erased_leaves_no_row(root: Client, world: World) -> None:
    """Nobody read it."""
    feedback = Feedback.objects.get()
    query = world.vault_answer.query
    Query.objects.filter(pk=query.pk).update(erased_at=query.created_at)
    for row in (query, world.vault_answer, feedback):
        assert root.get(page(row), follow=True).status_code == 200
    assert readings() == []


def test_an_answer_and_a_comment_that_are_shown_leave_rows(
    staff: Callable[..., Client], cast: Cast, world: World
) -> None:
    """Also where the viewer's own roles let them read the sources: the audit row names the viewer and the author."""
    desk = staff("core.view_answer", "core.view_feedback")
    UserRole.objects.create(user=User.objects.get(email="desk@example.com"), role=cast.owners)
    feedback = Feedback.objects.get()
    for row in (world.vault_answer, feedback):
        desk.get(page(row))
    assert readings() == [
        ("desk@example.com", "answer", str(world.vault_answer.pk)),
        ("desk@example.com", "feedback", str(feedback.pk)),
    ]


def test_ones_own_question_leaves_no_row(root: Client, administrator: User, cast: Cast, world: World) -> None:
    """Nor one's own answer and comment."""
    UserRole.objects.create(user=administrator, role=cast.owners)
    query = world.vault_answer.query
    Query.objects.filter(pk=query.pk).update(user=administrator)
    Feedback.objects.update(user=administrator)
    for row in (query, Answer.objects.get(pk=world.vault_answer.pk), Feedback.objects.get()):
        root.get(page(row), follow=True)
    assert readings() == []
