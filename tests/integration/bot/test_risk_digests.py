"""Test the weekly digest of risks: once for each person and week, by their rights of that moment, and no words."""

import datetime as dt
import json
import logging
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.utils import timezone
from procrastinate.contrib.django.models import ProcrastinateJob

from adminsite.environment import mail_server_of
from bot import risk_digests
from bot.models import RiskDigest
from bot.slack.errors import SlackUnavailableError
from bot.slack.idempotent import IdempotentMessage
from bot.tasks import queue_risk_digests
from core.errors import MailNotSentError
from core.infrastructure import queue
from core.language.i18n.translation import day, speak_language
from core.models import ChannelSetting, Document, OversharingRisk, SlackIdentity, User, forget_shown
from core.testing import Cast, make_document
from slack_emulator.webapi.blocks import check_blocks
from tests.integration.bot.conftest import ALICE
from tests.integration.bot.killed import Killer, after, before, mostly_slow
from tests.integration.bot.slack_server import TEAM, Failure, SlackServer
from tests.integration.bot.test_kills import hand_on
from tests.integration.bot.worker import run_worker
from tests.integration.oversharing.people import look, make_people
from tests.integration.smtp import MailServer, smtp_server

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("fast", "workspace")]

# The week that has ended: what the worker itself queues at a quarter past the hour is the same digest.
NEXT_MONDAY = timezone.localdate() - dt.timedelta(days=timezone.localdate().weekday())
MONDAY, SUNDAY = NEXT_MONDAY - dt.timedelta(weeks=1), NEXT_MONDAY - dt.timedelta(days=1)
TO_ALICE = "D0ALICE"
RIGHTS = ("view_oversharing", "view_role", "view_document", "view_collection")
HIDDEN = "Quillfeather"


def at(day: dt.date, hour: int = 12) -> dt.datetime:
    """A moment."""
    return timezone.make_aware(dt.datetime.combine(day, dt.time(hour)))


@pytest.fixture
def found(cast: Cast) -> OversharingRisk:
    """A password that nearly everybody may read, found by looking, and so found again by the worker."""
    forget_shown()
    text = f"The code name is {HIDDEN} and the password of the router is Heron-Lake-88."
    document = make_document("Network plan", text, roles=[make_people("crowd", 40)])
    risk = look()["secret", document.pk]
    assert (risk.score, risk.state) == (20, "open")
    OversharingRisk.objects.filter(pk=risk.pk).update(opened_at=at(MONDAY))
    return risk


def make_risk(title: str, *, reach: int = 5, opened: dt.date = MONDAY, **fields: Any) -> OversharingRisk:
    """Make a risk of a document with a word in it that the administrator of these tests may not read.

    Looking would not find it: these are for tests without a worker, which looks.
    """
    document = make_document(title, f"The code name is {HIDDEN} of {title.lower()}.", roles=[])
    given = {"kind": "secret", "subjects": ["password"], "sensitivity": 4, "people": reach * 10} | fields
    return OversharingRisk.objects.create(
        key=f"secret/{document.pk}",
        document=document,
        reach=reach,
        score=given["sensitivity"] * reach,
        opened_at=at(opened),
        **given,
    )


@pytest.fixture(autouse=True)
def admin(cast: Cast, settings: Any) -> User:
    """Alice, who may see risks and use the admin, is in Slack; nobody else may."""
    settings.PUBLIC_URL = "https://footnote.example.com"
    User.objects.filter(pk=cast.alice.pk).update(is_staff=True)
    cast.alice.user_permissions.set(Permission.objects.filter(codename__in=RIGHTS))
    SlackIdentity.objects.create(team_id=TEAM, slack_user_id=ALICE, user=cast.alice, checked_at=timezone.now())
    return User.objects.get(pk=cast.alice.pk)


@pytest.fixture
def mail_server(settings: Any) -> Iterator[MailServer]:
    """Run a mail server that the settings point to."""
    with smtp_server() as server:
        settings.MAIL_SERVER = mail_server_of(server.address, "footnote@example.com")
        settings.EMAIL_FROM = "footnote@example.com"
        yield server


def queued() -> RiskDigest:
    """Return the one digest that waits."""
    assert risk_digests.queue_due(at(NEXT_MONDAY, 9)) == 1
    return RiskDigest.objects.get()


def said(slack: SlackServer, channel: str = TO_ALICE) -> list[dict[str, Any]]:
    """Return the digests in somebody's direct messages, which Slack would take."""
    found = [m for m in slack.messages[channel] if str(m["blocks"][0].get("block_id", "")).startswith("risk-digest-")]
    for one in found:
        check_blocks(one["blocks"], surface="message")
    return found


def outcome() -> tuple[str, str, str]:
    """Return the end of the one digest."""
    row = RiskDigest.objects.get()
    return row.state, row.way, row.error_code


def test_it_says_the_weeks_figures_and_the_highest_by_name(workspace: SlackServer, cast: Cast) -> None:
    """With a link to the page of each, kind and people; no word of a document, and what is low or over is counted."""
    high = [make_risk(f"Network plan {number}", people=100 - number) for number in range(5)]
    make_risk("Older plan", reach=2, opened=MONDAY - dt.timedelta(days=1))
    make_risk("Later plan", reach=1, opened=NEXT_MONDAY, people=1)
    decided = {"decided_at": at(MONDAY + dt.timedelta(days=6), 23)}
    make_risk("Right plan", state="accepted", opened=MONDAY - dt.timedelta(days=9), **decided)
    make_risk("Narrowed plan", state="narrowed", **decided)
    make_risk("Earlier plan", state="narrowed", opened=MONDAY - dt.timedelta(days=9), decided_at=at(MONDAY, 0))
    make_risk("Old plan", state="narrowed", opened=MONDAY - dt.timedelta(days=9), decided_at=at(NEXT_MONDAY, 0))
    risk_digests.send(queued().pk)
    (message,) = said(workspace)
    first, second, small = message["blocks"]
    assert first["text"]["text"].splitlines() == [
        f"*Oversharing from {day(MONDAY)} to {day(SUNDAY)}*",
        "New risks: 6",
        "Open risks: 5 high, 1 medium, 1 low",
        "Decided in the week: 2 narrowed, 1 found right",
    ]
    base = "https://footnote.example.com/admin/"
    assert second["text"]["text"].splitlines() == [
        "*The highest open risks*",
        *[
            f"• <{base}core/oversharingrisk/{risk.pk}/change/|Network plan {number}>: holds passwords or keys,"
            f" {100 - number} people"
            for number, risk in enumerate(high)
        ],
    ]
    assert small["elements"][0]["text"] == f"Only you get this message. <{base}risk-digest/|Turn it off>"
    assert HIDDEN not in json.dumps(message)
    assert sorted(channel for channel, posted in workspace.messages.items() if posted) == [TO_ALICE]
    assert outcome() == ("sent", "slack", "")


def test_its_addresses_are_pages_of_the_admin(admin: User, client: Any, settings: Any) -> None:
    """They open for whoever may see risks, and the page turns the digest off and on again."""
    settings.SECURE_SSL_REDIRECT = False
    risk = make_risk("Network plan")
    client.force_login(admin)
    assert client.get(f"/admin/core/oversharingrisk/{risk.pk}/change/").status_code == 200
    page = client.get("/admin/risk-digest/").content.decode()
    assert "Turn it off" in page
    for wanted, state, button in (("0", False, "Turn it on"), ("1", True, "Turn it off")):
        answer = client.post("/admin/risk-digest/", {"wanted": wanted}, follow=True)
        assert (answer.status_code, button in answer.content.decode()) == (200, True)
        assert User.objects.get(pk=admin.pk).gets_risk_digest is state
    admin.user_permissions.clear()
    assert client.get("/admin/risk-digest/").status_code == 403
    assert client.post("/admin/risk-digest/", {"wanted": "0"}).status_code == 403
    assert User.objects.get(pk=admin.pk).gets_risk_digest


def test_it_is_said_in_the_language_of_the_direct_messages(workspace: SlackServer) -> None:
    """Around the names."""
    ChannelSetting.objects.create(team_id=TEAM, channel_id=TO_ALICE, language="fr")
    make_risk("Network plan")
    risk_digests.send(queued().pk)
    shown = str(said(workspace)[0]["blocks"])
    with speak_language("fr"):
        assert f"Partage trop large, du {day(MONDAY)} au {day(SUNDAY)}" in shown
    assert "Network plan>: contient des mots de passe ou des clés, 50 personnes" in shown


def test_a_week_is_queued_once_for_each_person(cast: Cast) -> None:
    """Not before Monday at eight; a missed hour is made up for; only for who may see risks, and use the admin."""
    make_risk("Network plan")
    User.objects.filter(pk=cast.bob.pk).update(is_staff=True)  # without rights
    cast.charlie.user_permissions.set(Permission.objects.filter(codename__in=RIGHTS))  # without the admin
    assert risk_digests.queue_due(at(NEXT_MONDAY, 7)) == 0
    digest = queued()
    assert (digest.user, digest.week) == (cast.alice, MONDAY)
    assert risk_digests.queue_due(at(NEXT_MONDAY + dt.timedelta(days=6), 23)) == 0
    jobs = ProcrastinateJob.objects.filter(task_name=queue.RISK_DIGEST)
    assert [job.args for job in jobs] == [{"digest": str(digest.pk)}]
    assert risk_digests.queue_due(at(NEXT_MONDAY + dt.timedelta(days=9), 3)) == 1
    assert {row.week for row in RiskDigest.objects.all()} == {MONDAY, NEXT_MONDAY}
    queue_risk_digests(timestamp=0)
    assert set(RiskDigest.objects.values_list("user", flat=True)) == {cast.alice.pk}


@pytest.mark.parametrize(
    "taken",
    [{"is_active": False}, {"is_staff": False}, {"gets_risk_digest": False}, *RIGHTS],
    ids=str,
)
@pytest.mark.usefixtures("found")
def test_who_may_get_none_gets_none(workspace: SlackServer, admin: User, taken: Any) -> None:
    """Neither is one queued, nor is one that was queued before sent."""
    digest = queued()
    if isinstance(taken, str):
        admin.user_permissions.remove(Permission.objects.get(codename=taken))
    else:
        User.objects.filter(pk=admin.pk).update(**taken)
    run_worker()
    assert workspace.called("chat.postMessage") == []
    assert outcome() == ("silent", "", "nothing_to_say")
    digest.delete()
    assert risk_digests.queue_due(at(NEXT_MONDAY, 9)) == 0


def test_nothing_is_sent_while_nothing_is_new_and_nothing_is_high(workspace: SlackServer, settings: Any) -> None:
    """A new risk of any level is worth a message, or an old one that is high; with the search turned off nothing is."""
    old = make_risk("Network plan", reach=3, opened=MONDAY - dt.timedelta(days=1))
    make_risk("Later plan", reach=1, opened=NEXT_MONDAY)
    digest = queued()
    again = RiskDigest.objects.filter(pk=digest.pk)
    risk_digests.send(digest.pk)
    assert outcome() == ("silent", "", "nothing_to_say")
    assert workspace.called("chat.postMessage") == []
    OversharingRisk.objects.filter(pk=old.pk).update(reach=4, score=16)
    settings.OVERSHARING_ENABLED = False
    again.update(state="waiting")
    risk_digests.send(digest.pk)
    assert workspace.called("chat.postMessage") == []
    assert risk_digests.queue_due(at(NEXT_MONDAY + dt.timedelta(weeks=1), 9)) == 0
    settings.OVERSHARING_ENABLED = True
    again.update(state="waiting")
    risk_digests.send(digest.pk)
    assert "New risks: 0" in str(said(workspace)[0]["blocks"])
    OversharingRisk.objects.filter(pk=old.pk).update(reach=1, score=4, opened_at=at(MONDAY))
    again.update(state="waiting", ts="", attempts=0, channel_id="")
    risk_digests.send(digest.pk)
    assert "New risks: 1" in str(said(workspace)[1]["blocks"])


class TestBetweenChoosingAndPosting:
    """Rights and accounts are looked up again at the last moment."""

    def after_opening(self, monkeypatch: pytest.MonkeyPatch, work: Callable[[], object]) -> None:
        """Run a function when the direct messages were opened."""
        original = risk_digests.open_direct_messages

        def open_and_work(*args: Any, **kwargs: Any) -> str:
            channel = original(*args, **kwargs)
            work()
            return channel

        monkeypatch.setattr(risk_digests, "open_direct_messages", open_and_work)

    def test_whose_right_goes(self, workspace: SlackServer, admin: User, monkeypatch: pytest.MonkeyPatch) -> None:
        """They hear nothing any more."""
        make_risk("Network plan")
        self.after_opening(monkeypatch, lambda: admin.user_permissions.clear())
        risk_digests.send(queued().pk)
        assert outcome() == ("silent", "", "nothing_to_say")
        assert workspace.called("chat.postMessage") == []

    def test_whose_account_becomes_anothers(
        self, workspace: SlackServer, cast: Cast, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The message would go to Bob, who may not see risks."""
        make_risk("Network plan")
        self.after_opening(monkeypatch, lambda: SlackIdentity.objects.update(user=cast.bob))
        risk_digests.send(queued().pk)
        assert outcome() == ("silent", "", "account_changed")
        assert workspace.called("chat.postMessage") == []


STEPS = {
    "before it begins": before(risk_digests, "_begin_attempt"),
    "after it was gathered": after(risk_digests, "_gather"),
    "before it is posted": before(IdempotentMessage, "_post_message"),
    "after it was posted, before that is recorded": after(IdempotentMessage, "_post_message"),
    "after that was recorded": before(risk_digests, "_end_sent"),
}


@pytest.mark.parametrize("step", mostly_slow(STEPS, always="after it was posted, before that is recorded"))
@pytest.mark.usefixtures("found")
def test_a_killed_worker_leaves_one_message(workspace: SlackServer, killer: Killer, step: str) -> None:
    """Whatever it was at."""
    queued()
    killer.kill(run_worker, STEPS[step])
    hand_on()
    (message,) = said(workspace)
    assert "Network plan" in str(message["blocks"])
    assert outcome() == ("sent", "slack", "")
    row = RiskDigest.objects.get()
    assert (row.ts, row.channel_id, row.team_id) == (message["ts"], TO_ALICE, TEAM)
    assert row.attempts == (1 if step == "before it begins" else 2)


def test_a_message_that_was_posted_is_not_mailed_as_well(
    workspace: SlackServer, mail_server: MailServer, admin: User
) -> None:
    """Though its person has no account any more, or lost the right, once the next attempt looks."""
    make_risk("Network plan")
    digest = queued()
    workspace.fail("chat.postMessage", Failure(error="fatal_error", status=500, done=True))
    with pytest.raises(SlackUnavailableError):
        risk_digests.send(digest.pk)
    SlackIdentity.objects.all().delete()
    User.objects.filter(pk=admin.pk).update(email="alice@elsewhere.example")
    admin.user_permissions.clear()
    for _ in range(2):
        risk_digests.send(digest.pk)
    assert (len(said(workspace)), mail_server.received) == (1, [])
    assert outcome() == ("sent", "slack", "")


@pytest.mark.usefixtures("found")
def test_what_slack_puts_off_is_tried_again(workspace: SlackServer) -> None:
    """A message whose answer was lost on the way leaves one, too."""
    queued()
    workspace.fail("chat.postMessage", Failure(error="internal_error", status=500, done=True))
    run_worker()
    ProcrastinateJob.objects.filter(task_name=queue.RISK_DIGEST, status="todo").update(scheduled_at=None)
    run_worker()
    assert len(said(workspace)) == 1
    assert outcome() == ("sent", "slack", "")


@pytest.mark.usefixtures("found")
def test_what_slack_refuses_is_given_up_and_shown(workspace: SlackServer) -> None:
    """The next week has another one."""
    digest = queued()
    workspace.fail("conversations.open", Failure(error="user_disabled"))
    run_worker()
    assert outcome() == ("failed", "", "user_disabled")
    risk_digests.send(digest.pk)
    assert workspace.called("chat.postMessage") == []


class TestMail:
    """Whoever has no account in a connected workspace gets a mail, where mail is set up."""

    @pytest.fixture(autouse=True)
    def no_slack(self, workspace: SlackServer, settings: Any) -> None:
        """No workspace is connected."""
        settings.SLACK_BOT_TOKEN = ""

    def test_it_is_sent_once(self, mail_server: MailServer, admin: User, settings: Any, found: OversharingRisk) -> None:
        """With figures, names and addresses, in the language of the installation, and no word of a document."""
        settings.SLACK_LANGUAGE = "de"
        digest = queued()
        run_worker()
        risk_digests.send(digest.pk)
        (received,) = mail_server.received
        text = received.message.get_content()
        assert received.recipients == [admin.email]
        with speak_language("de"):
            subject = f"Zu weit geteilt, vom {day(MONDAY)} bis {day(SUNDAY)}"
        assert received.message["Subject"].strip() == subject
        assert received.message["Message-ID"].strip() == f"<risk-digest-{digest.pk}@footnote.example.com>"
        assert text.splitlines() == [
            "Neue Risiken: 1",
            "Offene Risiken: 1 hoch, 0 mittel, 0 niedrig",
            "",
            "Die höchsten offenen Risiken",
            "- Network plan: enthält Passwörter oder Schlüssel, 40 Personen",
            f"  https://footnote.example.com/admin/core/oversharingrisk/{found.pk}/change/",
            "",
            "Abschalten: https://footnote.example.com/admin/risk-digest/",
        ]
        assert HIDDEN not in received.content.decode()
        assert outcome() == ("sent", "mail", "")

    def test_a_busy_server_is_asked_again(self, mail_server: MailServer) -> None:
        """With the same id, so that a second copy would be recognised."""
        make_risk("Network plan")
        digest = queued()
        mail_server.answers["DATA"] = "451 Busy"
        with pytest.raises(MailNotSentError):
            risk_digests.send(digest.pk)
        assert RiskDigest.objects.get().state == "waiting"
        mail_server.answers.clear()
        risk_digests.send(digest.pk)
        assert [one.message["Message-ID"].strip() for one in mail_server.received] == [
            f"<risk-digest-{digest.pk}@footnote.example.com>"
        ]

    @pytest.mark.usefixtures("found")
    def test_a_server_that_refuses_ends_it(self, mail_server: MailServer) -> None:
        """It is noted why."""
        queued()
        mail_server.answers["RCPT"] = "550 Nobody"
        run_worker()
        assert outcome() == ("failed", "", "MailRefusedError")
        assert mail_server.received == []

    @pytest.mark.usefixtures("found")
    def test_without_mail_there_is_no_way(self) -> None:
        """Nothing fails."""
        queued()
        run_worker()
        assert outcome() == ("silent", "", "no_way")

    @pytest.mark.usefixtures("found")
    def test_whose_right_goes_gets_no_mail(self, mail_server: MailServer, admin: User) -> None:
        """Though a digest was queued."""
        queued()
        admin.user_permissions.clear()
        run_worker()
        assert (mail_server.received, outcome()) == ([], ("silent", "", "nothing_to_say"))


@pytest.mark.usefixtures("found")
def test_somebody_who_is_not_in_slack_gets_a_mail(workspace: SlackServer, mail_server: MailServer, admin: User) -> None:
    """Though a workspace is connected."""
    SlackIdentity.objects.all().delete()
    User.objects.filter(pk=admin.pk).update(email="alice@elsewhere.example")
    queued()
    run_worker()
    assert [one.recipients for one in mail_server.received] == [["alice@elsewhere.example"]]
    assert workspace.called("chat.postMessage") == []


def test_no_name_is_in_the_log_or_in_its_table(
    workspace: SlackServer, caplog: pytest.LogCaptureFixture, found: OversharingRisk
) -> None:
    """Neither a title nor a word of a document."""
    caplog.set_level(logging.DEBUG)
    Document.objects.filter(pk=found.document_id).update(title="Zanzibar plan")
    queued()
    run_worker()
    assert len(said(workspace)) == 1
    own = [record for record in caplog.records if record.name.startswith(("bot", "core"))]
    assert "risk_digest_sent" in {record.getMessage() for record in own}
    assert [record for record in own for word in ("Zanzibar", HIDDEN) if word in str(vars(record))] == []
    assert "Zanzibar" not in str(RiskDigest.objects.values().get())
