"""Open, continue and end conversations. Re-exported by `core.api`."""

from uuid import UUID

from core.asking.answering import conversations
from core.infrastructure.database_errors import translate_database_errors
from core.types import Asker, Origin


@translate_database_errors()
def open_conversation(
    *, origin: Origin, asker: Asker, slack_team: str = "", slack_channel: str = "", slack_thread: str = ""
) -> UUID:
    """Return the conversation of a Slack thread while it is active, or else a new one."""
    return conversations.open_conversation(
        origin=origin,
        asker=asker,
        slack_team=slack_team,
        slack_channel=slack_channel,
        slack_thread=slack_thread,
    )


@translate_database_errors()
def continue_or_open_conversation(conversation: UUID | None, *, origin: Origin, asker: Asker) -> UUID:
    """Return the conversation that a request names, which may be over by now, or a new one where it names none.

    NotFoundError unless the asker has opened it at the same place.
    """
    return conversations.continue_or_open(conversation, origin=origin, asker=asker)


@translate_database_errors()
def end_conversation(conversation: UUID, *, asker: Asker) -> None:
    """End a conversation before it times out: no question can continue it. Ending it again changes nothing.

    NotFoundError unless the asker has opened it, outside of Slack.
    """
    conversations.end(conversation, asker)


@translate_database_errors()
def end_slack_thread(*, slack_team: str, slack_channel: str, slack_thread: str) -> bool:
    """End the conversation of a Slack thread: what is asked there next begins a new one. False where none was active.

    For somebody who writes in the thread, which the caller has seen.
    """
    return conversations.end_thread(slack_team=slack_team, slack_channel=slack_channel, slack_thread=slack_thread)
