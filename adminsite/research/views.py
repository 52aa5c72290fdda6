"""The pages of researches, each its asker's alone: another's looks like one that there is not.

Access is asked at the very moment of each request, of the plan as of what came of it.
"""

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import content_disposition_header
from django.utils.text import slugify
from django.views.decorators.http import require_http_methods, require_safe

from adminsite.research.plan_form import LONGEST, LimitsForm, Part, change_parts, list_parts, make_questions, read_parts
from adminsite.research.shown_page import show_page
from adminsite.research.words import STATES, describe_end, describe_estimate, describe_use
from adminsite.sign_in.readers import for_readers
from core import api
from core.access.audiences import asker_for, audience_of
from core.errors import FootnoteError, InvalidQuestionError, NotFoundError
from core.library.ingestion.formats import FileKind
from core.models import User
from core.types import Origin
from core.values.research import MOST_QUESTIONS, Outcome, Research, ResearchState

LISTED = 100  # of a person's researches, the newest
LONGEST_NAME = 60  # characters of a topic within a file's name
FILES = {"markdown": FileKind.MARKDOWN.value, "docx": FileKind.DOCX.value}
SAVE, START, STOP, DELETE, AGAIN = (
    "save",
    "start",
    "stop",
    "delete",
    "again",
)  # what buttons do, besides what changes the form

allow_form = require_http_methods(["GET", "HEAD", "POST"])


@allow_form
@for_readers
def show_researches(request: HttpRequest, reader: User) -> HttpResponseBase:
    """Ask for a topic, and list the person's own researches. A topic that is sent is planned."""
    topic = request.POST.get("topic", "")
    if request.method != "POST":
        return _show_list(request, reader)
    try:
        planned = api.plan_research(
            topic, asker=asker_for(reader), audience=audience_of([reader.pk]), origin=Origin.RESEARCH
        )
    except FootnoteError as error:
        return _show_list(request, reader, topic=topic, fault=error.message)
    return redirect("research", planned)


@allow_form
@for_readers
def show_research(request: HttpRequest, reader: User, pk: UUID) -> HttpResponseBase:
    """Show a research: its plan, how far it is, or what came of it. What is sent changes, starts or ends it."""
    act = request.POST.get("act", "")
    if request.method != "POST":
        return _show_one(request, reader, _read(reader, pk))
    if act == STOP:
        api.stop_research(pk, user_id=reader.pk)
        if not _read(reader, pk).has_ended:
            messages.success(request, "It stops after the question that is being asked. What was found is kept.")
        return redirect("research", pk)
    if act == DELETE:
        api.delete_research(pk, user_id=reader.pk)
        messages.success(request, "The research was deleted.")
        return redirect("researches")
    if act == AGAIN:
        return redirect("research", api.plan_again(pk, user_id=reader.pk))
    return _change_plan(request, reader, _read(reader, pk), act)


@require_safe
@for_readers
def download(request: HttpRequest, reader: User, pk: UUID, form: str) -> HttpResponseBase:
    """Return the page of a research that has ended as a file."""
    research = _read(reader, pk)
    if not research.has_ended:
        raise NotFoundError
    kind = FILES[form]
    name = f"{slugify(research.topic)[:LONGEST_NAME].strip('-_') or 'research'}{kind.ending}"
    charset = "; charset=utf-8" if kind.media_type.startswith("text/") else ""
    response = HttpResponse(api.write_research(research, form=form), content_type=f"{kind.media_type}{charset}")
    response["Content-Disposition"] = content_disposition_header(True, name) or "attachment"
    return response


def _read(reader: User, pk: UUID) -> Research:
    """Return the reader's research as they may see it now. NotFoundError for another's."""
    return api.read_research(pk, user_id=reader.pk, audience=audience_of([reader.pk]))


def _change_plan(request: HttpRequest, reader: User, research: Research, act: str) -> HttpResponseBase:
    """Store the plan, and start it where the button says so; or show the form as another button changes it."""
    address = reverse("research", args=[research.research_id])
    parts = read_parts(request.POST)
    if research.state is not ResearchState.PLANNED:  # started meanwhile, as by a second click, or in another tab
        sent = [(one.heading, one.text) for one in make_questions(parts, research.questions)]
        if sent != [(one.heading, one.text) for one in research.questions]:
            messages.warning(request, "It was started already. What you changed in the plan was not taken.")
        return redirect(address)
    limits = LimitsForm(request.POST, costs=_may_cost(reader))
    if act not in (SAVE, START):
        return _show_one(request, reader, research, parts=change_parts(parts, act), limits=limits)
    if not limits.is_valid():
        return _show_one(request, reader, research, parts=parts, limits=limits)
    questions = make_questions(parts, research.questions)
    try:
        api.change_plan(research.research_id, questions, user_id=reader.pk)
        if act == START:
            api.start_research(research.research_id, user_id=reader.pk, budget=limits.budget)
            return redirect(address)
    except InvalidQuestionError as error:
        return _show_one(request, reader, research, parts=parts, limits=limits, fault=error.message)
    messages.success(request, "The plan was saved.")
    return redirect(f"{address}?{urlencode({name: request.POST.get(name, '') for name in limits.fields})}")


def _may_cost(reader: User) -> bool:
    """Return True unless it is known that asking costs nothing."""
    return api.estimate_research(1, user_id=reader.pk).cost_usd != 0


def _show_list(request: HttpRequest, reader: User, *, topic: str = "", fault: str = "") -> HttpResponse:
    listed = api.list_researches(reader.pk, limit=LISTED)
    context = {
        "reader": reader,
        "topic": topic,
        "fault": fault,
        "listed": [(one, STATES[one.state]) for one in listed],
        "most": LISTED if len(listed) == LISTED else 0,
    }
    return render(request, "adminsite/research/list.html", context)


def _show_one(
    request: HttpRequest,
    reader: User,
    research: Research,
    *,
    parts: Sequence[Part] | None = None,
    limits: LimitsForm | None = None,
    fault: str = "",
) -> HttpResponse:
    """Show a research. parts, limits, fault: those of a form that was sent, instead of the stored plan's."""
    context: dict[str, Any] = {"reader": reader, "research": research, "state": STATES[research.state]}
    if research.state is ResearchState.PLANNED:
        kept = {name: value for name, value in request.GET.items() if name in LimitsForm.base_fields}
        parts = list_parts(research.questions) if parts is None else parts
        estimate = api.estimate_research(sum(not part.is_heading for part in parts), user_id=reader.pk)
        context |= {
            "fault": fault,
            "parts": parts,
            "blank": Part(),
            "blank_heading": Part(is_heading=True),
            "limits": limits or LimitsForm(initial=kept, costs=estimate.cost_usd != 0),
            "estimate": describe_estimate(estimate),
            "longest": LONGEST,
            "most": MOST_QUESTIONS,
        }
        return render(request, "adminsite/research/plan.html", context)
    context |= {"page": show_page(research.page), "use": describe_use(research.progress)}
    if not research.has_ended:
        is_open = (one for one in research.questions if one.outcome is Outcome.OPEN)
        context["asked_now"] = next(is_open, None) if research.state is ResearchState.RUNNING else None
        return render(request, "adminsite/research/running.html", context)
    context["end"] = describe_end(research)
    return render(request, "adminsite/research/page.html", context)
