"""Let its asker start, change, stop and delete a research, and wish a canvas of it. Nobody else can do anything."""

from collections.abc import Callable
from typing import Any

from slack_bolt import Ack, BoltContext
from slack_sdk import WebClient

from bot.blocks.modals import text_modal
from bot.blocks.research import PLAN, WINDOW_TITLE, ChangedPlan, match_questions, plan_modal, read_changed_plan
from bot.channels.settings import find_language
from bot.identity.interactions import OwnResearch, find_own_research
from bot.listeners.interaction import FAILED, describe_error, open_modal, read_id, read_interaction, show, tell
from core import api
from core.errors import FootnoteError
from core.infrastructure import queue
from core.language.i18n.translation import say, speak_language


def on_start_research(body: dict[str, Any], context: BoltContext, client: WebClient) -> None:
    """Let the worker ask the questions of the plan, within its limits."""

    def start(own: OwnResearch) -> None:
        api.start_research(own.research_id, user_id=own.user_id, budget=own.message.budget)

    _act(body, context, client, start)


def on_stop_research(body: dict[str, Any], context: BoltContext, client: WebClient) -> None:
    """Stop it; what was found is kept."""
    _act(body, context, client, lambda own: api.stop_research(own.research_id, user_id=own.user_id))


def on_delete_research(body: dict[str, Any], context: BoltContext, client: WebClient) -> None:
    """Delete it, or drop its plan."""
    _act(body, context, client, lambda own: api.delete_research(own.research_id, user_id=own.user_id))


def on_make_canvas(body: dict[str, Any], context: BoltContext, client: WebClient) -> None:
    """Queue that a canvas is made of its page."""
    _act(body, context, client, lambda own: queue.make_canvas(own.message.pk))


def _act(
    body: dict[str, Any],
    context: BoltContext,
    client: WebClient,
    act: Callable[[OwnResearch], object],
) -> None:
    """Do something with the research of a message for its asker, and queue that the message shows it."""
    interaction, slack_user_id = read_interaction(body), body["user"]["id"]
    try:
        own = find_own_research(client, context["team_id"], slack_user_id, read_id(interaction.request_id))
        act(own)
        queue.show_research(own.message.pk)
    except FootnoteError as error:
        tell(client, slack_user_id, interaction, describe_error(error))


def on_change_plan(body: dict[str, Any], context: BoltContext, client: WebClient) -> None:
    """Open the window with the plan, as its asker may see it now."""
    interaction, slack_user_id = read_interaction(body), body["user"]["id"]
    view_id = open_modal(client, body, say(WINDOW_TITLE))
    try:
        own = find_own_research(client, context["team_id"], slack_user_id, read_id(interaction.request_id))
        research = api.read_research(own.research_id, user_id=own.user_id, audience=own.audience)
        view = plan_modal(research, str(own.message.pk), interaction.channel_id, own.message.budget)
    except FootnoteError as error:
        view = text_modal(say(WINDOW_TITLE), describe_error(error))
    if not show(client, view_id, view) and not view_id:
        tell(client, slack_user_id, interaction, say(FAILED))


def on_plan_changed(ack: Ack, body: dict[str, Any], context: BoltContext, client: WebClient) -> None:
    """Save the plan and its limits, and close the window; what is wrong is said at its field."""
    channel_id = read_changed_plan(body["view"]).channel_id
    with speak_language(find_language(context["team_id"], channel_id)):
        changed = read_changed_plan(body["view"])
        errors = dict(changed.errors)
        if not errors:
            try:
                _change_plan(changed, context["team_id"], body["user"]["id"], client)
            except FootnoteError as error:
                errors[PLAN] = describe_error(error)
    if errors:
        ack(response_action="errors", errors=errors)
    else:
        ack()


def _change_plan(changed: ChangedPlan, team_id: str, slack_user_id: str, client: WebClient) -> None:
    own = find_own_research(client, team_id, slack_user_id, read_id(changed.message_id))
    planned = api.read_research(own.research_id, user_id=own.user_id, audience=own.audience).questions
    api.change_plan(own.research_id, match_questions(changed.lines, planned), user_id=own.user_id)
    row = own.message
    row.most_minutes, row.most_usd = changed.minutes or row.most_minutes, changed.dollars
    row.save(update_fields=["most_minutes", "most_usd"])
    queue.show_research(row.pk)
