"""A restricted section stays its readers' by every door, whatever becomes of the rule, the document and its grants.

Bob reads the handbook and not its section; Alice, who holds his role and her own, reads both. Each has answers from
before it was restricted.
"""

import datetime as dt
import json
from collections.abc import Callable
from uuid import UUID

import pytest
from django.contrib.auth.models import Permission
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from core import api
from core.access.audiences import asker_for, audience_of
from core.access.changes import apply_change, plan_change
from core.access.grants import grant, revoke, take_expired
from core.access.withdrawal import restore, withdraw
from core.asking.suggestions.suggesting import candidates
from core.asking.verified_answers.editing import Content, verify_answer
from core.asking.verified_answers.quoting import SourceQuote
from core.errors import NotFoundError
from core.library.ingestion.store import save_description
from core.models import (
    AuditEvent,
    Chunk,
    CitationWords,
    Collection,
    CollectionRole,
    Document,
    Query,
    RoleDocumentAccess,
    SectionRule,
    User,
    VerifiedSourceWords,
)
from core.models.row_security import as_audience, showing_quotes_to
from core.quality.contradictions.looking import look_soon
from core.quality.examination.questions import write_questions
from core.quality.footnotes.checking import check_document
from core.quality.gaps.assigning import assign_new_questions
from core.testing import Cast, fetch_chunks
from core.types import Audience, Filters
from tests.integration.leaks.doors import ALL, CHEAP, by_mcp, said_by, said_of_each
from tests.integration.leaks.test_editions import looking  # noqa: F401 - a fixture
from tests.integration.leaks.worlds import logged
from tests.integration.rest.conftest import Caller
from tests.integration.sections.files import HOLIDAYS, NOTICE, WARNINGS, WELCOME, handbook, ingest, split_now

pytestmark = pytest.mark.usefixtures("floors", "fast")

QUESTION = "Who may approve overtime of many hours?"
OPEN_QUESTION = "How many days of holiday does everybody have?"
HEADING, OTHER_HEADING = "Quokka matters", "Wombat matters"
LATER = (
    "Supervisors may approve overtime of up to twelve hours a week without asking the board. Warnings are written in "
    "the presence of three notaries and kept in the locked cabinet of the second floor for three years."
)
# Of the section alone, in any of its editions: of its text and of its headings.
CANARIES = ("ten hours", "two witnesses", "brought to the gate", "twelve hours", "three notaries", "uokka", "ombat")
CANARIES += ("Dismissal", "#section-")
Step = Callable[["Place"], None]


class Place:
    """The handbook on a shelf whose documents staff and owners receive, its section open to both at first."""

    def __init__(self, cast: Cast) -> None:
        self.cast = cast
        self.root = User.objects.create_superuser("root@example.com", password="!")
        self.shelf = Collection.objects.create(name="Rules")
        for role in (cast.staff, cast.owners):
            CollectionRole.objects.create(collection=self.shelf, role=role)
        self.document = self.put(heading=HEADING)
        self.asked: list[Query] = []

    def put(self, **texts: str) -> Document:
        """Ingest an edition."""
        return ingest(handbook(**texts), "handbook.md", self.shelf)

    def put_text(self, *sections: str) -> None:
        """Ingest an edition of other sections."""
        ingest("\n\n".join(("# Handbook", WELCOME, *sections)).encode(), "handbook.md", self.shelf)

    def ask(self, person: User) -> None:
        """Ask about the section."""
        said = api.ask(QUESTION, asker=asker_for(person), audience=audience_of([person.pk]))
        self.asked.append(Query.objects.get(request_id=said.request_id))

    def look_through(self) -> None:
        """Do what the worker does after a change and by night."""
        for pk in Document.objects.values_list("pk", flat=True):
            check_document(pk)
        look_soon()
        assign_new_questions()
        write_questions(6)


def by_hand(place: Place) -> None:
    """For owners, in this document."""
    api.restrict_section(place.document.pk, "heading", HEADING, [place.cast.owners.pk], by=place.root)


def by_collection(place: Place) -> None:
    """For owners, in all documents of the shelf, by the beginning of the heading."""
    api.add_rule(place.shelf.pk, "heading", "quokka*", [place.cast.owners.pk], by=place.root)
    split_now()


def by_label(place: Place) -> None:
    """By the word with which the heading begins, with what is below it."""
    api.restrict_section(place.document.pk, "label", "Quokka", [place.cast.owners.pk], by=place.root)


def by_two_rules(place: Place) -> None:
    """For both roles by the shelf's rule, and for owners alone by the document's own."""
    both = [place.cast.owners.pk, place.cast.staff.pk]
    api.add_rule(place.shelf.pk, "heading", HEADING, both, by=place.root)
    split_now()
    by_hand(place)


def for_nobody(place: Place) -> None:
    """For no role at all."""
    api.restrict_section(place.document.pk, "heading", HEADING, [], by=place.root)


def nothing(place: Place) -> None:
    """Leave all as it is."""


def other_text(place: Place) -> None:
    """The same heading, and other words below it."""
    place.put(heading=HEADING, warnings=LATER)


def renamed(place: Place) -> None:
    """Another heading, and a few other words."""
    place.put(heading=OTHER_HEADING, warnings=WARNINGS.replace("three years", "four years"))


def moved(place: Place) -> None:
    """A part of the text stands at the end of an open section, too."""
    place.put(heading=HEADING, last=WARNINGS.partition(". ")[0] + ".")


def split(place: Place) -> None:
    """Two sections in the place of one, under other headings."""
    first, _, second = WARNINGS.partition(". ")
    place.put_text(f"## Wombat hours\n\n{first}.", f"## Wombat warnings\n\n{second}", f"### Dismissal\n\n{NOTICE}")


def pasted_open(place: Place) -> None:
    """The text without any heading of its own, in an open section."""
    place.put_text(f"## Holidays\n\n{HOLIDAYS}\n\n{WARNINGS}\n\n{NOTICE}")


def gone(place: Place) -> None:
    """Neither heading nor text."""
    place.put_text(f"## Holidays\n\n{HOLIDAYS}")


def described_anew(place: Place) -> None:
    """Another title by hand."""
    document = Document.objects.get(pk=place.document.pk)
    document.title = "Handbook of the harbour"
    save_description(document, ["title"])


def handed_in_again(place: Place) -> None:
    """The very same file."""
    place.put(heading=HEADING)


def in_another_collection(place: Place) -> None:
    """Moved by an administrator, to where staff receive everything."""
    other = Collection.objects.create(name="Notices")
    CollectionRole.objects.create(collection=other, role=place.cast.staff)
    document = Document.objects.get(pk=place.document.pk)
    document.collection = other
    save_description(document, ["collection"])
    ingest(handbook(heading=HEADING, warnings=LATER), "handbook.md", other)


def granted_again(place: Place) -> None:
    """Bob's role loses the document and gets it again, with others of the collection."""
    revoke(place.cast.staff, [place.document], by=None)
    apply_change(plan_change(gives=True, collections=[(place.cast.staff.pk, place.shelf.pk)]), by=place.root)


def granted_with_all_there_is(place: Place) -> None:
    """Every document there is in the table, parts among them, as by a careless command."""
    grant(place.cast.staff, Document.objects.all(), by=None)


def expired(place: Place) -> None:
    """The grant of Alice's own role comes to its end."""
    now = timezone.now() - dt.timedelta(seconds=1)
    RoleDocumentAccess.objects.filter(role=place.cast.owners, document=place.document).update(expires_at=now)
    take_expired()


def withdrawn_and_back(place: Place) -> None:
    """Withdrawn as by a data source, and restored for all of its roles."""
    withdraw([place.document.pk])
    restore([place.document.pk], roles=[place.cast.staff, place.cast.owners])


def given_to_nobody(place: Place) -> None:
    """The rule names no role any more."""
    for rule in SectionRule.objects.all():
        api.change_rule(rule.pk, [], by=place.root)


def without_its_role(place: Place) -> None:
    """The role that the rule names is deleted."""
    place.cast.owners.delete()


RESTRICTED: tuple[Step, ...] = (by_hand, by_collection, by_label, by_two_rules, for_nobody)
HAPPENS: tuple[Step, ...] = (
    *(nothing, other_text, renamed, moved, split, pasted_open, gone, described_anew, handed_in_again),
    *(in_another_collection, granted_again, granted_with_all_there_is, expired, withdrawn_and_back),
    *(given_to_nobody, without_its_role),
)
PAIRS = [*((by_hand, then) for then in HAPPENS)]
PAIRS += [(how, then) for how in RESTRICTED[1:] for then in (renamed, pasted_open, in_another_collection)]
# Of another text, of another reader and of another place one each; the others take many times as long.
QUICK = {(by_hand, granted_with_all_there_is), (by_two_rules, pasted_open), (by_collection, in_another_collection)}
CASES = [pytest.param(*pair, marks=() if pair in QUICK else pytest.mark.slow) for pair in PAIRS]


@pytest.mark.parametrize(("how", "then"), CASES, ids=lambda step: step.__name__)
def test_no_door_shows_a_section_to_who_may_not_read_it(looking: Cast, how: Step, then: Step) -> None:  # noqa: F811
    """Nor its heading, however it was restricted and whatever happened after; not in what was answered before, too."""
    place = Place(looking)
    place.ask(looking.bob)
    place.ask(looking.alice)
    quote = SourceQuote(document=str(place.document.pk), quote=WARNINGS.partition(". ")[0])
    content = Content(question=QUESTION, text=quote.quote + ".", quotes=(quote,))
    verify_answer(content, by=looking.alice)
    with logged() as lines:
        how(place)
        place.ask(looking.alice)
        then(place)
        place.look_through()
        place.ask(looking.alice)
    assert not find_canaries("\n".join(lines))
    for door, said in said_of_each(CHEAP, looking.bob, place.asked):
        assert not find_canaries(said), door
    for query in (place.asked[0], place.asked[-1]):
        for door, said in said_by(set(ALL) - set(CHEAP), looking.bob, query).items():
            assert not find_canaries(said), door
    for door, said in say_of_library(place, looking.bob).items():
        assert not find_canaries(said), door
    for readers in ([looking.bob], [looking.alice, looking.bob], [looking.alice, None], [looking.charlie]):
        audience = audience_of([one.pk if one else None for one in readers])
        assert not find_canaries(read_as(audience)), readers
        assert not find_canaries(ask_openly(audience, looking.bob)), readers
    told = json.dumps(list(AuditEvent.objects.values_list("details", flat=True)), default=str)
    assert not find_canaries(told)


def test_the_doors_show_it_to_its_readers(looking: Cast) -> None:  # noqa: F811
    """Else they would prove nothing: to both before it is restricted, and to Alice after that."""
    place = Place(looking)
    place.ask(looking.bob)
    shown = {door for door, said in said_by(ALL, looking.bob, place.asked[0]).items() if find_canaries(said)}
    assert shown >= {"by_result", "by_quotes", "by_citation", "by_follow_up", "by_mcp", "by_rest", "by_admin"}
    by_hand(place)
    place.ask(looking.alice)
    told = said_by(ALL, looking.alice, place.asked[1]) | say_of_library(place, looking.alice)
    shown = {door for door, said in told.items() if find_canaries(said)}
    assert shown >= {"by_result", "by_quotes", "by_citation", "by_follow_up", "by_mcp", "by_rest", "by_admin"}
    assert shown >= {"suggestions", "opened", "passages", "pages", "mcp"}


def test_what_a_file_states_of_itself_is_for_who_may_read_all_of_it(looking: Cast) -> None:  # noqa: F811
    """An abstract may tell of any section, and a hash confirms what somebody guesses of one."""
    place = Place(looking)
    told = (CANARIES[0], place.document.content_hash)
    Document.objects.filter(pk=place.document.pk).update(metadata={"abstract": f"On overtime of {CANARIES[0]}"})
    page = reverse("admin:core_document_change", args=[place.document.pk])
    for step, sees in ((nothing, True), (by_hand, False)):
        step(place)
        for person, sees_it in ((looking.alice, True), (looking.bob, sees)):
            person.user_permissions.add(Permission.objects.get(codename="view_chunk"))
            browser = Client()
            browser.force_login(person)
            shown = browser.get(page).content.decode()
            assert [one in shown for one in told] == [sees_it] * 2


def find_canaries(text: str) -> set[str]:
    """Return the words of the section that stand in a text, in whatever form a text is written down."""
    return {one for one in CANARIES if one in text}


def read_as(audience: Audience) -> str:
    """Return what SQL without any filter shows of passages and quotes, for an audience, by row security."""
    with as_audience(audience), connection.cursor() as cursor:
        cursor.execute("SELECT content || section_title || chapter_name || context FROM core_chunk")
        shown = [text for (text,) in cursor.fetchall()] if is_forced("core_chunk") else []
        shown += Chunk.objects.visible_to(audience).values_list("content", flat=True)
    with showing_quotes_to(audience):
        for model in (CitationWords, VerifiedSourceWords):
            rows = model.objects.all() if is_forced(model._meta.db_table) else model.objects.none()
            shown += [str(row) for row in rows.values_list()]
    return "\n".join(shown)


def is_forced(table: str) -> bool:
    """Return True if row security holds for the owner of a table too, which a fixture takes away."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT relforcerowsecurity FROM pg_class WHERE relname = %s", [table])
        return bool(cursor.fetchone()[0])


def ask_openly(audience: Audience, asker: User) -> str:
    """Return what an audience is told: answers, searches under filters, and what helps after a refusal."""
    said: list[object] = []
    for question in (QUESTION, OPEN_QUESTION, "What happens to whoever is dismissed?"):
        result = api.ask(question, asker=asker_for(asker), audience=audience)
        said += [result, api.guidance(result.request_id, audience=audience)]
        for filters in (Filters(), Filters(section=HEADING), Filters(chapter="wombat"), Filters(source="Handbook")):
            # What was asked for stands in a search's reason and filters.
            said += api.search(question, audience=audience, filters=filters, k=50).passages
    for filters in (Filters(source="Quokka"), Filters(source="section-"), Filters(collection="Rules")):
        listed = api.readable_documents(audience, filters=filters)
        said += [listed, listed.total]
        assert listed.total <= 1
        if filters.source:
            assert listed.total == 0
    return "\n".join(map(str, said))


def say_of_library(place: Place, person: User) -> dict[str, str]:
    """Return what lists, pages and opened documents say to a person, by the door."""
    audience, caller = audience_of([person.pk]), Caller(person, "ask", "reports", "ingest", "grant")
    ids = [place.document.pk, *Document.objects.filter(part_of=place.document).values_list("pk", flat=True)]
    rest = ["documents", "grants", "roles", "collections", "contradictions", "ingestion", "gaps", "reports/editions"]
    rest += ["reports/sections", "section-rules", "section-parts"]
    rest += [f"documents/{pk}{end}" for pk in ids for end in ("", "/sections")]
    browser = Client()
    browser.force_login(person)
    pages = [reverse(f"admin:core_{name}_changelist") for name in ("document", "chunk", "sourcecontradiction")]
    pages += [reverse("admin:core_document_change", args=[pk]) for pk in ids]
    pages += [f"/documents/{pk}/{end}" for pk in ids for end in ("", "text/", "original")]
    return {
        "lists": str((api.readable_collections(audience), api.readable_documents(audience))),
        "new": str(api.new_documents(audience, since=timezone.now() - dt.timedelta(days=9))),
        "suggestions": str((list(candidates(audience)), api.suggested_questions(audience, limit=9))),
        "opened": "".join(open_as(pk, audience) for pk in ids),
        "passages": "".join(read_passage(chunk.pk, audience) for chunk in fetch_chunks()),
        "rest": "".join(caller.get(address).content.decode() for address in rest),
        "pages": "".join(browser.get(page, follow=True).content.decode() for page in pages),
        "mcp": by_mcp(person, place.asked[0]),
    }


def open_as(document: UUID, audience: Audience) -> str:
    """Return a document as it opens, or nothing where it does not."""
    try:
        return str(api.open_document(document, audience=audience))
    except NotFoundError:
        return ""


def read_passage(chunk: UUID, audience: Audience) -> str:
    """Return a passage, or nothing where it may not be read."""
    try:
        return str(api.passage(chunk, audience=audience))
    except NotFoundError:
        return ""
