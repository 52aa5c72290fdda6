"""Describe what a data source would bring, and who would read it, before its first run."""

from typing import Any

from django.core.exceptions import NON_FIELD_ERRORS

from adminsite.admin.access.readership import find_readership
from adminsite.admin.sources.form import SECRET, SETTING, DataSourceForm
from adminsite.admin.sources.rhythm import write_schedule
from core.errors import FootnoteError
from core.library.sync.probing import LONGEST_S, Found, probe
from core.models import Collection, DataSource, Role


def describe_form(form: DataSourceForm) -> dict[str, Any]:
    """Try the source of a form that was sent, and return the context of what is wrong or what was found."""
    form.always_tests = True
    form.is_valid()
    if form.found is None:
        return {"problems": list(_list_problems(form))}
    cleaned = form.cleaned_data
    takes = bool(cleaned.get("takes_readers", form.instance.takes_readers))
    collection = cleaned.get("collection") or (form.instance.collection if form.instance.collection_id else None)
    schedule = str(cleaned.get("schedule", ""))
    return _describe(form.found, takes, cleaned.get("roles") or [], collection, schedule)


def describe_saved(source: DataSource) -> dict[str, Any]:
    """Try a source as it is stored."""
    try:
        found = probe(source)
    except FootnoteError as error:
        return {"problems": [error.message]}
    roles = list(source.roles.all())
    return _describe(found, source.takes_readers, roles, source.collection, source.schedule)


def _list_problems(form: DataSourceForm) -> list[str]:
    """Return what keeps the source from being tried, each with the name of its field."""
    problems = []
    for name, errors in form.errors.items():
        if name == NON_FIELD_ERRORS:
            problems += [str(error) for error in errors]
        elif name.startswith((SETTING, SECRET)):
            problems += [f"{form.fields[name].label}: {error}" for error in errors]
    return problems


def _describe(
    found: Found, takes_readers: bool, roles: list[Role], collection: Collection | None, schedule: str
) -> dict[str, Any]:
    chosen = {*roles, *(collection.default_roles.all() if collection is not None else ())}
    return {
        "found": found,
        "seconds": LONGEST_S,
        "takes_readers": takes_readers,
        "readership": find_readership(chosen),
        "collection": collection,
        "schedule": write_schedule(schedule),
    }
