"""Describe a saved form for the audit trail: changed fields, and ids, numbers and flags before and after."""

from collections.abc import Iterable
from typing import Any, ClassVar

from django import forms
from django.db.models import Model
from django.http import HttpRequest

from adminsite.admin.base import record
from core.models import AuditEvent

# Fields whose values are ids, flags or numbers. Of others, which may hold text of people and documents, or secrets, the
# name alone is recorded.
_TOLD = (forms.ModelChoiceField, forms.BooleanField, forms.IntegerField)


class AuditedChanges:
    """Leaves an audit row for each form that changes something, in its transaction. Stands before ModelAdmin.

    recorded_apart: models of inline rows of which the page writes audit rows of their own.
    """

    recorded_apart: ClassVar[tuple[type[Model], ...]] = ()

    def change_details(self, form: Any, formsets: Iterable[Any], change: bool) -> dict[str, Any]:
        """Return the details for the audit row, once all is saved; empty where nothing was changed."""
        rows = {
            formset.get_default_prefix(): told
            for formset in formsets
            if formset.model not in self.recorded_apart and (told := describe_rows(formset))
        }
        return {**describe_changes(form, change), **rows}

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        """Save what belongs to the row, and leave the audit row of all of it."""
        super().save_related(request, form, formsets, change)  # type: ignore[misc]
        details = self.change_details(form, formsets, change)
        if details or not change:
            record(request, AuditEvent.Action.CHANGE if change else AuditEvent.Action.CREATE, form.instance, **details)


def describe_changes(form: Any, change: bool) -> dict[str, Any]:
    """Return the names of the fields that a form changed, and the values that may be recorded; empty where none.

    change: True if the row existed, and so has a before.
    """
    names = list(form.changed_data)
    told = [name for name in names if isinstance(form.fields.get(name), _TOLD) and name in form.cleaned_data]
    before = {name: _make_plain(form.get_initial_for_field(form.fields[name], name)) for name in told if change}
    after = {name: _make_plain(form.cleaned_data[name]) for name in told}
    parts = {"fields": names, "before": before, "after": after}
    return {name: part for name, part in parts.items() if part}


def describe_rows(formset: Any) -> list[dict[str, Any]]:
    """Describe the inline rows that a saved formset added, changed and removed, by id, with recordable values."""
    rows = []
    for form in formset.forms:
        key = str(form[formset._pk_field.name].value() or form.instance.pk)
        if form in formset.deleted_forms:
            rows.append({"id": key, "removed": True, "before": _list_ids(form)})
        elif form.has_changed():
            rows.append({"id": key, **describe_changes(form, change=form in formset.initial_forms)})
    return rows


def _list_ids(form: Any) -> dict[str, Any]:
    """Return the related rows of one that is gone."""
    choices = {name: field for name, field in form.fields.items() if isinstance(field, forms.ModelChoiceField)}
    return {name: _make_plain(form.get_initial_for_field(field, name)) for name, field in choices.items()}


def _make_plain(value: Any) -> Any:
    """Make a value as JSON holds it: rows by their ids, several of them in an order that does not change."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, Model):
        return str(value.pk)
    if isinstance(value, Iterable):
        return sorted(map(str, map(_make_plain, value)))
    return str(value)
