"""Ask a logged question again: as its asker then and now, or as another person today.

A replay is cut to what the viewer may read. Asked as another person, the viewer is one more reader, unless they hold
the right to preview texts. A viewer who may try a question as anybody learns that person's answers, and so needs the
right to decide who reads documents.
"""

from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse

from adminsite.admin.base import PREVIEW_TEXTS, audience_tried, record, viewer, viewer_audience
from adminsite.admin.conversation.links import url_of
from adminsite.admin.conversation.question_view import view_question
from adminsite.admin.conversation.reading import Rights, read_rows, select_questions
from adminsite.admin.conversation.words import outcome_of_reason
from adminsite.admin.question_texts import is_readable
from core import api
from core.access.audiences import audience_of, may_decide_who_reads
from core.errors import FootnoteError, NotFoundError
from core.language.wording import describe_filters
from core.models import AuditEvent, Conversation, Query, User
from core.types import Run

ASK_AGAIN = "core.add_query"


def may_ask_again(request: HttpRequest) -> bool:
    """Return True if the viewer may ask a logged question again, and see answers."""
    return bool(request.user.has_perm(ASK_AGAIN) and request.user.has_perm("core.view_answer"))


def may_ask_as_another(request: HttpRequest) -> bool:
    """Return True if the viewer may try questions with anybody's access."""
    return may_ask_again(request) and may_decide_who_reads(request.user)


def replay(request: HttpRequest, query: Query) -> HttpResponse:
    """Ask the question once more from the passages of then, with its asker's eyes, beside what came of it then."""
    _check_allowed(request, query, allowed=may_ask_again(request))
    try:
        replayed = api.replay(query.request_id, by=viewer(request).pk)
    except FootnoteError as error:
        return _go_back(request, query, error.message)
    reads, is_asker = viewer_audience(request), query.user_id == viewer(request).pk
    then, is_then_hidden = api.readable_run(replayed.then, reads=reads, is_asker=is_asker)
    now, is_now_hidden = api.readable_run(replayed.now, reads=reads, is_asker=is_asker)
    runs = (
        _describe_run("Then", then, is_hidden=is_then_hidden or replayed.is_hidden),
        _describe_run("Now", now, is_hidden=is_now_hidden),
    )
    return _render_page(request, query, "replay.html", "Replay", {"replay": replayed, "runs": runs})


def ask_as(request: HttpRequest, query: Query) -> HttpResponse:
    """Ask the question now as oneself, as its asker, or as somebody else: each decision on the way."""
    who, sees_texts = request.POST.get("who", "me"), request.user.has_perm(PREVIEW_TEXTS)
    _check_allowed(request, query, allowed=may_ask_again(request) and (who != "person" or may_ask_as_another(request)))
    try:
        person = _find_person(request, query, who)
        trial = api.ask_as(
            query.request_id,
            audience=audience_tried(request, audience_of([person.pk])),
            viewer=viewer(request).pk,
            details={"as": str(person.pk), "own_rights_left_out": sees_texts},
        )
    except FootnoteError as error:
        return _go_back(request, query, error.message)
    told = {
        "person": person,
        "trial": trial,
        "filters": describe_filters(trial.filters),
        "sees_texts": sees_texts,
        "runs": (_describe_run(f"What {person} would be told now", trial.run, is_hidden=False),),
    }
    return _render_page(request, query, "trial.html", f"Asked as {person}", told)


def may_see_as_asker(request: HttpRequest) -> bool:
    """Return True if the viewer may see what others were told: answers, and texts that they may not read themselves."""
    return bool(request.user.has_perm(PREVIEW_TEXTS) and request.user.has_perm("core.view_answer"))


def see_as_asker(request: HttpRequest, query: Query) -> HttpResponse:
    """Show a stored question with the eyes of its asker, as they may read it now. The look is recorded first."""
    _check_allowed(request, query, allowed=may_see_as_asker(request))
    if query.user is None or not query.user.is_active:
        return _go_back(request, query, "Nobody active that Footnote knows asked this question.")
    record(
        request,
        AuditEvent.Action.PREVIEW,
        query.user,
        questions=[query.request_id],
        own_rights_left_out=True,
    )
    rights = Rights.of(request)
    chosen = list(select_questions(Query.objects.filter(pk=query.pk)))
    rows = read_rows(request, chosen, rights, reader=query.user)
    told = view_question(request, chosen[0], rows, rights)
    context = {"told": told, "rights": rights, "person": query.user, "conversation": query.conversation}
    return _render_page(request, query, "as_asker.html", f"As {query.user}", context)


def _find_person(request: HttpRequest, query: Query, who: str) -> User:
    """Find the person to ask as. NotFoundError, saying why, where there is nobody."""
    if who == "me":
        return viewer(request)
    if who == "asker":
        if query.user is None:
            raise NotFoundError("Nobody that Footnote knows asked this question.")
        return query.user
    person = User.objects.filter(email__iexact=request.POST.get("email", "").strip(), is_active=True).first()
    if person is None:
        raise NotFoundError("Nobody active has this e-mail address.")
    return person


def _check_allowed(request: HttpRequest, query: Query, *, allowed: bool) -> None:
    if not (allowed and is_readable(request, query)):
        raise PermissionDenied


def _go_back(request: HttpRequest, query: Query, why: str) -> HttpResponse:
    messages.error(request, why)
    return HttpResponseRedirect(url_of(query))


def _describe_run(title: str, run: Run, *, is_hidden: bool) -> dict[str, Any]:
    """Return a run, for the template that shows one."""
    return {
        "title": title,
        "run": run,
        "is_hidden": is_hidden,
        "outcome": outcome_of_reason(run.refusal),
        "lines": run.text.splitlines() if run.text else [],
        "citations": run.citations or run.closest,
        "dropped": [(api.why_dropped(name), count) for name, count in run.reasons.items()],
        "steps": [one for one in run.steps if one],
    }


def _render_page(request: HttpRequest, query: Query, template: str, title: str, told: dict[str, Any]) -> HttpResponse:
    context = {
        **admin.site.each_context(request),
        **told,
        "title": title,
        "opts": Conversation._meta,
        "query": query,
        "back_url": url_of(query),
        "may_see_documents": request.user.has_perm("core.view_document"),
    }
    return TemplateResponse(request, f"adminsite/conversation/{template}", context)
