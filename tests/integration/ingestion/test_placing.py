"""Test which text a new one may replace: no file gains readers it was not meant for, whatever it states."""

from collections.abc import Callable, Iterator
from contextlib import nullcontext

import pytest
from django.contrib.auth.models import Permission

from core.access.audiences import audience_of_roles
from core.access.grants import grant, revoke
from core.library.ingestion import jobs
from core.library.ingestion.jobs import create_job, run_job, source_of_address
from core.library.ingestion.pipeline import SourceOutcome, ingest
from core.library.ingestion.sandbox.process import Sandbox
from core.library.ingestion.sources import LoadedFile, Source
from core.library.ingestion.target import IngestTarget
from core.models import Chunk, Collection, Document, IngestionFile, Role, User
from core.models.row_security import as_audience
from core.testing import Cast, fetch_chunks

pytestmark = pytest.mark.usefixtures("fast")

GRANTING = ("add_ingestionjob", "add_roledocumentaccess", "delete_roledocumentaccess")
SECRET = "We will acquire the quagmire works in May."
PAGE = "https://library.example/notes/may"
PAPER = "arxiv:2401.00001"
Taking = Callable[..., SourceOutcome]


def allowed(user: User, *codenames: str) -> User:
    """The person, with these permissions on core's models, read afresh."""
    user.user_permissions.set(Permission.objects.filter(content_type__app_label="core", codename__in=codenames))
    return User.objects.get(pk=user.pk)


@pytest.fixture
def granter(cast: Cast) -> User:
    """Alice, owner and staff, who may upload and decide who reads."""
    return allowed(cast.alice, *GRANTING)


@pytest.fixture
def uploader(cast: Cast) -> User:
    """Bob, of the staff, who may upload and no more."""
    return allowed(cast.bob, "add_ingestionjob")


@pytest.fixture
def stranger(cast: Cast) -> User:
    """Charlie, who may upload, and holds no role."""
    return allowed(cast.charlie, "add_ingestionjob")


@pytest.fixture
def shelf(cast: Cast) -> Collection:
    """A collection that gives its documents to nobody."""
    return Collection.objects.create(name="Board")


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    """One process for all files of these tests."""
    with Sandbox() as one:
        yield one


@pytest.fixture(autouse=True)
def _one_process(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    """Jobs parse their files in that process as well: to start one takes longer than all the rest."""
    monkeypatch.setattr(jobs, "Sandbox", lambda *_, **__: nullcontext(sandbox))


@pytest.fixture
def take(sandbox: Sandbox) -> Taking:
    """Takes in a text from an address or a path, as the command line does where nothing else is said."""

    def take_in(
        key: str, text: str, collection: Collection, *roles: Role, name: str = "", **more: object
    ) -> SourceOutcome:
        found: list[SourceOutcome] = []
        source = Source(
            name=name or key,
            key=key,
            load=lambda: LoadedFile(content=text.encode(), name=name or "page.md"),
            is_address="://" in key or key.startswith("arxiv:"),
            source_url=key if "://" in key else "",
        )
        ingest([source], IngestTarget(collection=collection, roles=roles, **more), sandbox, found.append)  # type: ignore[arg-type]
        return found[0]

    return take_in


def upload(name: str, text: str, collection: Collection, *roles: Role, by: User | None = None) -> IngestionFile:
    """Hand a file in, and let the worker ingest it."""
    job = create_job(files=[(name, text.encode())], collection=collection, roles=roles, by=by)
    run_job(job.pk)
    return job.files.get()


def read_by(*roles: Role) -> set[str]:
    """The texts that somebody with these roles may read."""
    audience = audience_of_roles([role.pk for role in roles])
    with as_audience(audience):
        return set(Chunk.objects.visible_to(audience).values_list("content", flat=True))


CLAIMS = (f"url: {PAGE}", f"link: {PAGE}", f"source_url: {PAGE}", "abs: https://arxiv.org/abs/2401.00001")
CLAIMS_OF_IDS = ("arxiv: 2401.00001", "arxiv_id: 2401.00001v2")


class TestWhatAFileSaysOfItself:
    """An address or an id in a file makes it nobody's new version."""

    @pytest.mark.parametrize("claim", [*CLAIMS, *CLAIMS_OF_IDS])
    def test_a_note_that_names_a_document_does_not_take_its_place(
        self, claim: str, cast: Cast, shelf: Collection, take: Taking
    ) -> None:
        """The staff's text stays, and they read nothing of the board's note: in the same collection or another."""
        other = Collection.objects.create(name="Other")
        take(PAGE, "A page for the staff.", shelf, cast.staff)
        take(PAPER, "A paper for the staff.", shelf, cast.staff)
        for number, collection in enumerate((shelf, other)):
            text = f"---\n{claim}\ncollection: Board\ntitle: Page\n---\n\n{SECRET} {number}"
            upload(f"{number}.md", text, collection, cast.owners)
        assert read_by(cast.staff) == {"A page for the staff.", "A paper for the staff."}
        assert read_by(cast.owners) == {f"{SECRET} 0", f"{SECRET} 1"}

    def test_nor_does_what_comes_after_it_take_its_place(self, cast: Cast, shelf: Collection, take: Taking) -> None:
        """The page itself, fetched later, is another document than the note that claimed to be it."""
        upload("note.md", f"---\nurl: {PAGE}\narxiv: 2401.00001\n---\n\n{SECRET}", shelf, cast.owners)
        take(PAGE, "A page for the staff.", shelf, cast.staff)
        take(PAPER, "A paper for the staff.", shelf, cast.staff)
        assert read_by(cast.owners) == {SECRET}
        assert Document.objects.count() == 3
        note = Document.objects.get(source="note.md")
        assert (note.source_url, note.arxiv_id) == (PAGE, "2401.00001")  # shown, and no more

    def test_names_that_look_like_addresses_are_names(self, cast: Cast, shelf: Collection, take: Taking) -> None:
        """A file may be called as it likes."""
        take(PAPER, "A paper for the staff.", shelf, cast.staff)
        take(
            "docs.jsonl",
            '{"id": "1", "text": "A row."}\n{"id": "2", "text": "B row."}',
            shelf,
            cast.staff,
            name="x.jsonl",
        )
        upload(PAPER, f"# Note\n\n{SECRET}", shelf, cast.owners)
        upload("docs.jsonl#1", f"# Note\n\n{SECRET}", shelf, cast.owners)
        assert read_by(cast.staff) == {"A paper for the staff.", "A row.", "B row."}


class TestTheSameName:
    """Two files of one name in one collection."""

    def test_other_readers_are_refused_and_both_are_named(self, cast: Cast, shelf: Collection, granter: User) -> None:
        """The first stays with its readers, and nobody reads the second."""
        upload("minutes.md", "# Staff minutes\n\nThe canteen opens.", shelf, cast.staff, by=granter)
        refused = upload("minutes.md", f"# Board minutes\n\n{SECRET}", shelf, cast.owners, by=granter)
        assert read_by(cast.staff) == read_by(cast.staff, cast.owners) == {"The canteen opens."}
        assert refused.state == "failed"
        assert refused.error == (
            "minutes.md was not ingested: it would replace “Staff minutes”, which is for staff, but it is "
            "for owners. Choose the same roles, change who may read “Staff minutes”, or give the file another name."
        )
        assert refused.error_documents == [Document.objects.get().pk]

    @pytest.mark.parametrize("first_is_wider", [True, False])
    def test_more_readers_or_fewer_are_other_readers(
        self, first_is_wider: bool, cast: Cast, shelf: Collection, granter: User
    ) -> None:
        """Neither the new text nor, by old answers, the old one may reach others."""
        both, one = (cast.owners, cast.staff), (cast.owners,)
        upload("minutes.md", "Old words.", shelf, *(both if first_is_wider else one), by=granter)
        refused = upload("minutes.md", "New words.", shelf, *(one if first_is_wider else both), by=granter)
        assert refused.state == "failed"
        assert read_by(cast.owners) == {"Old words."}
        assert read_by(cast.staff) == ({"Old words."} if first_is_wider else set())

    def test_the_same_readers_are_replaced_and_it_is_said_by_what(
        self, cast: Cast, shelf: Collection, granter: User, uploader: User
    ) -> None:
        """One document, its next version; the line of the file names the document."""
        shelf.default_roles.add(cast.staff)
        first = upload("minutes.md", "Old words.", shelf, by=granter)
        second = upload("minutes.md", "New words.", shelf, by=uploader)
        document = Document.objects.get()
        assert (first.replaced, second.replaced, document.version) == ([], [document.pk], 2)
        assert read_by(cast.staff) == {"New words."}

    def test_who_may_not_read_it_is_not_told_its_name(self, cast: Cast, shelf: Collection) -> None:
        """An administrator without a role decides who reads, and reads nothing."""
        root = User.objects.create_superuser("root@example.com")
        upload("minutes.md", "# Secret title\n\nOld words.", shelf, cast.owners)
        refused = upload("minutes.md", "New words.", shelf, cast.staff, by=root)
        assert "another document" in refused.error
        assert not {"Secret", "owners"} & set(refused.error.replace("“", " ").split())
        assert refused.error_documents == []

    def test_who_may_upload_but_not_grant_cannot_replace_what_they_may_not_read(
        self, cast: Cast, shelf: Collection, stranger: User
    ) -> None:
        """Their file becomes a document of its own, and looks like any new one: nothing reveals the other."""
        shelf.default_roles.add(cast.staff)
        new = upload("lift.md", "# Lift\n\nOther words.", shelf, by=stranger)
        upload("minutes.md", "# Minutes\n\nOld words.", shelf)
        beside = upload("minutes.md", "# Minutes\n\nNew words.", shelf, by=stranger)
        same = upload("minutes.md", "# Minutes\n\nOld words.", shelf, by=stranger)
        assert read_by(cast.staff) == {"Other words.", "Old words.", "New words."}
        for file in (beside, same):
            told = (file.state, file.error, file.document_count, file.chunk_count, file.replaced)
            assert told == (new.state, new.error, new.document_count, new.chunk_count, new.replaced)
        upload("minutes.md", "# Minutes\n\nNewer words.", shelf, by=stranger)
        assert read_by(cast.staff) == {"Other words.", "Old words.", "Newer words."}

    def test_nor_are_their_words_read_by_its_readers(self, cast: Cast, shelf: Collection, stranger: User) -> None:
        """Granted to the owners alone by hand; a stranger's file of that name is for the collection's roles alone."""
        upload("minutes.md", "Old words.", shelf, cast.owners)
        upload("minutes.md", "New words.", shelf, by=stranger)
        assert read_by(cast.owners) == {"Old words."}
        assert {chunk.content for chunk in fetch_chunks()} == {"Old words.", "New words."}

    def test_what_was_revoked_stays_so(self, cast: Cast, shelf: Collection, uploader: User) -> None:
        """The collection's roles receive what is new in it, not what is ingested again."""
        shelf.default_roles.add(cast.staff)
        upload("minutes.md", "Words.", shelf, by=uploader)
        grant(cast.owners, Document.objects.all(), by=None)
        revoke(cast.staff, Document.objects.all(), by=None)
        upload("minutes.md", "Words.", shelf)
        assert read_by(cast.staff) == set()
        assert read_by(cast.owners) == {"Words."}

    def test_one_collections_name_is_no_part_of_anothers_paths(self, cast: Cast, take: Taking) -> None:
        """ "A" with "B/c.md" and "A/B" with "c.md" are two."""
        outer, inner = (Collection.objects.create(name=name) for name in ("A", "A/B"))
        take("B/c.md", "For the staff.", outer, cast.staff)
        take("c.md", SECRET, inner, cast.owners)
        assert read_by(cast.staff) == {"For the staff."}
        assert read_by(cast.owners) == {SECRET}

    def test_whoever_lost_the_right_while_the_job_waited(self, cast: Cast, shelf: Collection, granter: User) -> None:
        """Rights are those of the moment in which it runs; a person who is gone has none."""
        upload("minutes.md", "Old words.", shelf, cast.staff)
        mallory = allowed(User.objects.create_user("mallory@example.com"), *GRANTING)
        job = create_job(files=[("minutes.md", b"New words.")], collection=shelf, roles=[cast.staff], by=mallory)
        allowed(mallory, "add_ingestionjob")
        run_job(job.pk)
        assert set(Document.objects.values_list("version", flat=True)) == {1}
        assert Document.objects.count() == 2


class TestTheSameSource:
    """A path or an address is the same source each time."""

    @pytest.mark.parametrize("key", ["docs/minutes.md", PAGE, PAPER])
    def test_it_is_one_document_and_keeps_its_grants(
        self, key: str, cast: Cast, shelf: Collection, take: Taking
    ) -> None:
        """Those that came with it and one that was given since."""
        take(key, "Old words.", shelf, cast.staff)
        grant(cast.owners, Document.objects.all(), by=None)
        for roles in ((), (cast.staff,)):
            outcome = take(key, f"New words for {len(roles)}.", shelf, *roles)
            assert [one.source for one in outcome.replaced] == [key]
            assert read_by(cast.staff) == read_by(cast.owners) == {f"New words for {len(roles)}."}
        assert Document.objects.get().version == 3

    def test_a_text_for_others_is_refused_there_too(self, cast: Cast, shelf: Collection, take: Taking) -> None:
        """The same path from another folder may be another file."""
        take("minutes.md", "# Staff minutes\n\nOld words.", shelf, cast.staff)
        outcome = take("minutes.md", SECRET, shelf, cast.owners)
        assert ["which is for staff, but it is for owners" in error.message for error in outcome.errors] == [True]
        assert read_by(cast.owners, cast.staff) == {"Old words."}

    def test_in_another_collection_it_is_another_document(self, cast: Cast, shelf: Collection, take: Taking) -> None:
        """Each with the readers of its collection."""
        other = Collection.objects.create(name="Other")
        take(PAGE, "Words.", shelf, cast.staff)
        take(PAGE, "Words.", other, cast.owners)
        assert set(Document.objects.values_list("collection__name", "roles__name")) == {
            ("Board", "staff"),
            ("Other", "owners"),
        }

    def test_whatever_format_an_address_gives(self, cast: Cast, shelf: Collection, take: Taking) -> None:
        """A page, then a file of JSON lines that says it is this page: one document."""
        take(PAGE, "<p>As a page, with a few words of it.</p>", shelf, name="may.html")
        row = f'{{"id": "7", "title": "May", "text": "As a row.", "source_url": "{PAGE}#top"}}'
        take(PAGE, row, shelf, name="may.jsonl")
        assert [chunk.content for chunk in fetch_chunks()] == ["As a row."]
        two = f'{row}\n{{"id": "8", "text": "Another.", "source_url": "{PAGE}/8"}}'
        take(PAGE, two, shelf, name="may.jsonl")
        assert set(Document.objects.values_list("source", flat=True)) == {PAGE, f"{PAGE}#8"}

    @pytest.mark.parametrize(
        "spellings",
        [
            ("https://Library.example:443/a/../b%7Ec?x=%2f#top", "HTTPS://library.EXAMPLE./b~c?x=%2F"),
            (
                "2212.11770",
                "arXiv:2212.11770v3",
                "https://arxiv.org/pdf/2212.11770v2.pdf",
                "http://www.arxiv.org/abs/2212.11770#x",
            ),
            ("math.GT/0309136", "https://export.arxiv.org/abs/math/0309136v1"),
        ],
    )
    def test_however_it_is_written(self, spellings: tuple[str, ...]) -> None:
        """An address, and an id of arXiv's, have one form."""
        assert len({source_of_address(one, max_mb=1).key for one in spellings}) == 1

    @pytest.mark.parametrize(
        ("one", "other"),
        [
            ("https://library.example/a", "https://library.example/a/"),
            ("https://library.example/a", "http://library.example/a"),
            ("https://library.example/a?b=1", "https://library.example/a?b=2"),
            ("https://library.example/fomc20240131.htm", "https://library.example/fomc20240131.pdf"),
            ("https://library.example/a%2Fb", "https://library.example/a/b"),
        ],
    )
    def test_what_may_differ_is_not_made_alike(self, one: str, other: str) -> None:
        """A page and its PDF, with and without a stroke at the end, are two."""
        assert source_of_address(one, max_mb=1).key != source_of_address(other, max_mb=1).key

    def test_a_copy_on_the_disk_does_not_take_an_address_away(
        self, cast: Cast, shelf: Collection, take: Taking
    ) -> None:
        """The same bytes are one document, which stays known by where it was fetched."""
        take("copy.md", "# May\n\nWords.", shelf, cast.staff)
        take(PAGE, "# May\n\nWords.", shelf, cast.staff)
        take("copy.md", "# May\n\nWords.", shelf, cast.staff)
        assert [document.source for document in Document.objects.all()] == [PAGE]
