"""From a question in vain to the answer: written, sent, merged, read, and told to those who had asked."""

from core.models import ContentGap, LateAnswer, ProposalWords, ProposedChange, SyncRun, User
from core.models.row_security import bypass_row_security
from core.quality.proposals.drafting import find_goal
from core.quality.proposals.following import follow_all
from core.quality.proposals.late_answers import list_own_late_answers, queue_again
from core.quality.proposals.listing import list_proposals
from core.quality.proposals.proposing import propose_change, say_merged
from core.quality.proposals.rights import find_reason
from core.testing import make_document
from core.types import Answer
from core.values.proposals import Occasion, ProposalState, WrittenChange
from tests.integration.changes.world import (
    ADDED,
    CANTEEN,
    QUESTION,
    Handbook,
    ask_as,
    find_gap,
    own,
    send_now,
    tell_all,
    write,
)


def _count_words() -> int:
    with bypass_row_security():
        return ProposalWords.objects.count()


def test_who_asked_gets_the_answer_once_it_is_merged_and_read(handbook: Handbook, writer: User) -> None:
    """The change is in a branch of its own; nobody is told before the library has it."""
    bob = handbook.cast.bob
    gap = find_gap(bob)
    proposal = send_now(write(handbook, gap, writer))
    assert (proposal.state, proposal.error) == (ProposalState.SENT, "")
    assert ADDED in handbook.read_branch(proposal)
    assert _count_words() == 0  # they are where the document lives now
    handbook.synchronise()
    tell_all()
    proposal.refresh_from_db()
    assert proposal.state == ProposalState.SENT
    handbook.merge(proposal)
    handbook.synchronise()
    tell_all()
    proposal.refresh_from_db()
    assert proposal.state == ProposalState.DONE
    (late,) = list_own_late_answers(bob, audience=own(bob))
    assert late.question == QUESTION
    assert "eleven" in late.answer.text
    assert late.answer.citations[0].quoted_excerpt in ADDED
    assert ContentGap.objects.get(pk=gap.pk).state == ContentGap.State.CLOSED
    (row,) = list_proposals(writer, own(writer)).rows
    assert (row.people, row.answered) == (1, 1)
    tell_all()
    assert LateAnswer.objects.count() == 1


def test_a_merge_that_the_source_reports_has_the_library_read_it(handbook: Handbook, writer: User) -> None:
    """A run is begun by itself as soon as the branch is seen to be merged."""
    proposal = send_now(write(handbook, find_gap(handbook.cast.bob), writer))
    handbook.merge(proposal)
    follow_all()
    proposal.refresh_from_db()
    assert proposal.state == ProposalState.MERGED
    assert SyncRun.objects.filter(source=handbook.source, state=SyncRun.State.QUEUED).count() == 1
    handbook.synchronise()
    assert follow_all() == 1
    proposal.refresh_from_db()
    assert proposal.state == ProposalState.DONE


def test_what_was_changed_at_its_merge_counts_once_somebody_says_that_it_was_merged(
    handbook: Handbook, writer: User
) -> None:
    """Another text has another fingerprint, and a branch alone does not tell."""
    gap = find_gap(handbook.cast.bob)
    proposal = send_now(write(handbook, gap, writer))
    edited = handbook.read_branch(proposal).replace("half past one", "two")
    handbook.branch.put("canteen.md", edited.encode())
    handbook.synchronise()
    assert follow_all() == 0
    say_merged(proposal.pk, writer, own(writer))
    handbook.synchronise()
    tell_all()
    (late,) = list_own_late_answers(handbook.cast.bob, audience=own(handbook.cast.bob))
    assert "two" in late.answer.text


def test_a_deleted_branch_was_declined(handbook: Handbook, writer: User) -> None:
    """Nobody is told, and the gap stays open."""
    gap = find_gap(handbook.cast.bob)
    proposal = send_now(write(handbook, gap, writer))
    del handbook.repository.refs[f"refs/heads/{proposal.branch}".encode()]
    tell_all()
    proposal.refresh_from_db()
    assert proposal.state == ProposalState.DECLINED
    assert not LateAnswer.objects.exists()
    assert ContentGap.objects.get(pk=gap.pk).state == ContentGap.State.OPEN


def test_everybody_gets_their_own_answer_by_their_own_rights(handbook: Handbook, writer: User) -> None:
    """Charlie reads nothing of it, and hears nothing; once he may, the night asks for him again."""
    cast = handbook.cast
    gap = find_gap(cast.bob, cast.charlie)
    proposal = send_now(write(handbook, gap, writer))
    handbook.merge(proposal)
    handbook.synchronise()
    tell_all()
    states = dict(LateAnswer.objects.values_list("query__user__display_name", "silence"))
    assert states == {"Bob": "no_way", "Charlie": "not_answered"}
    assert list_own_late_answers(cast.charlie, audience=own(cast.charlie)) == ()
    cast.charlie.roles.add(cast.staff)
    assert queue_again() == 1
    tell_all()
    (late,) = list_own_late_answers(cast.charlie, audience=own(cast.charlie))
    assert "eleven" in late.answer.text


def test_rights_that_go_take_the_answer_along(handbook: Handbook, writer: User) -> None:
    """The answer is shown by the rights of whoever looks, at each look."""
    bob = handbook.cast.bob
    proposal = send_now(write(handbook, find_gap(bob), writer))
    handbook.merge(proposal)
    handbook.synchronise()
    tell_all()
    assert len(list_own_late_answers(bob, audience=own(bob))) == 1
    bob.roles.clear()
    assert list_own_late_answers(bob, audience=own(bob)) == ()


def test_an_answer_that_is_no_better_is_not_told(handbook: Handbook, writer: User) -> None:
    """A text beside the question leaves it unanswered."""
    bob = handbook.cast.bob
    gap = find_gap(bob)
    proposal = send_now(write(handbook, gap, writer, "Umbrellas hang beside the door."))
    handbook.merge(proposal)
    handbook.synchronise()
    tell_all()
    assert LateAnswer.objects.get().silence == "not_answered"
    assert not list_own_late_answers(bob, audience=own(bob))


def test_a_second_question_of_the_same_person_counts_once(handbook: Handbook, writer: User) -> None:
    """They get the answer to their latest question."""
    bob = handbook.cast.bob
    find_gap(bob)
    gap = find_gap(bob)
    proposal = send_now(write(handbook, gap, writer))
    handbook.merge(proposal)
    handbook.synchronise()
    tell_all()
    assert LateAnswer.objects.count() == 1


def test_the_answer_of_a_late_question_counts_in_no_list_of_questions(handbook: Handbook, writer: User) -> None:
    """Footnote asked by itself: it is no gap, and no question of Bob's."""
    bob = handbook.cast.bob
    gap = find_gap(bob)
    proposal = send_now(write(handbook, gap, writer))
    handbook.merge(proposal)
    handbook.synchronise()
    tell_all()
    assert ContentGap.objects.get(pk=gap.pk).asked == 1
    late = LateAnswer.objects.select_related("asked_again__conversation").get()
    assert late.asked_again
    assert late.asked_again.conversation.origin == "recheck"


def test_a_new_file_answers_as_well(handbook: Handbook, writer: User) -> None:
    """It comes by the source's own rules for readers."""
    bob, audience = handbook.cast.bob, own(writer)
    gap = find_gap(bob)
    reason = find_reason(Occasion(gap=gap.pk), writer, audience)
    goal = find_goal(None, handbook.source.pk, writer, audience)
    written = WrittenChange(
        title="Saturdays",
        question=QUESTION,
        text=f"# Saturdays\n\n{ADDED}\n",
        source_id=handbook.source.pk,
        place="canteen/saturdays.md",
    )
    proposal = send_now(ProposedChange.objects.get(pk=propose_change(reason, goal, written, writer, audience)))
    assert (proposal.state, proposal.error) == (ProposalState.SENT, "")
    assert handbook.read_branch(proposal, "canteen/saturdays.md").startswith("# Saturdays")
    handbook.merge(proposal)
    handbook.synchronise()
    tell_all()
    (late,) = list_own_late_answers(bob, audience=own(bob))
    assert late.answer.citations[0].document_name == "Saturdays"


def test_who_asked_again_and_was_answered_is_not_told(handbook: Handbook, writer: User) -> None:
    """They know by then; who has not asked again is told."""
    bob, alice = handbook.cast.bob, handbook.cast.alice
    proposal = send_now(write(handbook, find_gap(bob, alice), writer))
    handbook.merge(proposal)
    handbook.synchronise()
    assert isinstance(ask_as(bob), Answer)
    tell_all()
    assert [late.query.user for late in LateAnswer.objects.select_related("query__user")] == [alice]


def test_other_questions_that_the_text_answers_are_answered_as_well(handbook: Handbook, writer: User) -> None:
    """They are in gaps of their own; whoever asked something else hears nothing."""
    bob, alice = handbook.cast.bob, handbook.cast.alice
    gap = find_gap(bob)
    closing = "Until when is the canteen open on Saturdays, and when does it close at half past?"
    find_gap(alice, question=closing)
    find_gap(alice, question="Does the canteen have high chairs for toddlers?")
    assert ContentGap.objects.count() == 3
    proposal = send_now(write(handbook, gap, writer))
    handbook.merge(proposal)
    handbook.synchronise()
    tell_all()
    (late,) = list_own_late_answers(alice, audience=own(alice))
    assert late.question == closing
    (row,) = list_proposals(writer, own(writer)).rows
    assert (row.people, row.answered, row.others) == (1, 1, 1)
    assert queue_again() == 0  # only those of the own gap are asked for again


def test_a_question_of_another_gap_needs_the_changed_document(handbook: Handbook, writer: User) -> None:
    """Tell nobody of an answer that another document gives."""
    bob, alice = handbook.cast.bob, handbook.cast.alice
    gap = find_gap(bob)
    find_gap(alice, question="Which soup has the canteen in the lighthouse on Mondays?")
    assert ContentGap.objects.count() == 2
    make_document(
        "Lighthouse", "On Mondays the canteen in the lighthouse has a soup of peas.", roles=[handbook.cast.staff]
    )
    assert isinstance(ask_as(bob, "Which soup has the lighthouse on Mondays?"), Answer)
    proposal = send_now(write(handbook, gap, writer, "Umbrellas hang beside the door of the canteen."))
    handbook.merge(proposal)
    handbook.synchronise()
    tell_all()
    assert list_own_late_answers(alice, audience=own(alice)) == ()


def test_nobody_is_told_twice(handbook: Handbook, writer: User) -> None:
    """By a second change of the same document; who asks in vain again later is told once more."""
    bob = handbook.cast.bob
    gap = find_gap(bob)
    find_gap(bob)
    for added in (ADDED, "On Sundays the canteen is closed."):
        proposal = send_now(write(handbook, gap, writer, added))
        handbook.merge(proposal)
        handbook.synchronise()
        tell_all()
        proposal.refresh_from_db()
        assert proposal.state == ProposalState.DONE
    assert LateAnswer.objects.filter(asked_again__isnull=False).count() == 1


def test_a_declined_change_is_not_in_the_library_by_another_edition(handbook: Handbook, writer: User) -> None:
    """Its branch is deleted, and somebody changes the file in another way."""
    bob = handbook.cast.bob
    proposal = send_now(write(handbook, find_gap(bob), writer))
    del handbook.repository.refs[f"refs/heads/{proposal.branch}".encode()]
    handbook.branch.put("canteen.md", CANTEEN.replace("two dishes", "three dishes").encode())
    handbook.synchronise()
    tell_all()
    proposal.refresh_from_db()
    assert proposal.state == ProposalState.DECLINED
    assert not LateAnswer.objects.exists()


def test_two_changes_at_once_answer_each_person_once(handbook: Handbook, writer: User) -> None:
    """Both are in the library before anybody was asked for again."""
    bob = handbook.cast.bob
    gap = find_gap(bob)
    first = send_now(write(handbook, gap, writer))
    handbook.merge(first)
    handbook.synchronise()
    second = send_now(write(handbook, gap, writer, "The canteen is closed on Sundays."))
    handbook.merge(second)
    handbook.synchronise()
    ProposedChange.objects.filter(pk=first.pk).update(fingerprint=second.fingerprint)
    tell_all()
    assert set(ProposedChange.objects.values_list("state", flat=True)) == {ProposalState.DONE}
    assert sorted(LateAnswer.objects.values_list("silence", flat=True)) == ["already", "no_way"]
