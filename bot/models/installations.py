"""The workspaces that the app is installed in by OAuth."""

from typing import ClassVar

from django.db import models, transaction

from bot.models.channels import ChannelKind
from bot.models.openings import Opening
from core import queue
from core.models import SlackIdentity
from core.models.base import UuidModel


class InstallationSet(models.QuerySet["Installation"]):
    """Installations, and how they end."""

    def end(self) -> list[str]:
        """End those that are in use, at once, and return their teams.

        Their tokens are erased and nobody is known by them any more; a job takes away the roles that were held through
        their usergroups, since nobody can tell any more who is in those.
        """
        with transaction.atomic():
            teams = list(self.filter(is_active=True).select_for_update().values_list("team_id", flat=True))
            self.filter(team_id__in=teams).update(is_active=False, encrypted_token="")
            SlackIdentity.objects.filter(team_id__in=teams).delete()
            ChannelKind.objects.filter(team_id__in=teams).delete()
            Opening.objects.filter(team_id__in=teams).delete()
            for team_id in teams:
                queue.synchronise_usergroups(team_id)
        return teams


class Installation(UuidModel):
    """One workspace in which somebody installed the app. Installing again replaces what was here before.

    The token stands here encrypted and nowhere else; bot.slack.encryption reads it.
    """

    team_id = models.CharField("Slack team", max_length=32, unique=True)
    team_name = models.CharField("workspace", max_length=200, blank=True)
    enterprise_id = models.CharField("enterprise", max_length=32, blank=True)
    app_id = models.CharField("Slack app", max_length=32, blank=True)
    bot_user_id = models.CharField("bot's Slack user", max_length=32)
    bot_id = models.CharField("bot", max_length=32, blank=True)
    encrypted_token = models.TextField(blank=True, editable=False)
    scopes = models.CharField(max_length=1000, blank=True, help_text="What the workspace lets the bot do.")
    installed_by = models.CharField("installed by Slack user", max_length=32, blank=True)
    installed_at = models.DateTimeField()
    is_active = models.BooleanField("in use", default=True)

    objects = InstallationSet.as_manager()

    class Meta:
        ordering: ClassVar = ["team_name", "team_id"]

    def __str__(self) -> str:
        return self.team_name or self.team_id
