"""Preview as somebody else: what they may read, what a question gets, and what the viewer is shown of it."""

from collections.abc import Callable

import pytest
from django.test import Client
from django.utils import timezone
from procrastinate.contrib.django.models import ProcrastinateJob

from core.access.audiences import audience_of
from core.access.withdrawal import withdraw
from core.infrastructure.queue import NOTE_READERS
from core.models import AuditEvent, ChannelSetting, Query, SlackChannel, SlackWorkspace, User, UserRole, VerifiedAnswer
from core.testing import Cast, make_document
from tests.integration.adminsite.conftest import CANARIES, VAULT_QUESTION, World

PAGE = "/admin/core/role/preview/"
NEEDED = ("core.view_user", "core.view_role", "core.view_document")
SECRET = "quagmire-7741"
pytestmark = pytest.mark.usefixtures("kept_world", "fast")


def preview(browser: Client, **form: object) -> str:
    """The page, as somebody."""
    answer = browser.post(PAGE, form)
    assert answer.status_code == 200
    return answer.content.decode()


def test_a_person_is_shown_with_what_they_may_read(root: Client, world: World, cast: Cast) -> None:
    """By the titles of documents, which the viewer may list anyway; no word of the texts."""
    said = preview(root, email=cast.alice.email)
    assert world.vault.title in said
    assert "all 2" in said
    bobs = preview(root, email=cast.bob.email)
    assert world.vault.title not in bobs
    assert "1 of 2" in bobs
    assert "They may read nothing" in preview(root, email=cast.charlie.email)
    assert [canary for canary in CANARIES if canary in said + bobs] == []


def test_what_is_withdrawn_is_not_among_all(root: Client, world: World, cast: Cast) -> None:
    """Count somebody who reads every document that is left as reading all."""
    gone = make_document("Old rules", "Nothing.", collection=world.vault.collection.name, roles=[cast.owners])
    withdraw([gone.pk])
    assert "all 2" in preview(root, email=cast.alice.email)


def test_roles_channels_and_workspaces_are_shown_as_they_are(root: Client, world: World, cast: Cast) -> None:
    """Each by the roles that it has."""
    ChannelSetting.objects.update(uses_own_roles=True)
    channel = SlackChannel.objects.create(team_id="T1", channel_id="C1", name="general")
    workspace = SlackWorkspace.objects.get()
    workspace.decided_at = timezone.now()
    workspace.save()
    workspace.roles.add(cast.owners)
    for form, reads_vault in (
        ({"roles": [str(cast.owners.pk)]}, True),
        ({"roles": [str(cast.staff.pk)]}, False),
        ({"channel": str(channel.pk)}, False),
        ({"workspace": str(workspace.pk)}, True),
    ):
        assert (world.vault.title in preview(root, **form)) == reads_vault, form


def test_without_the_right_the_viewer_is_one_more_reader(
    staff: Callable[..., Client], world: World, cast: Cast
) -> None:
    """No text, no count and no outcome reveals documents that the viewer may not read; with a role they are shown."""
    browser = staff(*NEEDED)
    said = preview(browser, email=cast.alice.email, question=VAULT_QUESTION)
    asked_for_nothing = preview(browser, email=cast.charlie.email, question=VAULT_QUESTION)
    for page in (said, asked_for_nothing):
        assert SECRET not in page
        assert "Found no passage" in page
        assert "No answer: nothing found" in page
    UserRole.objects.create(user=User.objects.get(email="desk@example.com"), role=cast.owners)
    assert SECRET in preview(browser, email=cast.alice.email, question=VAULT_QUESTION)
    assert SECRET not in preview(browser, email=cast.bob.email, question=VAULT_QUESTION)


def test_with_the_right_everything_is_shown_and_on_record(
    staff: Callable[..., Client], world: World, cast: Cast
) -> None:
    """As Alice would see it, and as Bob would not; each look is written down, and no question is stored."""
    VerifiedAnswer.objects.all().delete()  # which would be told in place of what is found
    browser, questions = staff(*NEEDED, "core.preview_texts"), Query.objects.count()
    said = preview(browser, email=cast.alice.email, question=VAULT_QUESTION)
    assert SECRET in said
    assert "Statements that were written" in said
    assert SECRET not in preview(browser, email=cast.bob.email, question=VAULT_QUESTION)
    events = AuditEvent.objects.filter(action="preview").order_by("created_at")
    assert [(event.object_id, event.actor.email) for event in events] == [
        (str(cast.alice.pk), "desk@example.com"),
        (str(cast.bob.pk), "desk@example.com"),
    ]
    assert events[0].details["own_rights_left_out"] is True
    assert events[0].details["roles"] == [sorted(str(pk) for pk in (cast.owners.pk, cast.staff.pk))]
    assert SECRET not in str(events[0].details)
    assert Query.objects.count() == questions


def test_a_verified_answer_is_told_as_one(root: Client, world: World, cast: Cast) -> None:
    """With who verified it, and without a search that was not made; who may not read its source sees nothing."""
    said = preview(root, email=cast.alice.email, question=VAULT_QUESTION)
    assert "A verified answer fits, by Alice" in said
    assert "Searched for" not in said
    assert "A verified answer fits" not in preview(root, email=cast.bob.email, question=VAULT_QUESTION)


def test_what_is_previewed_is_what_they_get(root: Client, world: World, cast: Cast) -> None:
    """The page of a superuser, who holds every right, and the answer that Alice got."""
    assert world.vault_answer.answer_text is not None
    said = preview(root, email=cast.alice.email, question=VAULT_QUESTION)
    assert world.vault_answer.answer_text.split(" [")[0] in said
    assert audience_of([cast.alice.pk]).role_sets  # she has roles


@pytest.mark.parametrize("lacking", NEEDED)
def test_who_lacks_one_of_the_lists_may_not_preview(staff: Callable[..., Client], cast: Cast, lacking: str) -> None:
    """It joins people, roles and documents."""
    browser = staff(*(set(NEEDED) - {lacking}), "core.preview_texts")
    assert browser.post(PAGE, {"email": cast.alice.email}).status_code == 403


def test_what_was_verified_but_not_told_is_not_called_kept(root: Client, world: World, cast: Cast) -> None:
    """A refusal, or the closest passages, with statements that would have been the answer."""
    for question in ("Where is the jackdaw ledger from?", "How much does the canteen cost?"):
        said = " ".join(preview(root, email=cast.alice.email, question=question).split())
        assert "Statements that were written" in said
        assert "Not given: verified, but no sure enough answer" in said
        assert "> not given </span>" in said
        assert "> kept </span>" not in said
    told = " ".join(preview(root, email=cast.alice.email, question="Who opens the vault?").split())
    assert ("> kept </span>" in told, "not given" in told) == (True, False)


@pytest.mark.parametrize(
    ("form", "says"),
    [
        ({}, "Choose one"),
        ({"email": "nobody@example.com"}, "Nobody has this e-mail address"),
        ({"email": "alice@example.com", "channel": "0b8f3a52-5a8f-4b55-9e59-0123456789ab"}, "Select a valid choice"),
    ],
)
def test_a_form_that_says_nobody_or_two_is_refused(
    root: Client, world: World, cast: Cast, form: dict[str, str], says: str
) -> None:
    """With a reason, and nothing is on record."""
    assert says in preview(root, question="Where?", **form)
    assert not AuditEvent.objects.filter(action="preview").exists()


def test_a_channel_is_shown_as_slack_last_told(root: Client, world: World, cast: Cast) -> None:
    """Until it has, nothing is; each look has it asked again."""
    channel = SlackChannel.objects.create(team_id="T1", channel_id="C2", name="harbour")
    waiting = preview(root, channel=str(channel.pk), question=VAULT_QUESTION)
    assert "Slack is being asked who reads this channel" in waiting
    assert SECRET not in waiting
    assert world.canteen.title not in waiting
    job = ProcrastinateJob.objects.get(task_name=NOTE_READERS)
    assert job.args == {"team": "T1", "channel": "C2"}
    channel.role_sets = [[str(cast.owners.pk), str(cast.staff.pk)], [str(cast.staff.pk)]]
    channel.readers_at = timezone.now()
    channel.save()
    said = preview(root, channel=str(channel.pk), question=VAULT_QUESTION)
    assert world.canteen.title in said
    assert world.vault.title not in said
    assert SECRET not in said
