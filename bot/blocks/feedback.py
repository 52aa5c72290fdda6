"""The modal that asks what was wrong with an answer, and what a person filled in."""

import json
from dataclasses import asdict
from typing import Any

from slack_sdk.models.blocks import CheckboxesElement, InputBlock, Option, PlainTextInputElement
from slack_sdk.models.views import View

from bot.blocks.modals import Interaction
from bot.blocks.text import section
from core.language.i18n.translation import say, translatable
from core.types import LONGEST_COMMENT, FeedbackReason, Opinion

FEEDBACK_MODAL = "feedback"  # the callback_id
TITLE = translatable("Your feedback")
_REASONS, _COMMENT = "reasons", "comment"
_IN_WORDS = {
    FeedbackReason.WRONG: translatable("It is wrong"),
    FeedbackReason.NOT_FOUND: translatable("It was not found, though the documents say it"),
    FeedbackReason.BAD_SOURCE: translatable("The sources are bad or out of date"),
    FeedbackReason.TOO_SLOW: translatable("It took too long"),
    FeedbackReason.OTHER: translatable("Something else"),
}


def feedback_modal(interaction: Interaction, said: Opinion) -> dict[str, Any]:
    """Build a form with the reasons and the comment that the person gave before. Their vote counts already."""
    options = {reason: Option(value=reason.value, text=say(words)) for reason, words in _IN_WORDS.items()}
    ticked = [option for reason, option in options.items() if reason in said.reasons]
    reasons = CheckboxesElement(action_id=_REASONS, options=list(options.values()), initial_options=ticked or None)
    comment = PlainTextInputElement(
        action_id=_COMMENT, multiline=True, max_length=LONGEST_COMMENT, initial_value=said.comment or None
    )
    view = View(
        type="modal",
        callback_id=FEEDBACK_MODAL,
        title=say(TITLE),
        submit=say("Send"),
        close=say("Skip"),
        private_metadata=json.dumps(asdict(interaction)),
        blocks=[
            section(say("Your vote is recorded. What was wrong?")),
            InputBlock(block_id=_REASONS, label=say("Reasons"), element=reasons, optional=True),
            InputBlock(
                block_id=_COMMENT, label=say("Anything that would help to fix it"), element=comment, optional=True
            ),
        ],
    )
    return dict(view.to_dict())


def read_feedback(view: dict[str, Any]) -> tuple[Interaction, Opinion]:
    """Read a sent form: the answer that it is about, and the person's opinion."""
    values = view["state"]["values"]
    chosen = {option["value"] for option in values[_REASONS][_REASONS].get("selected_options") or []}
    comment = str(values[_COMMENT][_COMMENT].get("value") or "").replace("\x00", "").strip()
    reasons = tuple(reason for reason in FeedbackReason if reason.value in chosen)
    return Interaction(**json.loads(view["private_metadata"])), Opinion(
        verdict="down", reasons=reasons, comment=comment[:LONGEST_COMMENT]
    )
