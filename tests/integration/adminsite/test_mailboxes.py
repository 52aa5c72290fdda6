"""Mailboxes in the admin: there is nobody to choose who reads them but their owners."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cryptography.fernet import Fernet
from django.test import Client
from pytest_django.fixtures import Settings

from core.library.sync.mail import mailbox
from core.models import Collection, DataSource, IntranetHost
from core.testing import Cast
from tests.integration.adminsite.test_sources import NO_RUNS, SOURCES, filled
from tests.integration.sync.servers.imap import PASSWORD, MailServer, serving_mails, write_mail

pytestmark = pytest.mark.usefixtures("fast")


@pytest.fixture
def server(tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch, db: None) -> Iterator[MailServer]:
    """A server with a mail, on a host inside that may be asked."""
    settings.SOURCE_SECRET_KEYS = [Fernet.generate_key().decode()]
    IntranetHost.objects.create(name="localhost")
    with serving_mails(tmp_path, certified="localhost") as found:
        monkeypatch.setattr(mailbox, "trust_authorities", lambda: found.trusted)
        found.put(write_mail("Griffin"))
        yield found


def fill(server: MailServer, **more: Any) -> dict[str, Any]:
    """Fill the form of a mailbox, to be tested as it is saved."""
    settings = server.settings(host="localhost", owners="Alice@example.com\nbob@example.com", most_mb=10) | more
    given = {f"setting_{name}": value for name, value in settings.items()}
    collection, _ = Collection.objects.get_or_create(name="Mails")
    return filled(collection, **given, secret_password=PASSWORD, save_untested="")


def test_readers_come_from_a_mailbox_without_that_anybody_says_so(root: Client, server: MailServer, cast: Cast) -> None:
    """The form asks for no roles, and takes none; it is offered, tested and saved like every kind."""
    assert "Mailbox (IMAP)" in root.get(f"{SOURCES}add/").content.decode()
    page = root.get(f"{SOURCES}add/?kind=imap").content.decode()
    assert 'name="setting_owners"' in page
    assert 'name="readers_hours"' in page
    assert 'name="takes_readers"' not in page
    assert 'name="roles"' not in page
    tried = root.post(f"{SOURCES}test/?kind=imap", fill(server)).content.decode()
    assert "INBOX, mail 1 of 2026-03-03 07:30" in tried
    assert "alice@example.com" in tried
    assert "Griffin" not in tried
    response = root.post(f"{SOURCES}add/?kind=imap", fill(server) | {"roles": [str(cast.staff.pk)]})
    source = DataSource.objects.get()
    assert response["Location"] == f"{SOURCES}{source.pk}/change/"
    assert (source.takes_readers, list(source.roles.all())) == (True, [])
    assert source.settings["owners"] == ["alice@example.com", "bob@example.com"]
    assert PASSWORD not in root.get(response["Location"]).content.decode()


def test_it_stays_so(root: Client, server: MailServer, cast: Cast) -> None:
    """Owners can be changed, without the password; who decides about readers cannot."""
    root.post(f"{SOURCES}add/?kind=imap", fill(server))
    source = DataSource.objects.get()
    changed = fill(server, owners="dora@example.org") | NO_RUNS | {"secret_password": "", "roles": [str(cast.staff.pk)]}
    changed |= {"groups-TOTAL_FORMS": "0", "groups-INITIAL_FORMS": "0"}
    assert root.post(f"{SOURCES}{source.pk}/change/", changed).status_code == 302
    source.refresh_from_db()
    assert (source.takes_readers, source.settings["owners"]) == (True, ["dora@example.org"])
    assert not source.roles.exists()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"setting_owners": ""}, "required"),
        ({"setting_owners": "alice"}, "alice is no e-mail address"),
        ({"setting_port": "143"}, "Port 143 is for starttls"),
        ({"setting_folders": "Nowhere"}, "The mailbox has no folder Nowhere. It has: INBOX."),
        ({"secret_password": "wrong"}, "does not accept the user name and password"),
        ({"setting_host": "127.0.0.1"}, "127.0.0.1 is not on the public Internet"),
    ],
)
def test_what_is_wrong_is_said(root: Client, server: MailServer, given: dict[str, str], said: str) -> None:
    """In a sentence; nothing is saved."""
    shown = root.post(f"{SOURCES}add/?kind=imap", fill(server) | given).content.decode()
    assert said in shown.replace("&#x27;", "'")
    assert not DataSource.objects.exists()
