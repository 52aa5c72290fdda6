"""The local page's channels differ as Slack's do: a public one is read by everyone in the workspace."""

import pytest
from django.utils import timezone
from slack_sdk import WebClient

from bot.identity import audiences
from bot.slack.workspace import LOCAL_TEAM_ID
from core.models import SlackWorkspace
from core.testing import Cast
from core.types import Audience
from slack_emulator.accounts import find_slack_id
from slack_emulator.seeding import SeedChannel, seed_workspace
from tests.integration.slack_emulator.conftest import OWNERS, STAFF


def audience(slack: WebClient, cast: Cast, channel_id: str) -> Audience:
    """Return the readers of Alice's question in a channel."""
    alice = find_slack_id(cast.alice)
    return audiences.find_channel_audience(slack, team_id=LOCAL_TEAM_ID, channel_id=channel_id, slack_user_id=alice)


def test_a_public_channel_shows_what_everyone_may_read(slack: WebClient, workspace: Cast) -> None:
    """The same two people: in the public channel nothing until it is decided, in the private one what both may read."""
    staff = {workspace.staff.pk}
    seed_workspace([SeedChannel(name="desk", members=[workspace.alice.email, workspace.bob.email], is_private=True)])
    assert audience(slack, workspace, "CDESK") == Audience.of([staff])
    assert audience(slack, workspace, OWNERS) == workspace.audience(workspace.alice)
    assert audience(slack, workspace, STAFF) == Audience.nobody()
    seed_workspace([], everyone=["staff"])
    assert audience(slack, workspace, STAFF) == Audience.of([staff])


@pytest.mark.usefixtures("workspace")
def test_an_administrators_decision_stays(cast: Cast) -> None:
    """Seeding decides once."""
    SlackWorkspace.objects.filter(team_id=LOCAL_TEAM_ID).update(decided_at=timezone.now())
    seed_workspace([], everyone=["staff"])
    assert SlackWorkspace.objects.roles_of_everyone(LOCAL_TEAM_ID) == frozenset()
