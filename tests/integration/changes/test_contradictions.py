"""Changes for two documents that contradict each other: no word of the one goes to readers of the other."""

import pytest
from pytest_django.fixtures import Settings

from core.access.grants import grant, revoke
from core.errors import NotFoundError
from core.models import LateAnswer, ProposedChange, SourceContradiction, User
from core.quality.contradictions.finding import Pair
from core.quality.contradictions.store import keep_pair
from core.quality.proposals.drafting import find_goal, open_form, preview_change
from core.quality.proposals.late_answers import list_own_late_answers
from core.quality.proposals.proposing import propose_change
from core.quality.proposals.rights import find_reason
from core.quality.proposals.targets import list_targets
from core.types import Answer
from core.values.proposals import Occasion, ProposalState, WrittenChange
from tests.integration.changes.world import Handbook, allow, ask_as, own, send_now, tell_all
from tests.integration.contradictions.pairs import COSTS_24, COSTS_31, QUESTION, make_side

PRICES = f"# Prices\n\n{COSTS_24} Water is included.\n"
NOTICE = f"# Notice\n\n{COSTS_31}\n"


@pytest.fixture
def pair(handbook: Handbook) -> SourceContradiction:
    """Two files of the staff's that say how much a berth costs."""
    handbook.branch.put("prices.md", PRICES.encode())
    handbook.branch.put("notice.md", NOTICE.encode())
    handbook.synchronise()
    readers = [handbook.cast.staff]
    newer = make_side(handbook.find("notice.md"), COSTS_31, "31 euros", readers=readers)
    older = make_side(handbook.find("prices.md"), COSTS_24, "24 euros", readers=readers)
    kept = keep_pair(Pair(question=QUESTION, newer=newer, older=older))
    assert kept
    return kept


@pytest.fixture
def editor(handbook: Handbook) -> User:
    """Alice, who sees contradictions and proposes changes."""
    return allow(handbook.cast.alice, "view_contradictions", "propose_changes")


def _write(handbook: Handbook, pair: SourceContradiction, editor: User, key: str, text: str) -> ProposedChange:
    audience = own(editor)
    reason = find_reason(Occasion(contradiction=pair.pk), editor, audience)
    goal = find_goal(handbook.find(key).pk, None, editor, audience)
    form = open_form(reason, goal, audience)
    written = WrittenChange(
        title="Put the price right",
        question=form.question,
        text=text,
        document_id=form.target.document_id,
        version=form.version,
    )
    return ProposedChange.objects.get(pk=propose_change(reason, goal, written, editor, audience))


def test_both_sides_can_be_changed_and_neither_quotes_the_other(
    handbook: Handbook, pair: SourceContradiction, editor: User
) -> None:
    """The description says that another document says otherwise, and no word of it."""
    audience = own(editor)
    reason = find_reason(Occasion(contradiction=pair.pk), editor, audience)
    targets = [one.document_name for one in list_targets(reason, editor, audience) if one.document_id]
    assert targets == ["Notice", "Prices"]
    goal = find_goal(handbook.find("prices.md").pk, None, editor, audience)
    form = open_form(reason, goal, audience)
    assert (form.question, form.people) == (QUESTION, 0)
    assert form.nearest
    assert form.nearest.quote == COSTS_24
    written = WrittenChange(
        title=form.title,
        question=form.question,
        text=form.text.replace("24", "31"),
        document_id=form.target.document_id,
        version=form.version,
    )
    described = preview_change(reason, goal, written, editor, audience).description
    assert "Another document says otherwise." in described
    assert COSTS_24 in described
    assert COSTS_31 not in described
    assert "Notice" not in described


def test_a_question_in_words_of_both_goes_to_no_reader_of_one_alone(
    handbook: Handbook, pair: SourceContradiction, editor: User
) -> None:
    """Alice reads both; others read the price list alone, so that the pair's question does not go along."""
    cast = handbook.cast
    revoke(cast.staff, [handbook.find("notice.md")], by=None)
    grant(cast.owners, [handbook.find("notice.md")], by=None)
    SourceContradiction.objects.update(newer_version=handbook.find("notice.md").version)
    audience = own(editor)
    reason = find_reason(Occasion(contradiction=pair.pk), editor, audience)
    lists = open_form(reason, find_goal(handbook.find("prices.md").pk, None, editor, audience), audience)
    assert (lists.question, lists.title) == ("", "Correct Prices")
    grant(cast.owners, [handbook.find("prices.md")], by=None)  # by roles, not by who happens to have both
    notice = open_form(reason, find_goal(handbook.find("notice.md").pk, None, editor, audience), audience)
    assert notice.question == QUESTION
    bob = allow(cast.bob, "view_contradictions", "propose_changes")
    with pytest.raises(NotFoundError):
        find_reason(Occasion(contradiction=pair.pk), bob, own(bob))


def test_whoever_was_shown_the_contradiction_gets_the_answer_without_it(
    handbook: Handbook, pair: SourceContradiction, editor: User, settings: Settings
) -> None:
    """With the real reader, which sees that the two disagree."""
    settings.READER, settings.READER_BUDGET_MS = "", 600_000
    bob = handbook.cast.bob
    before = ask_as(bob, QUESTION)
    assert isinstance(before, Answer)
    assert before.contradiction
    proposal = send_now(_write(handbook, pair, editor, "prices.md", PRICES.replace("24 euros", "31 euros")))
    assert proposal.state == ProposalState.SENT
    commit = handbook.repository[handbook.repository.refs[f"refs/heads/{proposal.branch}".encode()]]
    assert COSTS_24 in commit.message.decode()
    assert "Water is included" not in commit.message.decode()  # the preview shows the sentence alone
    handbook.merge(proposal)
    handbook.synchronise()
    tell_all()
    proposal.refresh_from_db()
    assert proposal.state == ProposalState.DONE
    assert LateAnswer.objects.get().asked_again_id
    (late,) = list_own_late_answers(bob, audience=own(bob))
    assert "31 euros" in late.answer.text
    assert late.answer.contradiction is None
