"""Test the texts of lists: names where people need them, and hints while a list is empty."""

import re
from collections.abc import Callable

import pytest
from django.apps import apps
from django.contrib import admin
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from procrastinate.contrib.django.models import ProcrastinateJob
from pytest_django import DjangoAssertNumQueries

from adminsite.admin.navigation import MENU
from core.access.grants import grant
from core.infrastructure.queue import EVALUATE, enqueue
from core.models import AuditEvent, Document, EvaluationRun, Role
from core.testing import Cast, make_document
from tests.integration.adminsite.conftest import World

CLOCK = "core.build_vector_index"  # by the clock, once an hour
TRAIL = "admin:core_auditevent_changelist"


@pytest.fixture
def granted(cast: Cast, fast: None) -> Document:
    """A document that was granted to the owners, which the trail says."""
    document = make_document("Zanzibar vault rules", "The vault opens at noon.")
    grant(cast.owners, [document], by=cast.alice)
    AuditEvent.objects.create(actor=cast.alice, action="change", object_type="document", object_id=str(document.pk))
    return document


def test_the_audit_trail_names_what_was_done_to_what(root: Client, cast: Cast, granted: Document) -> None:
    """The role and the document, not their ids."""
    text = root.get(reverse(TRAIL)).content.decode()
    assert granted.title in text
    assert cast.owners.name in text
    assert str(granted.pk) not in text


def test_what_is_gone_stays_an_id_and_so_does_what_is_none(root: Client, cast: Cast, granted: Document) -> None:
    """The trail must not break over either."""
    gone = str(granted.pk)
    granted.delete()
    AuditEvent.objects.create(actor=None, action="change", object_type="document", object_id="all of them")
    text = root.get(reverse(TRAIL)).content.decode()
    assert gone in text
    assert "all of them" in text


@pytest.mark.parametrize("pages", [(), ("core.view_document",)])
def test_a_name_is_shown_to_who_may_see_the_page_of_such_things(
    pages: tuple[str, ...], staff: Callable[..., Client], granted: Document
) -> None:
    """A viewer of the trail alone learns no title."""
    text = staff("core.view_auditevent", *pages).get(reverse(TRAIL)).content.decode()
    assert (granted.title in text) is bool(pages)
    assert (str(granted.pk) in text) is not bool(pages)


def test_more_rows_need_no_more_queries(
    root: Client, cast: Cast, granted: Document, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    """Names are read once for each kind of thing."""
    for number in range(20):
        grant(Role.objects.create(name=f"role {number}"), [granted], by=cast.alice)
    with django_assert_max_num_queries(14):
        root.get(reverse(TRAIL))


def test_an_empty_list_says_what_brings_rows(root: Client) -> None:
    """And one that filters or a search have emptied offers to reset them."""
    empty = root.get(reverse("admin:core_evaluationrun_changelist")).content.decode()
    assert "manage.py evaluate DATASET" in empty
    assert "Reset filters" not in empty
    searched = root.get(reverse("admin:core_document_changelist"), {"q": "nothing like it"}).content.decode()
    assert "Nothing matches" in searched
    assert "Reset filters" in searched


@pytest.mark.parametrize(
    ("model", "counted"),
    [
        ("bot_upload", "0 shared files"),
        ("bot_watchedthread", "0 threads"),
        ("bot_slackevent", "0 events"),
        ("core_feedback", "0 votes"),
        ("core_chunk", "0 passages"),
        ("core_collection", "0 collections"),
        ("core_role", "1 role"),
    ],
)
def test_a_list_counts_its_rows_as_the_menu_calls_them(root: Client, model: str, counted: str) -> None:
    """Call rows by the menu's name where the code has another."""
    Role.objects.exclude(pk=Role.objects.get_or_create(name="staff")[0].pk).delete()
    shown = " ".join(root.get(reverse(f"admin:{model}_changelist")).content.decode().split())
    assert f"> {counted} </div>" in shown


def test_every_list_that_starts_empty_has_words_of_its_own() -> None:
    """Those of new models too, and those that are hardly ever empty; but for those that lead to another list."""
    led = {model for entry in MENU for link in entry.links for model in link.covers}
    without = {
        model._meta.label_lower for model, page in admin.site._registry.items() if not getattr(page, "when_empty", "")
    }
    assert without - led == set()


def test_no_column_is_named_as_slacks_interface_names_it(root: Client, world: World) -> None:
    """Nor by an ordering key, on the page of a row either."""
    for model in ("slackevent", "reply", "upload", "digest", "watchedthread"):
        address = reverse(f"admin:bot_{model}_changelist")
        row = apps.get_model("bot", model)._default_manager.first()
        for page in (address, *([f"{address}{row.pk}/change/"] if row else [])):
            shown = re.sub(r"<[^>]*>", "|", root.get(page).content.decode())
            assert not re.search(r"\|\s*((Thread |Message |Last )?[Tt]s|(Team|Channel|Event) id)\s*\|", shown), page


def test_times_of_runs_and_tasks_of_jobs_are_said_in_words(root: Client, world: World) -> None:
    """With their unit, and without the name of a function."""
    EvaluationRun.objects.all().delete()
    figures = {"latency_p50_ms": 2302.5, "latency_p95_ms": 350.4}
    run = EvaluationRun.objects.create(dataset="samples.jsonl", chunks=3, finished_at=timezone.now())
    EvaluationRun.objects.filter(pk=run.pk).update(figures=figures)
    shown = root.get(reverse("admin:core_evaluationrun_changelist")).content.decode()
    assert "2.3\N{NO-BREAK SPACE}s / 350\N{NO-BREAK SPACE}ms" in shown
    enqueue(EVALUATE, query_log="1")
    jobs = root.get("/admin/procrastinate/procrastinatejob/").content.decode()
    assert re.search(r">\s*Evaluate\s*<", jobs)


def test_background_jobs_show_first_what_failed(root: Client, world: World) -> None:
    """Jobs that run by the clock are left out unless they failed; the filter shows them."""
    clock = [enqueue(EVALUATE, query_log=number) for number in "12"]
    ProcrastinateJob.objects.filter(pk__in=clock).update(task_name=CLOCK)
    late, failed = ProcrastinateJob.objects.filter(task_name=CLOCK).order_by("id")
    ProcrastinateJob.objects.filter(pk=failed.pk).update(status="failed")
    address = "/admin/procrastinate/procrastinatejob/"
    listed = [job.pk for job in root.get(address).context["cl"].result_list]
    assert listed[0] == failed.pk
    assert late.pk not in listed
    assert "core.evaluate" in {job.task_name for job in ProcrastinateJob.objects.filter(pk__in=listed)}
    assert late.pk in [job.pk for job in root.get(address, {"jobs": "all"}).context["cl"].result_list]
