"""SharePoint in the admin: added by the form of its settings, and tried before it is saved."""

from collections.abc import Iterator

import pytest
from cryptography.fernet import Fernet
from django.test import Client
from pytest_django.fixtures import Settings

from core.library.sync import credentials
from core.library.sync.services.entra import CLOUDS
from core.models import Collection, DataSource, IntranetHost
from tests.integration.adminsite.test_sources import SOURCES, filled
from tests.integration.sync.served import served
from tests.integration.sync.servers.graph import CLIENT, SECRET, SITE, STAFF, TENANT, Tenant

pytestmark = pytest.mark.usefixtures("fast")


@pytest.fixture
def tenant(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[Tenant]:
    """A tenant in place of Microsoft's cloud, whose host an administrator has listed."""
    settings.SOURCE_SECRET_KEYS = [Fernet.generate_key().decode()]
    IntranetHost.objects.create(name="127.0.0.1")
    with served() as server, served() as downloads:
        found = Tenant(server, downloads)
        monkeypatch.setitem(CLOUDS, "global", found.cloud)
        yield found


def entered(**more: object) -> dict[str, object]:
    """Build an administrator's entries."""
    given = {
        "setting_cloud": "global",
        "setting_tenant": TENANT,
        "setting_client_id": CLIENT,
        "setting_sites": SITE,
        "takes_readers": "on",
        "secret_client_secret": SECRET,
    }
    return filled(Collection.objects.create(name="Shelf"), **given | more)


def test_it_is_added_by_a_form(root: Client, tenant: Tenant) -> None:
    """The secret is kept and not shown, and what is wrong is said in words."""
    tenant.put("f1", "pier.md")
    address, given = f"{SOURCES}add/?kind=sharepoint", entered()
    assert "Folders to leave out" in root.get(address).content.decode()
    for wrong, words in (
        ({"setting_tenant": "no tenant"}, "Write the tenant&#x27;s ID or one of its domains"),
        ({"setting_client_id": "12"}, "Write the application (client) ID from Entra"),
        ({"setting_sites": f"{SITE}/Forms/AllItems.aspx"}, "Write the address of a site without what follows it"),
        ({"setting_sites": ""}, "Write the address of a site, or the e-mail address of a user"),
    ):
        assert words in root.post(address, given | wrong).content.decode()
    assert not DataSource.objects.exists()
    assert root.post(address, given).status_code == 302
    source = DataSource.objects.get()
    assert (source.kind, source.takes_readers, source.settings["sites"]) == ("sharepoint", True, [SITE])
    assert credentials.read(source) == {"client_secret": SECRET}
    assert SECRET not in root.get(f"{SOURCES}{source.pk}/change/").content.decode() + source.secrets


def test_it_is_tried_before_it_is_saved(root: Client, tenant: Tenant) -> None:
    """The test shows files and the groups that read them, or what is wrong."""
    tenant.put("f1", "pier.md")
    address, given = f"{SOURCES}test/?kind=sharepoint", entered()
    shown = root.post(address, given).content.decode()
    assert "pier.md" in shown
    assert STAFF in shown
    shown = root.post(address, given | {"setting_sites": f"{SITE}-other"}).content.decode()
    assert "Microsoft Graph does not show the site" in shown
    assert not DataSource.objects.exists()
