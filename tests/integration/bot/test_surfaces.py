"""The slash command, the Home tab and the assistant pane: each person sees what they may read, and nothing else."""

import datetime as dt
import json
from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

import pytest
from procrastinate.contrib.django.models import ProcrastinateJob
from pytest_django.fixtures import Settings
from slack_bolt import App, BoltContext, BoltRequest, BoltResponse

from bot.blocks.guide import GREETING_TO_NOBODY, NOBODY_NAMED
from bot.blocks.home import UNKNOWN
from bot.blocks.library import NO_SOURCES, NO_SUCH_SOURCES, NOTHING_GIVEN
from bot.listeners.home_tab import on_home_opened
from bot.models import SlackEvent
from bot.slack.workspace import find_client
from bot.tasks import suggest
from core.access.audiences import asker_for
from core.access.grants import revoke
from core.api import ask
from core.infrastructure.queue import ANSWER, SUGGEST
from core.language.query_understanding.courtesies import GREETING
from core.models import Document
from core.testing import Cast, make_document
from slack_emulator.webapi.blocks import check_blocks
from tests.integration.bot.conftest import ALICE, BOB, CHARLIE, SECRET, STRANGER, direct, signed, the_event
from tests.integration.bot.sentences import ASK_VAULT, VAULT
from tests.integration.bot.slack_server import TEAM, Failure, SlackServer

ABOUT_VAULT = "What are the codes of the vault?"
ABOUT_CANTEEN = "What was decided in March 2026?"
CANARIES = {"Vault rules", "Secret shelf", "K7741", "Codes", "2026-07-01", "July 2026"}

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("fast", "workspace", "prompt_app")]


@pytest.fixture(autouse=True)
def library(cast: Cast, fast: None) -> dict[str, Document]:
    """A shelf that Alice and Bob read, and another with one document that is Alice's alone."""
    march, july = dt.date(2026, 3, 2), dt.date(2026, 7, 1)
    return {
        "vault": make_document(
            "Vault rules",
            VAULT,
            roles=[cast.owners],
            collection="Secret shelf",
            document_type="manual",
            document_date=july,
            section="Codes of the vault",
        ),
        "minutes": make_document(
            "March meeting",
            "The canteen hours of March 2026 stay: the minutes say that the canteen opens at noon.",
            roles=[cast.staff],
            section="Canteen hours",
            collection="House",
            document_type="minutes",
            document_date=march,
        ),
    }


def canaries_in(shown: object) -> set[str]:
    said = json.dumps(shown, ensure_ascii=False)
    return {canary for canary in CANARIES if canary in said}


class TestCommand:
    """`/footnote`, or whatever a workspace calls it."""

    @pytest.fixture
    def type_command(self, app: App, slack: SlackServer) -> Callable[..., BoltResponse]:
        """Return a function that types a command as Slack sends it."""

        def type_and_send(text: str, *, user: str = ALICE, secret: str = SECRET, **fields: str) -> BoltResponse:
            body = {
                "command": "/footnote",
                "text": text,
                "team_id": TEAM,
                "user_id": user,
                "channel_id": "C0NOTAMEMBER",
                "channel_name": "privategroup",
                "api_app_id": "A0APP",
                "trigger_id": "13345224609.738474920.8088930838d8",
                "response_url": slack.response_url,
            }
            raw = urlencode(body | fields)
            headers = signed(raw, secret=secret) | {"content-type": ["application/x-www-form-urlencoded"]}
            return app.dispatch(BoltRequest(body=raw, headers=headers))

        return type_and_send

    def test_a_question_is_stored_with_its_filters(
        self, type_command: Callable[..., BoltResponse], slack: SlackServer
    ) -> None:
        """Answered privately, from a channel that we need not be in; nothing is posted meanwhile."""
        response = type_command('What was decided? type:minutes since:2024 collection:"House" results:8')
        assert (response.status, response.body) == (200, "")  # the note with its link comes a moment later
        event = the_event()
        assert (event.kind, event.text, event.is_public) == (SlackEvent.Kind.COMMAND, "What was decided?", False)
        assert event.filters == {
            "document_type": "minutes",
            "date_from": "2024-01-01",
            "collection": "House",
            "max_results": 8,
        }
        assert (event.user_id, event.channel_id, event.ts, event.thread_ts) == (ALICE, "C0NOTAMEMBER", "", "")
        assert (event.reply.response_url, event.reply.channel_id, event.reply.thread_ts) == ("", "", "")
        assert ProcrastinateJob.objects.get(task_name=ANSWER).args == {"event": str(event.pk)}
        assert slack.called("chat.postMessage") == []

    def test_a_command_sent_twice_is_one_question(self, type_command: Callable[..., BoltResponse]) -> None:
        """The trigger's id names it; another one is another question."""
        for trigger_id in ("1.1", "1.1", "2.2"):
            assert type_command("Open?", trigger_id=trigger_id).status == 200
        assert SlackEvent.objects.count() == 2

    @pytest.mark.parametrize("text", ["", "help"])
    @pytest.mark.parametrize("user", [ALICE, STRANGER])
    def test_help_is_given_at_once(
        self, type_command: Callable[..., BoltResponse], slack: SlackServer, text: str, user: str
    ) -> None:
        """To everyone, in the acknowledgement, with the command as it was typed."""
        said = json.loads(type_command(text, user=user, command="/ask").body)
        assert said["response_type"] == "ephemeral"
        assert "`/ask sources`" in str(said["blocks"])
        assert len(check_blocks(said["blocks"], surface="message")) == len(said["blocks"])
        assert (SlackEvent.objects.count(), slack.calls, slack.responses) == (0, [], [])

    @pytest.mark.parametrize("text", ["type:minuts What?", "sources since:yesterday", "typ:minutes What?"])
    def test_a_filter_that_cannot_be_used_is_named(
        self, type_command: Callable[..., BoltResponse], slack: SlackServer, text: str
    ) -> None:
        """Only who typed it sees this; nothing is stored."""
        said = json.loads(type_command(text).body)
        assert said["response_type"] == "ephemeral"
        assert text.split(":")[0].split()[-1] in said["text"]
        assert (SlackEvent.objects.count(), slack.responses) == (0, [])

    def test_sources_are_listed_for_the_one_who_asks(
        self, type_command: Callable[..., BoltResponse], slack: SlackServer
    ) -> None:
        """Alice's list names both documents, by collection."""
        assert type_command("sources").status == 200
        (said,) = slack.responses
        assert said["response_type"] == "ephemeral"
        assert said["text"] == "You may read 2 documents"
        assert {"Vault rules", "March meeting", "Secret shelf", "House"} <= {
            word for word in (*CANARIES, "March meeting", "House") if word in str(said["blocks"])
        }
        assert len(check_blocks(said["blocks"], surface="message")) == len(said["blocks"])

    @pytest.mark.parametrize("text", ["sources", "sources vault", 'sources collection:"Secret shelf"', "sources K7741"])
    @pytest.mark.parametrize("user", [BOB, CHARLIE, STRANGER, "U0GONE"])
    def test_a_list_tells_nothing_of_what_is_anothers(
        self, type_command: Callable[..., BoltResponse], slack: SlackServer, text: str, user: str
    ) -> None:
        """Neither names nor counts; a filter that only a forbidden document fits finds nothing."""
        type_command(text, user=user)
        (said,) = slack.responses
        assert canaries_in(said) <= {word for word in CANARIES if word in text}
        if text != "sources":
            assert said["text"] == NO_SUCH_SOURCES
        else:
            assert said["text"] == ("You may read 1 document" if user == BOB else NO_SOURCES)

    def test_a_list_while_slack_is_away(self, type_command: Callable[..., BoltResponse], slack: SlackServer) -> None:
        """The asker cannot be identified now, so nothing is listed, and the message says so."""
        slack.fail("users.info", Failure(error="ratelimited", status=429))
        type_command("sources")
        (said,) = slack.responses
        assert "try again" in said["text"]
        assert canaries_in(said) == set()

    def test_a_forged_command_is_refused(self, type_command: Callable[..., BoltResponse], slack: SlackServer) -> None:
        """A command signed with another secret reaches nothing."""
        for text in ("Open?", "sources"):
            assert type_command(text, secret="another").status == 401
        assert (SlackEvent.objects.count(), slack.calls, slack.responses) == (0, [], [])


def event(kind: str, **fields: Any) -> dict[str, Any]:
    """An event that is no message, as Slack wraps it."""
    return {
        "type": "event_callback",
        "team_id": TEAM,
        "api_app_id": "A0APP",
        "event_id": f"Ev{kind}",
        "event_time": 1700000000,
        "event": {"type": kind, **fields},
    }


@pytest.fixture
def tell(send: Callable[..., BoltResponse]) -> Callable[..., None]:
    """Tells the bot of an event."""

    def send_and_check(body: dict[str, Any]) -> None:
        assert send(body).status == 200

    return send_and_check


class TestHome:
    """The Home tab."""

    def opened(self, user: str, **fields: Any) -> dict[str, Any]:
        return event("app_home_opened", user=user, channel="D0X", **({"tab": "home"} | fields))

    def test_it_shows_what_the_person_may_read_and_asked(
        self, tell: Callable[..., None], slack: SlackServer, cast: Cast
    ) -> None:
        """Collections with counts and dates, the person's questions, and how to go on."""
        ask(ASK_VAULT, asker=asker_for(cast.alice), audience=cast.audience(cast.alice))
        tell(self.opened(ALICE))
        said = str(slack.homes[ALICE]["blocks"])
        for part in (
            "*Secret shelf*: 1 document, newest from 1 July 2026",
            "*House*: 1 document",
            ASK_VAULT,
            "answered",
        ):
            assert part in said
        assert "Show quotes" in said
        assert NOBODY_NAMED in said

    @pytest.mark.parametrize("user", [BOB, CHARLIE, STRANGER, "U0GONE"])
    def test_it_tells_nothing_of_what_is_anothers(
        self, tell: Callable[..., None], slack: SlackServer, cast: Cast, user: str
    ) -> None:
        """Neither Alice's documents nor her questions, counts and dates included."""
        ask(ASK_VAULT, asker=asker_for(cast.alice), audience=cast.audience(cast.alice))
        tell(self.opened(user))
        assert canaries_in(slack.homes[user]) == set()
        assert ASK_VAULT not in str(slack.homes[user])

    @pytest.mark.parametrize("user", [STRANGER, "U0GONE"])
    def test_who_is_unknown_is_told_what_to_do(
        self, tell: Callable[..., None], slack: SlackServer, settings: Settings, user: str
    ) -> None:
        """And whom to ask, in the words of the setting."""
        settings.SLACK_HELP_TEXT = "Ask Dana in #library."
        tell(self.opened(user))
        said = str(slack.homes[user])
        assert UNKNOWN in said
        assert "Ask Dana in #library." in said
        assert "House" not in said

    @pytest.mark.parametrize("revoked", [False, True])
    def test_it_is_published_only_when_it_changes(
        self,
        slack: SlackServer,
        cast: Cast,
        library: dict[str, Document],
        revoked: bool,
    ) -> None:
        """An unchanged view is left as it is; a revoked grant makes another view."""
        client = find_client(TEAM)
        context = BoltContext({"team_id": TEAM})
        on_home_opened(self.opened(ALICE), context, client)
        if revoked:
            revoke(cast.owners, [library["vault"]], by=None)
        on_home_opened(self.opened(ALICE, view=slack.homes[ALICE]), context, client)
        assert len(slack.called("views.publish")) == (2 if revoked else 1)
        assert bool(canaries_in(slack.homes[ALICE])) == (not revoked)

    def test_a_faster_opening_is_no_fault(
        self, tell: Callable[..., None], slack: SlackServer, caplog: pytest.LogCaptureFixture
    ) -> None:
        """Slack refuses a view that was made of an older one; the newer one stays."""
        slack.homes[ALICE] = {"hash": "newer", "private_metadata": "of another opening"}
        tell(self.opened(ALICE, view={"hash": "older", "private_metadata": "older"}))
        assert slack.homes[ALICE]["hash"] == "newer"
        assert caplog.records == []

    @pytest.mark.parametrize("tab", ["messages", "about", None])
    def test_other_tabs_publish_nothing(self, tell: Callable[..., None], slack: SlackServer, tab: str | None) -> None:
        """Opening the messages, or what we do not know, asks nothing of Slack."""
        tell(self.opened(ALICE, tab=tab))
        assert slack.calls == []


class TestAssistant:
    """A new thread in the assistant pane."""

    @pytest.fixture
    def start(self, tell: Callable[..., None]) -> Callable[[str], None]:
        """Opens a thread, and lets the worker do what that asks for."""

        def open_and_work(user: str) -> None:
            tell(self.started(user))
            for job in ProcrastinateJob.objects.filter(task_name=SUGGEST):
                suggest(**job.args)

        return open_and_work

    def started(self, user: str) -> dict[str, Any]:
        thread = {"user_id": user, "channel_id": "D0PANE", "thread_ts": "1.1", "context": {}}
        return event("assistant_thread_started", assistant_thread=thread)

    def test_questions_are_suggested_of_what_may_be_read(
        self, start: Callable[[str], None], slack: SlackServer
    ) -> None:
        """A greeting in the thread, and prompts that the person's own documents answer."""
        start(ALICE)
        (greeted,) = slack.messages["D0PANE"]
        assert (greeted["text"], greeted["thread_ts"]) == (GREETING, "1.1")
        (suggested,) = slack.prompts
        assert (suggested["channel_id"], suggested["thread_ts"]) == ("D0PANE", "1.1")
        assert {prompt["message"] for prompt in suggested["prompts"]} == {ABOUT_VAULT, ABOUT_CANTEEN}

    @pytest.mark.parametrize("user", [BOB, CHARLIE, STRANGER])
    def test_nothing_is_suggested_of_what_is_anothers(
        self, start: Callable[[str], None], slack: SlackServer, user: str
    ) -> None:
        """A reader of nothing gets no prompts, and learns why: nothing was granted, or they are not known."""
        start(user)
        assert canaries_in([slack.prompts, slack.messages]) == set()
        prompted = [prompt["message"] for suggested in slack.prompts for prompt in suggested["prompts"]]
        assert prompted == ([ABOUT_CANTEEN] if user == BOB else [])
        greeting = {BOB: GREETING, CHARLIE: NOTHING_GIVEN, STRANGER: GREETING_TO_NOBODY}[user]
        assert [message["text"] for message in slack.messages["D0PANE"]] == [greeting]

    def test_rights_are_those_of_the_moment_of_the_suggestion(
        self, tell: Callable[..., None], slack: SlackServer, cast: Cast, library: dict[str, Document]
    ) -> None:
        """A document revoked while the job waits is not suggested any more."""
        tell(self.started(ALICE))
        revoke(cast.owners, [library["vault"]], by=None)
        suggest(**ProcrastinateJob.objects.get(task_name=SUGGEST).args)
        assert canaries_in(slack.prompts) == set()
        assert len(slack.prompts) == 1

    @pytest.mark.parametrize("method", ["assistant.threads.setSuggestedPrompts", "chat.postMessage"])
    def test_a_workspace_without_the_methods_is_no_fault(
        self, start: Callable[[str], None], slack: SlackServer, caplog: pytest.LogCaptureFixture, method: str
    ) -> None:
        """The event is acknowledged, and nobody is alarmed."""
        slack.fail(method, Failure(error="unknown_method"))
        start(ALICE)
        assert [record.levelname for record in caplog.records if record.levelname != "INFO"] == []
        assert (len(slack.prompts), len(slack.messages["D0PANE"])) in {(0, 1), (1, 0)}

    def test_a_repeated_event_greets_no_second_time(self, app: App, slack: SlackServer) -> None:
        """Slack says that it repeats itself; the prompts are merely set again."""
        raw = json.dumps(self.started(ALICE))
        app.dispatch(BoltRequest(body=raw, headers=signed(raw) | {"x-slack-retry-num": ["1"]}))
        assert slack.messages["D0PANE"] == []
        assert ProcrastinateJob.objects.filter(task_name=SUGGEST).count() == 1

    def test_what_is_then_written_is_a_direct_message(self, send: Callable[..., BoltResponse]) -> None:
        """It comes as one, in the pane's thread, and is answered there."""
        send(direct("Open?", channel="D0PANE", thread_ts="1.1"))
        stored = the_event()
        assert (stored.kind, stored.channel_id, stored.thread_ts) == (SlackEvent.Kind.DIRECT, "D0PANE", "1.1")
