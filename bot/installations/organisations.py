"""Organisations that installed the app: in which of their workspaces it may be used.

The installation in an organisation has one token, and an administrator there adds workspaces one by one. Slack tells of
that by events, which may be late or lost; so an event is only the occasion to ask anew, except that what it takes away
is taken away at once.
"""

import datetime as dt
import logging
from collections.abc import Collection

from django.db import transaction

from bot.installations.oauth import end_installation
from bot.models import Installation, OrganisationWorkspace, forget_teams
from bot.slack.errors import SlackRefusedError, translate_errors
from bot.slack.workspace import UnknownTeamError, find_organisation_client
from core.infrastructure import queue
from core.models import SlackWorkspace

logger = logging.getLogger(__name__)

_PER_PAGE = 1000  # Slack's maximum for auth.teams.list
# Refusals that mean that the token is no one's any more, though no event has told so:
# https://docs.slack.dev/reference/methods/auth.teams.list
_TOKEN_IS_OVER = frozenset({"account_inactive", "invalid_auth", "token_revoked"})


def queue_all() -> None:
    """Queue that Slack is asked for the workspaces of every organisation."""
    for organisation_id in Installation.objects.filter(is_organisation=True, is_active=True).values_list("team_id"):
        queue.list_workspaces(*organisation_id)


def take_workspaces(organisation_id: str) -> None:
    """Ask Slack in which workspaces an organisation lets the app be used, and serve exactly these.

    Each is put before the administrators, who decide what everyone in it may be shown; until then that is nothing. What
    Slack refuses changes nothing, unless the token is over, which ends the installation. SlackUnavailableError when it
    cannot be asked now.
    """
    installation = Installation.objects.filter(team_id=organisation_id, is_organisation=True, is_active=True).first()
    try:
        client = find_organisation_client(organisation_id)
    except UnknownTeamError:
        return
    if installation is None:
        return
    try:
        with translate_errors():
            pages = client.auth_teams_list(limit=_PER_PAGE)
            told = {str(team["id"]): str(team.get("name") or "") for page in pages for team in page.get("teams") or []}
    except SlackRefusedError as error:
        if error.code in _TOKEN_IS_OVER:
            end_installation(organisation_id, before=installation.installed_at, because=error.code)
        logger.warning("workspaces_not_listed", extra={"team": organisation_id, "code": error.code})
        return
    _serve_workspaces(installation, told)


def revoke(organisation_id: str, team_ids: Collection[str], *, before: dt.datetime) -> None:
    """Serve these workspaces of an organisation no longer, at once, and ask Slack whether that is still so.

    before: when Slack says that they were taken away; an installation that is newer is not meant.
    """
    with transaction.atomic():
        gone = OrganisationWorkspace.objects.filter(
            installation__team_id=organisation_id, installation__installed_at__lte=before, team_id__in=team_ids
        )
        _forget_workspaces(list(gone.values_list("team_id", flat=True)))
        queue.list_workspaces(organisation_id)


def _serve_workspaces(installation: Installation, told: dict[str, str]) -> None:
    with transaction.atomic():
        if not Installation.objects.select_for_update().filter(pk=installation.pk, is_active=True).exists():
            return  # it has ended meanwhile
        served = OrganisationWorkspace.objects.filter(installation=installation)
        _forget_workspaces(list(served.exclude(team_id__in=told).values_list("team_id", flat=True)))
        for team_id, name in told.items():
            OrganisationWorkspace.objects.update_or_create(
                team_id=team_id, defaults={"installation": installation, "name": name[:200]}
            )
            SlackWorkspace.objects.meet(team_id, name)
    logger.info("workspaces_listed", extra={"team": installation.team_id, "served": len(told)})


def _forget_workspaces(team_ids: list[str]) -> None:
    OrganisationWorkspace.objects.filter(team_id__in=team_ids).delete()
    forget_teams(team_ids)
