"""Our own words are in the language of the place; answers and quotes are in the words of the documents."""

import threading
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from pytest_django.fixtures import Settings

from bot.blocks.buttons import ASK_A_PERSON, FEEDBACK_DOWN, FEEDBACK_UP, SHOW_QUOTES
from bot.blocks.message import STEPS
from bot.channels.settings import find_language
from bot.delivery import progress
from bot.delivery.engine import deliver, give_up
from bot.handoff.posting import post
from bot.identity.interactions import NotYoursError
from bot.intake import receive
from bot.listeners.message_events import build_incoming
from bot.models import HandOver, Reply, SlackEvent
from core import api
from core.models import Answer as AnswerRow
from core.models import ChannelSetting
from core.testing import Cast, make_document
from core.types import Answer, Refusal
from tests.integration.bot.conftest import ALICE, CHANNEL, CHARLIE, DIRECT, direct, mention
from tests.integration.bot.presses import press, submit
from tests.integration.bot.sentences import ASK_VAULT, VAULT
from tests.integration.bot.slack_server import TEAM, SlackServer

CANTEEN = "Soup is served at noon in the canteen."
ASK_CANTEEN = "When is soup served in the canteen?"
NOTHING_FOUND = "In den Dokumenten, die ich für diese Antwort verwenden darf, konnte ich das nicht finden."

# Clicks are worked on in threads of their own, which see only what is committed.
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("fast", "workspace", "library")]


@pytest.fixture
def library(transactional_db: None, cast: Cast, fast: None) -> None:
    """Alice alone may read about the vault; Bob too about the canteen."""
    make_document("Vault rules", VAULT, roles=[cast.owners], section="Opening")
    make_document("Canteen rules", CANTEEN, roles=[cast.staff], section="Hours")


@pytest.fixture
def german(library: None) -> ChannelSetting:
    """German is set for the channel, and nothing else."""
    return ChannelSetting.objects.create(team_id=TEAM, channel_id=CHANNEL, language="de")


def asked(body: dict[str, Any], **options: Any) -> SlackEvent:
    """A question, answered."""
    is_direct = body["event"].get("channel_type") == "im"
    kind = SlackEvent.Kind.DIRECT if is_direct else SlackEvent.Kind.MENTION
    receive(build_incoming(body, team_id=TEAM, kind=kind))
    event = SlackEvent.objects.get(event_id=body["event_id"])
    deliver(event.pk, **options)
    return event


def request_of(event: SlackEvent) -> str:
    """The request id of an event's answer."""
    reply = Reply.objects.select_related("query").get(event=event)
    assert reply.query
    return reply.query.request_id


class TestWhichLanguage:
    """Tests of the language spoken in each place."""

    @pytest.mark.parametrize(
        ("of_channel", "elsewhere", "spoken"),
        [(None, "en", "en"), (None, "fr", "fr"), ("", "fr", "fr"), ("de", "fr", "de"), ("en", "fr", "en")],
    )
    def test_the_channels_or_else_the_one_that_is_set(
        self, settings: Settings, of_channel: str | None, elsewhere: str, spoken: str
    ) -> None:
        """A channel without a choice speaks what is spoken everywhere else."""
        settings.SLACK_LANGUAGE = elsewhere
        if of_channel is not None:
            ChannelSetting.objects.create(team_id=TEAM, channel_id=CHANNEL, language=of_channel)
        assert find_language(TEAM, CHANNEL) == spoken
        assert find_language(TEAM, "C0OTHER") == find_language("T0OTHER", CHANNEL) == elsewhere

    def test_a_language_that_is_not_spoken_any_more(self, german: ChannelSetting) -> None:
        """It is as if none were chosen: questions go on being answered."""
        ChannelSetting.objects.update(language="xx")
        assert find_language(TEAM, CHANNEL) == "en"


class TestReplies:
    """Tests of the worker's messages."""

    def test_german_words_stand_around_the_answer(self, german: ChannelSetting, workspace: SlackServer) -> None:
        """The sign of work is German, and so are the lines below an answer in the document's words."""
        asked(mention(ASK_CANTEEN))
        (posted,) = workspace.called("chat.postMessage")
        assert posted["text"] == "Die Dokumente werden durchsucht …"
        (message,) = workspace.messages[CHANNEL]
        said = str(message["blocks"])
        assert "Soup is served at noon" in said
        assert "Abschnitt Hours" in said
        assert "Zitate zeigen" in said
        assert "Sicherheit" in said
        for word in ("section Hours", "Show quotes", "onfidence", "Helpful"):
            assert word not in said

    def test_another_channel_stays_as_it_is(self, german: ChannelSetting, workspace: SlackServer) -> None:
        """So do direct messages."""
        asked(direct(ASK_CANTEEN))
        (message,) = workspace.messages[DIRECT]
        assert "section Hours" in str(message["blocks"])
        assert "Abschnitt" not in str(message["blocks"])

    def test_a_streamed_answer(self, settings: Settings, workspace: SlackServer) -> None:
        """Its steps and the lines below it are in the language that is set for everywhere."""
        settings.SLACK_LANGUAGE = "de"
        asked(direct(ASK_CANTEEN))
        (started,) = workspace.called("chat.startStream")
        assert "Die Dokumente werden durchsucht …" in str(started["chunks"])
        (message,) = workspace.messages[DIRECT]
        assert "Soup is served at noon" in message["text"]
        assert "Abschnitt Hours" in str(message["blocks"])
        assert "section Hours" not in str(message["blocks"])

    def test_a_refusal_and_the_offer_beside_it(
        self, german: ChannelSetting, workspace: SlackServer, settings: Settings
    ) -> None:
        """The stored text is the one that was sent; the offer is for the asker alone, and German as well."""
        settings.CLOSEST_FROM = settings.ANSWER_FROM
        event = asked(mention(ASK_VAULT))
        (message,) = workspace.messages[CHANNEL]
        assert message["text"].startswith(NOTHING_FOUND)
        assert AnswerRow.objects.get(query__request_id=request_of(event)).message == message["text"]
        (offer,) = workspace.ephemeral
        assert offer["user"] == ALICE
        assert offer["text"].startswith("Privat kann ich Ihnen mehr sagen")
        assert "Privat antworten" in str(offer["blocks"])

    @pytest.mark.parametrize(
        ("question", "sentence"),
        [("a", "Die Frage ist zu kurz: Schreiben Sie mindestens 3 Zeichen."), ("x " * 600, "1.199 Zeichen")],
        ids=["short", "long"],
    )
    def test_a_question_that_is_none(
        self, german: ChannelSetting, workspace: SlackServer, question: str, sentence: str
    ) -> None:
        """Numbers are written as Germans write them."""
        asked(mention(question))
        assert sentence in workspace.messages[CHANNEL][0]["text"]

    def test_too_many_questions(self, german: ChannelSetting, workspace: SlackServer, settings: Settings) -> None:
        """The notice of the quota is in the channel's language."""
        settings.SLACK_PERSON_QUOTA = "1/hour"
        asked(mention(ASK_CANTEEN))
        asked(mention(ASK_CANTEEN))
        assert workspace.messages[CHANNEL][1]["text"].startswith("Sie haben in der letzten Stunde viel gefragt")

    def test_a_channel_that_is_switched_off(self, german: ChannelSetting, workspace: SlackServer) -> None:
        """It says so in its language."""
        ChannelSetting.objects.update(enabled=False)
        asked(mention(ASK_CANTEEN))
        assert workspace.messages[CHANNEL][0]["text"].startswith("In diesem Kanal bin ich ausgeschaltet.")

    def test_an_apology(self, german: ChannelSetting, workspace: SlackServer) -> None:
        """Whatever went wrong, the apology is in the channel's language."""
        body = mention(ASK_CANTEEN)
        receive(build_incoming(body, team_id=TEAM, kind=SlackEvent.Kind.MENTION))
        give_up(SlackEvent.objects.get().pk, code="broken")
        assert workspace.messages[CHANNEL][0]["text"].startswith("Entschuldigung, bei mir ist etwas schiefgegangen")

    def test_the_steps_are_german_too(
        self, german: ChannelSetting, workspace: SlackServer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """They are shown from a thread of their own."""
        monkeypatch.setattr(progress, "INTERVAL_S", 0)
        edited = threading.Event()

        def ask(question: str, *, on_step: Callable[[str], None], **options: Any) -> Answer | Refusal:
            on_step("reading")
            for _ in range(1000):
                if workspace.called("chat.update"):
                    break
                edited.wait(0.01)
            return api.ask(question, **options)

        asked(mention(ASK_CANTEEN), ask=ask)
        first, *_ = workspace.called("chat.update")
        assert first["text"] == "Das Gefundene wird gelesen …"
        assert not set(STEPS.values()) & {call["text"] for call in workspace.called("chat.update")}

    def test_two_workers_speak_two_languages_at_once(self, german: ChannelSetting, workspace: SlackServer) -> None:
        """Each in a thread of its own, one waiting for the other in the middle of its answer."""
        workspace.members["C0FRENCH"] = workspace.members[CHANNEL]
        ChannelSetting.objects.create(team_id=TEAM, channel_id="C0FRENCH", language="fr")
        both_answer = threading.Barrier(2, timeout=30)

        def ask(question: str, **options: Any) -> Answer | Refusal:
            both_answer.wait()
            return api.ask(question, **options)

        def work(channel: str) -> None:
            try:
                asked(mention(ASK_CANTEEN, channel=channel), ask=ask)
            finally:
                connection.close()

        threads = [threading.Thread(target=work, args=(channel,)) for channel in (CHANNEL, "C0FRENCH")]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        (german_message,), (french_message,) = workspace.messages[CHANNEL], workspace.messages["C0FRENCH"]
        assert "Zitate zeigen" in str(german_message["blocks"])
        assert "Voir les citations" in str(french_message["blocks"])
        assert "Soup is served at noon" in str(german_message["blocks"])
        assert "Soup is served at noon" in str(french_message["blocks"])


class TestClicks:
    """Tests of the messages to a person who presses a button in the channel."""

    def test_thanks_for_a_vote(self, german: ChannelSetting, workspace: SlackServer) -> None:
        """To who voted alone."""
        event = asked(mention(ASK_CANTEEN))
        press(FEEDBACK_UP, request_of(event), user=ALICE)
        assert [told["text"] for told in workspace.ephemeral] == ["Danke, Ihre Rückmeldung ist gespeichert."]

    def test_the_form_of_a_down_vote(self, german: ChannelSetting, workspace: SlackServer) -> None:
        """The modal is German, and so are the thanks for it, though a sent form names no channel."""
        event = asked(mention(ASK_CANTEEN))
        press(FEEDBACK_DOWN, request_of(event), user=ALICE)
        (opened,), (shown,) = workspace.called("views.open"), workspace.called("views.update")
        assert opened["view"]["title"]["text"] == shown["view"]["title"]["text"] == "Ihre Rückmeldung"
        assert "Es hat zu lange gedauert" in str(shown["view"])
        submit(shown["view"], user=ALICE, reasons=["wrong"], comment=None)
        assert [told["text"] for told in workspace.ephemeral] == ["Danke, Ihre Rückmeldung ist gespeichert."]

    def test_who_may_not_is_told_so(self, german: ChannelSetting, workspace: SlackServer) -> None:
        """The sentence of an error is translated as well."""
        event = asked(mention(ASK_CANTEEN))
        press(FEEDBACK_UP, request_of(event), user=CHARLIE)
        (told,) = workspace.ephemeral
        assert told["text"].startswith("Diese Antwort gibt es nicht")
        assert NotYoursError().message not in str(workspace.ephemeral)

    def test_quotes_are_the_documents(self, german: ChannelSetting, workspace: SlackServer) -> None:
        """The words around them are German."""
        event = asked(mention(ASK_CANTEEN))
        press(SHOW_QUOTES, request_of(event), user=ALICE)
        view = workspace.called("views.update")[-1]["view"]
        assert (view["title"]["text"], view["close"]["text"]) == ("Zitate", "Schließen")
        assert "Soup is served at noon" in str(view)
        assert "Abschnitt Hours" in str(view)

    def test_a_question_is_handed_on(self, german: ChannelSetting, workspace: SlackServer, cast: Cast) -> None:
        """The asker and the people asked read German; the question stays as it was written."""
        german.answering_people.add(cast.bob)
        event = asked(mention(ASK_CANTEEN))
        press(ASK_A_PERSON, request_of(event), user=ALICE)
        post(HandOver.objects.get().pk)
        assert [told["text"] for told in workspace.ephemeral] == ["Ihre Frage ist unterwegs zu Bob."]
        message = workspace.messages[CHANNEL][-1]
        assert message["text"] == "Eine Frage an einen Menschen."
        assert "möchte dazu die Antwort eines Menschen." in str(message["blocks"])
        assert "Als erledigt markieren" in str(message["blocks"])
        assert ASK_CANTEEN in str(message["blocks"])
