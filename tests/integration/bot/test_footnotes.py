"""Test the notice in an asker's thread when an answer's source changes or goes: once, without words of others."""

from collections.abc import Callable
from typing import Any

import pytest
from django.utils import timezone
from procrastinate.contrib.django.models import ProcrastinateJob
from pytest_django.fixtures import Settings
from slack_bolt import BoltResponse

from bot import footnotes
from bot.intake import Incoming, receive
from bot.models import FootnoteNotice, SlackEvent
from bot.slack.idempotent import IdempotentMessage
from core.access.grants import grant, revoke
from core.api import erase_texts
from core.infrastructure import queue
from core.models import ChannelSetting, Document, FootnoteChange, Query, SourceChange
from core.testing import Cast
from slack_emulator.webapi.blocks import check_blocks
from tests.integration.bot.conftest import ALICE, BOB, CHANNEL, CHARLIE, DIRECT, direct, mention
from tests.integration.bot.editions import check_footnotes, pass_minute, put
from tests.integration.bot.killed import Killer, after, before, mostly_slow
from tests.integration.bot.sentences import ASK_CANTEEN, CANTEEN
from tests.integration.bot.slack_server import TEAM, Failure, SlackServer
from tests.integration.bot.test_kills import hand_on
from tests.integration.bot.worker import run_worker

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("fast", "workspace")]

TITLE = "Canteen rules"
STEW = "The canteen in the harbour office serves stew at noon."
REWORDED = "From May on: The canteen in the harbour office serves soup at noon. Bring your own cup."
MOVED = "At noon the canteen in the harbour office serves soup."
OTHER = "The lighthouse is painted white every spring."

Send = Callable[..., BoltResponse]


@pytest.fixture(autouse=True)
def canteen(transactional_db: None, cast: Cast, fast: None, settings: Settings) -> Document:
    """Create a document about the canteen for Alice and Bob. No answer is scored."""
    settings.EVALUATION_ENABLED = False
    return put(TITLE, CANTEEN, roles=[cast.staff])


@pytest.fixture
def asked(send: Send) -> str:
    """The thread in which Alice asked in the channel and was answered."""
    body = mention(ASK_CANTEEN)
    send(body)
    run_worker()
    return str(body["event"]["ts"])


def notices(slack: SlackServer, channel: str = CHANNEL) -> list[dict[str, Any]]:
    """Return the notices about changed sources."""
    return [m for m in slack.messages[channel] if str(m["blocks"][0].get("block_id", "")).startswith("footnote-")]


def outcome() -> list[tuple[str, str, str]]:
    """Return the outcome of each change."""
    return sorted(FootnoteChange.objects.values_list("state", "verdict", "silence"))


def test_the_asker_is_told_what_the_source_says_now(workspace: SlackServer, asked: str, cast: Cast) -> None:
    """In the thread, with what was said; everyone in the channel may read it. A second check adds nothing."""
    put(TITLE, STEW)
    check_footnotes()
    (notice,) = notices(workspace)
    shown = str(notice["blocks"])
    assert (notice["channel"], notice["thread_ts"]) == (CHANNEL, asked)
    assert f"<@{ALICE}>" in shown
    assert "https://library.example/canteen-rules|Canteen rules" in shown
    assert shown.index("serves soup at noon") < shown.index("The source now says:") < shown.index("serves stew at noon")
    check_blocks(notice["blocks"], surface="message")
    assert outcome() == [("told", "says_otherwise", "")]
    document = Document.objects.get()
    queue.check_footnotes(document.pk)
    check_footnotes()
    assert len(notices(workspace)) == 1


def test_the_changed_source_is_quoted_before_others(workspace: SlackServer, asked: str, cast: Cast) -> None:
    """Another document says much the same, and did not change."""
    menu = "What the canteen in the harbour office serves at noon"
    put(menu, "At noon the canteen in the harbour office serves bread.", roles=[cast.staff])
    put(TITLE, STEW)
    check_footnotes()
    (notice,) = notices(workspace)
    shown = str(notice["blocks"])
    assert shown.index("The source now says:") < shown.index("serves stew at noon") < shown.index("serves bread")


def test_an_answer_that_still_holds_is_said_to_hold(workspace: SlackServer, asked: str) -> None:
    """The words are in another order now."""
    put(TITLE, MOVED)
    check_footnotes()
    (notice,) = notices(workspace)
    assert "The answer still holds. It is now quoted from:" in str(notice["blocks"])
    assert MOVED in str(notice["blocks"])
    assert outcome() == [("told", "holds", "")]


def test_what_is_found_nowhere_any_more_is_said_to_be_gone(workspace: SlackServer, asked: str) -> None:
    """Without a guess at what would be so now."""
    put(TITLE, OTHER)
    check_footnotes()
    (notice,) = notices(workspace)
    assert "I can no longer find this in the documents that everyone here may read." in str(notice["blocks"])
    assert "lighthouse" not in str(notice["blocks"])
    assert outcome() == [("told", "not_found", "")]


def test_words_that_still_stand_are_no_news(workspace: SlackServer, asked: str) -> None:
    """Though the document has a new edition around them."""
    put(TITLE, OTHER, REWORDED)
    check_footnotes()
    assert notices(workspace) == []
    assert outcome() == []
    assert SourceChange.objects.get().answers == 1


def test_the_next_edition_is_told_when_what_was_told_has_changed_too(workspace: SlackServer, asked: str) -> None:
    """And no other one: an unchanged text since the last notice is no news, whatever the answer of then was."""
    put(TITLE, STEW)
    check_footnotes()
    put(TITLE, STEW, OTHER)
    check_footnotes()
    assert len(notices(workspace)) == 1
    put(TITLE, "The canteen in the harbour office serves salad at noon.")
    check_footnotes()
    assert ["salad" in str(notice) for notice in notices(workspace)] == [False, True]


def test_in_direct_messages_the_asker_is_told_below_the_answer(workspace: SlackServer, send: Send) -> None:
    """By what they alone may read."""
    body = direct(ASK_CANTEEN)
    send(body)
    run_worker()
    put(TITLE, OTHER)
    check_footnotes()
    (notice,) = notices(workspace, DIRECT)
    assert "I can no longer find this in the documents that you may read." in str(notice["blocks"])
    assert notice["thread_ts"] == body["event"]["ts"]
    assert "<@" not in str(notice["blocks"])


def test_what_only_the_asker_saw_is_told_in_direct_messages_with_its_question(workspace: SlackServer) -> None:
    """Nobody else reads of an answer to a pressed button."""
    incoming = Incoming(
        event_id="p-1",
        team_id=TEAM,
        channel_id=CHANNEL,
        user_id=ALICE,
        kind=SlackEvent.Kind.PRIVATE,
        text=ASK_CANTEEN,
        response_url=workspace.response_url,
    )
    receive(incoming)
    run_worker()
    put(TITLE, STEW)
    check_footnotes()
    assert notices(workspace) == []
    (notice,) = workspace.messages["D" + ALICE[1:]]
    assert f"You asked: {ASK_CANTEEN}" in str(notice["blocks"])
    assert "stew" in str(notice["blocks"])


def test_of_a_deleted_source_only_that_is_told(workspace: SlackServer, asked: str, canteen: Document) -> None:
    """Without a word of it."""
    canteen.delete()
    check_footnotes()
    (notice,) = notices(workspace)
    assert "The source of this answer has been deleted." in str(notice["blocks"])
    assert [word for word in ("soup", "Canteen", "library.example") if word in str(notice["blocks"])] == []
    assert outcome() == [("told", "not_found", "")]
    assert not Query.objects.filter(conversation__origin="recheck").exists()


def test_a_source_that_is_taken_from_all_is_told_to_those_who_could_read_it(
    workspace: SlackServer, asked: str, canteen: Document, cast: Cast
) -> None:
    """With what other documents say."""
    put("Kitchen book", MOVED, roles=[cast.staff])
    revoke(cast.staff, [canteen], by=None)
    queue.check_footnotes(canteen.pk, last_readers=[cast.staff.pk])
    check_footnotes()
    (notice,) = notices(workspace)
    assert "The source of this answer has been withdrawn." in str(notice["blocks"])
    assert "Kitchen book" in str(notice["blocks"])
    assert "Canteen rules" not in str(notice["blocks"])


def test_each_channel_speaks_its_language(workspace: SlackServer, asked: str) -> None:
    """Around the words of the documents."""
    ChannelSetting.objects.create(team_id=TEAM, channel_id=CHANNEL, language="de")
    put(TITLE, STEW)
    check_footnotes()
    assert "Die Quelle sagt jetzt:" in str(notices(workspace)[0]["blocks"])


class TestWhoIsNotTold:
    """Nobody learns of a text that somebody there may not read."""

    def silent(self, workspace: SlackServer) -> str:
        """Nothing was said of a change; returns why."""
        check_footnotes()
        assert not [one for channel in workspace.messages for one in notices(workspace, channel)]
        assert "stew" not in str(workspace.calls)
        change = FootnoteChange.objects.get()
        assert (change.state, change.asked_again) == ("silent", None)
        return change.silence

    def test_a_channel_with_somebody_new_who_may_not_read_it(self, workspace: SlackServer, asked: str) -> None:
        """Charlie joined since; the channel is silent."""
        put(TITLE, STEW)
        workspace.members[CHANNEL].append(CHARLIE)
        assert self.silent(workspace) == "not_readable"

    def test_somebody_who_lost_access(self, workspace: SlackServer, send: Send, cast: Cast, canteen: Document) -> None:
        """Alice may not read it any more; that it has changed is nothing for her."""
        send(direct(ASK_CANTEEN))
        run_worker()
        revoke(cast.staff, [canteen], by=None)
        grant(cast.owners, [canteen], by=None)
        cast.alice.user_roles.filter(role=cast.owners).delete()
        put(TITLE, STEW)
        assert self.silent(workspace) == "not_readable"

    def test_a_new_edition_for_fewer_readers(
        self, workspace: SlackServer, asked: str, cast: Cast, canteen: Document
    ) -> None:
        """Bob reads along in the channel."""
        put(TITLE, STEW)
        revoke(cast.staff, [canteen], by=None)
        grant(cast.owners, [canteen], by=None)
        assert self.silent(workspace) == "not_readable"

    def test_a_deletion_is_nothing_for_who_could_not_read(
        self, workspace: SlackServer, asked: str, canteen: Document
    ) -> None:
        """Charlie never could."""
        workspace.members[CHANNEL].append(CHARLIE)
        canteen.delete()
        assert self.silent(workspace) == "not_readable"

    def test_readers_who_change_while_it_is_asked_again(self, workspace: SlackServer, asked: str) -> None:
        """Charlie comes in between the question and its answer."""
        put(TITLE, STEW)
        pass_minute()
        original = footnotes.ask_again

        def ask_and_join(*args: Any, **kwargs: Any) -> Any:
            told = original(*args, **kwargs)
            workspace.members[CHANNEL].append(CHARLIE)
            return told

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(footnotes, "ask_again", ask_and_join)
            run_worker()
        assert notices(workspace) == []
        assert outcome() == [("silent", "says_otherwise", "not_readable")]

    @pytest.mark.parametrize("setting", [{"tells_of_changes": False}, {"enabled": False}])
    def test_a_channel_in_which_it_is_turned_off(
        self, workspace: SlackServer, asked: str, setting: dict[str, bool]
    ) -> None:
        """The report counts it."""
        ChannelSetting.objects.create(team_id=TEAM, channel_id=CHANNEL, **setting)
        put(TITLE, STEW)
        assert self.silent(workspace) == "turned_off"

    def test_a_channel_that_turned_it_off_while_it_waited(self, workspace: SlackServer, asked: str) -> None:
        """The setting counts at the moment of the notice."""
        put(TITLE, STEW)
        pass_minute()
        call_before = before_telling(
            lambda: ChannelSetting.objects.create(team_id=TEAM, channel_id=CHANNEL, tells_of_changes=False)
        )
        with call_before:
            assert self.silent(workspace) == "turned_off"

    def test_an_erased_question(self, workspace: SlackServer, asked: str) -> None:
        """Its asker wanted it gone."""

        erase_texts(before=timezone.now())
        put(TITLE, STEW)
        check_footnotes()
        assert (notices(workspace), outcome()) == ([], [])

    def test_an_old_answer(self, workspace: SlackServer, asked: str, settings: Settings) -> None:
        """Older than FOOTNOTES_DAYS, of which 0 turns all of it off."""
        settings.FOOTNOTES_DAYS = 0
        put(TITLE, STEW)
        check_footnotes()
        assert (notices(workspace), outcome()) == ([], [])


def before_telling(work: Callable[[], object]) -> Any:
    """Run the function, within the block, before each notice."""
    patch = pytest.MonkeyPatch()
    original = footnotes._find_reply

    def find(change: FootnoteChange) -> Any:
        work()
        return original(change)

    class Patched:
        def __enter__(self) -> None:
            patch.setattr(footnotes, "_find_reply", find)

        def __exit__(self, *_: object) -> None:
            patch.undo()

    return Patched()


def test_a_new_edition_of_everything_is_no_flood(workspace: SlackServer, send: Send, settings: Settings) -> None:
    """The newest answers first; what is over the limits is counted, and not asked again either."""
    settings.FOOTNOTES_PER_CHANNEL_AND_DAY, settings.FOOTNOTES_PER_HOUR = 2, 3
    bodies = [*(mention(ASK_CANTEEN, user=BOB) for _ in range(4)), direct(ASK_CANTEEN), direct(ASK_CANTEEN)]
    for body in bodies:  # one after the other, so that it is known which is the newest
        send(body)
        run_worker()
    threads = [body["event"]["ts"] for body in bodies[:4]]
    put(TITLE, STEW)
    check_footnotes()
    assert [notice["thread_ts"] for notice in notices(workspace)] == threads[3:]
    assert len(notices(workspace, DIRECT)) == 2
    assert outcome() == [("silent", "", "over_limit")] * 3 + [("told", "says_otherwise", "")] * 3
    assert Query.objects.filter(conversation__origin="recheck").count() == 3
    settings.FOOTNOTES_PER_HOUR = 100
    put(TITLE, OTHER)
    check_footnotes()
    assert [notice["thread_ts"] for notice in notices(workspace)] == threads[3:] * 2
    assert len(notices(workspace, DIRECT)) == 2


def test_several_changes_within_a_minute_are_one(workspace: SlackServer, asked: str) -> None:
    """The notice is about the last edition."""
    for text in (OTHER, MOVED, STEW):
        put(TITLE, text)
    assert ProcrastinateJob.objects.filter(task_name=queue.CHECK_FOOTNOTES).count() == 1
    check_footnotes()
    assert "stew" in str(notices(workspace)[0])
    assert SourceChange.objects.get().version == 4


STEPS = {
    "before it is looked up": before(footnotes, "_find_reply"),
    "after the question was asked again": after(footnotes, "ask_again"),
    "before it is posted": before(IdempotentMessage, "_post_message"),
    "after it was posted, before that is recorded": after(IdempotentMessage, "_post_message"),
    "after that was recorded": before(footnotes, "_mark_shared"),
    "before the end": before(footnotes, "end"),
}


@pytest.mark.parametrize("step", mostly_slow(STEPS, always="after it was posted, before that is recorded"))
def test_a_killed_worker_leaves_one_notice(workspace: SlackServer, killer: Killer, asked: str, step: str) -> None:
    """Whatever it was at."""
    put(TITLE, STEW)
    pass_minute()
    killer.kill(run_worker, STEPS[step])
    hand_on()
    (notice,) = notices(workspace)
    assert "stew" in str(notice["blocks"])
    assert outcome() == [("told", "says_otherwise", "")]
    row = FootnoteNotice.objects.get()
    assert (row.ts, row.attempts) == (notice["ts"], 1 if step == "before it is looked up" else 2)


def test_what_slack_refuses_is_given_up_and_counted(workspace: SlackServer, asked: str) -> None:
    """The bot is not in the channel any more."""
    put(TITLE, STEW)
    workspace.fail("chat.postMessage", Failure(error="not_in_channel"))
    check_footnotes()
    assert outcome() == [("silent", "says_otherwise", "failed")]
    assert FootnoteNotice.objects.get().error_code == "not_in_channel"


def test_what_was_shared_is_marked_where_all_may_read_the_source(workspace: SlackServer, cast: Cast) -> None:
    """In place, with its question and who shared it; where somebody may not read it, it is left as it was."""
    for number, channel in enumerate((CHANNEL, "C0OTHER")):
        workspace.members[channel] = [ALICE, "U0BOT", BOB]
        common = {"team_id": TEAM, "channel_id": channel, "user_id": ALICE}
        if number == 0:
            receive(Incoming(event_id="c-1", kind=SlackEvent.Kind.COMMAND, text=ASK_CANTEEN, **common))
            run_worker()
        query = Query.objects.get(conversation__origin="slack")
        receive(Incoming(event_id=f"s-{number}", kind=SlackEvent.Kind.SHARE, about=query.pk, **common))
        run_worker()
    workspace.members["C0OTHER"].append(CHARLIE)
    put(TITLE, STEW)
    check_footnotes()
    (shared,), (unmarked,) = workspace.messages[CHANNEL], workspace.messages["C0OTHER"]
    assert "The source has changed since: <https://library.example/canteen-rules|Canteen rules>" in str(shared)
    assert "serves soup at noon" in str(shared)
    assert f"Shared by <@{ALICE}>" in str(shared)
    assert "stew" not in str(shared)
    assert "has changed" not in str(unmarked)
    check_blocks(shared["blocks"], surface="message")
    assert "stew" in str(workspace.messages["D" + ALICE[1:]][-1])
