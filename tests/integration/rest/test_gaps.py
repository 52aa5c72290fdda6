"""Content gaps over REST: for who may see what others asked in vain, and each look is recorded."""

import pytest
from django.contrib.auth.models import Permission
from django.utils import timezone

from core.models import AuditEvent, ContentGap, Conversation, Query
from core.testing import Cast
from tests.integration.rest.conftest import Callers


@pytest.fixture
def gap(cast: Cast) -> ContentGap:
    """Create a gap with Bob's question."""
    now = timezone.now()
    query = Query.objects.create(
        request_id="req_1",
        user=cast.bob,
        conversation=Conversation.objects.create(origin="rest"),
        question_text="Where is the parking office?",
        context_mode="full_corpus",
    )
    return ContentGap.objects.create(label_query=query, asked=3, people=2, first_seen=now, last_seen=now)


def test_gaps_are_for_who_may_see_them(callers: Callers, gap: ContentGap) -> None:
    """To read reports is not enough, for these are words and no figures."""
    assert callers.analyst.get("gaps").status_code == 403
    analyst = Permission.objects.get(codename="view_gaps")
    for user in type(gap.label_query.user).objects.all():
        user.user_permissions.add(analyst)
    [row] = callers.analyst.get("gaps").json()["results"]
    assert (row["question"], row["state"], row["asked"], row["people"]) == (
        "Where is the parking office?",
        "open",
        3,
        2,
    )
    assert callers.analyst.get("gaps", state="closed").json()["results"] == []
    assert callers.analyst.get("gaps", state="odd").status_code == 400
    looks = AuditEvent.objects.filter(action="read_text", object_type="contentgap").order_by("created_at")
    assert [event.details for event in looks] == [{"gaps": 1}, {"gaps": 0}]
    Query.objects.update(question_text="", erased_at=timezone.now())
    assert callers.analyst.get("gaps").json()["results"][0]["question"] is None
