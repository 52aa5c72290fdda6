"""Test who may change which document, the form they begin with, and what is refused."""

from dataclasses import replace
from uuid import uuid4

import pytest
from pytest_django.fixtures import Settings

from core.access.grants import revoke
from core.errors import NotFoundError
from core.models import AuditEvent, ContentGap, ProposedChange, User
from core.quality.proposals.drafting import find_goal, list_new_paragraphs, open_form, preview_change
from core.quality.proposals.listing import list_proposals
from core.quality.proposals.proposing import (
    propose_change,
    say_declined,
    send_again,
    withdraw,
    write_again,
)
from core.quality.proposals.rights import DocumentChangedError, InvalidChangeError, find_reason
from core.quality.proposals.targets import list_targets
from core.testing import make_document
from core.types import Audience
from core.values.proposals import ChangeWay, Occasion, ProposalState, WrittenChange
from tests.integration.changes.world import (
    ADDED,
    CANTEEN,
    QUESTION,
    Handbook,
    allow,
    find_gap,
    own,
    send_now,
    write,
)


@pytest.fixture
def gap(handbook: Handbook) -> ContentGap:
    """Bob's question in vain."""
    return find_gap(handbook.cast.bob)


@pytest.fixture
def audience(writer: User) -> Audience:
    """Alice's own."""
    return own(writer)


def _draft(handbook: Handbook, gap: ContentGap, writer: User) -> WrittenChange:
    audience = own(writer)
    reason = find_reason(Occasion(gap=gap.pk), writer, audience)
    form = open_form(reason, find_goal(handbook.find().pk, None, writer, audience), audience)
    return WrittenChange(
        title=form.title,
        question=form.question,
        text=f"{form.text}\n{ADDED}\n",
        document_id=form.target.document_id,
        version=form.version,
    )


def test_a_form_begins_with_the_file_the_question_and_the_nearest_passage(
    handbook: Handbook, gap: ContentGap, writer: User, audience: Audience
) -> None:
    """The whole file is there to be changed, as it is in the library."""
    reason = find_reason(Occasion(gap=gap.pk), writer, audience)
    (target, *sources) = list_targets(reason, writer, audience)
    assert (target.way, target.place, target.is_near) == (ChangeWay.BRANCH, "canteen.md", True)
    assert [(one.source_name, one.way) for one in sources] == [("Handbook", ChangeWay.BRANCH)]
    form = open_form(reason, find_goal(target.document_id, None, writer, audience), audience)
    assert form.text == CANTEEN
    assert (form.question, form.people, form.version) == (QUESTION, 1, 1)
    assert form.title == f"Add an answer to: {QUESTION}"
    assert form.nearest
    assert "canteen" in form.nearest.quote.casefold()


def test_only_who_decides_who_reads_learns_how_many_askers_may_not(handbook: Handbook, writer: User) -> None:
    """Charlie asked as well, and reads nothing: that is a matter of rights."""
    gap = find_gap(handbook.cast.bob, handbook.cast.charlie)
    for rights, unread in (((), 0), (("decide_who_reads",), 1)):
        person = allow(writer, *rights)
        reason = find_reason(Occasion(gap=gap.pk), person, own(person))
        goal = find_goal(handbook.find().pk, None, person, own(person))
        assert open_form(reason, goal, own(person)).unread_people == unread


def test_a_preview_shows_what_will_be_sent(
    handbook: Handbook, gap: ContentGap, writer: User, audience: Audience
) -> None:
    """The lines that are new, and what goes along."""
    reason = find_reason(Occasion(gap=gap.pk), writer, audience)
    goal = find_goal(handbook.find().pk, None, writer, audience)
    found = preview_change(reason, goal, _draft(handbook, gap, writer), writer, audience)
    assert f"+{ADDED}" in found.diff
    assert "1 person asked: When does the canteen open on Saturdays?" in found.description
    assert "> " in found.description
    assert "Proposed by Alice in Footnote" in found.description
    assert [one.question for one in found.found] == [QUESTION]
    without = replace(_draft(handbook, gap, writer), quotes_nearest=False, question="")
    quiet = preview_change(reason, goal, without, writer, audience).description
    assert "> " not in quiet
    assert QUESTION not in quiet


def test_what_is_sent_is_what_was_shown(handbook: Handbook, gap: ContentGap, writer: User, audience: Audience) -> None:
    """The message of the commit is the description of the preview."""
    reason = find_reason(Occasion(gap=gap.pk), writer, audience)
    goal = find_goal(handbook.find().pk, None, writer, audience)
    draft = _draft(handbook, gap, writer)
    shown = preview_change(reason, goal, draft, writer, audience)
    proposal = send_now(ProposedChange.objects.get(pk=propose_change(reason, goal, draft, writer, audience)))
    commit = handbook.repository[handbook.repository.refs[f"refs/heads/{proposal.branch}".encode()]]
    message = commit.message.decode()
    assert message.splitlines()[0] == draft.title
    assert shown.description.strip() in message


def test_what_is_sent_twice_is_proposed_once(
    handbook: Handbook, gap: ContentGap, writer: User, audience: Audience
) -> None:
    """By its key, as a double click has it; another person's key is no proposal of one's own."""
    reason = find_reason(Occasion(gap=gap.pk), writer, audience)
    goal = find_goal(handbook.find().pk, None, writer, audience)
    draft = replace(_draft(handbook, gap, writer), key=uuid4())
    made = [propose_change(reason, goal, draft, writer, audience) for _ in range(2)]
    assert made == [draft.key, draft.key]
    assert ProposedChange.objects.count() == 1
    bob = allow(handbook.cast.bob, "manage_gaps", "propose_changes")
    other = propose_change(find_reason(Occasion(gap=gap.pk), bob, own(bob)), goal, draft, bob, own(bob))
    assert other != draft.key
    assert set(ProposedChange.objects.values_list("proposed_by", flat=True)) == {writer.pk, bob.pk}


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"title": " "}, "title"),
        ({"title": "a\nb"}, "title"),
        ({"title": "a" * 121}, "title"),
        ({"question": "a" * 501}, "question"),
        ({"text": " \n"}, "Write what"),
        ({"text": CANTEEN}, "Nothing is changed"),
        ({"text": "a\0b"}, "character"),
    ],
)
def test_what_is_wrong_is_refused_with_a_sentence(
    handbook: Handbook, gap: ContentGap, writer: User, audience: Audience, wrong: dict[str, str], says: str
) -> None:
    """Nothing is stored of it."""
    reason = find_reason(Occasion(gap=gap.pk), writer, audience)
    goal = find_goal(handbook.find().pk, None, writer, audience)
    with pytest.raises(InvalidChangeError, match=says):
        propose_change(reason, goal, replace(_draft(handbook, gap, writer), **wrong), writer, audience)
    assert not ProposedChange.objects.exists()


@pytest.mark.parametrize(
    "place",
    ["", "/etc/passwd.md", "a/../../b.md", ".git/hooks/x.md", "a//b.md", "a\\b.md", "notes.exe", "a/ b.md", "x\n.md"],
)
def test_a_new_file_has_a_path_within_the_source(
    handbook: Handbook, gap: ContentGap, writer: User, audience: Audience, place: str
) -> None:
    """Whatever leads elsewhere, or is no text, is refused."""
    reason = find_reason(Occasion(gap=gap.pk), writer, audience)
    goal = find_goal(None, handbook.source.pk, writer, audience)
    written = WrittenChange(title="New", question="", text="Text.", source_id=handbook.source.pk, place=place)
    with pytest.raises(InvalidChangeError):
        propose_change(reason, goal, written, writer, audience)


def test_what_was_written_for_an_older_edition_is_not_sent(
    handbook: Handbook, gap: ContentGap, writer: User, audience: Audience
) -> None:
    """It would take back what others wrote since."""
    draft = _draft(handbook, gap, writer)
    handbook.branch.put("canteen.md", CANTEEN.replace("two dishes", "three dishes").encode())
    handbook.synchronise()
    reason = find_reason(Occasion(gap=gap.pk), writer, audience)
    goal = find_goal(handbook.find().pk, None, writer, audience)
    with pytest.raises(DocumentChangedError):
        propose_change(reason, goal, draft, writer, audience)


def test_what_changed_at_the_source_meanwhile_is_noticed_when_it_is_sent(
    handbook: Handbook, gap: ContentGap, writer: User, audience: Audience
) -> None:
    """The text stays for its author alone, who begins from it again."""
    proposal = write(handbook, gap, writer)
    handbook.branch.put("canteen.md", CANTEEN.replace("two dishes", "three dishes").encode())
    send_now(proposal)
    assert proposal.state == ProposalState.FAILED
    assert "changed" in proposal.error
    occasion, written = write_again(proposal.pk, writer, audience)
    assert occasion == Occasion(gap=gap.pk)
    assert ADDED in written.text
    other = allow(handbook.cast.bob, "manage_gaps", "propose_changes")
    with pytest.raises(NotFoundError):
        write_again(proposal.pk, other, own(other))
    (row,) = list_proposals(other, own(other)).rows
    assert (row.is_own, row.may_write_again) == (False, False)


def test_what_failed_once_is_sent_again(
    handbook: Handbook, gap: ContentGap, writer: User, audience: Audience, settings: Settings
) -> None:
    """A folder that is allowed again takes it."""
    folders = settings.SOURCE_FOLDERS
    proposal = write(handbook, gap, writer)
    settings.SOURCE_FOLDERS = []
    send_now(proposal)
    assert proposal.state == ProposalState.FAILED
    settings.SOURCE_FOLDERS = folders
    send_again(proposal.pk, writer, audience)
    proposal.refresh_from_db()
    assert proposal.state == ProposalState.WAITING
    assert send_now(proposal).state == ProposalState.SENT


def test_who_has_lost_the_document_sends_nothing(handbook: Handbook, gap: ContentGap, writer: User) -> None:
    """It is sent by what its author may read when it is sent."""
    proposal = write(handbook, gap, writer)
    revoke(handbook.cast.staff, [handbook.find()], by=None)
    send_now(proposal)
    assert (proposal.state, proposal.error_code) == (ProposalState.FAILED, "NoRightError")
    assert not list_proposals(writer, own(writer)).rows


def test_who_has_lost_the_permission_sends_nothing(handbook: Handbook, gap: ContentGap, writer: User) -> None:
    """Nor whoever is not active."""
    proposal = write(handbook, gap, writer)
    writer.user_permissions.clear()
    send_now(proposal)
    assert proposal.error_code == "NoRightError"


def test_only_who_may_propose_sees_anything(handbook: Handbook, gap: ContentGap, writer: User) -> None:
    """Bob asked and reads the document: neither makes him a writer."""
    proposal = send_now(write(handbook, gap, writer))
    bob = handbook.cast.bob
    for rights in ((), ("manage_gaps",), ("propose_changes",)):
        bob = allow(bob, *rights)
        with pytest.raises(NotFoundError):
            find_reason(Occasion(gap=gap.pk), User.objects.get(pk=handbook.cast.charlie.pk), own(bob))
    assert [row.proposal_id for row in list_proposals(bob, own(bob)).rows] == [proposal.pk]
    charlie = allow(handbook.cast.charlie, "manage_gaps", "propose_changes")
    assert list_proposals(charlie, own(charlie)).total == 0
    assert set(list_proposals(charlie, own(charlie)).by_state.values()) == {0}
    reason = find_reason(Occasion(gap=gap.pk), charlie, own(charlie))
    assert list_targets(reason, charlie, own(charlie), search="Canteen") == ()
    with pytest.raises(NotFoundError):
        find_goal(handbook.find().pk, None, charlie, own(charlie))
    with pytest.raises(NotFoundError):
        find_goal(None, handbook.source.pk, charlie, own(charlie))
    for act in (withdraw, say_declined, send_again):
        with pytest.raises(NotFoundError):
            act(proposal.pk, charlie, own(charlie))


def test_who_may_not_read_a_section_gets_no_file(handbook: Handbook, gap: ContentGap, writer: User) -> None:
    """The file holds the words of that section, so it is changed by nobody who may not read all of it."""
    document = handbook.find()
    before = find_goal(document.pk, None, writer, own(writer))
    assert before.edits_file
    part = make_document("Canteen", "The cook earns 4,000 crowns.", part_of=document)
    assert part.part_of == document
    with pytest.raises(InvalidChangeError, match="may not read all of it"):
        find_goal(document.pk, None, writer, own(writer))


def test_a_document_that_nobody_can_change_says_why(
    handbook: Handbook, gap: ContentGap, writer: User, audience: Audience
) -> None:
    """An uploaded document without an owner, and without mail."""
    make_document("Canteen prices", "Lunch costs five crowns.", roles=[handbook.cast.staff])
    reason = find_reason(Occasion(gap=gap.pk), writer, audience)
    found = {one.document_name: one for one in list_targets(reason, writer, audience, search="prices")}
    assert found["Canteen prices"].way is None
    assert "no owner" in found["Canteen prices"].why_not


def test_each_step_is_in_the_audit_trail(handbook: Handbook, gap: ContentGap, writer: User, audience: Audience) -> None:
    """With ids, and no words."""
    proposal = write(handbook, gap, writer)
    withdraw(proposal.pk, writer, audience)
    events = AuditEvent.objects.filter(object_type="proposedchange", object_id=str(proposal.pk)).order_by("created_at")
    assert [event.action for event in events] == ["propose", "change"]
    assert ADDED not in str(list(events.values_list("details", flat=True)))
    assert send_now(proposal).state == ProposalState.WITHDRAWN


def test_new_paragraphs_are_those_that_were_not_there() -> None:
    """Each goes below its heading; white space makes none new."""
    new = CANTEEN.replace("## Payment", "## Hours\n\nOpen at  noon.\n\n## Payment").replace("two dishes", "two  dishes")
    assert list_new_paragraphs(CANTEEN, new) == ["Hours\n\nOpen at  noon."]
