"""The one rule: who may read which document."""

import pytest

from core.access.audiences import audience_of, audience_of_roles
from core.access.grants import grant, revoke
from core.models import AuditEvent, Chunk, Document, User
from core.models.row_security import bypass_row_security
from core.testing import Cast, make_document
from core.types import Audience

pytestmark = pytest.mark.usefixtures("fast")


@pytest.fixture
def library(cast: Cast, fast: None) -> dict[str, Document]:
    """One document for owners, one for staff, one for both, one for nobody."""
    return {
        "owned": make_document("Owned", "The vault code is nine.", roles=[cast.owners]),
        "shared": make_document("Shared", "The canteen opens at noon.", roles=[cast.staff]),
        "both": make_document("Both", "The office is in Leith.", roles=[cast.owners, cast.staff]),
        "nobody's": make_document("Nobody's", "This was never granted."),
    }


def titles(audience: Audience) -> set[str]:
    return set(Document.objects.visible_to(audience).values_list("title", flat=True))


@pytest.mark.usefixtures("library")
def test_each_person_reads_exactly_what_their_roles_are_granted(cast: Cast) -> None:
    """Whole sets: nothing missing, nothing more, and nothing for the person without roles."""
    assert titles(cast.audience(cast.alice)) == {"Owned", "Shared", "Both"}
    assert titles(cast.audience(cast.bob)) == {"Shared", "Both"}
    assert titles(cast.audience(cast.charlie)) == set()


@pytest.mark.usefixtures("library")
def test_a_channel_reads_what_all_of_its_members_may(cast: Cast) -> None:
    """Alice's own document is not for a channel with Bob in it; nothing is for one with Charlie or a stranger."""
    assert titles(cast.audience(cast.alice, cast.bob)) == {"Shared", "Both"}
    assert titles(cast.audience(cast.alice, cast.charlie)) == set()
    assert titles(cast.audience(cast.alice, None)) == set()
    assert titles(audience_of([])) == set()
    assert titles(audience_of_roles([])) == set()


@pytest.mark.usefixtures("library")
def test_a_document_granted_twice_comes_once(cast: Cast) -> None:
    """Two granting roles do not double a document or its chunks."""
    assert Document.objects.visible_to(cast.audience(cast.alice)).count() == 3
    with bypass_row_security():
        assert Chunk.objects.visible_to(cast.audience(cast.alice)).count() == 3


def test_revoking_takes_effect_at_once_and_is_audited(cast: Cast, library: dict[str, Document]) -> None:
    """After a revocation the document is gone, and one audit row for each change remains."""
    assert revoke(cast.staff, [library["shared"], library["nobody's"]], by=cast.alice) == 1
    assert titles(cast.audience(cast.bob)) == {"Both"}
    assert grant(cast.staff, [library["shared"], library["both"]], by=cast.alice) == 1
    assert titles(cast.audience(cast.bob)) == {"Shared", "Both"}
    actions = AuditEvent.objects.filter(actor=cast.alice).order_by("created_at").values_list("action", flat=True)
    assert list(actions) == ["revoke", "grant"]


@pytest.mark.usefixtures("library")
def test_an_inactive_person_reads_nothing(cast: Cast) -> None:
    """Deactivation counts at once, whatever roles remain."""
    User.objects.filter(pk=cast.alice.pk).update(is_active=False)
    assert titles(cast.audience(cast.alice)) == set()


@pytest.mark.usefixtures("library")
def test_a_superuser_reads_no_more_than_their_roles(cast: Cast) -> None:
    """Being an administrator grants no document."""
    User.objects.filter(pk=cast.charlie.pk).update(is_superuser=True, is_staff=True)
    assert titles(cast.audience(cast.charlie)) == set()


@pytest.mark.django_db
@pytest.mark.parametrize("audience", [None, "everyone", ()])
def test_no_value_means_everyone(audience: object) -> None:
    """Anything but an Audience is an error."""
    with pytest.raises(TypeError):
        Document.objects.visible_to(audience)


@pytest.mark.usefixtures("library")
def test_a_queryset_prints_no_row(cast: Cast) -> None:
    """The repr of a queryset, which tracebacks and logs show, holds no title."""
    assert "Owned" not in repr(Document.objects.visible_to(cast.audience(cast.alice)))
