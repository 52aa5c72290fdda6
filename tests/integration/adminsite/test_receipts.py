"""Test the pages of receipts: who gets one, what is left out, the published keys and the verifying program."""

import json
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from pytest_django import Settings

from core import api
from core.asking.receipts.keys import make_key
from core.asking.receipts.verify_receipt import UNTOUCHED, Verdict, read_keys, read_receipt, verify
from core.models import AuditEvent, Document, User
from core.testing import Cast
from tests.integration.asked import give_right
from tests.integration.receipts.conftest import LAMP, QUESTION, Asks, asks, document

__all__ = ["asks", "document"]  # fixtures

pytestmark = pytest.mark.usefixtures("fast")

KEYS = "/.well-known/footnote-receipts.json"


@pytest.fixture(autouse=True)
def _plain_http(settings: Settings) -> None:
    settings.SECURE_SSL_REDIRECT = False


def as_person(user: User, **options: Any) -> Client:
    """Return a browser in which somebody is signed in."""
    client = Client(**options)
    client.force_login(user)
    return client


def check(content: bytes) -> Verdict:
    """Verify a receipt with the keys as they are published now."""
    return verify(read_receipt(content), keys=read_keys(Client().get(KEYS).content))


def test_the_page_shows_and_issues_a_receipt(cast: Cast, asks: Asks) -> None:
    """Looking issues nothing; the button does, and what comes verifies with the published keys."""
    address = f"/receipts/{asks(cast.bob).request_id}/"
    client = as_person(cast.bob)
    with CaptureQueriesContext(
        connection,
    ) as queries:
        page = client.get(address)
    text = page.content.decode()
    assert (page.status_code, LAMP in text, QUESTION in text) == (200, True, True)
    assert "Roles that could read" not in text
    assert len(queries) < 40
    assert not AuditEvent.objects.filter(action=AuditEvent.Action.ISSUE_RECEIPT).exists()
    sent = client.post(address, {"model": "on"})
    assert sent["Content-Disposition"].startswith('attachment; filename="receipt-req_')
    verdict = check(sent.content)
    assert (verdict.exit_code, "model" in verdict.parts, "question" in verdict.parts) == (UNTOUCHED, False, True)
    assert AuditEvent.objects.get(action=AuditEvent.Action.ISSUE_RECEIPT).details["left_out"] == ["model"]


def test_others_find_nothing(cast: Cast, asks: Asks) -> None:
    """Nobody signed in signs in first; another's answer looks like none, and a form from elsewhere is refused."""
    address = f"/receipts/{asks(cast.bob).request_id}/"
    assert Client().get(address).status_code == 302
    nowhere = as_person(cast.alice).get("/receipts/req_20260101_00000000/")
    for client in (as_person(cast.alice), as_person(cast.charlie)):
        for answer in (client.get(address), client.post(address)):
            assert answer.status_code == 404
    others, missing = (as_person(cast.alice).get(one).content for one in (address, "/receipts/x/"))
    assert len(others) == len(missing) == len(nowhere.content)
    assert as_person(cast.bob, enforce_csrf_checks=True).post(address).status_code == 403


def test_others_receipts_need_the_right_and_show_roles_to_who_may_see_them(cast: Cast, asks: Asks) -> None:
    """With the rights the page says that it is another's, and offers to leave roles out."""
    address = f"/receipts/{asks(cast.bob).request_id}/"
    text = (
        as_person(give_right(cast.alice, "view_query", "view_answer", "issue_receipts", "view_role"))
        .get(address)
        .content.decode()
    )
    assert "by somebody else" in text
    assert "Roles that could read the documents" in text


def test_a_changed_answer_is_said_to_be(cast: Cast, asks: Asks) -> None:
    """In place of a receipt, with what was chosen kept."""
    address = f"/receipts/{asks(cast.bob).request_id}/"
    with connection.cursor() as cursor:
        cursor.execute("UPDATE core_answer SET confidence = 0.11")
    answer = as_person(cast.bob).post(address, {"model": "on"})
    assert answer.status_code == 409
    assert "not as it was recorded" in answer.content.decode()
    assert 'name="model" checked' in answer.content.decode()


def test_keys_stay_published_when_another_signs(cast: Cast, asks: Asks, document: Document, settings: Settings) -> None:
    """An old receipt verifies with the new list; a list without its key does not know it."""
    (first, first_public), (second, _) = make_key(), make_key()
    settings.RECEIPT_SIGNING_KEYS = [first]
    old = as_person(cast.bob).post(f"/receipts/{asks(cast.bob).request_id}/").content
    settings.RECEIPT_SIGNING_KEYS = [second, first_public]
    answer = Client().get(KEYS)
    assert [key["kid"] for key in answer.json()["keys"]] == [key["kid"] for key in api.published_keys()]
    assert "private" not in answer["Cache-Control"]
    assert not answer.cookies
    assert first not in answer.content.decode()
    assert check(old).exit_code == UNTOUCHED
    settings.RECEIPT_SIGNING_KEYS = [second]
    assert not check(old).is_untouched
    settings.RECEIPT_SIGNING_KEYS = ["nonsense"]
    assert Client().get(KEYS).status_code == 503
    wrong = as_person(cast.bob).get(f"/receipts/{asks(cast.bob).request_id}/")
    assert (wrong.status_code, "not a key" in wrong.content.decode()) == (409, True)


def test_the_verifier_is_for_everybody_and_may_load_nothing() -> None:
    """Page and program are public, and the page's policy allows nothing but itself."""
    page = Client().get("/verify-receipt/")
    policy = page["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "connect-src 'none'" in policy
    assert "unsafe" not in policy
    assert policy.partition("; frame-ancestors")[0] in page.content.decode()
    program = Client().get("/verify-receipt/verify_receipt.py")
    assert program.content.startswith(b"# /// script")
    assert "attachment" in program["Content-Disposition"]
    assert json.dumps(page.cookies) == "{}"
