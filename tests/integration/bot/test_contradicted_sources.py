"""An answer from a source that another document contradicts says so, and its owner is asked in one click."""

import datetime as dt
import json
from dataclasses import replace
from typing import Any

import pytest
from django.utils import timezone
from pytest_django import Settings

from bot.blocks.buttons import FEEDBACK_DOWN
from bot.blocks.owners import ASK_OWNER, OWNER_SAYS_HOLDS
from bot.delivery.engine import deliver
from bot.delivery.rendering import render_result
from bot.intake import receive
from bot.listeners.message_events import build_incoming
from bot.listeners.owner_questions import ASKED, HOLDS_BY_NOW
from bot.models import OwnerQuestion, SlackEvent
from core.access.grants import revoke
from core.api import stored_result
from core.language.i18n.translation import day
from core.library.owners import Staleness, find_stale_sources
from core.llm.scripted import script_model
from core.models import Collection, Document
from core.testing import Cast, fetch_chunks, make_document
from core.types import Answer
from slack_emulator.webapi.blocks import check_blocks
from tests.integration.bot.conftest import ALICE, BOB, CHANNEL, DIRECT, direct, mention
from tests.integration.bot.presses import answered, press, submit
from tests.integration.bot.slack_server import TEAM, SlackServer
from tests.integration.bot.worker import run_worker
from tests.integration.citing import cite_only

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("workspace")]

TO_BOB, TO_ALICE = "D0BOB", "D0ALICE"
ASK = "How much is the deposit for a locker?"
DISAGREE = "Your sources disagree:"
LOCKERS_15 = "“The deposit for a locker is 15 euros.”"
LOCKERS_25 = "“Lockers: the deposit for a locker is €25, to be paid in cash.”"
HIDDEN = ("Price list", "€25", DISAGREE, "otherwise", ASK_OWNER, "hourglass")  # no word, and not that there is one


@pytest.fixture(autouse=True)
def locker_rules(transactional_db: None, cast: Cast, settings: Settings) -> Document:
    """A rather new document, which Alice and Bob may read and Bob keeps true; with the real reader."""
    settings.READER, settings.READER_BUDGET_MS = "", 600_000
    today = timezone.localdate()
    made = make_document(
        "Locker rules",
        "The deposit for a locker is 15 euros. You get it back with the key.",
        roles=[cast.staff],
        document_date=today - dt.timedelta(days=90),
    )
    Collection.objects.filter(pk=made.collection_id).update(owner=cast.bob)
    return made


def add_price_list(cast: Cast, *, for_all: bool = True, days_old: int = 10) -> Document:
    """A document that says otherwise, for staff or for its owners alone."""
    return make_document(
        "Price list",
        "Lockers: the deposit for a locker is €25, to be paid in cash.",
        roles=[cast.staff if for_all else cast.owners],
        document_date=timezone.localdate() - dt.timedelta(days=days_old),
    )


def ask_in_channel(cast: Cast, *, citing: str = "Locker rules") -> Answer:
    """Alice's answer, from one document alone."""
    with script_model(cite_only(citing)):
        result = answered(ASK, cast, cast.alice)
    assert isinstance(result, Answer)
    return result


def render(result: Answer) -> str:
    """The message of the answer, as it is posted."""
    event = SlackEvent.objects.get(event_id=f"Ev-{result.request_id}")
    blocks = render_result(result, event).whole.blocks
    check_blocks(blocks, surface="message")
    return json.dumps(blocks, ensure_ascii=False)


def deliver_question(body: dict[str, Any], slack: SlackServer, channel: str) -> str:
    """Return the message that is posted to a question that came in as this event."""
    kind = SlackEvent.Kind.MENTION if channel == CHANNEL else SlackEvent.Kind.DIRECT
    receive(build_incoming(body, team_id=TEAM, kind=kind))
    deliver(SlackEvent.objects.get(event_id=body["event_id"]).pk)
    return json.dumps(slack.messages[channel], ensure_ascii=False)


def test_the_answer_names_the_other_document_and_offers_the_owner(cast: Cast) -> None:
    """Quote both, the newer one first, each with its document's date."""
    add_price_list(cast)
    said = render(ask_in_channel(cast))
    today = timezone.localdate()
    newer, older = (day(today - dt.timedelta(days=days)) for days in (10, 90))
    at = "https://library.example"
    one = f"<{at}/price-list|Price list, {newer}>: {LOCKERS_25}"
    other = f"[1] <{at}/locker-rules|Locker rules, {older}>: {LOCKERS_15}"
    assert f"{DISAGREE}\\n• {one}\\n• {other}" in said
    assert "“Locker rules” may be out of date, since another document says otherwise." in said
    assert "Ask Bob" in said


def test_a_source_that_is_the_newer_one_is_not_thought_stale(cast: Cast) -> None:
    """The older document is quoted below it, and nobody is asked."""
    add_price_list(cast, days_old=300)
    said = render(ask_in_channel(cast))
    assert 0 < said.index(DISAGREE) < said.index(LOCKERS_15) < said.index(LOCKERS_25)
    assert ASK_OWNER not in said


def test_of_two_cited_documents_the_older_one_is_thought_stale(cast: Cast) -> None:
    """The model without keys quotes both."""
    add_price_list(cast, days_old=300)
    result = answered(ASK, cast, cast.alice)
    assert isinstance(result, Answer)
    assert {one.document_name for one in result.citations} == {"Locker rules", "Price list"}
    (stale,) = find_stale_sources(result.citations, result.contradiction)
    assert (stale.name, stale.sign) == ("Price list", Staleness.CONTRADICTED)


def test_the_owner_is_asked_and_says_that_it_holds(slack: SlackServer, cast: Cast, locker_rules: Document) -> None:
    """Ask without a word of the other document, which the owner may not know; after that the sign is gone."""
    add_price_list(cast)
    result = ask_in_channel(cast)
    press(ASK_OWNER, f"{result.request_id} {locker_rules.pk}", user=ALICE)
    assert [said["text"] for said in slack.ephemeral] == [ASKED.format(owner="Bob")]
    run_worker()
    posted = json.dumps(slack.messages[TO_BOB], ensure_ascii=False)
    assert "Locker rules" in posted
    assert "Price list" not in posted
    row = OwnerQuestion.objects.get()
    press(OWNER_SAYS_HOLDS, str(row.pk), user=BOB, channel=TO_BOB, ts=row.ts)
    run_worker()
    assert "It still holds." in json.dumps(slack.messages[TO_ALICE])
    assert ASK_OWNER not in render(result)
    press(ASK_OWNER, f"{result.request_id} {locker_rules.pk}", user=ALICE)
    assert slack.ephemeral[-1]["text"] == HOLDS_BY_NOW


def test_what_comes_after_the_owner_confirmed_it_counts_again(cast: Cast, locker_rules: Document) -> None:
    """The owner did not know of it."""
    Document.objects.filter(pk=locker_rules.pk).update(confirmed_at=timezone.now())
    add_price_list(cast)
    result = ask_in_channel(cast)
    (stale,) = find_stale_sources(result.citations, result.contradiction)
    assert (stale.name, stale.sign) == ("Locker rules", Staleness.CONTRADICTED)


def test_each_quote_is_a_link_to_its_place(cast: Cast, settings: Settings) -> None:
    """The other document has no citation: its address names the place."""
    settings.PUBLIC_URL = "https://footnote.example.com"
    other = add_price_list(cast)
    result = ask_in_channel(cast)
    [chunk] = fetch_chunks(other)
    said = render(result)
    at = f"{chunk.pk}.0-{len(LOCKERS_25) - 2}"
    assert f"• <https://footnote.example.com/documents/{other.pk}/?at={at}|Price list, " in said
    assert f"• [1] <{result.citations[0].opens_at}|Locker rules, " in said


def test_long_quotes_leave_a_message_that_slack_takes(cast: Cast) -> None:
    """Both are cut, and the list of sources gives way: all is as long as without them, but for the form of a block."""
    Collection.objects.update(owner=None)
    add_price_list(cast)
    result = ask_in_channel(cast)
    assert result.contradiction is not None
    long = tuple(
        replace(quote, document_name="A" * 500, quoted_excerpt="words & more " * 500, number=0)
        for quote in result.contradiction.quotes
    )
    cited = tuple(replace(result.citations[0], number=n, document_name=f"{n} {'name ' * 40}") for n in range(1, 60))
    told = replace(
        result,
        citations=cited,
        contradiction=replace(result.contradiction, quotes=(long[0], long[1])),
        text="An answer. " * 1500,
        message="Something was not found. " * 100,
    )
    assert len(render(told)) < len(render(replace(told, contradiction=None))) + 200


def test_without_an_owner_the_quotes_stand_alone(cast: Cast) -> None:
    """There is nobody to ask."""
    Collection.objects.update(owner=None)
    add_price_list(cast)
    said = render(ask_in_channel(cast))
    assert DISAGREE in said
    assert ASK_OWNER not in said


def test_a_voter_against_the_sources_is_offered_the_owner(slack: SlackServer, cast: Cast) -> None:
    """With the reason that is known."""
    add_price_list(cast)
    result = ask_in_channel(cast)
    press(FEEDBACK_DOWN, result.request_id, user=ALICE)
    submit(slack.views[-1], user=ALICE, reasons=["bad_source"], comment=None)
    assert "since another document says otherwise" in json.dumps(slack.ephemeral[-1]["blocks"], ensure_ascii=False)


class TestLeaks:
    """Readers without the other document get the same message as if it did not exist."""

    def test_in_a_channel_all_of_its_readers_count(self, slack: SlackServer, cast: Cast) -> None:
        """Alice asks, who may read it; Bob reads along."""
        add_price_list(cast, for_all=False)
        said = deliver_question(mention(ASK), slack, CHANNEL)
        assert "15 euros" in said
        for hint in HIDDEN:
            assert hint not in said

    def test_in_a_channel_whose_readers_may_all_read_it_they_are_told(self, slack: SlackServer, cast: Cast) -> None:
        """The test before could not fail otherwise."""
        add_price_list(cast)
        assert DISAGREE in deliver_question(mention(ASK), slack, CHANNEL)

    def test_in_direct_messages_the_asker_counts(self, slack: SlackServer, cast: Cast) -> None:
        """Bob may not read it."""
        add_price_list(cast, for_all=False)
        said = deliver_question(direct(ASK, user=BOB), slack, DIRECT)
        assert "15 euros" in said
        for hint in HIDDEN:
            assert hint not in said

    def test_a_press_after_the_right_is_gone_tells_nothing(
        self, slack: SlackServer, cast: Cast, locker_rules: Document
    ) -> None:
        """As for a source against which nothing is known."""
        other = add_price_list(cast)
        result = ask_in_channel(cast)
        revoke(role=cast.staff, documents=[other], by=None)
        press(ASK_OWNER, f"{result.request_id} {locker_rules.pk}", user=ALICE)
        assert slack.ephemeral[-1]["text"] == HOLDS_BY_NOW
        seen = stored_result(result.request_id, audience=cast.audience(cast.alice))
        assert isinstance(seen, Answer)
        assert seen.contradiction is None
