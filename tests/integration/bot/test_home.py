"""Asking on the Home tab, what is new there, and its links."""

import datetime as dt
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import resolve
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries
from pytest_django.fixtures import Settings
from slack_bolt import BoltContext

from bot.app import build_app
from bot.blocks.home import ANSWERING, ASK_AT_HOME, ASK_AT_HOME_BUTTON, NOTHING_NEW, PAGES
from bot.delivery.engine import deliver
from bot.listeners.home_tab import on_home_opened
from bot.models import SlackEvent
from bot.slack.workspace import find_client
from core.access.grants import revoke
from core.models import Document, FootnoteChange, Query, Role, SlackWorkspace, SourceChange, User
from core.quality.reports.open_matters import Kind
from core.testing import Cast, make_document
from tests.integration.bot.conftest import ALICE, BOB, CHANNEL, CHARLIE, DIRECT, STRANGER
from tests.integration.bot.presses import answered, dispatched
from tests.integration.bot.slack_server import BOT_USER, TEAM, SlackServer

# Presses are worked on in threads of their own, which see only what is committed.
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("fast", "workspace")]

QUESTION = "When does the canteen in the harbour office have soup?"
MOST_QUERIES = 16


@pytest.fixture(autouse=True)
def library(transactional_db: None, cast: Cast, fast: None) -> dict[str, Document]:
    """Alice alone may read the house rules, Bob too the guide; both came in today, and the note long ago."""
    rows = {
        "house": ("House rules", "The vault has codes.", cast.owners),
        "guide": ("Staff guide", "The canteen in the harbour office has soup at noon.", cast.staff),
        "note": ("Old note", "The boiler is old.", cast.staff),
    }
    made = {name: make_document(title, text, roles=[role]) for name, (title, text, role) in rows.items()}
    for name, days in {"house": 0, "guide": 1, "note": 31}.items():
        ingested = timezone.now() - dt.timedelta(days=days)
        Document.objects.filter(pk=made[name].pk).update(ingested_at=ingested, source_url=f"https://example.org/{name}")
    return made


def opened(slack: SlackServer, user: str = ALICE) -> dict[str, Any]:
    """The Home tab of somebody who opens it."""
    event = {"type": "app_home_opened", "user": user, "channel": DIRECT, "tab": "home", "view": slack.homes.get(user)}
    on_home_opened({"event": event}, BoltContext({"team_id": TEAM}), find_client(TEAM))
    return slack.homes[user]


def asked(view: dict[str, Any], text: str | None, *, by: str = ASK_AT_HOME, user: str = ALICE) -> None:
    """Ask on a Home tab as it was shown, by Enter in the field or by the button, and wait until that is worked on."""
    field = next(block["block_id"] for block in view["blocks"] if block["type"] == "input")
    state = {"values": {field: {ASK_AT_HOME: {"type": "plain_text_input", "value": text}}}}
    app = build_app()
    response = dispatched(
        app,
        {
            "type": "block_actions",
            "team": {"id": TEAM, "domain": "test"},
            "user": {"id": user, "team_id": TEAM},
            "api_app_id": "A0APP",
            "container": {"type": "view", "view_id": "V0HOME"},
            "view": {**view, "id": "V0HOME", "state": state},
            "trigger_id": "1.2.abc",
            "actions": [{"type": "plain_text_input", "action_id": by, "block_id": field, "value": text}],
        },
    )
    app.listener_runner.listener_executor.shutdown(wait=True)
    assert response.status == 200


def field_of(view: dict[str, Any]) -> str:
    return next(block["block_id"] for block in view["blocks"] if block["type"] == "input")


def test_a_question_is_answered_once_in_the_direct_messages(workspace: SlackServer) -> None:
    """The press may be reported often, by Enter or the button; the field is emptied, and the tab shows the place."""
    view = opened(workspace)
    for by in (ASK_AT_HOME, ASK_AT_HOME_BUTTON, ASK_AT_HOME):
        asked(view, QUESTION, by=by)
    event = SlackEvent.objects.get()
    assert (event.channel_id, event.user_id, event.kind) == (DIRECT, ALICE, SlackEvent.Kind.COMMAND)
    now = workspace.homes[ALICE]
    assert ANSWERING in str(now["blocks"])
    assert field_of(now) != field_of(view)
    for _ in range(2):
        deliver(event.pk)
    (said,) = workspace.messages[DIRECT]
    assert "Staff guide" in str(said["blocks"])
    assert QUESTION in str(said["blocks"])  # it does not stand below a message of the asker
    asked(now, QUESTION)  # of the tab as it is now, it is asked again
    assert SlackEvent.objects.count() == 2


@pytest.mark.parametrize("text", [None, "", "?!", "x", "x" * 1001])
def test_what_is_no_question_is_said_beside_the_field(workspace: SlackServer, text: str | None) -> None:
    """Nothing is asked, and the field keeps its text."""
    view = opened(workspace)
    asked(view, text)
    assert not SlackEvent.objects.exists()
    now = workspace.homes[ALICE]
    assert now["blocks"] != view["blocks"]
    assert ANSWERING not in str(now["blocks"])
    assert field_of(now) == field_of(view)


@pytest.mark.parametrize("by", [ASK_AT_HOME, ASK_AT_HOME_BUTTON])
def test_an_empty_field_is_pointed_out_below_it(workspace: SlackServer, by: str) -> None:
    """In words and size that are not overlooked, right below the button; after a question it is gone."""
    asked(opened(workspace), None, by=by)
    fault = ":warning: There is no question. Write what you want to know."
    blocks = workspace.homes[ALICE]["blocks"]
    place = next(number for number, block in enumerate(blocks) if fault in str(block))
    assert blocks[place]["type"] == "section"
    assert blocks[place - 1]["elements"][0]["action_id"] == ASK_AT_HOME_BUTTON
    asked(workspace.homes[ALICE], QUESTION, by=by)
    assert fault not in str(workspace.homes[ALICE]["blocks"])


def test_the_examples_name_no_document(workspace: SlackServer) -> None:
    """They would be of another library."""
    said = str(opened(workspace)["blocks"])
    assert "your question" in said
    for word in ("canteen open", "press manual", "handbook", "Safety rules"):
        assert word not in said


def test_a_document_that_came_anew_is_said_to_have_changed(
    workspace: SlackServer, library: dict[str, Document]
) -> None:
    """The day is said to be that of the change, or of the addition."""
    Document.objects.filter(pk=library["guide"].pk).update(version=2)
    said = str(opened(workspace)["blocks"])
    assert "<https://example.org/guide|Staff guide>, changed on " in said
    assert "<https://example.org/house|House rules>, added on " in said


def test_who_asks_is_answered_from_what_they_may_read(workspace: SlackServer) -> None:
    """Bob sees nothing of the vault."""
    asked(opened(workspace, BOB), "Which codes does the vault have?", user=BOB)
    deliver(SlackEvent.objects.get().pk)
    assert "House rules" not in str(workspace.messages)


def test_what_is_new_is_what_one_may_read(workspace: SlackServer, cast: Cast, library: dict[str, Document]) -> None:
    """Of the last 30 days, newest first, at most five; what is revoked is gone at the next opening."""
    said = str(opened(workspace)["blocks"])
    assert said.index("<https://example.org/house|House rules>") < said.index("<https://example.org/guide|Staff guide>")
    assert "Old note" not in said
    bobs = str(opened(workspace, BOB)["blocks"])
    assert "Staff guide" in bobs
    assert "House rules" not in bobs
    for user in (CHARLIE, STRANGER):
        theirs = str(opened(workspace, user)["blocks"])
        assert not [title for title in ("House rules", "Staff guide") if title in theirs]
    assert NOTHING_NEW in str(opened(workspace, CHARLIE)["blocks"])
    revoke(cast.owners, [library["house"]], by=None)
    assert "House rules" not in str(opened(workspace)["blocks"])
    for number in range(7):
        make_document(f"Leaflet {number}", "A leaflet.", roles=[cast.staff])
    assert str(opened(workspace)["blocks"]).count("Leaflet") == 5


def test_the_links_are_for_those_who_can_use_them(workspace: SlackServer, settings: Settings) -> None:
    """The admin for staff, the documentation for everybody, and none where no address is set."""
    assert "/admin/" not in str(opened(workspace)["blocks"])
    settings.PUBLIC_URL, settings.DOCS_URL = "https://footnote.example.com/", "https://wiki.example.com/footnote"
    assert "<https://wiki.example.com/footnote|Documentation>" in str(opened(workspace)["blocks"])
    assert "/admin/" not in str(opened(workspace)["blocks"])
    User.objects.filter(email="alice@example.com").update(is_staff=True)
    assert "<https://footnote.example.com/admin/|Administration>" in str(opened(workspace)["blocks"])
    assert "/admin/" not in str(opened(workspace, BOB)["blocks"])


def test_a_question_leads_to_the_thread_of_its_answer(workspace: SlackServer, cast: Cast) -> None:
    """Of those that were asked in Slack; a message that is gone there, and Bob's own Home tab, have no link."""
    answered(QUESTION, cast, cast.alice)
    workspace.messages[CHANNEL].append({"ts": "2.2", "user": BOT_USER, "text": "", "type": "message"})
    link = f"<https://test.slack.com/archives/{CHANNEL}/p22|Open the thread>"
    assert link in str(opened(workspace)["blocks"])
    assert "Open the thread" not in str(opened(workspace, BOB)["blocks"])
    workspace.messages[CHANNEL].clear()
    said = str(opened(workspace)["blocks"])
    assert QUESTION in said
    assert "Open the thread" not in said


def test_what_changed_is_what_was_quoted_to_one_and_may_be_read(
    workspace: SlackServer, cast: Cast, library: dict[str, Document]
) -> None:
    """Within 30 days, and for as long as the question is kept; a person who asked nothing sees nothing."""
    head, guide = "Changed since I quoted it to you", Document.objects.filter(pk=library["guide"].pk)
    result = answered(QUESTION, cast, cast.alice)
    assert head not in str(opened(workspace)["blocks"])
    guide.update(version=2, ingested_at=timezone.now())
    said = str(opened(workspace)["blocks"])
    assert head in said
    assert said.index(head) < said.index("Staff guide>") < said.index("there is a new edition.")
    assert head not in str(opened(workspace, BOB)["blocks"])
    query = Query.objects.get(request_id=result.request_id)
    change = SourceChange.objects.create(document_id=library["guide"].pk, version=2, kind=SourceChange.Kind.REPLACED)
    FootnoteChange.objects.create(source_change=change, answer=query.answer)
    assert "words that I quoted to you are no longer in it" in str(opened(workspace)["blocks"])
    guide.update(ingested_at=timezone.now() - dt.timedelta(days=31))
    assert head not in str(opened(workspace)["blocks"])
    guide.update(ingested_at=timezone.now())
    assert head in str(opened(workspace)["blocks"])
    query.erased_at = timezone.now()
    query.save()
    assert head not in str(opened(workspace)["blocks"])


def test_what_changed_goes_with_the_right_to_read_it(
    workspace: SlackServer, cast: Cast, library: dict[str, Document]
) -> None:
    """As it looks once the document is deleted."""
    answered(QUESTION, cast, cast.alice)
    Document.objects.filter(pk=library["guide"].pk).update(version=2, ingested_at=timezone.now())
    assert str(opened(workspace)["blocks"]).count("Staff guide") == 2  # it is new as well
    revoke(cast.staff, [library["guide"]], by=None)
    revoked = opened(workspace)["blocks"]
    assert "Staff guide" not in str(revoked)
    Document.objects.get(pk=library["guide"].pk).delete()
    assert opened(workspace)["blocks"] == revoked


def test_open_matters_are_for_administrators(workspace: SlackServer, cast: Cast, settings: Settings) -> None:
    """Each sees what they may decide, at most five kinds, with a page of the admin that is there."""
    settings.PUBLIC_URL = "https://footnote.example.com"
    SlackWorkspace.objects.create(team_id=TEAM, name="Harbour")
    Role.objects.update(review_days=30)
    head, alice = "Waiting for your decision", User.objects.filter(pk=cast.alice.pk)
    assert head not in str(opened(workspace)["blocks"])
    alice.update(is_staff=True)
    assert head not in str(opened(workspace)["blocks"])  # there is nothing that she may decide
    alice.update(is_superuser=True)
    said = str(opened(workspace)["blocks"])
    assert "core/slackworkspace/|Workspaces for which nobody decided what everyone may be shown: 1>" in said
    assert "core/role/?review=due|Roles that are due for a review: 2>" in said
    assert "Open alerts" not in said
    assert head not in str(opened(workspace, BOB)["blocks"])
    assert set(PAGES) == {kind.value for kind in Kind}
    for page, _ in PAGES.values():
        assert str(resolve(f"/admin/{page.partition('?')[0]}").url_name).endswith("_changelist")


def test_it_is_made_with_few_queries(
    workspace: SlackServer, cast: Cast, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    """However many documents, questions and changes there are, for an administrator too."""
    User.objects.filter(pk=cast.alice.pk).update(is_staff=True, is_superuser=True)
    answered(QUESTION, cast, cast.alice)
    opened(workspace)
    with CaptureQueriesContext(connection) as few:
        opened(workspace)
    for number in range(12):
        leaflet = make_document(f"Leaflet {number}", "A leaflet.", roles=[cast.staff], collection=f"Shelf {number}")
        Document.objects.filter(pk=leaflet.pk).update(version=2)
        SlackWorkspace.objects.create(team_id=f"T{number}")
        answered(f"What does leaflet {number} say?", cast, cast.alice)
    with CaptureQueriesContext(connection) as many:
        opened(workspace)
    assert len(many) == len(few)
    with django_assert_max_num_queries(MOST_QUERIES):
        opened(workspace, BOB)
