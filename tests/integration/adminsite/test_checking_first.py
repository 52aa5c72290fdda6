"""Test the pages from which a change is checked first, and those that say that one waits."""

import datetime as dt
from collections.abc import Iterator
from typing import Any
from uuid import UUID

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from core.asking.confidence.threshold_values import forget_thresholds, read_thresholds
from core.models import (
    AnswerThresholds,
    AuditEvent,
    ChangeCheck,
    ChangeLimit,
    IngestionJob,
    ModelExamination,
    SyncRun,
    User,
)
from core.testing import Cast
from core.values.change_checks import STATES_IN_WORDS, CheckState
from tests.integration.adminsite.checked_changes import (
    CHANGE,
    DECIDE,
    FIGURES,
    READS,
    THRESHOLDS,
    VIEW,
    Staff,
    become,
    page_of,
    post,
    read,
    reads,
    state_of,
)
from tests.integration.adminsite.conftest import World
from tests.integration.adminsite.test_examinations import make_examination

pytestmark = pytest.mark.usefixtures("kept_world", "fast")


@pytest.fixture(autouse=True)
def _own_thresholds() -> Iterator[None]:
    """Forget what a test put live."""
    yield
    forget_thresholds()


@pytest.fixture
def check(world: World) -> ChangeCheck:
    """The world's check, which takes the vault away from owners: nobody is named as having asked for it."""
    ChangeCheck.objects.update(asked_by=None)
    return ChangeCheck.objects.get()


def choose(world: World, cast: Cast, **more: str) -> dict[str, str]:
    """Return the form of the matrix in which staff get the vault."""
    return {"action": "grant", "cell": f"{cast.staff.pk}:document:{world.vault.pk}"} | more


def test_grants_are_looked_at_first(world: World, cast: Cast, staff: Staff) -> None:
    """Nothing is given by that, and no end of the grants is lost."""
    ChangeCheck.objects.all().delete()
    desk = staff(VIEW, DECIDE, READS)
    assert "Check first what it does to answers" in desk.post(CHANGE, choose(world, cast)).content.decode()
    wrong = desk.post(CHANGE, choose(world, cast, confirmed="1", check="1", until="2020-01-01")).content.decode()
    assert "Grant documents" in wrong
    assert not ChangeCheck.objects.exists()
    until = f"{timezone.now() + dt.timedelta(days=9):%Y-%m-%d}"
    answer = desk.post(CHANGE, choose(world, cast, confirmed="1", check="1", until=until))
    row = ChangeCheck.objects.get()
    assert answer["Location"] == page_of(row)
    assert (row.is_gate, row.asked_by and row.asked_by.email) == (False, "desk@example.com")
    assert row.change["documents"] == {str(cast.staff.pk): [str(world.vault.pk)]}
    assert row.change["until"]
    assert not reads(cast.bob, world.vault)


def test_who_may_not_check_grants_as_before(world: World, cast: Cast, staff: Staff) -> None:
    desk = staff(READS)
    assert "Check first" not in desk.post(CHANGE, choose(world, cast)).content.decode()
    assert desk.post(CHANGE, choose(world, cast, confirmed="1", check="1")).status_code == 403
    desk.post(CHANGE, choose(world, cast, confirmed="1"))
    assert reads(cast.bob, world.vault)


def test_a_limit_has_grants_checked_and_the_page_says_so_beforehand(
    world: World, cast: Cast, staff: Staff, root: Client
) -> None:
    """The link to the check is for who may see checks."""
    ChangeCheck.objects.all().delete()
    limit = ChangeLimit.objects.create(kind="grants", is_on=True, from_documents=1)
    assert (
        "so many documents checked before they are granted" in root.post(CHANGE, choose(world, cast)).content.decode()
    )
    said = post(root, CHANGE, choose(world, cast, confirmed="1"))
    row = ChangeCheck.objects.get()
    assert f'href="{page_of(row)}"' in said
    assert "The grants are not changed yet" in said
    assert row.is_gate
    assert not reads(cast.bob, world.vault)
    desk = staff(READS, "core.view_role", "core.view_document", "core.view_collection")
    said = post(desk, CHANGE, choose(world, cast, confirmed="1"))
    assert "The grants are not changed yet" in said
    assert "/changecheck/" not in said
    ChangeLimit.objects.filter(pk=limit.pk).update(from_documents=2)
    assert "so many documents checked" not in root.post(CHANGE, choose(world, cast)).content.decode()
    post(root, CHANGE, choose(world, cast, confirmed="1"))
    assert reads(cast.bob, world.vault)


def test_undoing_goes_by_the_limit_as_well(world: World, cast: Cast, root: Client) -> None:
    ChangeCheck.objects.all().delete()
    ChangeLimit.objects.create(kind="grants", is_on=True, from_documents=1)
    details = {"documents": [str(world.canteen.pk)]}
    event = AuditEvent.objects.create(action="grant", object_type="role", object_id=str(cast.staff.pk), details=details)
    undo = reverse("admin:core_role_undo", args=[event.pk])
    assert "checked before they are taken away" in read(root, undo)
    post(root, undo, {"confirmed": "1"})
    assert ChangeCheck.objects.get().is_gate
    assert reads(cast.bob, world.canteen)


def test_thresholds_are_checked_put_live_and_taken_back(world: World, root: Client) -> None:
    """Each by its button, and the page says where those come from that hold now."""
    ChangeCheck.objects.all().delete()
    assert "the values of the settings" in read(root, THRESHOLDS)
    given = {"answer_from": "0.6", "closest_from": "0.3"}
    answer = root.post(THRESHOLDS, given | {"act": "check"})
    row = ChangeCheck.objects.get()
    assert answer["Location"] == page_of(row)
    assert (row.kind, row.is_gate, row.change["answer_from"]) == ("thresholds", False, 0.6)
    assert not AnswerThresholds.objects.exists()
    assert "They are live" in post(root, THRESHOLDS, given | {"act": "live"})
    now = read_thresholds()
    assert (now.answer_from, now.closest_from, now.is_put_live) == (0.6, 0.3, True)
    shown = read(root, THRESHOLDS)
    assert "put live here by Root" in shown
    assert f'href="{page_of(row)}"' in shown
    assert "They are live" in post(root, THRESHOLDS, {"act": "settings"})
    assert not AnswerThresholds.objects.exists()
    assert "Back to the settings" not in read(root, THRESHOLDS)


def test_thresholds_that_do_not_fit_are_named_and_kept(world: World, root: Client) -> None:
    for answer_from, closest_from, said in (
        ("0.2", "0.3", "Closest passages cannot begin above"),
        ("1.5", "0.3", "less than or equal to 1"),
        ("nan", "0.3", "Enter a number"),
        ("", "0.3", "This field is required"),
    ):
        given = {"answer_from": answer_from, "closest_from": closest_from, "act": "live"}
        shown = post(root, THRESHOLDS, given)
        assert said in shown, answer_from
        assert 'value="0.3"' in shown
    assert root.post(THRESHOLDS, {"answer_from": "0.5", "closest_from": "0.3", "act": "burn"}).status_code == 404
    assert not AnswerThresholds.objects.exists()


def test_a_limit_holds_thresholds(world: World, root: Client) -> None:
    ChangeCheck.objects.all().delete()
    ChangeLimit.objects.create(kind="thresholds", is_on=True)
    assert "has others checked before they are live" in read(root, THRESHOLDS)
    said = post(root, THRESHOLDS, {"answer_from": "0.6", "closest_from": "0.3", "act": "live"})
    assert "They are not live yet" in said
    assert ChangeCheck.objects.get().is_gate
    assert not AnswerThresholds.objects.exists()


def test_thresholds_are_changed_by_their_own_right(world: World, staff: Staff) -> None:
    """Reading the page takes another one, and checking first a third."""
    given = {"answer_from": "0.6", "closest_from": "0.3"}
    desk = staff("core.view_reports", VIEW, DECIDE)
    assert "Put live" not in read(desk, THRESHOLDS)
    for act in ("check", "live", "settings"):
        assert desk.post(THRESHOLDS, given | {"act": act}).status_code == 403, act
    User.objects.filter(email="desk@example.com").delete()
    desk = staff("core.view_reports", "core.change_answerthresholds")
    shown = read(desk, THRESHOLDS)
    assert "Put live" in shown
    assert "Check first" not in shown
    assert desk.post(THRESHOLDS, given | {"act": "check"}).status_code == 403
    assert not AnswerThresholds.objects.exists()


@pytest.fixture
def examined(world: World, settings: Any) -> ModelExamination:
    """An examination of the model that is set, which came to its end."""
    settings.MODEL_ADMISSION, settings.LLM_MODEL = "required", "llamafile/small-2b"
    settings.LLM_API_BASE = "http://127.0.0.1:1/v1"
    ChangeCheck.objects.all().delete()
    return make_examination()


def examination_page(row: ModelExamination, name: str = "change") -> str:
    """Return an address of an examination."""
    return reverse(f"admin:core_modelexamination_{name}", args=[row.pk])


def test_a_model_is_asked_last_months_questions_before_it_is_let_in(examined: ModelExamination, root: Client) -> None:
    """The limit of models asks for that; what waits then for a yes is decided with the model."""
    assert "Let it answer" in read(root, examination_page(examined))
    ChangeLimit.objects.create(kind="model", is_on=True)
    shown = read(root, examination_page(examined))
    assert "Let it answer" not in shown
    assert "last month&#x27;s questions have to be asked" in shown or "last month's questions have to be asked" in shown
    assert "Ask last month" in post(root, examination_page(examined, "admit"))
    examined.refresh_from_db()
    assert examined.state == "examined"
    assert "are asked of the model" in post(root, examination_page(examined, "check"))
    row = ChangeCheck.objects.get()
    assert (row.kind, row.examination, row.is_gate) == ("model", examined, True)
    shown = read(root, examination_page(examined))
    assert f'href="{page_of(row)}"' in shown
    assert "Let it answer" not in shown  # it is not asked to its end
    become(row, CheckState.HELD, figures=FIGURES)
    assert "Let it answer" in read(root, examination_page(examined))
    post(root, examination_page(examined, "admit"))
    examined.refresh_from_db()
    assert (examined.state, state_of(row)) == ("admitted", CheckState.MADE)


def test_a_refused_model_waits_for_no_yes(examined: ModelExamination, root: Client) -> None:
    post(root, examination_page(examined, "check"))
    row = ChangeCheck.objects.get()
    become(row, CheckState.HELD, figures=FIGURES)
    post(root, examination_page(examined, "refuse"))
    assert state_of(row) == CheckState.DECLINED


def test_checking_a_model_takes_the_right_to_check(examined: ModelExamination, staff: Staff) -> None:
    desk = staff("core.view_modelexamination", "core.admit_models")
    assert "Ask last month" not in read(desk, examination_page(examined))
    assert desk.post(examination_page(examined, "check")).status_code == 403
    assert not ChangeCheck.objects.exists()


def test_a_model_that_was_not_examined_to_the_end_is_not_checked(examined: ModelExamination, root: Client) -> None:
    ModelExamination.objects.filter(pk=examined.pk).update(state="stopped")
    assert "Ask last month" not in read(root, examination_page(examined))
    assert "Only a model whose examination" in post(root, examination_page(examined, "check"))
    assert root.get(examination_page(examined, "check")).status_code == 405
    assert root.post(reverse("admin:core_modelexamination_check", args=[UUID(int=7)])).status_code == 404


@pytest.mark.parametrize(
    ("rights", "is_told"),
    [((VIEW, DECIDE, READS), True), ((VIEW, DECIDE), False), ((VIEW, READS), False), ((DECIDE, READS), False)],
)
def test_the_first_page_tells_who_may_decide(
    check: ChangeCheck, staff: Staff, rights: tuple[str, ...], is_told: bool
) -> None:
    desk = staff(*rights)
    assert ("1 change waits for a yes" in read(desk, "/admin/")) == is_told
    become(check, CheckState.TRIED)
    assert "waits for a yes" not in read(desk, "/admin/")


def test_runs_and_uploads_say_that_they_were_checked(world: World, root: Client, staff: Staff) -> None:
    """To who may see checks, with a link."""
    run, job = SyncRun.objects.get(), IngestionJob.objects.get()
    pages = {
        reverse("admin:core_syncrun_change", args=[run.pk]): {"run": run},
        reverse("admin:core_ingestionjob_change", args=[job.pk]): {"job": job},
    }
    desk = staff("core.view_syncrun", "core.view_ingestionjob")
    for address, subject in pages.items():
        assert "Checked before it is live" not in read(root, address)
        row = ChangeCheck.objects.create(kind="editions", state="made", is_gate=True, change={}, **subject)
        shown = read(root, address)
        assert "Checked before it is live" in shown
        assert f'href="{page_of(row)}"' in shown
        assert STATES_IN_WORDS[CheckState.MADE] in shown
        assert "Checked before it is live" not in read(desk, address)
