"""Test the pages of connected programs for people and administrators, and how they disconnect them."""

import httpx2
import pytest
from django.test import Client as WebClient
from django.urls import reverse
from django.utils import timezone

from core.access.grants import change_members
from core.models import AuditEvent, ConnectedProgram, SlackChannel, SlackIdentity, User
from core.testing import Cast
from tests.integration.bot.conftest import BOB, BOT_USER, CHANNEL, CHARLIE
from tests.integration.bot.slack_server import TEAM, TOKEN, SlackServer
from tests.integration.programs.conftest import Flow, sent_back

pytestmark = pytest.mark.django_db(transaction=True)


def test_the_page_says_who_what_for_whom_and_how_long(flow: Flow) -> None:
    """And where the browser goes afterwards."""
    text = flow.look().text
    for said in ("Example Agent", "program.example", str(flow.person), "90 days", "this computer", "It can change"):
        assert said in text
    flow.back = "https://agent.example/callback"
    assert "your browser goes to <strong>agent.example</strong>" in flow.look().text


def test_a_person_disconnects_their_own_programs_alone(flow: Flow, cast: Cast) -> None:
    """Another person's looks like one that there is not."""
    tokens = flow.connect()
    connection = ConnectedProgram.objects.get()
    alice = WebClient()
    alice.force_login(cast.alice)
    assert "Example Agent" not in alice.get("/programs/").content.decode()
    other = alice.post(f"/programs/{connection.pk}/disconnect/")
    none = alice.post("/programs/00000000-0000-4000-8000-000000000000/disconnect/")
    assert (other.status_code, other["location"]) == (none.status_code, none["location"])
    assert flow.message(tokens["access_token"]).status_code == 200
    page = flow.browser.get("/programs/")
    assert "Example Agent" in page.text
    assert "program.example" in page.text
    assert flow.press(f"/programs/{connection.pk}/disconnect/", page).status_code == 302
    assert flow.message(tokens["access_token"]).status_code == 401
    ended = AuditEvent.objects.get(object_type="connectedprogram", action="delete")
    assert (ended.actor_id, ended.details["reason"]) == (cast.bob.pk, "disconnected by the person")
    after = flow.browser.get("/programs/").text
    assert "Example Agent was disconnected" in after
    assert "There is none." in after


def test_the_list_is_for_whoever_is_signed_in(site: str) -> None:
    """Others are sent to sign in."""
    sent = httpx2.get(f"{site}/programs/")
    assert (sent.status_code, sent.headers["location"]) == (302, "/sign-in/?next=%2Fprograms%2F")


@pytest.mark.parametrize("by", ["page", "action"])
def test_an_administrator_disconnects_any(by: str, flow: Flow, cast: Cast) -> None:
    """By the page of one or by the list; the person's page leads there."""
    tokens = flow.connect()
    connection = ConnectedProgram.objects.get()
    User.objects.filter(pk=cast.alice.pk).update(is_staff=True, is_superuser=True)
    browser = WebClient()
    browser.force_login(User.objects.get(pk=cast.alice.pk))
    to = browser.get(reverse("admin:core_user_list_programs", args=[cast.bob.pk]))
    listed = browser.get(to["location"]).content.decode()
    assert "Example Agent" in listed
    assert "program.example" in listed
    if by == "page":
        gone = browser.post(f"/admin/core/connectedprogram/{connection.pk}/delete/", {"post": "yes"})
    else:
        form = {"action": "delete_selected", "_selected_action": [str(connection.pk)], "post": "yes"}
        gone = browser.post("/admin/core/connectedprogram/", form)
    assert gone.status_code == 302
    assert flow.message(tokens["access_token"]).status_code == 401
    ended = AuditEvent.objects.get(object_type="connectedprogram", action="delete")
    assert (ended.actor_id, ended.details["reason"]) == (cast.alice.pk, "disconnected by an administrator")


def test_who_came_by_slack_connects_programs_and_gets_no_further(flow: Flow, cast: Cast) -> None:
    """Most people have no password: they sign in with Slack to read documents, and here."""
    SlackIdentity.objects.create(team_id="T1", slack_user_id="U1", user=cast.bob, checked_at=timezone.now())
    browser = WebClient()
    session = browser.session
    session["slack_reader"] = {
        "person": str(cast.bob.pk),
        "team": "T1",
        "account": "U1",
        "bound": cast.bob.get_session_auth_hash(),
        "began": 4_000_000_000,
        "seen": 4_000_000_000,
    }
    session.save()
    by_slack = Flow(flow.site, flow.client_id, None)
    by_slack.browser.cookies.set("sessionid", session.session_key)
    tokens = by_slack.connect()
    assert by_slack.message(tokens["access_token"]).status_code == 200
    assert ConnectedProgram.objects.get().user == cast.bob
    assert by_slack.browser.get("/admin/").status_code == 302
    assert by_slack.browser.get("/api/v1/queries").status_code in (401, 403)


@pytest.fixture
def slack(settings: object, cast: Cast) -> object:
    """A workspace in which Bob is in one channel, and not in the other."""
    with SlackServer() as server:
        settings.LOCAL_PAGE = False  # type: ignore[attr-defined]
        settings.SLACK_API_URL, settings.SLACK_BOT_TOKEN = server.url, TOKEN  # type: ignore[attr-defined]
        server.add_user(BOB, "bob@example.com")
        server.add_user(CHARLIE, "charlie@example.com")
        server.channels[CHANNEL] = {"name": "harbour", "is_private": True}
        server.members = {CHANNEL: [BOB, BOT_USER], "C0OTHER": [BOT_USER]}
        SlackIdentity.objects.create(team_id=TEAM, slack_user_id=BOB, user=cast.bob, checked_at=timezone.now())
        SlackChannel.objects.create(team_id=TEAM, channel_id=CHANNEL, name="harbour")
        SlackChannel.objects.create(team_id=TEAM, channel_id="C0OTHER", name="secret-plans")
        yield server


def test_a_channel_is_chosen_among_ones_own(flow: Flow, slack: SlackServer) -> None:
    """Of others not even the name is shown; one that somebody writes into the form is refused."""
    page = flow.look()
    assert "For the channel #harbour" in page.text
    assert "secret-plans" not in page.text
    other = SlackChannel.objects.get(channel_id="C0OTHER")
    token = flow.press(flow.address(channel="x"), page, "deny")
    assert sent_back(token)["error"] == "access_denied"
    refused = flow.browser.post(flow.address(), data={**_token(page), "allow": "yes", "channel": str(other.pk)})
    assert refused.status_code == 200
    assert not ConnectedProgram.objects.exists()
    own = SlackChannel.objects.get(channel_id=CHANNEL)
    code = sent_back(flow.browser.post(flow.address(), data={**_token(page), "allow": "yes", "channel": str(own.pk)}))
    tokens = flow.redeem(code["code"]).json()
    connection = ConnectedProgram.objects.get()
    assert (connection.for_team, connection.for_channel, connection.for_people) == (TEAM, CHANNEL, [])
    assert "for the channel #harbour" in flow.browser.get("/programs/").text
    assert "canteen" in search(flow, tokens["access_token"])
    slack.members[CHANNEL].append(CHARLIE)
    assert "canteen" not in search(flow, tokens["access_token"])


@pytest.mark.parametrize(
    ("entered", "said"),
    [
        ({"channel": "people"}, "Name the people"),
        ({"channel": "people", "people": "nobody@example.com"}, "Nobody active has this e-mail address"),
        ({"channel": "", "people": "charlie@example.com"}, "You named people"),
        ({"channel": "people", "people": "x" * 5_001}, "at most 5000 characters"),
        ({"channel": "people", "people": "charlie@example.com\0"}, "Null characters"),
    ],
)
def test_people_that_cannot_be_asked_for_are_refused(flow: Flow, entered: dict[str, str], said: str) -> None:
    """Say why, keep what was entered, and connect nothing; to deny needs no answer."""
    page = flow.look()
    refused = flow.browser.post(flow.address(), data={**_token(page), "allow": "yes", **entered})
    assert refused.status_code == 200
    assert said in refused.text
    assert not ConnectedProgram.objects.exists()
    denied = flow.browser.post(flow.address(), data={**_token(page), "deny": "yes", **entered})
    assert sent_back(denied)["error"] == "access_denied"


def test_people_are_named_for_whom_it_asks(flow: Flow, cast: Cast) -> None:
    """Give it only what every one of them may read, and the person."""
    page = flow.look()
    entered = {"channel": "people", "people": "Alice@example.com\r\ncharlie@example.com"}
    code = sent_back(flow.browser.post(flow.address(), data={**_token(page), "allow": "yes", **entered}))
    tokens = flow.redeem(code["code"]).json()
    assert set(ConnectedProgram.objects.get().for_people) == {cast.alice.pk, cast.charlie.pk}
    assert "for you and 2 other people" in flow.browser.get("/programs/").text
    assert "canteen" not in search(flow, tokens["access_token"])
    change_members(cast.staff, [cast.charlie], give=True, by=None)
    assert "canteen" in search(flow, tokens["access_token"])


def search(flow: Flow, token: str) -> str:
    """Return what a search gives, in lower case."""
    call = {"name": "search", "arguments": {"query": "What is served at noon?"}}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
    headers = {"Accept": "application/json, text/event-stream", "Authorization": f"Bearer {token}"}
    found = httpx2.post(flow.resource, json=body, headers=headers, timeout=90).json()["result"]
    return str(found["structuredContent"]["results"]).casefold()


def _token(page: httpx2.Response) -> dict[str, str]:
    return {"csrfmiddlewaretoken": page.text.partition('name="csrfmiddlewaretoken" value="')[2].partition('"')[0]}
