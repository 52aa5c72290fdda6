"""Content gaps in the admin: who sees what, what each button does, and what the audit trail says of it."""

import datetime as dt
from collections.abc import Callable

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from core.access.audiences import asker_for
from core.api import ask
from core.models import AuditEvent, ContentGap, Conversation, GapQuestion, Role
from core.quality.gaps.assigning import assign_new_questions
from core.testing import Cast, make_document
from tests.integration.rows import multiply

LIST = "admin:core_contentgap_changelist"


@pytest.fixture
def gap(cast: Cast, fast: None) -> ContentGap:
    """Create a gap: Bob's question, which only Alice may read the answer to."""
    make_document("Vault rules", "The vault opens at noon with the code quagmire-7741.", roles=[cast.owners])
    ask("When does the vault open at noon?", asker=asker_for(cast.bob), audience=cast.audience(cast.bob))
    assign_new_questions()
    return ContentGap.objects.get()


def page(gap: ContentGap) -> str:
    """The address of a gap's page."""
    return reverse("admin:core_contentgap_change", args=[gap.pk])


def act(browser: Client, gap: ContentGap, name: str, **fields: str) -> int:
    """Press a button; the status of the answer."""
    return browser.post(reverse("admin:core_contentgap_act", args=[gap.pk]), {"act": name, **fields}).status_code


def test_that_documents_exist_is_told_to_who_decides_alone(staff: Callable[..., Client], gap: ContentGap) -> None:
    """And the title to nobody who may not read it."""
    shown = staff("core.view_gaps", "core.manage_gaps").get(page(gap)).content.decode()
    assert "When does the vault open at noon?" in shown
    assert "may not be read by everybody" not in shown
    assert "Vault rules" not in shown


def test_who_decides_who_reads_is_told_how_many(root: Client, gap: ContentGap) -> None:
    """By number, without the title: the administrator has no role."""
    shown = root.get(page(gap)).content.decode()
    assert "1 document near this question may not be read by everybody" in shown
    assert "Vault rules" not in shown


def test_each_look_is_recorded(root: Client, gap: ContentGap) -> None:
    """The list by how many questions it showed, the page by its gap."""
    root.get(reverse(LIST))
    root.get(page(gap))
    events = AuditEvent.objects.filter(action="read_text", object_type="contentgap").order_by("created_at")
    assert [event.object_id for event in events] == ["", str(gap.pk)]


def test_who_may_only_look_changes_nothing(staff: Callable[..., Client], gap: ContentGap) -> None:
    """No buttons, and no way around them."""
    desk = staff("core.view_gaps")
    assert "Invite to write" not in desk.get(page(gap)).content.decode()
    assert act(desk, gap, "not_ours") == 403
    assert ContentGap.objects.get().state == "open"


def test_the_buttons_do_what_they_say(root: Client, cast: Cast, gap: ContentGap) -> None:
    """Each leaves its row in the audit trail."""
    assert act(root, gap, "invite", email="nobody@example.com") == 302
    assert ContentGap.objects.get().state == "open"
    act(root, gap, "invite", email="alice@example.com", note="You know the vault.")
    invited = ContentGap.objects.get()
    assert (invited.state, invited.invited, invited.note) == ("invited", cast.alice, "You know the vault.")
    act(root, gap, "check")
    act(root, gap, "not_ours")
    assert ContentGap.objects.get().state == "not_ours"
    done = AuditEvent.objects.filter(object_type="contentgap").order_by("created_at")
    assert [event.action for event in done] == ["invite", "replay", "change"]
    assert root.get(page(gap)).status_code == 200


def test_the_list_is_narrowed_by_role_week_and_channel(root: Client, cast: Cast, gap: ContentGap) -> None:
    """A gap stays when one of its questions fits."""
    Conversation.objects.update(slack_channel="C1")
    monday = timezone.localdate() - dt.timedelta(days=timezone.localdate().weekday())
    for fitting, other in (
        ({"role": str(cast.staff.pk)}, {"role": str(cast.owners.pk)}),
        ({"week": str(monday)}, {"week": str(monday - dt.timedelta(weeks=2))}),
        ({"channel": "C1"}, {"state__exact": "closed"}),
    ):
        assert root.get(reverse(LIST), fitting).context["cl"].result_count == 1, fitting
        assert root.get(reverse(LIST), other).context["cl"].result_count == 0, other


def test_the_queries_of_the_list_are_bounded_whatever_there_is(
    root: Client, gap: ContentGap, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    """However many questions and roles there are: the number of queries does not grow. (Their time: benchmarks.)"""
    role, question = Role.objects.create(name="role 0"), gap.questions.get()
    multiply(role, 500, name="'role ' || n")
    multiply(gap, 100)
    multiply(question.query, 10_000, request_id="'many-' || n")
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO core_gapquestion (id, gap_id, query_id, outcome, asked_at, embedding_model)"
            " SELECT gen_random_uuid(), gap.id, query.id, 'refused', now(), ''"
            " FROM (SELECT id, row_number() OVER () AS n FROM core_query WHERE request_id LIKE 'many-%') AS query"
            " JOIN (SELECT id, row_number() OVER () AS n FROM core_contentgap) AS gap ON gap.n = query.n % 100 + 1"
        )
    assert GapQuestion.objects.count() > 10_000
    with django_assert_max_num_queries(16):
        assert root.get(reverse(LIST)).status_code == 200
    with django_assert_max_num_queries(40):
        assert root.get(page(ContentGap.objects.exclude(pk=gap.pk)[0])).status_code == 200
