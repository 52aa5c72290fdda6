"""For whom a model is called: a person with their roles, in a channel, or nobody in particular."""

from dataclasses import dataclass
from uuid import UUID

from core.models import Conversation, Query, UserRole
from core.models.budgets import Counted, Scope
from core.types import Origin

# What Footnote asks by itself is nobody's question.
_OWN_ORIGINS = (Origin.EVALUATION, Origin.RECHECK)


@dataclass(frozen=True, slots=True)
class Spender:
    """Everything that a call counts under."""

    counted: tuple[Counted, ...]
    user_id: UUID | None = None  # whose question it is made for


INSTALLATION = Spender(((Scope.INSTALLATION, ""),))


def spender_of(user_id: UUID | None, conversation: Conversation | None) -> Spender:
    """Build the spender of a question: its asker, the roles they hold now, and the Slack channel."""
    if conversation is not None and conversation.origin in _OWN_ORIGINS:
        return INSTALLATION
    counted: list[Counted] = list(INSTALLATION.counted)
    if user_id is not None:
        held = UserRole.objects.filter(user=user_id, user__is_active=True).values_list("role_id", flat=True).distinct()
        counted += [(Scope.PERSON, str(user_id)), *((Scope.ROLE, str(role)) for role in held.order_by("role_id"))]
    if conversation is not None and conversation.slack_channel:
        counted.append((Scope.CHANNEL, f"{conversation.slack_team}/{conversation.slack_channel}"))
    return Spender(tuple(counted), user_id)


def spender_of_query(query: Query) -> Spender:
    """Build the spender of a stored question, as of now."""
    return spender_of(query.user_id, query.conversation)
