"""List what is new in the library for somebody."""

import datetime as dt

import pytest
from pytest_django.fixtures import Settings

from core import api
from core.models import Document
from core.testing import Cast, make_document

pytestmark = pytest.mark.django_db

EVER = dt.datetime(2000, 1, 1, tzinfo=dt.UTC)


@pytest.mark.usefixtures("fast")
def test_a_new_document_without_an_address_of_its_own_leads_to_where_it_is_opened(
    cast: Cast, settings: Settings
) -> None:
    """As its citations do; without PUBLIC_URL nothing is linked, and nobody is led to what they may not read."""
    held = make_document("Tides", "High at noon.", roles=[cast.staff])
    on_web = make_document("Piers", "The pier is long.", roles=[cast.staff])
    make_document("Vault", "The code is 4711.", roles=[cast.owners])
    Document.objects.filter(pk__in=[held.pk, on_web.pk]).update(source_url="")
    Document.objects.filter(pk=on_web.pk).update(source_url="https://library.example/piers")
    for address, expected in (
        ("https://footnote.example/", f"https://footnote.example/documents/{held.pk}/"),
        ("", ""),
    ):
        settings.PUBLIC_URL = address
        new = api.new_documents(cast.audience(cast.bob), since=EVER, limit=10)
        assert {one.title: one.source_url for one in new} == {
            "Tides": expected,
            "Piers": "https://library.example/piers",
        }
