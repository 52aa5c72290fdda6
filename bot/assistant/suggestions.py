"""The worker's side of the assistant pane: questions that the library answers to the one who opened it."""

import logging

from bot.blocks.welcome import MOST_PROMPTS, PROMPTS_TITLE, build_prompts
from bot.channels.languages import find_language
from bot.identity import audiences
from bot.slack.errors import SlackRefusedError, translate_errors
from bot.slack.workspace import find_client
from core import api
from core.i18n.translation import say, speak_language

logger = logging.getLogger(__name__)


def suggest_questions(*, team_id: str, channel_id: str, thread_ts: str, slack_user_id: str) -> None:
    """Set the prompts of a thread, drawn from what this person may read now; none when nothing would be answered.

    Can be repeated. SlackUnavailableError when a later attempt may succeed.
    """
    client = find_client(team_id)
    _, audience = audiences.find_account_audience(client, team_id, slack_user_id)
    questions = api.suggested_questions(audience, limit=MOST_PROMPTS)
    if not questions:
        return
    try:
        with translate_errors(), speak_language(find_language(team_id, channel_id)):
            client.assistant_threads_setSuggestedPrompts(
                channel_id=channel_id,
                thread_ts=thread_ts,
                title=say(PROMPTS_TITLE),
                prompts=build_prompts(questions),
            )
    except SlackRefusedError as error:
        # Not every workspace has this method (`unknown_method`); questions are answered all the same.
        logger.info("nothing_suggested", extra={"code": error.code})
