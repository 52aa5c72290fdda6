"""The report of what new editions did: over REST, as a file and in the admin, and who may have it."""

import csv
import io

import pytest
from django.test import Client
from django.urls import reverse
from procrastinate.contrib.django.models import ProcrastinateJob

from core import api
from core.access.audiences import asker_for, audience_of
from core.models import AuditEvent, Document, FootnoteChange, User
from core.quality.footnotes.asking_again import recheck_elsewhere
from core.quality.footnotes.checking import check_document
from core.testing import Cast
from core.types import Origin
from tests.integration.asked import give_right
from tests.integration.bot.editions import put
from tests.integration.bot.sentences import ASK_CANTEEN, CANTEEN
from tests.integration.rest.conftest import Callers

STEW = "The canteen in the harbour office serves stew at noon."
OPENS = "The canteen in the harbour office opens at eight on weekdays."


def ask(person: User, question: str = ASK_CANTEEN) -> None:
    """Somebody asks over REST."""
    asker = asker_for(person)
    conversation = api.open_conversation(origin=Origin.REST, asker=asker)
    api.ask(question, asker=asker, audience=audience_of([person.pk]), conversation=conversation)


@pytest.fixture
def canteen(cast: Cast, fast: None) -> Document:
    """Create a document whose second edition outdates one answer, and not another."""
    document = put("Canteen rules", CANTEEN, OPENS, roles=[cast.staff])
    ask(cast.alice)
    ask(cast.bob, "When does the canteen in the harbour office open on weekdays?")
    put("Canteen rules", STEW, OPENS)
    check_document(document.pk)
    for change in FootnoteChange.objects.all():
        recheck_elsewhere(change.pk)
    return document


@pytest.fixture
def reader(callers: Callers) -> Callers:
    """The analyst sees the list of documents, too."""
    give_right(callers.analyst.user, "view_document")
    return callers


def test_the_figures(reader: Callers, canteen: Document) -> None:
    """A question over REST is asked again as its asker, and nobody is notified."""
    report = reader.analyst.get("reports/editions").json()
    (row,) = report["rows"]
    assert row.pop("checked_at")
    assert row == {
        "document_id": str(canteen.pk),
        "title": "Canteen rules",
        "version": 2,
        "kind": "replaced",
        "answers": 2,
        "standing": 1,
        "holds": 0,
        "says_otherwise": 1,
        "not_found": 0,
        "unchecked": 0,
        "told": 0,
    }
    assert FootnoteChange.objects.get().silence == "elsewhere"


def test_as_a_file_it_is_recorded(reader: Callers, canteen: Document) -> None:
    """With figures only in the audit trail."""
    read = reader.analyst.get("reports/editions", format="csv")
    (line,) = csv.DictReader(io.StringIO(read.content.decode()))
    assert (line["title"], line["says_otherwise"]) == ("Canteen rules", "1")
    assert AuditEvent.objects.get(action="export").details["rows"] == 1


def test_it_names_documents_to_who_may_see_them_alone(callers: Callers, canteen: Document) -> None:
    """The right to read reports is not enough, and the refusal names none; nor does a document that is gone."""
    for caller in (callers.analyst, callers.alice, callers.charlie):
        refused = caller.get("reports/editions")
        assert refused.status_code == 403
        assert b"Canteen" not in refused.content
    give_right(callers.analyst.user, "view_document")
    canteen.delete()
    check_document(canteen.pk)
    shown = callers.analyst.get("reports/editions")
    assert [(row["kind"], row["title"]) for row in shown.json()["rows"]] == [("deleted", ""), ("replaced", "")]
    assert [word for word in (b"Canteen", b"soup", b"stew") if word in shown.content] == []


def test_the_admin_shows_the_same(client: Client, reader: Callers, canteen: Document) -> None:
    """To whom may have it, from the page of reports; to nobody else, nor a word of an answer to anybody."""
    address = reverse("admin:core_querylog_editions")
    person = User.objects.get(pk=reader.analyst.user.pk)
    person.is_staff = True
    person.save()
    client.force_login(person)
    page = client.get(address)
    assert page.status_code == 200
    assert [text for text in ("Canteen rules", "new edition 2") if text not in page.content.decode()] == []
    assert [word for word in (b"soup", b"stew") if word in page.content] == []
    assert address.encode() in client.get(reverse("admin:core_querylog_reports")).content
    person.user_permissions.remove(*person.user_permissions.filter(codename="view_document"))
    assert client.get(address).status_code == 403
    assert address.encode() not in client.get(reverse("admin:core_querylog_reports")).content
    assert client.get(address, {"since": "2026-03-02", "until": "2026-03-01"}).status_code == 403


def test_nobody_asked_what_was_asked_again(reader: Callers, canteen: Document, cast: Cast) -> None:
    """It is in no figure of use, among nobody's recent questions, and no evaluation awaits it."""
    recent = api.recent_questions(cast.alice.pk, audience=cast.audience(cast.alice))
    assert [one.question for one in recent] == [ASK_CANTEEN]
    assert reader.analyst.get("reports").json()["total"]["questions"] == 2
    assert reader.analyst.get("reports/usage").json()["total"]["questions"] == 2
    asked_again = FootnoteChange.objects.get().asked_again
    assert asked_again is not None
    evaluated = ProcrastinateJob.objects.filter(task_name="core.evaluate").values_list("args__query_id", flat=True)
    assert str(asked_again.pk) not in set(evaluated)
    assert len(evaluated) == 2
