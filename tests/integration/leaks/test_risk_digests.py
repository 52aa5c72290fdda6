"""Test digests of risks and open matters: no word or section of a document, and nothing to who may not see risks."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.test import Client
from django.utils import timezone
from pytest_django.fixtures import Settings

from adminsite.environment import mail_server_of
from bot import risk_digests
from bot.blocks.home import OpenMatter, render_matters
from bot.models import RiskDigest
from core.access.audiences import audience_of, readable_among
from core.models import OversharingRisk, SlackIdentity, User
from core.quality.oversharing.digest import gather_week
from core.quality.reports.open_matters import list_open_matters
from core.testing import Cast, make_document
from tests.integration.bot.slack_server import TEAM, SlackServer
from tests.integration.smtp import smtp_server
from tests.job_queue import empty_queue

SECTION, WORDS = "Severance of Quillfeather", "Quillfeather leaves with the code Z9902."
SECRETS = ("Quillfeather", "Z9902", "Severance", "severance-of")
RIGHTS = ("view_oversharing", "view_role", "view_document", "view_collection")
ALICE = "U0ALICE"

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("fast")]


@pytest.fixture
def slack(settings: Settings, cast: Cast) -> Iterator[SlackServer]:
    """A workspace in which Alice, who may see risks and reads none of these documents, has an account."""
    settings.LOCAL_PAGE, settings.GUEST_ROLE, settings.SECURE_SSL_REDIRECT = False, "", False
    settings.SLACK_BOT_TOKEN, settings.PUBLIC_URL = "xoxb-of-the-tests", "https://footnote.example.com"
    empty_queue()
    User.objects.filter(pk=cast.alice.pk).update(is_staff=True)
    cast.alice.user_permissions.set(Permission.objects.filter(codename__in=RIGHTS))
    with SlackServer() as server:
        settings.SLACK_API_URL = server.url
        server.add_user(ALICE, cast.alice.email)
        SlackIdentity.objects.create(team_id=TEAM, slack_user_id=ALICE, user=cast.alice, checked_at=timezone.now())
        yield server
    empty_queue()


@pytest.fixture
def risks(cast: Cast, slack: SlackServer) -> list[OversharingRisk]:
    """A risk of a document and one of a part of it with restricted sections, which nobody may read."""
    whole = make_document("Vault rules", f"# {SECTION}\n\n{WORDS}", roles=[], section=SECTION)
    part = make_document(SECTION, WORDS, roles=[], part_of=whole, section=SECTION)
    assert readable_among([whole.pk, part.pk], audience_of([cast.alice.pk])) == set()
    return [
        OversharingRisk.objects.create(
            kind=kind,
            key=f"{kind}/{document.pk}",
            document=document,
            subjects=[subject],
            sensitivity=5,
            reach=5,
            score=25,
            people=40,
            opened_at=timezone.now(),
        )
        for document, kind, subject in ((whole, "secret", "token"), (part, "confidential", "health"))
    ]


def send_digest(person: User) -> RiskDigest:
    """Send somebody the digest of this week, and return its row."""
    row = RiskDigest.objects.create(user=person, week=timezone.localdate())
    risk_digests.send(row.pk)
    return RiskDigest.objects.get(pk=row.pk)


def test_a_message_has_no_word_section_or_file_of_a_document(
    slack: SlackServer, risks: list[OversharingRisk], cast: Cast
) -> None:
    """A part goes by the whole document's title, which whoever sees who reads what sees as well."""
    assert send_digest(cast.alice).state == "sent"
    (posted,) = slack.messages["D0ALICE"]
    shown = json.dumps(posted, ensure_ascii=False)
    assert "Vault rules>: holds passwords or keys, 40 people" in shown
    assert "Vault rules (restricted sections)>: looks confidential, 40 people" in shown
    assert [word for word in SECRETS if word in shown] == []


def test_a_mail_has_none_either(
    slack: SlackServer, risks: list[OversharingRisk], cast: Cast, settings: Settings
) -> None:
    """Neither in its subject nor in its text."""
    settings.SLACK_BOT_TOKEN = ""
    with smtp_server() as server:
        settings.MAIL_SERVER = mail_server_of(server.address, "footnote@example.com")
        settings.EMAIL_FROM = "footnote@example.com"
        assert send_digest(cast.alice).way == "mail"
        (received,) = server.received
    assert "Vault rules (restricted sections)" in received.message.get_content()
    assert [word for word in SECRETS if word in received.content.decode()] == []


@pytest.mark.parametrize("right", RIGHTS)
def test_who_lost_the_right_gets_neither_a_title_nor_a_number(
    slack: SlackServer, risks: list[OversharingRisk], cast: Cast, right: str
) -> None:
    """The row ends as it does where there is no risk at all."""
    cast.alice.user_permissions.remove(Permission.objects.get(codename=right))
    assert gather_week(User.objects.get(pk=cast.alice.pk), timezone.localdate()) is None
    with_risks = send_digest(cast.alice)
    with_risks.delete()
    OversharingRisk.objects.all().delete()
    without = send_digest(cast.alice)
    ended = [(row.state, row.way, row.error_code, row.channel_id, row.ts) for row in (with_risks, without)]
    assert ended == [("silent", "", "nothing_to_say", "", "")] * 2
    assert slack.called("chat.postMessage") == []


def test_what_waits_is_the_same_without_risks_for_who_may_not_decide(
    slack: SlackServer, risks: list[OversharingRisk], cast: Cast, client: Client
) -> None:
    """By the matters, the lines of the Home tab, and the dashboard."""
    person = User.objects.get(pk=cast.alice.pk)

    def look() -> Any:
        fresh = User.objects.get(pk=person.pk)
        matters = [OpenMatter(kind=one.kind, count=one.count) for one in list_open_matters(fresh)]
        page = client.get("/admin/").content.decode()
        return matters, render_matters(matters, "/admin/"), "risk of level" in page or "risks of level" in page

    client.force_login(person)
    with_risks = look()
    OversharingRisk.objects.all().delete()
    assert look() == with_risks
    assert with_risks[2] is False
