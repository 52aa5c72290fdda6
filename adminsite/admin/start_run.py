"""The page from which a run over a dataset is started."""

from typing import Any

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from unfold.widgets import UnfoldAdminSelectWidget

from adminsite.admin.base import viewer
from core.errors import FootnoteError
from core.models import AuditEvent
from core.quality.evaluation.datasets.starting import check_dataset, list_datasets, queue_run

START = "core.add_evaluationrun"


class StartForm(forms.Form):
    """A form to choose the questions of a run."""

    dataset = forms.ChoiceField(
        widget=UnfoldAdminSelectWidget,
        help_text="Each question is asked as the person that its line names, with that person's rights.",
    )

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["dataset"].choices = [(name, name) for name in list_datasets()]  # type: ignore[attr-defined]

    def clean_dataset(self) -> str:
        """The name of a dataset that can be asked here. ValidationError, with the reason, for another."""
        name = str(self.cleaned_data["dataset"])
        try:
            check_dataset(name)
        except FootnoteError as error:
            raise forms.ValidationError(error.message) from error
        return name


def start_page(model_admin: Any, request: HttpRequest) -> HttpResponse:
    """Choose a dataset and queue a run over it; who did is in the audit trail."""
    if not request.user.has_perm(START):
        raise PermissionDenied
    form = StartForm(request.POST if request.method == "POST" else None)
    if form.is_bound and form.is_valid():
        _queue(model_admin, request, form.cleaned_data["dataset"])
        return HttpResponseRedirect(reverse("admin:core_evaluationrun_changelist"))
    context = {
        **model_admin.admin_site.each_context(request),
        "title": "Start a run",
        "opts": model_admin.opts,
        "form": form,
        "has_datasets": bool(list_datasets()),
    }
    return TemplateResponse(request, "adminsite/start_run.html", context)


def _queue(model_admin: Any, request: HttpRequest, dataset: str) -> None:
    with transaction.atomic():
        is_new = queue_run(dataset)
        if is_new:
            AuditEvent.objects.create(
                actor=viewer(request),
                action=AuditEvent.Action.CREATE,
                object_type="evaluationrun",
                details={"dataset": dataset},
            )
    if is_new:
        said = f"A run over {dataset} is queued. It appears here when the worker begins it."
        model_admin.message_user(request, said, messages.SUCCESS)
    else:
        model_admin.message_user(request, f"A run over {dataset} is queued already.", messages.WARNING)
