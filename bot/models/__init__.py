"""The tables of the bot."""

from bot.models.app_contexts import AppContext
from bot.models.channels import ChannelKind
from bot.models.delivery import QuotedMessage, Reply, SlackEvent, WatchedThread
from bot.models.digests import Digest
from bot.models.footnotes import FootnoteNotice
from bot.models.handovers import HandOver
from bot.models.installations import Installation, OrganisationWorkspace, forget_teams
from bot.models.late_answers import LateAnswerNotice
from bot.models.links import Unfurl
from bot.models.openings import Opening
from bot.models.owner_questions import OwnerQuestion, OwnerQuestionAsker
from bot.models.researches import ResearchMessage, show_deleted, show_moved
from bot.models.risk_digests import RiskDigest
from bot.models.socket import SocketHeartbeat
from bot.models.uploads import Upload

__all__ = [
    "AppContext",
    "ChannelKind",
    "Digest",
    "FootnoteNotice",
    "HandOver",
    "Installation",
    "LateAnswerNotice",
    "Opening",
    "OrganisationWorkspace",
    "OwnerQuestion",
    "OwnerQuestionAsker",
    "QuotedMessage",
    "Reply",
    "ResearchMessage",
    "RiskDigest",
    "SlackEvent",
    "SocketHeartbeat",
    "Unfurl",
    "Upload",
    "WatchedThread",
    "forget_teams",
    "show_deleted",
    "show_moved",
]
