"""The choice of where shared files go is submitted."""

import logging
from typing import Any

from slack_bolt import Ack, BoltContext
from slack_sdk import WebClient

from bot.blocks.uploads import CHOSEN, COLLECTION, NOT_ALLOWED, ROLES
from bot.slack.errors import SlackRefusedError, SlackUnavailableError
from bot.uploads import choosing
from bot.uploads.rights import find_ingester, may_grant
from core.language.i18n.translation import say, translatable
from core.models import Collection, Role

logger = logging.getLogger(__name__)

GONE = translatable("That collection no longer exists. Close this window and press the button again.")
ROLE_GONE = translatable("One of these roles no longer exists. Close this window and press the button again.")
AWAY = translatable("I cannot ask Slack who you are at the moment. Please try again.")


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
        _refuse(ack, say(AWAY))
        return
    chosen = [option["value"] for option in _read_state(values, ROLES).get("selected_options") or []]
    if not upload or not user or (chosen and not may_grant(user)):
        _refuse(ack, say(NOT_ALLOWED))
        return
    shelf = _read_state(values, COLLECTION).get("selected_option") or {}
    collection = Collection.objects.filter(pk=shelf["value"]).first() if shelf else None
    granted = list(Role.objects.filter(pk__in=chosen))
    if collection is None:
        _refuse(ack, say(GONE))
    elif len(granted) < len(set(chosen)):
        _refuse(ack, say(ROLE_GONE))
    else:
        choosing.accept(upload, collection=collection, granted=granted)
        ack()


def _read_state(values: dict[str, Any], block: str) -> dict[str, Any]:
    state: dict[str, Any] = (values.get(block) or {}).get(CHOSEN) or {}
    return state


def _refuse(ack: Ack, sentence: str) -> None:
    ack(response_action="errors", errors={COLLECTION: sentence})
