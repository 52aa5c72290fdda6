"""Proposed changes: the list of them, the page of each, and the three steps in which one is made.

Whatever is shown comes from core.quality.proposals, by what the viewer may read at that moment. What is not theirs is
not there.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.utils import unquote
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import path, reverse
from unfold.widgets import UnfoldAdminSelectWidget

from adminsite.admin.base import ReadOnlyAdmin, record, viewer, viewer_audience
from adminsite.admin.conversation.links import read_id
from adminsite.admin.gaps import has_text_of_another, label_of
from adminsite.admin.narrowing import link_pages, read_page_number
from adminsite.admin.proposals.shown import (
    describe_proposal,
    describe_way,
    list_acts,
    list_findings,
    list_for,
    list_lines,
)
from adminsite.admin.proposals.writing import Submission, WritingForm, begin, list_hidden, read_submission
from adminsite.figures import count_of
from core import api
from core.errors import FootnoteError, NotFoundError
from core.models import AuditEvent, ProposedChange
from core.quality.proposals import proposing
from core.quality.proposals.drafting import Goal, find_goal, open_form, preview_change
from core.quality.proposals.listing import list_proposals, select_visible
from core.quality.proposals.rights import PROPOSE, DocumentChangedError, InvalidChangeError, Reason, find_reason
from core.quality.proposals.targets import list_targets
from core.values.proposals import (
    STATES_IN_WORDS,
    UNDER_WAY,
    ChangeForm,
    ChangeTarget,
    Occasion,
    ProposalList,
    ProposalState,
    WrittenChange,
)

PER_PAGE = 20
LONGEST_SEARCH = 200  # characters
LOOK, CHANGE, SEND = "look", "change", "send"  # what buttons of the form and of the preview do
_PAGE = "admin:core_proposedchange_"
_TEMPLATES = {"where": "where.html", "write": "write.html", "look": "look.html"}


class NarrowForm(forms.Form):
    """Narrow the list by state."""

    state = forms.ChoiceField(required=False, widget=UnfoldAdminSelectWidget)

    def __init__(self, found: ProposalList, **options: Any) -> None:
        super().__init__(**options)
        states = [("", f"All ({sum(found.by_state.values())})")]
        states += [
            (state.value, f"{STATES_IN_WORDS[state].capitalize()} ({found.by_state[state]})") for state in ProposalState
        ]
        self.fields["state"].widget.choices = states


@contextmanager
def hiding_what_is_not_theirs() -> Iterator[None]:
    """Answer that there is nothing where core says that the viewer has nothing there."""
    try:
        yield
    except NotFoundError as error:
        raise Http404 from error


@admin.register(ProposedChange)
class ProposedChangeAdmin(ReadOnlyAdmin):
    """Proposed changes, the last made first."""

    when_empty = (
        "No proposed changes. Open a content gap or a contradiction, and press Propose a change: the change goes to "
        "where the document lives, and those who had asked get their answer once it is in the library."
    )

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Return True if the viewer may propose changes: they see those of documents that they may read."""
        return request.user.is_active and request.user.has_perm(PROPOSE)

    def has_module_permission(self, request: HttpRequest) -> bool:
        """Return True as for the list."""
        return self.has_view_permission(request)

    def get_queryset(self, request: HttpRequest) -> QuerySet[ProposedChange]:
        """Return the proposals that the viewer may see: no page knows another."""
        return select_visible(viewer(request), viewer_audience(request))

    def get_urls(self) -> list[Any]:
        """Return the pages, those of the steps for a gap and for a contradiction."""
        steps: list[tuple[str, Callable[..., HttpResponse], str]] = [
            ("", self.where_view, "where"),
            ("document/<uuid:document_id>/", self.write_view, "write"),
            ("source/<uuid:source_id>/", self.write_view, "write"),
        ]
        pages: list[tuple[str, Callable[..., HttpResponse], str]] = [
            ("<uuid:pk>/act/", self.act_view, "act"),
            ("<uuid:pk>/again/", self.again_view, "again"),
        ]
        for occasion in ("gap", "contradiction"):
            pages += [(f"{occasion}/<uuid:{occasion}>/{step}", view, name) for step, view, name in steps]
        wrapped = [
            path(address, self.admin_site.admin_view(view), name=f"core_proposedchange_{name}")
            for address, view, name in pages
        ]
        return [*wrapped, *super().get_urls()]

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Show the proposals in the state that the address names."""
        self._check_right(request)
        state, number = request.GET.get("state", ""), read_page_number(request.GET.get("page", ""))
        if state and state not in list(ProposalState):
            raise Http404
        found = list_proposals(
            viewer(request),
            viewer_audience(request),
            states=(state,) if state else (),
            limit=PER_PAGE,
            offset=(number - 1) * PER_PAGE,
        )
        context = {
            "title": "Proposed changes",
            "form": NarrowForm(found, initial={"state": state}),
            "proposals": [describe_proposal(row) for row in found.rows],
            "count": count_of(found.total, "proposed change"),
            "when_empty": "None in this state." if any(found.by_state.values()) else self.when_empty,
            **link_pages({"state": state}, number, is_last=number * PER_PAGE >= found.total),
        }
        return self._show(request, "list.html", context)

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        """Show one proposal, which is changed by its buttons alone."""
        self._check_right(request)
        if object_id is None or request.method not in ("GET", "HEAD"):
            raise PermissionDenied
        pk = read_id(unquote(object_id))
        found = list_proposals(viewer(request), viewer_audience(request), ids=(pk,), limit=1) if pk else None
        if found is None or not found.rows:
            raise Http404
        [row] = found.rows
        return self._show(
            request, "proposal.html", {"title": "Proposed change", "shown": describe_proposal(row), **list_acts(row)}
        )

    def act_view(self, request: HttpRequest, pk: UUID) -> HttpResponse:
        """Do what a button of a proposal's page says."""
        self._check_right(request)
        if request.method != "POST":
            return HttpResponseNotAllowed(["POST"])
        acts: dict[str, tuple[Callable[..., None], str]] = {
            "withdraw": (proposing.withdraw, "Withdrawn."),
            "merged": (
                proposing.say_merged,
                "Noted that it was merged. Those who asked wait for the library to read it.",
            ),
            "declined": (proposing.say_declined, "Noted that it was declined."),
            "again": (proposing.send_again, "It is sent again."),
        }
        act, said = acts.get(request.POST.get("act", ""), (None, ""))
        if act is None:
            raise Http404
        try:
            with hiding_what_is_not_theirs():
                act(pk, viewer(request), viewer_audience(request))
        except FootnoteError as error:
            self.message_user(request, error.message, messages.ERROR)
        else:
            self.message_user(request, said, messages.SUCCESS)
        return HttpResponseRedirect(reverse(f"{_PAGE}change", args=[pk]))

    def again_view(self, request: HttpRequest, pk: UUID) -> HttpResponse:
        """Lead to the form with what the viewer wrote for a proposal that could not be sent."""
        self._check_right(request)
        with hiding_what_is_not_theirs():
            occasion, written = proposing.write_again(pk, viewer(request), viewer_audience(request))
        if written.document_id is None and written.source_id is None:
            self.message_user(request, "Its source is not there any more. Choose another place.", messages.WARNING)
            return HttpResponseRedirect(find_step(occasion))
        address = find_step(occasion, document_id=written.document_id, source_id=written.source_id)
        return HttpResponseRedirect(f"{address}?again={pk}")

    def where_view(
        self, request: HttpRequest, gap: UUID | None = None, contradiction: UUID | None = None
    ) -> HttpResponse:
        """Show the first step: the documents that can be changed, and the sources that take new ones."""
        occasion, reason = self._find_reason(request, gap, contradiction)
        if request.method not in ("GET", "HEAD"):
            return HttpResponseNotAllowed(["GET", "HEAD"])
        words = request.GET.get("q", "").replace("\0", "").strip()[:LONGEST_SEARCH]
        targets = list_targets(reason, viewer(request), viewer_audience(request), search=words)
        context = {
            "q": words,
            "near": [_describe_target(one, occasion) for one in targets if one.document_id and one.is_near],
            "found": [_describe_target(one, occasion) for one in targets if one.document_id and not one.is_near],
            "sources": [_describe_target(one, occasion) for one in targets if not one.document_id],
            "can_nothing": all(one.way is None for one in targets),
            **list_for(request, gap=gap, contradiction=contradiction),
        }
        return self._show_step(request, "where", occasion, reason, context)

    def write_view(
        self,
        request: HttpRequest,
        gap: UUID | None = None,
        contradiction: UUID | None = None,
        document_id: UUID | None = None,
        source_id: UUID | None = None,
    ) -> HttpResponse:
        """Show the second step, the form; or the third, how the change looks; or send it, as the button says."""
        occasion, reason = self._find_reason(request, gap, contradiction)
        if request.method == "POST":
            sent = read_submission(request.POST, document_id=document_id, source_id=source_id)
            return self._take(request, occasion, reason, sent)
        if request.method not in ("GET", "HEAD"):
            return HttpResponseNotAllowed(["GET", "HEAD", "POST"])
        try:
            with hiding_what_is_not_theirs():
                goal = find_goal(document_id, source_id, viewer(request), viewer_audience(request))
        except InvalidChangeError as error:
            self.message_user(request, error.message, messages.ERROR)
            return HttpResponseRedirect(find_step(occasion))
        start = open_form(reason, goal, viewer_audience(request))
        written = begin(start)
        if again := request.GET.get("again"):
            written = self._read_again(request, again, occasion, written)
        return self._show_form(request, occasion, reason, written, start)

    def _read_again(self, request: HttpRequest, again: str, occasion: Occasion, begun: WrittenChange) -> WrittenChange:
        """Return what the viewer wrote for an earlier proposal of the same for the same reason. Http404 for another."""
        pk = read_id(again)
        if pk is None:
            raise Http404
        with hiding_what_is_not_theirs():
            earlier, written = proposing.write_again(pk, viewer(request), viewer_audience(request))
        if earlier != occasion or (written.document_id, written.source_id) != (begun.document_id, begun.source_id):
            raise Http404
        return written

    def _take(self, request: HttpRequest, occasion: Occasion, reason: Reason, sent: Submission) -> HttpResponse:
        """Take a form that was sent. Where core refuses it, the form is shown again, with all that was written."""
        person, audience, written = viewer(request), viewer_audience(request), sent.written
        act, start = request.POST.get("act"), None
        try:
            with hiding_what_is_not_theirs():
                goal = find_goal(written.document_id, written.source_id, person, audience)
                start = open_form(reason, goal, audience)
                _check_way(sent, goal)
                if act == SEND:
                    pk = proposing.propose_change(reason, goal, written, person, audience)
                    self.message_user(
                        request,
                        "It is on its way. Load this page again in a few seconds: it says what becomes of it.",
                        messages.SUCCESS,
                    )
                    return HttpResponseRedirect(reverse(f"{_PAGE}change", args=[pk]))
                if act == LOOK:
                    preview = preview_change(reason, goal, written, person, audience)
                    context = {
                        "start": start,
                        "way": describe_way(start.target),
                        "written": written,
                        "hidden": list_hidden(sent),
                        "preview": preview,
                        "lines": list(list_lines(preview.diff)),
                        "found": list_findings(preview.found),
                    }
                    return self._show_step(request, "look", occasion, reason, context)
        except (InvalidChangeError, DocumentChangedError) as error:
            return self._show_form(request, occasion, reason, written, start, fault=error.message, way=sent.way)
        return self._show_form(request, occasion, reason, written, start)

    def _show_form(
        self,
        request: HttpRequest,
        occasion: Occasion,
        reason: Reason,
        written: WrittenChange,
        start: ChangeForm | None,
        *,
        fault: str = "",
        way: str = "",
    ) -> HttpResponse:
        """Show the form. start: None where what is to be changed cannot be changed now; way: as of what was sent."""
        context = {
            "form": WritingForm(written, start, way=way),
            "start": start,
            "way": describe_way(start.target) if start else "",
            "fault": fault,
            "is_outdated": bool(start and written.document_id and written.version != start.version),
        }
        return self._show_step(request, "write", occasion, reason, context)

    def _show_step(
        self, request: HttpRequest, step: str, occasion: Occasion, reason: Reason, context: dict[str, Any]
    ) -> HttpResponse:
        """Show a step, below the words of the gap or pair. Questions of others are shown by it, so it is recorded."""
        if reason.gap is not None:
            if has_text_of_another(reason.gap, viewer(request)):
                record(request, AuditEvent.Action.READ_TEXT, reason.gap)
            about = {"about": label_of(reason.gap), "people": reason.gap.people}
            back = reverse("admin:core_contentgap_change", args=[reason.gap.pk])
        else:
            pair = occasion.contradiction
            rows = api.list_contradictions(
                viewer(request), audience=viewer_audience(request), ids=(pair,) if pair else (), limit=1
            ).rows
            about = {"about": rows[0].question if rows else "", "people": 0}
            back = reverse("admin:core_sourcecontradiction_change", args=[pair])
        pending = list_proposals(
            viewer(request),
            viewer_audience(request),
            states=[state.value for state in UNDER_WAY],
            gap=occasion.gap,
            contradiction=occasion.contradiction,
            limit=1,
        ).total
        start = context.get("start")
        shared = {
            "under_way": f"{count_of(pending, 'change')} proposed for this already, and not decided."
            if pending
            else "",
            "unread_people": start.unread_people if start else 0,
            "title": "Propose a change",
            "back": back,
            "where": find_step(occasion),
            "step": step,
            "is_gap": reason.gap is not None,
            **about,
        }
        return self._show(request, _TEMPLATES[step], {**shared, **context})

    def _show(self, request: HttpRequest, name: str, context: dict[str, Any]) -> HttpResponse:
        shared = {**self.admin_site.each_context(request), "opts": self.opts}
        return TemplateResponse(request, f"adminsite/proposals/{name}", {**shared, **context})

    def _check_right(self, request: HttpRequest) -> None:
        if not self.has_view_permission(request):
            raise PermissionDenied

    def _find_reason(
        self, request: HttpRequest, gap: UUID | None, contradiction: UUID | None
    ) -> tuple[Occasion, Reason]:
        """Find what a change is for. Http404 unless the viewer may see it."""
        self._check_right(request)
        occasion = Occasion(gap=gap, contradiction=contradiction)
        with hiding_what_is_not_theirs():
            return occasion, find_reason(occasion, viewer(request), viewer_audience(request))


def find_step(occasion: Occasion, *, document_id: UUID | None = None, source_id: UUID | None = None) -> str:
    """Return the address of a step for a gap or a pair: the first, or the second of a document or a source."""
    named = {
        "gap": occasion.gap,
        "contradiction": occasion.contradiction,
        "document_id": document_id,
        "source_id": source_id,
    }
    given = {name: value for name, value in named.items() if value}
    return reverse(f"{_PAGE}{'write' if document_id or source_id else 'where'}", kwargs=given)


def _describe_target(target: ChangeTarget, occasion: Occasion) -> dict[str, Any]:
    """Return what the first step shows of a target."""
    address = ""
    if target.way is not None:
        source_id = None if target.document_id else target.source_id
        address = find_step(occasion, document_id=target.document_id, source_id=source_id)
    return {"target": target, "way": describe_way(target), "address": address}


def _check_way(sent: Submission, goal: Goal) -> None:
    """Refuse a text that was written for another way: a whole file is no addition, and an addition no whole file."""
    if sent.way != goal.way:
        raise InvalidChangeError(
            f"It goes another way now: {describe_way(goal.target)}. Look whether your text is still what is to be sent."
        )
