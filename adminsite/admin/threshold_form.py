"""The form of the thresholds that hold now: have others checked, put them live, or go back to the settings' values."""

from typing import Any

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.html import format_html
from unfold.widgets import UnfoldAdminDecimalFieldWidget

from adminsite.admin.base import viewer
from adminsite.admin.change_checks.shown import STATE_LABELS, link_check
from core.models import AnswerThresholds, ChangeCheck
from core.quality.change_checks.deciding import VIEW as VIEW_CHECKS
from core.quality.change_checks.deciding import may_check
from core.quality.change_checks.kinds.thresholds import CHANGE_THRESHOLDS
from core.quality.change_checks.limits import find_limit
from core.quality.change_checks.submitting import change_thresholds, check_thresholds
from core.quality.reports.promises import Thresholds, answer_from, read_thresholds
from core.values.change_checks import ChangeKind, CheckState

PAGE = "admin:core_querylog_thresholds"
CHECK, LIVE, SETTINGS = "check", "live", "settings"  # what the form's buttons do
_SHOWN_CHECKS = 5


class ThresholdsForm(forms.Form):
    """The two thresholds."""

    answer_from = forms.FloatField(
        label="Answers from",
        min_value=0,
        max_value=1,
        widget=UnfoldAdminDecimalFieldWidget(attrs={"step": "any"}),
        help_text="From this estimate up, 0 to 1, there is an answer.",
    )
    closest_from = forms.FloatField(
        label="Closest passages from",
        min_value=0,
        max_value=1,
        widget=UnfoldAdminDecimalFieldWidget(attrs={"step": "any"}),
        help_text="From this estimate up, 0 to 1, the closest passages are shown where there is no answer. Not above "
        "the other value.",
    )

    def clean(self) -> dict[str, Any]:
        """Refuse closest passages that would begin above answers, at their field."""
        given = self.cleaned_data
        if "answer_from" in given and "closest_from" in given and given["closest_from"] > given["answer_from"]:
            self.add_error(
                "closest_from", "Closest passages cannot begin above the value from which there are answers."
            )
        return given

    @property
    def thresholds(self) -> Thresholds:
        """Return what was given, once it is valid."""
        given = self.cleaned_data
        return Thresholds(answer_from=given["answer_from"], closest_from=given["closest_from"])


def may_change_thresholds(request: HttpRequest) -> bool:
    """Return True if the viewer may put thresholds live."""
    return request.user.has_perm(CHANGE_THRESHOLDS)


def may_look_first(request: HttpRequest) -> bool:
    """Return True if the viewer may have thresholds checked, and see what came of it."""
    return may_change_thresholds(request) and may_check(viewer(request)) and request.user.has_perm(VIEW_CHECKS)


def open_form(request: HttpRequest) -> ThresholdsForm | None:
    """Return the form as it was sent, or with the thresholds that hold now; None for who may not change them."""
    if not may_change_thresholds(request):
        return None
    now = {"answer_from": round(answer_from(), 4), "closest_from": round(read_thresholds().closest_from, 4)}
    return ThresholdsForm(request.POST if request.method == "POST" else None, initial=now)


def take_form(model_admin: Any, request: HttpRequest, form: ThresholdsForm | None) -> HttpResponse | None:
    """Do what the pressed button says. None where the form has to be corrected."""
    act = request.POST.get("act", "")
    if form is None or (act == CHECK and not may_look_first(request)):
        raise PermissionDenied
    if act not in (CHECK, LIVE, SETTINGS):
        raise Http404
    if act != SETTINGS and not form.is_valid():
        return None
    thresholds = None if act == SETTINGS else form.thresholds
    if act == CHECK:
        looked = check_thresholds(thresholds, by=viewer(request))
        model_admin.message_user(request, "They are being checked. Nothing is changed by that.", messages.SUCCESS)
        return HttpResponseRedirect(reverse("admin:core_changecheck_change", args=[looked.pk]))
    check = change_thresholds(thresholds, by=viewer(request))
    if check is None:
        said = "They are live: every process goes by them within some seconds."
        model_admin.message_user(request, said, messages.SUCCESS)
    else:
        link = link_check(request, check, "their check")
        said = format_html(
            "They are not live yet: {} comes first, and they wait for a yes where it crosses a limit.", link
        )
        model_admin.message_user(request, said, messages.WARNING)
    return HttpResponseRedirect(reverse(PAGE))


def describe_now(request: HttpRequest, form: ThresholdsForm | None) -> dict[str, Any]:
    """Say which thresholds hold now and since when, and list the last checks of others."""
    return {
        "threshold_form": form,
        "put_live": AnswerThresholds.objects.select_related("changed_by").first(),
        "answers_from_now": f"{answer_from():.2f}",
        "closest_from_now": f"{read_thresholds().closest_from:.2f}",
        "may_look_first": may_look_first(request),
        "waits": form is not None and find_limit(ChangeKind.THRESHOLDS) is not None,
        "checks": _list_checks(request),
    }


def _list_checks(request: HttpRequest) -> list[tuple[ChangeCheck, str]]:
    """Return the last checks of thresholds for who may see them, each with the colour of its state."""
    if not request.user.has_perm(VIEW_CHECKS):
        return []
    last = ChangeCheck.objects.filter(kind=ChangeKind.THRESHOLDS).order_by("-created_at")[:_SHOWN_CHECKS]
    return [(check, STATE_LABELS[CheckState(check.state)]) for check in last]
