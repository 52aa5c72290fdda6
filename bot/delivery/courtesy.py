"""Reply to somebody who asks nothing: with a word that helps, and without a search."""

from slack_sdk import WebClient

from bot.blocks.guide import introduction
from bot.command_line import COMMAND
from bot.delivery.rendering import render_message, render_sentence
from bot.delivery.surfaces import Rendering
from bot.identity.own_account import find_own_user_id
from bot.models import SlackEvent
from bot.slack.markup import extract_question
from core import api
from core.language.query_understanding.courtesies import SmallTalk, recognise, reply_to


def find_courtesy(client: WebClient, event: SlackEvent) -> Rendering | None:
    """Find the reply to a message that is no question; None when it may be one.

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
