"""Every page of the admin: it renders, it is closed to others, and it shows no text that its viewer may not read."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.apps import apps
from django.contrib import admin
from django.contrib.auth.models import Group
from django.db.models import Model
from django.http import QueryDict
from django.test import Client, RequestFactory
from django.urls import reverse
from procrastinate.contrib.django.models import ProcrastinateJob
from pytest_django import DjangoAssertNumQueries

from adminsite.admin.navigation import MENU, REST
from core.models import (
    AuditEvent,
    AuthToken,
    Chunk,
    Conversation,
    DataSource,
    Document,
    IngestionJob,
    Query,
    User,
    UserRole,
)
from core.models.row_security import bypass_row_security
from core.testing import Cast, fetch_chunks, make_document
from tests.integration.adminsite.conftest import CANARIES, World

# Rows of these models are made or changed in the admin; every other page is only looked at.
ADDED = {
    "user",
    "role",
    "group",
    "collection",
    "channelsetting",
    "datasource",
    "budget",
    "ingestionjob",
    "intranethost",
    "usergrouprole",
    "slackworkspace",
    "verifiedanswer",
}
CHANGED = {"user", "role", "group", "collection", "channelsetting", "document", "slackbot", "slackworkspace"}
CHANGED |= {"datasource", "intranethost", "budget"}
DELETED = {"connectedprogram", "authtoken", "usergrouprole"}  # made and deleted, but not changed
# The beginning of an object, or of a list of texts, as JSON or as Python writes it.
DUMP = re.compile(r"[\[{]\s*(&quot;|&#x27;|[\"'])\w[\w ]*\1\s*[:,\]]")


def models() -> list[type[Model]]:
    """Every model that has a page."""
    return sorted(admin.site._registry, key=lambda model: model._meta.label)


def page(model: type[Model], name: str, *args: Any) -> str:
    """The address of a page."""
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_{name}", args=args)


def rows_of(model: type[Model]) -> list[Model]:
    """All rows, chunks that nobody may read included."""
    with bypass_row_security():
        return list(model._default_manager.all())


def every_page(model: type[Model]) -> Iterator[str]:
    """The list of a model, the page and the history of each row."""
    yield page(model, "changelist")
    for row in rows_of(model):
        yield page(model, "change", row.pk)
        yield page(model, "history", row.pk)


def test_every_page_renders_without_withheld_text_and_dumps(root: Client, world: World) -> None:
    """List, row and history of every model; a page to add only where rows are made by hand.

    An administrator without a role sees titles and figures everywhere, of the text not a word, and nothing as it is
    stored. One walk looks for all of it: rendering the pages takes most of its time.
    """
    AuditEvent.objects.create(action="change", object_type="document", details={"roles": ["owners"], "count": 2})
    for model in models():
        assert model is Group or rows_of(model), f"the world lacks a {model._meta.label}"
        for address in every_page(model):
            answer = root.get(address, follow=True)  # pages of questions lead to the page of a conversation
            # The administrator has no role: to them a chunk's page is that of a row that does not exist.
            is_hidden = model is Chunk and address != page(model, "changelist")
            assert answer.status_code == 200, address
            assert not is_hidden or answer.redirect_chain[0] == ("/admin/", 302), address  # type: ignore[attr-defined]
            shown = answer.content.decode()
            assert list_canaries(shown) == [], address
            if not address.endswith("/history/"):
                assert find_dump(shown) is None, (address, find_dump(shown))
        assert root.get(page(model, "add")).status_code == (200 if model._meta.model_name in ADDED else 403), model
    assert list_canaries(root.get("/admin/").content.decode()) == []
    assert "vault rules" in root.get(page(Document, "change", world.vault.pk)).content.decode().casefold()


def list_canaries(shown: str) -> list[str]:
    """Return the words that Alice alone may read and a page shows."""
    folded = shown.casefold()
    return [canary for canary in CANARIES if canary.casefold() in folded]


def find_dump(shown: str) -> str | None:
    """Return what surrounds a value that a page shows as it is stored."""
    text = re.sub(r"<script.*?</script>|<[^>]*>", "", shown, flags=re.DOTALL)
    found = DUMP.search(text)
    return found and text[max(found.start() - 80, 0) : found.end() + 80]


def test_records_that_other_code_owns_are_read_only(root: Client, world: World) -> None:
    """Posting to the page of such a record is refused and changes nothing."""
    owned = [model for model in models() if model._meta.model_name not in CHANGED and model is not Chunk]
    assert AuditEvent in owned
    for model in owned:
        row = model._default_manager.first()
        assert row is not None
        assert root.post(page(model, "change", row.pk), {}).status_code == 403, model
        if model._meta.model_name not in DELETED:
            assert root.post(page(model, "delete", row.pk), {"post": "yes"}).status_code == 403, model
            assert model._default_manager.filter(pk=row.pk).exists()


def test_without_the_permission_every_page_is_closed(staff: Callable[..., Client], world: World) -> None:
    """An administrator with a permission on something else gets 403, and a person who is none the sign-in page."""
    desk, nobody, person = staff("core.change_authtoken"), Client(), Client()
    person.force_login(User.objects.get(email="alice@example.com"))
    for model in models():
        if model is AuthToken:
            continue
        for address in every_page(model):
            closed = {302, 403} if model is Chunk else {403}
            assert desk.get(address).status_code in closed, address
            for browser in (nobody, person):
                response = browser.get(address)
                assert (response.status_code, response["Location"].split("?")[0]) == (302, reverse("admin:login"))


def test_no_search_finds_text_that_its_viewer_may_not_read(root: Client, world: World) -> None:
    """Searching for a forbidden word finds nothing on any list: a hit would reveal that it is there."""
    request = RequestFactory().get("/")
    request.user = User.objects.get(pk=root.session["_auth_user_id"])
    for model in models():
        shown = admin.site._registry[model]
        if not shown.search_fields:
            continue
        assert root.get(page(model, "changelist"), {"q": "quagmire"}, follow=True).context["cl"].result_count == 0
        # The same list without its page, which takes ten times as long.
        for canary in ("quagmire", "basilisk", "cockatrice", "griffin", "Lockwork"):
            request.GET = QueryDict(f"q={canary}")
            found = shown.get_changelist_instance(request)
            assert (found.query, found.result_count) == (canary, 0), f"{canary} in {model._meta.label}"


def test_who_may_read_a_document_sees_its_text(root: Client, administrator: User, cast: Cast, world: World) -> None:
    """With Alice's role the administrator reads chunk, answer, quote and comment."""
    UserRole.objects.create(user=administrator, role=cast.owners)
    [chunk] = fetch_chunks(world.vault)
    assert "quagmire-7741" in root.get(page(Chunk, "changelist")).content.decode()
    assert "quagmire-7741" in root.get(page(Chunk, "change", chunk.pk)).content.decode()
    answer = root.get(page(type(world.vault_answer), "change", world.vault_answer.pk), follow=True).content.decode()
    assert "quagmire-7741" in answer
    assert "Withheld" not in answer
    question = root.get(page(Query, "change", world.vault_answer.query_id), follow=True).content.decode()
    assert "jackdaw ledger" in question
    assert "Abstract with basilisk" in root.get(page(Document, "change", world.vault.pk)).content.decode()


def test_a_role_without_the_chunk_permission_shows_no_text(
    staff: Callable[..., Client], cast: Cast, world: World
) -> None:
    """A reader of the document without the right to see chunks sees no text in the admin."""
    desk = staff("core.view_document")
    UserRole.objects.create(user=User.objects.get(email="desk@example.com"), role=cast.owners)
    shown = desk.get(page(Document, "change", world.vault.pk)).content.decode()
    assert "Vault rules" in shown
    assert "basilisk" not in shown
    assert desk.get(page(Chunk, "changelist")).status_code == 403


def test_the_list_of_chunks_offers_readable_documents_only(
    root: Client, administrator: User, cast: Cast, world: World
) -> None:
    """Chunks and the filter beside them hold what the viewer may read."""
    UserRole.objects.create(user=administrator, role=cast.staff)
    shown = root.get(page(Chunk, "changelist")).content.decode()
    assert "Canteen rules" in shown
    assert "Vault rules" not in shown


def test_the_menu_has_six_entries_and_every_page_is_found(
    root: Client, staff: Callable[..., Client], world: World
) -> None:
    """Every model's page is named once, in an entry or below Advanced; with one permission there is one entry."""
    links = [link for entry in (*MENU, *REST) for link in entry.links]
    listed = [model for link in links for model in (link.model, *link.covers) if model]
    assert sorted(listed) == sorted(model._meta.label_lower for model in models())
    menu = root.get("/admin/").context["sidebar_navigation"][0]["items"]
    everyday = ["Ask", "Documents", "Sources", "People and roles", "Questions", "Quality"]
    assert [item["title"] for item in menu] == [*everyday, "Advanced"]
    advanced = root.get("/admin/advanced/").content.decode()
    for link in (link for entry in REST for link in entry.links):
        assert f'href="{link.address}"' in advanced
    desk = staff("core.view_role").get("/admin/").content.decode()
    assert reverse("admin:core_role_changelist") in desk
    assert reverse("admin:core_user_changelist") not in desk


def test_advanced_shows_and_finds_what_its_viewer_may_open(staff: Callable[..., Client], world: World) -> None:
    """By name or by an earlier name; nothing else, and who may open no such page finds none."""
    desk = staff("core.view_budget", "core.view_user")
    shown = desk.get("/admin/advanced/").content.decode()
    assert reverse("admin:core_budget_changelist") in shown
    assert reverse("admin:core_auditevent_changelist") not in shown
    found = desk.get("/admin/advanced/", {"q": "PERSONS"}).context["found"]
    assert [link.title for links in found.values() for link in links] == ["People"]
    assert not desk.get("/admin/advanced/", {"q": "audit"}).context["found"]
    assert desk.get("/admin/advanced/", {"q": "\0"}).status_code == 200


def test_pages_are_named_as_in_the_menu(root: Client, world: World) -> None:
    """In the window's title, and in the path above the page, which is its one heading of the first level."""
    for link in (link for entry in (*MENU, *REST) for link in entry.links if link.url != "api:docs"):
        shown = root.get(link.address).content.decode()
        assert re.search(rf"<title>\s*{link.title} \| ", shown), link
        (above,) = re.findall(r"<h1[^>]*>(.*?)</h1>", shown, re.DOTALL)
        assert " ".join(MARKUP.sub(" ", above).split()).startswith(f"Footnote chevron_right {link.title}"), link


def test_a_page_is_marked_in_one_entry_of_the_menu(root: Client, world: World) -> None:
    """The entry that it belongs to, which opens the first page of it."""
    for entry in MENU:
        for link in entry.links:
            menu = root.get(link.address).context["sidebar_navigation"][0]["items"]
            assert [item["title"] for item in menu if item["active"]] == [entry.title], link
    opened = [str(item["link_callback"]) for item in menu]
    assert opened == [*(entry.links[0].address for entry in MENU), reverse("admin-advanced")]
    front = root.get("/admin/").content.decode()
    assert all(front.count(f'href="{address}"') >= 2 for address in opened)  # in the menu and below the figures


def test_rows_are_named_as_the_menu_names_their_list() -> None:
    """Titles, buttons and questions before deleting are made of the names of rows."""
    links = [link for entry in MENU for link in entry.links if link.model]
    named = {link.title: apps.get_model(link.model)._meta.verbose_name_plural.capitalize() for link in links}
    assert {title: name for title, name in named.items() if title != name} == {
        "Handed over": "Hand-overs",
        "Changes before they are live": "Checks of changes",
        "Oversharing": "Oversharing risks",
    }


def test_pages_of_a_row_are_titled_by_the_name_of_the_menu(root: Client, world: World) -> None:
    """To add, change and delete one; those of libraries by the product's name for it."""
    source, group = rows_of(DataSource)[0], Group.objects.create(name="Helpers")
    for address, title in (
        (page(DataSource, "change", source.pk), "Change source"),
        (page(DataSource, "delete", source.pk), "delete the source"),
        (page(Group, "add"), "Add admin group"),
        (page(Group, "change", group.pk), "Change admin group"),
        (page(ProcrastinateJob, "change", rows_of(ProcrastinateJob)[0].pk), "View background job"),
        (page(IngestionJob, "change", rows_of(IngestionJob)[0].pk), "View upload"),
    ):
        shown = root.get(address).content.decode()
        assert title in shown, address
        assert "data source" not in MARKUP.sub(" ", shown), address


EVERYDAY = tuple(link.address for entry in MENU for link in entry.links)
FOLDED = re.compile(r"<details.*?</details>", re.DOTALL)
MARKUP = re.compile(r"<script.*?</script>|<style.*?</style>|<[^>]*>", re.DOTALL)


def test_pages_for_everyday_work_have_no_words_of_their_makers(root: Client, world: World) -> None:
    """Lists, and a page of each; what is folded may have them."""
    rows = [
        page(model, "change", rows_of(model)[0].pk) for model in (Document, Query, User, IngestionJob, Conversation)
    ]
    for address in (*EVERYDAY, "/admin/", page(IngestionJob, "add"), *rows):
        words = MARKUP.sub(" ", FOLDED.sub(" ", root.get(address, follow=True).content.decode())).casefold()
        for maker in ("chunk", "embedding", "prompt hash", "seccomp", "landlock"):
            assert maker not in words, (maker, address)


def test_lists_cost_as_many_queries_for_many_rows(
    root: Client, world: World, cast: Cast, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    """Forty more documents, people and jobs do not cost one more database query on any list."""
    for number in range(40):
        make_document(f"Notice {number}", "The harbour is open.", roles=[cast.staff, cast.owners])
        user = User.objects.create_user(f"person{number}@example.com")
        UserRole.objects.create(user=user, role=cast.staff)
        IngestionJob.objects.create(collection=world.canteen.collection, created_by=user)
    for model in models():
        with django_assert_max_num_queries(16):
            assert root.get(page(model, "changelist"), follow=True).status_code == 200


def test_nothing_is_loaded_from_elsewhere(root: Client, world: World) -> None:
    """Scripts, styles and fonts come from this server."""
    for address in ("/admin/", page(Document, "changelist"), page(Document, "change", world.canteen.pk)):
        shown = root.get(address).content.decode()
        assert 'src="http' not in shown
        assert '<link href="http' not in shown


@pytest.mark.parametrize(("local", "target"), [(True, "/local/"), (False, "/admin/")])
def test_the_front_page_leads_on(local: bool, target: str, client: Client, settings: Any) -> None:
    """To the local page where there is one, else to the admin."""
    settings.LOCAL_PAGE = local
    response = client.get("/")
    assert (response.status_code, response["Location"]) == (302, target)
