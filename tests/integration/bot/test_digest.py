"""The weekly digest: figures of the last week, once in each channel that wants them, and no word of a question."""

import datetime as dt
import json
from typing import Any

import pytest
from django.utils import timezone
from procrastinate.contrib.django.models import ProcrastinateJob

from bot import digests
from bot.models import Digest
from bot.slack.errors import SlackRefusedError, SlackUnavailableError
from bot.tasks import post_digest, queue_digests
from core.models import Answer, ChannelSetting, ContentGap, Feedback
from core.testing import Cast
from slack_emulator.webapi.blocks import check_blocks
from tests.integration.asked import MONDAY, make_question
from tests.integration.bot.conftest import CHANNEL
from tests.integration.bot.slack_server import TEAM, Failure, SlackServer

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("workspace")]

NEXT_MONDAY = MONDAY + dt.timedelta(weeks=1)
OTHER = "C0OTHER"


@pytest.fixture(autouse=True)
def wanted(cast: Cast) -> ChannelSetting:
    """#general wants digests, another channel does not; somebody asked in the week, and in the one before."""
    ChannelSetting.objects.create(team_id=TEAM, channel_id=OTHER, name="other")
    first = make_question(cast.alice, took_ms=1000)
    Feedback.objects.create(answer=first.answer, user=cast.alice, verdict="up")
    make_question(cast.bob, took_ms=3000, refused="nothing_found", day=MONDAY + dt.timedelta(days=6))
    make_question(cast.bob, day=MONDAY - dt.timedelta(days=1))
    seen = timezone.make_aware(dt.datetime.combine(MONDAY, dt.time(12)))
    ContentGap.objects.create(label_query=first, asked=2, people=1, first_seen=seen, last_seen=seen)
    ContentGap.objects.create(first_seen=seen - dt.timedelta(days=9), last_seen=seen)
    return ChannelSetting.objects.create(team_id=TEAM, channel_id=CHANNEL, name="general", weekly_digest=True)


def at(day: dt.date, hour: int) -> dt.datetime:
    """A moment."""
    return timezone.make_aware(dt.datetime.combine(day, dt.time(hour)))


def queued() -> Digest:
    """The one digest that waits."""
    assert digests.queue_due(at(NEXT_MONDAY, 9)) == 1
    return Digest.objects.get()


def said(slack: SlackServer) -> list[dict[str, Any]]:
    """Return the posted messages."""
    return slack.called("chat.postMessage")


def test_it_says_the_weeks_figures_and_nobodys_words(slack: SlackServer) -> None:
    """In the channel that wants it, with the week before; what Slack refuses in blocks is not in them."""
    digests.post(queued().pk)
    (posted,) = said(slack)
    blocks = json.loads(posted["blocks"]) if isinstance(posted["blocks"], str) else posted["blocks"]
    assert (posted["channel"], posted.get("thread_ts")) == (CHANNEL, None)
    assert blocks[0]["text"]["text"].splitlines() == [
        "*Footnote from 2 March 2026 to 8 March 2026*",
        "Questions: 2, the week before: 1",
        "Answered: 1, only something close found: 0, no answer: 1",
        "Votes: 1 helpful, 0 not helpful",
        "Waiting: half of the answers within 2 s, nearly all within 3 s",
        "Questions that the documents leave open: 1 new, 2 in all",
    ]
    check_blocks(blocks, surface="message")
    assert [text for text in ("basilisk", "cockatrice", "Alice", "Bob") if text in str(posted)] == []
    row = Digest.objects.get()
    assert (row.state, bool(row.ts), row.posted_at is not None) == ("posted", True, True)


def test_the_cost_of_a_model_is_told_where_there_is_one(slack: SlackServer) -> None:
    """In dollars and cents."""
    Answer.objects.update(cost_usd="1.25")
    digests.post(queued().pk)
    assert "Cost of language models: US$ 2.50" in str(said(slack)[0]["blocks"])


def test_each_channel_speaks_its_language(slack: SlackServer, wanted: ChannelSetting) -> None:
    """In words and in the form of numbers and days."""
    ChannelSetting.objects.filter(pk=wanted.pk).update(language="de")
    digests.post(queued().pk)
    assert "Fragen: 2, in der Woche davor: 1" in str(said(slack)[0]["blocks"])
    assert "Footnote vom 2. März 2026 bis 8. März 2026" in said(slack)[0]["text"]


def test_a_week_is_told_of_once(slack: SlackServer) -> None:
    """Not before Monday at eight; then once, however often the hour strikes, and a missed hour is made up for."""
    assert digests.queue_due(at(NEXT_MONDAY, 7)) == 0
    digest = queued()
    assert digests.queue_due(at(NEXT_MONDAY, 10)) == 0
    assert digests.queue_due(at(NEXT_MONDAY + dt.timedelta(days=6), 23)) == 0
    assert [job.args for job in ProcrastinateJob.objects.filter(task_name="bot.digest")] == [{"digest": str(digest.pk)}]
    assert digests.queue_due(at(NEXT_MONDAY + dt.timedelta(days=9), 3)) == 1
    assert {row.week for row in Digest.objects.all()} == {MONDAY, NEXT_MONDAY}
    for _ in range(2):
        digests.post(digest.pk)
    assert len(said(slack)) == 1
    queue_digests(timestamp=0)
    assert set(Digest.objects.values_list("channel_id", flat=True)) == {CHANNEL}


def test_an_attempt_that_broke_off_posts_no_second_one(slack: SlackServer) -> None:
    """The message was posted, and nobody heard of it: the next attempt finds it by its marker."""
    digest = queued()
    slack.fail("chat.postMessage", Failure(error="fatal_error", status=500, done=True))
    with pytest.raises(SlackUnavailableError):
        digests.post(digest.pk)
    digests.post(digest.pk)
    assert len(slack.messages[CHANNEL]) == 1
    digest.refresh_from_db()
    assert (digest.state, digest.attempts) == ("posted", 2)


def test_what_slack_refuses_is_given_up_and_shown(slack: SlackServer) -> None:
    """The bot is not in the channel any more."""
    digest = queued()
    slack.fail("chat.postMessage", Failure(error="not_in_channel"))
    with pytest.raises(SlackRefusedError):
        digests.post(digest.pk)
    digests.fail(digest.pk, code="not_in_channel")
    digest.refresh_from_db()
    assert (digest.state, digest.error_code) == ("failed", "not_in_channel")
    digests.post(digest.pk)
    assert len(said(slack)) == 1


def test_a_channel_that_wants_none_any_more_gets_none(slack: SlackServer, wanted: ChannelSetting) -> None:
    """Though one was queued."""
    digest = queued()
    ChannelSetting.objects.filter(pk=wanted.pk).update(weekly_digest=False)
    digests.post(digest.pk)
    assert said(slack) == []
    assert Digest.objects.get().error_code == "turned_off"
    assert post_digest.name == "bot.digest"
