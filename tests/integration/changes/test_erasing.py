"""Words of proposals and late answers are erased with the questions that they come from."""

import datetime as dt

from django.utils import timezone

from core.api import erase_texts
from core.models import LateAnswer, ProposalWords, ProposedChange, Query, User
from core.models.row_security import as_audience, bypass_row_security
from core.quality.proposals.following import follow_all
from core.quality.proposals.late_answers import list_own_late_answers
from core.values.proposals import ProposalState
from tests.integration.changes.world import Handbook, find_gap, own, send_now, tell_all, write


def _count() -> int:
    with bypass_row_security():
        return ProposalWords.objects.count()


def test_words_are_shown_to_readers_of_the_edition_and_go_with_the_proposal(handbook: Handbook, writer: User) -> None:
    """By the database, whoever asks."""
    proposal = write(handbook, find_gap(handbook.cast.bob), writer)
    assert not ProposalWords.objects.exists()
    for person, seen in ((handbook.cast.bob, 1), (handbook.cast.charlie, 0)):
        with as_audience(own(person)):
            assert ProposalWords.objects.count() == seen
    handbook.find().delete()
    assert not ProposedChange.objects.filter(pk=proposal.pk).exists()
    assert _count() == 0


def test_words_of_a_new_document_are_shown_to_nobody_by_the_database(handbook: Handbook, writer: User) -> None:
    """There is no edition that somebody may read."""
    proposal = write(handbook, find_gap(handbook.cast.bob), writer)
    ProposedChange.objects.filter(pk=proposal.pk).update(document=None, document_version=0)
    with as_audience(own(writer)):
        assert ProposalWords.objects.count() == 0


def test_the_question_goes_with_its_askers_texts(handbook: Handbook, writer: User) -> None:
    """A proposal that was not sent has the question in it."""
    bob = handbook.cast.bob
    proposal = write(handbook, find_gap(bob), writer)
    assert _count() == 1
    erase_texts(before=timezone.now(), of=bob)
    assert _count() == 0
    assert send_now(proposal).state == ProposalState.FAILED


def test_a_late_answer_is_erased_with_its_question(handbook: Handbook, writer: User) -> None:
    """The question that was asked again as well."""
    bob = handbook.cast.bob
    proposal = send_now(write(handbook, find_gap(bob), writer))
    handbook.merge(proposal)
    handbook.synchronise()
    tell_all()
    again = LateAnswer.objects.get().asked_again
    assert again
    earlier = Query.objects.exclude(pk=again.pk).get(user=bob)
    erase_texts(before=earlier.created_at + dt.timedelta(microseconds=1), of=bob)
    again.refresh_from_db()
    assert (again.question_text, again.erased_at is None) == ("", False)
    assert list_own_late_answers(bob, audience=own(bob)) == ()


def test_what_could_not_be_sent_is_kept_for_a_week(handbook: Handbook, writer: User) -> None:
    """Then its author has to begin anew."""
    proposal = write(handbook, find_gap(handbook.cast.bob), writer)
    handbook.branch.put("canteen.md", b"# Canteen\n\nClosed for good.\n")
    assert send_now(proposal).state == ProposalState.FAILED
    follow_all()
    assert _count() == 1
    ProposedChange.objects.update(ended_at=timezone.now() - dt.timedelta(days=8))
    follow_all()
    assert _count() == 0
