"""Test the copy of Slack's channels and usergroups for administrators to choose from."""

import logging

import pytest
from procrastinate.contrib.django.models import ProcrastinateJob

from bot.identity import directory, own_account
from bot.slack.errors import SlackUnavailableError
from bot.tasks import note_readers, take_all_stock, take_stock
from core.infrastructure.queue import TAKE_STOCK
from core.models import SlackChannel, SlackUsergroup
from core.testing import Cast
from tests.integration.bot.conftest import ALICE, BOB, CHARLIE
from tests.integration.bot.slack_server import TEAM, Failure, SlackServer
from tests.integration.bot.worker import run_worker

pytestmark = pytest.mark.django_db


def known() -> set[tuple[str, str]]:
    """The channels that are written down."""
    return set(SlackChannel.objects.filter(team_id=TEAM).values_list("channel_id", "name"))


def test_what_there_is_is_written_down_and_what_is_gone_goes(workspace: SlackServer) -> None:
    """Renamed channels keep their row, with who read them."""
    workspace.members = {"C1": [ALICE], "C2": [BOB]}
    workspace.channels["C1"] = {"name": "harbour", "is_private": True}
    workspace.add_usergroup("S1", "lab", BOB)
    take_stock(team=TEAM)
    assert known() == {("C1", "harbour"), ("C2", "c2")}
    first = SlackChannel.objects.get(channel_id="C1")
    assert first.is_private
    assert str(SlackUsergroup.objects.get()).startswith("@lab")
    SlackChannel.objects.filter(pk=first.pk).update(role_sets=[["a"]])
    workspace.members = {"C1": [ALICE]}
    workspace.channels["C1"] = {"name": "quay"}
    workspace.usergroups.clear()
    take_stock(team=TEAM)
    assert known() == {("C1", "quay")}
    assert SlackChannel.objects.get().role_sets == [["a"]]
    assert not SlackUsergroup.objects.exists()


def test_many_channels_come_page_by_page(workspace: SlackServer) -> None:
    """More than a page of Slack's."""
    workspace.members = {f"C{number:03}": [ALICE] for number in range(450)}
    take_stock(team=TEAM)
    assert len(known()) == 450


def test_what_slack_refuses_to_tell_stays_and_a_fault_is_tried_again(workspace: SlackServer) -> None:
    """A missing scope for one of the two does not keep the other from being written down."""
    workspace.members = {"C1": [ALICE]}
    take_stock(team=TEAM)
    workspace.members = {"C2": [ALICE]}
    workspace.add_usergroup("S1", "lab", BOB)
    workspace.fail("users.conversations", Failure(error="missing_scope"))
    take_stock(team=TEAM)
    assert known() == {("C1", "c1")}
    assert SlackUsergroup.objects.exists()
    workspace.fail("users.conversations", Failure(error="fatal_error", status=500))
    with pytest.raises(SlackUnavailableError):
        take_stock(team=TEAM)


@pytest.mark.django_db(transaction=True)
def test_slack_that_does_not_answer_yet_is_asked_again_quietly(
    workspace: SlackServer, caplog: pytest.LogCaptureFixture
) -> None:
    """As in the first moments of a start: the job waits for its next attempt, and no error is logged."""
    own_account._ask_own_account.cache_clear()
    workspace.fail("auth.test", Failure(error="fatal_error", status=500))
    take_all_stock.defer(timestamp=0)
    run_worker()
    job = ProcrastinateJob.objects.get(task_name="bot.take_all_stock")
    assert (job.status, job.attempts) == ("todo", 1)
    assert [record for record in caplog.records if record.levelno >= logging.WARNING] == []


def test_every_team_is_asked(workspace: SlackServer) -> None:
    """One job for each."""
    take_stock(team="")
    assert ProcrastinateJob.objects.get(task_name=TAKE_STOCK).args == {"team": TEAM}


def test_the_readers_of_a_channel_are_written_down_by_their_roles(workspace: SlackServer, cast: Cast) -> None:
    """As an answer there would find them: the least of them all; a reader without a role reads nothing."""
    workspace.members = {"C1": [ALICE, BOB], "C2": [ALICE, CHARLIE]}
    take_stock(team=TEAM)
    for channel, audience in (("C1", cast.audience(cast.alice, cast.bob)), ("C2", cast.audience(cast.charlie))):
        note_readers(team=TEAM, channel=channel)
        row = SlackChannel.objects.get(channel_id=channel)
        assert row.readers_at is not None
        assert row.audience == audience
    assert SlackChannel.objects.get(channel_id="C2").audience.reads_nothing


def test_a_team_that_is_not_connected_has_nothing_to_choose(workspace: SlackServer) -> None:
    """Whatever was written down before."""
    SlackChannel.objects.create(team_id="TLOCAL", channel_id="C1", name="local")
    directory.take_stock("TLOCAL")
    assert not SlackChannel.objects.exists()
