"""With the token of an organisation, a workspace is shown no more than what was decided for it."""

import json
from collections.abc import Iterator

import pytest
from cryptography.fernet import Fernet
from django.utils import timezone
from hypothesis import example, given
from hypothesis import strategies as st
from pytest_django.fixtures import Settings

from bot.installations.organisations import take_workspaces
from bot.models import Installation, SlackEvent
from bot.slack.encryption import encrypt
from core.models import Role, SlackWorkspace
from tests.integration.bot.grid_server import ORG_TOKEN, ORGANISATION, SOUTH, GridServer
from tests.integration.bot.slack_server import BOT_USER, TEAM
from tests.integration.leaks.test_slack import CHANNEL, account, fill, marks_in_text, say
from tests.integration.leaks.worlds import ONE_READER, World, built, held_marks, logged, tried, worlds

pytestmark = pytest.mark.usefixtures("floors", "fast")

# What the channel is in which a question comes from TEAM, and whether its members' rights decide what is shown there.
# In TEAM everyone may be shown everything; of SOUTH, another workspace of the organisation, nothing is decided.
KINDS = {
    "private, of TEAM": ({"is_private": True, "shared_team_ids": [TEAM], "context_team_id": TEAM}, True),
    "public, of TEAM": ({"is_private": False, "shared_team_ids": [TEAM], "context_team_id": TEAM}, True),
    "public, of SOUTH": ({"is_private": False, "shared_team_ids": [SOUTH], "context_team_id": SOUTH}, False),
    "public, of nowhere": ({"is_private": False, "context_team_id": ORGANISATION}, False),
    "public, of both": (
        {"is_private": False, "is_org_shared": True, "shared_team_ids": [TEAM, SOUTH], "context_team_id": TEAM},
        False,
    ),
    "private, of both, with a person of SOUTH": (
        {"is_private": True, "is_org_shared": True, "shared_team_ids": [TEAM, SOUTH], "context_team_id": TEAM},
        False,
    ),
}


@pytest.fixture
def slack(settings: Settings) -> Iterator[GridServer]:
    """An organisation with two workspaces, which each world fills anew."""
    with GridServer() as server:
        settings.LOCAL_PAGE = False
        settings.SLACK_API_URL, settings.SLACK_BOT_TOKEN, settings.GUEST_ROLE = server.url, "", ""
        settings.SLACK_CLIENT_ID, _, settings.SLACK_CLIENT_SECRET = server.client.partition(":")
        settings.SLACK_TOKEN_KEYS = [Fernet.generate_key().decode()]
        server.tokens, server.granted = {ORG_TOKEN: ORGANISATION}, {TEAM: "Harbour", SOUTH: "South"}
        yield server


def install() -> None:
    """Install the app in the organisation, and let TEAM show everyone whatever any role may read."""
    Installation.objects.create(
        team_id=ORGANISATION,
        is_organisation=True,
        bot_user_id=BOT_USER,
        encrypted_token=encrypt(ORG_TOKEN),
        installed_at=timezone.now(),
    )
    take_workspaces(ORGANISATION)
    SlackWorkspace.objects.filter(team_id=TEAM).update(decided_at=timezone.now())
    SlackWorkspace.objects.get(team_id=TEAM).roles.set(Role.objects.all())


@given(world=worlds(guests=False), kind=st.sampled_from(sorted(KINDS)))
@example(world=ONE_READER, kind="public, of SOUTH")
@example(world=ONE_READER, kind="public, of TEAM")
@example(world=ONE_READER, kind="private, of both, with a person of SOUTH")
@tried(4)
def test_no_workspace_shows_what_another_may(slack: GridServer, world: World, kind: str) -> None:
    """A question in the channel; what is said there, offered to the asker, and logged."""
    said, by_members = KINDS[kind]
    with built(world) as here, logged() as lines:
        install()
        fill(slack, here)
        slack.channels[CHANNEL] = said
        asker = next(number for number in world.readers if number is not None)
        if "a person of SOUTH" in kind:
            stranger = account(here, asker) + "S"
            slack.add_user(stranger, here.people[asker].email, team_id=SOUTH)
            slack.members[CHANNEL].append(stranger)
        say(here, slack, SlackEvent.Kind.MENTION, asker)
        readable = here.readable() if by_members else set()
        assert held_marks(json.dumps(slack.messages), here.marks_outside(readable)) == set()
        assert held_marks(json.dumps(slack.ephemeral), here.marks_outside(set())) == set()
        assert held_marks(" ".join(line for line in lines if "django.db" not in line), marks_in_text(here)) == set()
