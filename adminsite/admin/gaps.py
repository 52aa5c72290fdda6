"""Content gaps: which questions the library does not answer, and what is done about them."""

import datetime as dt
import json
from collections.abc import Callable
from functools import partial
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import Count, QuerySet
from django.db.models.functions import TruncWeek
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import NoReverseMatch, path, reverse
from django.utils import timezone
from unfold.contrib.filters.admin import ChoicesDropdownFilter, DropdownFilter
from unfold.decorators import display
from unfold.widgets import UnfoldAdminEmailInputWidget, UnfoldAdminTextInputWidget

from adminsite.admin.base import AuditedReading, ChartedAdmin, record, viewer, viewer_audience
from adminsite.admin.proposals.shown import list_for
from adminsite.admin.verified_answers import take_over_url
from adminsite.dashboard.chart_style import ANSWERED, BAR_OPTIONS, CLOSEST, bars
from core.access.audiences import may_decide_who_reads
from core.asking.verified_answers.editing import may_manage
from core.models import AuditEvent, ChannelSetting, ContentGap, GapQuestion, GapUpdate, Role, User
from core.quality.gaps.checking import check_gap
from core.quality.gaps.documents import find_near_documents

VIEW, MANAGE = "core.view_gaps", "core.manage_gaps"
ERASED_LABEL = "The texts of these questions have been erased."
STATE_LABELS = {"open": "warning", "invited": "info", "not_ours": "default", "closed": "success"}
HEAP_LABELS = {"nothing": "default", "unsure": "info"}
SHOWN_QUESTIONS = 50
WEEKS = 12
_SCALES: Any = BAR_OPTIONS["scales"]
_BESIDE = {**BAR_OPTIONS, "scales": {axis: {**scale, "stacked": False} for axis, scale in _SCALES.items()}}


class _QuestionFilter(DropdownFilter):
    """Gaps with a question of which something is true."""

    def narrow(self, value: str) -> dict[str, Any]:
        """Return the filter that the chosen value puts on questions."""
        raise NotImplementedError

    def queryset(self, request: HttpRequest, queryset: QuerySet[ContentGap]) -> QuerySet[ContentGap]:
        """Return the gaps with such a question; all of them for a value that is not among those offered."""
        offered = {str(value) for value, _ in self.lookup_choices}
        if self.value() not in offered:
            return queryset
        return queryset.filter(pk__in=GapQuestion.objects.filter(**self.narrow(self.value())).values("gap"))


class WeekFilter(_QuestionFilter):
    """By the week in which somebody asked."""

    title = "week"
    parameter_name = "week"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """Return the last weeks, the newest first."""
        return [(str(week), f"from {week:%Y-%m-%d}") for week in reversed(list_weeks())]

    def narrow(self, value: str) -> dict[str, Any]:
        """Narrow to questions of that week."""
        first = dt.date.fromisoformat(value)
        return {"asked_at__date__gte": first, "asked_at__date__lt": first + dt.timedelta(weeks=1)}


class RoleFilter(_QuestionFilter):
    """By a role of who asked."""

    title = "role of who asked"
    parameter_name = "role"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """Return all roles."""
        return [(str(pk), name) for pk, name in Role.objects.order_by("name").values_list("pk", "name")]

    def narrow(self, value: str) -> dict[str, Any]:
        """Narrow to questions of people with that role."""
        return {"query__user__roles": value}


class ChannelFilter(_QuestionFilter):
    """By the Slack channel in which it was asked."""

    title = "channel"
    parameter_name = "channel"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """Return the channels that somebody has asked such questions in, by their names where they are known."""
        rows = GapQuestion.objects.exclude(query__conversation__slack_channel="").order_by()
        asked = rows.values_list("query__conversation__slack_channel", flat=True).distinct()[:500]
        names = dict(ChannelSetting.objects.values_list("channel_id", "name"))
        return sorted(((pk, names.get(pk) or pk) for pk in asked), key=lambda pair: pair[1])

    def narrow(self, value: str) -> dict[str, Any]:
        """Narrow to questions of that channel."""
        return {"query__conversation__slack_channel": value}


def label_of(gap: ContentGap) -> str:
    """Return a gap in the words of one of its questions, as its asker wrote them."""
    return (gap.label_query.question_text if gap.label_query else "") or ERASED_LABEL


def has_text_of_another(gap: ContentGap, person: User) -> bool:
    """Return True while a question of a gap that somebody else asked is not erased."""
    return gap.questions.filter(query__erased_at=None).exclude(query__user=person).exists()


def describe_state(gap: ContentGap) -> str:
    """Return a gap's state in words, with the day on which its questions were found to be answered."""
    if gap.state == ContentGap.State.CLOSED and gap.closed_at:
        return f"answered since {timezone.localtime(gap.closed_at):%Y-%m-%d}"
    return str(gap.get_state_display())


class InviteForm(forms.Form):
    """Whom to invite to write."""

    email = forms.EmailField(label="The person's e-mail address", widget=UnfoldAdminEmailInputWidget)
    note = forms.CharField(label="A note for them", max_length=1000, required=False, widget=UnfoldAdminTextInputWidget)

    def clean_email(self) -> User:
        """Return the active person with that address."""
        person = User.objects.filter(email__iexact=self.cleaned_data["email"], is_active=True).first()
        if person is None:
            raise forms.ValidationError("Nobody active has this e-mail address.")
        return person


def _find_url(name: str) -> str:
    """Return the address of a page; empty where there is none."""
    try:
        return reverse(name)
    except NoReverseMatch:
        return ""


@admin.register(ContentGap)
class ContentGapAdmin(AuditedReading, ChartedAdmin):
    """Gaps, the last asked first."""

    when_empty = (
        "No gaps. Questions that are refused, unsure or voted down are grouped here by meaning every ten minutes. "
        "Greetings, thanks and the like are none."
    )
    change_form_template = "adminsite/gap.html"
    list_display = ("show_label", "show_heap", "asked", "people", "last_seen", "show_state")
    list_filter = (
        ("heap", ChoicesDropdownFilter),
        ("state", ChoicesDropdownFilter),
        WeekFilter,
        RoleFilter,
        ChannelFilter,
    )
    list_before_template = "adminsite/gap_chart.html"
    list_filter_submit = True
    list_select_related = ("label_query",)
    fields = ("asked", "people", "first_seen", "last_seen")

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Return True if the viewer may see questions of others that got no answer."""
        return request.user.has_perm(VIEW) or request.user.has_perm(MANAGE)

    def has_module_permission(self, request: HttpRequest) -> bool:
        """Return True as for the list."""
        return self.has_view_permission(request)

    def shows_text_of_another(self, request: HttpRequest, row: ContentGap) -> bool:
        """Return True while a question of somebody else is not erased."""
        return has_text_of_another(row, viewer(request))

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Show the list. It has questions of others, and so it is recorded."""
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

    def charts(self, rows: QuerySet[ContentGap]) -> dict[str, Any]:
        """Chart the gaps that the filters leave by week, and say when the list was brought up to date."""
        return {
            **chart_gaps(rows),
            "brought_up_to_date": GapUpdate.objects.values_list("updated_at", flat=True).first(),
        }

    @display(description="Question", ordering="last_seen")
    def show_label(self, gap: ContentGap) -> str:
        """Return the gap's label, made from its questions."""
        return label_of(gap)

    @display(description="Heap", label=HEAP_LABELS, ordering="heap")
    def show_heap(self, gap: ContentGap) -> tuple[str, str]:
        """Return whether something was found that may answer."""
        return gap.heap, gap.get_heap_display()

    @display(description="State", label=STATE_LABELS, ordering="state")
    def show_state(self, gap: ContentGap) -> tuple[str, str]:
        """Return the state of work on the gap; a closed one is answered by now."""
        return gap.state, describe_state(gap)

    def get_urls(self) -> list[Any]:
        """Return the pages of gaps, with what can be done."""
        act = path("<uuid:pk>/act/", self.admin_site.admin_view(self.act_view), name="core_contentgap_act")
        return [act, *super().get_urls()]

    def render_change_form(self, request: HttpRequest, *args: Any, obj: Any = None, **options: Any) -> HttpResponse:
        """Show the page of a gap."""
        context, *others = args
        described = context if obj is None else {**context, **self._describe_gap(request, obj)}
        return super().render_change_form(request, described, *others, obj=obj, **options)

    def _describe_gap(self, request: HttpRequest, gap: ContentGap) -> dict[str, Any]:
        near = find_near_documents(gap, viewer=viewer_audience(request))
        decides = may_decide_who_reads(request.user)
        questions = gap.questions.select_related("query__user", "query__conversation")[:SHOWN_QUESTIONS]
        return {
            "title": label_of(gap),
            "gap": gap,
            "questions": questions,
            "checks": gap.checks.select_related("checked_by")[:5],
            "documents": near.readable,
            "state_label": STATE_LABELS[gap.state],
            "state": describe_state(gap),
            "heap_label": HEAP_LABELS[gap.heap],
            "decides": decides,
            "unread": near.unread if decides else 0,
            "may_manage": request.user.has_perm(MANAGE),
            "form": InviteForm(),
            "roles": Role.objects.filter(users__queries__gap_question__gap=gap).distinct(),
            "verified_url": take_over_url(gap.label_query) if may_manage(request.user) else "",
            "matrix_url": _find_url("admin:core_role_matrix") or reverse("admin:core_document_changelist"),
            **list_for(request, gap=gap.pk),
            "upload_url": _find_url("admin:core_ingestionjob_add"),
        }

    def act_view(self, request: HttpRequest, pk: Any) -> HttpResponse:
        """Do what a button of the page of a gap says."""
        if not request.user.has_perm(MANAGE) or request.method != "POST":
            raise PermissionDenied
        gap = ContentGap.objects.get(pk=pk)
        acts: dict[str, Callable[[HttpRequest, ContentGap], None]] = {
            "invite": self._invite_person,
            "not_ours": partial(self._set_state, state=ContentGap.State.NOT_OURS),
            "open": partial(self._set_state, state=ContentGap.State.OPEN),
            "check": self._ask_again,
        }
        act = acts.get(request.POST.get("act", ""))
        if act is None:
            raise PermissionDenied
        act(request, gap)
        return HttpResponseRedirect(reverse("admin:core_contentgap_change", args=[gap.pk]))

    def _invite_person(self, request: HttpRequest, gap: ContentGap) -> None:
        form = InviteForm(request.POST)
        if not form.is_valid():
            self.message_user(
                request, " ".join(str(error) for errors in form.errors.values() for error in errors), messages.ERROR
            )
            return
        person = form.cleaned_data["email"]
        with transaction.atomic():
            gap.state, gap.invited, gap.invited_at = ContentGap.State.INVITED, person, timezone.now()
            gap.note = form.cleaned_data["note"]
            gap.save(update_fields=["state", "invited", "invited_at", "note"])
            record(request, AuditEvent.Action.INVITE, gap, invited=str(person.pk))
        self.message_user(request, f"{person} is invited to write.", messages.SUCCESS)

    def _set_state(self, request: HttpRequest, gap: ContentGap, state: ContentGap.State) -> None:
        with transaction.atomic():
            gap.state, gap.closed_at = state, None
            gap.save(update_fields=["state", "closed_at"])
            record(request, AuditEvent.Action.CHANGE, gap, state=state.value)
        self.message_user(request, f"Marked as {gap.get_state_display()}.", messages.SUCCESS)

    def _ask_again(self, request: HttpRequest, gap: ContentGap) -> None:
        check = check_gap(gap, by=viewer(request))
        if check is None:
            self.message_user(request, "There is no question left that could be asked again.", messages.WARNING)
            return
        record(request, AuditEvent.Action.REPLAY, gap, asked=check.asked, answered=check.answered)
        self.message_user(request, f"Asked again: {check.answered} of {check.asked} answered.", messages.SUCCESS)


def list_weeks() -> list[dt.date]:
    """Return the Mondays of the last weeks, oldest first."""
    today = timezone.localdate()
    monday = today - dt.timedelta(days=today.weekday())
    return [monday - dt.timedelta(weeks=back) for back in range(WEEKS - 1, -1, -1)]


def chart_gaps(gaps: QuerySet[ContentGap]) -> dict[str, Any]:
    """Chart questions without a good answer by week, and the gaps that they are in; {} while there is no question."""
    weeks = list_weeks()
    questions = GapQuestion.objects.filter(gap__in=gaps.order_by().values("pk"), asked_at__date__gte=weeks[0])
    rows = (
        questions.exclude(outcome=GapQuestion.Outcome.ANSWERED)
        .order_by()
        .annotate(week=TruncWeek("asked_at"))
        .values("week")
        .annotate(asked=Count("pk"), gaps=Count("gap", distinct=True))
    )
    found = {row["week"].date(): row for row in rows}
    if not found:
        return {}
    of_gaps = [found[week]["gaps"] if week in found else 0 for week in weeks]
    asked = [found[week]["asked"] if week in found else 0 for week in weeks]
    data = {
        "labels": [f"{week.day} {week:%b}" for week in weeks],
        "datasets": [bars("Questions", asked, CLOSEST), bars("Gaps", of_gaps, ANSWERED)],
    }
    return {"gaps_chart": json.dumps(data), "gaps_options": json.dumps(_BESIDE)}
