"""Messages keep Slack's pace in a channel: nothing is hammered, nothing given up, nothing said twice."""

import uuid

import pytest
from django.db import connection
from procrastinate.contrib.django.models import ProcrastinateJob

from bot.delivery import rate_limiting
from bot.delivery.rate_limiting import Pace
from bot.identity import membership
from bot.models import Reply, SlackEvent
from bot.slack.errors import SlackUnavailableError
from bot.slack.workspace import find_client
from bot.tasks import MAX_ATTEMPTS, MAX_WAITS, is_last
from core.testing import Cast, make_document
from tests.integration.bot.conftest import ALICE, BOB, CHANNEL, DIRECT, direct, mention
from tests.integration.bot.sentences import ASK_CANTEEN, CANTEEN
from tests.integration.bot.slack_server import BOT_USER, TEAM, Failure, SlackServer
from tests.integration.bot.test_kills import ask
from tests.integration.bot.worker import run_worker

GENERAL, RANDOM = "C1", "C2"


class Clock:
    """A clock that is set by hand."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """Beside it, an interval of a second, and no message more at once."""
    monkeypatch.setattr(rate_limiting, "INTERVAL_S", 1.0)
    monkeypatch.setattr(rate_limiting, "BURST", 1)
    return Clock()


def test_turns_of_a_channel_are_a_second_apart(clock: Clock) -> None:
    """Those of another channel are not kept waiting; asked again, a turn is the same."""
    pace, replies = Pace(clock), [uuid.uuid4() for _ in range(3)]
    assert [pace.reserve(GENERAL, reply) for reply in replies] == [0.0, 1.0, 2.0]
    assert pace.reserve(RANDOM, uuid.uuid4()) == 0.0
    clock.now += 0.5
    assert [pace.reserve(GENERAL, reply) for reply in replies[1:]] == [0.5, 1.5]
    assert pace.reserve(GENERAL, uuid.uuid4()) == 2.5


def test_a_few_need_not_wait(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first of a burst come at once, the others a second apart; after a pause there is room for another."""
    monkeypatch.setattr(rate_limiting, "BURST", 3)
    pace = Pace(clock)
    assert [pace.reserve(GENERAL, uuid.uuid4()) for _ in range(5)] == [0.0, 0.0, 0.0, 1.0, 2.0]
    clock.now += 10.0
    assert [pace.reserve(GENERAL, uuid.uuid4()) for _ in range(4)] == [0.0, 0.0, 0.0, 1.0]
    pace.hold(GENERAL, 30.0)
    assert [pace.reserve(GENERAL, uuid.uuid4()) for _ in range(2)] == [30.0, 31.0]


def test_who_comes_too_late_gets_another_turn(clock: Clock) -> None:
    """Else two messages would come at once."""
    pace, late, other = Pace(clock), uuid.uuid4(), uuid.uuid4()
    pace.reserve(GENERAL, late)
    clock.now += 10.0
    assert pace.reserve(GENERAL, other) == 0.0
    assert pace.reserve(GENERAL, late) == 1.0


def test_slacks_word_holds_everybody(clock: Clock) -> None:
    """After Retry-After nobody's turn in the channel comes before it is over; a shorter one shortens nothing."""
    pace = Pace(clock)
    pace.hold(GENERAL, 30.0)
    pace.hold(GENERAL, 5.0)
    assert pace.reserve(GENERAL, uuid.uuid4()) == 30.0
    assert pace.reserve(RANDOM, uuid.uuid4()) == 0.0


def test_to_be_put_off_is_not_to_fail() -> None:
    """A rate-limited attempt may be repeated more often than a failed one."""
    put_off, failed = SlackUnavailableError("ratelimited", retry_after_s=1), SlackUnavailableError("timeout")
    assert [is_last(failed, attempts) for attempts in (MAX_ATTEMPTS - 2, MAX_ATTEMPTS - 1)] == [False, True]
    assert [is_last(put_off, attempts) for attempts in (MAX_WAITS - 2, MAX_WAITS - 1)] == [False, True]


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("fast")
class TestReplies:
    """Questions in a channel that is short of turns."""

    @pytest.fixture(autouse=True)
    def _library(self, transactional_db: None, cast: Cast, fast: None) -> None:
        make_document("Canteen rules", CANTEEN, roles=[cast.staff])

    def test_a_reply_with_long_to_wait_gives_way(self, workspace: SlackServer, clock: Clock) -> None:
        """Its job is put off to its turn, Slack is not called, and no attempt is counted; others are answered."""
        with pytest.MonkeyPatch.context() as patch:
            pace = Pace(clock)
            patch.setattr(rate_limiting, "_pace", pace)
            pace.hold(CHANNEL, 30.0)
            later = ask(mention(ASK_CANTEEN), SlackEvent.Kind.MENTION)
            now = ask(direct(ASK_CANTEEN), SlackEvent.Kind.DIRECT)
            run_worker()
        assert workspace.messages.keys() == {DIRECT}
        assert Reply.objects.get(event=now).state == Reply.State.POSTED
        waiting = Reply.objects.get(event=later)
        assert (waiting.state, waiting.attempts, waiting.ts) == (Reply.State.PENDING, 0, "")
        job = ProcrastinateJob.objects.get(args__event=str(later.pk))
        assert (job.status, job.scheduled_at is not None) == ("todo", True)

    def test_a_refused_message_is_posted_later_and_once(self, workspace: SlackServer) -> None:
        """429 with Retry-After holds the channel, and the same job posts when it is over."""
        workspace.fail("chat.postMessage", Failure(error="ratelimited", status=429, headers={"Retry-After": "0.2"}))
        event = ask(mention(ASK_CANTEEN), SlackEvent.Kind.MENTION)
        run_worker()
        assert workspace.messages[CHANNEL] == []
        with connection.cursor() as cursor:
            cursor.execute("UPDATE procrastinate_jobs SET scheduled_at = NULL")  # the time has come
        run_worker()
        (message,) = workspace.messages[CHANNEL]
        assert "soup" in str(message["blocks"])
        assert Reply.objects.get(event=event).state == Reply.State.POSTED

    def test_members_are_asked_for_before_each_answer_is_shown(self, workspace: SlackServer) -> None:
        """Two answers within seconds: the first asks twice, the second once, and that once counts."""
        ask(mention(ASK_CANTEEN), SlackEvent.Kind.MENTION)
        run_worker()
        asked = len(workspace.called("conversations.members"))
        workspace.members[CHANNEL] = [ALICE, BOT_USER, BOB, "U0CHARLIE"]  # may read nothing
        ask(mention(ASK_CANTEEN), SlackEvent.Kind.MENTION)
        run_worker()
        assert "soup" in str(workspace.messages[CHANNEL][0]["blocks"])
        assert "soup" not in str(workspace.messages[CHANNEL][1]["blocks"])
        pages = 2  # of the members
        assert asked == 2 * pages


@pytest.mark.django_db
def test_unknown_members_are_not_remembered(workspace: SlackServer) -> None:
    """That Slack would not say is asked again, and what it said longer ago than LIFE_S too."""
    nobody: set[str] = set()
    client, answers = find_client(TEAM), iter([nobody, {ALICE}, {BOB}])
    with membership.accept_recent():
        assert membership.find_members(client, CHANNEL, lambda: next(answers)) == set()
        assert membership.find_members(client, CHANNEL, lambda: next(answers)) == {ALICE}
        assert membership.find_members(client, CHANNEL, lambda: next(answers)) == {ALICE}
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(membership, "LIFE_S", 0.0)
            assert membership.find_members(client, CHANNEL, lambda: next(answers)) == {BOB}
    answers = iter([{ALICE}])
    assert membership.find_members(client, CHANNEL, lambda: next(answers)) == {ALICE}
