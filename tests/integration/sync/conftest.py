"""A data source of the scripted kind, and servers for the others."""

from collections.abc import Callable, Iterator
from contextlib import nullcontext

import pytest

from core.library.ingestion.jobs import sandbox_from_settings
from core.library.sync import connecting, ingesting, kinds
from core.library.sync.runs import start
from core.library.sync.services.entra import CLOUDS
from core.models import Collection, DataSource, SyncRun
from tests.integration.sync import scripted
from tests.integration.sync.scripted import Shelf
from tests.integration.sync.served import MARKUP, Server, served
from tests.integration.sync.servers.graph import Tenant
from tests.integration.sync.servers.jira import Tracker
from tests.integration.sync.working import work_to_the_end

Asking = Callable[..., SyncRun]


@pytest.fixture(scope="module", autouse=True)
def _one_sandbox() -> Iterator[None]:
    """One for all runs: a new one for each would take most of the time."""
    with pytest.MonkeyPatch.context() as patch, sandbox_from_settings() as shared:
        patch.setattr(ingesting, "sandbox_from_settings", lambda: nullcontext(shared))
        patch.setattr(connecting, "markup_from_settings", lambda: MARKUP)
        yield


@pytest.fixture
def shelf(monkeypatch: pytest.MonkeyPatch) -> Shelf:
    """Create a source that holds nothing yet."""
    fresh = Shelf()
    monkeypatch.setattr(scripted, "SHELF", fresh)
    monkeypatch.setitem(kinds.MODULES, "scripted", scripted.__name__)
    return fresh


@pytest.fixture
def source(fast: None, shelf: Shelf) -> DataSource:
    """The data source, whose documents go into a collection of their own."""
    return DataSource.objects.create(
        name="Handbook", kind="scripted", collection=Collection.objects.create(name="Handbook"), requests_per_minute=0
    )


@pytest.fixture
def ask_source(source: DataSource) -> Asking:
    """Asks the source now, and gives the run as it ended."""

    def ask(*, lists: bool = True) -> SyncRun:
        run = start(source, lists=lists)
        work_to_the_end(run)
        run.refresh_from_db()
        return run

    return ask


@pytest.fixture
def server() -> Iterator[Server]:
    """A server that knows no page yet."""
    with served() as running:
        yield running


@pytest.fixture
def elsewhere() -> Iterator[Server]:
    """Another one: another port is another host."""
    with served() as running:
        yield running


@pytest.fixture
def tenant(server: Server, elsewhere: Server, monkeypatch: pytest.MonkeyPatch) -> Tenant:
    """A tenant of Microsoft 365 in place of Microsoft's cloud; its files are downloaded from another host."""
    found = Tenant(server, elsewhere)
    monkeypatch.setitem(CLOUDS, "global", found.cloud)
    return found


@pytest.fixture(params=["cloud", "data center"])
def tracker(request: pytest.FixtureRequest, server: Server) -> Tracker:
    """A Jira of each edition."""
    return Tracker(server, is_cloud=request.param == "cloud")


@pytest.fixture
def cloud(server: Server) -> Tracker:
    """A Jira in the cloud."""
    return Tracker(server, is_cloud=True)


@pytest.fixture
def home(server: Server) -> Tracker:
    """A Jira Data Center."""
    return Tracker(server, is_cloud=False)
