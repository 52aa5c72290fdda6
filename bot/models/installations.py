"""The workspaces and organisations that the app is installed in by OAuth."""

from collections.abc import Collection
from typing import ClassVar

from django.db import models, transaction

from bot.models.channels import ChannelKind
from bot.models.openings import Opening
from core.infrastructure import queue
from core.models import SlackIdentity
from core.models.base import UuidModel


class InstallationSet(models.QuerySet["Installation"]):
    """Installations, and how they end."""

    def end(self, because: str = "") -> list[str]:
        """End those that are in use, at once, and return their teams.

        because: a code, which the admin shows in words.
        Their tokens are erased and nobody is known by them any more; a job takes away the roles that were held through
        their usergroups, since nobody can tell any more who is in those.
        """
        with transaction.atomic():
            teams = list(self.filter(is_active=True).select_for_update().values_list("team_id", flat=True))
            ended = Installation.objects.filter(team_id__in=teams)
            ended.update(
                is_active=False,
                encrypted_token="",
                encrypted_refresh_token="",
                token_expires_at=None,
                ended_because=because,
            )
            served = OrganisationWorkspace.objects.filter(installation__in=ended)
            forget_teams([*teams, *served.values_list("team_id", flat=True)])
            served.delete()
        return teams


class Installation(UuidModel):
    """One workspace, or one organisation, in which somebody installed the app. Installing again replaces what was here.

    The team_id of an organisation is its own id. The tokens stand here encrypted and nowhere else; bot.slack.encryption
    reads them.
    """

    team_id = models.CharField("Slack team", max_length=32, unique=True)
    team_name = models.CharField("workspace", max_length=200, blank=True)
    is_organisation = models.BooleanField(
        "whole organisation", default=False, db_default=False, help_text="One token for workspaces of Enterprise Grid."
    )
    enterprise_id = models.CharField("enterprise", max_length=32, blank=True)
    app_id = models.CharField("Slack app", max_length=32, blank=True)
    bot_user_id = models.CharField("bot's Slack user", max_length=32)
    bot_id = models.CharField("bot", max_length=32, blank=True)
    encrypted_token = models.TextField(blank=True, editable=False)
    encrypted_refresh_token = models.TextField(blank=True, db_default="", editable=False)
    token_expires_at = models.DateTimeField(
        "token expires", null=True, blank=True, help_text="With token rotation; it is renewed before that."
    )
    scopes = models.CharField(max_length=1000, blank=True, help_text="What the workspace lets the bot do.")
    installed_by = models.CharField("installed by Slack user", max_length=32, blank=True)
    installed_at = models.DateTimeField()
    is_active = models.BooleanField("in use", default=True)
    ended_because = models.CharField("ended because", max_length=40, blank=True, db_default="")

    objects = InstallationSet.as_manager()

    class Meta:
        ordering: ClassVar = ["team_name", "team_id"]

    def __str__(self) -> str:
        return self.team_name or self.team_id


class OrganisationWorkspace(UuidModel):
    """A workspace in which an organisation lets the app be used, as Slack told last."""

    installation = models.ForeignKey(Installation, on_delete=models.CASCADE, related_name="workspaces")
    team_id = models.CharField("Slack team", max_length=32, unique=True)
    name = models.CharField(max_length=200, blank=True)

    class Meta:
        ordering: ClassVar = ["name", "team_id"]
        verbose_name = "workspace of an organisation"
        verbose_name_plural = "workspaces of organisations"

    def __str__(self) -> str:
        return self.name or self.team_id


def forget_teams(team_ids: Collection[str]) -> None:
    """Forget who is who in teams that are not connected any more, and queue that their usergroups give no roles."""
    for model in (SlackIdentity, ChannelKind, Opening):
        model.objects.filter(team_id__in=team_ids).delete()
    for team_id in team_ids:
        queue.synchronise_usergroups(team_id)
