"""The audience of a place is whoever can read it: its members, whoever can open it, and whoever joins it later."""

from collections.abc import Iterator
from contextlib import contextmanager
from uuid import UUID

import pytest
from django.db import transaction
from django.utils import timezone
from hypothesis import example, given
from pytest_django.fixtures import Settings

from bot.identity import audiences, membership
from bot.slack.workspace import find_client
from core.models import Role, SlackWorkspace, User, UserRole
from tests.integration.bot.slack_server import BOT_USER, TEAM, TOKEN, SlackServer
from tests.integration.leaks.places import (
    KINDS,
    MADE_PUBLIC,
    ONE_AWAY,
    SHARED_LATER,
    STAFF_IN_PUBLIC,
    UNDECIDED,
    Place,
    places,
)
from tests.integration.leaks.worlds import tried

CHANNEL = "C0HARBOUR"
OTHER_TEAM = "T0OTHER"


@pytest.fixture(scope="module")
def server() -> Iterator[SlackServer]:
    """A workspace, which each world fills anew."""
    with SlackServer() as running:
        running.page_size = 100
        yield running


@pytest.fixture
def slack(db: None, server: SlackServer, settings: Settings) -> SlackServer:
    """It is the Slack of the installation."""
    settings.LOCAL_PAGE = False
    settings.SLACK_API_URL, settings.SLACK_BOT_TOKEN, settings.GUEST_ROLE = server.url, TOKEN, ""
    return server


@contextmanager
def furnished(slack: SlackServer, place: Place) -> Iterator[tuple[list[UUID], list[str]]]:
    """The people of a place and their roles, without any document: the ids of the roles, and the accounts."""
    with transaction.atomic():
        roles = Role.objects.bulk_create(Role(name=f"role {number}") for number in range(place.world.roles))
        people = [User(email=f"person{number}@example.com", password="!") for number in range(len(place.world.held))]
        User.objects.bulk_create(people)
        UserRole.objects.bulk_create(
            UserRole(user=person, role=roles[number])
            for person, held in zip(people, place.world.held, strict=True)
            for number in held
        )
        for team, everyone in ((TEAM, place.everyone), (OTHER_TEAM, place.elsewhere)):
            if everyone is not None:
                workspace = SlackWorkspace.objects.create(team_id=team, decided_at=timezone.now())
                workspace.roles.set(roles[number] for number in everyone)
        slack.users.clear()
        membership.forget()
        accounts = [
            slack.add_user(
                f"U{person.pk.hex.upper()[:20]}", person.email, team_id=OTHER_TEAM if number in place.away else TEAM
            )
            for number, person in enumerate(people)
        ]
        yield [role.pk for role in roles], accounts
        transaction.set_rollback(True)


@given(place=places())
@example(place=STAFF_IN_PUBLIC)
@example(place=MADE_PUBLIC)
@example(place=SHARED_LATER)
@example(place=UNDECIDED)
@example(place=ONE_AWAY)
@tried(80)
def test_an_audience_is_whoever_can_read_the_place(slack: SlackServer, place: Place) -> None:
    """It follows the place, whichever team an event names, and its changes, though no event reports them."""
    with furnished(slack, place) as (role_ids, accounts):
        later = tuple(dict.fromkeys((*place.members, place.joins)))
        for team, kind, members in (
            (TEAM, place.kind, place.members),
            (OTHER_TEAM, place.kind, place.members),
            (TEAM, place.becomes, later),
        ):
            said = KINDS[kind]
            slack.untold = {CHANNEL} if said is None else set()
            slack.channels[CHANNEL] = said or {}
            slack.members[CHANNEL] = [BOT_USER, *(accounts[person] for person in members)]
            found = audiences.find_channel_audience(
                find_client(team), team_id=team, channel_id=CHANNEL, slack_user_id=accounts[members[0]]
            )
            assert found == place.audience(role_ids, kind, members)
