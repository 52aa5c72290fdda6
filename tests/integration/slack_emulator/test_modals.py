"""A click gives the right to open one modal, soon, before the person who clicked."""

from typing import Any

import pytest
from django.test import Client
from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError

from core.testing import Cast
from slack_emulator.accounts import find_slack_id
from slack_emulator.models import LocalView
from slack_emulator.webapi import views
from slack_emulator.webapi.views import create_trigger

VIEW = {
    "type": "modal",
    "title": {"type": "plain_text", "text": "Quotes"},
    "blocks": [{"type": "section", "text": {"type": "mrkdwn", "text": "hello"}}],
}


def _refusal(call: Any, **arguments: Any) -> str:
    with pytest.raises(SlackApiError) as caught:
        call(**arguments)
    return str(caught.value.response["error"])


def test_a_trigger_opens_one_modal(slack: WebClient, workspace: Cast) -> None:
    """It opens before the person who clicked, and the trigger is then spent."""
    trigger = create_trigger(workspace.alice)
    opened = slack.views_open(trigger_id=trigger, view=VIEW)["view"]
    assert LocalView.objects.get().user == workspace.alice
    assert opened["title"] == VIEW["title"]
    assert _refusal(slack.views_open, trigger_id=trigger, view=VIEW) == "exchanged_trigger_id"


def test_another_modal_takes_the_place_of_an_open_one(slack: WebClient, workspace: Cast) -> None:
    """A person sees one at a time; another person's stays."""
    for person in (workspace.bob, workspace.alice, workspace.alice):
        slack.views_open(trigger_id=create_trigger(person), view=VIEW)
    assert {view.user for view in LocalView.objects.all()} == {workspace.alice, workspace.bob}


def test_a_forged_or_late_trigger_opens_nothing(
    slack: WebClient, workspace: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on Slack, a trigger is good for three seconds, and only as it was given."""
    trigger = create_trigger(workspace.alice)
    assert _refusal(slack.views_open, trigger_id=trigger + "x", view=VIEW) == "invalid_trigger_id"
    assert views.TRIGGER_SECONDS == 3
    monkeypatch.setattr(views, "TRIGGER_SECONDS", -1)
    assert _refusal(slack.views_open, trigger_id=trigger, view=VIEW) == "expired_trigger_id"
    assert not LocalView.objects.exists()


def test_an_update_must_know_the_current_content(slack: WebClient, workspace: Cast) -> None:
    """The hash of an older content is refused, so that two updates cannot overwrite each other."""
    opened = slack.views_open(trigger_id=create_trigger(workspace.alice), view=VIEW)["view"]
    changed = {**VIEW, "title": {"type": "plain_text", "text": "Changed"}}
    first = slack.views_update(view_id=opened["id"], hash=opened["hash"], view=changed)["view"]
    assert first["title"]["text"] == "Changed"
    assert _refusal(slack.views_update, view_id=opened["id"], hash=opened["hash"], view=VIEW) == "hash_conflict"
    assert _refusal(slack.views_update, view_id="VNONE", view=VIEW) == "not_found"


def test_only_the_person_closes_their_modal(slack: WebClient, workspace: Cast, browser: Client) -> None:
    """Bob cannot close what is open before Alice."""
    view_id = slack.views_open(trigger_id=create_trigger(workspace.alice), view=VIEW)["view"]["id"]

    def close(person: str) -> int:
        body = {"as": person, "view_id": view_id}
        return browser.post("/local/views/close", body, content_type="application/json").status_code

    assert close(find_slack_id(workspace.bob)) == 404
    assert LocalView.objects.exists()
    assert close(find_slack_id(workspace.alice)) == 200
    assert not LocalView.objects.exists()


def test_a_modal_belongs_to_the_browser_that_asked_for_it(slack: WebClient, workspace: Cast, browser: Client) -> None:
    """A second browser as the same person neither sees nor closes it, and has one of its own beside it."""
    ids = {
        name: slack.views_open(trigger_id=create_trigger(workspace.alice, name), view=VIEW)["view"]["id"]
        for name in ("first", "second")
    }
    as_alice = {"as": find_slack_id(workspace.alice)}
    for name, view_id in ids.items():
        assert browser.get("/local/state", {**as_alice, "browser": name}).json()["view"]["id"] == view_id
    assert browser.get("/local/state", {**as_alice, "browser": "third"}).json()["view"] is None
    for name, status in (("second", 404), ("first", 200)):
        close = {**as_alice, "browser": name, "view_id": ids["first"]}
        assert browser.post("/local/views/close", close, content_type="application/json").status_code == status
    assert [view.browser for view in LocalView.objects.all()] == ["second"]
