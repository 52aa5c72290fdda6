"""The pages of models of this machine: who sees what, who may set one up, and what is on record."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from procrastinate.contrib.django.models import ProcrastinateJob

from adminsite.admin import model_setups
from core.infrastructure.queue import SET_UP_MODEL
from core.llm.local_model.machine import Machine
from core.llm.local_model.registration import Registered, find_registered, register
from core.models import AuditEvent, ModelSetup
from core.operations.model_setup import run_setup
from core.testing import Cast
from tests.unit.local_model.hub import Hub
from tests.unit.local_model.offering import NAME, offering

pytestmark = pytest.mark.enable_socket
LIST, FETCH, FILE = (reverse(f"admin:core_modelsetup_{name}") for name in ("changelist", "fetch", "file"))
VIEW, SET_UP = "core.view_modelsetup", "core.set_up_models"
PATH = "/srv/quiet/griffin-3b.gguf"
MINE = Registered(
    model="llamafile/griffin-3b", title="Griffin", address="http://127.0.0.1:1/v1", file=PATH, sha256="0" * 64
)


def page_of(row: ModelSetup, action: str = "change") -> str:
    return reverse(f"admin:core_modelsetup_{action}", args=[row.pk])


@pytest.fixture
def at(cast: Cast, monkeypatch: pytest.MonkeyPatch, settings: Any, tmp_path: Path) -> Iterator[Hub]:
    """A machine with memory, a hub with one model, and no model set up."""
    monkeypatch.setattr(
        model_setups, "look_at_machine", lambda: Machine(cores=4, memory=8_000_000_000, accelerator="a graphics card")
    )
    settings.LLM_MODEL = "extractive/sentences"
    with offering(monkeypatch, settings, tmp_path) as at:
        yield at


def test_the_page_says_what_the_machine_has_and_what_it_can_run(at: Hub, root: Client) -> None:
    page = root.get(LIST).content.decode()
    for words in ("4 cores, 8.0 GB of memory free, and a graphics card", "Tiny 1B", "MIT", "seconds for an answer"):
        assert words in page
    assert "No model of this machine is set up." in page
    assert "too large" not in page
    assert "not-installed" not in page


def test_where_the_server_program_is_missing_the_page_says_how_to_install_it(
    at: Hub, root: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(model_setups, "is_installed", lambda: False)
    assert "make model-server" in root.get(LIST).content.decode()


def test_what_is_too_large_for_memory_is_said_and_fetched_only_anyway(
    at: Hub, root: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = Machine(cores=1, memory=900_000_000, accelerator="")
    monkeypatch.setattr(model_setups, "look_at_machine", lambda: small)
    page = root.get(LIST).content.decode()
    assert "too large for the free memory" in page
    assert "1 core, 0.9 GB" in page
    assert 'name="anyway" value="1"' in page


def test_fetching_is_queued_with_its_audit_row(at: Hub, root: Client) -> None:
    """And a second one is not, nor what is not offered."""
    response = root.post(FETCH, {"offer": NAME}, follow=True)
    row = ModelSetup.objects.get()
    assert "It is queued." in response.content.decode()
    assert ProcrastinateJob.objects.get(task_name=SET_UP_MODEL).args == {"setup": str(row.pk)}
    event = AuditEvent.objects.get(object_type="modelsetup")
    assert (event.action, event.object_id, event.details) == ("create", str(row.pk), {"anyway": False, "offer": NAME})
    assert "Another model is being set up" in root.post(FETCH, {"offer": NAME}, follow=True).content.decode()
    root.post(page_of(row, "cancel"))
    assert "No such model is offered" in root.post(FETCH, {"offer": "../x"}, follow=True).content.decode()
    assert ModelSetup.objects.count() == 1
    assert [one.details for one in AuditEvent.objects.filter(action="change")] == [{"state": "cancelled"}]


def test_a_post_without_the_token_of_the_form_is_refused(at: Hub, root: Client) -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.cookies = root.cookies
    row = ModelSetup.objects.create(offer=NAME, state="failed", finished_at=timezone.now())
    for address in (FETCH, FILE, page_of(row, "cancel"), page_of(row, "retry")):
        assert strict.post(address, {"offer": NAME, "path": PATH}).status_code == 403
    assert ModelSetup.objects.count() == 1


def test_the_path_of_a_file_is_checked_and_is_in_no_audit_row(at: Hub, root: Client) -> None:
    for path, said in (
        ("models/x.gguf", "whole path"),
        ("/srv/../etc/x.gguf", "whole path"),
        ("/etc/passwd", "has to end in .gguf"),
        ("", "required"),
    ):
        assert said in root.post(FILE, {"path": path}).content.decode()
    assert not ModelSetup.objects.exists()
    page = root.post(FILE, {"path": PATH, "anyway": "on"}, follow=True).content.decode()
    assert PATH in page
    row = ModelSetup.objects.get()
    assert (row.path, row.anyway) == (PATH, True)
    assert AuditEvent.objects.get(object_type="modelsetup").details == {"anyway": True, "from_file": True}


def test_the_right_to_look_shows_no_path_and_starts_nothing(
    at: Hub, staff: Callable[..., Client], root: Client, settings: Any
) -> None:
    """Not of what was asked for, not in the words of a failure, not of the model that is set up."""
    register(settings.FOOTNOTE_HOME, MINE)
    reason = f"There is no file {PATH} that Footnote can read."
    row = ModelSetup.objects.create(path=PATH, state="failed", reason=reason, finished_at=timezone.now())
    looks = staff(VIEW)
    for address in (LIST, page_of(row), reverse("admin:core_modelsetup_history", args=[row.pk])):
        assert "/srv/quiet" not in looks.get(address).content.decode()
        assert "Fetch<" not in looks.get(address).content.decode()
    for address in (LIST, page_of(row)):
        assert PATH in root.get(address).content.decode()
    for address in (FETCH, FILE, page_of(row, "cancel"), page_of(row, "retry")):
        assert looks.post(address, {"offer": NAME, "path": PATH}).status_code == 403
        assert looks.get(address).status_code == 403
    assert ModelSetup.objects.count() == 1


def test_a_damaged_record_is_told_without_its_path_to_who_only_looks(
    at: Hub, staff: Callable[..., Client], root: Client, settings: Any
) -> None:
    register(settings.FOOTNOTE_HOME, MINE)
    (settings.FOOTNOTE_HOME / "models" / "registered.json").write_text("{")
    assert str(settings.FOOTNOTE_HOME) in root.get(LIST).content.decode()
    page = staff(VIEW).get(LIST).content.decode()
    assert "The file that names it is damaged." in page
    assert str(settings.FOOTNOTE_HOME) not in page


@pytest.mark.parametrize("rights", [(), (SET_UP,), ("core.view_modelexamination", "core.admit_models")])
def test_without_the_right_to_look_there_is_nothing(
    at: Hub, staff: Callable[..., Client], rights: tuple[str, ...]
) -> None:
    row = ModelSetup.objects.create(offer=NAME, state="stopped", finished_at=timezone.now())
    browser = staff("core.change_authtoken", *rights)
    for address in (LIST, FETCH, FILE, page_of(row), page_of(row, "cancel"), page_of(row, "retry")):
        assert browser.get(address).status_code == 403
        assert browser.post(address, {"offer": NAME, "path": PATH}).status_code == 403


def test_only_posts_change_anything(at: Hub, root: Client) -> None:
    row = ModelSetup.objects.create(offer=NAME, state="stopped", finished_at=timezone.now())
    for address in (FETCH, page_of(row, "cancel"), page_of(row, "retry")):
        assert root.get(address).status_code == 405
    assert root.post(reverse("admin:core_modelsetup_cancel", args=[UUID(int=7)])).status_code == 404
    assert "has ended already" in root.post(page_of(row, "cancel"), follow=True).content.decode()


def test_the_page_leads_from_a_fetched_model_to_its_examination(
    at: Hub, root: Client, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It says to start anew first, and if LLM_MODEL names another one."""
    root.post(FETCH, {"offer": NAME, "anyway": "1"})
    row = ModelSetup.objects.get()
    run_setup(row.pk)
    for address in (LIST, page_of(row)):
        assert "Start Footnote anew" in root.get(address).content.decode()
    settings.LOCAL_MODEL = find_registered(settings.FOOTNOTE_HOME)
    assert "remove that setting" in root.get(LIST).content.decode()
    settings.LLM_MODEL, settings.LLM_API_BASE = settings.LOCAL_MODEL.model, settings.LOCAL_MODEL.address
    page = root.get(page_of(row)).content.decode()
    assert "It answers nobody yet." in page
    assert reverse("admin:core_modelexamination_changelist") in page
    settings.LOCAL_MODEL = replace(settings.LOCAL_MODEL, sha256="1" * 64)
    assert "Start Footnote anew" in root.get(LIST).content.decode()
