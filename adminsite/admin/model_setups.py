"""Models of this machine: what it can run, fetching one or taking a file, and how far that is. Nothing is admitted."""

from collections.abc import Callable
from typing import Any, ClassVar

from django import forms
from django.conf import settings
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import path, reverse
from unfold.decorators import display
from unfold.widgets import UnfoldAdminTextInputWidget, UnfoldBooleanSwitchWidget

from adminsite.admin.base import ReadOnlyAdmin, record, viewer
from core.errors import FootnoteError
from core.llm.local_model.choosing import LONGEST_PATH, Choice, find_offer, list_choices, read_path
from core.llm.local_model.machine import look_at_machine
from core.llm.local_model.registration import Registered, find_usable
from core.llm.local_model.server import NOT_THERE, is_installed
from core.llm.local_model.setting_up import in_gigabytes
from core.models import AuditEvent, ModelExamination, ModelSetup
from core.operations.model_setup import SET_UP, VIEW, start_file, start_offer, stop
from core.quality.examination.deciding import VIEW as VIEW_EXAMINATIONS
from core.quality.examination.deciding import find_standing

LIST = "admin:core_modelsetup_changelist"
State = ModelSetup.State
_LABELS = {
    State.WAITING.label: "info",
    State.FETCHING.label: "primary",
    State.CHECKING.label: "primary",
    State.LOADING.label: "primary",
    State.DONE.label: "success",
    State.STOPPED.label: "default",
    State.FAILED.label: "danger",
}
_QUEUED = "It is queued. The worker begins within seconds."


class FileForm(forms.Form):
    """Names a model file of the server."""

    path = forms.CharField(
        label="Path of the file",
        max_length=LONGEST_PATH,
        widget=UnfoldAdminTextInputWidget,
        help_text="On the machine of the worker, from / on, and readable by it. The file stays where it is.",
    )
    anyway = forms.BooleanField(
        label="Even if memory seems too small",
        required=False,
        widget=UnfoldBooleanSwitchWidget,
        help_text="What runs on the machine may be ended by the system when memory runs out.",
    )

    def clean_path(self) -> str:
        """Return the path. ValidationError, with the reason, for what is none of a model."""
        try:
            return str(read_path(self.cleaned_data["path"]))
        except FootnoteError as error:
            raise forms.ValidationError(error.message) from error


@admin.register(ModelSetup)
class ModelSetupAdmin(ReadOnlyAdmin):
    """Lists what was fetched or taken, the last one first, below what can be."""

    when_empty = "Nothing was fetched from here yet."
    list_display = ("show_subject", "show_state", "created_at", "asked_by")
    list_filter = ("state",)
    list_select_related = ("asked_by",)
    list_before_template = "adminsite/local_models.html"
    fields: ClassVar = ("offer",)

    @display(description="Model", ordering="offer")
    def show_subject(self, row: ModelSetup) -> str:
        """Return what it was about, without a path."""
        return _name_model(row)

    @display(description="State", label=_LABELS, ordering="state")
    def show_state(self, row: ModelSetup) -> str:
        """Return the state in words."""
        return row.get_state_display()

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Show the list, below what this machine can run and what is set up."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        return super().changelist_view(request, {**(extra_context or {}), **_describe_machine(request)})

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show one try: how far it is, what is wrong, or what to do next."""
        if request.method == "POST":  # each step has an address of its own
            raise PermissionDenied
        row = self.get_object(request, object_id)
        if row is None or not self.has_view_permission(request, row):
            return super().change_view(request, object_id, form_url, extra_context)
        may_set_up = request.user.has_perm(SET_UP)
        context = {
            **self.admin_site.each_context(request),
            **_describe_registered(request),
            "title": _name_model(row),
            "opts": self.opts,
            "setup": row,
            "state_label": _LABELS[row.get_state_display()],
            "done": in_gigabytes(row.done_bytes),
            "total": in_gigabytes(row.total_bytes),
            "share_done": round(100 * row.done_bytes / row.total_bytes) if row.total_bytes else 0,
            "may_set_up": may_set_up,
            "reason": row.reason if may_set_up or not row.path else "",
            "may_retry": may_set_up and row.state in {State.FAILED, State.STOPPED},
        }
        return TemplateResponse(request, "adminsite/model_setup.html", context)

    def get_urls(self) -> list[Any]:
        """Return the pages, with what can be done."""
        view, name = self.admin_site.admin_view, "core_modelsetup_{}"
        return [
            path("fetch/", view(self.fetch_view), name=name.format("fetch")),
            path("file/", view(self.file_view), name=name.format("file")),
            path("<uuid:pk>/cancel/", view(self.cancel_view), name=name.format("cancel")),
            path("<uuid:pk>/retry/", view(self.retry_view), name=name.format("retry")),
            *super().get_urls(),
        ]

    def fetch_view(self, request: HttpRequest) -> HttpResponse:
        """Queue that an offered model is fetched."""
        _check_right(request)
        if request.method != "POST":
            return HttpResponseNotAllowed(["POST"])
        name, anyway = request.POST.get("offer", ""), bool(request.POST.get("anyway"))
        return self._queue_setup(request, lambda: start_offer(name, anyway=anyway, by=viewer(request)))

    def file_view(self, request: HttpRequest) -> HttpResponse:
        """Ask for the path of a file, and queue that it is checked and set up."""
        _check_right(request)
        form = FileForm(request.POST if request.method == "POST" else None)
        if form.is_bound and form.is_valid():
            given = form.cleaned_data
            return self._queue_setup(
                request, lambda: start_file(given["path"], anyway=given["anyway"], by=viewer(request))
            )
        context = {**self.admin_site.each_context(request), "title": "Take a file of the server", "opts": self.opts}
        return TemplateResponse(request, "adminsite/model_file.html", {**context, "form": form})

    def retry_view(self, request: HttpRequest, pk: Any) -> HttpResponse:
        """Queue once more what was cancelled or failed; a fetch goes on from where it was."""
        row = self._find_setup(request, pk)
        if request.method != "POST":
            return HttpResponseNotAllowed(["POST"])
        by = viewer(request)
        if row.path:
            return self._queue_setup(request, lambda: start_file(row.path, anyway=row.anyway, by=by))
        return self._queue_setup(request, lambda: start_offer(row.offer, anyway=row.anyway, by=by))

    def cancel_view(self, request: HttpRequest, pk: Any) -> HttpResponse:
        """Cancel what is under way. What was fetched is kept."""
        row = self._find_setup(request, pk)
        if request.method != "POST":
            return HttpResponseNotAllowed(["POST"])
        try:
            with transaction.atomic():
                stop(row)
                record(request, AuditEvent.Action.CHANGE, row, state="cancelled")
            self.message_user(request, "It is being cancelled. What was fetched is kept.", messages.SUCCESS)
        except FootnoteError as error:
            self.message_user(request, error.message, messages.WARNING)
        return HttpResponseRedirect(_address_of(row))

    def _find_setup(self, request: HttpRequest, pk: Any) -> ModelSetup:
        _check_right(request)
        row = ModelSetup.objects.filter(pk=pk).first()
        if row is None:
            raise Http404
        return row

    def _queue_setup(self, request: HttpRequest, start: Callable[[], ModelSetup]) -> HttpResponse:
        """Queue a setup with its audit row, and lead to its page. The path of a file is not recorded."""
        try:
            with transaction.atomic():
                row = start()
                what: dict[str, Any] = {"offer": row.offer} if row.offer else {"from_file": True}
                record(request, AuditEvent.Action.CREATE, row, anyway=row.anyway, **what)
        except FootnoteError as error:
            self.message_user(request, error.message, messages.WARNING)
            return HttpResponseRedirect(reverse(LIST))
        self.message_user(request, _QUEUED, messages.SUCCESS)
        return HttpResponseRedirect(_address_of(row))


def _check_right(request: HttpRequest) -> None:
    if not (request.user.has_perm(SET_UP) and request.user.has_perm(VIEW)):
        raise PermissionDenied


def _address_of(row: ModelSetup) -> str:
    return reverse("admin:core_modelsetup_change", args=[row.pk])


def _name_model(row: ModelSetup) -> str:
    offer = find_offer(row.offer) if row.offer else None
    return offer.title if offer else row.offer or "A file of the server"


def _describe_machine(request: HttpRequest) -> dict[str, Any]:
    """Describe the machine, what is offered for it, and what is set up."""
    machine = look_at_machine()
    registered = _describe_registered(request)
    return {
        **registered,
        "cores": machine.cores,
        "memory": in_gigabytes(machine.memory),
        "accelerator": machine.accelerator,
        "not_installed": "" if is_installed() else NOT_THERE,
        "choices": [
            _describe_choice(choice, registered["registered"])
            for choice in list_choices(machine, settings.FOOTNOTE_HOME)
        ],
        "under_way": ModelSetup.objects.filter(state__in=ModelSetup.UNDER_WAY).first(),
        "may_set_up": request.user.has_perm(SET_UP),
    }


def _describe_registered(request: HttpRequest) -> dict[str, Any]:
    """Describe the model that is set up: what is next to be done, and how its last examination ended."""
    registered, problem = find_usable(settings.FOOTNOTE_HOME)
    standing = find_standing()
    is_used = registered is not None and registered == settings.LOCAL_MODEL
    return {
        "registered": registered,
        "problem": problem if request.user.has_perm(SET_UP) else problem and "The file that names it is damaged.",
        "needs_start": registered is not None and not is_used,
        "is_outvoted": is_used and registered is not None and standing.model != registered.model,
        "standing": standing,
        "examined": _find_examined(registered.model) if registered else "",
        "may_see_examinations": request.user.has_perm(VIEW_EXAMINATIONS),
        "may_see_path": request.user.has_perm(SET_UP),
    }


def _describe_choice(choice: Choice, registered: Registered | None) -> dict[str, Any]:
    offer = choice.offer
    return {
        "choice": choice,
        "offer": offer,
        "size": in_gigabytes(offer.size),
        "memory": in_gigabytes(choice.memory),
        "kept": round(100 * choice.kept / offer.size) if choice.kept else 0,
        "is_set_up": registered is not None and registered.model == choice.model,
        "examined": _find_examined(choice.model),
    }


def _find_examined(model: str) -> str:
    """Return how the last examination of a model ended, in words; "" where there is none."""
    last = ModelExamination.objects.filter(model=model).first()
    return last.get_state_display() if last else ""
