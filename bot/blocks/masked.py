"""Why there are dots in what is quoted: they stand for the letters of a password or a key."""

import json
from collections.abc import Sequence

from slack_sdk.models.blocks import Block

from bot.blocks.text import context
from core.language.i18n.translation import say, translatable
from core.values.secrets import MASK

DOTS_HIDE = translatable("Dots hide a password or key. Who looks after the document can tell you more.")
_FEWEST_DOTS = 4  # in a row: fewer may be anybody's own, such as the bullets of a list


def explain_dots(blocks: Sequence[Block]) -> list[Block]:
    """Build a line that says what the dots in these blocks are; none where no masked secret is shown in them."""
    shown = json.dumps([block.to_dict() for block in blocks], ensure_ascii=False)
    return [context(say(DOTS_HIDE))] if MASK * _FEWEST_DOTS in shown else []
