"""Test that a rehearsal's report names questions by their ids, and holds no word of anybody's."""

import json
from dataclasses import asdict

import pytest

from core import api
from core.access.audiences import asker_for
from core.access.grants import revoke
from core.asking.dry_runs.choosing import choose_asked
from core.models import Answer, Document, Query
from core.operations.rehearsal.asking import Compared, compare_asked, examine
from core.operations.rehearsal.report import Outcome, Report
from core.testing import Cast, make_document

pytestmark = pytest.mark.usefixtures("fast")

TEXT = "The vault in the harbour office opens with the code quagmire-7741 on weekdays."
QUESTION = "With which code does the vault in the harbour office open?"
HIDDEN = ("quagmire", "vault", "harbour", "Zanzibar", "code", "example.com")


def _ask_of_alice(cast: Cast) -> Query:
    result = api.ask(QUESTION, asker=asker_for(cast.alice), audience=cast.audience(cast.alice))
    return Query.objects.select_related("answer", "conversation").get(request_id=result.request_id)


def _tell(one: Compared) -> str:
    """Return all that is told of it, for people and for programs."""
    report = Report(version="1.0.0", compared=[asdict(one)])
    return json.dumps(report.as_json()) + "\n".join(report.list_lines())


def test_no_outcome_tells_a_word(cast: Cast) -> None:
    """Name the question by its id for each outcome: same, reworded, refused, not to be shown any more, failed."""
    make_document("Zanzibar vault rules", TEXT, roles=[cast.owners])
    query = _ask_of_alice(cast)
    told = {}
    told[Outcome.SAME] = compare_asked(query)
    Answer.objects.filter(query=query).update(answer_text="The code is quagmire-0000.")
    told[Outcome.WORDING] = compare_asked(query)
    Answer.objects.filter(query=query).update(answer_text=None, message="Nothing.", refusal_reason="nothing_found")
    told[Outcome.ANSWERED] = compare_asked(query)
    Answer.objects.filter(query=query).update(answer_text="The code.", message="", refusal_reason="")
    revoke(cast.owners, Document.objects.all(), by=None)
    told[Outcome.NOT_COMPARED] = compare_asked(query)
    Query.objects.filter(pk=query.pk).update(state="NEW")
    told[Outcome.FAILS] = compare_asked(query)
    assert {expected: one.outcome for expected, one in told.items()} == {expected: expected for expected in told}
    for one in told.values():
        said = _tell(one)
        assert query.request_id in said
        assert [word for word in HIDDEN if word in said] == []


def test_the_examination_tells_figures_alone(cast: Cast) -> None:
    """Of the questions that are made of passages as well."""
    make_document("Zanzibar vault rules", TEXT, roles=[cast.owners])
    examined = examine(6, done=lambda count: None)
    said = json.dumps(asdict(examined) if examined else None)
    assert [word for word in HIDDEN if word in said] == []


def test_a_question_is_asked_again_for_its_asker_alone(cast: Cast) -> None:
    """Bob's refusal stays one, whatever Alice may read."""
    make_document("Zanzibar vault rules", TEXT, roles=[cast.owners])
    api.ask(QUESTION, asker=asker_for(cast.bob), audience=cast.audience(cast.bob))
    [query] = choose_asked(5)
    assert compare_asked(query).outcome == Outcome.SAME
    assert query.answer.answer_text is None
