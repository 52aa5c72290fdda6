"""Content gaps: which questions the library does not answer, and what is done about them."""

from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import path, reverse
from django.utils import timezone
from unfold.contrib.filters.admin import ChoicesDropdownFilter, RangeDateTimeFilter
from unfold.decorators import display

from adminsite.admin.base import AuditedReading, ReadOnlyAdmin, record, viewer, viewer_audience
from core.access.audiences import may_decide_who_reads
from core.gaps.checking import check_gap
from core.gaps.documents import find_near_documents
from core.models import AuditEvent, ContentGap, User

VIEW, MANAGE = "core.view_gaps", "core.manage_gaps"
ERASED_LABEL = "The texts of these questions have been erased."
STATE_LABELS = {"open": "warning", "invited": "info", "not_ours": "default", "closed": "success"}
SHOWN_QUESTIONS = 50


def label_of(gap: ContentGap) -> str:
    """A gap in the words of one of its questions, as its asker wrote them."""
    return (gap.label_query.question_text if gap.label_query else "") or ERASED_LABEL


@admin.register(ContentGap)
class ContentGapAdmin(AuditedReading, ReadOnlyAdmin):
    """Gaps, the last asked first."""

    when_empty = (
        "No gaps. Questions that are refused, unsure or voted down are grouped here by meaning every ten minutes."
    )
    change_form_template = "adminsite/gap.html"
    list_display = ("show_label", "asked", "people", "last_seen", "show_state")
    list_filter = (("state", ChoicesDropdownFilter), ("last_seen", RangeDateTimeFilter))
    list_filter_submit = True
    list_select_related = ("label_query",)
    fields = ("asked", "people", "first_seen", "last_seen")

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Who may see what others asked in vain."""
        return request.user.has_perm(VIEW) or request.user.has_perm(MANAGE)

    def has_module_permission(self, request: HttpRequest) -> bool:
        """As the list."""
        return self.has_view_permission(request)

    def shows_text_of_another(self, request: HttpRequest, row: ContentGap) -> bool:
        """The questions, until all of them are erased."""
        return row.questions.filter(query__erased_at=None).exclude(query__user=viewer(request)).exists()

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """The list. It shows questions of others, and so it is recorded."""
        response = super().changelist_view(request, extra_context)
        context = getattr(response, "context_data", None)
        if context and "cl" in context and context["cl"].result_list:
            AuditEvent.objects.create(
                actor=viewer(request),
                action=AuditEvent.Action.READ_TEXT,
                object_type="contentgap",
                details={"gaps": len(context["cl"].result_list)},
            )
        return response

    @display(description="Question", ordering="last_seen")
    def show_label(self, gap: ContentGap) -> str:
        """What was asked."""
        return label_of(gap)

    @display(description="State", label=STATE_LABELS, ordering="state")
    def show_state(self, gap: ContentGap) -> tuple[str, str]:
        """What is done about it."""
        return gap.state, gap.get_state_display()

    def get_urls(self) -> list[Any]:
        """The pages of gaps, with what can be done."""
        act = path("<uuid:pk>/act/", self.admin_site.admin_view(self.act_view), name="core_contentgap_act")
        return [act, *super().get_urls()]

    def render_change_form(self, request: HttpRequest, context: Any, *args: Any, obj: Any = None, **kwargs: Any) -> Any:
        """The page of a gap."""
        if obj is not None:
            context.update(self._describe(request, obj))
        return super().render_change_form(request, context, *args, obj=obj, **kwargs)

    def _describe(self, request: HttpRequest, gap: ContentGap) -> dict[str, Any]:
        near = find_near_documents(gap, viewer=viewer_audience(request))
        decides = may_decide_who_reads(request.user)
        questions = gap.questions.select_related("query__user", "query__conversation")[:SHOWN_QUESTIONS]
        return {
            "title": label_of(gap),
            "gap": gap,
            "questions": questions,
            "checks": gap.checks.select_related("checked_by")[:5],
            "documents": near.readable,
            "decides": decides,
            "unread": near.unread if decides else 0,
            "may_manage": request.user.has_perm(MANAGE),
            "people": User.objects.filter(is_active=True).order_by("email")[:500],
        }

    def act_view(self, request: HttpRequest, pk: Any) -> HttpResponse:
        """Do what a button of the page of a gap says."""
        if not request.user.has_perm(MANAGE) or request.method != "POST":
            raise PermissionDenied
        gap = ContentGap.objects.get(pk=pk)
        acts = {"invite": self._invite, "not_ours": self._set_not_ours, "open": self._open, "check": self._check}
        act = acts.get(request.POST.get("act", ""))
        if act is None:
            raise PermissionDenied
        act(request, gap)
        return HttpResponseRedirect(reverse("admin:core_contentgap_change", args=[gap.pk]))

    def _invite(self, request: HttpRequest, gap: ContentGap) -> None:
        person = User.objects.filter(email__iexact=request.POST.get("email", "").strip(), is_active=True).first()
        if person is None:
            self.message_user(request, "Nobody active has this e-mail address. Choose a person.", messages.ERROR)
            return
        with transaction.atomic():
            gap.state, gap.invited, gap.invited_at = ContentGap.State.INVITED, person, timezone.now()
            gap.note = request.POST.get("note", "")[:1000]
            gap.save(update_fields=["state", "invited", "invited_at", "note"])
            record(request, AuditEvent.Action.INVITE, gap, invited=str(person.pk))
        self.message_user(request, f"{person} is invited to write, and sees it on the dashboard.", messages.SUCCESS)

    def _set_not_ours(self, request: HttpRequest, gap: ContentGap) -> None:
        self._set_state(request, gap, ContentGap.State.NOT_OURS)

    def _open(self, request: HttpRequest, gap: ContentGap) -> None:
        self._set_state(request, gap, ContentGap.State.OPEN)

    def _set_state(self, request: HttpRequest, gap: ContentGap, state: ContentGap.State) -> None:
        with transaction.atomic():
            gap.state, gap.closed_at = state, None
            gap.save(update_fields=["state", "closed_at"])
            record(request, AuditEvent.Action.CHANGE, gap, state=state.value)
        self.message_user(request, f"Marked as {gap.get_state_display()}.", messages.SUCCESS)

    def _check(self, request: HttpRequest, gap: ContentGap) -> None:
        check = check_gap(gap, by=viewer(request))
        if check is None:
            self.message_user(request, "There is no question left that could be asked again.", messages.WARNING)
            return
        record(request, AuditEvent.Action.REPLAY, gap, asked=check.asked, answered=check.answered)
        self.message_user(request, f"Asked again: {check.answered} of {check.asked} answered.", messages.SUCCESS)
