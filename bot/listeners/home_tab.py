"""Making somebody's Home tab and publishing it."""

import datetime as dt
import logging
from typing import Any

from django.conf import settings
from django.utils import timezone
from slack_sdk import WebClient

from bot.blocks.home import Home, home, home_of_nobody
from bot.blocks.open_matters import OpenMatter
from bot.command_line import COMMAND
from bot.identity import audiences
from bot.identity.threads import find_threads
from bot.slack.errors import SlackRefusedError, SlackUnavailableError, translate_errors
from bot.slack.workspace import is_local
from core import api
from core.errors import FootnoteError
from core.models import User
from core.quality.footnotes.changed import list_changed_documents
from core.quality.reports.open_matters import list_open_matters

logger = logging.getLogger(__name__)

QUESTIONS = 5
NEW_DOCUMENTS = 5
CHANGED = 5
NEW_FOR = dt.timedelta(days=30)


def publish(
    client: WebClient,
    team_id: str,
    slack_user_id: str,
    direct_channel: str,
    published: dict[str, Any],
    *,
    asked: str = "",
    note: str = "",
    fault: str = "",
) -> None:
    """Publish the Home tab, made for this person as they may read now, unless the published one shows just that.

    published: the view as Slack last told of it. asked, note, fault: see bot.blocks.home.Home.
    """
    try:
        view = _build_view(client, team_id, slack_user_id, direct_channel, asked=asked, note=note, fault=fault)
        if published.get("private_metadata") == view["private_metadata"]:
            return
        with translate_errors():
            # Who has just asked has to see that, whatever was published meanwhile.
            known = None if note or fault else published.get("hash")
            client.views_publish(user_id=slack_user_id, view=view, hash=known)
    except (SlackRefusedError, SlackUnavailableError) as error:
        if error.code != "hash_conflict":  # somebody else was faster, and has published the same
            logger.warning("home_not_shown", extra={"code": error.code})
    except FootnoteError as error:
        logger.warning("home_not_shown", extra={"code": type(error).__name__})


def _build_view(
    client: WebClient, team_id: str, slack_user_id: str, direct_channel: str, *, asked: str, note: str, fault: str
) -> dict[str, Any]:
    user_id, audience = audiences.find_account_audience(client, team_id, slack_user_id)
    contact = str(settings.SLACK_HELP_TEXT)
    if user_id is None and audience.reads_nothing:
        return home_of_nobody(contact)
    since = timezone.now() - NEW_FOR
    questions = api.recent_questions(user_id, audience=audience, limit=QUESTIONS) if user_id else ()
    administrator = User.objects.filter(pk=user_id, is_active=True, is_staff=True).first() if user_id else None
    return home(
        Home(
            collections=api.readable_collections(audience),
            new=api.new_documents(audience, since=since, limit=NEW_DOCUMENTS),
            questions=questions,
            threads=find_threads(client, team_id, slack_user_id, [one.request_id for one in questions]),
            changed=list_changed_documents(user_id, audience=audience, since=since, limit=CHANGED) if user_id else (),
            matters=_list_matters(administrator) if administrator else (),
            contact=contact,
            command=COMMAND,
            direct_channel=direct_channel,
            admin_url=_find_admin_url() if administrator else "",
            docs_url=str(settings.DOCS_URL),
            asked=asked,
            note=note,
            fault=fault,
        )
    )


def _list_matters(administrator: User) -> tuple[OpenMatter, ...]:
    return tuple(OpenMatter(kind=one.kind, count=one.count) for one in list_open_matters(administrator))


def _find_admin_url() -> str:
    """Return the admin's address; empty where nobody said at which address people reach it."""
    base = str(settings.PUBLIC_URL) or (f"http://127.0.0.1:{settings.PORT}" if is_local() else "")
    return f"{base.rstrip('/')}/admin/" if base else ""
