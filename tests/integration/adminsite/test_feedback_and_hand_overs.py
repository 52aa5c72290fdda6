"""Test votes by reason, and the questions that wait for a person."""

import datetime as dt

from bs4 import BeautifulSoup
from django.test import Client
from django.utils import timezone

from bot.models import HandOver, Reply
from core import api
from core.models import Feedback
from core.testing import Cast
from tests.integration.adminsite.conftest import World


def rows(client: Client, page: str, **query: str) -> list[str]:
    """The text of each row of a list, in its order."""
    response = client.get(f"/admin/{page}/", query)
    assert response.status_code == 200
    found = BeautifulSoup(response.content, "html.parser").select("#result_list tbody tr")
    return [" ".join(row.get_text(" ").split()) for row in found]


def test_reasons_are_counted_and_narrow_the_list(root: Client, world: World, cast: Cast) -> None:
    """Each reason is in the filter with its number; choosing one leaves its verdicts."""
    request_id = world.vault_answer.query.request_id
    api.give_feedback(request_id, user_id=cast.bob.pk, verdict="down", reasons=["not_found", "wrong"])
    api.give_feedback(request_id, user_id=cast.charlie.pk, verdict="down", reasons=["wrong"])
    assert Feedback.objects.count() == 3
    page = root.get("/admin/core/feedback/").content.decode()
    assert "wrong (2)" in page
    assert "not found, though it exists (1)" in page
    assert "too slow (0)" in page
    assert len(rows(root, "core/feedback", reason="wrong")) == 2
    (only,) = rows(root, "core/feedback", reason="not_found")
    assert "wrong, not found" in only or "not found, though it exists, wrong" in only
    assert rows(root, "core/feedback", reason="too_slow") == []


def test_what_is_open_stands_first(root: Client, world: World) -> None:
    """A resolved hand-over comes after every other, however new; each says how long it is or was open."""
    open_since = HandOver.objects.get()
    resolved = HandOver.objects.create(
        reply=Reply.objects.get(),
        team_id="T1",
        channel_id="C2",
        asked_by="U2",
        state=HandOver.State.RESOLVED,
        resolved_by="U3",
        resolved_at=timezone.now(),
    )
    now = timezone.now()
    HandOver.objects.filter(pk=open_since.pk).update(created_at=now - dt.timedelta(days=3))
    HandOver.objects.filter(pk=resolved.pk).update(created_at=now - dt.timedelta(hours=2), resolved_at=now)
    first, second = rows(root, "bot/handover")
    assert "C1" in first
    assert "3\xa0days" in first or "3 days" in first
    assert "U3" in second
    assert "2 hours" in second
    assert root.get(f"/admin/bot/handover/{open_since.pk}/change/").status_code == 200
