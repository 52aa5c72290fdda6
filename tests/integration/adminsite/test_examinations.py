"""The page of examinations: what answers, who decides, and whose words are shown to whom."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from core.models import (
    AuditEvent,
    Document,
    ExaminationLine,
    ExaminationSource,
    ExaminationWords,
    ModelExamination,
    Query,
)
from core.models.row_security import as_audience, bypass_row_security, showing_quotes_to
from core.quality.examination.judging import Ended, sum_up
from core.quality.examination.words import read_words
from core.testing import Cast, make_document
from tests.integration.asked import make_question

LIST = reverse("admin:core_modelexamination_changelist")
START = reverse("admin:core_modelexamination_start")
SECRET = "the deposit is quagmire-7741"
SHARED = "the canteen opens at noon"
VIEW, EXAMINE, ADMIT = "core.view_modelexamination", "core.examine_models", "core.admit_models"


def page_of(row: ModelExamination, action: str = "change") -> str:
    return reverse(f"admin:core_modelexamination_{action}", args=[row.pk])


@pytest.fixture
def model(settings: Any) -> Any:
    """A model that is set, has to be let in, and is never called here."""
    settings.MODEL_ADMISSION, settings.LLM_MODEL = "required", "llamafile/tiny-1b"
    settings.LLM_API_BASE = "http://127.0.0.1:1/v1"
    return settings


def make_examination(state: str = "examined", **fields: Any) -> ModelExamination:
    """Keep an examination of the model that is set, with figures in which it is better."""
    from core.quality.examination.deciding import start

    row = start(by=None)
    ended = [Ended(text="x", ms=2000.0, tokens=9, keeps_format=True, in_own_words=True), Ended(text=None, ms=1000.0)]
    figures = {"model": sum_up(["right", "withheld"], ended), "key_free": sum_up(["missed", "withheld"], ended)}
    ModelExamination.objects.filter(pk=row.pk).update(
        state=state, figures=figures, total=2, started_at=timezone.now(), finished_at=timezone.now(), **fields
    )
    row.refresh_from_db()
    return row


def add_line(
    row: ModelExamination, number: int, words: str, *documents: Document | None, query: Query | None = None
) -> ExaminationLine:
    """Keep a line whose words come from these documents; None is one that was deleted."""
    line = ExaminationLine.objects.create(
        examination=row,
        number=number,
        kind="label",
        is_answerable=True,
        query=query,
        model_outcome="right",
        key_free_outcome="missed",
        model_ms=2000,
        key_free_ms=100,
    )
    for document in documents:
        version = document.version if document else 1
        ExaminationSource.objects.create(line=line, document=document, document_version=version)
    with bypass_row_security():
        ExaminationWords.objects.create(
            line=line,
            question="" if query else f"Is it so that {words}?",
            expected=words,
            model_text=f"Yes, {words}.",
            key_free_text=f"Quoted: {words}.",
        )
    return line


def test_a_damaged_record_of_the_model_is_said_on_the_page(root: Client, settings: Any) -> None:
    settings.LOCAL_MODEL_PROBLEM = "/srv/models/registered.json is damaged."
    page = root.get(LIST).content.decode()
    assert "/srv/models/registered.json is damaged." in page
    assert "Answers come without a model" in page


@pytest.fixture
def lines(cast: Cast, fast: None, model: Any) -> tuple[ModelExamination, dict[str, ExaminationLine]]:
    """One line of each kind of sources."""
    vault = make_document("Vault", SECRET, roles=[cast.owners])
    canteen = make_document("Canteen", SHARED, roles=[cast.staff])
    row = make_examination()
    return row, {
        "secret": add_line(row, 1, SECRET, vault),
        "shared": add_line(row, 2, SHARED, canteen),
        "both": add_line(row, 3, f"{SECRET} and {SHARED}", canteen, vault),
        "deleted": add_line(row, 4, "the basilisk is gone", canteen, None),
        "sourceless": add_line(row, 5, "the cockatrice is loose"),
    }


def test_words_are_those_of_readers_of_every_source(
    lines: tuple[ModelExamination, dict[str, ExaminationLine]], cast: Cast
) -> None:
    """By the application's rule, and by the database's alone."""
    _, by_name = lines

    def names(found: Any) -> set[str]:
        return {name for name, line in by_name.items() if line.pk in set(found)}

    for person, wanted in ((cast.alice, {"secret", "shared", "both"}), (cast.bob, {"shared"}), (cast.charlie, set())):
        audience = cast.audience(person)
        assert names(read_words(by_name.values(), audience=audience)) == wanted
        for opened in (as_audience, showing_quotes_to):
            with opened(audience):
                assert names(ExaminationWords.objects.values_list("pk", flat=True)) == wanted
    assert not ExaminationWords.objects.exists()


def test_nobody_changes_words_but_maintenance(
    lines: tuple[ModelExamination, dict[str, ExaminationLine]], cast: Cast
) -> None:
    with showing_quotes_to(cast.audience(cast.alice)):
        assert ExaminationWords.objects.update(question="Else?") == 0
        assert ExaminationWords.objects.all().delete()[0] == 0


def test_words_go_with_a_document_and_with_their_examination(
    lines: tuple[ModelExamination, dict[str, ExaminationLine]], cast: Cast
) -> None:
    row, by_name = lines
    Document.objects.filter(title="Vault").delete()
    with bypass_row_security():
        left = set(ExaminationWords.objects.values_list("pk", flat=True))
    assert left == {by_name[name].pk for name in ("shared", "deleted", "sourceless")}
    row.delete()
    with bypass_row_security():
        assert not ExaminationWords.objects.exists()


def test_the_page_shows_figures_to_all_and_words_to_readers(
    lines: tuple[ModelExamination, dict[str, ExaminationLine]], root: Client, cast: Cast, staff: Callable[..., Client]
) -> None:
    """A superuser reads no document by being one; Alice's browser shows her words."""
    row, _ = lines
    page = root.get(page_of(row)).content.decode()
    assert "Better here" in page
    assert "words of 5 questions are not shown" in page
    for word in ("quagmire", "canteen opens", "basilisk", "cockatrice"):
        assert word not in page
    cast.alice.is_staff = cast.alice.is_superuser = True
    cast.alice.save()
    alice = Client()
    alice.force_login(cast.alice)
    page = alice.get(page_of(row)).content.decode()
    assert "quagmire-7741" in page
    assert "canteen opens at noon" in page
    assert "words of 2 questions are not shown" in page
    for word in ("basilisk", "cockatrice"):
        assert word not in page


def test_a_question_of_a_person_is_shown_by_its_own_rule_and_goes_with_its_erasure(
    cast: Cast, fast: None, model: Any, staff: Callable[..., Client]
) -> None:
    """To who may view queries and read the sources; the look is on record."""
    canteen = make_document("Canteen", SHARED, roles=[cast.staff])
    query = make_question(cast.alice)
    row = make_examination()
    add_line(row, 1, SHARED, canteen, query=query)
    browser = staff(VIEW)
    assert query.question_text not in browser.get(page_of(row)).content.decode()
    cast.bob.is_staff = cast.bob.is_superuser = True
    cast.bob.save()
    bob = Client()
    bob.force_login(cast.bob)
    assert query.question_text in bob.get(page_of(row)).content.decode()
    assert AuditEvent.objects.filter(action="read_text", object_id=str(row.pk)).count() == 1
    text = query.question_text
    Query.objects.update(question_text="", erased_at=timezone.now())
    assert text not in bob.get(page_of(row)).content.decode()


def test_each_step_needs_its_own_permission(
    cast: Cast, fast: None, model: Any, staff: Callable[..., Client], root: Client
) -> None:
    """Whoever may only look sees no button, and what they post is refused."""
    row = make_examination()
    browser = staff(VIEW)
    page = browser.get(page_of(row)).content.decode()
    for button in ("Let it answer", "Refuse it", "Stop"):
        assert button not in page
    assert "Examine again" not in browser.get(LIST).content.decode()
    for address in (START, page_of(row, "stop"), page_of(row, "admit"), page_of(row, "refuse")):
        assert browser.post(address).status_code == 403
        assert root.get(address).status_code == 405
    row.refresh_from_db()
    assert row.state == "examined"
    assert root.post(reverse("admin:core_modelexamination_admit", args=[UUID(int=7)])).status_code == 404


def test_who_may_admit_may_not_start_and_the_other_way_round(
    cast: Cast, fast: None, model: Any, staff: Callable[..., Client]
) -> None:
    row = make_examination()
    decides = staff(VIEW, ADMIT)
    assert decides.post(START).status_code == 403
    assert "Let it answer" in decides.get(page_of(row)).content.decode()
    assert decides.post(page_of(row, "admit")).status_code == 302
    row.refresh_from_db()
    assert (row.state, row.decided_by and row.decided_by.email) == ("admitted", "desk@example.com")
    assert AuditEvent.objects.get(object_type="modelexamination").details == {"state": "admitted"}


def test_a_model_is_examined_admitted_and_refused_from_the_admin(
    cast: Cast, fast: None, model: Any, root: Client
) -> None:
    """The list says what answers at each step."""
    assert "answers nobody yet" in root.get(LIST).content.decode()
    assert "is queued" in root.post(START, follow=True).content.decode()
    assert "is being examined already" in root.post(START, follow=True).content.decode()
    waiting = ModelExamination.objects.get()
    assert "it is being examined" in root.get(LIST).content.decode()
    assert "Stop" in root.get(page_of(waiting)).content.decode()
    root.post(page_of(waiting, "stop"))
    waiting.refresh_from_db()
    assert waiting.state == "stopped"
    assert "Only a model whose examination" in root.post(page_of(waiting, "admit"), follow=True).content.decode()
    row = make_examination()
    assert "waits for a decision" in root.get(LIST).content.decode()
    root.post(page_of(row, "admit"))
    assert "an administrator let it in" in root.get(LIST).content.decode()
    root.post(page_of(row, "refuse"))
    assert "it was refused" in root.get(LIST).content.decode()


def test_a_model_that_is_no_more_set_cannot_be_let_in(cast: Cast, fast: None, model: Any, root: Client) -> None:
    row = make_examination()
    model.LLM_API_BASE = "http://127.0.0.1:2/v1"
    page = root.get(page_of(row)).content.decode()
    assert "Let it answer" not in page
    assert "Another model is set by now" in page
    assert "Another model is set" in root.post(page_of(row, "admit"), follow=True).content.decode()
    row.refresh_from_db()
    assert row.state == "examined"


def test_without_a_model_the_list_says_how_to_get_one(root: Client) -> None:
    page = root.get(LIST).content.decode()
    assert "make model" in page
    assert "No model is set" in root.post(START, follow=True).content.decode()
