"""Verified answers: written or taken over, verified, and looked after."""

from typing import Any
from uuid import UUID

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import path, reverse
from django.utils import timezone
from unfold.contrib.filters.admin import ChoicesDropdownFilter
from unfold.decorators import action, display
from unfold.widgets import (
    UnfoldAdminCheckboxSelectMultipleWidget,
    UnfoldAdminEmailInputWidget,
    UnfoldAdminTextareaWidget,
    UnfoldAdminTextInputWidget,
)

from adminsite.admin.base import WITHHELD, DayInput, ReadOnlyAdmin, record, viewer, viewer_audience
from core.asking.verified_answers.editing import (
    MANAGE,
    Content,
    NotVerifiableError,
    may_manage,
    may_read,
    read_content,
    read_for_take_over,
    retire,
    save_draft,
    verify_answer,
)
from core.asking.verified_answers.quoting import MOST_QUOTES, SourceQuote
from core.asking.verified_answers.staleness import list_outdated, list_to_review
from core.asking.verified_answers.suggestions import list_suggestions
from core.errors import NotFoundError
from core.models import AuditEvent, Document, Query, Role, User, VerifiedAnswer
from core.models.verified_answers import LONGEST_ANSWER, LONGEST_QUESTION
from core.types import Audience, Outdated

LEAST_SHOWN = 2  # sources for which there is room in an empty form
STATE_LABELS = {"draft": "info", "active": "success", "retired": "default", "outdated": "warning"}
OUTDATED = {Outdated.SOURCES_CHANGED: "a source has changed", Outdated.REVIEW_DUE: "its review is due"}
LIST = "admin:core_verifiedanswer_changelist"


class VerifiedAnswerForm(forms.Form):
    """A question, its answer, the words of documents that carry it, and who answers for it."""

    question = forms.CharField(
        max_length=LONGEST_QUESTION,
        min_length=3,
        help_text="In words that stand alone, with its date and its names.",
        widget=UnfoldAdminTextInputWidget,
    )
    phrasings = forms.CharField(
        required=False,
        label="Other ways to ask",
        help_text="One per line. What is asked in other words than these gets an answer that is made for it.",
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 3}),
    )
    text = forms.CharField(
        required=False,
        max_length=LONGEST_ANSWER,
        label="Answer",
        help_text="Each sentence has to be carried by the words of a source below. Numbers are set by themselves.",
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 6}),
    )
    owner = forms.EmailField(
        required=False, help_text="Who looks after it, by e-mail address.", widget=UnfoldAdminEmailInputWidget
    )
    review_on = forms.DateField(
        required=False,
        label="Review on",
        help_text="From the day after, it is shown as outdated. Empty: in half a year.",
        widget=DayInput,
    )
    roles = forms.ModelMultipleChoiceField(
        queryset=Role.objects.all(),
        required=False,
        label="Only for",
        help_text="None: for everyone who may read all its sources. A role never lets anybody read a source.",
        widget=UnfoldAdminCheckboxSelectMultipleWidget,
    )

    def __init__(self, *args: Any, sources: int = 0, **kwargs: Any) -> None:
        """sources: how many are filled in."""
        super().__init__(*args, **kwargs)
        self._places = range(1, min(MOST_QUOTES, max(LEAST_SHOWN, sources + 1)) + 1)
        for place in self._places:
            self.fields[f"document_{place}"] = forms.CharField(
                required=False,
                max_length=500,
                label=f"Source {place}: document",
                help_text="Its title or its id in the library." if place == 1 else "",
                widget=UnfoldAdminTextInputWidget,
            )
            self.fields[f"quote_{place}"] = forms.CharField(
                required=False,
                max_length=4000,
                label=f"Source {place}: its words",
                help_text="Copied word for word." if place == 1 else "",
                widget=UnfoldAdminTextareaWidget(attrs={"rows": 2}),
            )
        fields_of_sources = (f"{part}_{place}" for place in self._places for part in ("document", "quote"))
        self.order_fields(["question", "phrasings", "text", *fields_of_sources, "owner", "review_on", "roles"])

    def clean_owner(self) -> User | None:
        """Return the active person with that address."""
        address = self.cleaned_data["owner"]
        if not address:
            return None
        person = User.objects.filter(email__iexact=address, is_active=True).first()
        if person is None:
            raise forms.ValidationError("Nobody active has this e-mail address.")
        return person

    def clean(self) -> dict[str, Any]:
        """Check that each source names its document and its words."""
        cleaned = super().clean() or {}
        for place in self._places:
            document, quote = cleaned.get(f"document_{place}"), cleaned.get(f"quote_{place}")
            if bool(document) != bool(quote):
                lacking = "quote" if document else "document"
                self.add_error(f"{lacking}_{place}", "A source is a document and the words in it.")
        return cleaned

    def content(self) -> Content:
        """Return the entered content of a valid form."""
        given = self.cleaned_data
        quotes = [
            SourceQuote(document=given[f"document_{place}"], quote=given[f"quote_{place}"])
            for place in self._places
            if given.get(f"document_{place}")
        ]
        return Content(
            question=given["question"],
            text=given["text"],
            quotes=tuple(quotes),
            phrasings=tuple(line.strip() for line in given["phrasings"].splitlines() if line.strip()),
            owner=given["owner"],
            review_on=given["review_on"],
            roles=tuple(given["roles"]),
        )


def count_sources(posted: Any) -> int:
    """Count the sources in a posted form, without the one that is left empty."""
    return sum(1 for place in range(1, MOST_QUOTES + 1) if f"document_{place}" in posted) - 1


def fill_in(content: Content, *, reader: Audience) -> dict[str, Any]:
    """Fill the form with what was written. Documents are called by their titles, where these say which is meant."""
    filled: dict[str, Any] = {
        "question": content.question,
        "phrasings": "\n".join(content.phrasings),
        "text": content.text,
        "owner": content.owner.email if content.owner else "",
        "review_on": content.review_on,
        "roles": [role.pk for role in content.roles],
    }
    for place, quote in enumerate(content.quotes[:MOST_QUOTES], 1):
        filled |= {f"document_{place}": _name_document(quote.document, reader), f"quote_{place}": quote.quote}
    return filled


def _name_document(document: str, reader: Audience) -> str:
    """Return a document's title, or its id where another readable one has the same."""
    readable = Document.objects.visible_to(reader)
    title = readable.filter(pk=document).values_list("title", flat=True).first()
    return title if title and readable.filter(title__iexact=title).count() == 1 else document


def take_over_url(query: Query | None) -> str:
    """Return the address of the form in which the answer to a question is taken over."""
    address = reverse("admin:core_verifiedanswer_add")
    return f"{address}?query={query.pk}" if query else address


class ReviewFilter(admin.SimpleListFilter):
    """Active answers that may not hold any more."""

    title = "to be reviewed"
    parameter_name = "review"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """One's own, or anybody's."""
        return [("mine", "Mine"), ("all", "All")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[VerifiedAnswer]) -> QuerySet[VerifiedAnswer]:
        """Return those that are outdated."""
        if self.value() not in {"mine", "all"}:
            return queryset
        return queryset.filter(pk__in=list_to_review(owner=viewer(request) if self.value() == "mine" else None))


@admin.register(VerifiedAnswer)
class VerifiedAnswerAdmin(ReadOnlyAdmin):
    """Verified answers, the last changed first. Words are shown to who may read all of an answer's sources."""

    when_empty = (
        "No verified answers. Write one, or take one over from the page of an answer. It is then given first to "
        "everyone who asks the same and may read its sources."
    )
    list_display = ("show_question", "show_state", "show_outdated", "owner", "verified_at", "review_on")
    list_filter = (("state", ChoicesDropdownFilter), ReviewFilter)
    list_filter_submit = True
    list_select_related = ("owner",)
    ordering = ("-updated_at",)
    actions_list = ("write", "suggest")

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Return True if the viewer may manage verified answers, or see them."""
        return request.user.has_perm("core.view_verifiedanswer") or request.user.has_perm(MANAGE)

    def has_module_permission(self, request: HttpRequest) -> bool:
        """Return True as for the list."""
        return self.has_view_permission(request)

    def has_manage_permission(self, request: HttpRequest, object_id: str | None = None) -> bool:
        """Return True if the viewer may write, verify and retire."""
        return may_manage(request.user)

    def get_queryset(self, request: HttpRequest) -> QuerySet[VerifiedAnswer]:
        """Return all of them, each marked with whether its words may be shown to the viewer."""
        rows: QuerySet[VerifiedAnswer] = super().get_queryset(request)
        readable = VerifiedAnswer.objects.quoting_only_readable(viewer_audience(request)).filter(pk=OuterRef("pk"))
        own = Q(sources=None, owner=viewer(request))
        is_own = VerifiedAnswer.objects.filter(own, pk=OuterRef("pk"))
        return rows.annotate(is_shown=Exists(readable) | Exists(is_own))

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Show the list, with what is outdated."""
        response = super().changelist_view(request, extra_context)
        context = getattr(response, "context_data", None)
        if context and "cl" in context:
            rows = list(context["cl"].result_list)
            outdated = list_outdated((row for row in rows if row.verified_at), today=timezone.localdate())
            for row in rows:
                row.outdated = outdated.get(row.pk)
            context["cl"].result_list = rows
        return response

    @display(description="Question")
    def show_question(self, row: VerifiedAnswer) -> str:
        """Return the question, if the viewer may read it."""
        if getattr(row, "is_shown", False):
            return row.question
        return "A colleague's reply" if not row.verified_at and row.origin_id else WITHHELD

    @display(description="State", label=STATE_LABELS, ordering="state")
    def show_state(self, row: VerifiedAnswer) -> tuple[str, str]:
        """Return the state: draft, active or retired."""
        return row.state, row.get_state_display()

    @display(description="Outdated")
    def show_outdated(self, row: VerifiedAnswer) -> str:
        """Explain why the answer is not given first."""
        why: Outdated | None = getattr(row, "outdated", None)
        return OUTDATED[why] if why and row.state == VerifiedAnswer.State.ACTIVE else "–"

    @action(description="Write one", permissions=["manage"], icon="add")
    def write(self, request: HttpRequest) -> HttpResponse:
        """Return the empty form."""
        return HttpResponseRedirect(reverse("admin:core_verifiedanswer_add"))

    @action(description="Suggestions", permissions=["manage"], icon="lightbulb")
    def suggest(self, request: HttpRequest) -> HttpResponse:
        """Return answers that were voted up often."""
        return HttpResponseRedirect(reverse("admin:core_verifiedanswer_suggestions"))

    def get_urls(self) -> list[Any]:
        """Return the pages of answers, with the suggestions."""
        page = path(
            "suggestions/", self.admin_site.admin_view(self.suggestions_view), name="core_verifiedanswer_suggestions"
        )
        return [page, *super().get_urls()]

    def suggestions_view(self, request: HttpRequest) -> HttpResponse:
        """Show answers of others that were voted up often, as far as the viewer may read them."""
        if not may_manage(request.user):
            raise PermissionDenied
        found = list_suggestions(viewer=viewer(request))
        if found:
            details = {"questions": len(found)}
            record(request, AuditEvent.Action.READ_TEXT, VerifiedAnswer(), object_id="suggestions", **details)
        context = {
            **self.admin_site.each_context(request),
            "title": "Suggested verified answers",
            "opts": self.opts,
            "found": [(one, take_over_url(one.query)) for one in found],
        }
        return TemplateResponse(request, "adminsite/verified_suggestions.html", context)

    def add_view(self, request: HttpRequest, form_url: str = "", extra_context: Any = None) -> HttpResponse:
        """Show the form, empty or with the answer to a question that is taken over."""
        if not may_manage(request.user):
            raise PermissionDenied
        origin = _find_query(request)
        content = self._take_over(request, origin) if origin and request.method == "GET" else None
        if origin and request.method == "GET" and content is None:
            return HttpResponseRedirect(reverse(LIST))
        return self._edit_answer(request, None, content or Content(question="", text="", owner=viewer(request)), origin)

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        """Show the form with what was written, for who may read all its sources; others may retire it."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        row = self.get_object(request, object_id)
        if row is None:
            raise Http404
        if request.method == "POST" and not may_manage(request.user):
            raise PermissionDenied
        if request.POST.get("act") == "retire":
            retire(row, by=viewer(request))
            return self._go_back(request, "Retired: it is given to nobody from now on.")
        if not may_read(row, viewer(request)):
            if request.method == "POST":
                raise PermissionDenied
            return self._render_form(request, row, None)
        if row.owner_id != viewer(request).pk:
            record(request, AuditEvent.Action.READ_TEXT, row)
        return self._edit_answer(request, row, read_content(row, reader=viewer_audience(request)), row.origin)

    def _take_over(self, request: HttpRequest, origin: Query) -> Content | None:
        """Return the content to take over; None, and a message, where the viewer may not read it."""
        try:
            content = read_for_take_over(origin, by=viewer(request))
        except NotFoundError:
            self.message_user(request, "You may not read every document that this answer comes from.", messages.ERROR)
            return None
        if origin.user_id != viewer(request).pk:
            record(request, AuditEvent.Action.READ_TEXT, origin)
        return content

    def _edit_answer(
        self, request: HttpRequest, row: VerifiedAnswer | None, content: Content, origin: Query | None
    ) -> HttpResponse:
        filled = fill_in(content, reader=viewer_audience(request))
        if request.method != "POST":
            return self._render_form(request, row, VerifiedAnswerForm(initial=filled, sources=len(content.quotes)))
        form = VerifiedAnswerForm(request.POST, sources=count_sources(request.POST))
        if form.is_valid():
            verifying = request.POST.get("act") == "verify"
            save = verify_answer if verifying else save_draft
            try:
                save(form.content(), by=viewer(request), row=row, origin=origin)
            except NotVerifiableError as error:
                for problem in error.problems:
                    form.add_error(None, problem)
            else:
                return self._go_back(request, "Verified." if verifying else "Kept as a draft, which nobody is given.")
        return self._render_form(request, row, form)

    def _render_form(
        self, request: HttpRequest, row: VerifiedAnswer | None, form: VerifiedAnswerForm | None
    ) -> HttpResponse:
        why = list_outdated([row], today=timezone.localdate()).get(row.pk) if row and row.verified_at else None
        context = {
            **self.admin_site.each_context(request),
            "title": "Verified answer" if row else "Write a verified answer",
            "opts": self.opts,
            "row": row,
            "form": form,
            "withheld": WITHHELD,
            "outdated": OUTDATED[why] if why else "",
            "may_manage": may_manage(request.user),
        }
        return TemplateResponse(request, "adminsite/verified_answer.html", context)

    def _go_back(self, request: HttpRequest, said: str) -> HttpResponse:
        self.message_user(request, said, messages.SUCCESS)
        return HttpResponseRedirect(reverse(LIST))


def _find_query(request: HttpRequest) -> Query | None:
    """Return the question that an address names."""
    try:
        return Query.objects.filter(pk=UUID(request.GET.get("query", "")), erased_at=None).first()
    except ValueError:
        return None
