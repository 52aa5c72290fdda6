"""From a real server of each kind to what people read: taken in twice, changed, withdrawn, read by others."""

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest
from cryptography.fernet import Fernet
from pytest_django.fixtures import Settings

from core.library.sync import credentials
from core.library.sync.runs import start
from core.models import Collection, DataSource, IntranetHost, SourceGroup, SyncRun
from core.testing import Cast
from tests.integration.sync.servers.served import Served
from tests.integration.sync.test_file_kinds import KINDS, SERVERS
from tests.integration.sync.test_runs import outcomes, readable
from tests.integration.sync.working import work_to_the_end

pytestmark = pytest.mark.usefixtures("fast")
RULES = ".footnote-readers.txt"


@pytest.fixture(params=KINDS)
def served(request: pytest.FixtureRequest, tmp_path: Path, settings: Settings) -> Iterator[Served]:
    """An empty source of each kind, on a host inside that may be asked."""
    settings.SOURCE_SECRET_KEYS = [Fernet.generate_key().decode()]
    with import_module(f"tests.integration.sync.servers.{request.param}").serve(tmp_path) as found:
        settings.SOURCE_FOLDERS = [str(folder) for folder in found.folders]
        yield found


@pytest.fixture
def source(served: Served, cast: Cast) -> DataSource:
    """The data source, whose readers come from it; its group "crew" is the staff."""
    IntranetHost.objects.create(name="127.0.0.1")
    source = DataSource(
        name="Handbook",
        kind=served.kind,
        settings=served.settings,
        collection=Collection.objects.create(name="Handbook"),
        takes_readers=True,
        requests_per_minute=0,
        most_withdrawn_percent=60,
    )
    credentials.keep(source, served.secrets)
    source.save()
    SourceGroup.objects.create(source=source, name="crew", role=cast.staff)
    return source


def ask(source: DataSource) -> SyncRun:
    """Ask it now."""
    run = start(source)
    work_to_the_end(run)
    run.refresh_from_db()
    return run


def test_the_library_is_kept_in_step(served: Served, source: DataSource, cast: Cast) -> None:
    """The rules are in the source itself."""
    served.put(RULES, b"*: crew\nboard/: board\n")
    served.put("leave.md", b"# Leave\n\nLeave is asked for in June.")
    served.put("board/plan.md", b"# Plan\n\nThe pier is sold in May.")
    run = ask(source)
    assert (run.state, run.error) == ("done", "")
    assert outcomes(run) == {("leave.md", "added"), ("board/plan.md", "added")}
    assert readable(cast, cast.bob) == {"leave.md"}
    assert (outcomes(ask(source)), source.runs.latest("created_at").to_load) == (set(), 0)
    served.put("leave.md", b"# Leave\n\nLeave is asked for in March.")
    served.put(RULES, b"*: crew\n")
    assert outcomes(ask(source)) == {("leave.md", "changed"), ("board/plan.md", "readers")}
    assert readable(cast, cast.bob) == {"leave.md", "board/plan.md"}
    served.remove("leave.md")
    assert outcomes(ask(source)) == {("leave.md", "gone")}
    assert readable(cast, cast.bob) == {"board/plan.md"}


@pytest.mark.parametrize("served", SERVERS, indirect=True)
def test_a_host_that_nobody_named_is_not_asked(served: Served, source: DataSource) -> None:
    """The run says so; nothing came in."""
    IntranetHost.objects.all().delete()
    run = ask(source)
    assert run.state == "failed"
    assert "not on the public Internet" in run.error
    assert run.listed == 0
