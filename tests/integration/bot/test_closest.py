"""Test that closest passages are shown like answers: to readers of all of them, in the thread, with its buttons."""

from dataclasses import replace
from typing import Any

import pytest

from bot.blocks.asker_notes import OFFER
from bot.blocks.buttons import ASK_IN_OTHER_WORDS, FEEDBACK, FEEDBACK_UP, REMOVE, SHOW_QUOTES, WHY
from bot.blocks.masked import DOTS_HIDE
from bot.blocks.quotes import NOTHING
from bot.delivery.engine import deliver
from bot.intake import Incoming, receive
from bot.listeners.message_events import build_incoming
from bot.models import Reply, SlackEvent
from core.access.grants import revoke
from core.asking.confidence.endings import NOTHING_FOUND
from core.models import Document, Feedback, Query
from core.testing import Cast, make_document
from core.types import Refusal
from core.values.secrets import MASK
from tests.integration.bot.conftest import ALICE, BOB, CHANNEL, CHARLIE, DIRECT, direct, mention
from tests.integration.bot.ends import UNSURE, refused, unsure
from tests.integration.bot.presses import press
from tests.integration.bot.sentences import ASK_CANTEEN, ASK_VAULT, CANTEEN, VAULT
from tests.integration.bot.slack_server import TEAM, SlackServer
from tests.integration.oversharing.people import HIDDEN, WIFI

# Clicks are worked on in threads of their own, which see only what is committed.
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("fast", "workspace")]

Library = dict[str, Document]


@pytest.fixture(autouse=True)
def library(transactional_db: None, cast: Cast, fast: None) -> Library:
    """Alice alone may read about the vault; Bob too about the canteen."""
    return {
        "vault": make_document("Vault rules", VAULT, roles=[cast.owners], section="Opening"),
        "canteen": make_document("Canteen rules", CANTEEN, roles=[cast.staff], section="Hours"),
    }


def heard(question: str) -> SlackEvent:
    """Alice's question in the channel, stored."""
    body = mention(question)
    receive(build_incoming(body, team_id=TEAM, kind=SlackEvent.Kind.MENTION))
    return SlackEvent.objects.get(event_id=body["event_id"])


def shown(slack: SlackServer) -> list[str]:
    """The sentences and quotes of the only message in the channel."""
    (message,) = slack.messages[CHANNEL]
    texts = [block.get("text") or block.get("body") for block in message["blocks"]]
    return [text["text"] for text in texts if text]


def test_a_channel_reads_them_with_their_sources(workspace: SlackServer, library: Library) -> None:
    """Word for word, in the place of the sign of work, with nothing unfurled and nothing to share."""
    deliver(heard(ASK_CANTEEN).pk, ask=unsure([library["canteen"]]))
    (message,) = workspace.messages[CHANNEL]
    assert shown(workspace) == [UNSURE, f"> {CANTEEN}"]
    card = message["blocks"][1]
    assert (card["title"]["text"], card["subtitle"]["text"]) == ("[1] Canteen rules", "section Hours")
    assert card["actions"][0]["url"] == "https://library.example/canteen-rules"
    pressable = [element["action_id"] for row in message["blocks"][-2:] for element in row["elements"]]
    assert pressable == [SHOW_QUOTES, WHY, ASK_IN_OTHER_WORDS, FEEDBACK, REMOVE]
    (posted,) = workspace.called("chat.postMessage")
    assert (posted["unfurl_links"], posted["unfurl_media"]) == (False, False)


def test_they_are_streamed_without_a_link(workspace: SlackServer, library: Library) -> None:
    """The words end the stream; the sources come by an edit, which unfurls nothing."""
    body = direct(ASK_VAULT)
    receive(build_incoming(body, team_id=TEAM, kind=SlackEvent.Kind.DIRECT))
    deliver(SlackEvent.objects.get().pk, ask=unsure([library["vault"]]))
    (stopped,) = workspace.called("chat.stopStream")
    assert "K7741" in str(stopped)
    assert "library.example" not in str(stopped)
    assert "library.example" in str(workspace.messages[DIRECT])


def test_who_reads_them_is_asked_again(workspace: SlackServer, library: Library) -> None:
    """Somebody who may not read them joins while they are found: nothing of them is shown."""
    joins = workspace.members[CHANNEL].append
    deliver(heard(ASK_CANTEEN).pk, ask=unsure([library["canteen"]], then=lambda: joins(CHARLIE)))
    assert shown(workspace)[0] == NOTHING_FOUND
    assert "soup" not in str(workspace.messages) + str(workspace.ephemeral)
    assert "Canteen" not in str(workspace.messages) + str(workspace.ephemeral)


def test_who_reads_a_question_in_other_words_is_asked_again(workspace: SlackServer, library: Library) -> None:
    """A pressed question is above its refusal, in its standalone words: not where somebody may not read these."""
    alone = "And when does the soup of the canteen come?"

    def ask(question: str, **options: Any) -> Refusal:
        refusal = refused(question, **options)
        query = Query.objects.get(request_id=refusal.request_id)
        query.standalone_question = alone
        query.name_editions([library["canteen"].edition])
        query.save()
        workspace.members[CHANNEL].append(CHARLIE)
        return replace(refusal, asked=alone)

    pressed = Incoming(
        event_id="pressed",
        team_id=TEAM,
        channel_id=CHANNEL,
        user_id=ALICE,
        kind=SlackEvent.Kind.MENTION,
        thread_ts="1700000000.900000",
        text="And when does it come?",
    )
    receive(pressed)
    deliver(SlackEvent.objects.get().pk, ask=ask)
    assert "And when does it come?" in str(workspace.messages)
    assert "soup" not in str(workspace.messages)


def test_one_that_not_all_may_read_is_not_shown_beside_the_others(workspace: SlackServer, library: Library) -> None:
    """No gap reveals it."""
    deliver(heard(ASK_CANTEEN).pk, ask=unsure(library.values()))
    assert shown(workspace) == [UNSURE, f"> {CANTEEN}"]
    assert "[1] Canteen rules" in str(workspace.messages)
    assert "[2]" not in str(workspace.messages)
    assert "K7741" not in str(workspace.messages) + str(workspace.ephemeral)


def test_who_may_read_more_is_offered_it(workspace: SlackServer, library: Library) -> None:
    """The offer is beside the channel's closest passages, in words that reveal nothing to the channel."""
    deliver(heard(ASK_VAULT).pk, ask=unsure([library["canteen"]]))
    (offer,) = workspace.ephemeral
    assert (offer["user"], offer["text"]) == (ALICE, OFFER)
    assert "K7741" not in str(workspace.messages) + str(offer)


def test_its_buttons_are_those_of_an_answer(workspace: SlackServer, cast: Cast, library: Library) -> None:
    """Readers of the passages see them in place, and others see nothing; votes count as for any refusal."""
    event = heard(ASK_CANTEEN)
    deliver(event.pk, ask=unsure([library["canteen"]]))
    query = Reply.objects.get(event=event).query
    assert query is not None
    for user in (BOB, CHARLIE):
        press(SHOW_QUOTES, query.request_id, user=user)
    press(FEEDBACK_UP, query.request_id, user=BOB)
    shown = [str(view["view"]) for view in workspace.called("views.update")]
    assert [(CANTEEN in view, NOTHING in view) for view in shown] == [(True, False), (False, True)]
    assert [(vote.user, vote.verdict) for vote in Feedback.objects.all()] == [(cast.bob, "up")]
    revoke(cast.staff, [library["canteen"]], by=None)
    press(SHOW_QUOTES, query.request_id, user=BOB)
    assert NOTHING in str(workspace.called("views.update")[-1])


def test_dots_that_hide_a_secret_are_explained(workspace: SlackServer, cast: Cast) -> None:
    """Below an answer and closest passages, and above the quotes; not where the one who asks is shown no dots."""
    network = make_document("Network", WIFI, roles=[cast.staff], section="Guests")
    answered = heard("What is the password of the guests' network?")
    deliver(answered.pk)
    query = Reply.objects.get(event=answered).query
    assert query is not None
    press(SHOW_QUOTES, query.request_id, user=BOB)
    press(SHOW_QUOTES, query.request_id, user=CHARLIE)
    quotes = [str(view["view"]) for view in workspace.called("views.update")]
    assert [(DOTS_HIDE in view, MASK * len(HIDDEN) in view) for view in quotes] == [(True, True), (False, False)]
    deliver(heard(ASK_CANTEEN).pk)
    deliver(heard("Which network is for guests?").pk, ask=unsure([network]))
    messages = [str(message["blocks"]) for message in workspace.messages[CHANNEL]]
    assert [(DOTS_HIDE in one, MASK * len(HIDDEN) in one) for one in messages] == [
        (True, True),
        (False, False),
        (True, True),
    ]
    assert HIDDEN not in str(workspace.calls)
