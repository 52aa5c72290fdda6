"""Register what the bot hears: one listener per file."""

import re

from django.conf import settings
from slack_bolt import App

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
from bot.blocks.feedback import FEEDBACK_MODAL
from bot.blocks.handoff import RESOLVE, RESOLVE_AND_KEEP
from bot.blocks.home import ASK_AT_HOME, ASK_AT_HOME_BUTTON
from bot.blocks.offers import ANSWER_PRIVATELY
from bot.blocks.owners import ASK_OWNER, OWNER_SAYS_HOLDS, OWNER_SAYS_OUTDATED, OWNER_WRITES, OWNER_WROTE
from bot.blocks.refusal import ASK_INSTEAD, OPEN_DOCUMENT
from bot.blocks.rewording import ASK_REWORDED
from bot.blocks.selection import ASK_ABOUT_MESSAGE
from bot.blocks.uploads import ADD_FILES, KEEP_OUT
from bot.listeners.actions import acknowledge
from bot.listeners.actions.answer_privately import on_answer_privately
from bot.listeners.actions.ask_at_home import take_question, tell_where
from bot.listeners.actions.ask_in_other_words import on_ask_in_other_words
from bot.listeners.actions.ask_instead import on_ask_instead
from bot.listeners.actions.ask_owner import on_ask_owner, on_holds, on_outdated, on_write
from bot.listeners.actions.feedback import on_vote, on_vote_down, on_vote_up
from bot.listeners.actions.hand_over import on_ask_a_person, on_resolve, on_resolve_and_keep
from bot.listeners.actions.remove import on_remove
from bot.listeners.actions.share import on_share
from bot.listeners.actions.share_files import on_add_files, on_keep_out
from bot.listeners.actions.show_quotes import on_show_quotes
from bot.listeners.actions.why import on_why
from bot.listeners.commands.ask import take_command, tell_later
from bot.listeners.events.agent_session_stopped import on_session_stopped
from bot.listeners.events.app_context_changed import on_context_changed
from bot.listeners.events.app_home_opened import on_home_opened
from bot.listeners.events.app_mention import on_mention
from bot.listeners.events.assistant_thread_started import on_thread_started
from bot.listeners.events.channel_changed import on_channel_shared, on_channel_unshared
from bot.listeners.events.entity_details_requested import on_details_requested
from bot.listeners.events.installation_ended import on_app_uninstalled, on_tokens_revoked
from bot.listeners.events.link_shared import on_link_shared
from bot.listeners.events.message import on_message
from bot.listeners.events.reaction_added import on_reaction
from bot.listeners.events.team_access import on_team_access_granted, on_team_access_revoked
from bot.listeners.events.user_change import on_user_change
from bot.listeners.events.usergroup_changed import on_usergroup_members_changed, on_usergroup_updated
from bot.listeners.localized import localize
from bot.listeners.shortcuts.ask_about_message import on_ask_about_message
from bot.listeners.views.add_files import on_files_chosen
from bot.listeners.views.ask_about_message import on_selection_submitted
from bot.listeners.views.ask_reworded import on_reworded
from bot.listeners.views.feedback import on_feedback_sent
from bot.listeners.views.owner_wrote import on_owner_wrote

_ASK_INSTEAD = re.compile(rf"^{ASK_INSTEAD}_[0-9]$")  # the buttons of one message are told apart by a number


def register(app: App) -> None:
    """Everything the bot hears. Interactions are acknowledged at once and acted on after that.

    What says something is localized: in the language of its channel.
    """
    app.event("app_mention")(on_mention)
    app.event("message")(on_message)
    if settings.SLACK_ASK_EMOJI:
        app.event("reaction_added")(on_reaction)
    if settings.PUBLIC_URL:
        app.event("link_shared")(on_link_shared)
        app.event("entity_details_requested")(ack=acknowledge, lazy=[localize(on_details_requested)])
    app.event("app_context_changed")(on_context_changed)
    app.action(FEEDBACK)(ack=acknowledge, lazy=[localize(on_vote)])
    app.action(FEEDBACK_UP)(ack=acknowledge, lazy=[localize(on_vote_up)])
    app.action(FEEDBACK_DOWN)(ack=acknowledge, lazy=[localize(on_vote_down)])
    app.action(REMOVE)(ack=acknowledge, lazy=[localize(on_remove)])
    app.action(OPEN_DOCUMENT)(acknowledge)  # the browser has opened it
    app.view(FEEDBACK_MODAL)(ack=acknowledge, lazy=[on_feedback_sent])
    app.action(ASK_A_PERSON)(ack=acknowledge, lazy=[localize(on_ask_a_person)])
    app.action(RESOLVE)(ack=acknowledge, lazy=[localize(on_resolve)])
    app.action(RESOLVE_AND_KEEP)(ack=acknowledge, lazy=[localize(on_resolve_and_keep)])
    app.action(ASK_OWNER)(ack=acknowledge, lazy=[localize(on_ask_owner)])
    app.action(OWNER_SAYS_HOLDS)(ack=acknowledge, lazy=[localize(on_holds)])
    app.action(OWNER_SAYS_OUTDATED)(ack=acknowledge, lazy=[localize(on_outdated)])
    app.action(OWNER_WRITES)(ack=acknowledge, lazy=[localize(on_write)])
    app.view(OWNER_WROTE)(ack=acknowledge, lazy=[on_owner_wrote])
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
    app.action(SHOW_QUOTES)(ack=acknowledge, lazy=[localize(on_show_quotes)])
    app.action(WHY)(ack=acknowledge, lazy=[localize(on_why)])
    app.action(ANSWER_PRIVATELY)(ack=acknowledge, lazy=[localize(on_answer_privately)])
    app.action(_ASK_INSTEAD)(ack=acknowledge, lazy=[on_ask_instead])
    app.action(ASK_IN_OTHER_WORDS)(ack=acknowledge, lazy=[localize(on_ask_in_other_words)])
    app.view(ASK_REWORDED)(on_reworded)
    app.action(SHARE)(ack=acknowledge, lazy=[localize(on_share)])
    app.shortcut(ASK_ABOUT_MESSAGE)(ack=acknowledge, lazy=[localize(on_ask_about_message)])
    app.view(ASK_ABOUT_MESSAGE)(on_selection_submitted)
    app.event("app_home_opened")(ack=acknowledge, lazy=[localize(on_home_opened)])
    for asking in (ASK_AT_HOME, ASK_AT_HOME_BUTTON):
        app.action(asking)(ack=take_question, lazy=[tell_where])
    app.event("assistant_thread_started")(ack=acknowledge, lazy=[localize(on_thread_started)])
    app.command(re.compile(r"^/.+"))(ack=localize(take_command), lazy=[localize(tell_later)])
    app.action(ADD_FILES)(ack=acknowledge, lazy=[localize(on_add_files)])
    app.action(KEEP_OUT)(ack=acknowledge, lazy=[localize(on_keep_out)])
    app.view(ADD_FILES)(localize(on_files_chosen))
