"""axe-core over the pages of the admin, light and dark, wide and narrow: nothing serious is left."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from django.contrib import admin
from django.db.models import Model
from django.urls import reverse
from playwright.sync_api import Browser, Page
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from adminsite.admin.navigation import MENU, REST
from core.models import (
    Budget,
    ChangeCheck,
    ChannelSetting,
    Collection,
    ContentGap,
    DataSource,
    Document,
    Query,
    Role,
    User,
    UserRole,
)
from core.models.row_security import bypass_row_security
from core.testing import Cast, make_cast
from tests.acceptance.axe import NARROW, WIDE, find_serious
from tests.acceptance.browser import shared_chromium, sign_in
from tests.integration.adminsite.conftest import World, make_world

PASSWORD = "correct horse battery staple"
READ_ALOUD = """() => [...document.querySelectorAll(".material-symbols-outlined")]
  .filter(icon => !icon.closest("[aria-hidden=true]")).map(icon => icon.outerHTML)"""
NOT_OURS = {"/api/v1/docs"}  # Swagger UI, as its makers draw it

pytestmark = pytest.mark.enable_socket


@dataclass(frozen=True, kw_only=True, slots=True)
class Reader:
    """A browser in which an administrator is signed in who may read everything."""

    page: Page
    url: str
    world: World
    cast: Cast

    def find_faults(self, addresses: Iterable[str]) -> list[str]:
        """Return what is serious on pages, in light and in dark, each with its page and element."""
        return [fault for address in addresses for fault in self._find_on(address)]

    def _find_on(self, address: str) -> Iterator[str]:
        answer = self.page.goto(f"{self.url}{address}")
        assert answer is not None
        assert answer.status == 200, address
        yield from find_serious(self.page, address)
        for icon in self.page.evaluate(READ_ALOUD):
            yield f"{address} an icon is read aloud: {icon}"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One browser for all tests."""
    with shared_chromium() as launched:
        yield launched


@pytest.fixture
def reader(browser: Browser, transactional_db: None, settings: Settings, fast: None) -> Iterator[Reader]:
    """A row of every kind, and an administrator with the roles of the cast."""
    settings.SECURE_SSL_REDIRECT = settings.SESSION_COOKIE_SECURE = settings.CSRF_COOKIE_SECURE = False
    settings.ALLOWED_HOSTS = ["127.0.0.1"]
    cast = make_cast()
    world = make_world(cast)
    dana = User.objects.create_superuser("dana@example.org", PASSWORD)
    UserRole.objects.bulk_create(UserRole(user=dana, role=role) for role in (cast.owners, cast.staff))
    site = LiveServer("127.0.0.1")
    context = browser.new_context(viewport=WIDE)
    try:
        sign_in(context, site.url, dana)
        yield Reader(page=context.new_page(), url=site.url, world=world, cast=cast)
    finally:
        context.close()
        site.stop()


def _name(model: type[Model], page: str, *args: Any) -> str:
    """Return the address of a page of a model."""
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_{page}", args=args)


def _row(model: type[Model]) -> str:
    """Return the address of the page of a model's first row."""
    with bypass_row_security():
        return _name(model, "change", model._default_manager.order_by("pk")[0].pk)


def list_everyday(reader: Reader) -> list[str]:
    """Return the pages that are opened each day, and one of each kind that is drawn in its own way."""
    canteen, alice, shelf = reader.world.canteen, reader.cast.alice, reader.world.canteen.collection
    return [
        *("/admin/", "/admin/advanced/", f"/documents/{canteen.pk}/"),
        *("/admin/core/document/", _row(Document), reverse("admin:core_document_list_readers", args=[canteen.pk])),
        *("/admin/core/user/", _row(User), "/admin/core/user/several/"),
        f"/admin/core/role/matrix/?collection={shelf.pk}",
        *(
            reverse(f"admin:core_sectionrule_{page}", args=[row.pk])
            for page, row in (("document", canteen), ("collection", shelf))
        ),
        f"/admin/core/role/preview/?person={alice.pk}&question=When+does+the+canteen+open",
        *("/admin/core/collection/add/", "/admin/core/ingestionjob/add/"),
        *("/admin/core/datasource/add/", "/admin/core/datasource/add/?kind=s3", _row(DataSource)),
        *("/admin/core/query/", _row(Query), _row(ContentGap), reverse("admin:core_querylog_reports")),
        *("/admin/core/changecheck/", _row(ChangeCheck), reverse("admin:core_changecheck_limits")),
    ]


def list_the_rest(reader: Reader) -> list[str]:
    """Return every list of the admin and a row of each, and what else has an address."""
    models = sorted(admin.site._registry, key=lambda model: model._meta.label)
    links = [link.address for entry in (*MENU, *REST) for link in entry.links if not link.model]
    shelf, alice = reader.world.canteen.collection, reader.cast.alice
    pages = [
        *(address for address in links if address not in NOT_OURS),
        *(_name(model, "changelist") for model in models),
        *(_row(model) for model in models),
        *(_name(model, "add") for model in (User, Role, Budget, ChannelSetting)),
        *(reverse(f"admin:core_user_{page}", args=[alice.pk]) for page in ("list_readable", "create_token")),
        *(_name(Collection, page, shelf.pk) for page in ("delete", "history")),
        reverse("admin:core_document_explain_access", args=[reader.world.canteen.pk]),
        *("/admin/core/modelsetup/file/", "/admin/core/document/?q=nothing-of-the-kind"),
        *("/admin/second-factor/", "/admin/second-factor/app/", "/admin/password_change/", "/programs/"),
    ]
    return sorted(set(pages) - set(list_everyday(reader)))


def test_everyday_pages_have_no_serious_fault(reader: Reader) -> None:
    """On a desk, in light and in dark."""
    assert reader.find_faults(list_everyday(reader)) == []


def test_narrow_pages_have_no_serious_fault(reader: Reader) -> None:
    """On a telephone, where the menu is behind a button and rows are cards."""
    reader.page.set_viewport_size(NARROW)
    shelf = reader.world.canteen.collection
    addresses = ["/admin/", "/admin/core/document/", f"/admin/core/role/matrix/?collection={shelf.pk}"]
    addresses += ["/admin/core/query/", _row(Query), "/admin/core/modelsetup/"]
    assert reader.find_faults([*addresses, f"/documents/{reader.world.canteen.pk}/"]) == []


def test_signing_in_has_no_serious_fault(reader: Reader) -> None:
    """For administrators, and for who opens a document."""
    reader.page.context.clear_cookies()
    assert reader.find_faults(["/admin/login/", f"/documents/{reader.world.canteen.pk}/"]) == []


@pytest.mark.slow
def test_no_page_of_the_admin_has_a_serious_fault(reader: Reader) -> None:
    """Each list with a row of it, and each page with an address of its own."""
    assert reader.find_faults(list_the_rest(reader)) == []
