"""Everything that can be posted to the admin: each form with each field changed, each inline, action and address."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib import admin
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db.models import Model
from django.http import HttpRequest
from django.test import Client, RequestFactory
from django.urls import URLPattern, reverse

from core.models import Chunk, Collection, IngestionJob, Role, User

FEW = 2  # rows of a model whose pages are tried
PASSWORD = "a-password-of-the-walk"
# What reads, what sets for whom the transaction reads, and what notes that a session was used, as each request does.
_READS = re.compile(
    r"SELECT(?!.*\bINTO\b)|SAVEPOINT|RELEASE SAVEPOINT|ROLLBACK TO SAVEPOINT"
    r"|WITH before AS MATERIALIZED|UPDATE \"django_session\"",
    re.DOTALL,
)
# What forms that are no form of a model ask for, all at once.
ANSWERS = {"post": "yes", "apply": "1", "password1": PASSWORD, "password2": PASSWORD, "usable_password": "true"}
ANSWERS |= {"name": "walk", "scopes": "ask", "days": "30"}  # of a token

_PASSWORD = "_password_change"  # which is no form of a row, in spite of its name
_TRIED_APART = ("_changelist", "_add", "_change", "_history")  # as actions and forms; a history takes nothing


@dataclass(frozen=True, slots=True)
class Post:
    """One request: what is sent where."""

    address: str
    form: dict[str, Any]
    is_of_one_field: bool = False  # another request changes this field too, with all others of the form


class Written:
    """Tells whether a statement may have written, as a wrapper of all that are executed.

    All count but the known ways to read, and but for sessions, of which no test asks.
    """

    def __init__(self) -> None:
        self.any = False

    def __call__(self, run: Callable[..., Any], sql: str, params: Any, many: bool, context: dict[str, Any]) -> Any:
        """Let a statement be executed; see connection.execute_wrapper."""
        self.any |= _READS.match(sql.lstrip()) is None
        return run(sql, params, many, context)


def every_post(root: Client, *, by: User) -> Iterator[Post]:
    """All of them.

    root: a superuser's browser, which is shown every form whole; it posts nothing.
    by: who will post; their own page is among those that are tried.
    """
    for model in sorted(admin.site._registry, key=lambda model: model._meta.label):
        base = f"admin:{model._meta.app_label}_{model._meta.model_name}"
        rows = [] if model is Chunk else [*model._default_manager.all()[:FEW], *([by] if model is User else [])]
        page, request = admin.site._registry[model], RequestFactory().get("/")
        request.user = User.objects.get(pk=root.session["_auth_user_id"])
        if page.has_add_permission(request) and model is not IngestionJob:
            yield from _of_form(root, reverse(f"{base}_add"))
        for row in rows if page.has_change_permission(request) else ():
            yield from _of_form(root, reverse(f"{base}_change", args=[row.pk]))
        yield from _of_actions(request, model, reverse(f"{base}_changelist"))
        yield from _of_addresses(model, rows)
    yield from _uploads()


def _of_form(root: Client, address: str) -> Iterator[Post]:
    page = root.get(address)
    if page.status_code != 200 or "adminform" not in page.context:
        return
    shown = page.context["adminform"].form
    formsets = [inline.formset for inline in page.context["inline_admin_formsets"]]
    plain = _initial(shown) | {key: value for formset in formsets for key, value in _rows(formset).items()}
    changes = {name: value for name, field in shown.fields.items() for value in _others(field, shown[name].value())}
    single = [{name: value} for name, field in shown.fields.items() for value in _others(field, shown[name].value())]
    yield Post(address, plain | changes)
    for change in single:
        yield Post(address, plain | change, is_of_one_field=True)
    for formset in formsets:
        for change in _changed_rows(formset):
            yield Post(address, plain | change)


def _initial(form: Any) -> dict[str, Any]:
    return {form.add_prefix(name): _sent(form[name].value()) for name in form.fields if _sent(form[name].value()) != ""}


def _sent(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [str(getattr(one, "pk", one)) for one in value]
    if value is None or value is False:
        return ""
    return "on" if value is True else str(value)  # a number stands for itself


def _others(field: forms.Field, value: Any) -> list[Any]:
    """Other values that a field would take."""
    if isinstance(field, forms.ModelMultipleChoiceField):
        return [[str(row.pk) for row in field.queryset]]
    if isinstance(field, forms.ModelChoiceField):
        return [str(row.pk) for row in field.queryset if str(row.pk) != str(value)][:FEW]
    if isinstance(field, forms.BooleanField):
        return ["" if value else "on"]
    if isinstance(field, forms.EmailField):
        return ["somebody.else@example.com"]
    if isinstance(field, forms.URLField):
        return ["https://example.com/another"]
    if isinstance(field, forms.CharField) and not field.disabled and not isinstance(field, forms.JSONField):
        return [PASSWORD]
    return []


def _rows(formset: Any) -> dict[str, Any]:
    """Return an inline unchanged."""
    counts = {"TOTAL_FORMS": formset.initial_form_count(), "INITIAL_FORMS": formset.initial_form_count()}
    form = {f"{formset.prefix}-{name}": str(count) for name, count in counts.items()}
    for row in formset.initial_forms:
        form |= _initial(row) | {row.add_prefix("id"): str(row.instance.pk)}
    return form


def _changed_rows(formset: Any) -> Iterator[dict[str, Any]]:
    """Each row deleted, each with another choice, and a row added for each choice."""
    for row in formset.initial_forms:
        yield {row.add_prefix("DELETE"): "on"}
        for name, field in row.fields.items():
            if isinstance(field, forms.ModelChoiceField) and name not in {"id", formset.fk.name}:
                others = [*_others(field, row[name].value()), *([] if field.required else [""])]
                yield from ({row.add_prefix(name): other} for other in others)
    number = formset.initial_form_count()
    for name, field in formset.empty_form.fields.items():
        if isinstance(field, forms.ModelChoiceField) and name != "id":
            for choice in field.queryset:
                total = {f"{formset.prefix}-TOTAL_FORMS": str(number + 1)}
                yield total | {f"{formset.prefix}-{number}-{name}": str(choice.pk)}


def _of_actions(request: HttpRequest, model: type[Model], address: str) -> Iterator[Post]:
    chosen = [str(pk) for pk in model._default_manager.values_list("pk", flat=True)]
    roles = [str(pk) for pk in Role.objects.values_list("pk", flat=True)]
    for action in admin.site._registry[model].get_actions(request):
        yield Post(address, {**ANSWERS, "action": action, "_selected_action": chosen, "roles": roles})


def _of_addresses(model: type[Model], rows: list[Model]) -> Iterator[Post]:
    """The addresses of the model's pages that are no form of a row: deleting, passwords, tokens and the like."""
    for pattern in admin.site._registry[model].get_urls():
        if not isinstance(pattern, URLPattern) or not pattern.name:
            continue
        if pattern.name.endswith(_TRIED_APART) and not pattern.name.endswith(_PASSWORD):
            continue
        parameters = list(pattern.pattern.converters)
        if not parameters:
            yield Post(reverse(f"admin:{pattern.name}"), ANSWERS)
        for row in rows if len(parameters) == 1 else ():
            yield Post(reverse(f"admin:{pattern.name}", args=[row.pk]), ANSWERS)


def _uploads() -> Iterator[Post]:
    roles = [str(pk) for pk in Role.objects.values_list("pk", flat=True)]
    for collection in Collection.objects.all()[:FEW]:
        file = SimpleUploadedFile("walk.md", b"# Walk\n\nA walk through the harbour.", content_type="text/markdown")
        form = {"files": [file], "collection": str(collection.pk), "roles": roles}
        yield Post(reverse("admin:core_ingestionjob_add"), form)
