"""Jira in the admin: added by the form of its settings, and tried before it is saved."""

from collections.abc import Iterator

import pytest
from cryptography.fernet import Fernet
from django.test import Client
from pytest_django.fixtures import Settings

from core.library.sync import credentials
from core.models import Collection, DataSource, IntranetHost
from tests.integration.adminsite.test_sources import SOURCES, filled
from tests.integration.sync.served import served
from tests.integration.sync.servers.jira import TOKEN, Tracker

pytestmark = pytest.mark.usefixtures("fast")


@pytest.fixture
def tracker(settings: Settings) -> Iterator[Tracker]:
    """A Jira Data Center inside, whose host an administrator has listed."""
    settings.SOURCE_SECRET_KEYS = [Fernet.generate_key().decode()]
    IntranetHost.objects.create(name="127.0.0.1")
    with served() as server:
        yield Tracker(server, is_cloud=False)


def entered(tracker: Tracker, **more: object) -> dict[str, object]:
    """Build an administrator's entries."""
    given = {
        "setting_address": tracker.server.base,
        "setting_edition": "data_center",
        "setting_projects": "docs\nboard",
        "setting_filter": "statusCategory = Done",
        "setting_comments": "on",
        "takes_readers": "on",
        "secret_token": TOKEN,
    }
    return filled(Collection.objects.create(name="Shelf"), **given | more)


def test_it_is_added_by_a_form(root: Client, tracker: Tracker) -> None:
    """The token is kept and not shown, and what is wrong is said in words."""
    address, given = f"{SOURCES}add/?kind=jira", entered(tracker)
    assert "Labels to leave out" in root.get(address).content.decode()
    for wrong, words in (
        ({"setting_edition": "cloud"}, "Write the e-mail address of the account to which the API token belongs."),
        ({"setting_projects": "no key"}, "Write the key of a project, such as DOCS"),
        ({"setting_filter": "a = b order by key"}, "Write the filter without ORDER BY"),
    ):
        assert words in root.post(address, given | wrong).content.decode()
    assert not DataSource.objects.exists()
    assert root.post(address, given).status_code == 302
    source = DataSource.objects.get()
    assert (source.kind, source.takes_readers) == ("jira", True)
    assert (source.settings["projects"], source.settings["attachments"]) == (["DOCS", "BOARD"], False)
    assert credentials.read(source) == {"token": TOKEN}
    assert TOKEN not in root.get(f"{SOURCES}{source.pk}/change/").content.decode() + source.secrets


def test_it_is_tried_before_it_is_saved(root: Client, tracker: Tracker) -> None:
    """The test shows issues and the groups that read them, or what is wrong."""
    tracker.put("1", "DOCS-1", "The northern pier")
    address, given = f"{SOURCES}test/?kind=jira", entered(tracker)
    shown = root.post(address, given).content.decode()
    assert "DOCS-1: The northern pier" in shown
    assert "staff" in shown
    shown = root.post(address, given | {"setting_projects": "shut"}).content.decode()
    assert "These credentials do not show projects: SHUT." in shown
    assert not DataSource.objects.exists()
