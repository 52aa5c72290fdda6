"""Speaking where Slack takes messages for one person: at the response_url of what they pressed.

https://docs.slack.dev/interactivity/handling-user-interaction: five messages within half an hour.
"""

from typing import Any

from slack_sdk.webhook import WebhookClient

from bot.slack.addresses import is_slacks
from bot.slack.errors import SlackRefusedError, SlackUnavailableError, translate_errors
from bot.slack.workspace import REQUEST_TIMEOUT_S


def respond(url: str, said: dict[str, Any]) -> None:
    """Send a message that one person sees. said: its parts as Slack names them, such as text and replace_original.

    SlackRefusedError when Slack does not take it there (any more), or the address is none of Slack's;
    SlackUnavailableError when it may take it later.
    """
    if not is_slacks(url):
        raise SlackRefusedError("no_response_url")
    webhook = WebhookClient(url, timeout=REQUEST_TIMEOUT_S, retry_handlers=[])
    with translate_errors():
        status = webhook.send_dict({"response_type": "ephemeral", **said}).status_code
    if status == 429 or status >= 500:
        raise SlackUnavailableError(f"http_{status}")
    if status != 200:
        raise SlackRefusedError(f"http_{status}")
