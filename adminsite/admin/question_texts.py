"""Decide who may read a question's words in the admin: its asker, and viewers of questions. One rule for all pages.

The result of a question follows the rule of access instead (core.api.stored_results).
"""

from django.db.models import QuerySet
from django.http import HttpRequest

from adminsite.admin.base import ERASED, viewer
from core.models import Query

VIEW = "core.view_query"
UNREADABLE = "A question that you may not read"


def may_read_questions(request: HttpRequest) -> bool:
    """Return True if the viewer may read the questions of others."""
    return bool(request.user.has_perm(VIEW))


def readable_questions(request: HttpRequest) -> QuerySet[Query]:
    """The questions whose words the viewer may read."""
    kept = Query.objects.filter(erased_at=None)
    return kept if may_read_questions(request) else kept.filter(user=viewer(request))


def is_readable(request: HttpRequest, query: Query) -> bool:
    """Return True if the viewer may read the words of a question."""
    return query.erased_at is None and (query.user_id == viewer(request).pk or may_read_questions(request))


def words_of(request: HttpRequest, query: Query) -> str:
    """A question, or why it is not shown."""
    if is_readable(request, query):
        return query.question_text
    is_known_erased = query.erased_at is not None and may_read_questions(request)
    return ERASED if is_known_erased else UNREADABLE


def is_of_another(request: HttpRequest, query: Query) -> bool:
    """Return True if showing a question shows another person's words, which is recorded."""
    return is_readable(request, query) and query.user_id != viewer(request).pk
