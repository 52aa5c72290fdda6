"""Make somebody's Home tab and _publish_home it, and take the questions that are asked there."""

import datetime as dt
import hashlib
import logging
from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.utils import timezone
from slack_bolt import Ack, BoltContext
from slack_sdk import WebClient

from bot import intake
from bot.assistant import take_opening
from bot.blocks.home import (
    ANSWERING,
    Home,
    OpenMatter,
    home,
    home_of_nobody,
    read_asked,
    read_direct_channel,
    read_question,
)
from bot.channels.settings import find_language
from bot.command_line import COMMAND
from bot.identity import audiences
from bot.listeners.agent_pane import note_folded_context
from bot.models import Reply, SlackEvent
from bot.slack.addresses import find_permalink
from bot.slack.errors import SlackRefusedError, SlackUnavailableError, translate_errors
from bot.slack.workspace import is_local
from core import api
from core.errors import FootnoteError, InvalidQuestionError
from core.language.i18n.translation import say, speak_language
from core.models import User
from core.quality.footnotes.changed import list_changed_documents
from core.quality.reports.open_matters import list_open_matters

logger = logging.getLogger(__name__)

QUESTIONS = 5
NEW_DOCUMENTS = 5
CHANGED = 5
NEW_FOR = dt.timedelta(days=30)


def on_home_opened(body: dict[str, Any], context: BoltContext, client: WebClient) -> None:
    """Show the tab as it is for this person now; in the messages, let the worker suggest questions.

    The channel that they have open beside it is remembered.
    """
    event, team_id = body["event"], context["team_id"]
    note_folded_context(body, team_id)
    tab, channel = event.get("tab"), event.get("channel") or ""
    if tab == "home":
        _publish_home(client, team_id, event["user"], channel or "-", event.get("view") or {})
    elif tab == "messages" and channel and body.get("event_id"):
        take_opening(event_id=body["event_id"], team_id=team_id, channel_id=channel, slack_user_id=event["user"])


def take_question(ack: Ack, body: dict[str, Any], context: BoltContext) -> None:
    """Store what stands in the field as a question, before Slack hears that it arrived.

    It is answered in the direct messages, once for each view that was published: whoever presses Enter and the button
    too asks once, and a field that was emptied belongs to another view.
    """
    view = body["view"]
    question = read_question(view)
    if not _find_fault(question):
        intake.receive(
            intake.Incoming(
                event_id=f"home-{view['id']}-{_name_asking(view, question)}",
                team_id=context["team_id"],
                channel_id=read_direct_channel(view),
                user_id=body["user"]["id"],
                kind=SlackEvent.Kind.COMMAND,
                text=question,
            )
        )
    ack()


def tell_where(body: dict[str, Any], context: BoltContext, client: WebClient) -> None:
    """Empty the field, and say beside it where the answer comes; or what is wrong with what was asked."""
    view = body["view"]
    question, channel = read_question(view), read_direct_channel(view)
    with speak_language(find_language(context["team_id"], channel)):
        fault = _find_fault(question)
        _publish_home(
            client,
            context["team_id"],
            body["user"]["id"],
            channel,
            view,
            asked=read_asked(view) if fault else _name_asking(view, question),
            note="" if fault else say(ANSWERING),
            fault=fault,
        )


def _find_fault(question: str) -> str:
    """Say what is wrong with a question; nothing where it can be asked."""
    try:
        api.check_question(question)
    except InvalidQuestionError as error:
        return error.message
    return ""


def _name_asking(view: dict[str, Any], question: str) -> str:
    """Name one asking apart from others: by the question, and the view that it was asked in."""
    return hashlib.sha256(f"{view.get('hash')}/{question}".encode()).hexdigest()[:24]


def _publish_home(
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
    pending = list_open_matters(administrator) if administrator else ()
    return home(
        Home(
            collections=api.readable_collections(audience),
            new=api.new_documents(audience, since=since, limit=NEW_DOCUMENTS),
            questions=questions,
            threads=_find_threads(client, team_id, slack_user_id, [one.request_id for one in questions]),
            changed=list_changed_documents(user_id, audience=audience, since=since, limit=CHANGED) if user_id else (),
            matters=tuple(OpenMatter(kind=one.kind, count=one.count) for one in pending),
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


def _find_admin_url() -> str:
    """Return the admin's address; empty where nobody said at which address people reach it."""
    base = str(settings.PUBLIC_URL) or (f"http://127.0.0.1:{settings.PORT}" if is_local() else "")
    return f"{base.rstrip('/')}/admin/" if base else ""


def _find_threads(client: WebClient, team_id: str, slack_user_id: str, request_ids: Sequence[str]) -> dict[str, str]:
    """Return the addresses of the messages that answered a person's own questions, by the questions' request ids.

    One query, and one call of Slack for each message. What Slack does not know is left out; once Slack cannot be
    reached, it is not asked again.
    """
    posted = Reply.objects.filter(
        query__request_id__in=request_ids,
        event__team_id=team_id,
        event__user_id=slack_user_id,
        state=Reply.State.POSTED,
    )
    found: dict[str, str] = {}
    for request_id, channel, ts in posted.exclude(ts="").values_list("query__request_id", "channel_id", "ts"):
        try:
            found[request_id] = find_permalink(client, channel, ts)
        except SlackRefusedError as error:
            logger.info("thread_not_found", extra={"code": error.code})
        except SlackUnavailableError as error:
            logger.warning("threads_not_found", extra={"code": error.code})
            break
    return found
