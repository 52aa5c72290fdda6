"""Workspaces of Slack's, what everyone in one may be shown, and whether its messages are searched."""

from typing import ClassVar
from uuid import UUID

from django.db import models

from core.models.base import UuidModel
from core.models.people import Role

LOCAL_TEAM_ID = "TLOCAL"  # of the workspace that the local page plays; Slack's own ids are longer


class SlackWorkspaceSet(models.QuerySet["SlackWorkspace"]):
    """Workspaces, and what has been decided about them."""

    def undecided(self) -> "SlackWorkspaceSet":
        """Those of which no administrator has said what everyone in them holds."""
        return self.filter(decided_at=None)

    def meet(self, team_id: str, name: str = "") -> None:
        """Show a workspace to the administrators, who may then decide about it."""
        self.get_or_create(team_id=team_id, defaults={"name": name[:200]})

    def may_search(self, team_id: str) -> bool:
        """Return True if an administrator lets Footnote search the messages of a workspace."""
        return self.filter(team_id=team_id, searches_messages=True).exists()

    def roles_of_everyone(self, team_id: str) -> frozenset[UUID]:
        """The roles that everyone in a workspace holds; none in one that nobody has decided about, or knows."""
        held = self.filter(team_id=team_id, decided_at__isnull=False, roles__isnull=False)
        return frozenset(held.values_list("roles", flat=True))


class SlackWorkspace(UuidModel):
    """A workspace of Slack's, with the roles of whoever in it reads a public channel.

    Every full member can find, open and join a public channel, so its readers are more than its members. Until an
    administrator has decided, they hold no role.
    """

    team_id = models.CharField("Slack team", max_length=32, unique=True, help_text="Such as T0123ABCD.")
    name = models.CharField(max_length=200, blank=True)
    roles = models.ManyToManyField(
        Role,
        blank=True,
        related_name="workspaces",
        verbose_name="roles of everyone",
        help_text="What these roles may read can be shown in the workspace's public channels, as far as the members "
        "of the channel may read it too. Everyone with an account in the workspace who is not a guest will "
        "be able to read it there. If no role is chosen, nothing is shown in public channels.",
    )
    decided_at = models.DateTimeField(
        "decided", null=True, blank=True, editable=False, help_text="When an administrator last saved this page."
    )

    searches_messages = models.BooleanField(
        "searches Slack's messages",
        default=False,
        db_default=False,
        help_text="When somebody asks in their direct messages with Footnote, Slack is asked for messages of public "
        "channels that this person can read, and up to three are quoted below the answer, for this person alone. "
        "Slack's terms forbid to store or copy what the search returns, or to train a model with it. So Footnote keeps "
        "the link to a quoted message and a hash of the words, and sends the messages to no language model. It needs "
        "the setting SLACK_SEARCH and the scope search:read.public.",
    )

    objects = SlackWorkspaceSet.as_manager()

    class Meta:
        ordering: ClassVar = ["name", "team_id"]
        verbose_name = "workspace"

    def __str__(self) -> str:
        return self.name or self.team_id
