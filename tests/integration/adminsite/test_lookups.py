"""Test that no address of the admin reveals withheld text: not by filter, order, search, popup or suggestion."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.contrib import admin
from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.postgres.fields import ArrayField
from django.core.exceptions import SuspiciousOperation
from django.db import models
from django.test import Client, RequestFactory
from django.urls import reverse

from adminsite.admin.base import FootnoteAdmin
from core.models import Chunk, Query, SlackIdentity, User
from core.testing import Cast
from tests.integration.adminsite.conftest import VAULT_QUESTION, World

# What a field of these kinds holds is written by people or taken from documents.
WITHHELD = (models.TextField, models.JSONField, models.BinaryField, ArrayField)
LOOKUPS = ("", "__exact", "__startswith", "__icontains", "__regex", "__gt", "__in", "__isnull", "__length")
# Of a number, a date or the like of a related row a list is tried with one lookup of each kind.
FAR_LOOKUPS = ("", "__startswith", "__in", "__isnull")
MODELS = sorted(admin.site._registry, key=lambda model: model._meta.label)
QUESTIONS = "admin:core_query_changelist"


def fields_of(model: type[models.Model]) -> Iterator[tuple[str, Any]]:
    """The columns of a model and of those one relation away, with their paths."""
    for field in model._meta.get_fields():
        if not field.is_relation:
            yield field.name, field
        elif field.related_model and isinstance(field.related_model, type):
            for far in field.related_model._meta.concrete_fields:
                yield f"{field.name}__{far.name}", far


def is_withheld(field: Any) -> bool:
    """Return True if a field may hold words of people or documents. The names of our own background jobs do not."""
    return isinstance(field, WITHHELD) and field.model._meta.app_label != "procrastinate"


def end_of(model: type[models.Model], path: str) -> Any:
    """The field that a path over relations ends in; None when it is none, as a count's name."""
    at: Any = model
    field: Any = None
    for part in path.split("__"):
        field = {one.name: one for one in at._meta.get_fields()}.get(part)
        at = getattr(field, "related_model", None) or at
    return field


def is_admitted(model: type[models.Model], address: dict[str, str], user: User) -> bool:
    """Return True if a model's list accepts an address. Another one is refused, whatever the rows have."""
    request = RequestFactory().get("/", address)
    request.user = user
    try:
        admin.site._registry[model].get_changelist_instance(request)
    except (SuspiciousOperation, IncorrectLookupParameters):
        return False
    return True


def declared(model: type[models.Model]) -> set[str]:
    """The fields that a list declares filters for."""
    named = (item[0] if isinstance(item, tuple) else item for item in admin.site._registry[model].list_filter)
    return {name for name in named if isinstance(name, str)}


def test_every_page_has_the_base_that_closes_its_address() -> None:
    """Also those of libraries: a page that is registered another way would let an address filter by every field."""
    assert {model for model, page in admin.site._registry.items() if not isinstance(page, FootnoteAdmin)} == set()


def test_a_list_is_narrowed_by_its_declared_filters_alone(administrator: User) -> None:
    """No lookup on any other field is taken, on the row or one relation away; and none ever on a withheld text."""
    tried = 0
    for model in MODELS:
        assert is_admitted(model, {}, administrator)
        for path, field in fields_of(model):
            if path == "id":
                continue
            lookups = LOOKUPS if is_withheld(field) or "__" not in path else FAR_LOOKUPS
            tried += len(lookups)
            admitted = {one for one in lookups if is_admitted(model, {f"{path}{one}": "1"}, administrator)}
            if is_withheld(field) or path.removesuffix("__id") not in declared(model):
                assert not admitted, (model, path, admitted)
            else:
                assert admitted <= {"", "__exact", "__isnull"}, (model, path, admitted)
    assert tried > 3000


def test_no_order_is_that_of_a_withheld_text(administrator: User) -> None:
    """No list can be ordered by a column of texts: their order would reveal how they compare."""
    request = RequestFactory().get("/")
    request.user = administrator
    for model in MODELS:
        page = admin.site._registry[model]
        changelist = page.get_changelist_instance(request)
        for column in page.get_list_display(request):
            order = str(changelist.get_ordering_field(column) or "").lstrip("-")
            assert not is_withheld(end_of(model, order)), (model, column)


def test_a_withheld_answer_cannot_be_guessed_from_the_address(staff: Callable[..., Client], world: World) -> None:
    """Right and wrong guesses come back alike, in GET and in POST, whatever else the address has."""
    desk = staff(*(f"core.view_{name}" for name in ("answer", "query", "feedback", "document")))
    text = world.vault_answer.answer_text
    assert text
    for extra in ({}, {"e": "1"}, {"_popup": "1"}, {"_facets": "True"}, {"all": ""}, {"q": "no"}, {"o": "1"}):
        for name, right in (("answer__answer_text__startswith", text[:4]), ("question_text__startswith", "With")):
            seen = set()
            for guess in (right, "§§§§"):
                address = {name: guess, **extra}
                seen.add(desk.get(reverse(QUESTIONS), address).status_code)
                seen.add(desk.post(f"{reverse(QUESTIONS)}?{name}={guess}", {"action": ""}).status_code)
            assert seen == {400}, (name, extra)


def test_the_key_still_finds_its_row(root: Client, world: World) -> None:
    """The key of a row is no secret."""
    found = root.get(reverse(QUESTIONS), {"id__exact": str(world.vault_answer.query_id)})
    assert list(found.context["cl"].result_list) == [world.vault_answer.query]


def test_a_row_is_referred_to_by_its_key_alone(rf: RequestFactory) -> None:
    """A popup hands the field that the address names to its opener."""
    for model in MODELS:
        page, key = admin.site._registry[model], model._meta.pk
        columns = [field.name for field in model._meta.concrete_fields]
        assert key
        assert [name for name in columns if page.to_field_allowed(rf.get("/"), name)] == [key.name]


def test_suggestions_find_no_withheld_text(root: Client, world: World) -> None:
    """Any relation may be named as the one to be completed; what is searched is the other side's declared search."""
    asked = 0
    for model in MODELS:
        for field in model._meta.get_fields():
            if field.concrete and field.is_relation and field.related_model in admin.site._registry:
                named = {"app_label": model._meta.app_label, "model_name": model._meta.model_name}
                for term in ("quagmire", "griffin", VAULT_QUESTION[:9]):
                    answer = root.get("/admin/autocomplete/", {**named, "field_name": field.name, "term": term})
                    assert answer.status_code == 404 or answer.json()["results"] == [], (model, field)
                    asked += answer.status_code == 200
    assert asked > 10


def test_the_palette_finds_no_withheld_text(root: Client, world: World) -> None:
    """The sidebar's search and the extended one look among pages, people, titles and questions alone."""
    for extended in ({}, {"extended": "1"}):
        for term in ("quagmire", "jackdaw", "cockatrice", "griffin", "basilisk", "Lockwork"):
            assert "/change/" not in root.get("/admin/search/", {"s": term, **extended}).content.decode()


def test_a_search_through_another_model_takes_the_right_to_see_it(
    staff: Callable[..., Client], cast: Cast, world: World
) -> None:
    """A user who may not see people learns no address by searching lists with people in them."""
    desk = staff("core.view_slackidentity", "core.view_query")
    for model in (SlackIdentity, Query):
        address = reverse(f"admin:core_{model._meta.model_name}_changelist")
        for term in ("alice@example.com", "bob@example.com", "nobody@example.com"):
            assert desk.get(address, {"q": term}).context["cl"].result_count == 0


def test_no_search_is_declared_over_a_withheld_text() -> None:
    """Except over chunks, whose list holds nothing but what its viewer may read."""
    for model in MODELS:
        for name in admin.site._registry[model].search_fields:
            assert not is_withheld(end_of(model, name.lstrip("=^@"))) or model is Chunk, (model, name)


@pytest.mark.parametrize("value", ["none of the states", "\0"])
def test_a_value_that_no_row_can_have_shows_the_whole_list(value: str, root: Client, world: World) -> None:
    """The database refuses it; the page says nothing of how."""
    jobs = reverse("admin:procrastinate_procrastinatejob_changelist")
    answer = root.get(jobs, {"status__exact": value})
    assert (answer.status_code, answer["Location"]) == (302, f"{jobs}?e=1")


def test_questions_are_found_by_their_request(root: Client, world: World) -> None:
    """The declared search works on."""
    found = root.get(reverse(QUESTIONS), {"q": world.vault_answer.query.request_id})
    assert [row.pk for row in found.context["cl"].result_list] == [world.vault_answer.query_id]
