"""Preview as another person: the documents and answers of a person, a set of roles, a channel or a workspace.

The documents' text is shown only to viewers who may read it themselves or hold the right to preview texts: without it
the viewer is one more reader, so that nothing is searched, counted or shown that they may not read.
"""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django import forms
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.db.models import Count, Q
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils import timezone
from unfold.widgets import (
    UnfoldAdminCheckboxSelectMultipleWidget,
    UnfoldAdminEmailInputWidget,
    UnfoldAdminSelectWidget,
    UnfoldAdminTextInputWidget,
)

from adminsite.admin.access.why import may_see_why
from adminsite.admin.base import PREVIEW_TEXTS, audience_tried, record, viewer
from core import api
from core.access.audiences import audience_of, audience_of_roles
from core.errors import FootnoteError
from core.infrastructure import queue
from core.models import AuditEvent, ChannelSetting, Collection, Document, Role, SlackChannel, SlackWorkspace, User
from core.types import Audience, Trace

PER_PAGE = 50


class PreviewForm(forms.Form):
    """As whom to look: one of a person, roles, a channel and a workspace; and what to ask as them."""

    email = forms.EmailField(label="A person, by e-mail address", required=False, widget=UnfoldAdminEmailInputWidget)
    roles = forms.ModelMultipleChoiceField(
        Role.objects.order_by("name"),
        label="Or somebody with these roles",
        required=False,
        widget=UnfoldAdminCheckboxSelectMultipleWidget,
    )
    channel = forms.ModelChoiceField(
        SlackChannel.objects.all(),
        label="Or a channel that Footnote is in",
        required=False,
        widget=UnfoldAdminSelectWidget,
    )
    workspace = forms.ModelChoiceField(
        SlackWorkspace.objects.exclude(decided_at=None).order_by("name", "team_id"),
        label="Or a public channel of a workspace",
        required=False,
        widget=UnfoldAdminSelectWidget,
        help_text="At the most what everyone in the workspace may be shown; its members may narrow it further.",
    )
    question = forms.CharField(label="Ask as them", required=False, max_length=1000, widget=UnfoldAdminTextInputWidget)

    def clean_email(self) -> User | None:
        """Return the person with that address."""
        address = self.cleaned_data["email"]
        if not address:
            return None
        try:
            return User.objects.get_by_natural_key(address)
        except User.DoesNotExist as error:
            raise forms.ValidationError("Nobody has this e-mail address.") from error

    def clean(self) -> dict[str, Any]:
        """Check that exactly one of the four is chosen."""
        cleaned = super().clean() or {}
        chosen = [name for name in ("email", "roles", "channel", "workspace") if cleaned.get(name)]
        if len(chosen) != 1 and not self.errors:
            raise forms.ValidationError("Choose one: a person, roles, a channel or a workspace.")
        return cleaned


@dataclass(frozen=True, kw_only=True, slots=True)
class Target:
    """As whom somebody looks."""

    name: str
    row: Any  # what the audit trail names
    audience: Audience
    waits: bool = False  # until Slack has listed them

    @property
    def person(self) -> UUID | None:
        """Return the one person, where it is one."""
        return self.row.pk if isinstance(self.row, User) else None


def preview_page(model_admin: Any, request: HttpRequest) -> HttpResponse:
    """Show the form and, once it says as whom, what they may read and what a question gets.

    It is posted, so that neither an address nor a question is in a URL, and so in no log.
    """
    if not may_see_why(request):
        raise PermissionDenied
    form = PreviewForm(request.POST or None)
    context = {
        **model_admin.admin_site.each_context(request),
        "title": "Ask",
        "opts": model_admin.opts,
        "form": form,
        "sees_texts": request.user.has_perm(PREVIEW_TEXTS),
    }
    if form.is_bound and form.is_valid():
        context |= _describe_access(request, _find_target(form.cleaned_data), form)
    return TemplateResponse(request, "adminsite/preview.html", context)


def _find_target(chosen: dict[str, Any]) -> Target:
    if person := chosen["email"]:
        return Target(name=str(person), row=person, audience=audience_of([person.pk]))
    if channel := chosen["channel"]:
        return _find_channel(channel)
    if workspace := chosen["workspace"]:
        held = SlackWorkspace.objects.roles_of_everyone(workspace.team_id)
        return Target(name=f"everyone in {workspace}", row=workspace, audience=audience_of_roles(held))
    roles = list(chosen["roles"])
    names = ", ".join(role.name for role in roles)
    return Target(name=f"somebody with: {names}", row=roles[0], audience=audience_of_roles(role.pk for role in roles))


def _find_channel(channel: SlackChannel) -> Target:
    """Build the target from the channel's own roles; else from its readers when Slack was last asked.

    Slack is asked again.
    """
    same = {"team_id": channel.team_id, "channel_id": channel.channel_id}
    setting = ChannelSetting.objects.filter(uses_own_roles=True, **same).first()
    if setting is not None:
        held = setting.roles.values_list("pk", flat=True)
        return Target(name=f"{channel}, by its own roles", row=channel, audience=audience_of_roles(held))
    queue.note_readers(**same)
    if channel.audience is None or channel.readers_at is None:
        return Target(name=str(channel), row=channel, audience=Audience.nobody(), waits=True)
    known = f"{timezone.localtime(channel.readers_at):%Y-%m-%d %H:%M}"
    return Target(name=f"{channel}, by its readers of {known}", row=channel, audience=channel.audience)


def _describe_access(request: HttpRequest, target: Target, form: PreviewForm) -> dict[str, Any]:
    """Describe a person's access and a question's path. The preview is recorded before it is shown."""
    question = form.cleaned_data["question"]
    asked = audience_tried(request, target.audience)
    record(
        request,
        AuditEvent.Action.PREVIEW,
        target.row,
        roles=[[str(role) for role in sorted(roles)] for roles in target.audience.role_sets],
        asked=bool(question),
        own_rights_left_out=request.user.has_perm(PREVIEW_TEXTS),
    )
    readable = Document.objects.whole().visible_to(target.audience)
    page = Paginator(readable.select_related("collection").order_by("title", "pk"), PER_PAGE)
    context: dict[str, Any] = {
        "target": target,
        "viewer": viewer(request),
        "collections": _count_collections(readable),
        "documents": page.get_page(request.POST.get("page")),
        "reads_nothing": target.audience.reads_nothing,
    }
    return context | (_trace_question(question, asked, target.person) if question else {})


def _count_collections(readable: Any) -> list[tuple[str, int, int]]:
    """Return each collection with how many of its documents are readable, of those not withdrawn. Two queries."""
    found = dict(readable.order_by().values_list("collection").annotate(n=Count("pk")))
    whole = Q(documents__withdrawn_at=None, documents__part_of=None)
    rows = Collection.objects.annotate(n=Count("documents", filter=whole)).order_by("name")
    return [(row.name, found.get(row.pk, 0), row.n) for row in rows]


def _trace_question(question: str, audience: Audience, person: UUID | None) -> dict[str, Any]:
    try:
        trace = api.trace(question, audience=audience, person=person)
    except FootnoteError as error:
        return {"trace_error": error.message}
    return {
        "trace": trace,
        "narrowed": _list_filters(trace),
        "refusal": trace.run.refusal.replace("_", " "),
        "withholds": trace.run.text is None and any(kept for _, kept in trace.written),
        "dropped": [(reason.replace("_", " "), count) for reason, count in trace.dropped_reasons],
    }


def _list_filters(trace: Trace) -> list[tuple[str, str]]:
    names = ("source", "document_type", "collection", "chapter", "section", "date_from", "date_to")
    return [(name.replace("_", " "), str(value)) for name in names if (value := getattr(trace.filters, name))]
