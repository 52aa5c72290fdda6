"""Suggest questions that the library answers to somebody who opens a conversation with Footnote, and greet them.

They open it in the direct messages, where Footnote is an agent, or by a thread of the assistant pane.
"""

import logging

from django.db import transaction
from slack_sdk import WebClient

from bot.blocks.guide import GREETING_TO_NOBODY, MOST_PROMPTS, PROMPTS_TITLE, build_help_prompt, build_prompts
from bot.blocks.library import NOTHING_GIVEN
from bot.blocks.message import notice
from bot.channels.settings import find_language
from bot.identity import audiences
from bot.models import Opening, Reply
from bot.slack.errors import SlackRefusedError, translate_errors
from bot.slack.idempotent import IdempotentMessage
from bot.slack.workspace import find_client
from core import api
from core.infrastructure import queue
from core.language.i18n.translation import say, speak_language
from core.language.query_understanding.courtesies import GREETING

logger = logging.getLogger(__name__)


def take_opening(*, event_id: str, team_id: str, channel_id: str, slack_user_id: str) -> bool:
    """Queue that questions are suggested, once for each event. False for an event that was heard before."""
    with transaction.atomic():
        opening, is_new = Opening.objects.select_for_update().get_or_create(
            team_id=team_id,
            slack_user_id=slack_user_id,
            defaults={"channel_id": channel_id, "last_event_id": event_id},
        )
        if not is_new and opening.last_event_id == event_id:
            return False
        opening.channel_id, opening.last_event_id = channel_id, event_id
        opening.save(update_fields=["channel_id", "last_event_id"])
        lock = f"opening/{opening.pk}"
        queue.enqueue_once(queue.SUGGEST, lock, team=team_id, channel=channel_id, thread="", user=slack_user_id)
    return True


def _greet_once(client: WebClient, *, team_id: str, channel_id: str, slack_user_id: str, greeting: str) -> None:
    """Post the greeting where this person was never greeted and never asked anything. Can be repeated.

    SlackRefusedError and SlackUnavailableError as they come.
    """
    opening = Opening.objects.filter(team_id=team_id, slack_user_id=slack_user_id, channel_id=channel_id).first()
    asked = Reply.objects.filter(channel_id=channel_id, event__team_id=team_id, event__user_id=slack_user_id)
    if opening is None or opening.ts or asked.exists():
        return

    def record(ts: str) -> None:
        opening.ts = ts
        opening.save(update_fields=["ts"])

    message = IdempotentMessage(
        client=client,
        team_id=team_id,
        channel_id=channel_id,
        thread_ts="",
        marker=f"opening-{opening.pk}",
        ts=opening.ts,
        since=f"{opening.opened_at.timestamp():.6f}",
        record=record,
    )
    message.ensure(lambda: notice(greeting))


def suggest_questions(*, team_id: str, channel_id: str, thread_ts: str, slack_user_id: str) -> None:
    """Set prompts, drawn from what this person may read now. Can be repeated.

    thread_ts: of the assistant pane's thread, where there are none when nothing would be answered. Empty in the direct
    messages with an agent: there a prompt asks for help in their place, and who opens them first is greeted. For an
    agent Slack ignores prompts for a thread without a word, and for another app it refuses those for none.

    SlackUnavailableError when a later attempt may succeed.
    """
    client = find_client(team_id)
    user_id, audience = audiences.find_account_audience(client, team_id, slack_user_id)
    questions = api.suggested_questions(audience, limit=MOST_PROMPTS)
    if thread_ts and not questions:
        return
    try:
        with translate_errors(), speak_language(find_language(team_id, channel_id)):
            client.assistant_threads_setSuggestedPrompts(
                channel_id=channel_id,
                thread_ts=thread_ts or None,
                title=say(PROMPTS_TITLE),
                prompts=build_prompts(questions) or [build_help_prompt()],
            )
            if not thread_ts:
                nobody = GREETING_TO_NOBODY if user_id is None else NOTHING_GIVEN
                greeting = say(nobody if audience.reads_nothing else GREETING)
                _greet_once(
                    client, team_id=team_id, channel_id=channel_id, slack_user_id=slack_user_id, greeting=greeting
                )
    except SlackRefusedError as error:
        # `unknown_method` where a workspace has no such thing, `not_agent_app` where the app is none: questions are
        # answered all the same.
        logger.info("nothing_suggested", extra={"code": error.code})
