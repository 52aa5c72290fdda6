"""Credentials of a data source go to the server for which they were entered, and to no other."""

import json
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from cryptography.fernet import Fernet
from django.conf import settings as configured
from pytest_django.fixtures import Settings

from core.errors import SourceError, SourceRefusedError
from core.library.sync import credentials
from core.library.sync.connecting import connect
from core.library.sync.credentials import OtherDestinationError
from core.library.sync.kinds import kind_of
from core.library.sync.runs import start
from core.models import Collection, DataSource, IntranetHost, SyncRun
from core.tasks import start_due_syncs
from core.testing import Cast
from tests.integration.sync.servers import webdav
from tests.integration.sync.servers.served import serving
from tests.integration.sync.working import work_to_the_end

pytestmark = pytest.mark.usefixtures("fast")
KEY = f"SHA256:{'A' * 43}"
# By kind: settings, changes that lead to another server, and changes that do not.
KINDS: dict[str, tuple[dict[str, Any], list[dict[str, Any]], list[dict[str, Any]]]] = {
    "azure": (
        {"account": "contosofiles", "container": "handbooks"},
        [{"account": "otherfiles"}, {"endpoint": "https://blob.example.com"}],
        [{"container": "others"}, {"prefix": "2024"}],
    ),
    "confluence": (
        {"address": "https://example.atlassian.net", "email": "footnote@example.com"},
        [{"address": "https://other.atlassian.net"}, {"address": "http://example.atlassian.net"}],
        [{"spaces": ["DOCS"]}, {"address": "https://EXAMPLE.atlassian.net:443/wiki"}],
    ),
    "gcs": ({"bucket": "handbook"}, [{"endpoint": "https://storage.example.com"}], [{"bucket": "others"}]),
    "git": (
        {"address": "https://git.example.com/team/handbook.git"},
        [
            {"address": "https://git.example.com:8443/team/handbook.git"},
            {"address": "http://git.example.com/team/handbook.git"},
            {"address": "https://git.example.org/team/handbook.git"},
            {"address": "file:///srv/git/handbook.git"},
        ],
        [{"address": "https://git.example.com/team/other.git"}, {"branch": "main"}],
    ),
    "github": (
        {"owner": "octo-org", "repository": "handbook"},
        [{"api": "https://github.example.com/api/v3"}],
        [{"repository": "other"}, {"api": "https://api.github.com/"}],
    ),
    "google_drive": ({"folder": "abcdef"}, [], [{"folder": "ghijkl"}]),
    "jira": (
        {"address": "https://example.atlassian.net", "email": "footnote@example.com"},
        [{"address": "https://other.atlassian.net"}, {"address": "http://example.atlassian.net"}],
        [{"projects": ["DOCS"]}, {"address": "https://EXAMPLE.atlassian.net:443/jira"}],
    ),
    "imap": (
        {"host": "mail.example.com", "user": "anna@example.com", "owners": ["anna@example.com"]},
        [{"host": "mail.example.org"}, {"port": 1993}, {"port": 143, "security": "starttls"}],
        [{"owners": ["bert@example.com"]}, {"folders": ["INBOX"]}, {"since": "12 months"}],
    ),
    "notion": ({}, [], [{"database_rows": False}]),
    "s3": (
        {"bucket": "handbooks", "access_key": "AKIDBASILISK"},
        [{"endpoint": "https://minio.example.com"}, {"region": "cn-north-1"}],
        [{"bucket": "others"}, {"prefix": "2024"}],
    ),
    "sftp": (
        {"host": "files.example.com", "host_key": KEY, "user": "footnote"},
        [{"host": "files.example.org"}, {"port": 2222}, {"host_key": KEY.replace("AAA", "BBB")}],
        [{"path": "/srv"}, {"user": "reader"}],
    ),
    "sharepoint": (
        {
            "tenant": "contoso.onmicrosoft.com",
            "client_id": "00000000-0000-0000-0000-00000000c11e",
            "sites": ["https://contoso.sharepoint.com/sites/hr"],
        },
        [{"tenant": "other.onmicrosoft.com"}, {"cloud": "china"}],
        [{"sites": ["https://contoso.sharepoint.com/sites/it"]}, {"libraries": ["Documents"]}],
    ),
    "smb": (
        {"host": "files.example.com", "share": "Handbooks", "user": "footnote"},
        [{"host": "files.example.org"}, {"port": 4445}],
        [{"share": "Others"}],
    ),
    "webdav": (
        {"address": "https://cloud.example.com/dav", "user": "footnote"},
        [{"address": "https://cloud.example.com:8443/dav"}, {"address": "https://cloud.example.org/dav"}],
        [{"address": "https://cloud.example.com/dav/Handbook"}],
    ),
}


@pytest.fixture(autouse=True)
def _key(settings: Settings) -> None:
    settings.SOURCE_SECRET_KEYS = [Fernet.generate_key().decode()]


@pytest.fixture
def add(cast: Cast) -> Callable[..., DataSource]:
    """Adds a data source with credentials."""

    def add(kind: str, settings: dict[str, Any], **secrets: str) -> DataSource:
        collection = Collection.objects.create(name="Handbook")
        takes = kind_of(kind).named_readers_only
        source = DataSource(name="Handbook", kind=kind, settings=settings, collection=collection, takes_readers=takes)
        credentials.keep(source, secrets)
        source.save()
        return source

    return add


def as_before(source: DataSource, secrets: dict[str, str]) -> None:
    """Store credentials as releases did that did not store for which server."""
    cipher = Fernet(configured.SOURCE_SECRET_KEYS[0])
    DataSource.objects.filter(pk=source.pk).update(secrets=cipher.encrypt(json.dumps(secrets).encode()).decode())
    source.refresh_from_db()


@pytest.mark.parametrize("kind", KINDS)
def test_credentials_are_read_for_their_server_alone(kind: str, add: Callable[..., DataSource]) -> None:
    """Whoever changes the settings, and in which way; other settings are free."""
    settings, others, same = KINDS[kind]
    source = add(kind, settings, token="griffin")
    for change in same:
        DataSource.objects.filter(pk=source.pk).update(settings=settings | change)
        assert credentials.read(DataSource.objects.get()) == {"token": "griffin"}
    for change in others:
        DataSource.objects.filter(pk=source.pk).update(settings=settings | change)
        with pytest.raises(OtherDestinationError, match=r"another server.*Enter them again\. Changed since: "):
            credentials.read(DataSource.objects.get())
        with pytest.raises(SourceRefusedError):
            connect(DataSource.objects.get())
    DataSource.objects.filter(pk=source.pk).update(settings=settings)
    assert credentials.read(DataSource.objects.get()) == {"token": "griffin"}


def test_nothing_reaches_the_server_that_settings_were_changed_to(
    add: Callable[..., DataSource], tmp_path: Path
) -> None:
    """The run fails and says what to do; taken back, it goes well."""
    IntranetHost.objects.create(name="127.0.0.1")
    asked: list[str] = []

    def other(environ: dict[str, Any], start: Any) -> list[bytes]:
        asked.append(environ.get("HTTP_AUTHORIZATION", ""))
        start("404 Not Found", [])
        return [b""]

    def ask(source: DataSource, **settings: str) -> SyncRun:
        DataSource.objects.filter(pk=source.pk).update(settings=source.settings | settings)
        run = start(source)
        work_to_the_end(run)
        run.refresh_from_db()
        return run

    with ExitStack() as servers:
        served = servers.enter_context(webdav.serve(tmp_path))
        port = servers.enter_context(serving(other))
        source = add("webdav", served.settings, **served.secrets)
        run = ask(source, address=f"http://127.0.0.1:{port}/dav")
        assert (run.state, asked) == ("failed", [])
        assert "Changed since: Address of the folder" in run.error
        assert ask(source).state == "done"


def test_credentials_of_another_source_are_none(add: Callable[..., DataSource]) -> None:
    """Though they were copied from its row, and the server is called the same."""
    source = add("webdav", {"address": "https://example.com/dav", "user": "footnote"}, password="griffin")
    DataSource.objects.filter(pk=source.pk).update(kind="git", settings={"address": "https://example.com/a.git"})
    with pytest.raises(OtherDestinationError):
        credentials.read(DataSource.objects.get())


@pytest.mark.parametrize("binds", ["the first run", "the worker"])
def test_what_an_earlier_release_stored_is_bound_to_the_server_of_now(
    binds: str, add: Callable[..., DataSource]
) -> None:
    """At the first run, or within a minute by the worker; from then on it is read for no other."""
    settings, others, _ = KINDS["webdav"]
    source = add("webdav", settings, password="griffin")
    as_before(source, {"password": "basilisk"})
    if binds == "the worker":
        start_due_syncs(0)
    else:
        assert credentials.read(source) == {"password": "basilisk"}
    DataSource.objects.filter(pk=source.pk).update(settings=settings | others[0])
    with pytest.raises(OtherDestinationError):
        credentials.read(DataSource.objects.get())
    DataSource.objects.filter(pk=source.pk).update(settings=settings)
    assert credentials.read(DataSource.objects.get()) == {"password": "basilisk"}


def test_an_earlier_release_reads_what_is_stored_now(add: Callable[..., DataSource]) -> None:
    """While it still answers beside the new one: it finds each secret under its name."""
    source = add("webdav", KINDS["webdav"][0], password="griffin")
    held = json.loads(Fernet(configured.SOURCE_SECRET_KEYS[0]).decrypt(source.secrets.encode()))
    assert held["password"] == "griffin"


def test_what_cannot_be_bound_is_left_as_it_is(add: Callable[..., DataSource], settings: Settings) -> None:
    """Without its key, or with settings that are wrong by now; the others are bound all the same."""
    source = add("webdav", KINDS["webdav"][0], password="griffin")
    as_before(source, {"password": "basilisk"})
    before, keys = source.secrets, settings.SOURCE_SECRET_KEYS
    DataSource.objects.update(settings={"address": "ftp://example.com/"})
    for wrong in (keys, [Fernet.generate_key().decode()], []):
        settings.SOURCE_SECRET_KEYS = wrong
        credentials.bind_all()
        assert DataSource.objects.get().secrets == before
        with pytest.raises(SourceError):
            credentials.read(DataSource.objects.get())
