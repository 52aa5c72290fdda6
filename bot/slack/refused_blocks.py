"""Messages in the newest blocks that a workspace takes: where it refuses one, the same message goes out in older ones.

A refused call has posted nothing, so what is sent after it is the only message; who is killed in between begins again
with the newest blocks, and is refused again. A refusal is remembered for a while, in this process.
"""

import datetime as dt
import logging
from collections.abc import Callable
from typing import Any, TypeVar

from django.utils import timezone

from bot.blocks.message import Message
from bot.blocks.older import MOST_STEPS, make_older, make_view_older
from bot.slack.errors import SlackRefusedError

logger = logging.getLogger(__name__)

Made = TypeVar("Made")

_REFUSED_FOR = dt.timedelta(minutes=30)  # how long a team is not sent again what it refused
# Slack's words for blocks that it does not take; the last is what the address of a press or a command answers.
_NOT_TAKEN = frozenset({"invalid_blocks", "invalid_blocks_format", "http_400"})
_VIEW_NOT_TAKEN = frozenset({"invalid_arguments", "invalid_blocks"})

_refused: dict[str, tuple[int, dt.datetime]] = {}  # team: the step that it took, and since when


def send(team_id: str, said: Message, call: Callable[[Message], Made]) -> Made:
    """Return what the call returns for the message in the newest blocks that the team takes.

    call: posts a message, or lets one say it, and may be repeated where it is refused. SlackRefusedError where the
    message is refused whatever its blocks are, and every other error of the call.
    """
    taken, since = _refused.get(team_id, (0, None))
    forms = _list_forms(said, taken if since and timezone.now() - since < _REFUSED_FOR else 0)
    step, made = _try_forms(team_id, forms, call)
    if step != forms[0][0]:
        _refused[team_id] = (step, timezone.now())
    return made


def _try_forms(team_id: str, forms: list[tuple[int, Message]], call: Callable[[Message], Made]) -> tuple[int, Made]:
    """Return the step of the first of the forms that the team takes, and what the call returned for it."""
    (step, form), *older = forms
    try:
        return step, call(form)
    except SlackRefusedError as error:
        if error.code not in _NOT_TAKEN or not older:
            raise
        _note_refusal(team_id, step)
    return _try_forms(team_id, older, call)


def _note_refusal(team_id: str, step: int) -> None:
    """Log a refusal: where a worker may be killed between the call that was refused and the next."""
    logger.info("blocks_refused", extra={"team": team_id, "step": step})


def send_view(view: dict[str, Any], call: Callable[[dict[str, Any]], Made]) -> Made:
    """Return what the call returns for a view, or for the same in older blocks where the newer ones are refused."""
    try:
        return call(view)
    except SlackRefusedError as error:
        older = make_view_older(view)
        if error.code not in _VIEW_NOT_TAKEN or older == view:
            raise
        return call(older)


def _list_forms(said: Message, first: int) -> list[tuple[int, Message]]:
    """Return the forms of a message from a step on, without those that are as the one before."""
    forms = [(step, make_older(said, step)) for step in range(first, MOST_STEPS + 1)]
    return [each for place, each in enumerate(forms) if not place or each[1] != forms[place - 1][1]]
