"""Proposed changes show nobody a document, a file or a text that they may not read, nor that there is one."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pytest_django.fixtures import Settings

from core.access.grants import revoke
from core.models import LateAnswer, ProposedChange, User
from core.quality.proposals.drafting import find_goal, open_form, preview_change
from core.quality.proposals.late_answers import list_own_late_answers
from core.quality.proposals.listing import list_proposals
from core.quality.proposals.rights import find_reason
from core.quality.proposals.targets import list_targets
from core.testing import Cast
from core.values.proposals import Occasion, WrittenChange
from tests.integration.changes.world import (
    ADDED,
    CANTEEN,
    Handbook,
    allow,
    find_gap,
    make_writer,
    open_handbook,
    own,
    send_now,
    tell_all,
    write,
)

VAULT = "# Vault canteen\n\n## Saturdays\n\nOn Saturdays the vault canteen opens with the code quagmire-7741.\n"
HIDDEN = ("vault", "quagmire", "7741")


@pytest.fixture
def handbook(cast: Cast, tmp_path: Path, settings: Settings, fast: None) -> Iterator[Handbook]:
    """A handbook that Alice and Bob read, both of whom propose changes."""
    settings.SOURCE_FOLDERS = [str(tmp_path)]
    make_writer(cast)
    allow(cast.bob, "manage_gaps", "propose_changes")
    with open_handbook(cast, tmp_path) as found:
        yield found


def _hide(handbook: Handbook) -> None:
    """Add a file that Alice alone reads."""
    handbook.branch.put("vault.md", VAULT.encode())
    handbook.synchronise()
    revoke(handbook.cast.staff, [handbook.find("vault.md")], by=None)
    from core.access.grants import grant

    grant(handbook.cast.owners, [handbook.find("vault.md")], by=None)


def _see_all(handbook: Handbook, gap: Any) -> list[Any]:
    """Everything of proposals that Bob is shown, but for what is different each time."""
    bob = User.objects.get(pk=handbook.cast.bob.pk)
    audience = own(bob)
    reason = find_reason(Occasion(gap=gap.pk), bob, audience)
    goal = find_goal(handbook.find().pk, None, bob, audience)
    form = open_form(reason, goal, audience)
    written = WrittenChange(
        title=form.title,
        question=form.question,
        text=f"{form.text}\n{ADDED}\n",
        document_id=goal.target.document_id,
        version=form.version,
    )
    found = list_proposals(bob, audience)
    return [
        [
            (one.document_name, one.place, one.way, one.why_not)
            for one in list_targets(reason, bob, audience, search="a")
        ],
        (form.title, form.question, form.text, form.nearest and form.nearest.quote),
        preview_change(reason, goal, written, bob, audience),
        [(row.document_name, row.place, row.url, row.error, row.people) for row in found.rows],
        (found.total, found.by_state),
    ]


def test_a_hidden_document_and_its_proposals_change_nothing_that_bob_sees(handbook: Handbook) -> None:
    """There is a near file with a proposal of Alice's, sent, failed and waiting."""
    cast = handbook.cast
    gap = find_gap(cast.charlie)
    without = _see_all(handbook, gap)
    _hide(handbook)
    alice = User.objects.get(pk=cast.alice.pk)
    vault = handbook.find("vault.md")
    for _ in range(2):
        proposal = write(handbook, gap, alice)
        ProposedChange.objects.filter(pk=proposal.pk).update(document=vault, place="vault.md", error="vault.md changed")
    assert len(list_proposals(alice, own(alice)).rows) == 2
    assert _see_all(handbook, gap) == without
    assert not [word for word in HIDDEN if word in str(without).casefold()]


def test_the_list_of_who_reads_it_has_it(handbook: Handbook) -> None:
    """What is hidden above is shown to Alice, so that nothing is hidden from everybody."""
    gap = find_gap(handbook.cast.charlie)
    _hide(handbook)
    alice = User.objects.get(pk=handbook.cast.alice.pk)
    reason = find_reason(Occasion(gap=gap.pk), alice, own(alice))
    names = [one.document_name for one in list_targets(reason, alice, own(alice), search="vault")]
    assert "Vault canteen" in names


def test_a_late_answer_has_nothing_that_its_asker_may_not_read(handbook: Handbook) -> None:
    """Bob and Alice ask the same; what is added is in a file that Alice alone reads."""
    cast = handbook.cast
    _hide(handbook)
    gap = find_gap(cast.bob)
    alice = User.objects.get(pk=cast.alice.pk)
    proposal = send_now(write(handbook, gap, alice))
    revoke(cast.staff, [handbook.find()], by=None)
    handbook.merge(proposal)
    handbook.synchronise()
    handbook.branch.put("canteen.md", CANTEEN.replace("two dishes", "quagmire dishes").encode())
    tell_all()
    assert list_own_late_answers(cast.bob, audience=own(cast.bob)) == ()
    assert {late.silence for late in LateAnswer.objects.all()} <= {"not_answered", "not_readable"}
