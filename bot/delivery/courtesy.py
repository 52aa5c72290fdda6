"""What is said to somebody who asks nothing, or who has nothing to read: a word that helps, and no search."""

from django.conf import settings
from slack_sdk import WebClient

from bot.blocks.guide import NOBODY_NAMED, introduction
from bot.blocks.home import UNKNOWN
from bot.blocks.library import NOTHING_GIVEN
from bot.command_line import COMMAND
from bot.delivery.rendering import render_message, render_sentence
from bot.delivery.surfaces import Rendering
from bot.identity import audiences
from bot.identity.own_account import find_own_user_id
from bot.models import SlackEvent
from bot.slack.markup import extract_question
from core import api
from core.language.i18n.translation import say
from core.language.query_understanding.courtesies import SmallTalk, recognise, reply_to
from core.types import Guidance


def find_courtesy(client: WebClient, event: SlackEvent) -> Rendering | None:
    """The reply to a message that is no question; None when it may be one.

    A wish for a new topic ends the conversation of the thread in which it is written.
    """
    if event.about_id or event.selected_text or not event.text:
        return None
    text = extract_question(event.text, own_user_id=find_own_user_id(client))
    meant = recognise(text)
    if meant is None:
        return None
    if meant is SmallTalk.HELP:
        return render_message(introduction(COMMAND))
    if meant is SmallTalk.NEW_TOPIC and event.kind in SlackEvent.IN_THREADS:
        api.end_slack_thread(slack_team=event.team_id, slack_channel=event.channel_id, slack_thread=event.thread_ts)
    return render_sentence(reply_to(text))


def explain_nothing_to_read(client: WebClient, event: SlackEvent, guidance: Guidance | None) -> str:
    """Why the one reader of a refusal has nothing to search in, and whom to ask; empty where there is something."""
    if guidance is None or guidance.collections or event.is_public:
        return ""
    is_known = audiences.find_readers(client, event).asker.user_id is not None
    contact = str(settings.SLACK_HELP_TEXT).strip()
    if is_known:  # which names the administrator already
        return f"{say(NOTHING_GIVEN)} {contact}".strip()
    return f"{say(UNKNOWN)} {contact or say(NOBODY_NAMED)}"
