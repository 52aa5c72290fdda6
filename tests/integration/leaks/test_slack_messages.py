"""Messages that Slack's search returned leave nothing but a link and a hash: in no table, log, job or trace of text."""

import json
from collections.abc import Iterator

import pytest
from django.db import connection
from pytest_django.fixtures import Settings

from bot import intake
from bot.delivery import messages
from bot.delivery.engine import deliver
from bot.delivery.results import Ask
from bot.models import QuotedMessage, Reply, SlackEvent
from core import api
from core.library.embedding import similarity
from core.models.row_security import bypass_row_security
from core.testing import Cast, make_document
from tests.integration.bot.conftest import ALICE, DIRECT
from tests.integration.bot.ends import refused
from tests.integration.bot.message_search import LEAVE, allow_search, found
from tests.integration.bot.slack_server import BOT_USER, TEAM, TOKEN, Failure, SlackServer
from tests.integration.leaks.worlds import logged

pytestmark = pytest.mark.usefixtures("floors", "fast")

# Words that no other test uses, for what is kept in memory outlives a test: of the message, its author and its place.
CODEWORD, AUTHOR, PLACE = "quinquereme", "Thistlewhit", "grimalkin"
MESSAGE = f"The mooring of the barge Petunia ends on 3 May, says the {CODEWORD}."
QUESTION = "When does the mooring of the barge Petunia end?"
ABOUT = "The mooring of the barge Petunia ends when the harbour master says so."


@pytest.fixture
def slack(settings: Settings, cast: Cast, monkeypatch: pytest.MonkeyPatch) -> Iterator[SlackServer]:
    """Alice in direct messages with the bot, and Slack, which finds a message for her."""
    monkeypatch.setattr(messages, "SEARCH_BUDGET_S", 30.0)
    with SlackServer() as server:
        settings.LOCAL_PAGE = False
        settings.SLACK_API_URL, settings.SLACK_BOT_TOKEN, settings.GUEST_ROLE = server.url, TOKEN, ""
        server.add_user(BOT_USER, None, is_bot=True)
        server.add_user(ALICE, cast.alice.email)
        allow_search(server, settings, found(MESSAGE, author_name=AUTHOR, channel_name=PLACE))
        yield server


def read_every_table() -> str:
    """Return all text of the database: each row of each table, of jobs too."""
    with bypass_row_security(), connection.cursor() as cursor:
        cursor.execute(
            "SELECT quote_ident(schemaname) || '.' || quote_ident(tablename) FROM pg_tables"
            " WHERE schemaname NOT IN ('pg_catalog', 'information_schema')"
        )
        tables = [table for (table,) in cursor.fetchall()]
        rows = []
        for table in tables:
            cursor.execute(f"SELECT coalesce(string_agg(row::text, chr(10)), '') FROM {table} AS row")  # noqa: S608
            rows.append(cursor.fetchone()[0])
    assert len(tables) > 50
    return "\n".join(rows)


def ask_alone(asked: Ask = api.ask) -> Reply:
    """Alice asks in her direct messages, and the worker answers. Her reply."""
    intake.receive(
        intake.Incoming(
            event_id="Ev1",
            team_id=TEAM,
            channel_id=DIRECT,
            user_id=ALICE,
            kind=SlackEvent.Kind.DIRECT,
            ts="1700000000.000001",
            thread_ts="1700000000.000001",
            text=QUESTION,
            action_token=LEAVE,
        )
    )
    deliver(SlackEvent.objects.get().pk, ask=asked)
    return Reply.objects.select_related("event", "query").get()


@pytest.mark.parametrize("ends", ["answer", "refusal"])
def test_no_word_of_a_message_is_kept(slack: SlackServer, cast: Cast, ends: str) -> None:
    """It is shown once; afterwards it is in Slack alone, with its author, its channel's name and Slack's leave."""
    make_document("Harbour rules", ABOUT, roles=[cast.staff])
    with logged() as lines:
        reply = ask_alone(refused if ends == "refusal" else api.ask)
    shown = json.dumps(slack.messages[DIRECT])
    assert all(word in shown for word in (CODEWORD, AUTHOR, PLACE))
    kept = QuotedMessage.objects.get()
    everything = read_every_table()
    assert kept.permalink in everything  # so that what is looked for would be found
    assert kept.words_hash in everything
    assert ABOUT in everything
    said = "\n".join((everything, *lines, *map(str, similarity._kept)))
    assert [word for word in (CODEWORD, AUTHOR, PLACE, LEAVE) if word.casefold() in said.casefold()] == []
    stored = api.stored_result(reply.query.request_id, audience=cast.audience(cast.alice), viewer=cast.alice.pk)
    assert CODEWORD not in str(stored)


def test_nothing_is_kept_while_it_is_being_posted(slack: SlackServer, cast: Cast) -> None:
    """An attempt that fails in between has kept no more than one that does not; the leave waits for the next."""
    make_document("Harbour rules", ABOUT, roles=[cast.staff])
    slack.fail("chat.update", Failure(error="internal_error"))
    with logged() as lines, pytest.raises(Exception, match="Slack could not be reached"):
        ask_alone()
    said = "\n".join((read_every_table(), *lines))
    assert QuotedMessage.objects.count() == 1
    assert [word for word in (CODEWORD, AUTHOR, PLACE) if word.casefold() in said.casefold()] == []
    assert LEAVE not in "\n".join(lines)


def test_what_is_found_and_not_quoted_is_not_kept_either(slack: SlackServer, cast: Cast) -> None:
    """Not even its link."""
    slack.found = [found(f"I like the {CODEWORD}.", author_name=AUTHOR, channel_name=PLACE)]
    with logged() as lines:
        ask_alone()
    assert len(slack.called("assistant.search.context")) == 1
    said = "\n".join((read_every_table(), *lines))
    assert [word for word in (CODEWORD, AUTHOR, PLACE, "C0QUAY") if word.casefold() in said.casefold()] == []


def test_no_error_of_slack_tells_of_the_leave(slack: SlackServer, cast: Cast) -> None:
    """Only the code of a refusal is logged."""
    slack.leaves.clear()
    with logged() as lines:
        ask_alone()
    assert any("invalid_action_token" in line for line in lines)
    assert LEAVE not in "\n".join((read_every_table(), *lines))
