"""The person who shared files presses a button below the offer to add them to the library."""

import logging
from collections.abc import Callable
from typing import Any

from slack_bolt import BoltContext
from slack_sdk import WebClient

from bot.blocks import uploads as blocks
from bot.blocks.message import notice
from bot.listeners.interaction import open_view, read_interaction, tell
from bot.models import Upload
from bot.slack.errors import SlackRefusedError, SlackUnavailableError
from bot.uploads import choosing
from bot.uploads.message import put
from bot.uploads.rights import find_ingester, may_grant
from core.language.i18n.translation import say, translatable
from core.models import User

logger = logging.getLogger(__name__)

_Act = Callable[[dict[str, Any], WebClient, Upload], str]  # what the person is to hear; nothing when all is said

NOT_YOURS = translatable("Only the person who shared the files can decide about them.")
DECIDED = translatable("This has already been decided.")


def on_add_files(body: dict[str, Any], context: BoltContext, client: WebClient) -> None:
    """Open the choice of a collection, and of roles, to the one who shared the files and may still add them."""
    _act(body, context, client, _choose)


def on_keep_out(body: dict[str, Any], context: BoltContext, client: WebClient) -> None:
    """Leave the files alone, and take the buttons away."""
    _act(body, context, client, _keep_out)


def build_modal(upload: Upload, user: User) -> dict[str, Any]:
    """The choices that this person has."""
    collections = choosing.list_collections()
    roles = choosing.list_roles() if may_grant(user) else []
    is_shortened = max(len(collections), len(roles)) > blocks.MOST_OPTIONS
    return blocks.choices_modal(str(upload.pk), collections, roles, is_shortened=is_shortened)


def _act(body: dict[str, Any], context: BoltContext, client: WebClient, act: _Act) -> None:
    interaction, slack_user_id = read_interaction(body), body["user"]["id"]
    upload = choosing.find_upload(interaction.request_id, team_id=context["team_id"], slack_user_id=slack_user_id)
    try:
        said = act(body, client, upload) if upload else say(NOT_YOURS)
    except (SlackRefusedError, SlackUnavailableError) as error:
        logger.warning("press_failed", extra={"code": error.code})
        return
    if said:
        tell(client, slack_user_id, interaction, said)


def _choose(body: dict[str, Any], client: WebClient, upload: Upload) -> str:
    user = find_ingester(client, upload.team_id, upload.user_id)
    if not user:
        return say(blocks.NOT_ALLOWED)
    if upload.state != Upload.State.OFFERED:
        return say(DECIDED)
    open_view(client, body["trigger_id"], build_modal(upload, user))
    return ""


def _keep_out(_: dict[str, Any], client: WebClient, upload: Upload) -> str:
    if not choosing.decline(upload):
        return say(DECIDED)
    put(client, upload, notice(say(blocks.DECLINED)))
    return ""
