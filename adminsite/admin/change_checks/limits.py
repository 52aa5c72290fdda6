"""The page of the limits: from where on a change waits for a yes, for each kind of change."""

from typing import Any, ClassVar

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from unfold.widgets import UnfoldAdminIntegerFieldWidget, UnfoldBooleanSwitchWidget

from adminsite.admin.audited import describe_changes
from adminsite.admin.base import record
from core.models import AuditEvent, ChangeLimit
from core.values.change_checks import KINDS_IN_WORDS, ChangeKind

CHANGE_LIMITS = "core.change_changelimit"
PAGE = "admin:core_changecheck_limits"
_OF_ANSWERS = ("is_on", "most_worse", "most_moved", "most_changed")
# Fields that say nothing of a kind of change are not offered for it.
_FIELDS = {
    ChangeKind.GRANTS: (*_OF_ANSWERS, "from_documents", "most_people"),
    ChangeKind.EDITIONS: (*_OF_ANSWERS, "from_documents"),
    ChangeKind.THRESHOLDS: _OF_ANSWERS,
    ChangeKind.MODEL: _OF_ANSWERS,
}
_ABOUT = {
    ChangeKind.GRANTS: "Grants that are made or taken away in the matrix, or undone from the audit trail.",
    ChangeKind.EDITIONS: "New documents and new editions of a source's run or an upload. What is gone, and "
    "readers that a source takes away, never wait.",
    ChangeKind.THRESHOLDS: "Other thresholds of answers. They touch everybody, so each change of them is checked.",
    ChangeKind.MODEL: "An examined answer model. It waits for a yes in every case: switched on, last month's questions "
    "are asked before it may be let in, and the figures here say what the check marks as too much.",
}


class LimitForm(forms.ModelForm):  # type: ignore[type-arg]  # not generic when run
    """The limit of one kind of changes, with the fields that say something of it."""

    class Meta:
        model = ChangeLimit
        fields = ("is_on", "from_documents", "most_worse", "most_moved", "most_changed", "most_people")
        widgets: ClassVar[dict[str, Any]] = {
            "is_on": UnfoldBooleanSwitchWidget,
            "from_documents": UnfoldAdminIntegerFieldWidget,
            "most_worse": UnfoldAdminIntegerFieldWidget,
            "most_moved": UnfoldAdminIntegerFieldWidget,
            "most_changed": UnfoldAdminIntegerFieldWidget,
            "most_people": UnfoldAdminIntegerFieldWidget,
        }
        help_texts: ClassVar[dict[str, str]] = {
            "is_on": "Off: such changes are live at once, and are checked only where somebody presses Check first.",
            "from_documents": "A change of fewer documents is live at once, without a check.",
            "most_worse": "Percent of the questions asked. Above it, the change waits for a yes. Answers that vanish "
            "or fail count. 0: a single one is too much.",
            "most_moved": "Percent of the questions asked: answers from none of the documents of before, or from one "
            "that their reader cannot read now. 0: a single one is too much.",
            "most_changed": "Percent of the questions asked, whether for better or worse. Empty: no limit.",
            "most_people": "Above so many, the change waits for a yes whatever it does to answers. Empty: no limit.",
        }

    def __init__(self, kind: ChangeKind, **options: Any) -> None:
        """kind: whose limit it is."""
        super().__init__(prefix=kind.value, **options)
        self.kind = kind
        for name in set(self.fields) - set(_FIELDS[kind]):
            del self.fields[name]
        if kind == ChangeKind.EDITIONS:
            self.fields["is_on"].help_text = "Off: what comes in is live at once."

    @property
    def title(self) -> str:
        """The kind in words."""
        return KINDS_IN_WORDS[self.kind].capitalize()

    @property
    def about(self) -> str:
        """Say which changes the limit is of."""
        return _ABOUT[self.kind]


def limits_page(model_admin: Any, request: HttpRequest) -> HttpResponse:
    """Show the limits of all kinds; save them together."""
    if not request.user.has_perm(CHANGE_LIMITS):
        raise PermissionDenied
    if request.method not in ("GET", "HEAD", "POST"):
        return HttpResponseNotAllowed(["GET", "HEAD", "POST"])
    given = request.POST if request.method == "POST" else None
    kept = {limit.kind: limit for limit in ChangeLimit.objects.all()}
    forms_shown = [
        LimitForm(kind, data=given, instance=kept.get(kind) or ChangeLimit(kind=kind)) for kind in ChangeKind
    ]
    if given is not None and all(form.is_valid() for form in forms_shown):
        _save(request, forms_shown)
        model_admin.message_user(request, "The limits are saved. They hold for changes from now on.", messages.SUCCESS)
        return HttpResponseRedirect(reverse(PAGE))
    context = {
        **model_admin.admin_site.each_context(request),
        "title": "Limits of changes",
        "opts": model_admin.opts,
        "forms": forms_shown,
        "has_errors": any(form.errors for form in forms_shown),
    }
    return TemplateResponse(request, "adminsite/change_checks/limits.html", context)


def _save(request: HttpRequest, given: list[LimitForm]) -> None:
    """Store each limit that has no row or was changed, and record what changed."""
    with transaction.atomic():
        for form in given:
            is_new = form.instance._state.adding
            if is_new or form.has_changed():
                limit = form.save()
            if form.has_changed():
                record(request, AuditEvent.Action.CHANGE, limit, kind=form.kind.value, **describe_changes(form, True))
