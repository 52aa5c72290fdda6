"""Test the document in which a program identifies itself: which are used, and the messages about the others."""

import datetime as dt
import json
from collections.abc import Callable
from typing import Any

import pytest
from django.utils import timezone
from oauth2_provider.models import Application

from core.models import ConnectedProgram
from core.programs.documents import may_be_redirected_to
from tests.integration.programs.conftest import BACK, Flow, Program, error_of

pytestmark = pytest.mark.django_db(transaction=True)


def _answer(**changed: Any) -> Callable[[Program], None]:
    def change(program: Program) -> None:
        for name, value in changed.items():
            setattr(program, name, value)

    return change


def _say(**changed: Any) -> Callable[[Program], None]:
    return lambda program: program.document.update(changed)


FAULTS = {
    "redirects": (
        _answer(status="302 Found", headers=[("Location", "https://program.example/other.json")]),
        "redirects to another",
    ),
    "huge": (_answer(body=b" " * 6_000), "larger than 5 KB"),
    "endless": (_answer(body=b" " * 2_000_000), "larger than 5 KB"),
    "missing": (_answer(status="404 Not Found"), "answers with status 404"),
    "no JSON": (_answer(body=b"<html>"), "not JSON"),
    "no object": (_answer(body=b"[]"), "not a JSON object"),
    "another's": (_say(client_id="https://elsewhere.example/client.json"), "not the document's own address"),
    "no client_id": (_say(client_id=None), "not the document's own address"),
    "no redirects": (_say(redirect_uris=[]), "no redirect_uris that can be used"),
    "unusable redirects": (
        _say(redirect_uris=["http://elsewhere.example/callback", "app:/callback", 7, "https://a@b.example/"]),
        "no redirect_uris that can be used",
    ),
    "a secret": (_say(token_endpoint_auth_method="client_secret_post"), "Only public clients"),
    "other grants": (_say(grant_types=["client_credentials"]), "authorization_code"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_document_that_cannot_be_used_is_refused_in_words(fault: str, flow: Flow, program: Program) -> None:
    """To the person, who is sent nowhere; it is not asked for again at once, and nothing is kept of it."""
    change, words = FAULTS[fault]
    change(program)
    for _ in range(2):
        page = flow.look()
        assert page.status_code == 400
        assert words in page.text.replace("&#x27;", "'")
    assert program.asked == 1
    assert not Application.objects.exists()


@pytest.mark.parametrize(
    ("client_id", "words"),
    [
        ("https://inside.example/client.json", "not on the public Internet"),
        ("https://127.0.0.1.inside.example/client.json", "not on the public Internet"),
        ("http://program.example/client.json", "Invalid client_id"),
        ("https://program.example/", "is not an address such as"),
        ("https://program.example", "is not an address such as"),
        ("https://user:secret@program.example/client.json", "is not an address such as"),
        ("https://program.example/a/../client.json", "is not an address such as"),
        ("https://program.example/client.json#part", "is not an address such as"),
        ("https://PROGRAM.example/client.json", "is not an address such as"),
        ("https://program.example/" + "x" * 300, "longer than 255"),
        ("file:///etc/passwd", "Invalid client_id"),
        ("\x00", ""),
    ],
)
def test_no_other_address_is_asked(client_id: str, words: str, flow: Flow, program: Program) -> None:
    """Neither inside nor by another scheme, and none that can be written in two ways."""
    page = flow.look(client_id=client_id)
    assert page.status_code == 400
    assert words in page.text.replace("&#x27;", "'")
    assert program.asked == 0


def test_a_document_is_kept_for_a_while(flow: Flow, program: Program) -> None:
    """As long as its server says, but for five minutes at least and a day at most."""
    program.headers = [("Cache-Control", "max-age=3600")]
    flow.connect()
    assert program.asked == 1
    due = Application.objects.get().cimd_expires_at - timezone.now()
    assert dt.timedelta(minutes=59) < due <= dt.timedelta(hours=1)
    for said, seconds in (("max-age=1", 300), ("no-store", 300), ("max-age=999999999", 86_400), ("", 86_400)):
        program.headers = [("Cache-Control", said)]
        Application.objects.update(cimd_expires_at=timezone.now())
        flow.look()
        due = Application.objects.get().cimd_expires_at - timezone.now()
        assert seconds - 60 < due.total_seconds() <= seconds


def test_redirects_that_change_between_consent_and_code_are_told(flow: Flow, program: Program) -> None:
    """The code is worth nothing then, and nothing was sent anywhere else."""
    code = flow.code()
    program.document["redirect_uris"] = ["https://agent.example/callback"]
    Application.objects.update(cimd_expires_at=timezone.now())
    assert error_of(flow.redeem(code)) == (
        400,
        "invalid_grant",
        "The program's document no longer names this redirect_uri.",
    )
    assert ConnectedProgram.objects.get().token_family is None


def test_nobody_consents_to_a_document_that_is_gone(flow: Flow, program: Program) -> None:
    """Though it was there a while ago; what is connected already goes on for a day."""
    tokens = flow.connect()
    program.status = "410 Gone"
    Application.objects.update(cimd_expires_at=timezone.now())
    page = flow.look()
    assert page.status_code == 400
    assert "answers with status 410" in page.text
    refreshed = flow.refresh(tokens["refresh_token"])
    assert refreshed.status_code == 200
    Application.objects.update(cimd_expires_at=timezone.now() - dt.timedelta(days=1))
    assert flow.refresh(refreshed.json()["refresh_token"]).json()["error"] == "invalid_client"


def test_what_other_servers_need_is_left_out(flow: Flow, program: Program) -> None:
    """A document may name more ways and addresses; a name is text, whatever it holds."""
    program.document["grant_types"].append("urn:ietf:params:oauth:grant-type:device_code")
    program.document["redirect_uris"].append("vscode://callback")
    program.document["client_name"] = "<b>Bank</b>\n\u202eevil" + "x" * 200
    page = flow.look()
    assert page.status_code == 200
    assert "&lt;b&gt;Bank&lt;/b&gt;evil" in page.text
    assert "program.example" in page.text
    assert Application.objects.get().redirect_uris == f"{BACK} https://agent.example/callback"


def test_a_new_document_changes_the_name_of_nothing_that_is_connected(flow: Flow, program: Program) -> None:
    """The person consented to the name on the page."""
    flow.connect()
    program.document["client_name"] = "Another name"
    Application.objects.update(cimd_expires_at=timezone.now())
    assert "Another name" in flow.look().text
    assert ConnectedProgram.objects.get().name == "Example Agent"
    assert json.loads(json.dumps(program.document))["client_name"] == "Another name"


@pytest.mark.parametrize(
    ("uri", "may"),
    [
        ("https://agent.example/callback", True),
        ("http://127.0.0.1/callback", True),
        ("http://[::1]:8080/callback", True),
        ("http://localhost:1/callback", True),
        ("http://127.0.0.1.agent.example/callback", False),
        ("http://agent.example/callback", False),
        ("https://agent.example/callback#part", False),
        ("https://agent.example/a b", False),
        ("https:///callback", False),
        ("javascript:alert(1)", False),
        ("http://[::1/callback", False),
    ],
)
def test_codes_go_over_https_or_to_the_own_machine(uri: str, may: bool) -> None:
    """As the protocol has it."""
    assert may_be_redirected_to(uri) is may
