"""The owner of a source sends what they wrote."""

from typing import Any

from slack_bolt import BoltContext
from slack_sdk import WebClient

from bot.blocks.interaction import Interaction
from bot.blocks.owners import read_words
from bot.channels.languages import find_language
from bot.listeners.interaction import describe_error, read_id, tell
from bot.models import OwnerQuestion
from bot.owners import asking
from core.errors import FootnoteError
from core.language.i18n.translation import speak_language


def on_owner_wrote(body: dict[str, Any], context: BoltContext, client: WebClient) -> None:
    """Record the words and pass them on; what is refused is told to the owner."""
    question_id, channel_id, words = read_words(body["view"])
    slack_user_id = body["user"]["id"]
    with speak_language(find_language(context["team_id"], channel_id)):
        try:
            row = asking.answer(
                client,
                read_id(question_id),
                team_id=context["team_id"],
                by=slack_user_id,
                verdict=OwnerQuestion.Verdict.WRITTEN,
                words=words,
            )
        except FootnoteError as error:
            place = Interaction(request_id=question_id, channel_id=channel_id)
            tell(client, slack_user_id, place, describe_error(error))
            return
        asking.show_answered(client, row)
