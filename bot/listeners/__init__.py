"""Register what the bot hears: each module has the listeners of one subject."""

import inspect
import re
from collections.abc import Callable
from typing import Any

from django.conf import settings
from slack_bolt import Ack, App, Args

from bot.blocks.asker_notes import ANSWER_PRIVATELY
from bot.blocks.buttons import (
    ASK_A_PERSON,
    ASK_IN_OTHER_WORDS,
    FEEDBACK,
    FEEDBACK_DOWN,
    FEEDBACK_UP,
    REMOVE,
    SHARE,
    SHOW_QUOTES,
    WHY,
)
from bot.blocks.contradicted import NEWER_HOLDS, OLDER_HOLDS
from bot.blocks.feedback import FEEDBACK_MODAL
from bot.blocks.handoff import RESOLVE, RESOLVE_AND_KEEP
from bot.blocks.home import ASK_AT_HOME, ASK_AT_HOME_BUTTON
from bot.blocks.owners import ASK_OWNER, OWNER_SAYS_HOLDS, OWNER_SAYS_OUTDATED, OWNER_WRITES, OWNER_WROTE
from bot.blocks.question_windows import ASK_ABOUT_MESSAGE, ASK_REWORDED
from bot.blocks.refusal import ASK_INSTEAD, OPEN_DOCUMENT
from bot.blocks.research import (
    CANCEL,
    CANVAS,
    CHANGE,
    DELETE,
    OPEN_CANVAS,
    OPEN_PAGE,
    PLAN_CHANGED,
    START,
    STOP,
)
from bot.blocks.uploads import ADD_FILES, KEEP_OUT
from bot.channels.settings import find_language
from bot.listeners.agent_pane import on_context_changed, on_session_stopped, on_thread_started
from bot.listeners.answer_buttons import on_answer_privately, on_remove, on_share, on_show_quotes, on_why
from bot.listeners.contradictions import on_newer_holds, on_older_holds
from bot.listeners.directory_changes import (
    on_channel_shared,
    on_channel_unshared,
    on_user_change,
    on_usergroup_members_changed,
    on_usergroup_updated,
)
from bot.listeners.document_links import on_details_requested, on_link_shared
from bot.listeners.hand_over import on_ask_a_person, on_resolve, on_resolve_and_keep
from bot.listeners.home_tab import on_home_opened, take_question, tell_where
from bot.listeners.installation_changes import (
    on_app_uninstalled,
    on_team_access_granted,
    on_team_access_revoked,
    on_tokens_revoked,
)
from bot.listeners.message_events import on_mention, on_message, on_reaction
from bot.listeners.message_shortcut import on_ask_about_message, on_selection_submitted
from bot.listeners.owner_questions import on_ask_owner, on_holds, on_outdated, on_owner_wrote, on_write
from bot.listeners.pressed_questions import on_ask_in_other_words, on_ask_instead, on_reworded
from bot.listeners.researches import (
    on_change_plan,
    on_delete_research,
    on_make_canvas,
    on_plan_changed,
    on_start_research,
    on_stop_research,
)
from bot.listeners.shared_files import on_add_files, on_files_chosen, on_keep_out
from bot.listeners.slash_command import take_command, tell_later
from bot.listeners.votes import on_feedback_sent, on_vote, on_vote_down, on_vote_up
from core.language.i18n.translation import speak_language

_ASK_INSTEAD = re.compile(rf"^{ASK_INSTEAD}_[0-9]$")  # the buttons of one message are told apart by a number


def register(app: App) -> None:
    """Register everything that the bot hears. Interactions are acknowledged at once and acted on after that.

    What says something is localized: in the language of its channel.
    """
    app.event("app_mention")(on_mention)
    app.event("message")(on_message)
    if settings.SLACK_ASK_EMOJI:
        app.event("reaction_added")(on_reaction)
    if settings.PUBLIC_URL:
        app.event("link_shared")(on_link_shared)
        app.event("entity_details_requested")(ack=_acknowledge, lazy=[_localize(on_details_requested)])
    app.event("app_context_changed")(on_context_changed)
    app.action(FEEDBACK)(ack=_acknowledge, lazy=[_localize(on_vote)])
    app.action(FEEDBACK_UP)(ack=_acknowledge, lazy=[_localize(on_vote_up)])
    app.action(FEEDBACK_DOWN)(ack=_acknowledge, lazy=[_localize(on_vote_down)])
    app.action(REMOVE)(ack=_acknowledge, lazy=[_localize(on_remove)])
    app.action(OPEN_DOCUMENT)(_acknowledge)  # the browser has opened it
    app.view(FEEDBACK_MODAL)(ack=_acknowledge, lazy=[on_feedback_sent])
    app.action(ASK_A_PERSON)(ack=_acknowledge, lazy=[_localize(on_ask_a_person)])
    app.action(RESOLVE)(ack=_acknowledge, lazy=[_localize(on_resolve)])
    app.action(RESOLVE_AND_KEEP)(ack=_acknowledge, lazy=[_localize(on_resolve_and_keep)])
    app.action(ASK_OWNER)(ack=_acknowledge, lazy=[_localize(on_ask_owner)])
    app.action(OWNER_SAYS_HOLDS)(ack=_acknowledge, lazy=[_localize(on_holds)])
    app.action(OWNER_SAYS_OUTDATED)(ack=_acknowledge, lazy=[_localize(on_outdated)])
    app.action(OWNER_WRITES)(ack=_acknowledge, lazy=[_localize(on_write)])
    app.action(NEWER_HOLDS)(ack=_acknowledge, lazy=[_localize(on_newer_holds)])
    app.action(OLDER_HOLDS)(ack=_acknowledge, lazy=[_localize(on_older_holds)])
    app.view(OWNER_WROTE)(ack=_acknowledge, lazy=[on_owner_wrote])
    app.event("agent_session_stopped")(on_session_stopped)
    app.event("app_uninstalled")(on_app_uninstalled)
    app.event("tokens_revoked")(on_tokens_revoked)
    app.event("team_access_granted")(on_team_access_granted)
    app.event("team_access_revoked")(on_team_access_revoked)
    app.event("subteam_members_changed")(on_usergroup_members_changed)
    app.event("subteam_updated")(on_usergroup_updated)
    app.event("user_change")(on_user_change)
    app.event("channel_shared")(on_channel_shared)
    app.event("channel_unshared")(on_channel_unshared)
    app.action(SHOW_QUOTES)(ack=_acknowledge, lazy=[_localize(on_show_quotes)])
    app.action(WHY)(ack=_acknowledge, lazy=[_localize(on_why)])
    app.action(ANSWER_PRIVATELY)(ack=_acknowledge, lazy=[_localize(on_answer_privately)])
    app.action(_ASK_INSTEAD)(ack=_acknowledge, lazy=[on_ask_instead])
    app.action(ASK_IN_OTHER_WORDS)(ack=_acknowledge, lazy=[_localize(on_ask_in_other_words)])
    app.view(ASK_REWORDED)(on_reworded)
    app.action(SHARE)(ack=_acknowledge, lazy=[_localize(on_share)])
    app.shortcut(ASK_ABOUT_MESSAGE)(ack=_acknowledge, lazy=[_localize(on_ask_about_message)])
    app.view(ASK_ABOUT_MESSAGE)(on_selection_submitted)
    app.event("app_home_opened")(ack=_acknowledge, lazy=[_localize(on_home_opened)])
    for asking in (ASK_AT_HOME, ASK_AT_HOME_BUTTON):
        app.action(asking)(ack=take_question, lazy=[tell_where])
    app.event("assistant_thread_started")(ack=_acknowledge, lazy=[_localize(on_thread_started)])
    app.command(re.compile(r"^/.+"))(ack=_localize(take_command), lazy=[_localize(tell_later)])
    app.action(ADD_FILES)(ack=_acknowledge, lazy=[_localize(on_add_files)])
    app.action(KEEP_OUT)(ack=_acknowledge, lazy=[_localize(on_keep_out)])
    app.view(ADD_FILES)(_localize(on_files_chosen))
    _register_researches(app)


def _register_researches(app: App) -> None:
    pressed = {
        START: on_start_research,
        CHANGE: on_change_plan,
        CANCEL: on_delete_research,
        STOP: on_stop_research,
        DELETE: on_delete_research,
        CANVAS: on_make_canvas,
    }
    for action_id, listener in pressed.items():
        app.action(action_id)(ack=_acknowledge, lazy=[_localize(listener)])
    for opened in (OPEN_PAGE, OPEN_CANVAS):
        app.action(opened)(_acknowledge)
    app.view(PLAN_CHANGED)(on_plan_changed)


def _acknowledge(ack: Ack) -> None:
    """Tell Slack that an interaction arrived."""
    ack()


def _localize(listener: Callable[..., Any]) -> Callable[[Args], Any]:
    """Return a listener that speaks the language of the channel where it hears something."""
    names = inspect.getfullargspec(listener).args

    def listen(args: Args) -> Any:
        channel = args.context.channel_id or (args.body.get("container") or {}).get("channel_id") or ""
        with speak_language(find_language(args.context["team_id"], channel)):
            return listener(**{name: getattr(args, name) for name in names})

    return listen
