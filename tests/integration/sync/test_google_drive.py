"""Google Drive as a data source, against a server that answers as its API and its token endpoint do."""

import json
from collections.abc import Callable
from functools import cache, partial
from hashlib import md5
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.rsa import generate_private_key
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from pydantic import ValidationError

from core.errors import ChangedMeanwhileError, GoneError, IngestionError, SourceError, SourceRefusedError
from core.library.sync.connector import Listed, TellsReaders
from core.library.sync.kinds import kind_of
from core.library.sync.kinds.google_drive import GoogleDrive, Settings
from tests.integration.sync.served import Answer, Asked, Server, access, listing

FOLDER = "application/vnd.google-apps.folder"
DOCUMENT = "application/vnd.google-apps.document"


@cache
def private_key() -> str:
    """Make a key that opens nothing, and a short one: its numbers are tried for primes each time that it is read."""
    made = generate_private_key(public_exponent=65537, key_size=1024)  # noqa: S505
    return made.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()


def account(server: Server) -> str:
    """The text of a service account's key file."""
    return json.dumps(
        {
            "type": "service_account",
            "client_email": "reader@project.iam.gserviceaccount.com",
            "private_key_id": "1",
            "private_key": private_key(),
            "token_uri": f"{server.base}/token",
        }
    )


def file(number: str, name: str, kind: str = "application/pdf", **more: Any) -> dict[str, Any]:
    """A file in a listing."""
    return {
        "id": number,
        "name": name,
        "mimeType": kind,
        "version": "12",
        "webViewLink": f"https://d.example/{number}",
    } | more


def serve(server: Server, folders: dict[str, list[dict[str, Any]]], permissions: dict[str, Any] | None = None) -> None:
    """A drive: the files of its folders, two at a time, and who may read them."""

    def listed(asked: Asked) -> Answer:
        files = folders[asked.query["q"].split("'")[1]]
        start = int(asked.query.get("pageToken", 0))
        more = {"nextPageToken": str(start + 2)} if start + 2 < len(files) else {}
        return Answer(body={"files": files[start : start + 2], **more})

    server.answers = {
        "/token": Answer(body={"access_token": "a-token-of-nobody", "expires_in": 3600, "token_type": "Bearer"}),
        "/files": listed,
        "/files/top-folder": Answer(body={"id": "top-folder"}),
    }
    for each in (each for files in folders.values() for each in files):
        told = (permissions or {}).get(each["id"], [{"type": "user", "emailAddress": "alice@example.org"}])
        answer = Answer(status=403) if told is None else Answer(body={"permissions": told})
        server.answers[f"/files/{each['id']}/permissions"] = answer


def drive(server: Server, **settings: Any) -> GoogleDrive:
    """A connector to a served drive."""
    return GoogleDrive(Settings(**({"folder": "top-folder"} | settings)), account(server), access(), api=server.base)


def test_files_are_listed_with_the_folders_within(server: Server) -> None:
    """Google's own kinds as those of Office; a folder that lies in itself is read once."""
    folders = {
        "top-folder": [
            file("f1", "plan.pdf", md5Checksum="abc"),
            file("f2", "Notes", DOCUMENT),
            file("f3", "Inner", FOLDER),
            file("f4", "A form", "application/vnd.google-apps.form"),
            file("f5", "photo.svg", "image/svg+xml"),
            file("f6", "Elsewhere", "application/vnd.google-apps.shortcut"),
        ],
        "f3": [file("f7", "Budget", "application/vnd.google-apps.spreadsheet"), file("top-folder", "Loop", FOLDER)],
    }
    serve(server, folders)
    documents, left_out, error = listing(drive(server))
    assert error is None
    assert {key: (each.name, each.fingerprint) for key, each in documents.items()} == {
        "file:f1": ("plan.pdf", "abc"),
        "export:f2.docx": ("Notes.docx", "12"),
        "export:f7.xlsx": ("Budget.xlsx", "12"),
    }
    assert set(left_out) == {"A form", "photo.svg", "Elsewhere"}
    assert {asked.headers.get("authorization") for asked in server.asked if asked.path != "/token"} == {
        "Bearer a-token-of-nobody"
    }
    assert server.paths().count("/token") == 1
    flat, _, _ = listing(drive(server, subfolders=False))
    assert set(flat) == {"file:f1", "export:f2.docx"}


def test_what_has_no_id_of_its_own_is_left_out(server: Server) -> None:
    """It would be one with another file, or lead to another address."""
    serve(server, {"top-folder": [file(odd, f"{odd}.pdf") for odd in ("f1", "", "f1/permissions", "f1.docx")]})
    documents, left_out, _ = listing(drive(server))
    assert set(documents) == {"file:f1"}
    assert set(left_out) == {".pdf", "f1/permissions.pdf", "f1.docx.pdf"}


def test_readers_are_those_with_whom_a_file_is_shared(server: Server) -> None:
    """Users, groups, domains and everybody; nobody where the account may not see them, and no account that is gone."""
    permissions = {
        "f1": [
            {"type": "group", "emailAddress": "staff@example.org"},
            {"type": "user", "emailAddress": "bob@example.org"},
            {"type": "user", "emailAddress": "gone@example.org", "deleted": True},
            {"type": "domain", "domain": "example.org"},
            {"type": "anyone", "view": "published"},
        ],
        "f2": [{"type": "anyone"}],
        "f3": None,
        "f4": [],
    }
    serve(server, {"top-folder": [file(each, f"{each}.pdf") for each in permissions]}, permissions)
    documents, _, _ = listing(drive(server))
    assert {key: each.groups for key, each in documents.items()} == {
        "file:f1": ("bob@example.org", "example.org", "staff@example.org"),
        "file:f2": ("anyone",),
        "file:f3": (),
        "file:f4": (),
    }


def test_files_are_loaded_as_they_are_or_exported(server: Server) -> None:
    """A missing file, or one too large to be exported, is an error of that file."""
    serve(server, {})
    server.answers |= {
        "/files/f1": lambda asked: Answer(body=b"%PDF-1.4" if asked.query["alt"] == "media" else b""),
        "/files/f2/export": lambda asked: Answer(body=asked.query["mimeType"]),
        "/files/f3/export": Answer(status=403, body={"error": {"errors": [{"reason": "exportSizeLimitExceeded"}]}}),
    }
    connector = drive(server)
    loaded = connector.load(Listed(key="file:f1", name="plan.pdf"), "")
    assert loaded is not None
    assert (loaded.file.name, loaded.file.content) == ("plan.pdf", b"%PDF-1.4")
    loaded = connector.load(Listed(key="export:f2.pptx", name="Talk.pptx"), "")
    assert loaded is not None
    assert loaded.file.content.endswith(b"presentationml.presentation")
    with pytest.raises(IngestionError, match="10 MB"):
        connector.load(Listed(key="export:f3.docx", name="Long.docx"), "")
    with pytest.raises(GoneError):
        connector.load(Listed(key="file:f9", name="plan.pdf"), "")


class Drive:
    """One file of each kind, and the answers about them as they are at that moment."""

    def __init__(self, server: Server) -> None:
        self.contents = {"f1": b"the pier is sold", "f2": b"the pier is sold"}
        self.versions = {"f1": 3, "f2": 3}
        self.readers = {"f1": "board@example.org", "f2": "board@example.org"}
        self.more: dict[str, Any] = {}
        self.before: Callable[[], None] = lambda: None
        serve(server, {"top-folder": []})
        server.answers["/files"] = lambda _: self.answer(Answer(body={"files": [self.about("f1"), self.about("f2")]}))
        for each in self.contents:
            server.answers[f"/files/{each}"] = partial(self._file, each)
            server.answers[f"/files/{each}/permissions"] = partial(self._permissions, each)
            server.answers[f"/files/{each}/export"] = lambda _: Answer(body=self.contents["f2"])

    def answer(self, answer: Answer) -> Answer:
        """An answer that was made; then something may happen."""
        self.before()
        return answer

    def about(self, file_id: str) -> dict[str, Any]:
        """Return Drive's description of a file."""
        told = {"version": str(self.versions[file_id])}
        if file_id == "f2":
            return file("f2", "Notes", DOCUMENT, **told, **self.more)
        return file("f1", "plan.pdf", **told, **self.more, md5Checksum=_md5(self.contents["f1"]))

    def write(self, content: bytes) -> None:
        """Write into both, which gives them another version."""
        for each in self.contents:
            self.contents[each] = content
            self.versions[each] += 1

    def share(self, reader: str) -> None:
        """Share both with somebody else, which does so too."""
        for each in self.readers:
            self.readers[each] = reader
            self.versions[each] += 1

    def _file(self, file_id: str, asked: Asked) -> Answer:
        self.before()
        if file_id not in self.contents:
            return Answer(status=404)
        is_content = asked.query.get("alt") == "media"
        return Answer(body=self.contents[file_id] if is_content else self.about(file_id))

    def _permissions(self, file_id: str, _: Asked) -> Answer:
        self.before()
        return Answer(body={"permissions": [{"type": "group", "emailAddress": self.readers[file_id]}]})


def _md5(content: bytes) -> str:
    return md5(content, usedforsecurity=False).hexdigest()


BOTH = ("file:f1", "export:f2.docx")


def look_again(connector: GoogleDrive, one: Listed) -> Listed | None:
    """Look at a file in Drive again."""
    assert isinstance(connector, TellsReaders)
    return connector.look_again(one)


def test_drive_tells_again_of_one_file(server: Server) -> None:
    """An unchanged file is as it was listed.

    Readers are current, and a file deleted, in the bin or of another kind is gone.
    """
    held = Drive(server)
    connector = drive(server)
    found, _, _ = listing(connector)
    for key in BOTH:
        assert connector.load(found[key], "") is not None
        assert look_again(connector, found[key]) == found[key]
    held.share("all@example.org")
    shared = [look_again(connector, found[key]) for key in BOTH]
    assert [now and now.groups for now in shared] == [("all@example.org",)] * 2
    assert [now and now.fingerprint == found[now.key].fingerprint for now in shared] == [True, False]  # a hash stays
    held.write(b"the pier is not sold")
    after, _, _ = listing(connector)
    for key in BOTH:
        assert look_again(connector, found[key]) == after[key]
        assert after[key].fingerprint != found[key].fingerprint
    held.more = {"trashed": True}
    assert [look_again(connector, found[key]) for key in BOTH] == [None, None]
    held.more = {"mimeType": "application/vnd.google-apps.form"}
    assert [look_again(connector, found[key]) for key in BOTH] == [None, None]
    held.contents.clear()
    assert [look_again(connector, found[key]) for key in BOTH] == [None, None]


@pytest.mark.parametrize("turn", range(1, 6))
@pytest.mark.parametrize("is_opened", [True, False])
@pytest.mark.parametrize("key", BOTH)
def test_readers_belong_to_the_content(server: Server, key: str, turn: int, *, is_opened: bool) -> None:
    """No look finds what was secret with the readers that came after, nor what is secret now with those before."""
    held = Drive(server)
    if not is_opened:
        held.share("all@example.org")
    connector = drive(server)
    one = listing(connector)[0][key]

    def rewrite() -> None:
        if is_opened:
            held.write(b"nothing is sold")
        held.share("all@example.org" if is_opened else "board@example.org")
        if not is_opened:
            held.write(b"the bridge is sold")

    turns = iter([*[lambda: None] * (turn - 1), rewrite])
    held.before = lambda: next(turns, lambda: None)()
    now = look_again(connector, one)
    assert now is not None
    is_secret = (now.fingerprint == one.fingerprint) == is_opened
    assert now.groups == ("board@example.org",) or not is_secret


def test_another_content_is_not_loaded_as_the_one_that_was_listed(server: Server) -> None:
    """Its hash is another. Of Google's exports the version shows it afterwards."""
    held = Drive(server)
    connector = drive(server)
    found, _, _ = listing(connector)
    held.write(b"the bridge is sold")
    with pytest.raises(ChangedMeanwhileError):
        connector.load(found["file:f1"], "")
    assert connector.load(found["export:f2.docx"], "") is not None
    assert look_again(connector, found["export:f2.docx"]) != found["export:f2.docx"]


def test_a_file_that_never_stays_is_not_described(server: Server) -> None:
    """It ends after some looks; a file without a sign of change is not described either."""
    held = Drive(server)
    connector = drive(server)
    one = listing(connector)[0]["export:f2.docx"]
    held.before = lambda: held.write(b"again")
    with pytest.raises(ChangedMeanwhileError):
        look_again(connector, one)
    held.before = lambda: None
    held.about = lambda file_id: {"id": file_id, "name": "Notes", "mimeType": DOCUMENT}  # type: ignore[method-assign]
    with pytest.raises(IngestionError, match="not certain"):
        look_again(connector, one)


def test_too_many_requests_are_sent_again(server: Server) -> None:
    """Drive says so with 403 and a reason."""
    serve(server, {"top-folder": []})
    body = {"error": {"errors": [{"reason": "userRateLimitExceeded"}]}}
    answers = [Answer(status=403, body=body, headers={"Retry-After": "0"}), Answer(body={"id": "top-folder"})]
    server.answers["/files/top-folder"] = lambda _: answers.pop(0)
    assert listing(drive(server)) == ({}, {}, None)


@pytest.mark.parametrize(
    ("path", "answer", "error"),
    [
        (
            "/token",
            Answer(status=400, body={"error": "invalid_grant", "error_description": "Invalid JWT"}),
            SourceRefusedError,
        ),
        ("/files/top-folder", Answer(status=401), SourceRefusedError),
        ("/files/top-folder", Answer(status=404), SourceError),
        ("/files", Answer(status=500), SourceError),
    ],
)
def test_what_is_wrong_with_the_source(server: Server, path: str, answer: Answer, error: type[SourceError]) -> None:
    """A folder that is not shown is no empty one; nothing of the key is said."""
    serve(server, {"top-folder": []})
    server.answers[path] = answer
    connector = drive(server)
    documents, _, caught = listing(connector)
    assert (documents, type(caught)) == ({}, error)
    assert "PRIVATE" not in f"{caught!r}{vars(connector)!r}"


@pytest.mark.parametrize(
    "key", ["", "{", "[]", '{"type": "service_account"}', '{"private_key": "SECRET", "client_email": "a"}']
)
def test_a_key_that_is_none_is_refused_without_being_shown(key: str) -> None:
    """The message says which text is meant."""
    kind = kind_of("google_drive")
    with pytest.raises(SourceRefusedError, match="JSON file") as caught:
        kind.connect(kind.settings(folder="abcdef"), {"key": key}, access())
    assert "SECRET" not in repr(caught.value)


def test_a_folder_is_named_by_its_address() -> None:
    """As the browser shows it, or by its id."""
    address = "https://drive.google.com/drive/u/0/folders/1AbC_d-9?usp=sharing"
    assert Settings(folder=address).folder == Settings(folder="1AbC_d-9").folder == "1AbC_d-9"
    with pytest.raises(ValidationError, match="as the browser shows it"):
        Settings(folder="x' or '1'='1")
