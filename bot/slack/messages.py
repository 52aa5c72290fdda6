"""Asking Slack where messages stand, and where somebody's direct messages are."""

from slack_sdk import WebClient

from bot.slack.errors import translate_errors


def find_permalink(client: WebClient, channel_id: str, ts: str) -> str:
    """Return the address that opens a message; empty where Slack names none.

    SlackRefusedError where Slack does not know the message; SlackUnavailableError when a later attempt may succeed.
    """
    with translate_errors():
        return str(client.chat_getPermalink(channel=channel_id, message_ts=ts).get("permalink") or "")


def open_direct_messages(client: WebClient, slack_user_id: str) -> str:
    """Return the channel id of the direct messages with an account, which Slack opens where there are none.

    SlackRefusedError where nobody may write to them; SlackUnavailableError when a later attempt may succeed.
    """
    with translate_errors():
        return str(client.conversations_open(users=slack_user_id)["channel"]["id"])
