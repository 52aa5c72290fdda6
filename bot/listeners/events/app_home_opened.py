"""Somebody opens our Home tab."""

import logging
from typing import Any

from django.conf import settings
from slack_bolt import BoltContext
from slack_sdk import WebClient

from bot.blocks.home import Home, home, home_of_nobody
from bot.command_line import COMMAND
from bot.identity import audiences
from bot.slack.errors import SlackRefusedError, SlackUnavailableError, translate_errors
from core import api
from core.errors import FootnoteError

logger = logging.getLogger(__name__)

_QUESTIONS = 5


def on_home_opened(body: dict[str, Any], context: BoltContext, client: WebClient) -> None:
    """Publish the Home tab, made for this person as they may read now, unless the published one shows just that."""
    event = body["event"]
    if event.get("tab") != "home":
        return
    try:
        view = _build_view(client, context["team_id"], event["user"])
        published = event.get("view") or {}
        if published.get("private_metadata") == view["private_metadata"]:
            return
        with translate_errors():
            client.views_publish(user_id=event["user"], view=view, hash=published.get("hash"))
    except (SlackRefusedError, SlackUnavailableError) as error:
        if error.code != "hash_conflict":  # another opening was faster, and has published the same
            logger.warning("home_not_shown", extra={"code": error.code})
    except FootnoteError as error:
        logger.warning("home_not_shown", extra={"code": type(error).__name__})


def _build_view(client: WebClient, team_id: str, slack_user_id: str) -> dict[str, Any]:
    user_id, audience = audiences.find_account_audience(client, team_id, slack_user_id)
    contact = str(settings.SLACK_HELP_TEXT)
    if user_id is None and audience.reads_nothing:
        return home_of_nobody(contact)
    questions = api.recent_questions(user_id, audience=audience, limit=_QUESTIONS) if user_id else ()
    collections = api.readable_collections(audience)
    return home(Home(collections=collections, questions=questions, contact=contact, command=COMMAND))
