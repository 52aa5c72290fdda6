"""Record a person's vote on an answer, from a button or a modal."""

import logging
from collections.abc import Iterable
from dataclasses import dataclass

from slack_sdk import WebClient

from bot.identity.interactions import check_interaction
from bot.slack.errors import SlackRefusedError, SlackUnavailableError
from core import api
from core.errors import FootnoteError
from core.language.i18n.translation import say, translatable
from core.types import Answer, Opinion, Refusal

logger = logging.getLogger(__name__)

THANKS = translatable("Thank you, your feedback is recorded.")
FAILED = translatable("Your feedback could not be recorded. Please try again in a moment.")


@dataclass(frozen=True, kw_only=True, slots=True)
class Vote:
    """A vote that was stored, and the answer that it is about as the voter may read it."""

    opinion: Opinion
    result: Answer | Refusal


def record(
    client: WebClient,
    team_id: str,
    slack_user_id: str,
    request_id: str,
    *,
    verdict: str,
    reasons: Iterable[str] | None = None,
    comment: str | None = None,
) -> Vote | str:
    """Store the vote of somebody who may read the answer now. Return it, or a sentence that says why nothing is stored.

    reasons, comment: None leaves what was said before with the same verdict.
    """
    try:
        press = check_interaction(client, team_id, slack_user_id, request_id)
        opinion = api.give_feedback(
            request_id, user_id=press.user_id, verdict=verdict, reasons=reasons, comment=comment
        )
        return Vote(opinion=opinion, result=press.result)
    except (SlackRefusedError, SlackUnavailableError) as error:
        logger.warning("feedback_failed", extra={"code": error.code})
        return say(FAILED)
    except FootnoteError as error:
        return say(error.message)
