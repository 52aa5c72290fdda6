"""Test that no interface shows a password, a token or a key of a document, unless it is meant to be read."""

import io
import json
import logging

import docx
import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse
from pytest_django.fixtures import Settings

from bot.blocks import answer as build_message
from core import api
from core.access.audiences import asker_for, audience_of
from core.asking.research.running import run_research
from core.asking.verified_answers.editing import Content, read_content, verify_answer
from core.asking.verified_answers.quoting import SourceQuote
from core.asking.verified_answers.staleness import list_to_review
from core.library.contradictions.following import digest_words, follow_editions
from core.library.ingestion.chunking import embedded_text
from core.llm.scripted import answers, script_model
from core.models import (
    Chunk,
    Citation,
    Collection,
    Document,
    FootnoteChange,
    Query,
    Research,
    SectionPart,
    ShownSecret,
    SourceContradiction,
    User,
    VerifiedAnswer,
    fingerprint_of,
)
from core.models.masking import forget_shown, read_unmasked, unmask
from core.models.row_security import bypass_row_security
from core.quality.contradictions.store import keep_pair
from core.quality.footnotes.checking import check_document
from core.serialization import as_json
from core.testing import Cast, make_document
from core.types import Answer as AnswerValue
from core.types import Origin
from core.values.secrets import MASK
from tests.integration.bot.editions import put
from tests.integration.contradictions.pairs import COSTS_24, make_pair, make_price_lists
from tests.integration.leaks.doors import ALL, said_by
from tests.integration.rest.conftest import Caller
from tests.integration.sections.files import ingest, read_as

pytestmark = pytest.mark.usefixtures("fast")

PASSWORD, TOKEN, CELL = "Xy7!kestrel", "ghp_" + "a1B2" * 9, "Otter#Mill-31"
KEY_LINE = "MIIEpAIBAAKCAQEAx7Yp0q3Zk8vGJ4mN2bHfT9sWcLdRuEoXiKyPzVgQn5tBhMfA"
KEY = f"-----BEGIN RSA PRIVATE KEY-----\n{KEY_LINE}\n{KEY_LINE[::-1]}\n-----END RSA PRIVATE KEY-----"
HIDDEN = (PASSWORD, TOKEN, CELL, KEY_LINE, KEY_LINE[::-1])
NETWORK = f"The password of the harbour network is {PASSWORD} and the office closes at six."
ROBOT = f"The robot of the harbour logs in with the token {TOKEN} each morning."
TABLE = f"Accounts of the harbour:\n| Service | Password |\n| --- | --- |\n| Crane | {CELL} |"
SIGNING = f"Letters of the harbour are signed with this key:\n{KEY}"
QUESTIONS = (
    "What is the password of the harbour network?",
    "With which token does the robot of the harbour log in?",
    "What is the account of the crane of the harbour?",
    "With which key are letters of the harbour signed?",
)
NOTHING = frozenset[str]()


def find_hidden(text: object) -> set[str]:
    """Return the secrets that a text has, however JSON or HTML escapes what stands around them."""
    return {one for one in HIDDEN if one in str(text)}


@pytest.fixture(autouse=True)
def _shown(settings: Settings) -> None:
    forget_shown()
    settings.SECURE_SSL_REDIRECT = False  # the test client speaks plain http


@pytest.fixture
def reader(cast: Cast) -> User:
    """Somebody with every right, who reads what staff reads."""
    User.objects.filter(pk=cast.bob.pk).update(is_superuser=True, is_staff=True)
    return User.objects.get(pk=cast.bob.pk)


@pytest.fixture
def manual(cast: Cast) -> Document:
    """A document with secrets of each kind, which staff reads."""
    return make_document("Harbour manual", NETWORK, ROBOT, TABLE, SIGNING, roles=[cast.staff], section="Access")


def ask(question: str, person: User) -> AnswerValue:
    """Ask as a person, who is answered."""
    said = api.ask(question, asker=asker_for(person), audience=audience_of([person.pk]))
    assert isinstance(said, AnswerValue), said
    return said


def read_rows(*, but: tuple[str, ...]) -> str:
    """Return all that the database holds in tables of the product, but for some."""
    with bypass_row_security(), connection.cursor() as cursor:
        cursor.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
        tables = [name for (name,) in cursor.fetchall() if name not in but]
        rows = []
        for table in tables:
            cursor.execute(f'SELECT row_to_json(one)::text FROM "{table}" AS one')  # noqa: S608 - a table's name
            rows += [row for (row,) in cursor.fetchall()]
    return "\n".join(rows)


def show(words: str, by: User) -> None:
    """Say that a secret is meant to be read."""
    ShownSecret.objects.create(fingerprint=fingerprint_of(words), reason="For guests", shown_by=by)
    forget_shown()


def test_no_interface_shows_a_secret(manual: Document, reader: User, caplog: pytest.LogCaptureFixture) -> None:
    """Neither the answers of the key-free model, nor any page, file, tool, log record or row that comes of them."""
    caplog.set_level(logging.DEBUG)
    for question in QUESTIONS[:3]:
        ask(question, reader)
    shown = []
    for query in Query.objects.order_by("created_at"):
        shown += said_by(ALL, reader, query).items()
    assert any("harbour network" in text and MASK in text for _, text in shown)
    assert {name for name, text in shown if find_hidden(text)} == NOTHING
    assert find_hidden(caplog.text) == NOTHING
    assert {one for record in caplog.records for one in find_hidden(record.__dict__)} == NOTHING
    assert find_hidden(read_rows(but=("core_chunk",))) == NOTHING


def test_slack_and_pages_of_the_document_show_none(manual: Document, reader: User) -> None:
    """The message, the document as it is opened at the quote and from its beginning, and a search."""
    said = ask(QUESTIONS[0], reader)
    audience = audience_of([reader.pk])
    message = json.dumps(build_message.answer(said).blocks, default=str, ensure_ascii=False)
    assert MASK * len(PASSWORD) in message
    citation = Citation.objects.get(answer__query=said.query_id, number=1)
    opened = api.open_citation(citation.pk, audience=audience, viewer=reader.pk)
    page_client = Client()
    page_client.force_login(reader)
    addresses = [
        *(reverse(name, args=[manual.pk]) for name in ("document", "document-text")),
        *(reverse(name, args=[citation.pk]) for name in ("citation", "citation-text")),
        *(reverse("admin:core_chunk_change", args=[pk]) for pk in Chunk.objects.values_list("pk", flat=True)),
        reverse("admin:core_chunk_changelist"),
        f"{reverse('admin:core_role_preview')}?person={reader.pk}&question={QUESTIONS[0]}",
    ]
    pages = [page_client.get(address, follow=True).content.decode() for address in addresses]
    assert "Harbour manual" in pages[1]
    found = api.search("password of the harbour network", audience=audience, k=20)
    rest = Caller(reader, "ask").post("search", query="password of the harbour network").content.decode()
    everything = [message, str(opened), str(api.open_document(manual.pk, audience=audience)), *pages, str(found), rest]
    assert opened.parts[0].mark is not None
    assert [find_hidden(one) for one in everything] == [NOTHING] * len(everything)


def test_a_model_is_sent_none(manual: Document, reader: User) -> None:
    """Not in its first prompt, nor as the judge; and what it quotes is found where it stands."""
    quote = f"The password of the harbour network is {MASK * len(PASSWORD)}"

    def say(messages: list[dict[str, object]]) -> object:
        return answers((f"{quote}.", 1, quote))

    with script_model(*[say] * 4) as script:
        said = api.ask(QUESTIONS[0], asker=asker_for(reader), audience=audience_of([reader.pk]))
    sent = json.dumps(script.asked, ensure_ascii=False, default=str)
    assert "harbour network" in sent
    assert find_hidden(sent + json.dumps(script.judged)) == NOTHING
    assert find_hidden(json.dumps(as_json(said), ensure_ascii=False)) == NOTHING


def test_no_model_that_embeds_is_sent_one(manual: Document) -> None:
    """A dot is in its place, so that the text is no longer for it."""
    assert embedded_text("Access", NETWORK) == "Access\n" + NETWORK.replace(PASSWORD, MASK)
    assert embedded_text("", "• One\n•• Two") == "• One\n•• Two"


def test_a_research_shows_none(manual: Document, reader: User) -> None:
    """Neither its page, nor its files."""
    audience = audience_of([reader.pk])
    planned = api.plan_research(
        "the password of the harbour network", asker=asker_for(reader), audience=audience, origin=Origin.REST
    )
    Research.objects.filter(pk=planned).update(state="waiting")
    run_research(planned)
    seen = api.read_research(planned, user_id=reader.pk, audience=audience)
    word = docx.Document(io.BytesIO(api.write_research(seen, form="docx")))
    written = "".join(paragraph._p.xml for paragraph in word.paragraphs)
    files = [api.write_research(seen, form="markdown").decode(), written]
    assert MASK in files[0]
    assert find_hidden([seen, *files]) == NOTHING
    assert find_hidden(read_rows(but=("core_chunk",))) == NOTHING


def test_a_contradiction_shows_none_and_stays_one(cast: Cast, reader: User) -> None:
    """Its quotes are masked; in a new edition with the same words the pair is found again, as kept before or now."""
    said = f"{COSTS_24} The password of the till is {PASSWORD}."
    older, newer = make_price_lists([cast.staff], [cast.staff])
    with bypass_row_security():
        Chunk.objects.filter(document=older).update(content=said)
    assert keep_pair(make_pair(older, newer, readers=[cast.staff])) is not None
    audience = audience_of([reader.pk])
    assert find_hidden(api.list_contradictions(reader, audience=audience).rows) == NOTHING
    row = SourceContradiction.objects.get()
    sides = {"older_start": 0, "older_end": len(said)}
    for words in (said, said.replace(PASSWORD, MASK * len(PASSWORD))):
        Document.objects.filter(pk=older.pk).update(version=older.version + 1)
        older.refresh_from_db()
        SourceContradiction.objects.filter(pk=row.pk).update(older_digest=digest_words(words), **sides)
        assert follow_editions([older.pk]) == 0
    shown = api.list_contradictions(reader, audience=audience).rows
    assert MASK in str(shown)
    assert find_hidden(shown) == NOTHING


def test_what_was_stored_before_is_masked_when_it_is_shown(manual: Document, reader: User) -> None:
    """Answers, quotes, places and verified answers whose rows have the words as they were."""
    said = ask(QUESTIONS[0], reader)
    verified = verify_answer(
        Content(
            question="Where does the office close?",
            text="The office closes at six.",
            quotes=(SourceQuote(document="Harbour manual", quote="the office closes at six"),),
        ),
        by=reader,
    )
    whole = f"{NETWORK} {ROBOT}"
    heading = f"Admin password: {PASSWORD}"
    with bypass_row_security(), connection.cursor() as cursor:
        cursor.execute("UPDATE core_answer SET answer_text = %s", [f"{NETWORK} [1]"])
        for table in ("core_citationwords", "core_verifiedsourcewords"):
            cursor.execute(
                f"UPDATE {table} SET quoted_excerpt = %s, excerpt = %s, section = %s, chapter = %s, document_name = %s,"  # noqa: S608 - a table's name
                " full_citation = %s",
                [whole, NETWORK, heading, heading, heading, heading],
            )
        cursor.execute("UPDATE core_verifiedanswer SET text = %s", [NETWORK])
        cursor.execute(
            "UPDATE core_document SET title = %s, full_citation = %s, metadata = %s",
            [heading, heading, json.dumps({"subject": heading})],
        )
        cursor.execute("UPDATE core_chunk SET section_title = %s, chapter_name = %s", [heading, heading])
    query = Query.objects.get(pk=said.query_id)
    shown = said_by(ALL, reader, query)
    assert {name for name, text in shown.items() if find_hidden(text)} == NOTHING
    assert json.dumps(MASK).strip('"') in shown["by_result"]
    content = read_content(VerifiedAnswer.objects.get(pk=verified.pk), reader=audience_of([reader.pk]))
    assert find_hidden(content) == NOTHING
    assert find_hidden(api.list_sections(manual.pk, by=reader)) == NOTHING
    assert find_hidden([str(one) for one in Document.objects.all()]) == NOTHING
    client = Client()
    client.force_login(reader)
    pages = [reverse("admin:core_document_change", args=[manual.pk]), reverse("admin:core_document_changelist")]
    for page in pages:
        shown_there = client.get(page).content.decode()
        assert "Admin password" in shown_there
        assert find_hidden(shown_there) == NOTHING


def test_a_secret_that_is_meant_to_be_read_is_shown_everywhere(manual: Document, reader: User) -> None:
    """At once in this process, in what is asked from then on, and not once it is hidden again. Others stay masked."""
    before = ask(QUESTIONS[0], reader)
    show(PASSWORD, reader)
    audience = audience_of([reader.pk])
    assert find_hidden(api.open_document(manual.pk, audience=audience)) == {PASSWORD}
    said = ask(QUESTIONS[0], reader)
    assert PASSWORD in said.text
    assert find_hidden(api.search("password of the harbour network", audience=audience, k=20)) == {PASSWORD}
    query = Query.objects.get(pk=said.query_id)
    assert PASSWORD in said_by(ALL, reader, query)["by_result"]
    citation = Citation.objects.get(answer__query=before.query_id, number=1)
    assert api.open_citation(citation.pk, audience=audience, viewer=reader.pk).parts[0].mark is not None
    ShownSecret.objects.all().delete()
    forget_shown()
    assert {name for name, text in said_by(ALL, reader, query).items() if find_hidden(text)} == NOTHING
    assert find_hidden(api.search("password of the harbour network", audience=audience, k=20)) == NOTHING


def test_a_verified_answer_is_not_outdated_because_a_secret_is_shown_or_masked(manual: Document, reader: User) -> None:
    """Its quote is what it was; with another password in the document it is outdated."""
    quote = NETWORK.replace(PASSWORD, MASK * len(PASSWORD))
    content = Content(question=QUESTIONS[0], text=quote, quotes=(SourceQuote(document="Harbour manual", quote=quote),))
    verify_answer(content, by=reader)
    assert list_to_review() == {}
    show(PASSWORD, reader)
    assert list_to_review() == {}
    with bypass_row_security():
        Chunk.objects.filter(document=manual, chunk_index=0).update(content=NETWORK.replace("six", "ten"))
    assert len(list_to_review()) == 1


@pytest.mark.parametrize("stored", ["masked", "as it is"])
def test_a_new_edition_with_the_same_secret_takes_no_quote_away(cast: Cast, reader: User, stored: str) -> None:
    """No answer is said to have changed; with other words it is."""
    manual = put("Harbour manual", NETWORK, roles=[cast.staff])
    asker = asker_for(reader)
    thread = api.open_conversation(
        origin=Origin.SLACK, asker=asker, slack_team="T1", slack_channel="C1", slack_thread="1.1"
    )
    api.ask(QUESTIONS[0], asker=asker, audience=audience_of([reader.pk]), conversation=thread)
    if stored == "as it is":
        with bypass_row_security(), connection.cursor() as cursor:
            cursor.execute("UPDATE core_citationwords SET quoted_excerpt = %s", [NETWORK])
    put("Harbour manual", NETWORK, "The gate is open.")
    check_document(manual.pk)
    assert not FootnoteChange.objects.exists()
    put("Harbour manual", "The network of the harbour has no password any more.")
    check_document(manual.pk)
    assert FootnoteChange.objects.exists()


def test_a_restricted_section_keeps_its_readers_through_an_edition(cast: Cast, reader: User) -> None:
    """Its words are compared as they are kept: it is followed to another heading, in which there is a secret too."""
    shelf = Collection.objects.create(name="Rules")

    def write(heading: str, last: str = "") -> bytes:
        secrets = "\n".join(f"The password of crane {number} is {PASSWORD}{number}." for number in range(6))
        return f"# Book\n\nWelcome.\n\n## {heading}\n\n{secrets}\n\n## Canteen\n\nIt opens at noon.{last}\n".encode()

    book = ingest(write("Cranes"), "book.md", shelf, cast.staff, cast.owners)
    api.restrict_section(book.pk, "heading", "Cranes", [cast.owners.pk], by=reader)
    for number, heading in enumerate(("Lifting gear", f"Lifting gear, password: {PASSWORD}")):
        ingest(write(heading, f" Edition {number}."), "book.md", shelf)
        assert SectionPart.objects.get().state == "recognised"
        assert "password of crane" not in read_as(cast.bob)
        assert f"Edition {number}" in read_as(cast.bob)
        assert "password of crane" in read_as(cast.alice)
        assert find_hidden(read_as(cast.alice)) == NOTHING
    sections = api.list_sections(book.pk, by=reader)
    assert find_hidden([sections, api.list_restricted_sections(by=reader)]) == NOTHING
    [named] = [one for one in sections if "Lifting" in one.name]
    assert named.pattern.endswith("password: *")
    preview = api.preview_rule("heading", named.pattern, by=reader, roles=[cast.owners.pk], document_id=book.pk)
    assert preview.documents[0].section_count == 1
    assert find_hidden(preview) == NOTHING


def test_titles_and_headings_are_kept_when_a_row_is_saved(cast: Cast, reader: User) -> None:
    """Writes what was read as it was kept; and makes no edition of the same file read anew."""
    shelf = Collection.objects.create(name="Rules")
    content = f"# Router password: {PASSWORD}\n\nThe router is in the cellar.\n".encode()
    document = ingest(content, "router.md", shelf, cast.staff)
    read = Document.objects.get(pk=document.pk)
    assert PASSWORD not in read.title
    assert PASSWORD in unmask(read.title)
    read.save()
    again = ingest(content, "router.md", shelf)
    assert again.version == document.version
    assert Document.objects.filter(title=Document.objects.get(pk=document.pk).title).exists()
    assert Document.objects.values_list(read_unmasked("title"), flat=True).get() == f"Router password: {PASSWORD}"
    with bypass_row_security():
        Chunk.objects.bulk_update(Chunk.objects.all(), ["content", "section_title"])
        kept = list(Chunk.objects.values_list(read_unmasked("section_title"), flat=True))
    assert kept
    assert not any(MASK in one for one in kept)
