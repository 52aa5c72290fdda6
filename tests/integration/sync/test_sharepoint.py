"""SharePoint and OneDrive as a data source, against a server that answers as Entra and Microsoft Graph do."""

import time
from typing import Any

import pytest
from pydantic import ValidationError

from core.errors import GoneError, IngestionError, SourceError, SourceRefusedError
from core.library.sync.connector import Listed
from core.library.sync.kinds import kind_of
from core.library.sync.kinds.sharepoint import Settings
from core.library.sync.services import client
from core.library.sync.services.graph_items import CHANGES
from tests.integration.sync.served import Answer, access, listing
from tests.integration.sync.servers.graph import (
    ANNA,
    CLIENT,
    DRIVE,
    ONEDRIVE,
    OTHER,
    SECRET,
    SITE,
    STAFF,
    TENANT,
    Tenant,
)

DELTA = f"/drives/{DRIVE}/{CHANGES}"
TOKEN = f"/{TENANT}/oauth2/v2.0/token"


def key(file_id: str, drive: str = DRIVE) -> str:
    """The key of a file."""
    return f"file:{drive}/{file_id}"


def test_files_of_all_libraries_and_onedrives_are_listed(tenant: Tenant) -> None:
    """Page by page, with what they are left out for."""
    tenant.make_folder("d1", "Plans")
    tenant.put("f1", "plan.pdf", folder="d1")
    tenant.put("f2", "rules.docx", drive=OTHER)
    tenant.put("f3", "notes.md", drive=ONEDRIVE)
    tenant.put("f4", "photo.svg")
    tenant.put("f5", "Link.url")
    tenant.put("f6", "Notebook", more={"package": {"type": "oneNote"}, "folder": {}})
    tenant.put("f7", "Elsewhere.docx", more={"remoteItem": {"id": "1"}})
    tenant.put("f8", "bad.docx", more={"malware": {"description": "a virus"}})
    tenant.put("f9", "draft.docx", more={"publication": {"level": "checkout"}})
    tenant.put("f10", "final.docx", more={"publication": {"level": "published"}})
    documents, left_out, error = listing(tenant.connect(users=[ANNA]))
    assert error is None
    assert set(documents) == {key("f1"), key("f10"), key("f2", OTHER), key("f3", ONEDRIVE)}
    assert documents[key("f1")] == Listed(
        key=key("f1"),
        name="plan.pdf",
        fingerprint='"{f1},1"',
        groups=(STAFF,),
        source_url=f"{SITE}/Documents/f1",
    )
    assert set(left_out) == {"photo.svg", "Link.url", "Notebook", "Elsewhere.docx", "bad.docx", "draft.docx"}
    assert "another version" in left_out["draft.docx"]
    assert {asked.headers["authorization"] for asked in tenant.asked("/v1.0/")} == {"Bearer token-0"}
    assert len(tenant.asked(TOKEN)) == 1


def test_libraries_are_chosen_by_name(tenant: Tenant) -> None:
    """In whichever capitals; one that is nowhere is an error, and no library that is empty."""
    tenant.put("f1", "a.md")
    tenant.put("f2", "b.md", drive=OTHER)
    assert set(listing(tenant.connect(libraries=["board"]))[0]) == {key("f2", OTHER)}
    documents, _, error = listing(tenant.connect(libraries=["Documents", "Gone"]))
    assert (documents, str(error and error.message)) == ({}, "None of the sites shows a library of this name: Gone.")


def test_a_site_that_is_named_twice_is_read_once(tenant: Tenant) -> None:
    """No file is listed twice."""
    tenant.put("f1", "a.md")
    assert set(listing(tenant.connect(sites=[SITE, f"{SITE}/"]))[0]) == {key("f1")}


def test_folders_are_left_out_with_all_in_them(tenant: Tenant) -> None:
    """In whichever capitals, and not those that only begin alike; what has no known place is left out too."""
    tenant.make_folder("d1", "Archive")
    tenant.make_folder("d2", "2019", folder="d1")
    tenant.make_folder("d3", "Archived")
    for number, folder in enumerate(("root", "d1", "d2", "d3", "nowhere")):
        tenant.put(f"f{number}", f"{number}.md", folder=folder)
    assert set(listing(tenant.connect())[0]) == {key(f"f{number}") for number in range(5)}
    documents, left_out, _ = listing(tenant.connect(without_folders=["archive"]))
    assert set(documents) == {key("f0"), key("f3")}
    assert left_out["2.md"] == "it lies in the folder archive, which the settings leave out"
    assert "does not tell in which folder" in left_out["4.md"]
    assert set(listing(tenant.connect(without_folders=["Archive/2019/"]))[0]) == {key("f0"), key("f1"), key("f3")}
    tenant.drives[DRIVE]["d1"].folder = "d2"
    assert set(listing(tenant.connect(without_folders=["Archive/2019"]))[0]) == {key("f0"), key("f3")}


def test_the_last_word_about_an_item_counts(tenant: Tenant) -> None:
    """A listing of changes may tell one several times, and what is deleted."""
    tenant.put("f1", "new.md")
    gone = {"id": "f2", "name": "gone.md", "file": {}, "parentReference": {"id": "root"}}
    tenant.repeated = [
        (DRIVE, tenant.about(DRIVE, "f1") | {"name": "old.md", "eTag": "0"}),
        (DRIVE, gone),
        (DRIVE, {"id": "f2", "deleted": {"state": "deleted"}}),
    ]
    documents, left_out, _ = listing(tenant.connect())
    assert {each: one.name for each, one in documents.items()} == {key("f1"): "new.md"}
    assert left_out == {}


def test_what_has_no_id_of_its_own_is_left_out(tenant: Tenant) -> None:
    """It would lead to another address."""
    for odd in ("f1", "f1/permissions", "..", "f?1", ""):
        tenant.put(odd, f"{odd}.md")
    documents, left_out, error = listing(tenant.connect())
    assert (set(documents), error) == ({key("f1")}, None)
    assert set(left_out) == {"f1/permissions.md", "...md", "f?1.md", ".md"}


def test_an_address_that_is_none_of_the_web_is_not_shown(tenant: Tenant) -> None:
    """It would be a link on our pages."""
    tenant.put("f1", "a.md", more={"webUrl": "javascript:alert(1)"})
    assert listing(tenant.connect())[0][key("f1")].source_url == ""


def test_a_file_is_loaded_from_where_graph_leads_without_the_token(tenant: Tenant) -> None:
    """The address for one download is longer than those that are stored."""
    tenant.put("f1", "plan.md", b"the pier is sold")
    connector = tenant.connect()
    loaded = connector.load(listing(connector)[0][key("f1")], "")
    assert loaded is not None
    assert (loaded.file.name, loaded.file.content) == ("plan.md", b"the pier is sold")
    [asked] = tenant.downloads.asked
    assert len(asked.query["tempauth"]) > 1500
    assert "authorization" not in asked.headers
    with pytest.raises(GoneError):
        connector.load(Listed(key=key("f9"), name="plan.md"), "")
    tenant.put("f1", "plan.md", b"x" * 1024 * 1025)
    with pytest.raises(IngestionError, match="larger than 1 MB") as caught:
        connector.load(Listed(key=key("f1"), name="plan.md"), "")
    assert "tempauth" not in caught.value.message


@pytest.mark.parametrize("place", ["http://169.254.169.254/latest", "http://10.0.0.1/a", "file:///etc/passwd", "//["])
def test_a_file_is_not_loaded_from_inside(tenant: Tenant, place: str) -> None:
    """Wherever Graph leads is checked as any other address."""
    tenant.put("f1", "plan.md")
    tenant.faults[tenant.path("f1", "/content")] = Answer(status=302, headers={"Location": place})
    with pytest.raises(IngestionError):
        tenant.connect().load(Listed(key=key("f1"), name="plan.md"), "")


def test_a_token_is_renewed_before_its_end(tenant: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
    """Five minutes before; one of which no end is told is asked for each time."""
    connector = tenant.connect()
    listing(connector)
    clock, began = time.monotonic, time.monotonic()
    monkeypatch.setattr(time, "monotonic", lambda: began + 3200)
    listing(connector)
    assert len(tenant.asked(TOKEN)) == 1
    monkeypatch.setattr(time, "monotonic", lambda: began + 3301)
    listing(connector)
    assert len(tenant.asked(TOKEN)) == 2
    monkeypatch.setattr(time, "monotonic", clock)
    tenant.faults[TOKEN] = Answer(body={"access_token": "token-0", "expires_in": "never"})
    tenant.server.asked.clear()
    assert listing(tenant.connect())[2] is None
    assert len(tenant.asked(TOKEN)) == len(tenant.asked("/v1.0/"))


def test_a_token_that_is_taken_back_ends_the_run(tenant: Tenant) -> None:
    """As refused, not as an empty library."""
    tenant.put("f1", "a.md")
    connector = tenant.connect()
    tenant.before = lambda path: tenant.tokens.clear() if path.endswith("delta") else None
    documents, _, error = listing(connector)
    assert (documents, type(error)) == ({}, SourceRefusedError)


@pytest.mark.parametrize(
    ("answer", "error", "words"),
    [
        (Answer(status=401, body={"error_codes": [7000215]}), SourceRefusedError, "secret is wrong"),
        (Answer(status=401, body={"error_codes": [7000222]}), SourceRefusedError, "has expired"),
        (Answer(status=400, body={"error_codes": [700016]}), SourceRefusedError, "client ID"),
        (Answer(status=400, body={"error_codes": [90002, "x"]}), SourceRefusedError, "no such tenant"),
        (Answer(status=400, body={"error_codes": [{}, True]}), SourceRefusedError, "refuses the application"),
        (Answer(status=403, body="no"), SourceRefusedError, "refuses the application"),
        (Answer(status=503), SourceError, "later"),
        (Answer(body="no"), SourceError, "as it should"),
        (Answer(body={"access_token": "a\r\nb"}), SourceError, "as it should"),
        (Answer(status=302, headers={"Location": "https://example.org/"}), SourceRefusedError, "refuses"),
    ],
)
def test_entra_gives_no_token(tenant: Tenant, answer: Answer, error: type[SourceError], words: str) -> None:
    """The message says what to do, and neither the secret nor what Entra says of the application."""
    tenant.faults[TOKEN] = answer
    connector = tenant.connect()
    documents, _, caught = listing(connector)
    assert (documents, type(caught)) == ({}, error)
    assert words in str(caught and caught.message)
    assert SECRET not in f"{caught!r}{vars(connector)!r}"
    assert tenant.asked("/v1.0/") == []


def test_a_wrong_secret_is_refused(tenant: Tenant) -> None:
    """By Entra; one that cannot be one by us."""
    assert type(listing(tenant.connect("another"))[2]) is SourceRefusedError
    kind = kind_of("sharepoint")
    for secret in ("", "two words", "caf\u00e9"):
        with pytest.raises(SourceRefusedError, match="client secret"):
            kind.connect(kind.settings(**tenant.settings), {"client_secret": secret}, access())


@pytest.mark.parametrize(
    ("path", "answer", "words"),
    [
        ("/sites/contoso.sharepoint.com:/sites/hr", Answer(status=404), f"the site {SITE}"),
        ("/sites/contoso.sharepoint.com:/sites/hr", Answer(status=403), "Sites.Selected"),
        ("/sites/contoso.sharepoint.com:/sites/hr", Answer(body={"id": "a/../b"}), f"the site {SITE}"),
        ("/users/anna@contoso.com/drive", Answer(status=404), "a OneDrive of anna@contoso.com"),
        (DELTA, Answer(status=403), "does not let"),
        (DELTA, Answer(status=410), "status 410"),
        (DELTA, Answer(body="<html>"), "as it should"),
        (DELTA, Answer(body="[]"), "as it should"),
        (DELTA, Answer(body={"value": {}}), "another form"),
        (DELTA, Answer(body={"value": []}), "breaks off"),
        (DELTA, Answer(body={"value": [], "@odata.nextLink": 7}), "not at its own address"),
        (DELTA, Answer(body={"value": [], "@odata.nextLink": "https://example.org/v1.0/a"}), "not at its own"),
        ("/$batch", Answer(body={"responses": None}), "another form"),
        ("/$batch", Answer(status=500), "status 500"),
    ],
)
def test_what_is_wrong_with_the_source(tenant: Tenant, path: str, answer: Answer, words: str) -> None:
    """It is an error of the source: nothing counts as gone."""
    for number in range(3):
        tenant.put(f"f{number}", f"{number}.md")
    tenant.faults[path] = answer
    documents, _, error = listing(tenant.connect(users=[ANNA]))
    assert documents == {}
    assert words in str(error and error.message)


@pytest.mark.parametrize("place", ["@example.org/v1.0/a", ".example.org/v1.0/a", "/v1.0x/a", "/beta/a"])
def test_a_next_page_is_graphs_own(tenant: Tenant, place: str) -> None:
    """The token goes nowhere else."""
    tenant.faults[DELTA] = Answer(body={"value": [], "@odata.nextLink": f"{tenant.server.base}{place}"})
    assert "not at its own" in str(listing(tenant.connect())[2])


def test_a_listing_in_a_circle_ends(tenant: Tenant) -> None:
    """With an error."""
    tenant.faults[DELTA] = Answer(body={"value": [], "@odata.nextLink": f"{tenant.server.base}/v1.0{DELTA}"})
    assert "does not come to an end" in str(listing(tenant.connect())[2])


def test_a_site_without_libraries_is_an_error(tenant: Tenant) -> None:
    """It looks as if all were gone."""
    tenant.libraries = {}
    assert "no document library" in str(listing(tenant.connect())[2])


def test_graph_is_asked_again_when_it_says_so(tenant: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
    """As a whole, and for one answer of several, after the time that it asks for."""
    waits: list[float] = []
    monkeypatch.setattr(client.time, "sleep", waits.append)
    for number in range(3):
        tenant.put(f"f{number}", f"{number}.md")
    busy = {DELTA: [7], tenant.path("f1", "/permissions"): [0, 9]}

    def answer(path: str) -> Answer:
        seconds = busy[path].pop(0)
        if not busy[path]:
            del tenant.faults[path]
        return Answer(status=429, headers={"Retry-After": str(seconds)})

    tenant.faults = dict.fromkeys(busy, answer)
    documents, _, error = listing(tenant.connect())
    assert error is None
    assert {one.groups for one in documents.values()} == {(STAFF,)}
    assert [wait for wait in waits if wait > 1] == [7, 9]
    tenant.faults = {DELTA: Answer(status=503, headers={"Retry-After": "600"})}
    assert "600 seconds" in str(listing(tenant.connect())[2])


def test_twenty_files_are_asked_for_at_once(tenant: Tenant) -> None:
    """One request for the permissions of twenty, and one for the last that is left."""
    tenant.page = 1000
    for number in range(41):
        tenant.put(f"f{number}", f"{number}.md")
    assert len(listing(tenant.connect())[0]) == 41
    assert (len(tenant.asked("$batch")), len(tenant.asked("/permissions"))) == (2, 1)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"tenant": "common"}, "contoso.onmicrosoft.com"),
        ({"tenant": "a.example/../b"}, "contoso.onmicrosoft.com"),
        ({"client_id": "footnote"}, "client"),
        ({"sites": []}, "address of a site, or"),
        ({"sites": [], "users": [ANNA], "libraries": ["Documents"]}, "leave the libraries empty"),
        ({"sites": ["http://contoso.sharepoint.com/sites/hr"]}, "without what follows it"),
        ({"sites": ["https://contoso.sharepoint.com/sites/hr/Documents/Forms/AllItems.aspx"]}, "without what follows"),
        ({"sites": ["https://contoso.sharepoint.com/sites/hr?x=1"]}, "without what follows"),
        ({"sites": ["https://contoso.sharepoint.com/sites/a:b"]}, "without what follows"),
        ({"sites": ["https://contoso.sharepoint.com/sites/../../users"]}, "without what follows"),
        ({"sites": ["https://[::1"]}, "without what follows"),
        ({"users": ["anna"]}, "signs in"),
        ({"users": ["a/b@contoso.com"]}, "signs in"),
        ({"without_folders": ["/"]}, "path of a folder"),
        ({"libraries": [" "]}, "name of a library"),
        ({"cloud": "mars"}, "global"),
    ],
)
def test_settings_that_cannot_be_used(settings: dict[str, Any], message: str) -> None:
    """The message says what to write."""
    with pytest.raises(ValidationError, match=message):
        Settings.model_validate({"tenant": TENANT, "client_id": CLIENT, "sites": [SITE]} | settings)


def test_settings_as_a_browser_shows_them() -> None:
    """With capitals, spaces and a slash at the end; the site of the whole tenant too."""
    found = Settings(
        tenant=" Contoso.com ",
        client_id=CLIENT.upper(),
        sites=["https://Contoso.SharePoint.com/sites/Human%20Resources/", "https://contoso.sharepoint.com"],
        without_folders=["\\Archive\\2019\\"],
    )
    assert (found.tenant, found.client_id) == ("contoso.com", CLIENT)
    assert found.sites == ("https://contoso.sharepoint.com/sites/Human Resources", "https://contoso.sharepoint.com")
    assert found.without_folders == ("Archive/2019",)
