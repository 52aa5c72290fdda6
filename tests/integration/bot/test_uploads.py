"""Files shared with the bot: offered to who may add them, ingested once, and never fetched from elsewhere."""

import json
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

import pytest
from django.contrib.auth.models import Permission
from procrastinate.contrib.django.models import ProcrastinateJob
from pytest_django.fixtures import Settings
from slack_bolt import App, BoltRequest, BoltResponse

from bot.blocks import uploads as blocks
from bot.channels.settings import SWITCHED_OFF
from bot.listeners.shared_files import AWAY, DECIDED, GONE, NOT_YOURS
from bot.models import SlackEvent, Upload
from bot.slack.addresses import is_slacks
from bot.slack.errors import SlackUnavailableError
from bot.slack.workspace import find_client
from bot.tasks import is_last
from bot.uploads import files, steps
from bot.uploads.files import NoRoomError
from bot.uploads.steps import advance, give_up
from core.infrastructure.queue import INGEST, UPLOAD
from core.library.ingestion.formats import SUPPORTED
from core.library.ingestion.jobs import decline_held, release_held, run_job
from core.models import (
    ChangeLimit,
    ChannelSetting,
    Collection,
    Document,
    IngestionFile,
    IngestionJob,
    Role,
    RoleDocumentAccess,
    User,
)
from core.testing import Cast
from core.values.change_checks import ChangeKind
from slack_emulator.webapi.blocks import check_blocks
from tests.integration.bot.conftest import (
    ALICE,
    BOB,
    CHANNEL,
    CHARLIE,
    DIRECT,
    SECRET,
    STRANGER,
    direct,
    event_body,
    mention,
    signed,
)
from tests.integration.bot.slack_server import BOT_USER, TEAM, Failure, SlackServer, StoredFile
from tests.integration.bot.worker import run_worker

RULES = b"# Lift rules\n\nThe lift in the east wing carries at most nine people.\n"

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("fast", "workspace", "prompt_app")]


def allow(user: User, *names: str) -> None:
    """Give Django permissions of core."""
    user.user_permissions.add(*Permission.objects.filter(codename__in=names, content_type__app_label="core"))


@pytest.fixture(autouse=True)
def shelf(cast: Cast) -> Collection:
    """A collection that staff receives. Alice may ingest and grant, Bob may ingest."""
    allow(cast.alice, "add_ingestionjob", "decide_who_reads")
    allow(cast.bob, "add_ingestionjob")
    house = Collection.objects.create(name="House")
    house.default_roles.add(cast.staff)
    return house


@pytest.fixture
def share(send: Callable[..., BoltResponse], workspace: SlackServer) -> Callable[..., None]:
    """Return a function that shares one file, or those that are named, in a direct message unless set otherwise."""

    def send_message(text: str = "", *, kind: Callable[..., dict[str, Any]] = direct, **fields: Any) -> None:
        if not workspace.files:
            workspace.add_file("F1", "lift.md", RULES)
        given = {"files": [{"id": file_id} for file_id in workspace.files], "subtype": "file_share"}
        assert send(kind(text, **(given | fields))).status == 200

    return send_message


def the_upload() -> Upload:
    return Upload.objects.get()


def step(name: str) -> Upload:
    """Let the worker do a step, and see how far the upload has come."""
    advance(the_upload().pk, name)
    return the_upload()


def said_in(slack: SlackServer, channel: str = DIRECT) -> str:
    """Our only message there, which Slack's checks take."""
    (message,) = slack.messages[channel]
    check_blocks(message["blocks"], surface="message")
    return json.dumps(message["blocks"], ensure_ascii=False)


def steps_queued() -> list[str]:
    jobs = ProcrastinateJob.objects.filter(task_name=UPLOAD).order_by("id")
    return [job.args["step"] for job in jobs]


@pytest.fixture
def interact(app: App) -> Callable[..., BoltResponse]:
    """Sends what a person presses or submits, signed."""

    def send_payload(user: str, **fields: Any) -> BoltResponse:
        payload = {"team": {"id": TEAM}, "user": {"id": user, "team_id": TEAM}, "trigger_id": "1.2.a", **fields}
        raw = urlencode({"payload": json.dumps(payload)})
        headers = signed(raw, secret=SECRET) | {"content-type": ["application/x-www-form-urlencoded"]}
        return app.dispatch(BoltRequest(body=raw, headers=headers))

    return send_payload


@pytest.fixture
def press(interact: Callable[..., BoltResponse]) -> Callable[..., BoltResponse]:
    """Presses a button below the offer."""

    def send_press(action_id: str, *, user: str = ALICE, value: str = "") -> BoltResponse:
        return interact(
            user,
            type="block_actions",
            container={"type": "message", "message_ts": "2.2", "channel_id": DIRECT},
            message={"ts": "2.2", "thread_ts": "1.1"},
            actions=[{"type": "button", "action_id": action_id, "value": value or str(the_upload().pk)}],
        )

    return send_press


@pytest.fixture
def submit(interact: Callable[..., BoltResponse], shelf: Collection) -> Callable[..., dict[str, Any]]:
    """Submits the choices; what Slack hears."""

    def send_submission(
        *, user: str = ALICE, collection: UUID | None = None, roles: tuple[Role, ...] = ()
    ) -> dict[str, Any]:
        values = {
            "collection": {"chosen": {"selected_option": {"value": str(collection or shelf.pk)}}},
            "roles": {"chosen": {"selected_options": [{"value": str(role.pk)} for role in roles]}},
        }
        metadata = str(the_upload().pk)
        view = {"type": "modal", "callback_id": "add_files", "private_metadata": metadata, "state": {"values": values}}
        response = interact(user, type="view_submission", view=view)
        assert response.status == 200
        return json.loads(response.body) if response.body else {}

    return send_submission


class TestSharing:
    """Tests of what is stored when a message brings files."""

    def test_files_alone_are_no_question(self, share: Callable[..., None], slack: SlackServer) -> None:
        """They are stored with the job that offers them; Slack is not called, and the names are not believed."""
        share()
        upload = the_upload()
        assert (upload.state, upload.user_id, upload.files) == ("received", ALICE, [{"id": "F1"}])
        assert upload.thread_ts == upload.ts
        assert steps_queued() == ["offer"]
        assert SlackEvent.objects.count() == 0
        assert slack.calls == []

    def test_files_with_a_question_are_both(self, share: Callable[..., None]) -> None:
        """The question is answered beside the offer."""
        share("When does the canteen open?")
        assert SlackEvent.objects.get().text == "When does the canteen open?"
        assert steps_queued() == ["offer"]

    def test_a_mention_with_files_is_stored_once(self, share: Callable[..., None]) -> None:
        """Slack sends it in two events, and repeats them."""
        body = mention("", files=[{"id": "F1"}])
        for _ in range(2):
            share(kind=lambda text, **fields: body)
            share(
                f"<@{BOT_USER}>",
                kind=lambda text, **fields: event_body(
                    "message", text=text, channel_type="channel", **(fields | {"ts": body["event"]["ts"]})
                ),
            )
        assert the_upload().channel_id == CHANNEL
        assert steps_queued() == ["offer"]
        assert SlackEvent.objects.count() == 0

    def test_files_in_a_channel_without_a_mention_are_not_ours(self, share: Callable[..., None]) -> None:
        """Nor are a bot's."""
        share(kind=lambda text, **fields: event_body("message", text=text, channel_type="channel", **fields))
        share(bot_id="B0OTHER")
        assert Upload.objects.count() == 0

    def test_many_files_are_ten_at_most(self, share: Callable[..., None]) -> None:
        """As many as Slack's own clients take."""
        share(files=[{"id": f"F{number}"} for number in range(30)])
        assert len(the_upload().files) == 10


class TestOffer:
    """Tests of the offer to the person who shared files."""

    def test_it_names_the_files(self, share: Callable[..., None], slack: SlackServer) -> None:
        """In the thread, with their sizes and two buttons, and nothing of the library."""
        share()
        assert step("offer").state == Upload.State.OFFERED
        said = said_in(slack)
        assert "*lift.md*, 1 kB" in said
        assert {blocks.ADD_FILES, blocks.KEEP_OUT} <= set(said.split('"'))
        assert "House" not in said
        assert "staff" not in said
        assert slack.messages[DIRECT][0]["thread_ts"] == the_upload().ts

    @pytest.mark.parametrize("user", [CHARLIE, STRANGER, "U0GONE"])
    def test_who_may_not_add_hears_one_sentence(
        self, share: Callable[..., None], slack: SlackServer, user: str
    ) -> None:
        """Slack is not even asked about the files."""
        share(user=user)
        assert step("offer").state == Upload.State.REFUSED
        assert said_in(slack).count(blocks.NOT_ALLOWED) == 1
        assert slack.called("files.info") == []

    def test_a_closed_account_may_not_add(self, share: Callable[..., None], cast: Cast) -> None:
        """Permissions of somebody who has left count for nothing, an administrator's neither."""
        cast.alice.is_active, cast.alice.is_superuser = False, True
        cast.alice.save()
        share()
        assert step("offer").error_code == "not_allowed"

    def test_each_problem_is_named(self, share: Callable[..., None], slack: SlackServer, settings: Settings) -> None:
        """A usable file is offered; others are listed with their reasons."""
        settings.INGEST_MAX_MB = 1
        slack.add_file("F1", "../../etc/lift.md", RULES)
        slack.add_file("F2", "song.mp3", b"x")
        slack.add_file("F3", "long.pdf", b"x", size=2_000_000)
        slack.add_file("F4", "drive.md", b"x", is_external=True, mode="external")
        slack.add_file("F5", "canvas.md", b"x", mode="quip")
        slack.add_file("F6", "gone.md", b"x", mode="tombstone")
        slack.add_file("F7", "elsewhere.md", b"x", url_private="https://evil.example/f")
        share(files=[{"id": file_id} for file_id in (*slack.files, "F8")])
        assert step("offer").state == Upload.State.OFFERED
        problems = {file["name"] or file["id"]: file.get("problem", "") for file in the_upload().files}
        assert problems == {
            "lift.md": "",
            "song.mp3": files.UNSUPPORTED.format(kinds=SUPPORTED),
            "long.pdf": "is larger than 1 MB: share it in parts",
            "drive.md": files.NOT_HOSTED,
            "canvas.md": files.NOT_HOSTED,
            "gone.md": files.GONE,
            "elsewhere.md": files.NOT_HOSTED,
            "F8": files.GONE,
        }
        assert all(problem in said_in(slack) for problem in problems.values())

    def test_nothing_that_can_be_added_is_not_offered(self, share: Callable[..., None], slack: SlackServer) -> None:
        """There is no button to press."""
        slack.add_file("F1", "song.mp3", b"x")
        share()
        assert step("offer").error_code == "nothing_readable"
        assert files.UNSUPPORTED.format(kinds=SUPPORTED) in said_in(slack)
        assert "button" not in said_in(slack)

    def test_a_channel_that_is_switched_off(self, share: Callable[..., None], slack: SlackServer) -> None:
        """It is said so, and no file is looked at."""
        ChannelSetting.objects.create(team_id=TEAM, channel_id=CHANNEL, enabled=False)
        share(kind=mention)
        assert step("offer").state == Upload.State.REFUSED
        assert SWITCHED_OFF in said_in(slack, CHANNEL)
        assert slack.called("files.info") == []

    def test_a_worker_that_died_after_posting_posts_no_second_offer(
        self, share: Callable[..., None], slack: SlackServer
    ) -> None:
        """The message is found in the thread by its mark, and edited."""
        share()
        slack.fail("chat.postMessage", Failure(error="internal_error", done=True))
        with pytest.raises(SlackUnavailableError):
            step("offer")
        assert the_upload().state == Upload.State.RECEIVED
        assert step("offer").state == Upload.State.OFFERED
        assert the_upload().message_ts == slack.messages[DIRECT][0]["ts"]
        said_in(slack)

    def test_an_offer_is_made_once(self, share: Callable[..., None], slack: SlackServer) -> None:
        """A step that was done already does nothing."""
        share()
        step("offer")
        calls = len(slack.calls)
        assert step("offer").state == Upload.State.OFFERED
        assert step("report").state == Upload.State.OFFERED
        assert len(slack.calls) == calls


@pytest.fixture
def offered(share: Callable[..., None]) -> Upload:
    """One file is offered to Alice."""
    share()
    return step("offer")


@pytest.mark.usefixtures("offered")
class TestChoosing:
    """The buttons, and the window in which a collection and roles are chosen."""

    def test_the_choices_are_shown_to_who_pressed(self, press: Callable[..., BoltResponse], slack: SlackServer) -> None:
        """Every collection with its roles, and every role, in a window of their own."""
        assert press(blocks.ADD_FILES).status == 200
        (view,) = slack.views
        check_blocks(view["blocks"], surface="modal")
        assert view["private_metadata"] == str(the_upload().pk)
        collections, roles = (block["element"]["options"] for block in view["blocks"])
        assert [(o["text"]["text"], o["description"]["text"]) for o in collections] == [("House", "staff")]
        assert {option["text"]["text"] for option in roles} == {"owners", "staff"}

    @pytest.mark.parametrize("action_id", [blocks.ADD_FILES, blocks.KEEP_OUT])
    @pytest.mark.parametrize("user", [BOB, CHARLIE, STRANGER])
    def test_another_person_decides_nothing(
        self, press: Callable[..., BoltResponse], slack: SlackServer, action_id: str, user: str
    ) -> None:
        """Not even one who may add files of their own; they see no choices."""
        press(action_id, user=user)
        assert [said["text"] for said in slack.ephemeral] == [NOT_YOURS]
        assert slack.views == []
        assert the_upload().state == Upload.State.OFFERED

    @pytest.mark.parametrize("value", ["nonsense", "00000000-0000-0000-0000-000000000000"])
    def test_a_made_up_upload_is_nobodys(
        self, press: Callable[..., BoltResponse], slack: SlackServer, value: str
    ) -> None:
        """It sounds as another person's does."""
        press(blocks.ADD_FILES, value=value)
        assert [said["text"] for said in slack.ephemeral] == [NOT_YOURS]

    def test_rights_are_checked_at_the_press(
        self, press: Callable[..., BoltResponse], slack: SlackServer, cast: Cast
    ) -> None:
        """A person who lost their rights since the offer sees no choices."""
        cast.alice.user_permissions.clear()
        press(blocks.ADD_FILES)
        assert [said["text"] for said in slack.ephemeral] == [blocks.NOT_ALLOWED]
        assert slack.views == []

    def test_rights_are_checked_at_the_submission(self, submit: Callable[..., dict[str, Any]], cast: Cast) -> None:
        """And said at the field; nothing is queued."""
        cast.alice.user_permissions.clear()
        assert submit()["errors"] == {blocks.COLLECTION: blocks.NOT_ALLOWED}
        assert (the_upload().state, steps_queued()) == ("offered", ["offer"])

    def test_roles_are_for_who_may_grant(
        self, submit: Callable[..., dict[str, Any]], press: Callable[..., BoltResponse], slack: SlackServer, cast: Cast
    ) -> None:
        """Without that right there is no such choice, and a forged one is refused."""
        cast.alice.user_permissions.clear()
        allow(cast.alice, "add_ingestionjob")
        press(blocks.ADD_FILES)
        assert [block.get("block_id") for block in slack.views[0]["blocks"]] == [blocks.COLLECTION]
        assert submit(roles=(cast.owners,))["errors"] == {blocks.COLLECTION: blocks.NOT_ALLOWED}
        assert submit() == {}
        assert the_upload().state == Upload.State.ACCEPTED

    @pytest.mark.parametrize("user", [BOB, CHARLIE])
    def test_another_person_submits_nothing(self, submit: Callable[..., dict[str, Any]], user: str) -> None:
        """The upload is its sharer's."""
        assert submit(user=user)["errors"] == {blocks.COLLECTION: blocks.NOT_ALLOWED}
        assert the_upload().state == Upload.State.OFFERED

    def test_what_is_gone_cannot_be_chosen(self, submit: Callable[..., dict[str, Any]]) -> None:
        """A collection that was deleted meanwhile."""
        assert submit(collection=UUID(int=0))["errors"] == {blocks.COLLECTION: GONE}

    def test_slack_away_at_the_submission(self, submit: Callable[..., dict[str, Any]], slack: SlackServer) -> None:
        """The submitter cannot be identified now, and can try again."""
        from core.models import SlackIdentity

        SlackIdentity.objects.all().delete()
        slack.fail("users.info", Failure(error="ratelimited", status=429))
        assert submit()["errors"] == {blocks.COLLECTION: AWAY}
        assert submit() == {}

    def test_a_double_submission_is_one(self, submit: Callable[..., dict[str, Any]], cast: Cast) -> None:
        """The window closes both times; the first choice is kept."""
        assert submit(roles=(cast.owners,)) == {}
        assert submit() == {}
        assert set(the_upload().roles.all()) == {cast.owners}
        assert steps_queued() == ["offer", "ingest"]

    def test_no_thanks_is_heard_once(self, press: Callable[..., BoltResponse], slack: SlackServer) -> None:
        """The buttons go, however often it is pressed; then nothing can be added."""
        for _ in range(2):
            press(blocks.KEEP_OUT)
        assert said_in(slack).count(blocks.DECLINED) == 1
        press(blocks.ADD_FILES)
        assert [said["text"] for said in slack.ephemeral] == [DECIDED]
        assert (the_upload().state, slack.views) == ("declined", [])

    def test_after_yes_there_is_no_no(
        self, submit: Callable[..., dict[str, Any]], press: Callable[..., BoltResponse], slack: SlackServer
    ) -> None:
        """The ingestion is under way."""
        submit()
        press(blocks.KEEP_OUT)
        assert [said["text"] for said in slack.ephemeral] == [DECIDED]
        assert the_upload().state == Upload.State.ACCEPTED


@pytest.mark.usefixtures("offered")
class TestIngesting:
    """The files are fetched and handed in, once."""

    def test_the_files_are_handed_in_with_what_was_chosen(
        self, submit: Callable[..., dict[str, Any]], slack: SlackServer, shelf: Collection, cast: Cast
    ) -> None:
        """One job, by Alice; the report waits behind it."""
        submit(roles=(cast.owners,))
        upload = step("ingest")
        job = IngestionJob.objects.get()
        assert (upload.state, upload.job, job.collection, job.created_by) == ("ingesting", job, shelf, cast.alice)
        assert set(job.roles.all()) == {cast.owners}
        assert {(file.name, bytes(file.content or b"")) for file in job.files.all()} == {("lift.md", RULES)}
        assert blocks.READING in said_in(slack)
        queued = ProcrastinateJob.objects.filter(task_name__in=[INGEST, UPLOAD], lock=f"ingestion:{job.pk}")
        assert [row.task_name for row in queued.order_by("-priority", "id")] == [INGEST, UPLOAD]

    def test_files_that_are_checked_first_are_reported_after_the_yes(
        self, submit: Callable[..., dict[str, Any]], slack: SlackServer
    ) -> None:
        """It is said that they wait, and looked at again until it is decided."""
        ChangeLimit.objects.create(kind=ChangeKind.EDITIONS, is_on=True, from_documents=1)
        submit()
        step("ingest")
        job = IngestionJob.objects.get()
        assert job.state == "held"
        assert blocks.CHECKING in said_in(slack)
        waiting = ProcrastinateJob.objects.filter(task_name=UPLOAD, args__step="wait")
        assert waiting.count() == 1
        waiting.delete()
        assert step("wait").state == Upload.State.INGESTING
        assert waiting.count() == 1
        assert release_held(job)
        waiting.delete()
        step("wait")
        assert not waiting.exists()
        reports = ProcrastinateJob.objects.filter(task_name=UPLOAD, args__step="report")
        assert reports.get().lock == f"ingestion:{job.pk}"
        run_job(job.pk)
        assert step("report").state == Upload.State.DONE

    def test_declined_files_are_reported(self, submit: Callable[..., dict[str, Any]], slack: SlackServer) -> None:
        """With the reason."""
        ChangeLimit.objects.create(kind=ChangeKind.EDITIONS, is_on=True, from_documents=1)
        submit()
        step("ingest")
        decline_held(IngestionJob.objects.get())
        step("wait")
        assert step("report").state == Upload.State.DONE
        assert "declined" in said_in(slack)

    def test_a_repeated_step_makes_no_second_job(
        self, submit: Callable[..., dict[str, Any]], slack: SlackServer
    ) -> None:
        """A worker died after handing in: the step is done. One died before: it is done again."""
        submit()
        slack.fail("chat.update", None, Failure(error="internal_error"))
        with pytest.raises(SlackUnavailableError):
            step("ingest")
        assert the_upload().state == Upload.State.INGESTING
        step("ingest")
        assert IngestionJob.objects.count() == 1

    def test_two_workers_hand_in_once(self, submit: Callable[..., dict[str, Any]]) -> None:
        """One that took the same step before the other was through finds the job made."""
        submit()
        before = the_upload()
        step("ingest")
        steps._ingest_files(find_client(TEAM), before)
        assert IngestionJob.objects.count() == 1
        assert steps_queued() == ["offer", "ingest", "report"]

    def test_slack_away_while_fetching(self, submit: Callable[..., dict[str, Any]], slack: SlackServer) -> None:
        """The step is tried again, and nothing was handed in meanwhile."""
        submit()
        whole = slack.contents["F1"]
        slack.contents["F1"] = replace(whole, status=503)
        with pytest.raises(SlackUnavailableError):
            step("ingest")
        assert (the_upload().state, IngestionJob.objects.count()) == ("accepted", 0)
        slack.contents["F1"] = whole
        assert step("ingest").state == Upload.State.INGESTING

    @pytest.mark.parametrize("repeated", [1, 2000])  # written when it is closed, or as it comes
    def test_a_full_disk_while_fetching(
        self,
        submit: Callable[..., dict[str, Any]],
        slack: SlackServer,
        repeated: int,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        """The step is tried again once there is room, as when Slack is away."""
        slack.add_file("F1", "lift.md", RULES * repeated)
        submit()
        (tmp_path / "0").symlink_to("/dev/full")
        with monkeypatch.context() as patch:
            patch.setattr(steps, "TemporaryDirectory", lambda: nullcontext(tmp_path))
            with pytest.raises(NoRoomError) as full:
                step("ingest")
        assert not is_last(full.value, earlier_attempts=0)
        assert (the_upload().state, IngestionJob.objects.count()) == ("accepted", 0)
        assert step("ingest").state == Upload.State.INGESTING

    def test_rights_are_checked_when_the_job_runs(
        self, submit: Callable[..., dict[str, Any]], slack: SlackServer, cast: Cast
    ) -> None:
        """A person who may not add any more gets nothing added, and no byte is fetched."""
        submit()
        cast.alice.is_active = False
        cast.alice.save()
        assert step("ingest").error_code == "not_allowed"
        assert slack.called("GET") == []
        assert IngestionJob.objects.count() == 0

    def test_the_right_to_grant_is_checked_when_the_job_runs(
        self, submit: Callable[..., dict[str, Any]], cast: Cast
    ) -> None:
        """Chosen roles need it still."""
        submit(roles=(cast.owners,))
        cast.alice.user_permissions.clear()
        allow(cast.alice, "add_ingestionjob")
        assert step("ingest").error_code == "not_allowed"

    @pytest.mark.parametrize(
        ("stored", "problem"),
        [
            (StoredFile(status=302, headers={"Location": "https://evil.example/f"}), files.NOT_GIVEN),
            (StoredFile(status=302, headers={"Location": "http://127.0.0.1:9/f"}), files.NOT_GIVEN),
            (StoredFile(status=302, headers={"Location": "F1"}), files.NOT_GIVEN),
            (StoredFile(status=403), files.NOT_GIVEN),
            (StoredFile(content=b"<html>Sign in to Slack</html>"), files.NOT_GIVEN),
        ],
        ids=["elsewhere", "this machine", "in circles", "forbidden", "another content"],
    )
    def test_what_slack_does_not_give_is_not_added(
        self, submit: Callable[..., dict[str, Any]], slack: SlackServer, stored: StoredFile, problem: str
    ) -> None:
        """A redirect leads nowhere else, and a page to sign in is no file; the reason is said."""
        submit()
        slack.contents["F1"] = stored
        assert step("ingest").error_code == "nothing_fetched"
        assert problem in said_in(slack)
        assert IngestionJob.objects.count() == 0

    def test_more_than_one_job_takes_is_left_out(
        self, submit: Callable[..., dict[str, Any]], slack: SlackServer, settings: Settings
    ) -> None:
        """Counted before it is fetched; the rest is handed in."""
        slack.add_file("F2", "long.md", b"x" * 1_048_576)
        upload = the_upload()
        upload.files = [*upload.files, {"id": "F2", "name": "long.md"}]
        upload.save()
        settings.INGEST_JOB_MAX_MB = 1
        submit()
        step("ingest")
        assert [file.name for file in IngestionJob.objects.get().files.all()] == ["lift.md"]
        assert the_upload().files[1]["problem"] == steps.TOO_MUCH

    def test_what_the_library_has_is_not_said_where_others_read(self) -> None:
        """The reason of a refusal names a document and its readers, to the one who may read it."""
        refused = IngestionFile(
            name="lift.md", state="failed", error="“Lift rules”, which is for owners", chunk_count=0
        )
        refused.error_documents = [UUID(int=1)]
        assert "Lift rules" not in steps._read_result(refused, is_overheard=True).problem
        assert "Lift rules" in steps._read_result(refused, is_overheard=False).problem

    def test_a_file_that_was_deleted_meanwhile(self, submit: Callable[..., dict[str, Any]], slack: SlackServer) -> None:
        """Said so; nothing is handed in."""
        submit()
        del slack.files["F1"]
        assert step("ingest").state == Upload.State.FAILED
        assert files.GONE in said_in(slack)

    def test_a_collection_that_was_deleted_meanwhile(
        self, submit: Callable[..., dict[str, Any]], slack: SlackServer, shelf: Collection
    ) -> None:
        """Said so; nothing is handed in."""
        submit()
        shelf.delete()
        assert step("ingest").error_code == "collection_gone"
        assert blocks.COLLECTION_GONE in said_in(slack)

    def test_an_ingestion_that_never_ends_is_told(
        self, submit: Callable[..., dict[str, Any]], slack: SlackServer
    ) -> None:
        """The report comes even if its job was given up."""
        submit()
        step("ingest")
        assert step("report").error_code == "ingestion_stopped"
        assert blocks.UNFINISHED in said_in(slack)

    def test_trouble_that_stays_is_told_once(self, submit: Callable[..., dict[str, Any]], slack: SlackServer) -> None:
        """Without internals; later attempts do nothing."""
        submit()
        for _ in range(2):
            give_up(the_upload().pk, code="missing_scope")
        assert blocks.FAILED in said_in(slack)
        assert "missing_scope" not in said_in(slack)
        assert (the_upload().state, the_upload().error_code) == ("failed", "missing_scope")
        assert step("ingest").state == Upload.State.FAILED


@pytest.mark.usefixtures("slack")
class TestAddresses:
    """Tests of the addresses to which the bot's token may be sent."""

    @pytest.mark.parametrize(
        ("address", "allowed"),
        [
            ("https://files.slack.com/files-pri/T-F/lift.md", True),
            ("https://acme.enterprise.slack.com/f", True),
            ("https://slack.com/f", True),
            ("https://slack.com:443/f", True),
            ("https://slack.com:8443/f", False),
            ("http://files.slack.com/f", False),
            ("https://files.slack.com.evil.example/f", False),
            ("https://evilslack.com/f", False),
            ("https://evil.example\\.slack.com/f", False),
            ("https://evil.example#.slack.com", False),
            ("https://user@files.slack.com/f", False),
            ("https://files.slack.com@evil.example/f", False),
            ("https://[bad/f", False),
            ("file:///etc/passwd", False),
            ("", False),
            ("http://127.0.0.1/f", False),
            ("http://127.0.0.1:80800/f", False),
        ],
    )
    def test_only_slacks_own(self, address: str, allowed: bool) -> None:
        """Slack's hosts over https, whatever an address looks like."""
        assert is_slacks(address) is allowed

    def test_and_where_the_web_api_is(self, slack: SlackServer) -> None:
        """The very scheme, host and port."""
        assert is_slacks(slack.url.replace("/api/", "/files/F1"))
        assert not is_slacks(slack.url.replace("http:", "https:"))

    def test_more_bytes_than_allowed_are_not_read(self, slack: SlackServer) -> None:
        """The size in the listing does not matter."""
        described = slack.add_file("F1", "long.md", b"x" * 1_500_000, size=10)
        file = files.FileInSlack(name="long.md", size=10, address=described["url_private"])
        with pytest.raises(files.UnusableFileError, match="larger than 1 MB"):
            files.fetch(find_client(TEAM), file, BytesIO(), max_mb=1)


@pytest.mark.parametrize(
    ("name", "clean"),
    [
        ("lift.md", "lift.md"),
        ("../../etc/passwd.txt", "passwd.txt"),
        ("C:\\temp\\lift.md", "lift.md"),
        ("a\x00b\nc.md", "a b c.md"),
        ("\u202egnp.md", "gnp.md"),
        (".hidden.md", "hidden.md"),
        ("<!channel>.md", "!channel .md"),
        ("", "file"),
        ("/", "file"),
        ("x" * 400 + ".md", "x" * 147 + ".md"),
    ],
)
def test_names_are_cleaned(name: str, clean: str) -> None:
    """No path, no control characters, no end of the name that is lost."""
    assert files.clean_name(name) == clean


@pytest.mark.django_db(transaction=True)
def test_from_the_message_to_the_report(
    share: Callable[..., None], submit: Callable[..., dict[str, Any]], slack: SlackServer, cast: Cast
) -> None:
    """A worker does every step in its order: what could be read is in the library for its roles, the rest is named."""

    slack.add_file("F1", "lift.md", RULES)
    slack.add_file("F2", "broken.pdf", b"%PDF-1.7 nothing more")
    share()
    run_worker()
    submit(roles=(cast.owners,))
    run_worker()
    assert the_upload().state == Upload.State.DONE
    document = Document.objects.get()
    assert (document.title, document.collection.name) == ("Lift rules", "House")
    granted = RoleDocumentAccess.objects.filter(document=document).values_list("role__name", flat=True)
    assert set(granted) == {"owners", "staff"}
    said = said_in(slack)
    assert "*lift.md*: 1 passage" in said
    assert "*broken.pdf* was not added" in said
    assert set(ProcrastinateJob.objects.values_list("status", flat=True)) == {"succeeded"}
