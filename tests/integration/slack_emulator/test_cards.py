"""Links on the page: the real listeners and worker show where they lead, and the methods refuse as Slack does."""

from typing import Any

import pytest
from django.test import Client
from pytest_django import Settings
from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError

from bot.models import AppContext, SlackEvent, Unfurl
from core.models import ChannelSetting, Document
from core.testing import Cast, make_document
from slack_emulator.models import LocalChannel, LocalDetails, LocalMessage
from slack_emulator.webapi.cards import list_links
from slack_emulator.webapi.views import create_trigger
from tests.integration.bot.test_progress import wait_until
from tests.integration.bot.worker import run_worker
from tests.integration.slack_emulator.conftest import GENERAL, STAFF, direct_id, page_post, page_state, say

SOUP = "The canteen in the harbour office serves soup at noon."
BASE = "https://footnote.example.com"


@pytest.fixture(autouse=True)
def canteen(slack: WebClient, workspace: Cast, settings: Settings, fast: None) -> Document:
    """Create a document for Alice and Bob."""
    settings.PUBLIC_URL = BASE
    return make_document("Canteen rules", SOUP, roles=[workspace.staff])


def post_link(browser: Client, cast: Cast, channel: str, document: Document) -> dict[str, Any]:
    """Alice posts a link; return the message as Bob sees it."""
    text = f"See {BASE}/documents/{document.pk}/ and https://elsewhere.example/documents/{document.pk}/"
    assert page_post(browser, "messages", cast.alice, channel=channel, text=text)[0] == 200
    run_worker()
    return dict(page_state(browser, cast.bob, channel)["messages"][-1])


def make_private(channel: str) -> None:
    """So that its members alone read it."""
    LocalChannel.objects.filter(channel_id=channel).update(is_private=True)


def test_a_link_unfurls_where_everyone_may_read_it(browser: Client, workspace: Cast, canteen: Document) -> None:
    """Among staff, and not where Charlie is; a link to elsewhere is not reported."""
    for channel in (STAFF, GENERAL):
        make_private(channel)
    [card] = post_link(browser, workspace, STAFF, canteen)["cards"]
    assert card["entity_payload"]["attributes"]["title"]["text"] == "Canteen rules"
    assert post_link(browser, workspace, GENERAL, canteen)["cards"] == []
    assert set(Unfurl.objects.values_list("state", flat=True)) == {"shown", "silent"}


def test_who_opens_a_card_is_shown_it(browser: Client, workspace: Cast, canteen: Document) -> None:
    """Bob, and nobody else; a card that is not there cannot be opened."""
    make_private(STAFF)
    message = post_link(browser, workspace, STAFF, canteen)
    place = {"channel": STAFF, "ts": message["ts"]}
    ref = message["cards"][0]["external_ref"]["id"]
    assert page_post(browser, "details", workspace.bob, **place, ref=ref) == (200, {})
    wait_until(lambda: "metadata" in (page_state(browser, workspace.bob, STAFF)["details"] or {}))
    assert page_state(browser, workspace.alice, STAFF)["details"] is None
    assert page_post(browser, "details", workspace.bob, **place, ref="document-1")[0] == 404
    assert page_post(browser, "details", workspace.charlie, **place, ref=ref)[0] == 404


def test_a_card_that_one_may_not_read_any_more(browser: Client, workspace: Cast, canteen: Document) -> None:
    """It is not found, though it is in the channel."""
    make_private(STAFF)
    message = post_link(browser, workspace, STAFF, canteen)
    Document.objects.all().delete()
    ref = message["cards"][0]["external_ref"]["id"]
    page_post(browser, "details", workspace.bob, channel=STAFF, ts=message["ts"], ref=ref)
    told = {"ref": ref, "error": {"status": "not_found"}}
    wait_until(lambda: page_state(browser, workspace.bob, STAFF)["details"] == told)


def test_the_channel_open_beside_the_messages_is_meant(browser: Client, workspace: Cast, canteen: Document) -> None:
    """As the page says with the message, and as it said before; not one that the person is not in."""
    setting = ChannelSetting.objects.create(team_id="TLOCAL", channel_id=STAFF)
    setting.collections.add(canteen.collection)
    place, text = direct_id(workspace.alice), "What does the canteen serve at noon, in this channel?"
    assert page_post(browser, "context", workspace.alice, beside=STAFF) == (200, {})
    assert AppContext.objects.get().channel_id == STAFF
    _, sent = page_post(browser, "messages", workspace.alice, channel=place, text=text, beside=STAFF)
    assert SlackEvent.objects.get(ts=sent["ts"]).context_channel_id == STAFF
    run_worker()
    assert f"About <#{STAFF}>" in str(page_state(browser, workspace.alice, place, sent["ts"])["thread"][-1]["blocks"])
    _, sent = page_post(browser, "messages", workspace.alice, channel=place, text=text)
    assert SlackEvent.objects.get(ts=sent["ts"]).context_channel_id == ""
    page_post(browser, "context", workspace.charlie, beside=STAFF)
    assert AppContext.objects.exclude(channel_id=STAFF).get().channel_id == ""


def test_links_are_those_to_the_host_of_the_documents() -> None:
    """As they were typed: special characters are no entities in an address."""
    assert list_links(f"{BASE}/a?b=1&amp;c=2 https://x.example/ http://[::1 {BASE}:8443/d>") == [
        f"{BASE}/a?b=1&c=2",
        f"{BASE}:8443/d",
    ]


def entity(url: str, **changes: Any) -> dict[str, Any]:
    """A Work Object as Slack's reference has it."""
    return {
        "app_unfurl_url": url,
        "url": url,
        "external_ref": {"id": "1"},
        "entity_type": "slack#/entities/file",
        "entity_payload": {"attributes": {"title": {"text": "A file"}}},
    } | changes


@pytest.fixture
def posted(workspace: Cast) -> LocalMessage:
    """A message with a link."""
    return say(workspace.alice, f"{BASE}/x", STAFF)


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"channel": ""}, "missing_channel"),
        ({"ts": ""}, "missing_ts"),
        ({"channel": "CNOWHERE"}, "cannot_find_channel"),
        ({"ts": "1.1"}, "cannot_find_message"),
        ({"metadata": {}}, "missing_unfurls"),
        ({"metadata": {"entities": [entity(f"{BASE}/y")]}}, "cannot_unfurl_url"),
        ({"metadata": {"entities": [entity(f"{BASE}/x", entity_type="slack#/entities/poem")]}}, "invalid_metadata"),
        ({"metadata": {"entities": [entity(f"{BASE}/x", external_ref={})]}}, "invalid_metadata"),
    ],
)
def test_cards_that_slack_would_refuse(
    slack: WebClient, posted: LocalMessage, changes: dict[str, Any], code: str
) -> None:
    """The code is that of its reference; a good card is shown."""
    place = {"channel": STAFF, "ts": posted.ts, "metadata": {"entities": [entity(f"{BASE}/x")]}}
    assert slack.chat_unfurl(**place)["ok"]
    with pytest.raises(SlackApiError) as refused:
        slack.chat_unfurl(**(place | changes))
    assert refused.value.response["error"] == code


def test_details_that_slack_would_refuse(slack: WebClient, workspace: Cast) -> None:
    """Of another card, without a trigger, or with a status that it does not know."""
    trigger = create_trigger(workspace.alice)
    refused = []
    LocalDetails.objects.create(user=workspace.alice, trigger_id=trigger, ref="1")
    assert slack.entity_presentDetails(trigger_id=trigger, metadata=entity(BASE))["ok"]
    for arguments in (
        {"trigger_id": trigger, "metadata": entity(BASE, external_ref={"id": "2"})},
        {"trigger_id": "1.2.a", "metadata": entity(BASE)},
        {"trigger_id": create_trigger(workspace.alice), "metadata": entity(BASE)},
        {"trigger_id": trigger, "error": {"status": "hidden"}},
    ):
        with pytest.raises(SlackApiError) as error:
            slack.entity_presentDetails(**arguments)
        refused.append(error.value.response["error"])
    assert refused == [
        "entity_metadata_does_not_match_trigger",
        "invalid_trigger_id",
        "invalid_trigger_id",
        "invalid_arguments",
    ]
