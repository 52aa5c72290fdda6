"""Choose the Slack that this installation talks to, and its token.

There are three ways: one workspace by its token (SLACK_BOT_TOKEN); every workspace or organisation in which an
administrator installed the app (SLACK_CLIENT_ID and SLACK_CLIENT_SECRET); or the local page that plays a workspace on
this machine. The decision is made here alone. Everything else asks for a client or for the signing secret.
"""

from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.utils.crypto import salted_hmac
from slack_sdk import WebClient
from slack_sdk.web import SlackResponse

from bot.models import Installation, OrganisationWorkspace
from bot.slack.encryption import decrypt
from bot.slack.renewal import find_token, renew_due
from core.errors import FootnoteError
from core.infrastructure.measures.families import slack_call_seconds, timed
from core.infrastructure.tracing.spans import span
from core.models import workspaces

LOCAL_TEAM_ID = workspaces.LOCAL_TEAM_ID
LOCAL_BOT_USER_ID = "UFOOTNOTE"
LOCAL_BOT_ID = "BFOOTNOTE"
LOCAL_APP_ID = "AFOOTNOTE"
LOCAL_API_PATH = "/local/api/"  # where the local page answers the Web API's methods

REQUEST_TIMEOUT_S = 10  # one call of the Web API; Slack's own answers take well under a second


class UnknownTeamError(FootnoteError):
    """This event comes from a Slack team that this installation is not connected to."""


def is_local() -> bool:
    """Return True when the local page plays Slack: it is switched on and no real workspace is configured."""
    return bool(settings.LOCAL_PAGE) and not settings.SLACK_BOT_TOKEN and not has_installations()


def has_installations() -> bool:
    """Return True when workspaces install the app by OAuth, each with a token of its own."""
    return bool(settings.SLACK_CLIENT_ID and settings.SLACK_CLIENT_SECRET)


def is_set_up() -> bool:
    """Return True when there is a token, or a way to come by one."""
    return bool(find_bot_token()) or has_installations()


def find_bot_token() -> str:
    """Find the one token that the bot calls the Web API with; empty where there is none, or one for each workspace.

    The local page's token is derived from SECRET_KEY, so that no other program on the machine can guess it.
    """
    if is_local():
        return f"xoxb-local-{_derive_secret('token')}"
    return "" if has_installations() else str(settings.SLACK_BOT_TOKEN)


def find_signing_secret() -> str:
    """Find the secret that signs requests from Slack, or from the local page; empty when none is configured."""
    if is_local():
        return _derive_secret("signing")
    return str(settings.SLACK_SIGNING_SECRET)


def find_api_url() -> str:
    """Return the address of the Web API's methods, with a slash at the end."""
    if is_local():
        return f"http://127.0.0.1:{settings.PORT}{LOCAL_API_PATH}"
    return str(settings.SLACK_API_URL).rstrip("/") + "/"


def get_client() -> WebClient:
    """Build a Web API client with the one token that there is; without one where each workspace has its own."""
    return _get_client(find_bot_token())


@dataclass(frozen=True, kw_only=True, slots=True)
class ActedIn:
    """Holds the workspace that a client with an organisation's token acts in."""

    team_id: str
    organisation_id: str


class _TimedClient(WebClient):
    """Times its calls, by method."""

    acted_in: ActedIn | None = None  # with the token of an organisation alone

    def api_call(self, api_method: str, **arguments: Any) -> SlackResponse:
        """Call a method of the Web API."""
        with timed(slack_call_seconds, api_method), span("slack.call", method=api_method):
            return super().api_call(api_method, **arguments)


def _get_client(token: str, acted_in: ActedIn | None = None) -> WebClient:
    """Build a Web API client with this token.

    It repeats nothing by itself: after a broken connection nobody knows whether a message was posted, and only
    delivery can find out. With an organisation's token it names the workspace in every call, which the methods that
    list something need, and the others accept: https://api.slack.com/enterprise/apps/changes-apis.
    """
    client = _TimedClient(
        token=token or None,
        base_url=find_api_url(),
        timeout=REQUEST_TIMEOUT_S,
        retry_handlers=[],
        team_id=acted_in.team_id if acted_in else None,
    )
    client.acted_in = acted_in
    return client


def limit_time(client: WebClient, timeout_s: float) -> WebClient:
    """Return a client with the same token, in the same workspace, that waits no longer for each part of an answer."""
    acted_in = find_acted_in(client)
    limited = _TimedClient(
        token=client.token,
        base_url=client.base_url,
        timeout=timeout_s,  # type: ignore[arg-type]  # the SDK's own client takes fractions
        retry_handlers=[],
        team_id=acted_in.team_id if acted_in else None,
    )
    limited.acted_in = acted_in
    return limited


def find_acted_in(client: WebClient) -> ActedIn | None:
    """Return the workspace that a client acts in with the token of an organisation; None where the token is its own.

    Bolt gives its own clients a team too: the one of the payload, which is not believed.
    """
    return client.acted_in if isinstance(client, _TimedClient) else None


def find_client(team_id: str, *, renews: bool = True) -> WebClient:
    """Return the Web API client for a team.

    renews: whether a token that is about to expire is renewed first, which asks Slack; otherwise it is taken as it is.
    UnknownTeamError when the app is not installed in it, or not any more, and for a local team's event on a real
    workspace or the reverse. NoTokenKeyError or UnreadableTokenError when its token cannot be decrypted.
    SlackUnavailableError or SlackRefusedError when it has expired and could not be renewed.
    """
    if is_local() != (team_id == LOCAL_TEAM_ID):
        raise UnknownTeamError
    if not has_installations():
        return get_client()
    installation = find_installation(team_id)
    if installation is None:
        raise UnknownTeamError
    acted_in = ActedIn(team_id=team_id, organisation_id=installation.team_id) if installation.is_organisation else None
    return _get_client(_find_token(installation, renews=renews), acted_in)


def find_organisation_client(organisation_id: str, *, renews: bool = True) -> WebClient:
    """Return the client for an organisation as a whole, which acts in no workspace. The errors of `find_client`."""
    whole = Installation.objects.filter(team_id=organisation_id, is_organisation=True, is_active=True)
    installation = whole.first() if has_installations() else None
    if installation is None:
        raise UnknownTeamError
    return _get_client(_find_token(installation, renews=renews))


def renew_tokens() -> None:
    """Renew the tokens that expire before long."""
    if has_installations():
        renew_due(get_client())


def _find_token(installation: Installation, *, renews: bool) -> str:
    token = find_token(installation, get_client()) if renews else decrypt(installation.encrypted_token)
    if not token:
        raise UnknownTeamError
    return token


def find_installation(team_id: str) -> Installation | None:
    """Return the installation that serves a workspace while it is in use: its own, or that of its organisation."""
    own = Installation.objects.filter(team_id=team_id, is_organisation=False, is_active=True).first()
    if own:
        return own
    served = OrganisationWorkspace.objects.filter(team_id=team_id, installation__is_active=True)
    served = served.select_related("installation")
    return served[0].installation if served else None


def list_teams() -> list[str]:
    """Return the workspaces that are served by an installation: each with its own, or with that of its organisation."""
    own = Installation.objects.filter(is_active=True, is_organisation=False).values_list("team_id", flat=True)
    served = OrganisationWorkspace.objects.filter(installation__is_active=True).values_list("team_id", flat=True)
    return sorted({*own, *served})


def _derive_secret(purpose: str) -> str:
    return salted_hmac(f"bot.workspace.{purpose}", "local page", algorithm="sha256").hexdigest()
