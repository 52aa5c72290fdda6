"""Risks show who may see them figures and titles, a document's words to its readers alone, and a secret to nobody."""

import io
import json
from collections.abc import Iterator, Sequence
from typing import Any
from uuid import UUID

import openpyxl
import pytest
from django.contrib.auth.models import Permission
from django.contrib.contenttypes.models import ContentType
from django.core.management import call_command
from django.test import Client
from django.utils import timezone
from hypothesis import example, given
from pytest_django.fixtures import Settings

from adminsite.api.urls import VIEWS
from core.models import (
    AuditEvent,
    AuthToken,
    Chunk,
    Document,
    OversharingRisk,
    SensitivePlace,
    ShownSecret,
    User,
    UserRole,
    forget_shown,
)
from core.models.row_security import bypass_row_security
from core.quality.oversharing.listing import RELATED, list_places
from core.quality.oversharing.looking import look_soon
from core.quality.oversharing.refreshing import refresh_all
from core.testing import Cast, make_document
from core.types import Audience
from tests.integration.leaks.addresses import Request, differences, marks_in
from tests.integration.leaks.hidden import (
    NAMES,
    SECRETS,
    SECTION,
    WORDS,
    Hidden,
    Secret,
    reword,
    stock,
    with_all_hidden,
    with_hidden,
)
from tests.integration.leaks.test_addresses import asked_of_rest, told
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
from tests.integration.oversharing.people import HIDDEN, WIFI, give, make_people
from tests.integration.rest.conftest import Caller

pytestmark = pytest.mark.usefixtures("floors", "fast")
SEES = ("view_oversharing", "view_role", "view_document", "view_collection")
ALL = (*SEES, "decide_who_reads", "view_reports")
STARTS = ("/api/v1/oversharing", "/api/v1/shown-secrets", "/api/v1/reports/oversharing")
SECTION_OF_WIFI, NOTE = "Visitors and porters", "the office closes at six"


@pytest.fixture(autouse=True)
def _plain_http(settings: Settings) -> None:
    """The test client speaks plain http; what was kept of secrets that are shown is another test's."""
    settings.SECURE_SSL_REDIRECT = False
    forget_shown()


@pytest.fixture
def library(cast: Cast) -> Cast:
    """The cast in the library that Bob may read."""
    ContentType.objects.get_for_models(AuditEvent, AuthToken, Document, User)
    stock(cast)
    return cast


def give_rights(user: User, *rights: str) -> User:
    """Give a person these rights alone, and return them anew."""
    user.user_permissions.set(Permission.objects.filter(codename__in=rights))
    return User.objects.get(pk=user.pk)


def make_program(*rights: str, user: User | None = None) -> Client:
    """Make a program of somebody with these rights, who may read nothing unless they are named."""
    person = give_rights(user or User.objects.create_user("desk@example.com"), *rights)
    _row, token = AuthToken.objects.create(person, scopes=AuthToken.Scope.values)
    return Client(headers={"authorization": f"Token {token}"})


def asked_of_risks(hidden: Hidden) -> Iterator[Request]:
    """Each address of risks, with each risk, with filters and as files."""
    yield from (request for request in asked_of_rest(hidden) if request.path.startswith(STARTS))
    for risk in hidden.rows["core.oversharingrisk"]:
        yield Request(path=f"/api/v1/oversharing/{risk}")
    words = ("Zanzibar", "zanzibar", "Lockwork", "Keysmith", "quagmire", "owners")
    filters = [{"search": word} for word in words]
    filters += [{"state": "accepted"}, {"kind": "secret"}, {"level": "high"}, {"subject": "board"}]
    yield from (Request(path="/api/v1/oversharing", query=query) for query in filters)
    yield Request(path="/api/v1/oversharing", query={"collection": "Test library"})
    for path in ("/api/v1/oversharing", "/api/v1/reports/oversharing"):
        yield Request(path=path, query={"format": "csv"})  # a workbook has the moment in it


def test_every_address_is_asked() -> None:
    """None that comes later is left out."""
    named = {f"/api/v1/{route}" for route in VIEWS if "oversharing" in route or "secret" in route}
    assert len(named) == 9
    assert {path for path in named if not path.startswith(STARTS)} == set()


# --- Without the rights ---------------------------------------------------------------------------------------------
@pytest.mark.parametrize("lacking", [*SEES, None])
def test_without_every_right_there_is_nothing(library: Cast, lacking: str | None) -> None:
    """No address tells who lacks one of them, or all, whether there is any risk: not by a byte, nor by a statement.

    Bob reads the document of which a section is hidden; he is refused like everybody.
    """
    held = () if lacking is None else [right for right in ALL if right != lacking]
    program = make_program(*held, user=library.bob)

    def find(secrets: Sequence[Secret]) -> list[str]:
        with with_all_hidden(library, secrets) as hidden:
            requests = [request for one in hidden for request in asked_of_risks(one)]
            there = told(program, requests)
        answered = {one.status for request, one in there.items() if not request.startswith("OPTIONS")}
        assert answered - {400} == {403}  # 400: the report has no pages, whoever asks for them
        assert marks_in(there, [*WORDS, *NAMES, "Vault shelf"]) == []
        return differences(there, told(program, requests))

    assert find(SECRETS) == []


# --- With the rights, and not a reader ------------------------------------------------------------------------------
@pytest.mark.parametrize("secret", SECRETS, ids=str)
def test_who_sees_risks_and_may_not_read_sees_no_word(library: Cast, secret: Secret) -> None:
    """Figures and titles of whole documents are shown; what a section is called is its readers' to know.

    Nor does a search for such words find anything.
    """
    program = make_program(*ALL)
    is_section = secret is SECTION
    with with_hidden(library, secret) as hidden:
        requests = list(asked_of_risks(hidden))
        there = told(program, requests)
        assert {one.status for one in there.values()} >= {200, 400, 409}
        assert marks_in(there, WORDS) == []
        assert bool(marks_in(there, NAMES)) is not is_section
        listed = there[str(Request(path="/api/v1/oversharing"))]
        assert json.loads(listed.body)["count"] == len(hidden.rows["core.oversharingrisk"])
        assert ("Canteen rules (restricted sections)" in listed.body) is is_section
        for word in ("quagmire", "Lockwork", "Keysmith", *(("Zanzibar",) if is_section else ())):
            found = there[str(Request(path="/api/v1/oversharing", query={"search": word}))]
            assert json.loads(found.body)["count"] == 0, word
        reword(WORDS | NAMES if is_section else WORDS)
        assert differences(there, told(program, requests)) == []


@pytest.mark.parametrize("secret", SECRETS, ids=str)
def test_a_reader_sees_the_words(library: Cast, secret: Secret) -> None:
    """Else the tests before would prove nothing: Alice, who reads both."""
    program = make_program(*ALL, user=library.alice)
    with with_hidden(library, secret) as hidden:
        there = told(program, list(asked_of_risks(hidden)))
        assert marks_in(there, [secret.code])
        assert marks_in(there, [secret.section.split()[0]])


def keep_risks(here: Built) -> list[OversharingRisk]:
    """Keep a place in each passage of a world's documents, and a risk of each document."""
    with bypass_row_security():
        chunks = list(Chunk.objects.filter(document__in=here.documents).values_list("pk", "document_id", "content"))
    SensitivePlace.objects.bulk_create(
        SensitivePlace(
            document_id=document,
            document_version=1,
            subject="pay",
            chunk_id=pk,
            start=0,
            end=len(content),
            strength=0.9,
        )
        for pk, document, content in chunks
    )
    figures = {"sensitivity": 4, "reach": 5, "score": 20, "people": 9, "document_version": 1}
    for document in here.documents:
        OversharingRisk.objects.create(
            kind="confidential", key=str(document.pk), document=document, opened_at=timezone.now(), **figures
        )
    return list(OversharingRisk.objects.select_related(*RELATED))


def read_places(risk: OversharingRisk, audience: Audience) -> tuple[set[bool], str]:
    """Return whether the places of a risk are readable, and all that is shown of them."""
    places = list_places(risk, audience)
    return {one.is_readable for one in places}, str(places)


@given(world=worlds())
@example(world=NO_COMMON_ROLE)
@example(world=IN_SECTIONS)
@example(world=ONE_READER)
@tried(40)
def test_words_are_shown_to_readers_of_the_document_alone(world: World) -> None:
    """In any world, for any audience."""
    with built(world) as here:
        readable = here.readable()
        forbidden = here.marks_outside(readable)
        for risk in keep_risks(here):
            is_readable, shown = read_places(risk, here.audience())
            assert is_readable == {risk.document_id in readable}
            assert held_marks(shown, forbidden) == set()
            number = next(n for n, one in enumerate(here.documents) if one.pk == risk.document_id)
            assert (code(number) in shown) is (risk.document_id in readable)


@given(world=worlds(guests=False))
@example(world=IN_SECTIONS)
@example(world=ONE_READER)
@tried(12)
def test_rest_shows_words_to_readers_of_the_document_alone(world: World) -> None:
    """With every right but to read."""
    world = world.read_by_the_first()
    with built(world) as here:
        risks = keep_risks(here)
        caller = Caller(give_rights(here.asker(), *ALL), "reports")
        readable = here.readable()
        parts = {one.pk: number for number, one in enumerate(here.documents) if one.part_of_id}
        listed = caller.get("oversharing", page_size="200")
        assert listed.json()["count"] == len(risks)
        assert held_marks(listed.content.decode(), {f"Section {code(number)}" for number in parts.values()}) == set()
        for risk in risks:
            shown = caller.get(f"oversharing/{risk.pk}")
            places = json.dumps(shown.json()["places"])
            assert held_marks(places, here.marks_outside(readable)) == set()
            assert {one["readable"] for one in shown.json()["places"]} == {risk.document_id in readable}
            if risk.document_id in parts and risk.document_id not in readable:
                said = shown.content.decode()
                assert held_marks(said, {code(parts[risk.document_id]), str(risk.document_id)}) == set()


def test_words_go_with_the_right_to_their_document(cast: Cast) -> None:
    """At once, and they come back with it; an edition that nobody looked through shows none."""
    document = make_document("Network", WIFI, roles=[cast.staff], section=SECTION_OF_WIFI)
    look_soon()
    refresh_all()
    risk = OversharingRisk.objects.get()
    bob = cast.audience(cast.bob)
    assert NOTE in read_places(risk, bob)[1]
    rows = document.role_access.filter(role=cast.staff)
    rows.update(expires_at=timezone.now())
    is_readable, shown = read_places(risk, cast.audience(cast.bob))
    assert (is_readable, held_marks(shown, {NOTE, SECTION_OF_WIFI})) == ({False}, set())
    rows.update(expires_at=None)
    assert NOTE in read_places(risk, cast.audience(cast.bob))[1]
    Document.objects.filter(pk=document.pk).update(version=2)
    assert list_places(OversharingRisk.objects.select_related(*RELATED).get(), bob) == []


# --- The secret itself ----------------------------------------------------------------------------------------------
def run_command(*options: str) -> str:
    """Return what the command prints."""
    out, err = io.StringIO(), io.StringIO()
    call_command("oversharing", *options, stdout=out, stderr=err)
    return out.getvalue() + err.getvalue()


def take_files(caller: Caller) -> str:
    """Return all that the list and the report say, in each format."""
    said = []
    for path in ("oversharing", "reports/oversharing"):
        said += [caller.get(path, format=form).content.decode() for form in ("json", "csv")]
        book = openpyxl.load_workbook(io.BytesIO(caller.get(path, format="xlsx").content))
        said += [str(row) for sheet in book for row in sheet.iter_rows(values_only=True)]
    return "\n".join(said)


def decide(caller: Caller, risk: UUID, place: UUID) -> list[str]:
    """Take each decision about a risk but to narrow it, and return what each answers."""
    answers: list[Any] = [
        caller.post(f"oversharing/{risk}/accept", reason="It is for visitors"),
        caller.post(f"oversharing/{risk}/reopen"),
        caller.post(f"oversharing/{risk}/show-secrets", places=[str(place)], reason="It is for visitors"),
        caller.get("shown-secrets"),
        caller.client.delete(f"/api/v1/shown-secrets/{ShownSecret.objects.get().pk[:12]}"),
    ]
    assert [answer.status_code for answer in answers] == [200, 200, 200, 200, 204]
    answers.pop(2)  # which shows it to its reader: it is meant to be read just then
    return [answer.content.decode() for answer in answers]


@pytest.mark.parametrize("is_reader", [True, False])
def test_the_masked_value_is_shown_nowhere(cast: Cast, is_reader: bool) -> None:
    """To nobody: in no list, detail, report, file, output of the command, log and audit row."""
    document = make_document("Network", WIFI, roles=[cast.staff], section=SECTION_OF_WIFI)
    give(make_people("crowd", 40), document)
    user = User.objects.create_user("desk@example.com")
    if is_reader:
        UserRole.objects.create(user=user, role=cast.staff)
    caller = Caller(give_rights(user, *ALL), "grant", "reports")
    with logged() as lines:
        said = [run_command("--look"), run_command("--json"), run_command("--all")]
        risk, place = OversharingRisk.objects.get(), SensitivePlace.objects.get()
        said += [caller.get("oversharing").content.decode(), caller.get("oversharing", search=HIDDEN).content.decode()]
        detail = caller.get(f"oversharing/{risk.pk}").content.decode()
        said += [detail, take_files(caller)]
        assert "Network" in said[-1]
        if is_reader:
            said += decide(caller, risk.pk, place.pk)
        said += [run_command("--accept", str(risk.pk), "--reason", "It is right", "--json")]
        said += [run_command("--narrow", str(risk.pk), "--yes", "--json")]
        said += [caller.post(f"oversharing/{risk.pk}/narrow").content.decode()]
    assert "Network" in said[0]
    assert (NOTE in detail, SECTION_OF_WIFI in detail) == (is_reader, is_reader)
    assert held_marks("\n".join(said), {HIDDEN, place.fingerprint}) == set()
    assert held_marks("\n".join(lines), {HIDDEN, NOTE, SECTION_OF_WIFI, "Network", place.fingerprint}) == set()
    rows = json.dumps(list(AuditEvent.objects.values()), default=str)
    assert "accept_risk" in rows
    assert held_marks(rows, {HIDDEN, NOTE, SECTION_OF_WIFI, "guests", place.fingerprint}) == set()


def test_a_secret_in_a_section_is_told_by_no_name_of_it(cast: Cast) -> None:
    """Neither by the list, the risk, the list of secrets that are meant to be read, nor by the command."""
    whole = make_document("Handbook", "The office opens at nine.", roles=[cast.staff])
    part = make_document("Handbook: Porters", WIFI, section="Porters", part_of=whole)
    caller = Caller(give_rights(cast.bob, *ALL), "grant", "reports")
    with logged() as lines:
        said = [run_command("--look"), run_command("--json")]
        risk, place = OversharingRisk.objects.get(), SensitivePlace.objects.get()
        ShownSecret.objects.create(fingerprint=place.fingerprint, reason="It is for visitors")
        said += [
            caller.get(path).content.decode() for path in ("oversharing", f"oversharing/{risk.pk}", "shown-secrets")
        ]
        said += [caller.get("oversharing", search=word).content.decode() for word in ("Porters", ": ", HIDDEN)]
        said += [take_files(caller)]
    assert [json.loads(one)["count"] for one in said[5:8]] == [0, 0, 0]
    assert json.loads(said[4])["results"][0]["documents"] == [
        {"id": str(whole.pk), "title": "Handbook (restricted sections)"}
    ]
    assert held_marks("\n".join([*said, *lines]), {"Porters", NOTE, HIDDEN, str(part.pk)}) == set()
