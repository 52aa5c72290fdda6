"""Link to a question: the page of its conversation, opened at it."""

from uuid import UUID

from django.urls import reverse

from core.models import Query


def url_of(query: Query) -> str:
    """The address of a question on the page of its conversation."""
    page = reverse("admin:core_conversation_change", args=[query.conversation_id])
    return f"{page}?question={query.pk}#q-{query.pk}"


def read_id(text: str) -> UUID | None:
    """Return the id in an address or a form; None for an invalid one."""
    try:
        return UUID(text)
    except ValueError:
        return None
