"""Test the audience that a token asks for: people by their roles, and a channel by Slack's members of the moment."""

from collections.abc import Callable
from uuid import uuid4

import pytest
from django.db import IntegrityError, transaction

from core.access.token_audiences import CHANNEL_UNKNOWN, SOMEBODY_GONE, find_readers
from core.models import AuthToken, ChannelSetting, Collection, SlackChannel
from core.testing import Cast
from core.types import Audience, Filters
from core.values.token_audience import TokenAudience
from tests.integration.bot.conftest import ALICE, BOB, BOT_USER, CHANNEL, CHARLIE
from tests.integration.bot.slack_server import TEAM, Failure, SlackServer

pytestmark = pytest.mark.django_db

HERE = TokenAudience(team_id=TEAM, channel_id=CHANNEL)


@pytest.fixture(autouse=True)
def _private(workspace: SlackServer) -> None:
    """Let the channel be read by its members alone."""
    workspace.channels[CHANNEL] = {"name": "harbour", "is_private": True}


def test_without_others_the_person_reads_alone(cast: Cast) -> None:
    """As any token did before."""
    readers = find_readers(cast.alice.pk, TokenAudience())
    assert (readers.audience, readers.problem) == (cast.audience(cast.alice), "")


def test_of_people_everyone_must_be_able_to_read(cast: Cast) -> None:
    """The token's person among them: a program is shown nothing that its own person may not read."""
    for person, others in ((cast.alice, [cast.bob]), (cast.bob, [cast.alice]), (cast.alice, [cast.alice, cast.bob])):
        readers = find_readers(person.pk, TokenAudience(people=frozenset(each.pk for each in others)))
        assert readers.audience == cast.audience(cast.alice, cast.bob)
        assert readers.label == "1"
    assert find_readers(cast.alice.pk, TokenAudience(people=frozenset({cast.charlie.pk}))).audience.reads_nothing


def test_somebody_who_left_leaves_nothing_to_be_shown(cast: Cast) -> None:
    """They may be deactivated or deleted: the others do not get more by it."""
    both = TokenAudience(people=frozenset({cast.bob.pk}))
    cast.bob.is_active = False
    cast.bob.save()
    deactivated = find_readers(cast.alice.pk, both)
    cast.bob.delete()
    deleted = find_readers(cast.alice.pk, both)
    for readers in (deactivated, deleted):
        assert readers.audience.reads_nothing
        assert readers.problem == SOMEBODY_GONE


def test_a_channel_is_its_members_and_the_tokens_person(cast: Cast, workspace: SlackServer) -> None:
    """A new member narrows it at once; the asker counts also where they are no member."""
    assert find_readers(cast.alice.pk, HERE).audience == cast.audience(cast.alice, cast.bob)
    workspace.members[CHANNEL] = [ALICE, BOT_USER]
    assert find_readers(cast.alice.pk, HERE).audience == cast.audience(cast.alice)
    assert find_readers(cast.bob.pk, HERE).audience == cast.audience(cast.alice, cast.bob)
    workspace.members[CHANNEL] = [ALICE, BOB, CHARLIE, BOT_USER]
    readers = find_readers(cast.alice.pk, HERE)
    assert readers.audience.reads_nothing
    assert readers.problem == ""


def test_roles_of_a_channel_do_not_widen_what_the_person_may_read(cast: Cast) -> None:
    """An administrator gave the channel a role that the person lacks."""
    setting = ChannelSetting.objects.create(team_id=TEAM, channel_id=CHANNEL, uses_own_roles=True)
    setting.roles.set([cast.owners])
    assert find_readers(cast.alice.pk, HERE).audience == Audience.of([{cast.owners.pk}])
    assert find_readers(cast.bob.pk, HERE).audience == Audience.of([{cast.owners.pk}, {cast.staff.pk}])


def refuse(workspace: SlackServer) -> None:
    """Let Slack refuse to list the channel's members, at each of the two times that it is asked."""
    workspace.fail("conversations.members", *[Failure(error="channel_not_found")] * 2)


def break_down(workspace: SlackServer) -> None:
    """Let Slack be out of reach."""
    workspace.fail("conversations.members", Failure(error="fatal_error", status=500))


def switch_off(workspace: SlackServer) -> None:
    """Let an administrator have switched Footnote off in the channel."""
    ChannelSetting.objects.create(team_id=TEAM, channel_id=CHANNEL, enabled=False)


@pytest.mark.parametrize("spoil", [refuse, break_down, switch_off])
def test_an_unknown_channel_is_read_by_nobody_and_that_is_said(
    cast: Cast, workspace: SlackServer, spoil: Callable[[SlackServer], None]
) -> None:
    """Without a word of Slack's there are no readers."""
    spoil(workspace)
    readers = find_readers(cast.alice.pk, HERE)
    assert readers.audience.reads_nothing
    assert readers.problem == CHANNEL_UNKNOWN


def test_a_channel_of_another_workspace_is_not_taken_for_ours(cast: Cast) -> None:
    """One token answers for every team's name: the channel's id alone does not say which is meant."""
    readers = find_readers(cast.alice.pk, TokenAudience(team_id="T0OTHER", channel_id=CHANNEL))
    assert readers.audience.reads_nothing
    assert readers.problem == CHANNEL_UNKNOWN


def test_a_private_channels_name_is_not_told(cast: Cast) -> None:
    """The person behind a token need not be in it."""
    row = SlackChannel.objects.create(team_id=TEAM, channel_id=CHANNEL, name="harbour", is_private=True)
    assert find_readers(cast.alice.pk, HERE).label == CHANNEL
    row.is_private = False
    row.save()
    assert find_readers(cast.alice.pk, HERE).label == "#harbour"


def test_a_channels_collections_narrow_what_is_searched(cast: Cast) -> None:
    """As they do in Slack."""
    setting = ChannelSetting.objects.create(team_id=TEAM, channel_id=CHANNEL)
    setting.collections.add(Collection.objects.create(name="Rules"))
    narrowed = find_readers(cast.alice.pk, HERE).narrow(Filters(source="x"))
    assert narrowed == Filters(source="x", collections=("Rules",))


@pytest.mark.parametrize(
    "wrong",
    [
        {"for_team": TEAM},
        {"for_channel": CHANNEL},
        {"for_people": [uuid4()], "for_team": TEAM, "for_channel": CHANNEL},
        {"for_people": [uuid4()], "scopes": ["ask", "reports"]},
        {"for_team": TEAM, "for_channel": CHANNEL, "scopes": ["ingest"]},
    ],
)
def test_the_database_takes_no_token_for_others_that_may_do_more(cast: Cast, wrong: dict[str, object]) -> None:
    """Nor one for half a channel, or for a channel and people."""
    with pytest.raises(IntegrityError), transaction.atomic():
        AuthToken.objects.create(cast.alice, **wrong)
