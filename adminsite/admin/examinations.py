"""Examinations of answer models: what answers now, how a model did beside the key-free road, who lets it in."""

from collections.abc import Callable
from typing import Any, ClassVar

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import path, reverse
from unfold.decorators import display

from adminsite.admin.base import ReadOnlyAdmin, record, viewer, viewer_audience
from adminsite.admin.change_checks.shown import find_check_line
from adminsite.admin.question_texts import is_readable
from core.errors import FootnoteError
from core.models import AuditEvent, ExaminationLine, ModelExamination
from core.quality.change_checks.deciding import may_check
from core.quality.change_checks.submitting import admit_model, check_model, must_be_checked, refuse_model
from core.quality.examination.deciding import ADMIT, EXAMINE, VIEW, find_standing, is_as_set, start, stop
from core.quality.examination.judging import BETTER, EQUAL, WORSE, compare
from core.quality.examination.words import read_words

LIST = "admin:core_modelexamination_changelist"
State = ModelExamination.State
_LABELS = {
    State.WAITING.label: "info",
    State.RUNNING.label: "info",
    State.EXAMINED.label: "warning",
    State.ADMITTED.label: "success",
    State.REFUSED.label: "default",
    State.LAPSED.label: "warning",
    State.STOPPED.label: "default",
    State.FAILED.label: "danger",
}
_VERDICTS = {
    BETTER: ("Better here", "fn-good", "More questions answered rightly or fewer wrongly, and nothing lost for it."),
    EQUAL: ("As good here", "", "Neither more right nor more wrong than without a model."),
    WORSE: (
        "Worse here",
        "fn-bad-text",
        "Fewer questions answered rightly than without a model, or more that is wrong or has no source.",
    ),
}
# Figure, its words, and whether more of it is good: None where it is neither.
_ROWS: tuple[tuple[str, str, bool | None], ...] = (
    ("right", "Right", True),
    ("wrong", "Wrong", False),
    ("missed", "Not answered, though the library has the answer", False),
    ("invented", "Answered, though the answer was taken away", False),
    ("withheld", "Rightly not answered", True),
    ("failed", "The model failed", False),
    ("seconds_p50", "Seconds for an answer, half of them", False),
    ("seconds_p95", "Seconds for an answer, 95 % of them", False),
    ("tokens", "Tokens", None),
    ("format_kept", "Replies that could be read at once", None),
    ("own_words", "Answers in the model's own words", None),
)
_OF_MODEL = frozenset({"tokens", "format_kept", "own_words", "failed"})


def compare_figures(figures: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the rows of the table that shows the model beside the key-free road, each with how it is here."""
    model, key_free = figures["model"], figures["key_free"]
    rows = []
    for name, words, more_is_good in _ROWS:
        mine, other = model.get(name), key_free.get(name)
        how, colour = "", ""
        if more_is_good is not None and name not in _OF_MODEL and mine != other and None not in (mine, other):
            is_better = (mine > other) == more_is_good
            how, colour = ("better here", "fn-good") if is_better else ("worse here", "fn-bad-text")
        shown = "–" if name in _OF_MODEL else other
        rows.append({"name": words, "model": mine, "key_free": shown, "how": how, "colour": colour})
    return rows


@admin.register(ModelExamination)
class ModelExaminationAdmin(ReadOnlyAdmin):
    """Examinations, the last one first."""

    when_empty = (
        "No model has been examined. Set LLM_MODEL, or run make model, and press Examine: Footnote asks the model the "
        "library's own questions, and you decide whether it answers people."
    )
    list_display = ("show_model", "show_state", "show_verdict", "show_right", "created_at", "decided_by")
    list_filter = ("state", "model")
    list_select_related = ("decided_by",)
    list_before_template = "adminsite/examination_standing.html"
    change_form_template = "adminsite/examination.html"
    fields: ClassVar = ("model",)

    @display(description="Model", ordering="model")
    def show_model(self, row: ModelExamination) -> str:
        """Return the model's name."""
        return row.model

    @display(description="State", label=_LABELS, ordering="state")
    def show_state(self, row: ModelExamination) -> str:
        """Return the state in words."""
        return row.get_state_display()

    @display(description="Beside the key-free answers")
    def show_verdict(self, row: ModelExamination) -> str:
        """Say whether it is better here."""
        return _VERDICTS[compare(**row.figures)][0] if row.figures else "–"

    @display(description="Right, without a model")
    def show_right(self, row: ModelExamination) -> str:
        """Return how many questions were answered rightly by the model, and by the key-free road."""
        if not row.figures:
            return "–"
        model, key_free = row.figures["model"], row.figures["key_free"]
        return f"{model['right']} of {model['questions']}, {key_free['right']}"

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Show the list, below what answers now."""
        return super().changelist_view(request, {**(extra_context or {}), **self._describe_standing(request)})

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show one examination: its figures for all who may see it, its words for readers of what they come from."""
        if request.method == "POST":  # each step has an address of its own
            raise PermissionDenied
        row = self.get_object(request, object_id)
        if row is None or not self.has_view_permission(request, row):
            return super().change_view(request, object_id, form_url, extra_context)
        lines = list(row.lines.select_related("query").order_by("number"))
        shown = [_show_line(request, line) for line in lines]
        _add_words(request, lines, shown)
        if any(one["is_of_another"] for one in shown):
            record(request, AuditEvent.Action.READ_TEXT, row)
        context = {
            **self.admin_site.each_context(request),
            **self._describe_standing(request),
            **_describe_examination(row, done=len(lines)),
            "title": f"Examination of {row.model}",
            "opts": self.opts,
            "examination": row,
            "lines": shown,
            "hidden": sum(not one["is_shown"] for one in shown),
            "may_decide": request.user.has_perm(ADMIT),
            "may_check": row.state == State.EXAMINED and is_as_set(row) and may_check(viewer(request)),
            "must_be_checked": must_be_checked(row),
            **find_check_line(request, row.checks),
        }
        return TemplateResponse(request, "adminsite/examination.html", context)

    def get_urls(self) -> list[Any]:
        """Return the pages, with what can be done."""
        view, name = self.admin_site.admin_view, "core_modelexamination_{}"
        return [
            path("examine/", view(self.start_view), name=name.format("start")),
            path("<uuid:pk>/stop/", view(self.stop_view), name=name.format("stop")),
            path("<uuid:pk>/admit/", view(self.admit_view), name=name.format("admit")),
            path("<uuid:pk>/refuse/", view(self.refuse_view), name=name.format("refuse")),
            path("<uuid:pk>/check/", view(self.check_view), name=name.format("check")),
            *super().get_urls(),
        ]

    def start_view(self, request: HttpRequest) -> HttpResponse:
        """Queue an examination of the model that is set."""
        if not request.user.has_perm(EXAMINE):
            raise PermissionDenied
        if request.method != "POST":
            return HttpResponseNotAllowed(["POST"])
        try:
            with transaction.atomic():
                row = start(by=viewer(request))
                record(request, AuditEvent.Action.CREATE, row)
        except FootnoteError as error:
            self.message_user(request, error.message, messages.WARNING)
            return HttpResponseRedirect(reverse(LIST))
        said = "The examination is queued. The worker asks its questions when nothing else is to do."
        self.message_user(request, said, messages.SUCCESS)
        return HttpResponseRedirect(self._address_of(row))

    def stop_view(self, request: HttpRequest, pk: Any) -> HttpResponse:
        """Stop an examination. Nothing of it is admitted."""
        return self._change_state(
            request, pk, EXAMINE, lambda row: stop(row), "stopping", "The examination is being stopped."
        )

    def admit_view(self, request: HttpRequest, pk: Any) -> HttpResponse:
        """Let the model answer."""
        said = "The model answers from now on. What it says is verified as before."
        return self._change_state(
            request, pk, ADMIT, lambda row: admit_model(row, by=viewer(request)), "admitted", said
        )

    def refuse_view(self, request: HttpRequest, pk: Any) -> HttpResponse:
        """Keep the model from answering."""
        said = "The model answers nobody. Answers come without a model."
        return self._change_state(
            request, pk, ADMIT, lambda row: refuse_model(row, by=viewer(request)), "refused", said
        )

    def check_view(self, request: HttpRequest, pk: Any) -> HttpResponse:
        """Have last month's questions asked of the model as well, before it is let in."""
        if not (may_check(viewer(request)) and request.user.has_perm(VIEW)):
            raise PermissionDenied
        if request.method != "POST":
            return HttpResponseNotAllowed(["POST"])
        row = ModelExamination.objects.filter(pk=pk).first()
        if row is None:
            raise Http404
        try:
            check_model(row, by=viewer(request))
        except FootnoteError as error:
            self.message_user(request, error.message, messages.ERROR)
        else:
            said = "Last month's questions are asked of the model. It answers nobody by that."
            self.message_user(request, said, messages.SUCCESS)
        return HttpResponseRedirect(self._address_of(row))

    def _change_state(
        self,
        request: HttpRequest,
        pk: Any,
        permission: str,
        act: Callable[[ModelExamination], None],
        state: str,
        said: str,
    ) -> HttpResponse:
        """Do something with an examination, for whoever may, and record it."""
        if not (request.user.has_perm(permission) and request.user.has_perm(VIEW)):
            raise PermissionDenied
        if request.method != "POST":
            return HttpResponseNotAllowed(["POST"])
        row = ModelExamination.objects.filter(pk=pk).first()
        if row is None:
            raise Http404
        try:
            with transaction.atomic():
                act(row)
                record(request, AuditEvent.Action.CHANGE, row, state=state)
            self.message_user(request, said, messages.SUCCESS)
        except FootnoteError as error:
            self.message_user(request, error.message, messages.ERROR)
        return HttpResponseRedirect(self._address_of(row))

    def _address_of(self, row: ModelExamination) -> str:
        return reverse("admin:core_modelexamination_change", args=[row.pk])

    def _describe_standing(self, request: HttpRequest) -> dict[str, Any]:
        return {"standing": find_standing(), "may_examine": request.user.has_perm(EXAMINE)}


def _describe_examination(row: ModelExamination, *, done: int) -> dict[str, Any]:
    """Describe an examination for its page: progress, verdict and figures."""
    found: dict[str, Any] = {
        "state_words": row.get_state_display(),
        "state_label": _LABELS[row.get_state_display()],
        "done": done,
        "share_done": round(100 * done / row.total) if row.total else 0,
        "is_as_set": is_as_set(row),
        "may_be_admitted": row.state == State.EXAMINED and is_as_set(row),
        "may_be_refused": row.state in {State.EXAMINED, State.ADMITTED, State.LAPSED},
    }
    if row.figures:
        words, colour, why = _VERDICTS[compare(**row.figures)]
        found |= {"verdict": words, "verdict_colour": colour, "why": why, "figures": compare_figures(row.figures)}
    return found


def _show_line(request: HttpRequest, line: ExaminationLine) -> dict[str, Any]:
    """Return a line without words."""
    return {
        "number": line.number,
        "kind": line.get_kind_display(),
        "is_answerable": line.is_answerable,
        "model": line.get_model_outcome_display(),
        "key_free": line.get_key_free_outcome_display(),
        "model_seconds": line.model_ms / 1000,
        "key_free_seconds": line.key_free_ms / 1000,
        "is_shown": False,
        "is_of_another": False,
    }


def _add_words(request: HttpRequest, lines: list[ExaminationLine], shown: list[dict[str, Any]]) -> None:
    """Add the words of the lines that the viewer may read: all sources, and a person's question by its own rule."""
    words = read_words(lines, audience=viewer_audience(request))
    for line, one in zip(lines, shown, strict=True):
        found = words.get(line.pk)
        question = found.question if found else ""
        if found and not question and line.query is not None and is_readable(request, line.query):
            question = line.query.question_text
            one["is_of_another"] = line.query.user_id != viewer(request).pk
        if found and question:
            one |= {
                "is_shown": True,
                "has_answers": bool(found.question),
                "question": question,
                "expected": found.expected,
                "model_text": found.model_text,
                "key_free_text": found.key_free_text,
            }
