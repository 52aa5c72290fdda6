"""The choice to read the comments in a collection's files."""

from django.test import Client
from django.urls import reverse

from core.models import AuditEvent, Collection, DataSource, SyncItem


def post(root: Client, collection: Collection, **fields: str) -> None:
    """Save a collection's page with these fields."""
    inline = {f"collection_roles-{name}_FORMS": "0" for name in ("TOTAL", "INITIAL")}
    address = reverse("admin:core_collection_change", args=[collection.pk])
    answer = root.post(address, {"name": collection.name, **inline, **fields})
    assert answer.status_code == 302, answer.content


def test_another_choice_has_the_sources_of_the_collection_read_again(root: Client) -> None:
    """Of no other collection; a change of something else leaves them alone."""
    shelves = [Collection.objects.create(name=name) for name in ("Fees", "Piers")]
    for shelf in shelves:
        source = DataSource.objects.create(name=shelf.name, kind="folder", collection=shelf)
        SyncItem.objects.create(source=source, key="a.docx", name="a.docx", fingerprint="1", validator="2")

    def known() -> dict[str, tuple[str, str]]:
        rows = SyncItem.objects.values_list("source__name", "fingerprint", "validator")
        return {name: (fingerprint, validator) for name, fingerprint, validator in rows}

    page = root.get(reverse("admin:core_collection_change", args=[shelves[0].pk])).content.decode()
    assert "Read comments" in page
    assert "Resolved comments are never read." in page
    post(root, shelves[0], description="What boats pay")
    assert known() == {"Fees": ("1", "2"), "Piers": ("1", "2")}
    post(root, shelves[0], description="What boats pay", reads_comments="on")
    assert known() == {"Fees": ("", ""), "Piers": ("1", "2")}
    shelves[0].refresh_from_db()
    assert shelves[0].reads_comments
    event = AuditEvent.objects.filter(object_type="collection").latest("created_at")
    assert (event.details["before"], event.details["after"]) == ({"reads_comments": False}, {"reads_comments": True})


def test_a_new_collection_reads_no_comments(root: Client) -> None:
    """Unless somebody asks for it."""
    inline = {f"collection_roles-{name}_FORMS": "0" for name in ("TOTAL", "INITIAL")}
    root.post(reverse("admin:core_collection_add"), {"name": "Nets", **inline})
    assert not Collection.objects.get(name="Nets").reads_comments
