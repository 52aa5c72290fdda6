"""Test that no list's address reveals more than its page: only declared parameters narrow it, and none is a text."""

from typing import Any

from django.db import models
from django.utils import timezone
from rest_framework.generics import ListAPIView

from adminsite.api.urls import VIEWS
from core.models import (
    AuthToken,
    BenchmarkResult,
    ChangeCheck,
    Collection,
    ContentGap,
    EvaluationResult,
    EvaluationRun,
    IngestionJob,
    Query,
    QueryLog,
    User,
    VerifiedAnswer,
)
from tests.integration.rest.conftest import CANTEEN_QUESTION, VAULT_QUESTION, Caller, Callers, Library

LISTS: dict[str, Any] = {
    route: view.view_class  # type: ignore[attr-defined]  # as_view sets it
    for route, view in VIEWS.items()
    if issubclass(view.view_class, ListAPIView)  # type: ignore[attr-defined]
}
LOOKUPS = ("", "__exact", "__startswith", "__icontains", "__regex", "__isnull")
# A run's name stands in the details of its rows, which the list shows.
SHOWN_PARTS = {"details__run"}


def paths_of(model: type[models.Model]) -> dict[str, Any]:
    """The columns of a model and of those one relation away, by their paths."""
    found: dict[str, Any] = {}
    for field in model._meta.get_fields():
        if not field.is_relation:
            found[field.name] = field
        elif isinstance(field.related_model, type):
            found |= {f"{field.name}__{far.name}": far for far in field.related_model._meta.concrete_fields}
    return found


def column_at(model: type[models.Model], path: str) -> Any:
    """The column at a path over any number of relations."""
    *relations, last = path.split("__")
    for name in relations:
        model = model._meta.get_field(name).related_model  # type: ignore[assignment]  # of the library's own classes
    return model._meta.get_field(last)


def undeclared(view: Any) -> dict[str, str]:
    """Every lookup over every column that the list does not declare, and what others would order or search by."""
    model, declared = view.queryset.model, set(view.filterset_class.base_filters)
    address = {f"{path}{lookup}": "zz" for path in paths_of(model) for lookup in LOOKUPS}
    orders = {"ordering": "-question_text", "order_by": "question_text", "o": "question_text", "sort": "comment"}
    searches = {"search": "zz", "q": "zz", "fields": "question_text", "expand": "answer"}
    return {name: value for name, value in (address | orders | searches).items() if name not in declared}


def test_undeclared_parameters_narrow_no_list(callers: Callers, library: Library) -> None:
    """With all of them in its address at once each list is what it was without, or refuses."""
    callers.alice.ask(VAULT_QUESTION)
    callers.bob.ask(CANTEEN_QUESTION)
    first = Query.objects.order_by("created_at")[0]
    callers.alice.post("feedback", request_id=first.request_id, verdict="up", comment="A comment of the cockatrice")
    EvaluationResult.objects.create(query_log=QueryLog.objects.earliest("created_at"), method="by hand")
    EvaluationRun.objects.create(dataset="a", dataset_hash="0" * 64, model="m", embedding_model="e", chunks=1)
    BenchmarkResult.objects.create(
        index_type="hnsw", query_latency_ms=1.5, recall_at_k=0.97, memory_usage_mb=10, corpus_size=1000
    )
    IngestionJob.objects.create(collection=Collection.objects.earliest("name"))
    now = timezone.now()
    ContentGap.objects.create(first_seen=now, last_seen=now)
    ChangeCheck.objects.create(kind="thresholds", is_gate=False, change={})
    keeper = Caller(User.objects.create_superuser("keeper@example.com", password=None), *AuthToken.Scope.values)
    VerifiedAnswer.objects.create(question="Which of them dives?", owner=keeper.user)
    seen = dict.fromkeys(LISTS, 0)
    for route, view in LISTS.items():
        for caller in (callers.alice, callers.analyst, keeper):
            plain, asked = caller.get(route), caller.get(route, **undeclared(view))
            assert asked.status_code in {plain.status_code, 400}, route
            if asked.status_code == 200:
                assert asked.json()["results"] == plain.json()["results"], route
            seen[route] += plain.status_code == 200 and plain.json()["count"] > 0
    assert {route for route, count in seen.items() if not count} == set()


def test_no_declared_filter_looks_into_a_text() -> None:
    """A filter compares a column of figures, names, days or states, which the list's rows show."""
    for route, view in LISTS.items():
        for name, declared in view.filterset_class.base_filters.items():
            if declared.field_name not in SHOWN_PARTS and declared.method is None:
                field = column_at(view.queryset.model, declared.field_name)
                assert not isinstance(field, models.TextField | models.JSONField), (route, name)
