"""From a mail on a server to the answer that cites it, for its owners and for nobody else."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from cryptography.fernet import Fernet
from pytest_django.fixtures import Settings

from core import api
from core.access.audiences import asker_for, audience_of
from core.errors import SourceError
from core.library.sync import credentials
from core.library.sync.connecting import connect
from core.library.sync.mail import mailbox
from core.library.sync.probing import probe
from core.library.sync.readers import apply_to_all
from core.library.sync.runs import start
from core.models import (
    Collection,
    CollectionRole,
    DataSource,
    Document,
    IntranetHost,
    Query,
    Role,
    SourceGroup,
    SyncRun,
    User,
    UserRole,
)
from core.testing import Cast
from core.types import Answer
from tests.integration.leaks.doors import ALL, said_by
from tests.integration.sync.servers.imap import PASSWORD, MailServer, serving_mails, write_mail
from tests.integration.sync.test_runs import outcomes, readable
from tests.integration.sync.working import work_to_the_end

pytestmark = pytest.mark.usefixtures("fast")

KEY = "INBOX;UIDVALIDITY=7/;UID={}"
QUESTION = "With which code does the vault in the harbour office open?"
SECRET = "quagmire-7741"


@pytest.fixture
def server(tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[MailServer]:
    """A server on a host inside that may be asked, with a mail from Bob to Alice, and Charlie in Cc."""
    settings.SOURCE_SECRET_KEYS = [Fernet.generate_key().decode()]
    with serving_mails(tmp_path, certified="localhost") as found:
        monkeypatch.setattr(mailbox, "trust_authorities", lambda: found.trusted)
        text = f"The vault in the harbour office opens with the code {SECRET} on weekdays."
        found.put(write_mail("Vault rules", text, From="Bob Berg <bob@example.com>", To="alice@example.com",
                             Cc="charlie@example.com"))  # fmt: skip
        yield found


@pytest.fixture
def source(server: MailServer, cast: Cast) -> DataSource:
    """Alice's mailbox, in a collection that the staff reads; her address stands for a role of hers alone."""
    IntranetHost.objects.create(name="localhost")
    shelf = Collection.objects.create(name="Mails")
    CollectionRole.objects.create(collection=shelf, role=cast.staff)
    source = DataSource(
        name="Alice's mails",
        kind="imap",
        settings=server.settings(host="localhost", owners=["alice@example.com"]),
        collection=shelf,
        takes_readers=True,
        requests_per_minute=0,
        most_withdrawn_percent=60,
    )
    credentials.keep(source, {"password": PASSWORD})
    source.save()
    source.roles.set([cast.staff])
    SourceGroup.objects.create(source=source, name="alice@example.com", role=cast.owners)
    return source


def sync(source: DataSource, **settings: object) -> SyncRun:
    """Ask it now, with other settings from now on."""
    source.settings = source.settings | settings
    source.save()
    run = start(source)
    work_to_the_end(run)
    run.refresh_from_db()
    return run


def ask(person: User) -> Query:
    """Ask for what stands in the mail."""
    said = api.ask(QUESTION, asker=asker_for(person), audience=audience_of([person.pk]))
    return Query.objects.get(request_id=said.request_id)


def test_a_mail_is_cited_to_its_owner_alone(source: DataSource, cast: Cast) -> None:
    """With its subject, sender and date. Who sent it, and who is in Cc, finds nothing, at no door."""
    run = sync(source)
    assert (run.state, run.error, run.to_load) == ("done", "", 1)
    document = Document.objects.get()
    assert (document.source, document.title, str(document.document_date)) == (
        KEY.format(1), "Vault rules", "2026-03-03",
    )  # fmt: skip
    assert document.source_url == ""
    said = api.ask(QUESTION, asker=asker_for(cast.alice), audience=audience_of([cast.alice.pk]))
    assert isinstance(said, Answer)
    assert SECRET in said.text
    [citation] = said.citations
    assert (citation.document_name, citation.authors, str(citation.document_date)) == (
        "Vault rules", "Bob Berg", "2026-03-03",
    )  # fmt: skip
    assert citation.full_citation == "Bob Berg (2026). Vault rules."
    query = Query.objects.get(request_id=said.request_id)
    for person in (cast.bob, cast.charlie):
        for of in (query, ask(person)):
            found = {door: words for door, words in said_by(ALL, person, of).items() if SECRET in words}
            assert found == {}
        both = api.ask(QUESTION, asker=asker_for(cast.alice), audience=audience_of([cast.alice.pk, person.pk]))
        assert SECRET not in str(both)


def test_other_owners_read_without_that_a_mail_is_loaded(source: DataSource, server: MailServer, cast: Cast) -> None:
    """With the next run: whoever is no owner any more has lost it, whoever is one now reads it."""
    assert sync(source).state == "done"
    role = Role.objects.create(name="charlie")
    UserRole.objects.create(user=cast.charlie, role=role)
    SourceGroup.objects.create(source=source, name="charlie@example.com", role=role)
    loaded = [said for said in server.said if "BODY" in said]
    document = Document.objects.get()
    assert outcomes(sync(source, owners=["Charlie@Example.com"])) == {(_name(source), "readers")}
    assert (readable(cast, cast.alice), readable(cast, cast.charlie)) == (set(), {document.source})
    assert [said for said in server.said if "BODY" in said] == loaded
    assert Document.objects.get().version == document.version
    assert sync(source, owners=["nobody@example.com"]).state == "done"
    assert readable(cast, cast.charlie) == set()
    assert set(source.groups.filter(role=None).values_list("name", flat=True)) == {"nobody@example.com"}


def _name(source: DataSource) -> str:
    return source.items.get().name


def test_the_library_is_kept_in_step(source: DataSource, server: MailServer, cast: Cast) -> None:
    """New mails come, deleted ones go, and nothing else is loaded."""
    sync(source)
    server.put(write_mail("Tides", "The tide is high at noon."))
    server.put(write_mail("Pier", "The pier is sold in May."))
    run = sync(source)
    assert {outcome for _, outcome in outcomes(run)} == {"added"}
    assert (run.to_load, sync(source).to_load) == (2, 0)
    server.boxes["INBOX"].mails[1].flags = "\\Deleted"
    assert {outcome for _, outcome in outcomes(sync(source))} == {"gone"}
    assert readable(cast, cast.alice) == {KEY.format(2), KEY.format(3)}


def test_a_listing_that_breaks_off_withdraws_nothing(
    source: DataSource, server: MailServer, cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The connection is lost between two slices: what was not named stays as it was."""
    monkeypatch.setattr(mailbox, "_AT_ONCE", 1)
    server.put(write_mail("Tides", "The tide is high at noon."))
    sync(source)
    both = {KEY.format(1), KEY.format(2)}
    assert readable(cast, cast.alice) == both
    answers = iter([b""])
    server.scripts["UID FETCH"] = lambda _: next(answers, None)
    run = sync(source)
    assert (run.state, outcomes(run)) == ("failed", set())
    assert "closed the connection" in run.error
    assert readable(cast, cast.alice) == both


def test_mails_that_are_numbered_anew_come_in_anew(source: DataSource, server: MailServer, cast: Cast) -> None:
    """Such a run asks before it withdraws what it named before."""
    sync(source)
    server.boxes["INBOX"].validity = 8
    assert sync(source).state == "asking"
    source.most_withdrawn_percent = 100
    source.runs.update(state="stopped")
    assert {outcome for _, outcome in outcomes(sync(source))} == {"gone", "added"}
    assert readable(cast, cast.alice) == {KEY.format(1).replace("=7", "=8")}


def test_a_test_of_the_connection_names_no_subjects(source: DataSource) -> None:
    """Whoever sets the source up need not be who reads it; neither is a subject in what the run reports."""
    found = probe(source)
    assert (found.groups, found.is_all, found.left_out) == (("alice@example.com",), True, 0)
    sync(source)
    told = [*found.names, *source.items.values_list("name", flat=True)]
    assert told == ["INBOX, mail 1 of 2026-03-03 07:30"] * 2


def test_a_mailbox_whose_readers_are_chosen_is_not_asked(source: DataSource, server: MailServer, cast: Cast) -> None:
    """However its row came to say so: neither chosen roles nor the collection's read a mail."""
    source.takes_readers = False
    source.save()
    with pytest.raises(SourceError, match="read only by those whom it names"):
        connect(source)
    run = sync(source)
    assert (run.state, server.connections) == ("failed", 0)
    apply_to_all(source)
    assert readable(cast, cast.bob) == set()
