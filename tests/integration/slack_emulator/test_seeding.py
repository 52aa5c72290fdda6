"""Furnishing the workspace."""

import pytest

from core.errors import NotFoundError
from core.testing import Cast
from slack_emulator.accounts import find_person, find_slack_id, open_direct_channel
from slack_emulator.models import LocalChannel
from slack_emulator.seeding import SeedChannel, seed_workspace
from tests.integration.slack_emulator.conftest import GENERAL, STAFF, channel, say


def _members(channel_id: str) -> set[str]:
    return {user.display_name for user in channel(channel_id).members.all()}


def test_seeding_again_changes_what_changed_and_keeps_the_rest(workspace: Cast) -> None:
    """Members become exactly those given; messages, other channels and direct messages stay."""
    message = say(workspace.alice, "hello", STAFF)
    before = {c.channel_id: c.pk for c in LocalChannel.objects.all()}
    seed_workspace([SeedChannel(name="staff", members=["BOB@example.com", "charlie@example.com"], topic="New")])
    assert {c.channel_id: c.pk for c in LocalChannel.objects.all()} == before
    assert _members(STAFF) == {"Bob", "Charlie"}
    assert _members(GENERAL) == {"Alice", "Bob", "Charlie"}
    assert channel(STAFF).topic == "New"
    assert list(channel(STAFF).messages.all()) == [message]


def test_an_unknown_person_stops_the_seeding_whole(workspace: Cast) -> None:
    """The message names the address, and no channel is half made."""
    with pytest.raises(NotFoundError, match=r"nobody@example\.com"):
        seed_workspace(
            [
                SeedChannel(name="new", members=["alice@example.com"]),
                SeedChannel(name="newer", members=["nobody@example.com"]),
            ]
        )
    assert not LocalChannel.objects.filter(name__in=["new", "newer"]).exists()


def test_suggestions_reach_their_channel_and_person_only(workspace: Cast) -> None:
    """Suggestions in Bob's direct messages are not shown in Alice's."""
    assert open_direct_channel(workspace.bob).suggestions == ["What may I read?"]
    assert open_direct_channel(workspace.alice).suggestions == []
    assert channel(GENERAL).suggestions == ["How warm is the boiler?"]
    assert channel(STAFF).suggestions == []


def test_an_account_id_leads_back_to_its_person(workspace: Cast) -> None:
    """Ids are distinct, in Slack's alphabet, and only of active people."""
    ids = {find_slack_id(person): person for person in (workspace.alice, workspace.bob, workspace.charlie)}
    assert {found: find_person(found) for found in ids} == ids
    assert all(found.isalnum() and found.isupper() and len(found) <= 32 for found in ids)
    workspace.bob.is_active = False
    workspace.bob.save()
    assert find_person(find_slack_id(workspace.bob)) is None


@pytest.mark.parametrize("wrong", ["", "U", "UFOOTNOTE", "U-1", "D123", "U" + "Z" * 40, "Uä"])
def test_what_is_no_account_id_finds_nobody(wrong: str, workspace: Cast) -> None:
    """Unknown means nobody."""
    assert find_person(wrong) is None
