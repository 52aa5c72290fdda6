"""The checks that look at the library."""

import pytest
from django.core.checks import CheckMessage, Tags, run_checks

from core.models import Document
from core.testing import Cast, make_document

pytestmark = pytest.mark.usefixtures("fast")

ADDRESS = "https://library.example/tides"


def warnings() -> list[CheckMessage]:
    """Return the warnings of the checks about addresses."""
    return [one for one in run_checks(tags=[Tags.database], databases=["default"]) if one.id == "footnote.W009"]


def test_documents_that_state_the_same_address_are_named(cast: Cast) -> None:
    """With how many they are, by collection; one for each address is well, and so is none."""
    for title, collection in (("A", "Sea"), ("B", "Sea"), ("C", "Sea"), ("D", "Land"), ("E", "Sea"), ("F", "Sea")):
        make_document(title, "The tide turns at six.", roles=[cast.staff], collection=collection)
    assert warnings() == []
    Document.objects.filter(title__in=["E", "F"]).update(source_url="")
    Document.objects.filter(title="D").update(source_url=ADDRESS)
    assert warnings() == []
    Document.objects.filter(title__in=["A", "B", "C"]).update(source_url=ADDRESS)
    [warning] = warnings()
    assert f"{ADDRESS} (3 in Sea)" in warning.msg
    assert "Land" not in warning.msg
