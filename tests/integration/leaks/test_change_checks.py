"""Checks of changes show nobody what they may not read, and leave nothing of a try that anybody else could see."""

import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone
from hypothesis import example, given
from pytest_django.fixtures import Settings

from core import api
from core.access.audiences import asker_for, audience_of
from core.access.changes import plan_change
from core.access.grants import grant, revoke
from core.asking.confidence.threshold_values import Thresholds, forget_thresholds
from core.models import (
    AnswerThresholds,
    AuditEvent,
    ChangeCheck,
    ChangeCheckLine,
    ChangeCheckWords,
    Document,
    Query,
    Role,
    RoleDocumentAccess,
    User,
)
from core.models.row_security import bypass_row_security, showing_quotes_to
from core.models.versions import current_versions
from core.quality.change_checks import running, trying
from core.quality.change_checks.describing import describe_change
from core.quality.change_checks.listing import LineView, Viewer, list_lines, list_people
from core.quality.change_checks.submitting import check_grants, check_thresholds
from core.quality.change_checks.trying import try_change
from core.testing import Cast, fetch_chunks, make_document
from core.types import Answer, Refusal
from core.values.change_checks import Outcome
from tests.integration.leaks.worlds import (
    IN_SECTIONS,
    NO_COMMON_ROLE,
    ONE_READER,
    Built,
    World,
    built,
    code,
    held_marks,
    logged,
    tried,
    worlds,
)

VAULT = "Opening time: seven\nCode word: quagmire-7741"
VAULT_QUESTION = "What is the code word of the vault?"
CANTEEN = "Opening time: noon\nClosing time: three"
SECRETS = {"quagmire", "7741", "Vault", "vault"}


@pytest.fixture(autouse=True)
def _no_reader(settings: Settings) -> None:
    settings.READER = "none"


@pytest.fixture
def vault(cast: Cast, fast: None) -> Document:
    """A document of the owners' beside one of the staff's."""
    make_document("Canteen", CANTEEN, roles=[cast.staff], section="Canteen")
    return make_document("Vault", VAULT, roles=[cast.owners], section="Vault")


def see(person: User) -> Viewer:
    """Build the viewer that a person without further rights is."""
    person = User.objects.get(pk=person.pk)
    return Viewer.of(person, audience_of([person.pk]))


def keep_line(check: ChangeCheck, number: int, *documents: Document, question: str, **more: Any) -> ChangeCheckLine:
    """Store a line of the library's about documents, with words of theirs."""
    line = check.lines.create(number=number, asked_for="library", outcome=Outcome.SOURCES, is_worse=False, **more)
    for side in ("question", "before", "after"):
        for document in {one.pk: one for one in documents}.values():
            line.sources.create(document=document, document_version=document.version, side=side)
    with bypass_row_security():
        ChangeCheckWords.objects.create(line=line, question=question, before_text=question, after_text=question)
    return line


# --- In any world ---------------------------------------------------------------------------------------------------
def keep_check(here: Built) -> ChangeCheck:
    """Keep a check of grants of all that a world has, with a line about each document, and one about each pair."""
    asked = {str(role.pk): [str(one.pk) for one in here.documents] for role in here.roles}
    change = {"gives": True, "documents": asked, "until": None}
    check = ChangeCheck.objects.create(kind="grants", is_gate=False, change=change)
    for number, document in enumerate(here.documents):
        keep_line(check, 2 * number + 1, document, question=f"About {code(number)}", role=here.roles[0])
        other = (number + 1) % len(here.documents)
        words = f"About {code(number)} and {code(other)}"
        keep_line(check, 2 * number + 2, document, here.documents[other], question=words)
    return check


def read_words(check: ChangeCheck, here: Built) -> list[str]:
    """Return the words that the database itself shows to an audience."""
    with showing_quotes_to(here.audience()):
        return list(ChangeCheckWords.objects.filter(line__check_of=check).values_list("question", flat=True))


@pytest.mark.usefixtures("floors", "fast")
@given(world=worlds())
@example(world=NO_COMMON_ROLE)
@example(world=IN_SECTIONS)
@example(world=ONE_READER)
@tried(40)
def test_a_viewer_knows_of_no_document_that_they_may_not_read(world: World) -> None:
    """Neither its title, its words nor that it is there; and not by what the change is said to be about."""
    with built(world) as here:
        check = keep_check(here)
        viewer = Viewer(
            person=here.asker().pk,
            audience=here.audience(),
            sees_questions=True,
            sees_people=True,
            sees_titles=False,
            sees_roles=True,
        )
        readable = here.readable()
        lines = list_lines(check, viewer)
        told = str((lines, list_people(check, viewer), describe_change(check, viewer)))
        assert held_marks(told, here.marks_outside(readable)) == set()
        assert len(lines) == 2 * len(here.documents)
        for number, document in enumerate(here.documents):
            [own] = [line for line in lines if line.number == 2 * number + 1]
            assert bool(own.question) == bool(own.before) == (document.pk in readable)
            [pair] = [line for line in lines if line.number == 2 * number + 2]
            both = {document.pk, here.documents[(number + 1) % len(here.documents)].pk}
            assert bool(pair.question) == (both <= readable)


@pytest.mark.usefixtures("db", "fast")
@given(world=worlds())
@example(world=NO_COMMON_ROLE)
@example(world=IN_SECTIONS)
@tried(20)
def test_the_database_shows_words_to_readers_of_every_source_alone(world: World) -> None:
    """Whatever the application asks it for."""
    with built(world) as here:
        check = keep_check(here)
        readable = here.readable()
        shown = sum(document.pk in readable for document in here.documents)
        pairs = [
            {one.pk, here.documents[(number + 1) % len(here.documents)].pk} for number, one in enumerate(here.documents)
        ]
        assert len(read_words(check, here)) == shown + sum(both <= readable for both in pairs)


# --- What changes afterwards ----------------------------------------------------------------------------------------
@pytest.fixture
def kept(cast: Cast, vault: Document) -> ChangeCheck:
    """A check with a line from the vault."""
    change = {"gives": True, "documents": {str(cast.staff.pk): [str(vault.pk)]}, "until": None}
    check = ChangeCheck.objects.create(kind="grants", is_gate=False, change=change)
    keep_line(check, 1, vault, question=VAULT_QUESTION)
    return check


def look(check: ChangeCheck, person: User) -> LineView:
    """Return the one line of a check as a person is shown it."""
    [line] = list_lines(check, see(person))
    return line


def test_words_go_with_the_right_to_their_document(kept: ChangeCheck, cast: Cast, vault: Document) -> None:
    """At once, and they come back with it."""
    assert (look(kept, cast.alice).question, look(kept, cast.bob).question) == (VAULT_QUESTION, "")
    revoke(cast.owners, [vault], by=None)
    line = look(kept, cast.alice)
    assert (line.question, line.before_text, line.before, line.after) == ("", "", (), ())
    grant(cast.staff, [vault], by=None)
    assert look(kept, cast.bob).question == VAULT_QUESTION


def test_words_go_with_their_document(kept: ChangeCheck, cast: Cast, vault: Document) -> None:
    """Nobody is shown them any more, and the database has them no more."""
    vault.delete()
    assert look(kept, cast.alice).question == ""
    with bypass_row_security():
        assert not ChangeCheckWords.objects.exists()
    described = describe_change(kept, see(cast.alice))
    assert [role.documents for role in described.roles] == [()]


def test_an_earlier_edition_is_for_who_could_read_it(kept: ChangeCheck, cast: Cast, vault: Document) -> None:
    """Show nothing of an earlier edition to those who were granted a later one."""
    late = Role.objects.create(name="late")
    cast.charlie.user_roles.create(role=late)
    Document.objects.filter(pk=vault.pk).update(version=2)
    late.document_access.create(document=vault, since_version=2)
    assert (look(kept, cast.charlie).question, look(kept, cast.alice).question) == ("", VAULT_QUESTION)


def test_an_erased_question_is_taken_out(cast: Cast, vault: Document) -> None:
    """Of the texts, and of the person: a check keeps no word of anybody's."""
    ask(cast.alice, VAULT_QUESTION)
    query = Query.objects.get()
    check = ChangeCheck.objects.create(kind="thresholds", is_gate=False, change={})
    check.lines.create(number=1, asked_for="person", query=query, person=cast.alice, outcome="vanished", is_worse=True)
    viewer = Viewer(
        person=cast.bob.pk,
        audience=audience_of([cast.bob.pk]),
        sees_questions=True,
        sees_people=True,
        sees_titles=False,
        sees_roles=False,
    )
    assert [line.question for line in list_lines(check, viewer)] == [VAULT_QUESTION]
    api.erase_texts(before=timezone.now(), of=cast.alice)
    [line] = list_lines(check, viewer)
    assert (line.question, line.query) == ("", None)
    cast.alice.delete()
    assert list_lines(check, viewer) == []
    assert list_people(check, viewer) == []


# --- What a try leaves ----------------------------------------------------------------------------------------------
def ask(person: User, question: str) -> Answer | Refusal:
    """Ask as a person does."""
    return api.ask(question, asker=asker_for(person), audience=audience_of([person.pk]))


def cites(person: User, question: str) -> list[str]:
    """Return the titles that a person's answer cites, and none where there is no answer."""
    result = ask(person, question)
    return [one.document_name for one in result.citations] if isinstance(result, Answer) else []


def try_here(check: ChangeCheck) -> None:
    """Try a change in this process."""
    try_change(check, chosen=lambda total: None, done=lambda count: None)


def give(cast: Cast, vault: Document) -> ChangeCheck:
    """Have a grant of the vault to the staff looked at."""
    return check_grants(plan_change(gives=True, documents=[(cast.staff.pk, vault.pk)]), by=cast.alice)


@pytest.mark.django_db(transaction=True)
def test_a_try_leaves_no_row_and_no_cache(cast: Cast, vault: Document) -> None:
    """The same process answers as before, and cites nothing of what the try let somebody read."""
    before = cites(cast.bob, VAULT_QUESTION), cites(cast.bob, "When is the opening time of the canteen?")
    assert "Vault" not in before[0]
    assert before[1] == ["Canteen"]
    rows = set(RoleDocumentAccess.objects.values_list("pk", flat=True))
    versions, events = current_versions(), AuditEvent.objects.count()
    check = give(cast, vault)
    try_here(check)
    assert check.lines.filter(query__question_text=VAULT_QUESTION, outcome=Outcome.ANSWERED, gains=1).exists()
    assert current_versions() == versions
    assert set(RoleDocumentAccess.objects.values_list("pk", flat=True)) == rows
    assert AuditEvent.objects.count() == events + 1  # that it was asked for
    assert (cites(cast.bob, VAULT_QUESTION), cites(cast.bob, "When is the opening time of the canteen?")) == before
    grant(cast.staff, [vault], by=None)
    assert current_versions() != versions
    assert cites(cast.bob, VAULT_QUESTION) == ["Vault"]
    revoke(cast.staff, [vault], by=None)
    try_here(give(cast, vault))
    assert "Vault" not in cites(cast.bob, VAULT_QUESTION)


@pytest.mark.django_db(transaction=True)
def test_thresholds_of_a_try_are_nobodys(cast: Cast, vault: Document, settings: Settings) -> None:
    settings.ANSWER_FROM, settings.CLOSEST_FROM, settings.ANSWERS_RIGHT = 0.1, 0.05, 0.0
    forget_thresholds()
    question = "When is the opening time of the canteen?"
    assert cites(cast.bob, question) == ["Canteen"]
    check = check_thresholds(Thresholds(answer_from=1.0, closest_from=1.0), by=cast.alice)
    try_here(check)
    assert check.lines.filter(query__isnull=False, outcome=Outcome.VANISHED).exists()
    assert cites(cast.bob, question) == ["Canteen"]
    assert not AnswerThresholds.objects.exists()


@pytest.fixture
def open_try(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[threading.Event, threading.Event]]:
    """Let a try that is open say so, and ask on when it may."""
    is_open, may_go_on = threading.Event(), threading.Event()
    asks = trying._ask

    def wait_and_ask(*given: Any) -> Any:
        if connection.in_atomic_block:
            is_open.set()
            assert may_go_on.wait(60)
        return asks(*given)

    monkeypatch.setattr(trying, "_ask", wait_and_ask)
    yield is_open, may_go_on
    may_go_on.set()


def in_session_of_its_own(work: Callable[[], None]) -> tuple[threading.Thread, list[BaseException]]:
    """Start work in a thread with a connection of its own, and return it with what it fails with."""
    failed: list[BaseException] = []

    def run() -> None:
        try:
            work()
        except BaseException as error:  # noqa: BLE001 - the test asserts that there is none
            failed.append(error)
        finally:
            connection.close()

    thread = threading.Thread(target=run)
    thread.start()
    return thread, failed


@pytest.mark.django_db(transaction=True)
def test_while_a_try_is_open_others_see_nothing_of_it(
    cast: Cast, vault: Document, open_try: tuple[threading.Event, threading.Event]
) -> None:
    """Another session asks, and reads as before."""
    is_open, may_go_on = open_try
    ask(cast.bob, VAULT_QUESTION)
    check, versions = give(cast, vault), current_versions()
    thread, failed = in_session_of_its_own(lambda: try_here(check))
    assert is_open.wait(60)
    assert not RoleDocumentAccess.objects.filter(document=vault, role=cast.staff).exists()
    assert current_versions() == versions
    assert "Vault" not in cites(cast.bob, VAULT_QUESTION)
    may_go_on.set()
    thread.join(60)
    assert (thread.is_alive(), failed) == (False, [])
    assert check.lines.filter(query__isnull=False, outcome=Outcome.ANSWERED).exists()
    assert "Vault" not in cites(cast.bob, VAULT_QUESTION)


@pytest.mark.django_db(transaction=True)
def test_a_revocation_does_not_wait_for_a_try(cast: Cast, vault: Document, monkeypatch: pytest.MonkeyPatch) -> None:
    """A try gives way after the question that it asks; with the rest of them it begins anew."""
    ask(cast.bob, VAULT_QUESTION)
    check, asks, is_open, opened = give(cast, vault), trying._ask, threading.Event(), list[float]()
    [some] = [one for one in trying.choose_questions(trying.load_change(check), 9) if one.query]
    monkeypatch.setattr(trying, "choose_questions", lambda change, most: [some] * 30)
    make = trying._make

    def count(change: Any) -> Any:
        opened.append(time.monotonic())
        return make(change)

    def ask_slowly(*given: Any) -> Any:
        if connection.in_atomic_block:
            is_open.set()
            time.sleep(0.3)
        return asks(*given)

    monkeypatch.setattr(trying, "_make", count)
    monkeypatch.setattr(trying, "_ask", ask_slowly)
    thread, failed = in_session_of_its_own(lambda: try_here(check))
    assert is_open.wait(60)
    began = time.monotonic()
    revoke(cast.owners, [vault], by=None)
    took = time.monotonic() - began
    thread.join(120)
    assert (thread.is_alive(), failed) == (False, [])
    assert took < 3
    assert not RoleDocumentAccess.objects.filter(document=vault).exists()
    assert check.lines.count() == 30
    assert len(opened) > 1


# --- Logs -----------------------------------------------------------------------------------------------------------
@pytest.mark.django_db(transaction=True)
def test_no_log_of_a_check_has_a_word_of_a_question_or_document(
    cast: Cast, vault: Document, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Neither of the worker, nor of the process that asks, nor what is said of one that fails."""
    monkeypatch.setenv("READER", "none")
    monkeypatch.setenv("LLM_API_KEY", "secret-quagmire")
    ask(cast.bob, VAULT_QUESTION)
    grant(cast.staff, [vault], by=None)
    capfd.readouterr()
    taken = check_grants(plan_change(gives=False, documents=[(cast.staff.pk, vault.pk)]), by=cast.alice)
    with logged() as lines:
        running.run_check(taken.pk)
        try_here(give(cast, vault))

        def fail(*given: Any, **named: Any) -> None:
            raise RuntimeError(VAULT)

        monkeypatch.setattr(trying, "run_dry", fail)
        try_here(taken)
        monkeypatch.setattr(running, "_ask_in_child", fail)
        failing = give(cast, vault)
        with pytest.raises(RuntimeError):
            running.run_check(failing.pk)
    taken.refresh_from_db()
    assert (taken.state, taken.figures["of_people"]) == ("tried", 1)
    assert any("change_check_ended" in line for line in lines)
    assert held_marks("\n".join(lines), SECRETS) == set()
    said = capfd.readouterr()
    assert held_marks(said.out + said.err, SECRETS) == set()
    reasons = " ".join(ChangeCheck.objects.values_list("reason", flat=True))
    assert "RuntimeError" in reasons
    assert held_marks(reasons, SECRETS) == set()
    assert fetch_chunks(vault)
