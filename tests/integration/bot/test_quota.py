"""Nobody, and no channel, can keep the worker to themselves."""

import datetime as dt

import pytest
from django.utils import timezone
from pytest_django.fixtures import Settings

from bot.delivery import quota
from bot.delivery.engine import deliver
from bot.intake import Incoming, receive
from bot.models import Reply, SlackEvent
from core.models import Query
from tests.integration.bot.conftest import ALICE, BOB, CHANNEL
from tests.integration.bot.slack_server import TEAM, SlackServer

pytestmark = pytest.mark.usefixtures("fast", "workspace")

Kind = SlackEvent.Kind


def ask(number: int, *, user: str = ALICE, kind: SlackEvent.Kind = Kind.MENTION, channel: str = CHANNEL) -> SlackEvent:
    """A question that was stored a moment ago."""
    ts = f"1700000000.{number:06d}"
    receive(
        Incoming(
            event_id=f"Ev{number}",
            team_id=TEAM,
            channel_id=channel,
            user_id=user,
            kind=kind,
            ts=ts,
            thread_ts=ts,
            text="What is there?",
        )
    )
    return SlackEvent.objects.get(event_id=f"Ev{number}")


def test_a_person_has_a_quota(settings: Settings) -> None:
    """Over all places; the question after it is one too many, and another person's is not."""
    settings.SLACK_PERSON_QUOTA = "2/hour"
    ask(1)
    ask(2, kind=Kind.DIRECT, channel="D1")
    third, other = ask(3, kind=Kind.DIRECT, channel="D1"), ask(4, user=BOB)
    assert quota.check_quota(third).startswith(
        "You have asked a lot in the last hour. I answer at most 2 questions an hour"
    )
    assert quota.check_quota(other) == ""


def test_a_channel_has_a_quota(settings: Settings) -> None:
    """For what everyone reads there; what one person asks for themselves counts for them."""
    settings.SLACK_CHANNEL_QUOTA = "2/minute"
    ask(1)
    ask(2, user=BOB)
    assert "This channel" in quota.check_quota(ask(3))
    assert "in a minute" in quota.check_quota(ask(4))
    assert quota.check_quota(ask(5, kind=Kind.COMMAND)) == ""
    assert quota.check_quota(ask(6, channel="C0OTHER")) == ""


def test_time_passes(settings: Settings) -> None:
    """Questions from before the period are forgotten."""
    settings.SLACK_PERSON_QUOTA = "1/hour"
    ask(1)
    SlackEvent.objects.update(received_at=timezone.now() - dt.timedelta(minutes=61))
    assert quota.check_quota(ask(2)) == ""


def test_without_a_quota_there_is_none(settings: Settings) -> None:
    """An empty setting."""
    settings.SLACK_PERSON_QUOTA = settings.SLACK_CHANNEL_QUOTA = ""
    for number in range(5):
        assert quota.check_quota(ask(number)) == ""


def test_one_too_many_is_told_and_costs_nothing(settings: Settings, workspace: SlackServer) -> None:
    """A polite sentence in the thread, no question asked of core, and the same end however often it is tried."""
    settings.SLACK_PERSON_QUOTA = "1/day"
    ask(1)
    event = ask(2)
    deliver(event.pk)
    (message,) = workspace.messages[CHANNEL]
    assert "Please ask again tomorrow." in message["text"]
    assert not Query.objects.exists()
    assert Reply.objects.get(event=event).error_code == "over_quota"


@pytest.mark.parametrize("written", ["60", "60/week", "many/hour", "/hour"])
def test_what_is_no_quota(written: str) -> None:
    """It says how one is written."""
    with pytest.raises(ValueError, match="60/hour"):
        quota.parse(written)
