"""Installing the app in a workspace or an organisation by OAuth: an administrator starts it, and the token is stored.

Only a signed-in administrator may install. People are known by the e-mail addresses of their Slack profiles, and
whoever runs a workspace decides about those: in a workspace of their own, strangers could call themselves anybody.
"""

import datetime as dt
import logging
import secrets
import time
from collections.abc import MutableMapping
from typing import Any

from django.db import transaction
from django.template.loader import render_to_string
from django.utils import timezone
from slack_bolt import BoltResponse
from slack_bolt.error import BoltError
from slack_bolt.oauth import OAuthFlow
from slack_bolt.oauth.callback_options import CallbackOptions, FailureArgs, SuccessArgs
from slack_bolt.oauth.oauth_settings import OAuthSettings
from slack_sdk.oauth import OAuthStateStore
from slack_sdk.oauth.installation_store import Installation as Installed
from slack_sdk.oauth.installation_store import InstallationStore

from bot.installations import manifest
from bot.models import Installation
from bot.slack import encryption, workspace
from core.errors import FootnoteError
from core.infrastructure import queue
from core.models import AuditEvent, SlackIdentity, SlackWorkspace, User

logger = logging.getLogger(__name__)

STATE_LIFE_S = 600  # from the first page to Slack's answer
_STATE = "slack_installation"  # the session's key
_NOT_OURS = "The installation was started in another browser, or it took more than ten minutes."

# What the person reads, by Bolt's or Slack's reason. Another one is not repeated: it comes from the address.
_REASONS = {
    "access_denied": "You did not allow Footnote in the workspace.",
    "invalid_browser": _NOT_OURS,
    "invalid_state": _NOT_OURS,
    "missing_code": "Slack did not send a code.",
    "invalid_code": "Slack did not accept the code of this installation.",
}


class _Refusal(BoltError):  # noqa: N818 - what Bolt catches; its text is for the person
    """This installation cannot be stored; the text says why, for the person."""


class _Store(InstallationStore):
    """Stores an installation in the database. Everything else that Bolt's interface has, bot.slack.workspace does."""

    def __init__(self, by: User | None) -> None:
        self._by = by

    def save(self, installation: Installed) -> None:
        """Store an installation in place of an earlier one of the same workspace or organisation."""
        # An organisation has no team, and its own id takes that place.
        is_whole = installation.is_enterprise_install
        team_id = installation.enterprise_id if is_whole else installation.team_id
        if not team_id:
            raise _Refusal("Slack did not say where the app is installed.")
        if not installation.bot_token or not installation.bot_user_id:
            raise _Refusal("Slack did not send a bot token. Compare the app's scopes with its manifest.")
        if installation.bot_refresh_token and not installation.bot_token_expires_at:
            raise _Refusal("Slack did not say when its token expires.")
        try:
            tokens = _encrypt_tokens(installation)
        except FootnoteError as error:
            raise _Refusal(error.message) from None
        with transaction.atomic():
            Installation.objects.update_or_create(team_id=team_id, defaults={**_select_shown(installation), **tokens})
            if is_whole:
                queue.list_workspaces(team_id)
            else:
                SlackWorkspace.objects.meet(team_id, installation.team_name or "")
            AuditEvent.objects.create(
                actor=self._by,
                action=AuditEvent.Action.INSTALL,
                object_type="installation",
                object_id=team_id,
                details={"scopes": sorted(installation.bot_scopes or [])},
            )
        logger.info("installed", extra={"team": team_id})


def _encrypt_tokens(installation: Installed) -> dict[str, Any]:
    refresh_token, expires_at = installation.bot_refresh_token, installation.bot_token_expires_at
    return {
        "encrypted_token": encryption.encrypt(installation.bot_token or ""),
        "encrypted_refresh_token": encryption.encrypt(refresh_token) if refresh_token else "",
        "token_expires_at": dt.datetime.fromtimestamp(expires_at, tz=dt.UTC) if refresh_token and expires_at else None,
    }


def _select_shown(installation: Installed) -> dict[str, Any]:
    is_organisation = bool(installation.is_enterprise_install)
    return {
        "team_name": (installation.enterprise_name if is_organisation else installation.team_name) or "",
        "is_organisation": is_organisation,
        "enterprise_id": installation.enterprise_id or "",
        "app_id": installation.app_id or "",
        "bot_user_id": installation.bot_user_id,
        "bot_id": installation.bot_id or "",
        "scopes": ",".join(sorted(installation.bot_scopes or [])),
        "installed_by": installation.user_id or "",
        "installed_at": timezone.now(),
        "is_active": True,
        "ended_because": "",
    }


class _SessionState(OAuthStateStore):
    """The one state of a browser's session: it cannot be guessed, is used once, and ends after ten minutes."""

    def __init__(self, session: MutableMapping[str, Any]) -> None:
        self._session = session

    def issue(self, *args: Any, **kwargs: Any) -> str:
        """Issue a new state, in place of an earlier one."""
        state = secrets.token_urlsafe(32)
        self._session[_STATE] = {"state": state, "until": time.time() + STATE_LIFE_S}
        return state

    def consume(self, state: str) -> bool:
        """Return True if this is the session's state, and forget it."""
        issued = self._session.pop(_STATE, None)
        return (
            issued is not None
            and secrets.compare_digest(issued["state"].encode(), state.encode())
            and time.time() < issued["until"]
        )


def _build_silent_logger() -> logging.Logger:
    """Return a logger for Bolt's flow, which would log the code that Slack sent along.

    It is not among the loggers that `getLogger` gives: a later configuration of those would let it speak.
    """
    return logging.Logger("bot.installations.oauth.flow", level=logging.CRITICAL + 1)  # noqa: LOG001 - for that reason


def build_installation_flow(*, session: MutableMapping[str, Any], by: User | None) -> OAuthFlow:
    """Build Bolt's flow for one browser.

    session: the browser's session, which keeps the state between the two requests.
    by: the administrator who installs, for the audit trail.
    """
    from django.conf import settings

    return OAuthFlow(
        client=workspace.get_client(),
        logger=_build_silent_logger(),
        settings=OAuthSettings(
            client_id=settings.SLACK_CLIENT_ID,
            client_secret=settings.SLACK_CLIENT_SECRET,
            scopes=manifest.list_bot_scopes(
                hears_reactions=bool(settings.SLACK_ASK_EMOJI),
                public_url=settings.PUBLIC_URL,
                searches=settings.SLACK_SEARCH,
            ),
            user_scopes=[],
            install_page_rendering_enabled=False,
            installation_store=_Store(by),
            state_store=_SessionState(session),
            state_expiration_seconds=STATE_LIFE_S,
            callback_options=CallbackOptions(success=_on_success, failure=_on_failure),
            logger=_build_silent_logger(),
        ),
    )


def end_installation(team_id: str, *, before: dt.datetime, because: str) -> None:
    """End the installation in a team or an organisation, which has removed the app, or revoked its token.

    before: when Slack says that this happened; a later installation is not meant, however late its event comes.
    With the one token of the settings there is no installation to end, but nobody is known by that token any more.
    """
    with transaction.atomic():
        if not workspace.has_installations():
            SlackIdentity.objects.filter(team_id=team_id, checked_at__lte=before).delete()
        for ended in Installation.objects.filter(team_id=team_id, installed_at__lte=before).end(because):
            AuditEvent.objects.create(
                action=AuditEvent.Action.END_INSTALLATION,
                object_type="installation",
                object_id=ended,
                details={"because": because},
            )
            logger.info("installation_ended", extra={"team": ended, "because": because})


def _on_success(args: SuccessArgs) -> BoltResponse:
    if args.installation.is_enterprise_install:
        where = args.installation.enterprise_name or args.installation.enterprise_id or ""
        said = f"Footnote is installed in the organisation {where}. Now add it to workspaces, in Slack's pages for the"
        said += " organisation. In the public channels of each it shows nothing until you decide in the admin, under"
        said += " Workspaces, what everyone there may be shown."
        return render_page(200, "Installed", said)
    where = args.installation.team_name or args.installation.team_id or ""
    said = f"Footnote is installed in {where}. Invite it to a channel and ask."
    if SlackWorkspace.objects.undecided().filter(team_id=args.installation.team_id).exists():
        said += " In public channels, which everyone in the workspace can read, it shows nothing until you"
        said += " decide in the admin, under Workspaces, what everyone may be shown."
    return render_page(200, "Installed", said)


def _on_failure(args: FailureArgs) -> BoltResponse:
    known = args.reason if args.reason in {*_REASONS, "storage_error"} else "another"
    logger.warning("not_installed", extra={"reason": known})
    if isinstance(args.error, _Refusal):
        said = str(args.error)
    else:
        said = _REASONS.get(args.reason, "Slack ended the installation.")
    return render_page(400, "Not installed", f"{said} Nothing was installed.")


def render_page(status: int, title: str, said: str) -> BoltResponse:
    """Render the page at the end of an installation."""
    body = render_to_string("bot/installation.html", {"title": title, "said": said, "again": status != 200})
    return BoltResponse(status=status, body=body, headers={"Content-Type": "text/html; charset=utf-8"})
