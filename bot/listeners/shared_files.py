"""Let the person who shared files decide whether they are added to the library, where, and for whom."""

import logging
from collections.abc import Callable
from typing import Any

from slack_bolt import Ack, BoltContext
from slack_sdk import WebClient

from bot.blocks import uploads as blocks
from bot.blocks.message import notice
from bot.listeners.interaction import open_view, read_interaction, tell
from bot.models import Upload
from bot.slack.errors import SlackRefusedError, SlackUnavailableError
from bot.uploads import choosing
from bot.uploads.choosing import find_ingester, put
from core.access.audiences import may_decide_who_reads
from core.language.i18n.translation import say, translatable
from core.models import Collection, Role

logger = logging.getLogger(__name__)

_Act = Callable[[dict[str, Any], WebClient, Upload], str]  # what the person is to hear; nothing when all is said

NOT_YOURS = translatable("Only the person who shared the files can decide about them.")
DECIDED = translatable("This has already been decided.")
GONE = translatable("That collection no longer exists. Close this window and press the button again.")
ROLE_GONE = translatable("One of these roles no longer exists. Close this window and press the button again.")
AWAY = translatable("I cannot ask Slack who you are at the moment. Please try again.")


def on_add_files(body: dict[str, Any], context: BoltContext, client: WebClient) -> None:
    """Open the choice of a collection, and of roles, to the one who shared the files and may still add them."""
    _act_on_upload(body, context, client, _open_choice)


def on_keep_out(body: dict[str, Any], context: BoltContext, client: WebClient) -> None:
    """Leave the files alone, and take the buttons away."""
    _act_on_upload(body, context, client, _decline_files)


def _act_on_upload(body: dict[str, Any], context: BoltContext, client: WebClient, act: _Act) -> None:
    interaction, slack_user_id = read_interaction(body), body["user"]["id"]
    upload = choosing.find_upload(interaction.request_id, team_id=context["team_id"], slack_user_id=slack_user_id)
    try:
        said = act(body, client, upload) if upload else say(NOT_YOURS)
    except (SlackRefusedError, SlackUnavailableError) as error:
        logger.warning("press_failed", extra={"code": error.code})
        return
    if said:
        tell(client, slack_user_id, interaction, said)


def _open_choice(body: dict[str, Any], client: WebClient, upload: Upload) -> str:
    user = find_ingester(client, upload.team_id, upload.user_id)
    if not user:
        return say(blocks.NOT_ALLOWED)
    if upload.state != Upload.State.OFFERED:
        return say(DECIDED)
    collections = choosing.list_collections()
    roles = choosing.list_roles() if may_decide_who_reads(user) else []
    is_shortened = max(len(collections), len(roles)) > blocks.MOST_OPTIONS
    modal = blocks.choices_modal(str(upload.pk), collections, roles, is_shortened=is_shortened)
    open_view(client, body["trigger_id"], modal)
    return ""


def _decline_files(_: dict[str, Any], client: WebClient, upload: Upload) -> str:
    if not choosing.decline(upload):
        return say(DECIDED)
    put(client, upload, notice(say(blocks.DECLINED)))
    return ""


def on_files_chosen(ack: Ack, body: dict[str, Any], context: BoltContext, client: WebClient) -> None:
    """Queue the ingestion, then close the window; or say at its first field what is wrong."""
    values = body["view"]["state"]["values"]
    slack_user_id = body["user"]["id"]
    upload = choosing.find_upload(
        body["view"].get("private_metadata") or "", team_id=context["team_id"], slack_user_id=slack_user_id
    )
    try:
        user = find_ingester(client, context["team_id"], slack_user_id) if upload else None
    except (SlackRefusedError, SlackUnavailableError) as error:
        logger.warning("submission_failed", extra={"code": error.code})
        _refuse_choice(ack, say(AWAY))
        return
    chosen = [option["value"] for option in _read_field(values, blocks.ROLES).get("selected_options") or []]
    if not upload or not user or (chosen and not may_decide_who_reads(user)):
        _refuse_choice(ack, say(blocks.NOT_ALLOWED))
        return
    shelf = _read_field(values, blocks.COLLECTION).get("selected_option") or {}
    collection = Collection.objects.filter(pk=shelf["value"]).first() if shelf else None
    granted = list(Role.objects.filter(pk__in=chosen))
    if collection is None:
        _refuse_choice(ack, say(GONE))
    elif len(granted) < len(set(chosen)):
        _refuse_choice(ack, say(ROLE_GONE))
    else:
        choosing.accept(upload, collection=collection, granted=granted)
        ack()


def _read_field(values: dict[str, Any], block: str) -> dict[str, Any]:
    state: dict[str, Any] = (values.get(block) or {}).get(blocks.CHOSEN) or {}
    return state


def _refuse_choice(ack: Ack, sentence: str) -> None:
    ack(response_action="errors", errors={blocks.COLLECTION: sentence})
