"""Data sources in the admin: set up by kind, asked, decided about, ended; and no credential is ever shown."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from cryptography.fernet import Fernet, MultiFernet
from django.conf import settings as configured
from django.contrib.auth.models import Permission
from django.test import Client
from procrastinate.contrib.django.models import ProcrastinateJob
from pytest_django.fixtures import Settings

from core.library.ingestion.languages import ENGLISH
from core.library.sync import credentials
from core.library.sync.runs import decide, start, start_due
from core.library.sync.slices import work
from core.models import (
    AuditEvent,
    ChangeLimit,
    Collection,
    DataSource,
    Document,
    EmbeddingModel,
    IntranetHost,
    SourceGroup,
    SyncItem,
    SyncRun,
    User,
)
from core.testing import Cast
from core.values.change_checks import ChangeKind
from tests.integration.sync.working import work_to_the_end

pytestmark = pytest.mark.usefixtures("fast")
SOURCES = "/admin/core/datasource/"
RUNS = "/admin/core/syncrun/"
NO_RUNS = {"runs-TOTAL_FORMS": "0", "runs-INITIAL_FORMS": "0"}


@pytest.fixture
def folder(tmp_path: Path, settings: Settings) -> Path:
    """A folder of the worker's machine that may be read, with a page."""
    settings.SOURCE_FOLDERS = [str(tmp_path)]
    (tmp_path / "tides.md").write_text("# Tides\n\nThe tide is high at noon.")
    return tmp_path


def filled(collection: Collection, **changes: object) -> dict[str, object]:
    """Build an administrator's entries besides those of the kind."""
    given = {
        "name": "Handbook",
        "collection": str(collection.pk),
        "readers_hours": "72",
        "schedule": "every day at 03:00",
        "save_untested": "on",
        "is_enabled": "on",
        "requests_per_minute": "0",
        "most_withdrawn_percent": "10",
        "erase_days": "30",
    }
    return given | changes


@pytest.fixture
def shelf(cast: Cast) -> Collection:
    """An empty collection."""
    return Collection.objects.create(name="Shelf")


def begin(root: Client) -> SyncRun:
    """Begin the first run of the source there is, as its page offers it."""
    root.post(f"{SOURCES}{DataSource.objects.get().pk}/ask/")
    return SyncRun.objects.get()


def test_a_source_is_set_up_by_its_kind_and_begun_by_somebody(
    root: Client, shelf: Collection, folder: Path, cast: Cast
) -> None:
    """First the kinds are offered; what comes in is read by the chosen role, and nothing before it is begun."""
    assert "?kind=folder" in root.get(f"{SOURCES}add/").content.decode()
    assert "Add source" in root.get(SOURCES).content.decode()
    given = filled(shelf, setting_path=str(folder), roles=[str(cast.staff.pk)])
    response = root.post(f"{SOURCES}add/?kind=folder", given)
    source = DataSource.objects.get()
    assert response["Location"] == f"{SOURCES}{source.pk}/change/"
    assert (source.kind, source.settings["path"], source.schedule) == ("folder", str(folder), "0 3 * * *")
    start_due()
    assert not SyncRun.objects.exists()
    page = root.get(response["Location"]).content.decode()
    assert "Begin the first run" in page
    assert "every day at 03:00" in page
    run = begin(root)
    assert [job.args for job in ProcrastinateJob.objects.filter(task_name="core.library.sync")] == [
        {"run": str(run.pk)}
    ]
    work_to_the_end(run)
    assert set(Document.objects.get(source="tides.md").roles.all()) == {cast.staff}
    shown = root.get(f"{RUNS}{run.pk}/change/").content.decode()
    assert "tides.md" in shown
    assert "1 of 1 read" in shown


def test_the_page_of_a_run_counts_languages_and_names_models_that_know_them(
    root: Client, shelf: Collection, folder: Path
) -> None:
    """Those of what the run read, whatever slice read it; a run that reads nothing says nothing of them."""
    german = "# Hafen\n\nDas Boot ist im Hafen, und der Steg wird nicht mehr benutzt. Die Gebühr ist für alle gleich."
    (folder / "hafen.md").write_text(german)
    (folder / "steg.md").write_text(f"{german} Es gilt.")
    root.post(f"{SOURCES}add/?kind=folder", filled(shelf, setting_path=str(folder)))
    run = begin(root)
    page = f"{RUNS}{run.pk}/change/"
    assert "Languages of the documents" not in root.get(page).content.decode()
    work_to_the_end(run)
    run.refresh_from_db()
    assert run.languages == {"German": 2, ENGLISH: 1}
    said = f"Languages of the documents that were read: German (2), {ENGLISH} (1)."
    shown = root.get(page).content.decode()
    assert said in shown
    assert "knows only English" not in shown
    EmbeddingModel.objects.update(name="all-MiniLM-L6-v2")
    shown = root.get(page).content.decode()
    assert f"{said} The embedding model all-MiniLM-L6-v2 knows only English" in shown
    assert "BAAI/bge-m3" in shown
    EmbeddingModel.objects.update(name="hashing-test-double")
    again = start(run.source)
    work_to_the_end(again)
    again.refresh_from_db()
    assert (again.state, again.languages) == ("done", None)
    assert "Languages of the documents" not in root.get(f"{RUNS}{again.pk}/change/").content.decode()


def test_what_is_wrong_stands_at_its_field(root: Client, shelf: Collection) -> None:
    """By the kind's own words, and nothing is stored."""
    given = filled(shelf, setting_path="handbook", schedule="at night")
    form = root.post(f"{SOURCES}add/?kind=folder", given).context["adminform"].form
    assert set(form.errors) == {"setting_path", "schedule"}
    assert form.errors["setting_path"] == ["Write the full path of the folder, beginning with /."]
    assert not DataSource.objects.exists()
    given |= {"setting_path": ""}
    form = root.post(f"{SOURCES}add/?kind=folder", given).context["adminform"].form
    assert form.errors["setting_path"] == ["This field is required."]
    assert root.post(f"{SOURCES}test/?kind=folder", given).content.decode().count("required") == 1


def test_a_source_that_cannot_be_read_is_not_saved(root: Client, shelf: Collection, folder: Path) -> None:
    """The page says why; with the test left out it is saved all the same, and what works is saved at once."""
    wrong = {**filled(shelf, setting_path=f"{folder}/elsewhere"), "save_untested": ""}
    form = root.post(f"{SOURCES}add/?kind=folder", wrong).context["adminform"].form
    [error] = form.non_field_errors()
    assert error.startswith("The source was tried and cannot be read. ")
    assert "not in one of the folders that this installation allows" in error
    assert not DataSource.objects.exists()
    assert root.post(f"{SOURCES}add/?kind=folder", wrong | {"save_untested": "on"}).status_code == 302
    right = {**filled(shelf, setting_path=str(folder), name="Tides"), "save_untested": ""}
    assert root.post(f"{SOURCES}add/?kind=folder", right).status_code == 302
    assert set(DataSource.objects.values_list("name", flat=True)) == {"Handbook", "Tides"}
    assert not SyncRun.objects.exists()


def test_the_test_shows_what_would_come_and_for_whom(root: Client, shelf: Collection, folder: Path, cast: Cast) -> None:
    """By the form as it is, before anything is stored; a wrong form says what is wrong."""
    shelf.default_roles.add(cast.staff)
    (folder / "picture.xyz").write_text("no kind that is read")
    given = filled(shelf, setting_path=str(folder), roles=[str(cast.owners.pk)])
    shown = root.post(f"{SOURCES}test/?kind=folder", given).content.decode()
    for words in ("tides.md", "<b>owners</b>: 1 person", "<b>staff</b>: 2 people", "Together 2 people", "Shelf"):
        assert words in shown
    assert "every day at 03:00" in shown
    assert "The tide is high" not in shown
    shown = root.post(f"{SOURCES}test/?kind=folder", given | {"setting_path": "tides"}).content.decode()
    assert "Write the full path of the folder, beginning with /." in shown
    assert not DataSource.objects.exists()
    root.post(f"{SOURCES}add/?kind=folder", given)
    shown = root.post(f"{SOURCES}{DataSource.objects.get().pk}/test/?first").content.decode()
    assert "tides.md" in shown
    assert "<b>owners</b>: 1 person" in shown
    (folder / ".footnote-readers.txt").write_text("*: crew\n")
    shown = root.post(f"{SOURCES}test/?kind=folder", given | {"takes_readers": "on"}).content.decode()
    assert "which role here each group of the source stands for" in shown
    assert "crew" in shown
    assert "<b>owners</b>" not in shown


def test_a_test_needs_the_rights_of_who_sets_sources_up(
    staff: Callable[..., Client], shelf: Collection, folder: Path
) -> None:
    """A source is tried by those alone who may save it, and never by an address that is merely opened."""
    given = filled(shelf, setting_path=str(folder))
    desk = staff("core.view_datasource", "core.add_datasource", "core.change_datasource")
    assert desk.post(f"{SOURCES}test/?kind=folder", given).status_code == 403
    source = DataSource.objects.create(name="Tides", kind="folder", collection=shelf, settings={"path": str(folder)})
    assert desk.post(f"{SOURCES}{source.pk}/test/?first").status_code == 403
    assert desk.get(f"{SOURCES}{source.pk}/test/?first").status_code == 405


def test_credentials_are_encrypted_and_never_shown(root: Client, shelf: Collection, settings: Settings) -> None:
    """A field left empty later keeps its value; no page and no audit row has the credentials."""
    bucket = {"setting_bucket": "handbooks", "setting_region": "eu-central-1", "setting_access_key": "AKIDBASILISK"}
    given = filled(shelf, **bucket, secret_secret_key="griffin-paste-0815")
    root.post(f"{SOURCES}add/?kind=s3", given)
    assert not DataSource.objects.exists()  # without a key to encrypt them by
    settings.SOURCE_SECRET_KEYS = [Fernet.generate_key().decode()]
    root.post(f"{SOURCES}add/?kind=s3", given)
    source = DataSource.objects.get()
    assert credentials.read(source) == {"secret_key": "griffin-paste-0815"}
    page = f"{SOURCES}{source.pk}/change/"
    assert root.post(page, filled(shelf, **bucket | NO_RUNS | {"setting_bucket": "others"})).status_code == 302
    source.refresh_from_db()
    assert source.settings["bucket"] == "others"
    assert credentials.read(source)["secret_key"] == "griffin-paste-0815"
    for address in (page, SOURCES, f"{SOURCES}{source.pk}/history/", "/admin/core/auditevent/"):
        shown = root.get(address).content.decode()
        assert "griffin-paste" not in shown
        assert source.secrets not in shown


WEBDAV = {"setting_address": "https://cloud.example.com/dav", "setting_user": "footnote"}
ELSEWHERE = {"setting_address": "https://cloud.example.org/dav", "setting_user": "footnote"}


@pytest.fixture
def share(root: Client, shelf: Collection, settings: Settings) -> DataSource:
    """A source with a password, as an administrator added it."""
    settings.SOURCE_SECRET_KEYS = [Fernet.generate_key().decode()]
    root.post(f"{SOURCES}add/?kind=webdav", filled(shelf, **WEBDAV, secret_password="griffin-paste"))
    assert audited() == ("create", "entered", False)
    return DataSource.objects.get()


def audited() -> tuple[str, str, bool]:
    """Return what the latest audit row of a source says of its credentials."""
    row = AuditEvent.objects.filter(object_type="datasource").latest("created_at")
    assert "remove_credentials" not in row.details.get("fields", ())
    return row.action, row.details["credentials"], row.details["destination_changed"]


def change(root: Client, source: DataSource, **given: object) -> list[str]:
    """Save the page of a source; what is wrong with the password, if anything is."""
    response = root.post(f"{SOURCES}{source.pk}/change/", filled(source.collection, **NO_RUNS, **given))
    source.refresh_from_db()
    if response.status_code == 302:
        return []
    errors = response.context["adminform"].form.errors
    assert set(errors) == {"secret_password"}
    return list(errors["secret_password"])


def test_another_server_asks_for_the_password_anew(root: Client, share: DataSource) -> None:
    """Without it nothing is saved; with it the old one is gone, and the audit trail says so."""
    [error] = change(root, share, **ELSEWHERE)
    assert "entered for another server and are not sent to this one. Enter them again." in error
    assert "Changed since: Address of the folder." in error
    assert share.settings["address"] == WEBDAV["setting_address"]
    assert credentials.read(share) == {"password": "griffin-paste"}
    assert audited() == ("create", "entered", False)
    assert change(root, share, **ELSEWHERE, secret_password="basilisk") == []
    assert share.settings["address"] == ELSEWHERE["setting_address"]
    assert credentials.read(share) == {"password": "basilisk"}
    assert audited() == ("change", "replaced", True)


def test_the_same_server_keeps_the_password(root: Client, share: DataSource) -> None:
    """Another folder of it, or no change at all; a new password is a new one."""
    for address in ("https://cloud.example.com/dav/Handbook", "https://CLOUD.example.com:443/dav"):
        assert change(root, share, **WEBDAV | {"setting_address": address}) == []
        assert credentials.read(share) == {"password": "griffin-paste"}
        assert audited() == ("change", "unchanged", False)
    assert change(root, share, **WEBDAV, secret_password="basilisk") == []
    assert credentials.read(share) == {"password": "basilisk"}
    assert audited() == ("change", "replaced", False)


def test_a_password_is_removed(root: Client, share: DataSource) -> None:
    """Also on the way to another server, which needs none; the page then offers nothing to remove."""
    page = f"{SOURCES}{share.pk}/change/"
    assert "remove_credentials" in root.get(page).content.decode()
    assert change(root, share, **ELSEWHERE, remove_credentials="on") == []
    assert (share.secrets, credentials.read(share)) == ("", {})
    assert audited() == ("change", "removed", True)
    assert "remove_credentials" not in root.get(page).content.decode()
    assert change(root, share, **WEBDAV) == []
    assert audited() == ("change", "none", True)


def test_no_other_secret_is_taken_along_to_another_server(root: Client, shelf: Collection, settings: Settings) -> None:
    """Of several, those that are not entered again are gone; on the same server they stay."""
    settings.SOURCE_SECRET_KEYS = [Fernet.generate_key().decode()]
    given = {
        "setting_host": "files.example.com",
        "setting_port": "22",
        "setting_host_key": f"SHA256:{'A' * 43}",
        "setting_user": "footnote",
        "setting_path": ".",
    }
    root.post(f"{SOURCES}add/?kind=sftp", filled(shelf, **given, secret_private_key="a key", secret_password="one"))
    source = DataSource.objects.get()
    assert change(root, source, **given, secret_password="two") == []
    assert credentials.read(source) == {"private_key": "a key", "password": "two"}
    for moved in ({"setting_host": "files.example.org"}, {"setting_host_key": f"SHA256:{'B' * 43}"}):
        assert change(root, source, **given | moved) != []
    assert change(root, source, **given | {"setting_port": "2222"}, secret_password="three") == []
    assert credentials.read(source) == {"password": "three"}


def test_settings_that_other_code_changed_do_not_move_the_password(root: Client, share: DataSource) -> None:
    """The page asks for it although nothing changed on it; changed back, the password is good again."""
    moved = share.settings | {"address": ELSEWHERE["setting_address"]}
    DataSource.objects.update(settings=moved)
    assert change(root, share, **ELSEWHERE) != []
    assert change(root, share, **WEBDAV) == []
    assert credentials.read(share) == {"password": "griffin-paste"}
    assert audited() == ("change", "unchanged", True)


def test_a_password_that_no_key_decrypts_is_entered_again(root: Client, share: DataSource, settings: Settings) -> None:
    """Until then it stays as it is, in case its key is put back, and does not go to another server then."""
    before, keys = share.secrets, settings.SOURCE_SECRET_KEYS
    for lost in ([], [Fernet.generate_key().decode()]):
        settings.SOURCE_SECRET_KEYS = lost
        assert change(root, share, **WEBDAV | {"name": "Renamed"}) == []
        assert (share.name, share.secrets, audited()) == ("Renamed", before, ("change", "unchanged", False))
        assert change(root, share, **ELSEWHERE) != []
    settings.SOURCE_SECRET_KEYS = [*settings.SOURCE_SECRET_KEYS, *keys]
    assert credentials.read(share) == {"password": "griffin-paste"}
    settings.SOURCE_SECRET_KEYS = settings.SOURCE_SECRET_KEYS[:1]
    assert change(root, share, **ELSEWHERE, secret_password="basilisk") == []
    assert credentials.read(share) == {"password": "basilisk"}


def test_settings_that_are_wrong_by_now_do_not_move_the_password(root: Client, share: DataSource) -> None:
    """Of which an earlier release did not store for which server it was entered."""
    cipher = MultiFernet([Fernet(key) for key in configured.SOURCE_SECRET_KEYS])
    stored = cipher.encrypt(b'{"password": "griffin-paste"}').decode()
    DataSource.objects.update(secrets=stored, settings={"address": "ftp://cloud.example.com/dav"})
    assert change(root, share, **ELSEWHERE) != []
    assert DataSource.objects.get().secrets == stored
    assert change(root, share, **ELSEWHERE, secret_password="basilisk") == []
    assert credentials.read(share) == {"password": "basilisk"}


def test_a_mapping_is_applied_soon(root: Client, shelf: Collection, folder: Path, cast: Cast) -> None:
    """The groups that the source named wait for their roles on its page."""
    (folder / ".footnote-readers.txt").write_text("*: crew\n")
    root.post(f"{SOURCES}add/?kind=folder", filled(shelf, setting_path=str(folder), takes_readers="on"))
    run = begin(root)
    work_to_the_end(run)
    document = Document.objects.get(source="tides.md")
    assert not document.roles.exists()
    group = SourceGroup.objects.get(name="crew")
    inline = {
        **NO_RUNS,
        "groups-TOTAL_FORMS": "1",
        "groups-INITIAL_FORMS": "1",
        "groups-0-id": str(group.pk),
        "groups-0-source": str(run.source_id),
        "groups-0-role": str(cast.staff.pk),
    }
    page = f"{SOURCES}{run.source_id}/change/"
    for shown in (page, f"{RUNS}{run.pk}/change/"):
        said = root.get(shown).content.decode()
        assert "Nobody reads the documents of this source yet" in said
        assert f'href="{page}#groups"' in said
    assert len(re.findall(r">\s*crew\s*<", root.get(page).content.decode())) == 1
    assert root.post(page, filled(shelf, setting_path=str(folder), **inline)).status_code == 302
    [job] = ProcrastinateJob.objects.filter(task_name="core.sync_readers")
    assert job.args == {"source": str(run.source_id)}
    assert "stand for a role here" not in root.get(page).content.decode()
    SourceGroup.objects.create(source=run.source, name="pilots")
    assert "1 of 2 groups at the source stand for no role here" in root.get(page).content.decode()


def test_a_run_that_asks_is_decided_on_its_page(root: Client, shelf: Collection, folder: Path) -> None:
    """The page says how much is gone; nothing goes before somebody says so."""
    root.post(f"{SOURCES}add/?kind=folder", filled(shelf, setting_path=str(folder)))
    source = DataSource.objects.get()
    work_to_the_end(begin(root))
    (folder / "tides.md").rename(folder / "ebbs.md")
    run_page = root.post(f"{SOURCES}{source.pk}/ask/")["Location"]
    assert "is being asked already" in root.post(f"{SOURCES}{source.pk}/ask/", follow=True).content.decode()
    run = source.runs.latest("created_at")
    work_to_the_end(run)
    said = root.get(run_page).content.decode()
    assert "1 of 1 documents are gone" in said
    page = f"/admin/core/document/{Document.objects.get().pk}/change/"
    assert f'<a class="text-link" href="{page}">tides.md</a>' in said
    assert "1 to read, none read yet" in said
    assert "1 of 1 read" not in said
    front = root.get("/admin/").content.decode()
    assert "A run of the data source Handbook waits for a decision" in front
    assert run_page in front
    assert Document.objects.get().withdrawn_at is None
    root.post(f"{RUNS}{run.pk}/decide/", {"withdraw": "yes"})
    work_to_the_end(run)
    assert set(Document.objects.filter(withdrawn_at=None).values_list("source", flat=True)) == {"ebbs.md"}


def test_what_is_gone_is_named_to_who_may_see_it(
    root: Client, staff: Callable[..., Client], shelf: Collection, folder: Path
) -> None:
    """The first twenty, and how many more; links are for who may look at documents, the front page for who decides."""
    for number in range(22):
        (folder / f"page{number:02}.md").write_text(f"# Page {number}\n\nIt says {number}.")
    root.post(f"{SOURCES}add/?kind=folder", filled(shelf, setting_path=str(folder)))
    work_to_the_end(begin(root))
    for page in folder.glob("page*.md"):
        page.unlink()
    run = start(DataSource.objects.get())
    work_to_the_end(run)
    address = f"{RUNS}{run.pk}/change/"
    desk = staff("core.view_syncrun", "core.view_syncchange")
    said = desk.get(address).content.decode()
    assert [name for name in ("page00.md", "page19.md", "page20.md") if name in said] == ["page00.md", "page19.md"]
    assert "and 2 more" in said
    assert "/admin/core/document/" not in said.partition("Gone at the source")[2]
    may = Permission.objects.filter(codename__in=["view_syncrun", "view_document"])
    User.objects.get(email="desk@example.com").user_permissions.set(may)
    assert "22 of 23 documents are gone" in desk.get(address).content.decode()
    assert "page00.md" not in desk.get(address).content.decode()
    assert "waits for a decision" not in desk.get("/admin/").content.decode()
    run.refresh_from_db()
    decide(run, withdraw=False, by=None)
    assert "waits for a decision" not in root.get("/admin/").content.decode()


def test_what_fails_is_named_until_it_is_over(root: Client, shelf: Collection, folder: Path) -> None:
    """By later runs, which do not count it as unchanged, and in the list of sources, with a way to the reason."""
    (folder / "empty.txt").write_text("")
    root.post(f"{SOURCES}add/?kind=folder", filled(shelf, setting_path=str(folder)))
    source = DataSource.objects.get()
    work_to_the_end(begin(root))
    run = start(source)
    work_to_the_end(run)
    said = root.get(f"{RUNS}{run.pk}/change/").content.decode()
    assert "partly failed" in said
    assert "Failed before, and not tried again yet" in said
    assert "<b>1</b> failed" in said
    assert "<b>1</b> unchanged" in said
    listed = root.get(SOURCES).content.decode()
    way = re.search(r'href="([^"]*)">1</a>', listed)
    assert way is not None
    items = root.get(way[1].replace("&amp;", "&"))
    assert [item.name for item in items.context["cl"].result_list] == ["empty.txt"]


def test_a_run_is_stopped_on_its_page(root: Client, shelf: Collection, folder: Path) -> None:
    """While it goes on the panel fetches itself; afterwards the page is loaded afresh."""
    root.post(f"{SOURCES}add/?kind=folder", filled(shelf, setting_path=str(folder)))
    run = begin(root)
    work(run.pk, seconds=0)
    assert "HX-Refresh" not in root.get(f"{RUNS}{run.pk}/progress/").headers
    root.post(f"{RUNS}{run.pk}/decide/")
    assert root.get(f"{RUNS}{run.pk}/progress/")["HX-Refresh"] == "true"
    assert SyncRun.objects.get().state == "stopped"


def test_a_run_that_is_checked_first_says_so_and_can_be_stopped(root: Client, shelf: Collection, folder: Path) -> None:
    ChangeLimit.objects.create(kind=ChangeKind.EDITIONS, is_on=True, from_documents=1)
    root.post(f"{SOURCES}add/?kind=folder", filled(shelf, setting_path=str(folder)))
    run = begin(root)
    work_to_the_end(run)
    said = root.get(f"{RUNS}{run.pk}/change/").content.decode()
    assert "checked before it is live" in said
    assert "1 to read, none read yet" in said
    assert "waits for a yes" in said
    assert "checked before it is live" in root.get(RUNS).content.decode()
    root.post(f"{RUNS}{run.pk}/decide/")
    assert SyncRun.objects.get().state == "stopped"


def test_a_source_is_ended_and_then_deleted(root: Client, shelf: Collection, folder: Path) -> None:
    """Only after it was said that this is meant; deleted only when nothing of it is left."""
    root.post(f"{SOURCES}add/?kind=folder", filled(shelf, setting_path=str(folder)))
    source = DataSource.objects.get()
    work_to_the_end(begin(root))
    chosen = {"action": "delete_selected", "_selected_action": [str(source.pk)], "post": "yes"}
    for refused in (root.post(f"{SOURCES}{source.pk}/delete/", {"post": "yes"}), root.post(SOURCES, chosen)):
        said = refused.content.decode()
        assert "Handbook: 1 document" in said
        assert "What you can do instead" in said
        assert f"{SOURCES}{source.pk}/end/" in said
        assert "in the night after 30 days" in said
    assert DataSource.objects.exists()
    assert "Nobody will read" in root.get(f"{SOURCES}{source.pk}/end/").content.decode()
    root.post(f"{SOURCES}{source.pk}/end/")
    assert Document.objects.get().withdrawn_at is not None
    Document.objects.all().delete()
    assert root.post(f"{SOURCES}{source.pk}/delete/", {"post": "yes"}).status_code == 302
    assert not SyncItem.objects.exists()


def test_who_does_not_decide_who_reads_sets_nothing_up(
    staff: Callable[..., Client], shelf: Collection, folder: Path
) -> None:
    """Though they have the rights to the pages."""
    desk = staff("core.add_datasource", "core.change_datasource", "core.view_syncrun")
    assert desk.post(f"{SOURCES}add/?kind=folder", filled(shelf, setting_path=str(folder))).status_code == 403
    source = DataSource.objects.create(name="S", kind="folder", collection=shelf)
    run = SyncRun.objects.create(source=source, state="asking")
    for address in (f"{SOURCES}{source.pk}/ask/", f"{SOURCES}{source.pk}/end/", f"{RUNS}{run.pk}/decide/"):
        assert desk.post(address, {"withdraw": "yes"}).status_code == 403
    run.refresh_from_db()
    assert run.state == "asking"


@pytest.mark.parametrize(
    ("entered", "kept"),
    [
        ("Wiki.Example.Internal.", "wiki.example.internal"),
        ("bücher.internal", "xn--bcher-kva.internal"),
        ("10.0.0.7", "10.0.0.7"),
        ("https://wiki.internal/", None),
        ("wiki.internal/private", None),
        ("wiki.internal:8080", None),
        ("staff@wiki.internal", None),
    ],
)
def test_a_host_inside_is_named_alone(root: Client, entered: str, kept: str | None) -> None:
    """In the form in which the hosts of addresses are compared with it."""
    root.post("/admin/core/intranethost/add/", {"name": entered, "note": ""})
    assert [host.name for host in IntranetHost.objects.all()] == ([kept] if kept else [])
