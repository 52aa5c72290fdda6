"""Check before there is a change whether a repository takes one: with the right, a wrong, and a reading token."""

import logging
import os
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from cryptography.fernet import Fernet
from pytest_django.fixtures import Settings

from core.errors import SourceError, SourceRefusedError
from core.library.sync import credentials
from core.library.sync.endings import ListingEndedError
from core.library.sync.kinds import kind_of
from core.library.sync.probing import ChangesRefusedError, NoAnswerInTimeError, probe
from core.models import Collection, DataSource, IntranetHost
from tests.integration.sync.proposed import GIT_WAYS, REQUEST_WAYS, WAYS, Place, change_of, open_place
from tests.integration.sync.served import Answer, Server, access
from tests.integration.sync.servers.merge_requests import TOKEN, Api

NOBODY = 65534
PLAIN = {"Content-Type": "text/plain"}

every_way = pytest.mark.parametrize("place", WAYS, indirect=True)
with_requests = pytest.mark.parametrize("place", REQUEST_WAYS, indirect=True)
over_http = pytest.mark.parametrize("place", GIT_WAYS, indirect=True)


@pytest.fixture
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    """A place of the parametrized way."""
    with open_place(request.param, tmp_path) as opened:
        yield opened


def api_of(place: Place) -> Api:
    """Return the scripted API, where there is one."""
    assert place.api is not None
    return place.api


@every_way
def test_a_check_writes_nothing(place: Place) -> None:
    """It returns where a change could be proposed, and leaves the repository as it is."""
    place.put("a.md", b"old\n")
    before = {path: path.stat().st_mtime_ns for path in place.bare.rglob("*")}
    place.connect().check()
    assert {path: path.stat().st_mtime_ns for path in place.bare.rglob("*")} == before
    if place.api:
        assert place.api.asked == ["GET "]
    place.connect().propose(change_of("b.md", "", "new\n"))
    place.connect().check()  # also with a branch


@pytest.mark.parametrize("token", ["may-read", "wrong-letters"])
@over_http
def test_a_check_finds_a_token_that_may_not_write(place: Place, token: str, caplog: pytest.LogCaptureFixture) -> None:
    """By what Git's server says of pushing, and without the token in any word."""
    if place.api:
        place.api.takes_all = True
    with caplog.at_level(logging.DEBUG), pytest.raises(SourceRefusedError, match="token for proposed changes") as error:
        place.connect(token=token).check()
    said = error.value.message + caplog.text
    assert token not in said
    assert b64encode(f"footnote:{token}".encode()).decode() not in said
    assert ("Renew it" in said) == (token == "wrong-letters")
    assert ("Give it that right" in said) == (token == "may-read")


@with_requests
def test_a_check_finds_what_the_api_refuses(place: Place) -> None:
    """A token that it does not know, an account that only reads, a repository that it does not show or has archived."""
    api = api_of(place)
    api.about = api.describe_rights(may_write=False)
    with pytest.raises(SourceRefusedError, match=r"does not let the token .* write\. It needs .*write"):
        place.connect().check()
    api.about = api.describe_rights(may_write=True) | {"archived": True}
    with pytest.raises(SourceRefusedError, match="repository is archived"):
        place.connect().check()
    api.refuses["GET "] = 404
    with pytest.raises(SourceRefusedError, match="does not show the token for proposed changes the repository"):
        place.connect().check()
    api.shown = "another"
    with pytest.raises(SourceRefusedError, match="does not accept the token for proposed changes"):
        place.connect().check()


@pytest.mark.parametrize("place", ["gitea", "github"], indirect=True)
def test_a_check_refuses_where_nothing_is_said_of_permissions(place: Place) -> None:
    """As to who is not signed in."""
    api_of(place).about = {}
    with pytest.raises(SourceRefusedError, match="does not let the token"):
        place.connect().check()


@pytest.mark.parametrize(
    ("project", "group", "may"),
    [(30, None, True), (None, 40, True), (20, 50, True), (20, None, False), (None, 10, False), (None, None, True)],
)
@pytest.mark.parametrize("place", ["gitlab"], indirect=True)
def test_a_check_reads_the_levels_of_gitlab(place: Place, *, project: int | None, group: int | None, may: bool) -> None:
    """The higher one counts. Members of invited groups have none, and Git's server has let them push."""
    levels = {"project_access": project, "group_access": group}
    api_of(place).about = {"permissions": {whose: level and {"access_level": level} for whose, level in levels.items()}}
    if may:
        place.connect().check()
        return
    with pytest.raises(SourceRefusedError, match="the role Developer"):
        place.connect().check()


@pytest.mark.parametrize("place", ["branch"], indirect=True)
def test_a_check_finds_a_server_that_takes_no_pushes(place: Place) -> None:
    """Whatever the token."""
    place.git("config", "http.receivepack", "false")
    with pytest.raises(SourceRefusedError, match="does not let the token for proposed changes write"):
        place.connect().check()


def test_a_check_finds_a_server_of_plain_files(server: Server) -> None:
    """It answers whoever means to push as it answers all others."""
    server.answers["/handbook.git/info/refs"] = Answer(body=f"{'1' * 40}\trefs/heads/main\n", headers=PLAIN)
    settings = {"address": f"{server.base}/handbook.git", "changes": "branch"}
    kind = kind_of("git")
    assert kind.connect_for_changes is not None
    changes = kind.connect_for_changes(kind.settings.model_validate(settings), {"change_token": "any"}, access())
    with pytest.raises(SourceRefusedError, match="does not let the token for proposed changes write"):
        changes.check()


@pytest.mark.parametrize("part", ["objects", "refs/heads", "refs/heads/footnote"])
def test_a_check_finds_a_folder_that_may_not_be_written_to(part: str) -> None:
    """By the account of this process, which is not root then."""
    with TemporaryDirectory() as folder, open_place("file", Path(folder)) as place:
        Path(folder).chmod(0o755)
        place.connect().propose(change_of("a.md", "", "new\n"))
        with _as_another_account(place.bare):
            place.connect().check()
            (place.bare / part).chmod(0o555)
            with pytest.raises(SourceRefusedError, match="Let the account of the worker write to its folder"):
                place.connect().check()
            (place.bare / part).chmod(0o755)


@contextmanager
def _as_another_account(folder: Path) -> Iterator[None]:
    """Give a folder to another account and act as it, if this one is root's, who may write anywhere."""
    if os.geteuid() != 0:
        yield
        return
    for path in [folder, *folder.rglob("*")]:
        os.chown(path, NOBODY, -1)
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.mark.parametrize("place", ["file"], indirect=True)
def test_a_check_of_a_repository_outside_the_allowed_folders_is_refused(place: Place) -> None:
    """As reading is."""
    with pytest.raises(SourceError, match="not in one of the folders"):
        place.connect(access=place.served.access(folders=(place.work,))).check()


@over_http
def test_a_check_waits_for_its_turn(place: Place) -> None:
    """And ends when it is told to, before anything is asked."""

    def end() -> None:
        raise ListingEndedError("The time is over.")

    with pytest.raises(ListingEndedError):
        place.connect(access=place.served.access(pause=end)).check()
    assert place.api is None or place.api.asked == []


def source_of(place: Place, settings: Settings, **secrets: str) -> DataSource:
    """Build a source, which is not saved, as an administrator enters it."""
    settings.SOURCE_SECRET_KEYS = [Fernet.generate_key().decode()]
    settings.SOURCE_FOLDERS = [str(folder) for folder in place.served.folders]
    IntranetHost.objects.get_or_create(name="127.0.0.1")
    source = DataSource(
        name="Handbook", kind=place.served.kind, settings=place.served.settings, collection=Collection(name="Handbook")
    )
    source.requests_per_minute = 0
    credentials.keep(source, place.served.secrets | {"change_token": TOKEN} | secrets)
    return source


@pytest.mark.django_db
@every_way
def test_the_test_of_a_source_tries_its_changes(place: Place, settings: Settings) -> None:
    """And says how they are proposed, besides the documents."""
    place.put("a.md", b"old\n")
    found = probe(source_of(place, settings))
    assert found.names == ("a.md",)
    assert found.changes == f"Changes can be proposed: {'merge request' if place.api else 'branch'}."


@pytest.mark.django_db
@pytest.mark.parametrize("token", ["may-read", "wrong-letters", ""])
@pytest.mark.parametrize("place", [*GIT_WAYS, "github"], indirect=True)
def test_the_test_of_a_source_says_that_its_changes_are_refused(place: Place, settings: Settings, token: str) -> None:
    """Though its documents can be read."""
    place.put("a.md", b"old\n")
    with pytest.raises(
        ChangesRefusedError, match=r"Changes cannot be proposed\. .*token for proposed changes"
    ) as error:
        probe(source_of(place, settings, change_token=token))
    assert not token or token not in error.value.message


@pytest.mark.django_db
@pytest.mark.parametrize("place", ["gitlab"], indirect=True)
def test_what_keeps_a_source_from_being_read_is_said_first(place: Place, settings: Settings) -> None:
    """Whatever becomes of its changes."""
    for token in (TOKEN, "wrong-letters"):
        with pytest.raises(SourceRefusedError, match="does not accept the user name and password") as error:
            probe(source_of(place, settings, password="wrong", change_token=token))
        assert not isinstance(error.value, ChangesRefusedError)


@pytest.mark.django_db
@pytest.mark.parametrize("place", ["branch", "gitlab", "github"], indirect=True)
def test_a_source_without_changes_is_asked_for_no_more(place: Place, settings: Settings) -> None:
    """Nothing is asked about writing, and no token is needed."""
    place.put("a.md", b"old\n")
    place.served.settings["changes"] = False if place.served.kind == "github" else "none"
    place.git("config", "http.receivepack", "false")
    if place.api:
        place.api.about = {}
    found = probe(source_of(place, settings, change_token=""))
    assert (found.names, found.changes) == (("a.md",), "")
    if place.served.kind == "git":
        assert place.api is None or place.api.asked == []


@pytest.mark.django_db
@pytest.mark.parametrize("place", ["gitlab"], indirect=True)
def test_changes_are_tried_within_the_time_of_the_test(place: Place, settings: Settings) -> None:
    """No request begins after it; a refusal that came in time is told although no document was named."""
    with pytest.raises(NoAnswerInTimeError):
        probe(source_of(place, settings), seconds=0)
    assert api_of(place).asked == []
    place.put("a.md", b"old\n")
    with pytest.raises(ChangesRefusedError, match="There is no token for proposed changes"):
        probe(source_of(place, settings, change_token=""), seconds=0)
