"""Find where in Slack a person's questions were answered."""

import logging
from collections.abc import Sequence

from slack_sdk import WebClient

from bot.models import Reply
from bot.slack.errors import SlackRefusedError, SlackUnavailableError
from bot.slack.messages import find_permalink

logger = logging.getLogger(__name__)


def find_threads(client: WebClient, team_id: str, slack_user_id: str, request_ids: Sequence[str]) -> dict[str, str]:
    """Return the addresses of the messages that answered a person's own questions, by the questions' request ids.

    One query, and one call of Slack for each message. What Slack does not know is left out; once Slack cannot be
    reached, it is not asked again.
    """
    posted = Reply.objects.filter(
        query__request_id__in=request_ids,
        event__team_id=team_id,
        event__user_id=slack_user_id,
        state=Reply.State.POSTED,
    )
    found: dict[str, str] = {}
    for request_id, channel, ts in posted.exclude(ts="").values_list("query__request_id", "channel_id", "ts"):
        try:
            found[request_id] = find_permalink(client, channel, ts)
        except SlackRefusedError as error:
            logger.info("thread_not_found", extra={"code": error.code})
        except SlackUnavailableError as error:
            logger.warning("threads_not_found", extra={"code": error.code})
            break
    return found
