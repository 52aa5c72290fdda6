"""Test that pages which delete offer something else, and that the navigation can be skipped."""

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django.fixtures import Settings

from core.models import Collection, DataSource, IngestionJob, SectionRule
from core.testing import Cast, make_document
from tests.integration.adminsite.conftest import World


def test_a_collection_with_documents_says_what_can_be_done_instead(root: Client, world: World) -> None:
    """With links that lead to its documents alone, to sources and to its own page."""
    collection = world.canteen.collection
    page = root.get(reverse("admin:core_collection_delete", args=[collection.pk])).content.decode()
    assert "What you can do instead" in page
    address = f"{reverse('admin:core_document_changelist')}?collection__id__exact={collection.pk}"
    assert f'href="{address}"' in page
    assert reverse("admin:core_datasource_changelist") in page
    listed = root.get(address)
    assert listed.status_code == 200
    assert {one.collection_id for one in listed.context["cl"].result_list} == {collection.pk}
    assert Collection.objects.filter(pk=collection.pk).exists()


@pytest.mark.parametrize("kind", ["role", "user", "datasource"])
def test_roles_people_and_sources_say_so_too(root: Client, cast: Cast, kind: str) -> None:
    """Each link leads somewhere."""
    shelf = Collection.objects.create(name="Shelf")
    rows = {
        "role": cast.staff.pk,
        "user": cast.bob.pk,
        "datasource": DataSource.objects.create(name="Files", kind="folder", collection=shelf).pk,
    }
    answer = root.get(reverse(f"admin:core_{kind}_delete", args=[rows[kind]]))
    assert "What you can do instead" in answer.content.decode()
    ways = answer.context["instead"]
    assert ways
    assert [root.get(way.address).status_code for way in ways] == [200] * len(ways)


def test_what_stands_in_nobodys_way_is_deleted_as_before(root: Client) -> None:
    """An empty collection."""
    empty = Collection.objects.create(name="Empty")
    root.post(reverse("admin:core_collection_delete", args=[empty.pk]), {"post": "yes"})
    assert not Collection.objects.filter(pk=empty.pk).exists()


def test_rules_for_sections_go_with_their_collection_and_their_roles(root: Client, cast: Cast) -> None:
    """They are named in words, stand in nobody's way, and a rule that loses its last role is for nobody."""
    empty = Collection.objects.create(name="Empty")
    rule = SectionRule.objects.create(collection=empty, kind="heading", pattern="Pay")
    rule.roles.add(cast.staff)
    role = reverse("admin:core_role_delete", args=[cast.staff.pk])
    assert "role that reads sections by a rule" in root.get(role).content.decode().lower()
    root.post(role, {"post": "yes"})
    assert not rule.roles.exists()
    address = reverse("admin:core_collection_delete", args=[empty.pk])
    page = root.get(address).content.decode()
    assert "permission to delete" not in page
    assert "Rule for sections" in page
    root.post(address, {"post": "yes"})
    assert not Collection.objects.filter(pk=empty.pk).exists()
    assert not SectionRule.objects.exists()


@pytest.mark.parametrize("in_list", [False, True])
def test_uploads_that_have_ended_go_with_an_empty_collection(root: Client, in_list: bool) -> None:
    """Nobody may delete one by itself, so a collection that had one would be there for ever."""
    shelf = Collection.objects.create(name="Shelf")
    IngestionJob.objects.create(collection=shelf, state=IngestionJob.State.DONE)
    address = reverse("admin:core_collection_delete", args=[shelf.pk])
    assert "permission to delete" not in root.get(address).content.decode()
    if in_list:
        chosen = {"action": "delete_selected", "_selected_action": [str(shelf.pk)], "post": "yes"}
        root.post(reverse("admin:core_collection_changelist"), chosen)
    else:
        root.post(address, {"post": "yes"})
    assert not Collection.objects.filter(pk=shelf.pk).exists()
    assert not IngestionJob.objects.exists()


@pytest.mark.parametrize("holds", ["document", "source", "upload"])
def test_a_collection_that_holds_something_stays_with_its_uploads(root: Client, holds: str) -> None:
    """And the page speaks of no permission for uploads, which nobody has."""
    shelf = make_document("Rules", "The canteen opens at noon.").collection
    IngestionJob.objects.create(collection=shelf, state=IngestionJob.State.FAILED)
    if holds != "document":
        shelf.documents.all().delete()
    if holds == "source":
        DataSource.objects.create(name="Files", kind="folder", collection=shelf)
    if holds == "upload":
        IngestionJob.objects.create(collection=shelf, state=IngestionJob.State.RUNNING)
    address = reverse("admin:core_collection_delete", args=[shelf.pk])
    assert "ingestion job</li>" not in root.get(address).content.decode()
    root.post(address, {"post": "yes"})
    assert Collection.objects.filter(pk=shelf.pk).exists()
    assert IngestionJob.objects.filter(state=IngestionJob.State.FAILED).exists()


def test_pages_begin_with_a_way_past_the_navigation(root: Client) -> None:
    """Before the first other link of the page."""
    for name in ("index", "core_document_changelist", "core_collection_add"):
        page = root.get(reverse(f"admin:{name}")).content.decode()
        first = page[page.index("<body") :].index("<a ")
        assert page[page.index("<body") :][first:].startswith('<a class="fn-skip" href="#content">')
        assert 'id="content"' in page


@pytest.mark.parametrize("folders", [[], ["/srv/<b>handbook", "/srv/minutes"]])
def test_the_form_of_a_folder_names_the_setting_and_the_allowed_folders(
    root: Client, settings: Settings, folders: list[str]
) -> None:
    """So that nobody has to guess what is refused."""
    settings.SOURCE_FOLDERS = folders
    page = root.get(reverse("admin:core_datasource_add"), {"kind": "folder"}).content.decode()
    assert "SOURCE_FOLDERS" in page
    assert ("No folder is allowed yet" in page) == (not folders)
    assert "<b>handbook" not in page
    assert ("/srv/minutes" in page) == bool(folders)
