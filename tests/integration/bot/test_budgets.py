"""Test notices of budgets in Slack: for the asker alone, and in words that reveal nothing of others."""

import pytest

from bot.delivery.engine import deliver
from bot.intake import receive
from bot.listeners.message_events import build_incoming
from bot.models import SlackEvent
from core.llm.scripted import answers, script_model
from core.models import Budget, BudgetUse, ChannelSetting
from core.models.budgets import Scope, Spent
from core.testing import Cast, make_document
from tests.integration.bot.conftest import ALICE, BOB, CHANNEL, mention
from tests.integration.bot.sentences import ASK_CANTEEN, CANTEEN
from tests.integration.bot.slack_server import TEAM, SlackServer

pytestmark = pytest.mark.usefixtures("fast", "workspace")

TOLD = answers(("The canteen opens at noon.", 1, CANTEEN))


@pytest.fixture(autouse=True)
def _library(cast: Cast, fast: None) -> None:
    make_document("Canteen rules", CANTEEN, roles=[cast.staff])


def ask_in_channel(user: str, *, thread: str) -> None:
    """A question in the channel, answered."""
    body = mention(ASK_CANTEEN, user=user, thread_ts=thread)
    receive(build_incoming(body, team_id=TEAM, kind=SlackEvent.Kind.MENTION))
    with script_model(TOLD):
        deliver(SlackEvent.objects.get(event_id=body["event_id"]).pk)


def test_a_soft_limit_is_told_to_the_asker_alone_and_once(workspace: SlackServer, cast: Cast) -> None:
    """In the channel nobody else sees it; the next question of theirs brings no other."""
    Budget.objects.create(scope=Scope.PERSON, user=cast.bob, soft_tokens=1)
    ChannelSetting.objects.create(team_id=TEAM, channel_id=CHANNEL, language="de")
    for user, thread in ((BOB, "1700000000.900000"), (BOB, "1700000000.900001"), (ALICE, "1700000000.900002")):
        ask_in_channel(user, thread=thread)
    told = [call for call in workspace.called("chat.postEphemeral") if "Monatsbudget" in call["text"]]
    assert [(call["channel"], call["user"]) for call in told] == [(CHANNEL, BOB)]
    assert "Monatsbudget" not in str(workspace.messages)


@pytest.mark.parametrize("scope", [Scope.PERSON, Scope.CHANNEL])
def test_a_hard_limit_is_told_in_the_same_words_whosever_it_is(
    workspace: SlackServer, cast: Cast, scope: Scope
) -> None:
    """So that the channel does not learn whether it is the asker's own."""
    target = {"user": cast.bob} if scope == Scope.PERSON else {"team_id": TEAM, "channel_id": CHANNEL}
    budget = Budget.objects.create(scope=scope, hard_tokens=5, when_used_up=Budget.UsedUp.REFUSE, **target)
    BudgetUse.objects.add([budget.counted], Spent(tokens=5))
    ask_in_channel(BOB, thread="1700000000.900000")
    assert "because a monthly budget for language models is used up" in str(workspace.messages)
    assert "noon" not in str(workspace.messages)
