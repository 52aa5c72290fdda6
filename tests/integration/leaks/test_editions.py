"""Words belong to an edition: whoever reads a later one is shown none of an earlier one that was never theirs.

The rule in plain Python: an edition is for the roles that were granted the document while it, or an edition before it,
was current, and that have not lost the document since. What a section says while a rule restricts it is for those of
them that the rule has named since then. Whom the rule does not name has the editions before it closed.
"""

import dataclasses
import datetime as dt
from collections.abc import Iterator
from contextlib import contextmanager
from uuid import UUID

import pytest
from django.contrib.auth.models import Permission
from django.db import connection, transaction
from django.utils import timezone
from hypothesis import example, given
from hypothesis import strategies as st
from pytest_django import Settings

from core import api
from core.access.audiences import asker_for, audience_of, readable_editions
from core.access.grants import grant, revoke, take_expired
from core.access.withdrawal import restore, withdraw
from core.asking.answering.query_rewriting import correct_spelling
from core.asking.verified_answers.editing import Content, read_for_take_over, save_draft, verify_answer
from core.asking.verified_answers.quoting import SourceQuote
from core.errors import NotFoundError
from core.library import embedding
from core.library.ingestion.document import Block, ParsedDocument
from core.library.ingestion.store import draft, embed, save_description, store, write
from core.library.ingestion.target import IngestTarget
from core.library.originals.keeping import Original, hash_content
from core.models import (
    Chunk,
    Citation,
    Collection,
    Document,
    Query,
    Role,
    RoleDocumentAccess,
    SectionRule,
    User,
    UserRole,
    VerifiedAnswer,
)
from core.models.row_security import bypass_row_security
from core.testing import Cast
from core.types import Edition, Origin
from tests.integration.asked import add_citation
from tests.integration.leaks.doors import ALL, CHEAP, by_quotes, by_result, said_by, said_of_each
from tests.integration.leaks.worlds import tried

pytestmark = pytest.mark.usefixtures("floors", "fast")

QUESTION = "With which code does the vault in the harbour office open?"
KEPT = "The porter sweeps the pier each morning."  # stands in every edition
NAMES = ("crew", "board", "guests")
STEPS = ("load", "rename", "grant", "revoke", "expire", "withdraw", "restore")
STEPS += ("ask", "ask on", "ask again", "vote", "verify", "draft", "restrict", "open")
HEADING = "Opening quokka"  # the section's that is restricted
OF_ROLES = {"grant", "revoke", "expire", "restrict"}  # steps


def code(number: int) -> str:
    """Return a word that is in one edition alone."""
    return f"K{7000 + number}"


def name(number: int) -> str:
    """Return the document's name in one edition alone."""
    return f"Vault rules T{8000 + number}"


def load(number: int, *, roles: tuple[Role, ...] = (), text: int | None = None) -> Document:
    """The document in an edition of that number, brought in as from the command line."""
    shelf, _ = Collection.objects.get_or_create(name="Manuals")
    words = f"The vault in the harbour office opens with the code {code(number if text is None else text)} on weekdays."
    blocks = (Block(text=words, section=HEADING), Block(text=KEPT, section="Sweeping"))
    parsed = ParsedDocument(title=name(number), blocks=blocks)
    return store(parsed, collection=shelf, source="vault.md", content_hash=words[-20:], roles=roles)


@dataclasses.dataclass(slots=True)
class Section:
    """What the restricted section says in one edition, and to which roles, by number."""

    edition: Edition  # of the part
    marks: tuple[str, ...]
    readers: set[int]


@dataclasses.dataclass(slots=True)
class Told:
    """The rule's expected result, kept beside the database."""

    roles: list[Role]
    people: list[User]
    held: list[set[int]]  # numbers of roles, by person
    root: User
    editions: list[tuple[str, ...]] = dataclasses.field(default_factory=list)  # the marks of each
    readers: list[set[int]] = dataclasses.field(default_factory=list)  # numbers of roles, by edition
    granted: set[int] = dataclasses.field(default_factory=set)  # now
    aside: set[int] = dataclasses.field(default_factory=set)  # while it is withdrawn
    is_withdrawn: bool = False
    loads: int = 0
    requests: list[Query] = dataclasses.field(default_factory=list)
    code: str = ""  # that the section says now
    named: set[int] | None = None  # roles, by the rule that restricts it; None while there is none
    sections: list[Section] = dataclasses.field(default_factory=list)
    was_restricted: bool = False

    @property
    def document(self) -> Document:
        return Document.objects.whole().get()

    @property
    def part(self) -> Document:
        """The restricted section, or the document while there is none."""
        restricted = Document.objects.filter(part_of__isnull=False, chunk_count__gt=0)
        return restricted.first() or self.document

    def may_read(self, person: int, edition: int) -> bool:
        """By the rule."""
        return bool(self.held[person] & self.readers[edition] & self.granted)

    def forbidden(self, person: int) -> set[str]:
        """The marks of editions that a person may not read, and no mark of one that they may."""
        numbers = range(len(self.editions))
        allowed = {mark for number in numbers if self.may_read(person, number) for mark in self.editions[number]}
        allowed |= {mark for one in self.sections if self.may_read_section(person, one) for mark in one.marks}
        every = [*self.editions, *(one.marks for one in self.sections)]
        return {mark for marks in every for mark in marks} - allowed

    def may_read_section(self, person: int, section: Section) -> bool:
        """By the rule."""
        return bool(self.held[person] & section.readers & self.granted)

    def may_read_code(self, person: int) -> bool:
        """By the rule, what the section says now."""
        if self.named is None:
            return self.may_read(person, len(self.editions) - 1)
        return self.may_read_section(person, self.sections[-1])

    def take(self, step: tuple[str, int]) -> None:
        """Let something happen. step: what, and to or by whom."""
        what, number = step
        role, person = number % len(self.roles), number % len(self.people)
        getattr(self, f"_{what.replace(' ', '_')}")(role if what in OF_ROLES else person)

    def _load(self, _: int) -> None:
        self.loads += 1
        load(self.loads)
        self.code = code(self.loads)
        self._begin_edition()

    def _rename(self, _: int) -> None:
        document, self.loads = self.document, self.loads + 1
        document.title = name(self.loads)
        save_description(document, ["title"])
        self._begin_edition()

    def _begin_edition(self) -> None:
        said, called = (self.code, HEADING), (name(self.loads),)
        granted = self.aside if self.is_withdrawn else self.granted
        self.editions.append(called if self.named is not None else said + called)
        self.readers.append(set(granted))
        if self.named is not None:
            part = self.part
            assert part.part_of_id is not None
            edition = Edition(part.pk, len(self.editions))
            self.sections.append(Section(edition, said, granted & self.named))

    def _restrict(self, role: int) -> None:
        """Let one role alone read the section, as a new rule or instead of the one before."""
        before, self.named = self.named, {role}
        api.restrict_section(self.document.pk, "heading", HEADING, [self.roles[role].pk], by=self.root)
        self.was_restricted = True
        for readers in [*self.readers, *(one.readers for one in self.sections)]:
            # Those that it does not name lose what they read; those that it did not name before gain nothing of that.
            readers.difference_update(set(range(len(self.roles))) - {role} if before is None else before - {role})
        for one in self.sections:
            one.readers &= before or set()
        if before is not None:
            self.sections[-1].readers |= (self.aside if self.is_withdrawn else self.granted) & {role}
        if self.document.version > len(self.editions):
            self._begin_edition()

    def _open(self, _: int) -> None:
        """Take the rule away. What it restricted before is nobody's any more."""
        rule = SectionRule.objects.first()
        if rule is not None:
            api.remove_rule(rule.pk, by=self.root)
            self.named = None
            for one in self.sections:
                one.readers.clear()
            self._begin_edition()

    def _grant(self, role: int) -> None:
        grant(self.roles[role], [self.document], by=None)
        if not self.is_withdrawn and role not in self.granted:
            self.granted.add(role)
            self.readers[-1].add(role)
            if self.named is not None and role in self.named:
                self.sections[-1].readers.add(role)

    def _revoke(self, role: int) -> None:
        revoke(self.roles[role], [self.document], by=None)
        self._lose(role)

    def _expire(self, role: int) -> None:
        """The end of a grant, seen by the clock before anything is taken away."""
        now = timezone.now() - dt.timedelta(seconds=1)
        if RoleDocumentAccess.objects.filter(role=self.roles[role]).update(expires_at=now):
            self.granted.discard(role)
            take_expired()
            self._lose(role)

    def _lose(self, role: int) -> None:
        self.granted.discard(role)
        self.aside.discard(role)
        for readers in [*self.readers, *(one.readers for one in self.sections)]:
            readers.discard(role)

    def _withdraw(self, _: int) -> None:
        withdraw([self.document.pk])
        if not self.is_withdrawn:
            self.aside, self.granted, self.is_withdrawn = self.granted, set(), True

    def _restore(self, _: int) -> None:
        restore([self.document.pk], roles=self.roles)
        if self.is_withdrawn:
            self.granted, self.aside, self.is_withdrawn = self.aside, set(), False

    def _ask(self, person: int) -> None:
        self.requests.append(_ask_in_thread(QUESTION, self.people[person]))

    def _ask_on(self, person: int) -> None:
        if self.requests:
            self.requests.append(_ask_in_thread("And on which days?", self.people[person]))

    def _ask_again(self, person: int) -> None:
        """Somebody asks the last question again, in private."""
        if self.requests:
            asker, last = self.people[person], self.requests[-1]
            audience = audience_of([asker.pk])
            said = api.ask(last.question_text, asker=asker_for(asker), audience=audience, again=last.pk)
            self.requests.append(Query.objects.get(request_id=said.request_id))

    def _vote(self, person: int) -> None:
        """Enough people vote the last answer up that it is suggested for verifying."""
        for voter in self.people if self.requests else ():
            api.give_feedback(self.requests[-1].request_id, user_id=voter.pk, verdict="up")

    def _draft(self, person: int) -> None:
        """Take the last answer over as a draft, which quotes the document's words of now."""
        writer, drafts = self.people[person], VerifiedAnswer.objects.filter(verified_at=None)
        if not self.requests or drafts.count() > 1 or not self.may_read(person, len(self.editions) - 1):
            return
        try:
            taken = read_for_take_over(self.requests[-1], by=writer)
        except NotFoundError:
            return
        quotes = (SourceQuote(document=str(self.document.pk), quote=KEPT),)
        save_draft(dataclasses.replace(taken, quotes=quotes, owner=None), by=writer, origin=self.requests[-1])

    def _verify(self, person: int) -> None:
        quote = SourceQuote(document=str(self.part.pk), quote=f"opens with the code {self.code}")
        content = Content(
            question=QUESTION, text=f"The vault in the harbour office opens with the code {self.code}.", quotes=(quote,)
        )
        if self.may_read_code(person) and VerifiedAnswer.objects.count() < 2:
            verify_answer(content, by=self.people[person])


def _ask_in_thread(question: str, asker: User) -> Query:
    """A question in the one thread of Slack in which everybody asks, for its asker alone."""
    conversation = api.open_conversation(
        origin=Origin.SLACK, asker=asker_for(asker), slack_team="T1", slack_channel="C1", slack_thread="1.1"
    )
    audience = audience_of([asker.pk])
    said = api.ask(question, asker=asker_for(asker), audience=audience, conversation=conversation)
    return Query.objects.get(request_id=said.request_id)


@contextmanager
def told(held: list[set[int]], granted: set[int]) -> Iterator[Told]:
    """A world with its first edition, gone after the block."""
    with transaction.atomic():
        roles = Role.objects.bulk_create(Role(name=each) for each in NAMES)
        people = User.objects.bulk_create(
            User(email=f"person{number}@example.com", password="!") for number in range(len(held))
        )
        UserRole.objects.bulk_create(
            UserRole(user=people[person], role=roles[role]) for person, own in enumerate(held) for role in own
        )
        load(0, roles=tuple(roles[role] for role in granted))
        root = User.objects.create_superuser("root@example.com", password="!")
        begun = Told(roles=roles, people=people, held=held, root=root, code=code(0))
        begun.editions, begun.readers, begun.granted = [(code(0), HEADING, name(0))], [set(granted)], set(granted)
        yield begun
        transaction.set_rollback(True)


SOMEBODY = st.integers(0, 11)
HELD = st.lists(st.sets(st.integers(0, 2), max_size=2), min_size=2, max_size=3)
HAPPENINGS = st.lists(st.tuples(st.sampled_from(STEPS), SOMEBODY), min_size=3, max_size=9)
# The board's edition was answered from and verified; then one for everybody came, and the grants of a withdrawal.
OPENED = [("ask", 1), ("verify", 1), ("load", 0), ("grant", 0), ("ask", 0), ("rename", 0), ("grant", 2), ("ask", 2)]
RETURNED = [("ask", 1), ("withdraw", 0), ("revoke", 1), ("restore", 0), ("grant", 1), ("load", 0), ("ask", 1)]
DRAFTED = [("ask", 1), ("ask on", 1), ("draft", 1), ("vote", 1), ("load", 0), ("grant", 0), ("ask again", 0)]
LOST = [("grant", 0), ("ask", 0), ("load", 0), ("revoke", 0), ("grant", 0), ("ask", 0), ("expire", 1), ("ask", 1)]


# A section was open to the crew and answered from, then only to the board, then only to the crew again, then to both.
CLOSED = [("ask", 0), ("verify", 0), ("restrict", 1), ("ask", 1), ("ask", 0), ("load", 0), ("ask", 1), ("verify", 1)]
TURNED = [*CLOSED, ("restrict", 0), ("ask", 0), ("ask again", 1), ("rename", 0), ("grant", 2), ("open", 0), ("ask", 2)]
PAUSED = [("restrict", 1), ("ask", 1), ("withdraw", 0), ("restrict", 0), ("load", 0), ("restore", 0), ("ask", 0)]
ENDED = [("ask", 0), ("restrict", 0), ("ask", 0), ("expire", 0), ("grant", 0), ("load", 0), ("ask", 0), ("open", 0)]


@given(held=HELD, granted=st.sets(st.integers(0, 2), max_size=2), happens=HAPPENINGS)
@example(held=[{0}, {1}, {2}], granted={1}, happens=OPENED)
@example(held=[{0}, {1}, {2}], granted={1}, happens=RETURNED)
@example(held=[{0}, {1}, {1}], granted={1}, happens=DRAFTED)
@example(held=[{0}, {1}, {0, 1}], granted={1}, happens=LOST)
@example(held=[{0}, {1}, {0, 1}], granted={0, 1}, happens=CLOSED)
@example(held=[{0}, {1}, {2}], granted={0, 1}, happens=TURNED)
@example(held=[{0}, {1}, {0, 1}], granted={0, 1}, happens=PAUSED)
@example(held=[{0}, {1}, {0, 1}], granted={0, 1}, happens=ENDED)
@tried(24, thorough=6000)  # with the database's floor and without it
def test_nobody_reads_an_edition_that_was_never_theirs(
    db: None, held: list[set[int]], granted: set[int], happens: list[tuple[str, int]]
) -> None:
    """After each step, at each door, for each person; and who may read what an answer cites is shown it."""
    with told(held, granted) as world:
        for step in happens:
            world.take(step)
            for person, reader in enumerate(world.people):
                forbidden = world.forbidden(person)
                for door, said in said_of_each(CHEAP, reader, world.requests):
                    assert {mark for mark in forbidden if mark in said} == set(), (door, step)
                _check_what_is_shown(world, person, reader)


def _check_what_is_shown(world: Told, person: int, reader: User) -> None:
    """An answer is shown to who may read every edition that it cites, and words of quotes by the database too.

    Where a rule has closed editions, fewer may be shown than by the rule.
    """
    audience = audience_of([reader.pk])
    allowed = {edition for number, edition in enumerate(_list_editions(world)) if world.may_read(person, number)}
    allowed |= {one.edition for one in world.sections if world.may_read_section(person, one)}
    every = [*_list_editions(world), *(one.edition for one in world.sections)]
    readable = readable_editions(every, audience)
    assert readable <= allowed if world.was_restricted else readable == allowed
    cited = list(Citation.objects.select_related("answer__query"))
    visible = {one.pk for one in cited if one.edition in readable}
    assert set(Citation.objects.visible_to(audience).values_list("pk", flat=True)) == visible
    for query in world.requests:
        of_query = [one for one in cited if one.answer.query_id == query.pk and one.answer.answer_text is not None]
        if of_query:
            is_shown = query.request_id in api.stored_results([query.request_id], audience=audience, viewer=reader.pk)
            assert is_shown == all(one.pk in visible for one in of_query)


def _list_editions(world: Told) -> list[Edition]:
    document = world.document
    assert document.version == len(world.editions)
    return [Edition(document.pk, number) for number in range(1, document.version + 1)]


@pytest.fixture
def looking(cast: Cast, settings: Settings) -> Cast:
    """All three may look at every page of questions and answers, which gives nobody a document."""
    settings.SECURE_SSL_REDIRECT = False  # the test client speaks plain http
    codenames = ["view_query", "view_answer", "view_conversation", "view_verifiedanswer", "manage_verified_answers"]
    codenames += ["view_reports", "view_gaps", "view_contentgap", "view_feedback", "view_querylog", "view_document"]
    rights = Permission.objects.filter(codename__in=codenames)
    for person in (cast.alice, cast.bob, cast.charlie):
        person.is_staff = True
        person.save()
        person.user_permissions.set(rights)
    return cast


def test_no_door_shows_an_earlier_edition_to_readers_of_a_later_one(looking: Cast) -> None:
    """It holds for each interface: Alice's words of the confidential edition stay hers when Bob may read the next."""
    document = load(0, roles=(looking.owners,))
    asked = _ask_in_thread(QUESTION, looking.alice)
    quote = SourceQuote(document=str(document.pk), quote=f"opens with the code {code(0)}")
    text = f"The vault in the harbour office opens with the code {code(0)}."
    verify_answer(Content(question=QUESTION, text=text, quotes=(quote,)), by=looking.alice)
    taken = read_for_take_over(asked, by=looking.alice)
    kept = (SourceQuote(document=str(document.pk), quote=KEPT),)
    drafts = [save_draft(dataclasses.replace(taken, quotes=kept), by=looking.alice, origin=asked)]
    follow_up = _ask_in_thread("And on which days?", looking.alice)
    load(1, roles=(looking.owners, looking.staff))
    # What she keeps on writing quotes the edition of now, and says what she was told of the one before.
    drafts.append(save_draft(dataclasses.replace(taken, quotes=kept), by=looking.alice, row=drafts[0]))
    drafts.append(save_draft(dataclasses.replace(taken, quotes=kept), by=looking.alice, origin=asked))
    for query in (asked, follow_up):
        for door, said in said_by(ALL, looking.bob, query).items():
            assert code(0) not in said, door
            assert name(0) not in said, door
    own = said_by(ALL, looking.alice, asked)
    shown = {door for door, said in own.items() if code(0) in said}
    assert shown >= {"by_result", "by_quotes", "by_citation", "by_follow_up", "by_replay", "by_rest", "by_admin"}
    assert shown >= {"by_verified_answers"}
    assert own["by_exports"].count("200: ") == 5


def test_a_citation_is_of_the_edition_that_was_read(cast: Cast) -> None:
    """Also where another one is loaded while the answer is made."""
    load(0, roles=(cast.owners,))

    def load_when_checking(step: str) -> None:
        if step == "checking":
            load(1, roles=(cast.owners, cast.staff))

    result = api.ask(
        QUESTION, asker=asker_for(cast.alice), audience=cast.audience(cast.alice), on_step=load_when_checking
    )
    assert code(0) in str(result)
    assert set(Citation.objects.values_list("document_version", flat=True)) == {1}
    assert api.stored_quotes(result.request_id, audience=cast.audience(cast.bob)) == ()


def test_a_word_that_was_put_right_is_of_the_edition_that_has_it(cast: Cast) -> None:
    """It is in the standalone question, which is shown to readers of that edition."""
    document = load(0, roles=(cast.staff,))
    load(1)
    spelt = correct_spelling("Where is the harbuor office?", cast.audience(cast.bob))
    assert spelt.named == (Edition(document.pk, 2),)


def test_the_title_of_an_earlier_edition_is_found_by_nobody(cast: Cast) -> None:
    """A document that is called something else, with the same text, is not found by what it was called."""
    document = load(0, roles=(cast.owners,))
    load(1, text=0, roles=(cast.staff,))
    with bypass_row_security():
        contexts = set(Chunk.objects.values_list("context", flat=True))
    document.refresh_from_db()
    assert (document.version, contexts) == (2, {f"{name(1)}\n{one}" for one in (HEADING, "Sweeping")})


@pytest.mark.parametrize("marked", ["date", "file name", "folder"])
def test_a_changed_date_or_file_name_is_an_edition_too(cast: Cast, marked: str) -> None:
    """They are in citations: a reader let in with the same text under another one is not shown what it was before."""
    then = {"date": "2020-05-04", "file name": "dismissals-of-may.md", "folder": "old-names.md"}[marked]
    _load_described(cast.owners, marked, then=True)
    asked = _ask_in_thread(QUESTION, cast.alice)
    _load_described(cast.owners, marked, then=False)
    document = Document.objects.get()
    assert document.version == 2
    grant(cast.staff, [document], by=None)
    assert then in by_result(cast.alice, asked) + by_quotes(cast.alice, asked)
    for door, said in said_by(ALL, cast.bob, asked).items():
        assert then not in said, door


def _load_described(role: Role, marked: str, *, then: bool) -> None:
    """The same text once more, with another date, another name of its file, or from another file."""
    shelf, _ = Collection.objects.get_or_create(name="Manuals")
    target = IngestTarget(collection=shelf, roles=(role,))
    words = "The vault in the harbour office opens with the code K7000 on weekdays."
    date = dt.date(2020, 5, 4) if marked == "date" and then else dt.date(2021, 6, 5)
    parsed = ParsedDocument(title="Vault rules", blocks=(Block(text=words),), document_date=date)
    source = "vault/old-names.md" if marked == "folder" and then else "vault/rules.md"
    content = words.encode()
    name = "dismissals-of-may.md" if then else "rules.md"
    kept = Original(content=content, sha256=hash_content(content), name=name, media_type="text/markdown")
    drafted = draft(
        parsed,
        embedding.provider(),
        target=target,
        source=source,
        content_hash=hash_content(content),
        original=kept if marked == "file name" else None,
    )
    embed([drafted], embedding.provider())
    assert write([drafted], target) == {}


def test_a_quote_of_an_unknown_edition_is_nobodys(cast: Cast) -> None:
    """Rows that name no edition are shown to no reader of the document."""
    document = load(0, roles=(cast.staff,))
    asked = _ask_in_thread(QUESTION, cast.bob)
    row = add_citation(asked.answer, document, "Words from nowhere.", number=9)
    Citation.objects.filter(pk=row.pk).update(document_version=0)
    with pytest.raises(NotFoundError):
        api.stored_result(asked.request_id, audience=cast.audience(cast.bob))
    assert not Citation.objects.visible_to(cast.audience(cast.bob)).filter(pk=row.pk).exists()


def test_whoever_inserts_a_grant_opens_the_current_edition_alone(cast: Cast) -> None:
    """A row that says nothing of editions, as other programs write it."""
    load(0)
    document = load(1)
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO core_roledocumentaccess (id, role_id, document_id, granted_at, by_ingestion)"
            " VALUES (gen_random_uuid(), %s, %s, now(), false)",
            [cast.staff.pk, document.pk],
        )
    audience, editions = cast.audience(cast.bob), [Edition(document.pk, 1), Edition(document.pk, 2)]
    assert readable_editions(editions, audience) == {editions[1]}


def test_named_documents_without_an_edition_count_as_the_first() -> None:
    """Rows from before editions were recorded."""
    first, second = UUID(int=1), UUID(int=2)
    query = Query(named_documents=[first, second], named_versions=[3])
    assert query.named_editions == (Edition(first, 3), Edition(second, 1))
