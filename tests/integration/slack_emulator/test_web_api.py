"""The emulated Web API, called by Slack's own client over HTTP."""

from typing import Any

import pytest
from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError

from bot.slack.workspace import LOCAL_BOT_USER_ID, LOCAL_TEAM_ID
from core.testing import Cast
from slack_emulator.accounts import find_slack_id
from slack_emulator.models import LocalMessage
from slack_emulator.seeding import SeedUsergroup, seed_workspace
from tests.integration.slack_emulator.conftest import GENERAL, OWNERS, STAFF, channel, direct_id, say

SECTION = {"type": "section", "text": {"type": "mrkdwn", "text": "hello"}}


def _refusal(call: Any, **arguments: Any) -> str:
    with pytest.raises(SlackApiError) as caught:
        call(**arguments)
    return str(caught.value.response["error"])


def test_the_token_tells_who_calls(slack: WebClient) -> None:
    """auth.test names the bot; another token, or none, is refused on every method."""
    who = slack.auth_test()
    assert (who["user_id"], who["team_id"]) == (LOCAL_BOT_USER_ID, LOCAL_TEAM_ID)
    stranger = WebClient(token="xoxb-other", base_url=slack.base_url)
    assert _refusal(stranger.auth_test) == "invalid_auth"
    assert _refusal(stranger.chat_postMessage, channel=GENERAL, text="x") == "invalid_auth"
    assert _refusal(WebClient(base_url=slack.base_url).auth_test) == "not_authed"
    assert not LocalMessage.objects.exists()


def test_an_unknown_method_is_refused_by_name(slack: WebClient) -> None:
    """A method that is not emulated says so, and never looks as if it had worked."""
    assert _refusal(slack.pins_add, channel=GENERAL, timestamp="1.1") == "unknown_method"


def test_accounts_carry_the_e_mail_address(slack: WebClient, workspace: Cast) -> None:
    """A person is a full member of the team; Footnote itself is a bot without an address."""
    alice = slack.users_info(user=find_slack_id(workspace.alice))["user"]
    assert alice["profile"]["email"] == "alice@example.com"
    assert (alice["team_id"], alice["is_bot"], alice["deleted"], alice["is_restricted"]) == (
        LOCAL_TEAM_ID,
        False,
        False,
        False,
    )
    bot = slack.users_info(user=LOCAL_BOT_USER_ID)["user"]
    assert bot["is_bot"] is True
    assert "email" not in bot["profile"]
    assert _refusal(slack.users_info, user="UNOBODY") == "user_not_found"


def test_members_come_page_by_page(slack: WebClient, workspace: Cast) -> None:
    """All members, Footnote among them, and nobody twice; people who left are not listed."""
    ids = {find_slack_id(person) for person in (workspace.alice, workspace.bob, workspace.charlie)}
    pages = [page["members"] for page in slack.conversations_members(channel=GENERAL, limit=3)]
    assert [len(page) for page in pages] == [3, 1]
    assert {member for page in pages for member in page} == {LOCAL_BOT_USER_ID, *ids}
    workspace.charlie.is_active = False
    workspace.charlie.save()
    assert set(slack.conversations_members(channel=GENERAL)["members"]) == {
        LOCAL_BOT_USER_ID,
        *ids - {find_slack_id(workspace.charlie)},
    }
    assert _refusal(slack.conversations_members, channel="CNONE") == "channel_not_found"
    assert _refusal(slack.conversations_members, channel=GENERAL, cursor="x") == "invalid_cursor"


def test_older_methods_do_not_read_json(slack: WebClient) -> None:
    """As on Slack, a JSON body is ignored by them, and the channel is then missing."""
    with pytest.raises(SlackApiError) as caught:
        slack.api_call("conversations.members", json={"channel": GENERAL})
    assert caught.value.response["error"] == "channel_not_found"


def test_channels_say_what_they_are(slack: WebClient, workspace: Cast) -> None:
    """Public, private and direct."""
    kinds = {
        channel_id: slack.conversations_info(channel=channel_id)["channel"]
        for channel_id in (GENERAL, OWNERS, direct_id(workspace.bob))
    }
    assert {(c["is_im"], c["is_private"], c["is_ext_shared"]) for c in kinds.values()} == {
        (False, False, False),
        (False, True, False),
        (True, True, False),
    }
    assert kinds[direct_id(workspace.bob)]["user"] == find_slack_id(workspace.bob)
    assert slack.conversations_info(channel=STAFF, include_num_members=True)["channel"]["num_members"] == 3
    opened = slack.conversations_open(users=find_slack_id(workspace.alice))["channel"]["id"]
    assert opened == direct_id(workspace.alice)


def test_a_thread_is_what_was_replied(slack: WebClient, workspace: Cast) -> None:
    """A reply to a reply joins the thread; ephemeral messages and other threads are not part of it."""
    root = say(workspace.alice, "question")
    say(workspace.bob, "another question")
    first = slack.chat_postMessage(channel=GENERAL, thread_ts=root.ts, text="one", metadata=_metadata())
    second = slack.chat_postMessage(channel=GENERAL, thread_ts=first["ts"], text="two", blocks=[SECTION])
    slack.chat_postEphemeral(channel=GENERAL, thread_ts=root.ts, user=find_slack_id(workspace.bob), text="psst")
    thread = [m for page in slack.conversations_replies(channel=GENERAL, ts=root.ts, limit=2) for m in page["messages"]]
    assert [m["text"] for m in thread] == ["question", "one", "two"]
    assert {m.get("thread_ts") for m in thread[1:]} == {root.ts}
    assert root.ts < first["ts"] < second["ts"]
    assert [m["user"] for m in thread] == [find_slack_id(workspace.alice), LOCAL_BOT_USER_ID, LOCAL_BOT_USER_ID]
    with_metadata = slack.conversations_replies(channel=GENERAL, ts=root.ts, include_all_metadata=True)
    assert [m.get("metadata") for m in with_metadata["messages"]] == [None, _metadata(), None]
    assert _refusal(slack.conversations_replies, channel=GENERAL, ts="1.000001") == "thread_not_found"
    assert _refusal(slack.chat_postMessage, channel=GENERAL, thread_ts="1.000001", text="x") == (
        "cannot_reply_to_message"
    )


def test_a_message_to_a_person_lands_in_their_direct_messages(slack: WebClient, workspace: Cast) -> None:
    """A user id may replace the channel."""
    posted = slack.chat_postMessage(channel=find_slack_id(workspace.alice), text="for you")
    assert posted["channel"] == direct_id(workspace.alice)


def test_an_update_keeps_the_blocks_that_it_does_not_name(slack: WebClient, workspace: Cast) -> None:
    """Text alone leaves the blocks; an empty list takes them away; nothing at all cannot be left."""
    ts = slack.chat_postMessage(channel=GENERAL, text="old", blocks=[{**SECTION, "block_id": "b"}])["ts"]
    assert slack.chat_update(channel=GENERAL, ts=ts, text="new")["message"]["blocks"] == [{**SECTION, "block_id": "b"}]
    nothing = {"channel": GENERAL, "ts": ts, "text": "", "blocks": []}
    assert _refusal(slack.api_call, api_method="chat.update", json=nothing) == "no_text"
    assert "blocks" not in slack.chat_update(channel=GENERAL, ts=ts, text="bare", blocks=[])["message"]
    stored = channel(GENERAL).messages.get()
    assert (stored.ts, stored.text, stored.blocks, bool(stored.edited_ts)) == (ts, "bare", [], True)


def test_only_footnotes_own_messages_can_be_changed(slack: WebClient, workspace: Cast) -> None:
    """Not a person's, not an ephemeral one, and not one that is not there."""
    theirs = say(workspace.alice, "mine")
    psst = slack.chat_postEphemeral(channel=GENERAL, user=find_slack_id(workspace.bob), text="psst")["message_ts"]
    assert _refusal(slack.chat_update, channel=GENERAL, ts=theirs.ts, text="x") == "cant_update_message"
    assert _refusal(slack.chat_delete, channel=GENERAL, ts=theirs.ts) == "cant_delete_message"
    assert _refusal(slack.chat_update, channel=GENERAL, ts=psst, text="x") == "message_not_found"
    assert _refusal(slack.chat_update, channel=STAFF, ts=theirs.ts, text="x") == "message_not_found"
    own = slack.chat_postMessage(channel=GENERAL, text="own")["ts"]
    slack.chat_delete(channel=GENERAL, ts=own)
    assert {m.text for m in LocalMessage.objects.all()} == {"mine", "psst"}


def test_an_ephemeral_message_needs_a_member(slack: WebClient, workspace: Cast) -> None:
    """Somebody who is not in the channel cannot be shown anything in it."""
    assert _refusal(slack.chat_postEphemeral, channel=OWNERS, user=find_slack_id(workspace.bob), text="x") == (
        "user_not_in_channel"
    )
    assert not LocalMessage.objects.exists()


def test_people_are_listed_and_found_by_address(slack: WebClient, workspace: Cast) -> None:
    """Footnote is listed too; who left is in neither."""
    workspace.charlie.is_active = False
    workspace.charlie.save()
    ids = [member["id"] for page in slack.users_list(limit=2) for member in page["members"]]
    assert sorted(ids) == sorted([LOCAL_BOT_USER_ID, find_slack_id(workspace.alice), find_slack_id(workspace.bob)])
    assert slack.users_lookupByEmail(email="Bob@Example.com")["user"]["id"] == find_slack_id(workspace.bob)
    assert _refusal(slack.users_lookupByEmail, email="charlie@example.com") == "users_not_found"


def test_usergroups_have_members(slack: WebClient, workspace: Cast) -> None:
    """Told with the group when asked for; who left is not among them."""
    people = [workspace.alice.email, workspace.charlie.email]
    seed_workspace([], usergroups=[SeedUsergroup(handle="safety", name="Safety officers", members=people)])
    workspace.charlie.is_active = False
    workspace.charlie.save()
    [group] = slack.usergroups_list()["usergroups"]
    assert (group["id"], group["handle"], group["user_count"], "users" in group) == ("SSAFETY", "safety", 1, False)
    assert slack.usergroups_list(include_users=True)["usergroups"][0]["users"] == [find_slack_id(workspace.alice)]
    assert slack.usergroups_users_list(usergroup="SSAFETY")["users"] == [find_slack_id(workspace.alice)]
    assert _refusal(slack.usergroups_users_list, usergroup="SNONE") == "no_such_subteam"


def test_the_history_of_a_channel_is_what_is_outside_of_threads(slack: WebClient, workspace: Cast) -> None:
    """The newest first, since a time; a link to a message leads to its thread."""
    root = say(workspace.alice, "one")
    reply = say(workspace.bob, "in the thread", thread_ts=root.ts)
    say(workspace.bob, "two")
    slack.chat_postEphemeral(channel=GENERAL, user=find_slack_id(workspace.bob), text="psst")
    say(workspace.bob, "elsewhere", STAFF)
    assert [m["text"] for m in slack.conversations_history(channel=GENERAL)["messages"]] == ["two", "one"]
    since = slack.conversations_history(channel=GENERAL, oldest=root.ts)["messages"]
    assert [m["text"] for m in since] == ["two"]
    last = say(workspace.alice, "last in the thread", thread_ts=root.ts)
    later = slack.conversations_replies(channel=GENERAL, ts=root.ts, oldest=last.ts)["messages"]
    assert [m["text"] for m in later] == ["one", "last in the thread"]
    link = slack.chat_getPermalink(channel=GENERAL, message_ts=reply.ts)["permalink"]
    assert link.endswith(f"/local/#//{GENERAL}/{root.ts}")
    assert _refusal(slack.chat_getPermalink, channel=STAFF, message_ts=reply.ts) == "message_not_found"


def test_reactions_come_and_go_once(slack: WebClient, workspace: Cast) -> None:
    """Adding twice and removing what is not there are refused."""
    message = say(workspace.alice, "question")
    at = {"channel": GENERAL, "timestamp": message.ts, "name": "eyes"}
    slack.reactions_add(**at)
    assert _refusal(slack.reactions_add, **at) == "already_reacted"
    shown = slack.conversations_replies(channel=GENERAL, ts=message.ts)["messages"][0]["reactions"]
    assert shown == [{"name": "eyes", "users": [LOCAL_BOT_USER_ID], "count": 1}]
    slack.reactions_remove(**at)
    assert _refusal(slack.reactions_remove, **at) == "no_reaction"


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"text": ""}, "no_text"),
        ({"text": "x" * 40_001}, "msg_too_long"),
        ({"text": "x", "blocks": "not json"}, "invalid_blocks_format"),
        ({"text": "x", "blocks": [{"type": "sektion"}]}, "invalid_blocks"),
        ({"text": "x", "metadata": {"event_type": "only"}}, "invalid_metadata_format"),
    ],
)
def test_a_message_that_slack_would_refuse_is_refused(slack: WebClient, arguments: dict[str, Any], code: str) -> None:
    """Nothing of it is stored."""
    with pytest.raises(SlackApiError) as caught:
        slack.api_call("chat.postMessage", json={"channel": GENERAL, **arguments})
    assert caught.value.response["error"] == code
    assert not LocalMessage.objects.exists()


def _metadata() -> dict[str, Any]:
    return {"event_type": "answer", "event_payload": {"id": "1"}}
