"""The worker's side of opening a conversation: questions that the library answers to the one who opened it."""

import logging

from slack_sdk import WebClient

from bot.assistant.openings import greet_once
from bot.blocks.guide import GREETING_TO_NOBODY, MOST_PROMPTS, PROMPTS_TITLE, build_help_prompt, build_prompts
from bot.blocks.library import NOTHING_GIVEN
from bot.channels.languages import find_language
from bot.identity import audiences
from bot.slack.errors import SlackRefusedError, translate_errors
from bot.slack.workspace import find_client
from core import api
from core.language.i18n.translation import say, speak_language
from core.language.query_understanding.courtesies import GREETING

logger = logging.getLogger(__name__)


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
            _set_prompts(client, channel_id, thread_ts, build_prompts(questions) or [build_help_prompt()])
            if not thread_ts:
                nobody = GREETING_TO_NOBODY if user_id is None else NOTHING_GIVEN
                greeting = say(nobody if audience.reads_nothing else GREETING)
                greet_once(
                    client, team_id=team_id, channel_id=channel_id, slack_user_id=slack_user_id, greeting=greeting
                )
    except SlackRefusedError as error:
        # `unknown_method` where a workspace has no such thing, `not_agent_app` where the app is none: questions are
        # answered all the same.
        logger.info("nothing_suggested", extra={"code": error.code})


def _set_prompts(client: WebClient, channel_id: str, thread_ts: str, prompts: list[dict[str, str]]) -> None:
    client.assistant_threads_setSuggestedPrompts(
        channel_id=channel_id, thread_ts=thread_ts or None, title=say(PROMPTS_TITLE), prompts=prompts
    )
