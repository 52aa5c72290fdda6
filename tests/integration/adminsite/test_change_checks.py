"""Changes before they are live: who sees what of a check, who decides, and the limits."""

import datetime as dt
from typing import Any
from uuid import UUID

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from core.models import AuditEvent, ChangeCheck, ChangeLimit, DataSource, ModelExamination, Query, SyncRun, User
from core.testing import Cast
from core.values.change_checks import ChangeKind, CheckState
from tests.integration.adminsite.checked_changes import (
    ACTS,
    DECIDE,
    FIGURES,
    LIMITS,
    LIST,
    READS,
    THRESHOLDS,
    VIEW,
    Staff,
    become,
    let,
    page_of,
    post,
    read,
    reads,
    state_of,
)
from tests.integration.adminsite.conftest import VAULT_QUESTION, World

pytestmark = pytest.mark.usefixtures("kept_world", "fast")


@pytest.fixture
def check(world: World) -> ChangeCheck:
    """The world's check, which takes the vault away from owners: nobody is named as having asked for it."""
    ChangeCheck.objects.update(asked_by=None)
    return ChangeCheck.objects.get()


def test_who_may_only_look_decides_nothing(check: ChangeCheck, staff: Staff, root: Client) -> None:
    """Neither by a button nor without one; who may not look finds each address closed."""
    desk = staff(VIEW)
    shown = read(desk, page_of(check))
    assert "You may not decide about it" in shown
    assert "Yes, put it live" not in shown
    for act in ACTS:
        assert desk.post(page_of(check, act)).status_code == 403, act
        assert root.get(page_of(check, act)).status_code == 405, act
        assert root.post(reverse(f"admin:core_changecheck_{act}", args=[UUID(int=7)])).status_code == 404, act
    User.objects.filter(email="desk@example.com").delete()
    outside = staff(DECIDE, READS, "core.view_query")
    for address in (LIST, page_of(check), page_of(check, "progress")):
        assert outside.get(address).status_code == 403, address
    for act in ACTS:
        assert outside.post(page_of(check, act)).status_code == 403, act
    assert state_of(check) == CheckState.HELD


def test_deciding_takes_the_right_to_the_change_as_well(check: ChangeCheck, staff: Staff, cast: Cast) -> None:
    desk = staff(VIEW, DECIDE)
    assert "Yes, put it live" not in read(desk, page_of(check))
    assert "You may not decide about this change." in post(desk, page_of(check, "approve"))
    assert desk.post(page_of(check, "again")).status_code == 403
    assert state_of(check) == CheckState.HELD


def test_yes_makes_the_change_and_no_does_not(check: ChangeCheck, world: World, staff: Staff, cast: Cast) -> None:
    desk = staff(VIEW, DECIDE, READS)
    shown = read(desk, page_of(check))
    assert "Yes makes the change of grants at once" in shown
    assert reads(cast.alice, world.vault)
    assert "The change is live." in post(desk, page_of(check, "approve"))
    assert not reads(cast.alice, world.vault)
    check.refresh_from_db()
    assert (check.state, check.decided_by and check.decided_by.email) == (CheckState.MADE, "desk@example.com")
    assert "waits for no decision" in post(desk, page_of(check, "decline"))
    assert AuditEvent.objects.filter(action=AuditEvent.Action.DECIDE_CHANGE, object_id=str(check.pk)).count() == 1


def test_no_leaves_everything_as_it_is(check: ChangeCheck, world: World, root: Client, cast: Cast) -> None:
    assert "Declined" in post(root, page_of(check, "decline"))
    assert state_of(check) == CheckState.DECLINED
    assert reads(cast.alice, world.vault)
    shown = read(root, page_of(check))
    assert "Yes, put it live" not in shown
    assert "by Root on" in shown


def test_a_check_is_stopped_by_who_asked_for_it_and_can_be_decided_then(
    check: ChangeCheck, root: Client, cast: Cast
) -> None:
    become(check, CheckState.WAITING, figures={}, crossed=[], asked_by=cast.bob)
    bob = let(cast.bob, VIEW)
    assert "Stop asking" in read(bob, page_of(check))
    assert "waits for no decision" in post(bob, page_of(check, "approve"))
    charlie = let(cast.charlie, VIEW)
    assert "Stop asking" not in read(charlie, page_of(check))
    assert charlie.post(page_of(check, "stop")).status_code == 403
    assert "is being stopped" in post(bob, page_of(check, "stop"))
    assert "This check has ended." in post(bob, page_of(check, "stop"))
    shown = read(root, page_of(check))
    assert "you decide without knowing" in shown
    assert "Check again" in shown


def test_the_panel_looks_again_until_the_end(check: ChangeCheck, root: Client) -> None:
    become(check, CheckState.RUNNING, asked=3, total=12)
    shown = read(root, page_of(check, "progress"))
    assert "3 of 12 questions asked" in shown
    assert "hx-get" in shown
    assert "http-equiv" not in read(root, page_of(check))
    become(check, CheckState.HELD)
    ended = root.get(page_of(check, "progress"))
    assert ended["HX-Refresh"] == "true"


def count_hidden(client: Client, check: ChangeCheck) -> int:
    """Count the questions of which a page tells nothing but the outcome."""
    response = client.get(page_of(check))
    hidden: str = response.context["hidden_questions"]
    assert not hidden or f"Of questions that you may not read: {hidden}." in response.text
    return sum(int(part.split()[0]) for part in hidden.split(", ") if part[:1].isdigit())


HIDDEN = {
    VAULT_QUESTION: "core.view_query",
    "Alice": "core.view_user",
    "Vault rules": "core.view_document",
    "owners": "core.view_role",
}


@pytest.mark.parametrize("right", [None, *HIDDEN.values()])
def test_each_right_opens_its_own_part(check: ChangeCheck, staff: Staff, right: str | None) -> None:
    """Figures are for all who see checks; questions, people, documents and roles by their own rights."""
    desk = staff(VIEW, *([right] if right else []))
    shown = read(desk, page_of(check))
    assert {word for word in HIDDEN if word in shown} == {word for word, needed in HIDDEN.items() if needed == right}
    assert "quagmire-7741" not in shown
    assert "no longer answered" in shown
    cards = 1 if right in {"core.view_user", "core.view_document"} else 0
    assert shown.count("A question that you may not read") == cards
    others = 2 - cards - (right == "core.view_query")  # of which nothing but the outcome is known
    assert count_hidden(desk, check) == others
    looks = AuditEvent.objects.filter(action=AuditEvent.Action.READ_TEXT, object_id=str(check.pk))
    assert looks.count() == (2 if right == "core.view_query" else 0)  # the page was read twice


def test_whose_question_it_is_and_who_reads_its_sources_sees_the_words(check: ChangeCheck, cast: Cast) -> None:
    """Alice reads her question and both texts of the library's; it is no look at another's."""
    shown = read(let(cast.alice, VIEW), page_of(check))
    for words in (VAULT_QUESTION, "What is quagmire-7741?", "Both answers", "Vault rules"):
        assert words in shown
    assert not AuditEvent.objects.filter(action=AuditEvent.Action.READ_TEXT, object_id=str(check.pk)).exists()


def test_a_question_that_was_erased_is_not_shown(check: ChangeCheck, root: Client) -> None:
    Query.objects.update(question_text="", erased_at=timezone.now())
    shown = read(root, page_of(check))
    assert shown.count("A question that you may not read") == 1
    assert count_hidden(root, check) == 1


def test_a_document_that_was_deleted_and_lines_that_are_gone_are_said(check: ChangeCheck, root: Client) -> None:
    check.lines.all().delete()
    assert "Of this check only the figures are kept" in read(root, page_of(check))


def test_the_figures_and_the_crossed_limits_are_in_words(check: ChangeCheck, root: Client) -> None:
    """Each with the figure and the limit; a share that only rounds to the limit says how far it is above."""
    ChangeCheck.objects.filter(pk=check.pk).update(
        figures=FIGURES,
        crossed=["worse", "moved", "changed", "people", "unchecked"],
        limits={"most_worse": 5, "most_moved": 0, "most_changed": 37, "most_people": 10},
    )
    response = root.get(page_of(check))
    assert response.context["crossed"] == [
        "3 of 40 answers (8 %) get worse or vanish; the limit is 5 %.",
        "2 of 40 answers (5 %) come from other documents; the limit is 0 %.",
        "15 of 40 answers (38 %) change; the limit is 37 %.",
        "12 people gain or lose documents; the limit is 10.",
        "No question could be asked, so what it does to answers is not known.",
    ]
    tiles = {tile["title"]: tile["value"] for tile in response.context["tiles"]}
    assert tiles == {
        "Questions": "40",
        "Newly answered": "5",
        "From other documents": "4",
        "Other words": "3",
        "No longer answered": "2",
        "Disputed": "0",
        "Worse": "3",
        "People": "12",
        "Answers opened": "1",
    }
    assert dict(response.context["outcomes"])["The same"] == 25
    ChangeCheck.objects.filter(pk=check.pk).update(crossed=["worse"], limits={"most_worse": 7})
    ChangeCheck.objects.filter(pk=check.pk).update(figures=FIGURES | {"questions": 42})
    assert root.get(page_of(check)).context["crossed"] == [
        "3 of 42 answers (7.1 %) get worse or vanish; the limit is 7 %."
    ]


def test_the_list_begins_with_what_waits_for_a_yes(check: ChangeCheck, root: Client) -> None:
    """Then the last ones; it is narrowed by state and by kind."""
    for state, kind in ((CheckState.TRIED, ChangeKind.THRESHOLDS), (CheckState.MADE, ChangeKind.THRESHOLDS)):
        ChangeCheck.objects.create(
            kind=kind, state=state, is_gate=False, change={"answer_from": 0.5, "closest_from": 0.2}
        )
    assert [row.state for row in root.get(LIST).context["cl"].result_list] == ["held", "made", "tried"]
    assert [row.state for row in root.get(f"{LIST}?state__exact=tried").context["cl"].result_list] == ["tried"]
    assert [row.state for row in root.get(f"{LIST}?kind__exact=grants").context["cl"].result_list] == ["held"]
    shown = read(root, LIST)
    assert "Take 1 document away from 1 role" in shown
    assert "Answers from 0.50, closest passages from 0.20" in shown


def test_an_empty_list_says_how_a_change_gets_there(check: ChangeCheck, root: Client, staff: Staff) -> None:
    """With links to the pages that the viewer may open."""
    ChangeCheck.objects.all().delete()
    shown = read(root, LIST)
    assert "press Check first" in shown
    for address in (LIMITS, THRESHOLDS, reverse("admin:core_role_matrix")):
        assert f'href="{address}"' in shown, address
    desk = read(staff(VIEW), LIST)
    for address in (LIMITS, THRESHOLDS, reverse("admin:core_role_matrix")):
        assert f'href="{address}"' not in desk, address


def test_a_change_is_checked_again_once_its_readers_are_others(check: ChangeCheck, root: Client, cast: Cast) -> None:
    """The new check takes the place of the old one, which nobody decides about any more."""
    AuditEvent.objects.create(action="grant", object_type="role", object_id="x")
    shown = read(root, page_of(check))
    assert "Grants have changed since" in shown
    assert "Check again" in shown
    assert "It is checked again" in post(root, page_of(check, "again"))
    again = ChangeCheck.objects.exclude(pk=check.pk).get()
    assert (again.state, again.change, again.is_gate) == (CheckState.WAITING, check.change, True)
    check.refresh_from_db()
    assert (check.state, check.reason) == (CheckState.DECLINED, "A later check took its place.")
    assert "waits for no decision" in post(root, page_of(check, "again"))


def test_without_a_change_of_readers_there_is_no_reason_to_check_again(check: ChangeCheck, root: Client) -> None:
    ChangeCheck.objects.filter(pk=check.pk).update(finished_at=timezone.now() + dt.timedelta(seconds=1))
    assert "Check again" not in read(root, page_of(check))


def describe(client: Client, **fields: Any) -> str:
    """Return the title of a check that was made of these fields."""
    row = ChangeCheck.objects.create(state=CheckState.MADE, is_gate=True, **fields)
    return str(client.get(page_of(row)).context["title"])


def test_each_kind_of_change_is_in_words(world: World, cast: Cast, root: Client, staff: Staff) -> None:
    """Names of roles, models and sources are for who may see those."""
    desk = staff(VIEW)
    documents = [str(world.vault.pk), str(world.canteen.pk)]
    gives = {
        "gives": True,
        "documents": {str(cast.staff.pk): documents, str(UUID(int=7)): documents[:1]},
        "until": "2027-01-31T23:00:00+00:00",
    }
    said = "Grant 2 documents to a role that has been deleted, staff, until 2027-01-31"
    assert describe(root, kind="grants", change=gives) == said
    assert describe(desk, kind="grants", change=gives) == "Grant 2 documents to 2 roles, until 2027-01-31"
    thresholds = {"answer_from": 0.5, "closest_from": 0.25, "before": {"answer_from": 0.46, "closest_from": 0.1}}
    assert describe(desk, kind="thresholds", change=thresholds) == (
        "Answers from 0.46 → 0.50, closest passages from 0.10 → 0.25"
    )
    back = {"answer_from": None, "closest_from": None}
    assert describe(desk, kind="thresholds", change=back) == "Go by the thresholds of the settings again"
    model = {"kind": "model", "change": {}, "examination": ModelExamination.objects.get()}
    assert describe(root, **model) == "Let llamafile/tiny-1b answer"
    assert describe(desk, **model) == "Let an examined model answer"
    ChangeCheck.objects.all().delete()
    made = {"kind": "editions", "state": "made", "is_gate": True, "change": {}}
    ChangeCheck.objects.create(**made, job=world.job)
    ChangeCheck.objects.create(**made, run=SyncRun.objects.get())
    named = f"Documents of the source {DataSource.objects.get()}"
    for client, of_run in ((root, named), (desk, "Documents of a source")):
        shown = read(client, LIST)
        assert of_run in shown
        assert ("Documents of an upload" if client is desk else "Upload of") in shown
    assert named not in read(desk, LIST)


def fill_limits(**changed: Any) -> dict[str, Any]:
    """Return the form of the limits as it is at first, with some fields in place."""
    form: dict[str, Any] = {f"{kind}-most_worse": "0" for kind in ChangeKind}
    form |= {f"{kind}-most_moved": "0" for kind in ChangeKind}
    form |= {"grants-from_documents": "10", "editions-from_documents": "10"}
    return form | {name.replace("__", "-"): value for name, value in changed.items()}


def test_the_limits_are_saved_together_and_each_change_is_on_record(world: World, staff: Staff) -> None:
    desk = staff("core.change_changelimit")
    shown = read(desk, LIMITS)
    assert "thresholds-from_documents" not in shown
    assert "model-from_documents" not in shown
    assert "editions-most_people" not in shown
    given = fill_limits(grants__is_on="on", grants__most_worse="5", grants__most_people="20", model__is_on="on")
    assert "The limits are saved." in post(desk, LIMITS, given)
    grants = ChangeLimit.objects.get(kind="grants")
    assert (grants.is_on, grants.most_worse, grants.most_people, grants.most_changed) == (True, 5, 20, None)
    assert dict(ChangeLimit.objects.values_list("kind", "is_on")) == {
        "grants": True,
        "editions": False,
        "thresholds": False,
        "model": True,
    }
    rows = AuditEvent.objects.filter(action=AuditEvent.Action.CHANGE, object_type="changelimit")
    assert {row.details["kind"]: sorted(row.details["after"]) for row in rows} == {
        "grants": ["is_on", "most_people", "most_worse"],
        "model": ["is_on"],
    }
    post(desk, LIMITS, given)
    assert rows.count() == 2


def test_an_error_in_one_limit_saves_none_and_loses_nothing(world: World, root: Client) -> None:
    shown = post(root, LIMITS, fill_limits(grants__is_on="on", grants__most_worse="200", model__most_worse="33"))
    assert "Nothing was saved." in shown
    assert "less than or equal to 100" in shown
    assert 'value="200"' in shown
    assert 'value="33"' in shown
    assert not ChangeLimit.objects.exists()


def test_limits_take_their_own_right(world: World, staff: Staff) -> None:
    desk = staff(VIEW, DECIDE, READS)
    assert desk.get(LIMITS).status_code == 403
    assert desk.post(LIMITS, fill_limits(grants__is_on="on")).status_code == 403
    assert not ChangeLimit.objects.exists()
