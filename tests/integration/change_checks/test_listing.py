"""Each viewer sees outcomes by question and person, the worst first, and the words that are theirs to read."""

from typing import Any

import pytest
from django.contrib.auth.models import Permission

from core.models import ChangeCheck, ChangeCheckLine, ChangeCheckWords, Document, Query, User
from core.models.row_security import bypass_row_security
from core.quality.change_checks.describing import SHOWN, describe_change
from core.quality.change_checks.listing import LineView, Viewer, list_lines, list_people
from core.testing import Cast, make_document
from core.values.change_checks import Outcome, Side
from tests.integration.change_checks.conftest import ask

QUESTION, BEFORE, AFTER = "When does the canteen open?", "It opens at eleven.", "It opens at half past eleven."


@pytest.fixture
def check(cast: Cast, library: dict[str, Document]) -> ChangeCheck:
    """A check with questions of Bob's, Charlie's and the library's."""
    change = {"gives": True, "documents": {str(cast.staff.pk): [str(library["vault"].pk)]}, "until": None}
    check = ChangeCheck.objects.create(kind="grants", is_gate=False, change=change, asked_by=cast.alice)
    first, second = ask(cast.bob, "When does the vault open?"), ask(cast.charlie, "When does the castle open?")
    add(check, 1, first, outcome=Outcome.SAME)
    add(check, 2, first, outcome=Outcome.ANSWERED, after=[library["vault"]], gains=1)
    add(check, 3, second, outcome=Outcome.VANISHED, is_worse=True, before=[library["castle"]])
    line = add(
        check,
        4,
        None,
        outcome=Outcome.WORDING,
        role=cast.staff,
        question=[library["canteen"]],
        after=[library["vault"]],
    )
    with bypass_row_security():
        ChangeCheckWords.objects.create(line=line, question=QUESTION, before_text=BEFORE, after_text=AFTER)
    return check


def add(check: ChangeCheck, number: int, query: Query | None, **more: Any) -> ChangeCheckLine:
    """Store a line."""
    sides = {side: more.pop(side.value, []) for side in Side}
    line = check.lines.create(
        number=number,
        asked_for="person" if query else "library",
        query=query,
        person=query.user if query else None,
        **{"is_worse": False, **more},
    )
    for side, documents in sides.items():
        for document in documents:
            line.sources.create(document=document, document_version=document.version, side=side)
    return line


def see(cast: Cast, person: User, *rights: str) -> Viewer:
    """Build the viewer that a person with these rights is."""
    person.user_permissions.set(Permission.objects.filter(codename__in=rights))
    return Viewer.of(User.objects.get(pk=person.pk), cast.audience(person))


def by_number(lines: list[LineView]) -> dict[int, LineView]:
    """Return lines by their number."""
    return {line.number: line for line in lines}


def test_the_worst_come_first_and_the_same_only_when_asked_for(check: ChangeCheck, cast: Cast) -> None:
    viewer = see(cast, cast.alice)
    assert [line.number for line in list_lines(check, viewer)] == [3, 4, 2]
    assert [line.number for line in list_lines(check, viewer, only_different=False)] == [3, 4, 2, 1]


def test_without_rights_there_are_outcomes_alone(check: ChangeCheck, cast: Cast) -> None:
    """Nobody, no question, no document; and nothing to record."""
    cast.alice.user_roles.all().delete()
    viewer = see(cast, cast.alice)
    for line in list_lines(check, viewer, only_different=False):
        assert (line.person, line.person_name, line.role_name, line.question, line.query) == (None, "", "", "", None)
        assert (line.before_text, line.after_text, line.before, line.after) == ("", "", (), ())
    assert list_people(check, viewer) == []


def test_ones_own_question_is_seen_and_not_recorded(check: ChangeCheck, cast: Cast) -> None:
    lines = by_number(list_lines(check, see(cast, cast.bob)))
    assert (lines[2].question, lines[2].query, lines[2].person) == ("When does the vault open?", None, cast.bob.pk)
    assert (lines[3].question, lines[3].person) == ("", None)


def test_questions_of_others_need_the_right_and_are_recorded(check: ChangeCheck, cast: Cast) -> None:
    viewer = see(cast, cast.alice, "view_query", "view_user")
    lines = by_number(list_lines(check, viewer))
    assert (lines[3].question, lines[3].person_name) == ("When does the castle open?", "Charlie")
    assert lines[3].query == check.lines.get(number=3).query_id
    assert lines[4].query is None
    [charlie, bob] = list_people(check, viewer)
    assert (charlie.name, charlie.worse, charlie.questions) == ("Charlie", 1, 1)
    assert (bob.name, bob.gaining, bob.outcomes) == ("Bob", 1, {Outcome.SAME: 1, Outcome.ANSWERED: 1})


def test_words_of_the_library_need_every_document_behind_them(
    check: ChangeCheck, cast: Cast, library: dict[str, Document]
) -> None:
    """The right to see titles shows no words, and a document that may not be read is left out of those that are."""
    line = by_number(list_lines(check, see(cast, cast.bob, "view_role")))[4]
    assert (line.question, line.after_text, line.after, line.role_name) == ("", "", (), "staff")
    titled = by_number(list_lines(check, see(cast, cast.bob, "view_document")))[4]
    assert (titled.question, titled.after) == ("", ((library["vault"].pk, "Vault"),))
    from core.access.grants import grant

    grant(cast.staff, [library["vault"]], by=None)
    line = by_number(list_lines(check, see(cast, cast.bob)))[4]
    assert (line.question, line.before_text, line.after_text) == (QUESTION, BEFORE, AFTER)
    assert line.after == ((library["vault"].pk, "Vault"),)


def test_the_change_is_described_as_far_as_the_viewer_may_know(
    check: ChangeCheck, cast: Cast, library: dict[str, Document]
) -> None:
    [role] = describe_change(check, see(cast, cast.bob)).roles
    assert (role.role, role.name, role.documents) == (cast.staff.pk, "", ())
    [role] = describe_change(check, see(cast, cast.bob, "view_role", "view_document")).roles
    assert (role.name, role.documents) == ("staff", ((library["vault"].pk, "Vault"),))
    many = [make_document(f"Page {number}", "Nothing.") for number in range(SHOWN + 1)]
    check.change["documents"][str(cast.staff.pk)] = [str(one.pk) for one in many]
    [role] = describe_change(check, see(cast, cast.bob, "view_document")).roles
    assert len(role.documents) == SHOWN


def test_other_kinds_are_described(check: ChangeCheck, cast: Cast) -> None:
    viewer = see(cast, cast.bob)
    change = {"answer_from": 0.5, "closest_from": 0.2}
    of_thresholds = describe_change(ChangeCheck(kind="thresholds", is_gate=True, change=change), viewer)
    assert (of_thresholds.answer_from, of_thresholds.closest_from) == (0.5, 0.2)
    assert describe_change(ChangeCheck(kind="model", is_gate=True, change={}), viewer).model == ""
    assert describe_change(ChangeCheck(kind="editions", is_gate=True, change={}), viewer).source is None
