"""Show a research to its asker, in their direct messages: the plan, how far it is, and what came of it.

It is one message, the reply to the wish. Whatever it shows is found anew each time, by what its asker may read then.
"""

import logging
from uuid import UUID

from django.db import transaction
from slack_sdk import WebClient

from bot.blocks.message import Message, notice
from bot.blocks.research import GONE, Shown, plan_message, research_progress_message, result_message
from bot.channels.settings import find_language
from bot.command_line import find_topic
from bot.delivery.rendering import render_message, render_sentence
from bot.delivery.results import find_question
from bot.delivery.surfaces import Rendering, find_posted
from bot.identity import audiences
from bot.identity.interactions import UnknownPersonError
from bot.identity.own_account import find_own_url
from bot.models import Reply, ResearchMessage
from bot.slack.idempotent import DeletedMessageError
from bot.slack.workspace import find_client
from core import api
from core.errors import InvalidQuestionError, NotFoundError, OverBudgetError
from core.filters import filters_from_json
from core.infrastructure.public_address import build_research_address
from core.language.i18n.translation import say, speak_language, translatable
from core.types import Origin
from core.values.research import Research, ResearchState

logger = logging.getLogger(__name__)

OVER_BUDGET = translatable("I cannot plan this now, because a monthly budget for language models is used up.")


def compose_plan(client: WebClient, reply: Reply) -> tuple[Rendering, str]:
    """Plan the research that somebody wishes, unless an earlier attempt did; with a code where nothing was planned."""
    row = ResearchMessage.objects.select_related("reply__event").filter(reply=reply).first()
    try:
        row = row or _plan(client, reply)
    except OverBudgetError:
        return render_sentence(say(OVER_BUDGET)), "over_quota"
    except (InvalidQuestionError, NotFoundError, UnknownPersonError) as error:
        return render_sentence(say(error.message)), "no_plan"
    return render_message(compose(client, row)), ""


def _plan(client: WebClient, reply: Reply) -> ResearchMessage:
    event = reply.event
    readers = audiences.find_readers(client, event)
    if readers.asker.user_id is None:
        raise UnknownPersonError
    typed = find_question(client, reply)
    topic = find_topic(typed) if event.ts else typed
    research_id = _find_planned(reply, topic, readers.asker.user_id) or api.plan_research(
        topic,
        asker=readers.asker,
        audience=readers.audience,
        origin=Origin.SLACK,
        filters=filters_from_json(event.filters),
    )
    with transaction.atomic():
        row = ResearchMessage.objects.create(reply=reply, research_id=research_id)
        event.text, event.filters = "", {}  # the research holds them now
        event.save(update_fields=["text", "filters"])
    return row


def _find_planned(reply: Reply, topic: str, user_id: UUID) -> UUID | None:
    """Return the research that an earlier attempt planned and did not record; None where there is none."""
    if reply.attempts < 2:
        return None
    since = [one for one in api.list_researches(user_id) if one.created_at >= reply.created_at]
    recent = [one for one in since if " ".join(one.topic.split()) == " ".join(topic.split())]
    known = set(
        ResearchMessage.objects.filter(research__in=[one.research_id for one in recent]).values_list(
            "research", flat=True
        )
    )
    return next((one.research_id for one in recent if one.research_id not in known), None)


def compose(client: WebClient, row: ResearchMessage) -> Message:
    """Return the message as it is to stand now, for its asker alone."""
    research = read_own(client, row)
    if research is None:
        return notice(say(GONE))
    shown = Shown(
        message_id=str(row.pk),
        page_address=build_research_address(research.research_id),
        canvas_address=_build_canvas_address(client, row),
        canvas_problem=row.canvas_problem,
    )
    if research.has_ended:
        return result_message(research, shown)
    if research.state is ResearchState.PLANNED:
        estimate = api.estimate_research(len(research.questions), user_id=research.user_id)
        return plan_message(research, shown, estimate=estimate, budget=row.budget)
    return research_progress_message(research, shown)


def read_own(client: WebClient, row: ResearchMessage) -> Research | None:
    """Return the research of a message as its asker may see it now; None where it is deleted, or they may not."""
    event = row.reply.event
    user_id, audience = audiences.find_account_audience(client, event.team_id, event.user_id)
    if user_id is None or row.research_id is None:
        return None
    try:
        return api.read_research(row.research_id, user_id=user_id, audience=audience)
    except NotFoundError:
        return None


def _build_canvas_address(client: WebClient, row: ResearchMessage) -> str:
    """Return where Slack opens the canvas of a research: below the address of the workspace."""
    if not row.canvas_id:
        return ""
    return f"{find_own_url(client) or 'https://slack.com/'}docs/{row.reply.event.team_id}/{row.canvas_id}"


def show(message_id: UUID) -> None:
    """Let the message of a research show it as it is now; nothing where there is no message, or it was deleted.

    SlackUnavailableError when a later attempt may succeed.
    """
    row = ResearchMessage.objects.select_related("reply__event").filter(pk=message_id).first()
    if row is None or not row.reply.ts:  # who posts it shows what is so then
        return
    client, event = find_client(row.reply.event.team_id), row.reply.event
    with speak_language(find_language(event.team_id, event.channel_id)):
        try:
            find_posted(client, row.reply).edit(compose(client, row))
        except DeletedMessageError:
            logger.info("research_not_shown", extra={"research_message": str(message_id), "code": "message_not_found"})


def note_unshown(message_id: UUID, *, code: str) -> None:
    """Log that a message does not show how its research is now."""
    logger.warning("research_not_shown", extra={"research_message": str(message_id), "code": code})
