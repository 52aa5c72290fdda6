"""Signals between packages that do not import each other."""

import datetime as dt
from dataclasses import dataclass, field
from uuid import UUID

from django.dispatch import Signal

from core.types import Audience

SURELY_OVER = dt.timedelta(hours=1)  # what has no end after so long was given up by its process, and may be erased

# Sent with before, a time, and of, a User or None: whoever keeps what people typed erases what came in before that
# time, from that person or, with None, from all.
texts_erased = Signal()


@dataclass(frozen=True, kw_only=True, slots=True)
class SlackAccount:
    """Slack's present word on an account of one of its workspaces."""

    is_connected: bool  # Footnote is installed in the workspace, or its token is the one in the settings
    user_id: UUID | None = None  # the person whose confirmed address it has; None: nobody's, a guest's, or closed


# Sent with team_id and slack_user_id by whoever needs to know whose account that is now. The bot, which alone talks to
# Slack, answers with a SlackAccount; a FootnoteError means that Slack could not be asked.
slack_account_asked = Signal()


@dataclass(frozen=True, kw_only=True, slots=True)
class ChannelReaders:
    """The access that all readers of a Slack channel have in common now."""

    is_known: bool  # True if Slack listed them; without it the audience is nobody's
    audience: Audience = field(default_factory=Audience.nobody)
    collections: tuple[str, ...] = ()  # to which answers in the channel are narrowed, by their names; none: to nothing


# Sent with team_id and slack_user_id by whoever offers somebody their own channels. The bot answers with a frozenset of
# ids; with an empty one where Slack cannot be asked.
own_channels_asked = Signal()

# Sent with team_id and channel_id by whoever needs to know who reads a channel. The bot answers with ChannelReaders,
# also where Slack cannot be asked: then nobody is known.
channel_readers_asked = Signal()

# Sent with research_id, a UUID, when a research has come further, was stopped or has ended: whoever shows it shows it
# anew. Sent in the worker, outside of any transaction.
research_moved = Signal()
