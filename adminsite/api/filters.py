"""Define the filters of lists. No filter reveals whether something exists that the caller may not see."""

from typing import Any

import django_filters
from django import forms
from django.db.models import QuerySet
from django_filters.rest_framework import DjangoFilterBackend
from rest_framework.request import Request
from rest_framework.settings import api_settings
from rest_framework.views import APIView

from adminsite.api.fields import choice_error, refuse_unknown
from adminsite.api.pagination import Pages
from core.models import (
    BenchmarkResult,
    Collection,
    ContentGap,
    Document,
    EvaluationResult,
    EvaluationRun,
    Feedback,
    IngestionJob,
    Query,
    Role,
    VerifiedAnswer,
)
from core.types import QueryState

STATES = [(state.value, state.value) for state in QueryState]


class FilterBackend(DjangoFilterBackend):
    """Filters of a list. A parameter that there is not is refused: ignored, it would show what was not asked for."""

    def filter_queryset(self, request: Request, queryset: QuerySet[Any], view: APIView) -> QuerySet[Any]:
        """The rows that the filters leave. ValidationError for an unknown parameter or a value that cannot be used."""
        filters = self.get_filterset_class(view, queryset)
        known = (*(filters.base_filters if filters else ()), Pages.page_query_param, str(Pages.page_size_query_param))
        refuse_unknown(request.query_params, (*known, str(api_settings.URL_FORMAT_OVERRIDE)))
        return super().filter_queryset(request, queryset, view)


class DaysInOrder(forms.Form):
    """The values of filters, of which the first day is not after the last."""

    def clean(self) -> dict[str, Any]:
        """The values. ValidationError for days that no row can lie between."""
        for first, last in (("date_from", "date_to"), ("since", "until")):
            begin, end = self.cleaned_data.get(first), self.cleaned_data.get(last)
            if begin and end and begin > end:
                self.add_error(first, f"{first} is after {last}.")
        return self.cleaned_data


class TrueOrFalse(forms.NullBooleanField):
    """True or false, in any case; anything else is an error, for ignoring it would show what was not asked for."""

    widget = forms.TextInput

    def to_python(self, value: Any) -> bool | None:  # type: ignore[override]  # None as of any NullBooleanField
        """The value, or None without one. ValidationError for any other word."""
        word = str(value or "").casefold()
        if word and word not in {"true", "false", "1", "0"}:
            raise forms.ValidationError("This must be true or false.")
        return word in {"true", "1"} if word else None


class BooleanFilter(django_filters.BooleanFilter):
    """Rows of which something is true, or false."""

    field_class = TrueOrFalse


class DocumentFilter(django_filters.FilterSet):
    """Documents by title, collection, type and date."""

    title = django_filters.CharFilter(lookup_expr="icontains", help_text="Part of the title.")
    # Free text, not a choice of collections: an unknown name is an empty list, like one whose documents are not yours.
    collection = django_filters.CharFilter(field_name="collection__name", lookup_expr="iexact")
    document_type = django_filters.ChoiceFilter(
        choices=Document.Type.choices, error_messages=choice_error(Document.Type.choices)
    )
    date_from = django_filters.DateFilter(field_name="document_date", lookup_expr="gte")
    date_to = django_filters.DateFilter(field_name="document_date", lookup_expr="lte")

    class Meta:
        model = Document
        fields = ("title", "collection", "document_type", "date_from", "date_to")
        form = DaysInOrder


class CollectionFilter(django_filters.FilterSet):
    """Collections by name."""

    name = django_filters.CharFilter(lookup_expr="icontains", help_text="Part of the name.")

    class Meta:
        model = Collection
        fields = ("name",)


class RoleFilter(django_filters.FilterSet):
    """Roles by name."""

    name = django_filters.CharFilter(lookup_expr="icontains", help_text="Part of the name.")

    class Meta:
        model = Role
        fields = ("name",)


class JobFilter(django_filters.FilterSet):
    """Filters of ingestion jobs by state, collection and day."""

    state = django_filters.ChoiceFilter(
        choices=IngestionJob.State.choices, error_messages=choice_error(IngestionJob.State.choices)
    )
    collection = django_filters.CharFilter(field_name="collection__name", lookup_expr="iexact")
    since = django_filters.DateFilter(field_name="created_at", lookup_expr="date__gte")
    until = django_filters.DateFilter(field_name="created_at", lookup_expr="date__lte")

    class Meta:
        model = IngestionJob
        fields = ("state", "collection", "since", "until")
        form = DaysInOrder


class QueryFilter(django_filters.FilterSet):
    """Questions by state, day and whose they are."""

    state = django_filters.ChoiceFilter(choices=STATES, error_messages=choice_error(STATES))
    since = django_filters.DateFilter(field_name="created_at", lookup_expr="date__gte")
    until = django_filters.DateFilter(field_name="created_at", lookup_expr="date__lte")
    mine = BooleanFilter(method="only_mine", help_text="Only the caller's own.")

    class Meta:
        model = Query
        fields = ("state", "since", "until", "mine")
        form = DaysInOrder

    def only_mine(self, rows: QuerySet[Query], name: str, value: bool) -> QuerySet[Query]:
        """The caller's own rows when asked for."""
        return rows.filter(user=self.request.user) if value else rows


class EvaluationFilter(django_filters.FilterSet):
    """Evaluations by day, request and abstention."""

    request_id = django_filters.CharFilter(field_name="query_log__request_id")
    abstained = BooleanFilter()
    since = django_filters.DateFilter(field_name="evaluated_at", lookup_expr="date__gte")
    until = django_filters.DateFilter(field_name="evaluated_at", lookup_expr="date__lte")

    class Meta:
        model = EvaluationResult
        fields = ("request_id", "abstained", "since", "until")
        form = DaysInOrder


class FeedbackFilter(django_filters.FilterSet):
    """Verdicts by what they say."""

    verdict = django_filters.ChoiceFilter(
        choices=Feedback.Verdict.choices, error_messages=choice_error(Feedback.Verdict.choices)
    )

    class Meta:
        model = Feedback
        fields = ("verdict",)


class EvaluationRunFilter(django_filters.FilterSet):
    """Runs by what was asked, and of which model."""

    dataset = django_filters.CharFilter()
    model = django_filters.CharFilter()

    class Meta:
        model = EvaluationRun
        fields = ("dataset", "model")


class BenchmarkFilter(django_filters.FilterSet):
    """Measurements by run and by what was measured."""

    run = django_filters.CharFilter(field_name="details__run")
    strategy = django_filters.CharFilter()
    index_type = django_filters.CharFilter()

    class Meta:
        model = BenchmarkResult
        fields = ("run", "strategy", "index_type")


class GapFilter(django_filters.FilterSet):
    """Content gaps by state and the day they were last asked."""

    state = django_filters.ChoiceFilter(
        choices=ContentGap.State.choices, error_messages=choice_error(ContentGap.State.choices)
    )
    heap = django_filters.ChoiceFilter(
        choices=ContentGap.Heap.choices, error_messages=choice_error(ContentGap.Heap.choices)
    )
    since = django_filters.DateFilter(field_name="last_seen", lookup_expr="date__gte")
    until = django_filters.DateFilter(field_name="last_seen", lookup_expr="date__lte")

    class Meta:
        model = ContentGap
        fields = ("state", "heap", "since", "until")
        form = DaysInOrder


class VerifiedAnswerFilter(django_filters.FilterSet):
    """Verified answers by state."""

    state = django_filters.ChoiceFilter(
        choices=VerifiedAnswer.State.choices, error_messages=choice_error(VerifiedAnswer.State.choices)
    )

    class Meta:
        model = VerifiedAnswer
        fields = ("state",)
