"""List what a viewer may see of a check: outcomes by person and by question, with the words that are theirs to read."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import Exists, OuterRef, Q

from core.models import ChangeCheck, ChangeCheckLine, ChangeCheckSource, ChangeCheckWords, Document, Role, User
from core.models.row_security import showing_quotes_to
from core.types import Audience
from core.values.change_checks import AskedFor, Outcome, Side


@dataclass(frozen=True, kw_only=True, slots=True)
class Viewer:
    """Holds the rights of whoever looks at a check."""

    person: UUID
    audience: Audience
    sees_questions: bool  # of others: core.view_query
    sees_people: bool  # core.view_user
    sees_roles: bool  # core.view_role
    sees_titles: bool  # of every document: core.view_document

    @classmethod
    def of(cls, person: User, audience: Audience) -> "Viewer":
        """Build the viewer that a person is. audience: what they read."""
        return cls(
            person=person.pk,
            audience=audience,
            sees_questions=person.has_perm("core.view_query"),
            sees_people=person.has_perm("core.view_user"),
            sees_roles=person.has_perm("core.view_role"),
            sees_titles=person.has_perm("core.view_document"),
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class LineView:
    """Holds one question of a check as a viewer may see it."""

    number: int
    asked_for: AskedFor
    outcome: Outcome
    is_worse: bool
    gains: int  # documents that this reader cannot read now
    person: UUID | None = None  # None: the library's own question, or not for this viewer
    person_name: str = ""
    role_name: str = ""  # as whose member the library asks; "" without the right to see roles
    question: str = ""  # "" where the viewer may not read it
    query: UUID | None = None  # whose words are shown and are another person's: showing them is recorded
    before_text: str = ""
    after_text: str = ""
    before: tuple[tuple[UUID, str], ...] = ()  # documents cited now, as far as the viewer may know of them
    after: tuple[tuple[UUID, str], ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class PersonView:
    """Holds what a change does to one person's questions of the last month."""

    person: UUID
    name: str
    questions: int
    outcomes: dict[Outcome, int]
    worse: int
    gaining: int  # answers from documents that they cannot read now


def list_lines(check: ChangeCheck, viewer: Viewer, *, only_different: bool = True) -> list[LineView]:
    """Return the questions of a check, the worst first. only_different: without those that stay the same."""
    rows = check.lines.select_related("query", "person", "role").order_by("number")
    lines = list(rows.exclude(outcome=Outcome.SAME) if only_different else rows)
    words, documents = _read_words(lines, viewer), _find_documents(lines, viewer)
    shown = [_show(line, viewer, words.get(line.pk), documents[line.pk]) for line in lines]
    order = list(Outcome)
    return sorted(shown, key=lambda one: (not one.is_worse, order.index(one.outcome), one.number))


def list_people(check: ChangeCheck, viewer: Viewer) -> list[PersonView]:
    """Return the people whose answers change, those who lose the most first; nobody without the right to see people."""
    if not viewer.sees_people:
        return []
    by_person: defaultdict[UUID, list[ChangeCheckLine]] = defaultdict(list)
    for line in check.lines.all():
        if line.person_id is not None:
            by_person[line.person_id].append(line)
    names = User.objects.in_bulk(list(by_person))
    people = [
        PersonView(
            person=pk,
            name=str(names[pk]),
            questions=len(lines),
            outcomes={Outcome(key): count for key, count in Counter(line.outcome for line in lines).items()},
            worse=sum(line.is_worse for line in lines),
            gaining=sum(line.gains > 0 for line in lines),
        )
        for pk, lines in by_person.items()
        if any(line.outcome != Outcome.SAME for line in lines)
    ]
    return sorted(people, key=lambda one: (-one.worse, one.outcomes.get(Outcome.SAME, 0) - one.questions, one.name))


def _show(
    line: ChangeCheckLine,
    viewer: Viewer,
    words: ChangeCheckWords | None,
    documents: dict[str, tuple[tuple[UUID, str], ...]],
) -> LineView:
    query, person, role = line.query, line.person, line.role
    is_own = person is not None and person.pk == viewer.person
    may_read = query is not None and query.erased_at is None and (is_own or viewer.sees_questions)
    names_person = person is not None and (is_own or viewer.sees_people)
    return LineView(
        number=line.number,
        asked_for=AskedFor(line.asked_for),
        outcome=Outcome(line.outcome),
        is_worse=line.is_worse,
        gains=line.gains,
        person=person.pk if person and names_person else None,
        person_name=str(person) if names_person else "",
        role_name=role.name if isinstance(role, Role) and viewer.sees_roles else "",
        question=query.question_text if query and may_read else words.question if words else "",
        query=query.pk if query and may_read and not is_own else None,
        before_text=words.before_text if words else "",
        after_text=words.after_text if words else "",
        before=documents.get(Side.BEFORE, ()),
        after=documents.get(Side.AFTER, ()),
    )


def find_titles(documents: Any, viewer: Viewer) -> dict[UUID, str]:
    """Return the titles of those documents that the viewer may know of. documents: ids, or a subquery of them."""
    rows = readable = Document.objects.visible_to(viewer.audience)
    if viewer.sees_titles:  # what a part is called are words of its document
        rows = Document.objects.filter(Q(part_of=None) | Q(pk__in=readable.values("pk")))
    return dict(rows.filter(pk__in=documents).order_by("title", "pk").values_list("pk", "title"))


def _read_words(lines: Sequence[ChangeCheckLine], viewer: Viewer) -> dict[UUID, ChangeCheckWords]:
    """Return the words of those lines of which the viewer may read every source."""
    own = ChangeCheckSource.objects.filter(line=OuterRef("pk"))
    readable = ChangeCheckSource.objects.visible_to(viewer.audience).values("pk")
    chosen = ChangeCheckLine.objects.filter(
        Exists(own), ~Exists(own.exclude(pk__in=readable)), pk__in=[line.pk for line in lines]
    ).values_list("pk", flat=True)
    with showing_quotes_to(viewer.audience):
        return ChangeCheckWords.objects.in_bulk(list(chosen))


def _find_documents(
    lines: Iterable[ChangeCheckLine], viewer: Viewer
) -> defaultdict[UUID, dict[str, tuple[tuple[UUID, str], ...]]]:
    """Return the documents that the two answers of each line cite, as far as the viewer may know of them."""
    sources = ChangeCheckSource.objects.filter(line__in=[line.pk for line in lines], document__isnull=False)
    titles = find_titles(sources.values("document"), viewer)
    found: defaultdict[UUID, dict[str, tuple[tuple[UUID, str], ...]]] = defaultdict(dict)
    for line, document, side in sources.order_by("document").values_list("line", "document", "side").distinct():
        if document in titles:
            found[line][side] = (*found[line].get(side, ()), (document, titles[document]))
    return found
