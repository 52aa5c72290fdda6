"""`manage.py ingest`."""

import contextlib
import datetime as dt
import json
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from core.library.ingestion import processes
from core.models import Collection, Document, Role
from core.testing import Cast, fetch_chunks
from tests.integration.ingestion import dying, quick

pytestmark = pytest.mark.usefixtures("fast")


def run(*arguments: object) -> tuple[dict[str, Any], int]:
    """The command's JSON and its exit code."""
    out = StringIO()
    code = 0
    try:
        call_command("ingest", *map(str, arguments), "--json", stdout=out, stderr=StringIO())
    except SystemExit as end:
        code = int(end.code or 0)
    return json.loads(out.getvalue()), code


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of documents, data, hidden files and the sections of minutes."""
    root = tmp_path / "board"
    meeting = root / "minutes" / "20240131"
    meeting.mkdir(parents=True)
    (meeting / "_titles.tsv").write_text("VOTE\tThe vote\nTALK\tThe discussion\n")
    (meeting / "20240131_TALK.txt").write_text("They talked about the roof.")
    (meeting / "20240131_VOTE.txt").write_text("They voted for the roof.")
    (root / "handbook.md").write_text("# Handbook\n\n## Roof\n\nKeep off.\n")
    (root / "list.json").write_text('[{"file": "a"}]')
    (root / "picture.gif").write_bytes(b"GIF89a")
    (root / ".hidden.md").write_text("# Hidden")
    return root


def test_a_folder_with_all_below_it(cast: Cast, folder: Path) -> None:
    """Documents go in, sections of a folder become one document, the rest is left out with a reason."""
    result, code = run(folder, "--grant", "staff", "--as", "alice@example.com")
    assert code == 0
    assert {key: result[key] for key in ("files", "documents", "chunks", "replaced", "unchanged", "failed")} == {
        "files": 2,
        "documents": 2,
        "chunks": 3,
        "replaced": 0,
        "unchanged": 0,
        "failed": [],
    }
    assert {(Path(item["name"]).name, item["reason"]) for item in result["left_out"]} == {
        ("list.json", "JSON without a document in it"),
        ("picture.gif", "a file of type .gif, not a document"),
    }
    minutes = Document.objects.get(document_type="minutes")
    assert (minutes.title, str(minutes.document_date)) == ("Board minutes 2024-01-31", "2024-01-31")
    assert [(chunk.section_title, chunk.content) for chunk in fetch_chunks(minutes)] == [
        ("The vote", "They voted for the roof."),
        ("The discussion", "They talked about the roof."),
    ]
    assert all(set(document.roles.all()) == {cast.staff} for document in Document.objects.all())
    assert set(Collection.objects.values_list("name", flat=True)) == {"board"}


def test_again_changes_what_changed(folder: Path) -> None:
    """Unchanged files stay, a changed one is replaced, nothing is doubled, and a file by itself is the same source."""
    run(folder)
    (folder / "handbook.md").write_text("# Handbook\n\n## Roof\n\nWear a helmet.\n")
    result, _ = run(folder)
    assert (result["documents"], result["replaced"], result["unchanged"], result["chunks"]) == (2, 1, 1, 1)
    result, _ = run(folder / "handbook.md", "--collection", "board")
    assert result["unchanged"] == 1
    assert Document.objects.count() == 2
    assert not any("Keep off" in chunk.content for chunk in fetch_chunks())


def test_files_that_fail_are_named_and_the_rest_goes_on(tmp_path: Path) -> None:
    """Exit code 1, one entry per failure, and the good file is in the library."""
    (tmp_path / "good.md").write_text("# Good\n\nText.")
    (tmp_path / "bad.pdf").write_bytes(b"%PDF-1.7 nothing")
    (tmp_path / "empty.txt").write_text("")
    result, code = run(tmp_path, tmp_path / "gone.md", "--collection", "C")
    assert code == 1
    assert {(Path(item["name"]).name, item["error"].split(": ")[0].split(" ", 1)[1]) for item in result["failed"]} == {
        ("bad.pdf", "cannot be read"),
        ("empty.txt", "is empty. There is nothing to ingest."),
        ("gone.md", "does not exist. Check the path."),
    }
    assert list(Document.objects.values_list("title", flat=True)) == ["Good"]


def test_two_files_of_the_same_name_are_two_documents(tmp_path: Path) -> None:
    """The path, not the name, identifies a file."""
    for chapter in ("one", "two"):
        (tmp_path / chapter).mkdir()
        (tmp_path / chapter / "1.md").write_text(f"# Chapter {chapter}\n\nText of {chapter}.")
        run(tmp_path / chapter / "1.md")
    assert set(Document.objects.values_list("title", flat=True)) == {"Chapter one", "Chapter two"}
    assert set(Collection.objects.values_list("name", flat=True)) == {"Library"}


def test_jsonl_documents_have_keys_of_their_own(tmp_path: Path) -> None:
    """Each line is a document; a changed line replaces its own document alone."""
    path = tmp_path / "docs.jsonl"
    path.write_text("\n".join(json.dumps({"id": i, "title": f"T{i}", "text": f"text {i}"}) for i in range(3)))
    assert run(path)[0]["documents"] == 3
    path.write_text("\n".join(json.dumps({"id": i, "title": f"T{i}", "text": f"text {i or 'new'}"}) for i in range(3)))
    result, _ = run(path)
    assert (result["replaced"], result["unchanged"]) == (1, 2)
    assert {chunk.content for chunk in fetch_chunks()} == {"text new", "text 1", "text 2"}


def test_a_file_over_the_limit_is_refused(tmp_path: Path, settings: Any) -> None:
    """The message names the limit's setting."""
    settings.INGEST_MAX_MB = 1
    (tmp_path / "big.txt").write_bytes(b"word " * 300_000)
    result, code = run(tmp_path / "big.txt")
    assert code == 1
    assert "larger than 1 MB" in result["failed"][0]["error"]
    assert "INGEST_MAX_MB" in result["failed"][0]["error"]


def test_an_unknown_role_stops_before_anything_happens(cast: Cast, tmp_path: Path) -> None:
    """The roles that exist are listed; --create-roles makes the missing one."""
    (tmp_path / "a.md").write_text("# A\n\nText.")
    with pytest.raises(CommandError, match=r"There is no role crew\. Roles: owners, staff\.") as caught:
        call_command("ingest", str(tmp_path), "--grant", "crew")
    assert caught.value.returncode == 2
    assert not Document.objects.exists()
    run(tmp_path, "--grant", "crew", "--create-roles")
    assert set(Document.objects.get().roles.all()) == {Role.objects.get(name="crew")}


def test_the_type_that_is_given_goes_first(tmp_path: Path) -> None:
    """--type counts more than what the document says."""
    (tmp_path / "a.md").write_text("---\ntype: minutes\n---\n\nText.")
    run(tmp_path / "a.md", "--type", "report")
    assert Document.objects.get().document_type == "report"


def test_addresses_inside_are_refused(db: None) -> None:
    """The command's user is no way into the network either."""
    result, code = run("http://127.0.0.1:9/x")
    assert code == 1
    assert "public" in result["failed"][0]["error"]


@pytest.mark.parametrize("empty", ["", "  "])
def test_an_empty_argument_is_not_the_working_directory(empty: str, folder: Path, cast: Cast) -> None:
    """An unset variable of a shell must not bring all that lies around into the library, granted to a role."""
    with contextlib.chdir(folder):
        result, code = run(empty, "--grant", "staff")
    assert code == 1
    assert [item["error"] for item in result["failed"]] == [
        "An argument is empty. Give a path, an address or an arXiv id."
    ]
    assert not Document.objects.exists()


def test_a_folder_that_cannot_be_read_fails_and_its_neighbours_go_in(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A possibly incomplete run is no success: the exit code says so, and the message names the folder."""
    iterdir = Path.iterdir

    def closed(path: Path) -> Iterator[Path]:  # in place of permissions, which root would not feel
        if path.name == "minutes":
            raise PermissionError(13, "Permission denied")
        return iterdir(path)

    monkeypatch.setattr(Path, "iterdir", closed)
    result, code = run(folder)
    assert code == 1
    ((name, error),) = ((item["name"], item["error"]) for item in result["failed"])
    assert name.endswith("minutes")
    assert "minutes cannot be read. The system says: Permission denied" in error
    assert set(Document.objects.values_list("title", flat=True)) == {"Handbook"}


@pytest.mark.django_db(transaction=True)
class TestProcesses:
    """--workers: several processes, each with a model of its own."""

    def test_they_read_what_there_is(self, tmp_path: Path) -> None:
        """Failures and omissions are reported as by one process. Nothing here needs the model."""
        (tmp_path / "bad.pdf").write_bytes(b"%PDF-1.7 nothing")
        (tmp_path / "empty.txt").write_text("")
        (tmp_path / "list.json").write_text('[{"file": "a"}]')
        result, code = run(tmp_path, "--workers", 2)
        assert code == 1
        assert [Path(item["name"]).name for item in result["failed"]] == ["bad.pdf", "empty.txt"]
        assert [Path(item["name"]).name for item in result["left_out"]] == ["list.json"]
        assert result["files"] == 2

    def test_they_store_what_they_read(self, cast: Cast, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Each document is there once, whichever process had it; a command without processes finds it unchanged."""
        monkeypatch.setattr(processes, "serve", quick.serve)
        texts = {f"Lift {number}": f"Lift {number} stops at floor {number}." for number in range(12)}
        for title, text in texts.items():
            (tmp_path / f"{title}.md").write_text(f"# {title}\n\n{text}")
        placed = (tmp_path, "--collection", "Lifts", "--grant", "staff")
        for how, told in ((("--workers", 2), {"documents": 12, "unchanged": 0}), ((), {"chunks": 0, "unchanged": 12})):
            result, code = run(*placed, *how)
            assert (code, {key: result[key] for key in told}) == (0, told)
        stored = {document.title: document for document in Document.objects.all()}
        assert len(stored) == Document.objects.count() == 12
        for title, text in texts.items():
            assert [chunk.content for chunk in fetch_chunks(stored[title])] == [text]
            assert set(stored[title].roles.all()) == {cast.staff}

    def test_one_that_is_killed_is_replaced(self, cast: Cast, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Another process reads its files, but for the file that ends them all."""
        monkeypatch.setattr(processes, "serve", dying.serve)
        for number in range(20):
            (tmp_path / f"{number:02}.md").write_text("# Lift")
        (tmp_path / "21 deadly.md").write_text("# Lift")
        result, code = run(tmp_path, "--workers", 2)
        assert code == 1
        assert result["files"] == 21
        told = {Path(item["name"]).name: item["error"] for item in result["failed"]}
        assert set(told) == {"21 deadly.md"}
        assert "the process that read it was ended twice" in told["21 deadly.md"]

    def test_no_process_is_no_number(self, tmp_path: Path) -> None:
        """It is said before anything happens."""
        with pytest.raises(CommandError, match="at least 1"):
            call_command("ingest", str(tmp_path), "--workers", "0")


def test_the_day_in_a_title_is_the_date_where_the_file_states_none(tmp_path: Path) -> None:
    """As it is of slides, and one that its beginning calls its own; a file that states one keeps it."""
    (tmp_path / "july.md").write_text("# Minutes of the Committee, 10 July 2031\n\nThe boiler comes in October.")
    (tmp_path / "june.md").write_text("---\ndate: 2031-06-20\n---\n# Minutes of 12 June 2031\n\nThe boiler is late.")
    (tmp_path / "rules.md").write_text("# Rules of the house\n\nIn force from 1 May 2031.")
    (tmp_path / "news.md").write_text("# News of the house\n\nThe boiler came on 1 May 2031.")
    run(tmp_path)
    dates = dict(Document.objects.values_list("title", "document_date"))
    assert dates == {
        "Minutes of the Committee, 10 July 2031": dt.date(2031, 7, 10),
        "Minutes of 12 June 2031": dt.date(2031, 6, 20),
        "Rules of the house": dt.date(2031, 5, 1),
        "News of the house": None,
    }


@pytest.mark.parametrize("kind", ["missing", "unreadable", "empty folder"])
def test_a_failed_run_leaves_no_empty_collection(cast: Cast, tmp_path: Path, kind: str) -> None:
    """One that it made for itself; one that was there before stays, empty or not."""
    source = tmp_path / kind
    if kind == "unreadable":
        source = tmp_path / "broken.pdf"
        source.write_bytes(b"%PDF-1.7 and no more")
    elif kind == "empty folder":
        source.mkdir()
    before = set(Collection.objects.values_list("name", flat=True))
    Collection.objects.create(name="Kept")
    for name in ("New", "Kept"):
        with contextlib.suppress(CommandError):
            run(source, "--collection", name)
    assert set(Collection.objects.values_list("name", flat=True)) == before | {"Kept"}
    assert not Document.objects.exists()


def test_a_run_that_brings_something_keeps_its_collection(cast: Cast, tmp_path: Path) -> None:
    """Also where a part of it failed."""
    (tmp_path / "lift.md").write_text("# Lift\n\nThe lift is closed.\n")
    _, code = run(tmp_path / "lift.md", tmp_path / "gone.md", "--collection", "New")
    assert code == 1
    assert Document.objects.get().collection.name == "New"


def test_a_path_that_is_not_there_makes_nothing(cast: Cast, tmp_path: Path) -> None:
    """Neither a collection nor a role for a moment, and no word of them: the path is what has to be mended."""
    said = StringIO()
    arguments = ["--collection", "New", "--grant", "crew", "--create-roles"]
    with pytest.raises(SystemExit):
        call_command("ingest", str(tmp_path / "gone"), *arguments, stdout=said, stderr=said)
    assert said.getvalue().startswith(f"Failed: {tmp_path / 'gone'} does not exist.")
    assert not Role.objects.filter(name="crew").exists()
