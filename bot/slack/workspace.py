"""Which Slack this installation talks to, and with which token.

There are three ways: one workspace by its token (SLACK_BOT_TOKEN); every workspace in which an administrator installed
the app (SLACK_CLIENT_ID and SLACK_CLIENT_SECRET); or the local page that plays a workspace on this machine. The
decision is made here alone. Everything else asks for a client or for the signing secret.
"""

from typing import Any

from django.conf import settings
from django.utils.crypto import salted_hmac
from slack_sdk import WebClient
from slack_sdk.web import SlackResponse

from bot.models import Installation
from bot.slack.encryption import decrypt
from core.errors import FootnoteError
from core.measures.families import slack_call_seconds, timed
from core.tracing.spans import span

LOCAL_TEAM_ID = "TLOCAL"
LOCAL_BOT_USER_ID = "UFOOTNOTE"
LOCAL_BOT_ID = "BFOOTNOTE"
LOCAL_APP_ID = "AFOOTNOTE"
LOCAL_API_PATH = "/local/api/"  # where the local page answers the Web API's methods

REQUEST_TIMEOUT_S = 10  # one call of the Web API; Slack's own answers take well under a second


class UnknownTeamError(FootnoteError):
    """This event comes from a Slack team that this installation is not connected to."""


def is_local() -> bool:
    """True when the local page plays Slack: it is switched on and no real workspace is configured."""
    return bool(settings.LOCAL_PAGE) and not settings.SLACK_BOT_TOKEN and not has_installations()


def has_installations() -> bool:
    """True when workspaces install the app by OAuth, each with a token of its own."""
    return bool(settings.SLACK_CLIENT_ID and settings.SLACK_CLIENT_SECRET)


def is_set_up() -> bool:
    """True when there is a token, or a way to come by one."""
    return bool(find_bot_token()) or has_installations()


def find_bot_token() -> str:
    """The one token that the bot calls the Web API with; empty where there is none, or one for each workspace.

    The local page's token is derived from SECRET_KEY, so that no other program on the machine can guess it.
    """
    if is_local():
        return f"xoxb-local-{_derive('token')}"
    return "" if has_installations() else str(settings.SLACK_BOT_TOKEN)


def find_signing_secret() -> str:
    """The secret that signs requests from Slack, or from the local page; empty when none is configured."""
    if is_local():
        return _derive("signing")
    return str(settings.SLACK_SIGNING_SECRET)


def find_api_url() -> str:
    """Where the Web API's methods are, with a slash at the end."""
    if is_local():
        return f"http://127.0.0.1:{settings.PORT}{LOCAL_API_PATH}"
    return str(settings.SLACK_API_URL).rstrip("/") + "/"


def get_client() -> WebClient:
    """A Web API client with the one token that there is; without one where each workspace has its own."""
    return _get_client(find_bot_token())


class _TimedClient(WebClient):
    """Times its calls, by method."""

    def api_call(self, api_method: str, **arguments: Any) -> SlackResponse:
        """Call a method of the Web API."""
        with timed(slack_call_seconds, api_method), span("slack.call", method=api_method):
            return super().api_call(api_method, **arguments)


def _get_client(token: str) -> WebClient:
    """A Web API client with this token.

    It repeats nothing by itself: after a broken connection nobody knows whether a message was posted, and only
    delivery can find out.
    """
    return _TimedClient(token=token or None, base_url=find_api_url(), timeout=REQUEST_TIMEOUT_S, retry_handlers=[])


def find_client(team_id: str) -> WebClient:
    """The Web API client for a team.

    UnknownTeamError when the app is not installed in it, or not any more, and for a local team's event on a real
    workspace or the reverse. NoTokenKeyError or UnreadableTokenError when its token cannot be decrypted.
    """
    if is_local() != (team_id == LOCAL_TEAM_ID):
        raise UnknownTeamError
    if not has_installations():
        return get_client()
    installation = find_installation(team_id)
    if installation is None:
        raise UnknownTeamError
    return _get_client(decrypt(installation.encrypted_token))


def find_installation(team_id: str) -> Installation | None:
    """The installation in a team while it is in use."""
    return Installation.objects.filter(team_id=team_id, is_active=True).first()


def _derive(purpose: str) -> str:
    return salted_hmac(f"bot.workspace.{purpose}", "local page", algorithm="sha256").hexdigest()
