"""Test the question to an owner which of two documents holds: asked once, of readers of both, and answered there."""

import json

import pytest
from django.contrib.auth.models import Permission

from bot.blocks.contradicted import NEWER_HOLDS, OLDER_HOLDS
from bot.owners import contradicted
from core import api
from core.access.grants import revoke
from core.models import Document, SourceContradiction, User
from core.testing import Cast
from slack_emulator.webapi.blocks import check_blocks
from tests.integration.bot.conftest import ALICE, BOB
from tests.integration.bot.presses import press
from tests.integration.bot.slack_server import SlackServer
from tests.integration.bot.worker import run_worker
from tests.integration.contradictions.pairs import COSTS_24, COSTS_31, QUESTION, keep_price_lists

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("fast", "workspace")]

TO_BOB = "D0BOB"


@pytest.fixture
def asked(transactional_db: None, cast: Cast, fast: None, workspace: SlackServer) -> SourceContradiction:
    """Let an administrator ask Bob, who owns the older document, which of two holds."""
    kept = keep_price_lists([cast.staff], [cast.staff])
    Document.objects.filter(pk=kept.older_id).update(owner=cast.bob)
    cast.alice.user_permissions.add(Permission.objects.get(codename="manage_contradictions"))
    api.ask_owner(kept.pk, "older", by=User.objects.get(pk=cast.alice.pk))
    cast.alice.user_permissions.clear()
    return kept


def last(slack: SlackServer) -> str:
    """Return the blocks of the last message to Bob, which Slack would take."""
    blocks = slack.messages[TO_BOB][-1]["blocks"]
    check_blocks(blocks, surface="message")
    return json.dumps(blocks, ensure_ascii=False)


def test_the_owner_is_asked_once_with_both_quotes(asked: SourceContradiction, slack: SlackServer) -> None:
    """By however many attempts; each document is named with its date."""
    run_worker()
    contradicted.post(asked.pk)
    assert len(slack.messages[TO_BOB]) == 1
    said = last(slack)
    assert "one of them is yours" in said
    for words in (QUESTION, COSTS_24, COSTS_31, "Price list, 3 April 2023", "Harbour notice, 9 February 2026"):
        assert words in said, words


def test_the_owner_answers_there(asked: SourceContradiction, slack: SlackServer, cast: Cast) -> None:
    """It is noted as their decision, and stands in the place of the buttons."""
    run_worker()
    posted = slack.messages[TO_BOB][0]
    press(OLDER_HOLDS, str(asked.pk), user=BOB, channel=TO_BOB, ts=posted["ts"], thread="")
    row = SourceContradiction.objects.get()
    assert (row.state, row.holds, row.decided_by) == ("one_holds", "older", cast.bob)
    said = last(slack)
    assert "“Price list” holds." in said
    assert NEWER_HOLDS not in said


def test_nobody_else_answers_and_a_guess_finds_nothing(asked: SourceContradiction, slack: SlackServer) -> None:
    """Alice may read both, and decide about neither."""
    run_worker()
    for user, value in ((ALICE, str(asked.pk)), (BOB, str(asked.older_id)), (BOB, "odd")):
        press(NEWER_HOLDS, value, user=user, channel=TO_BOB, ts=slack.messages[TO_BOB][0]["ts"], thread="")
    assert SourceContradiction.objects.get().state == "asked"
    assert len({said["text"] for said in slack.ephemeral}) == 1


def test_an_owner_who_lost_one_side_before_the_message_is_told_nothing(
    asked: SourceContradiction, slack: SlackServer, cast: Cast
) -> None:
    """Also what was posted answers nothing any more."""
    revoke(cast.staff, [asked.newer], by=None)
    run_worker()
    assert TO_BOB not in slack.messages or not slack.messages[TO_BOB]
    press(OLDER_HOLDS, str(asked.pk), user=BOB, channel=TO_BOB, ts="1.1", thread="")
    assert SourceContradiction.objects.get().state == "asked"


def test_what_was_decided_meanwhile_is_not_asked(asked: SourceContradiction, slack: SlackServer, cast: Cast) -> None:
    """Nobody needs to hear of it."""
    api.say_that_one_holds(asked.pk, "newer", by=cast.bob)
    run_worker()
    assert not slack.messages.get(TO_BOB)
