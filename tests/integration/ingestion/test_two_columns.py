"""Test the effect of migration 0015 on an existing library."""

import datetime as dt
from importlib import import_module

import pytest
from django.apps import apps
from django.utils import timezone

from core.models import Collection, Document, RoleDocumentAccess
from core.testing import Cast, make_document

migration = import_module("core.migrations.0019_document_identity")
pytestmark = pytest.mark.usefixtures("fast")


def test_each_key_becomes_a_source_and_no_document_is_lost(db: None) -> None:
    """Collections whose names end in each other, a renamed one, addresses in two spellings, ids, hashes."""
    keys = {
        ("A", "A/B/c.md"): "B/c.md",
        ("A/B", "A/B/c.md"): "c.md",
        ("A", "A/c.md"): "c.md",
        ("New name", "Old name/c.md"): "Old name/c.md",
        ("A", "arxiv:2401.00001"): "arxiv:2401.00001",
        ("A", "sha256:00ff"): "sha256:00ff",
        ("A", "https://Library.example:443/a#1"): "https://library.example/a#1",
        ("A", "https://library.example/b"): "https://library.example/b",
        ("A", "HTTPS://library.example/b"): "HTTPS://library.example/b",  # would be there twice
        ("A", "https://user@library.example/c"): "https://user@library.example/c",
    }
    made = {}
    for number, (name, key) in enumerate(keys):
        collection, _ = Collection.objects.get_or_create(name=name)
        # The keys of then were unique; of ours only one may stand in a collection.
        made[name, key] = Document.objects.create(
            collection=collection, source=key, title=str(number), ingested_at=timezone.now() + dt.timedelta(days=number)
        )
    migration.two_columns(apps, None)
    found = {named: Document.objects.get(pk=document.pk).source for named, document in made.items()}
    assert found == keys
    migration.one_key(apps, None)
    assert Document.objects.get(pk=made["A", "A/B/c.md"].pk).source == "A/B/c.md"


def test_grants_of_an_ingestion_are_told_from_those_given_later(cast: Cast) -> None:
    """By their age beside the document's."""
    document = make_document("Rules", "Words.", roles=[cast.staff, cast.owners])
    later = RoleDocumentAccess.objects.filter(role=cast.owners)
    later.update(granted_at=timezone.now() + dt.timedelta(days=1))
    migration.tell_grants_apart(apps, None)
    assert set(document.role_access.values_list("role__name", "by_ingestion")) == {("staff", True), ("owners", False)}
