"""One right of each kind that Slack, data sources, jobs and kept words give."""

from typing import Any
from uuid import uuid4

from django.utils import timezone

from bot.models import (
    ChannelKind,
    HandOver,
    Installation,
    OrganisationWorkspace,
    QuotedMessage,
    Reply,
    SlackEvent,
    Upload,
)
from core.access.grants import change_members
from core.asking.history.retention import erase_texts_of
from core.models import (
    ChangeCheck,
    ChannelSetting,
    Collection,
    DataSource,
    IngestionFile,
    IngestionJob,
    IntranetHost,
    Query,
    ShownSecret,
    SlackBot,
    SlackIdentity,
    SlackWorkspace,
    SourceGroup,
    SyncItem,
    User,
    VerifiedAnswer,
    fingerprint_of,
    forget_shown,
)
from core.models.masking import mask_words
from slack_emulator.models import LocalChannel, LocalUsergroup, ResponseAddress
from tests.integration.adminsite.kinds_of_rights import (
    Right,
    give_row,
    kind,
    make_person,
    make_read_document,
    make_role,
    reads,
)
from tests.integration.asked import make_question


@kind
def _slack_account() -> Right:
    person = make_person()
    rows = {"team_id": "T9", "slack_user_id": uuid4().hex[:8], "checked_at": timezone.now()}
    return give_row(SlackIdentity.objects.create(user=person, **rows), user=make_person())


@kind
def _installation() -> Right:
    row = Installation.objects.create(team_id=uuid4().hex, bot_user_id="U9", installed_at=timezone.now())
    rows = Installation.objects.filter(pk=row.pk)
    return rows.end, rows.filter(is_active=True).exists


@kind
def _workspace_of_an_organisation() -> Right:
    whole = {"is_organisation": True, "bot_user_id": "U9", "installed_at": timezone.now()}
    installation = Installation.objects.create(team_id=uuid4().hex, **whole)
    row = OrganisationWorkspace.objects.create(installation=installation, team_id=uuid4().hex)
    rows = OrganisationWorkspace.objects.filter(pk=row.pk)
    return rows.delete, rows.exists


@kind
def _role_of_a_workspace() -> Right:
    workspace = SlackWorkspace.objects.create(team_id=uuid4().hex, decided_at=timezone.now())
    workspace.roles.add(make_role())
    held = lambda: bool(SlackWorkspace.objects.roles_of_everyone(workspace.team_id))  # noqa: E731
    return lambda: workspace.roles.clear(), held


@kind
def _search_in_a_workspace() -> Right:
    row = SlackWorkspace.objects.create(team_id=uuid4().hex, searches_messages=True)
    return give_row(row, searches_messages=False)


@kind
def _link_to_a_quoted_message() -> Right:
    event = SlackEvent.objects.create(event_id=uuid4().hex, team_id="T9", user_id="U9", kind="direct", state="answered")
    reply = Reply.objects.create(event=event, state="posted")
    return give_row(QuotedMessage.objects.create(reply=reply, permalink="https://t9.slack.com/", words_hash="0" * 64))


@kind
def _bot_that_is_no_reader() -> Right:
    row = SlackBot.objects.create(team_id="T9", slack_user_id=uuid4().hex[:8], is_no_reader=True)
    return give_row(row, is_no_reader=False)


def _channel(**fields: Any) -> ChannelSetting:
    return ChannelSetting.objects.create(team_id="T9", channel_id=uuid4().hex[:8], **fields)


@kind
def _channel_that_is_answered() -> Right:
    return give_row(_channel(), enabled=False)


@kind
def _channel_without_a_setting() -> Right:
    """Footnote answers where nothing is set; somebody switched it off since."""
    place = {"team_id": "T9", "channel_id": uuid4().hex[:8]}
    rows = ChannelSetting.objects.filter(**place)
    return lambda: rows.create(**place, enabled=False), lambda: not rows.filter(enabled=False).exists()


@kind
def _channel_with_roles_of_its_own() -> Right:
    return give_row(_channel(uses_own_roles=True), uses_own_roles=False)


@kind
def _role_of_a_channel() -> Right:
    channel = _channel(uses_own_roles=True)
    channel.roles.add(make_role())
    return channel.roles.clear, channel.roles.exists


@kind
def _every_collection_in_a_channel() -> Right:
    channel = _channel()
    shelf = Collection.objects.create(name=uuid4().hex)
    rows = ChannelSetting.objects.filter(pk=channel.pk, enabled=True, collections=None)
    return lambda: channel.collections.add(shelf), rows.exists


@kind
def _collection_in_a_channel() -> Right:
    channel = _channel()
    shelf, other = (Collection.objects.create(name=uuid4().hex) for _ in range(2))
    channel.collections.set([shelf, other])
    return lambda: channel.collections.set([other]), lambda: channel.collections.filter(pk=shelf.pk).exists()


@kind
def _only_collection_in_a_channel() -> Right:
    """Another one took its place: without any, everything would be answered from."""
    channel = _channel()
    shelf, other = (Collection.objects.create(name=uuid4().hex) for _ in range(2))
    channel.collections.set([shelf])
    rows = ChannelSetting.objects.filter(pk=channel.pk, enabled=True).exclude(collections=other)
    return lambda: channel.collections.set([other]), rows.exists


@kind
def _kind_of_a_channel() -> Right:
    place = {"team_id": "T9", "channel_id": uuid4().hex[:8]}
    return give_row(ChannelKind.objects.create(**place, read_by="members", checked_at=timezone.now()))


@kind
def _answers_unasked() -> Right:
    return give_row(_channel(answers_unasked=True), answers_unasked=False)


@kind
def _follow_ups_without_a_mention() -> Right:
    return give_row(_channel(), mention_only=True)


@kind
def _tidings_of_changes() -> Right:
    return give_row(_channel(), tells_of_changes=False)


@kind
def _digest() -> Right:
    return give_row(_channel(weekly_digest=True), weekly_digest=False)


@kind
def _person_who_is_asked() -> Right:
    channel = _channel()
    channel.answering_people.add(make_person())
    return channel.answering_people.clear, channel.answering_people.exists


@kind
def _usergroup_that_is_asked() -> Right:
    return give_row(_channel(answering_usergroup="S9"), answering_usergroup="")


@kind
def _question_on_its_way() -> Right:
    place = {"team_id": "T9", "channel_id": "C9", "thread_ts": "1.0"}
    event = SlackEvent.objects.create(event_id=uuid4().hex, **place, user_id="U9", kind="mention", state="answered")
    reply = Reply.objects.create(event=event)
    return give_row(HandOver.objects.create(reply=reply, **place, asked_by="U9", state="waiting"), state="resolved")


def _source(**fields: Any) -> DataSource:
    shelf = Collection.objects.create(name=uuid4().hex)
    return DataSource.objects.create(name=uuid4().hex, kind="folder", collection=shelf, **fields)


@kind
def _role_of_a_source() -> Right:
    source = _source()
    source.roles.add(make_role())
    return source.roles.clear, source.roles.exists


@kind
def _chosen_roles_of_a_source() -> Right:
    return give_row(_source(), takes_readers=True)


@kind
def _place_of_a_source() -> Right:
    """It was narrowed to another folder since: nobody may load the earlier one before somebody looked."""
    row = _source(settings={"path": "/all"})
    rows = DataSource.objects.filter(pk=row.pk)
    return lambda: rows.update(settings={"path": "/all/one"}), rows.filter(
        settings={"path": "/all"}, is_enabled=True
    ).exists


@kind
def _credentials_of_a_source() -> Right:
    row = _source(secrets="old")
    rows = DataSource.objects.filter(pk=row.pk)
    return lambda: rows.update(secrets="new"), rows.filter(secrets="old", is_enabled=True).exists


@kind
def _collection_of_a_source() -> Right:
    row, shelf = _source(), Collection.objects.create(name=uuid4().hex)
    rows = DataSource.objects.filter(pk=row.pk)
    return lambda: rows.update(collection=shelf), rows.filter(collection=row.collection, is_enabled=True).exists


@kind
def _source_that_is_asked() -> Right:
    return give_row(_source(), is_enabled=False)


@kind
def _hours_of_a_source() -> Right:
    return give_row(_source(), readers_hours=1)


@kind
def _role_of_a_group() -> Right:
    row = SourceGroup.objects.create(source=_source(takes_readers=True), name="crew", role=make_role())
    return give_row(row, role=None)


@kind
def _role_that_a_source_gave() -> Right:
    row = SyncItem.objects.create(source=_source(), key="a", name="a", applied_roles=[make_role().pk])
    return give_row(row, applied_roles=[])


@kind
def _group_that_reads_at_a_source() -> Right:
    row = SyncItem.objects.create(source=_source(), key="a", name="a", groups=["crew", "guests"])
    return give_row(row, groups=["crew"])


@kind
def _host_inside() -> Right:
    return give_row(IntranetHost.objects.create(name=f"{uuid4().hex}.internal"))


@kind
def _ingestion_that_waits() -> Right:
    row = IngestionJob.objects.create(collection=Collection.objects.create(name=uuid4().hex))
    return give_row(row, state="done")


@kind
def _file_that_waits() -> Right:
    job = IngestionJob.objects.create(collection=Collection.objects.create(name=uuid4().hex))
    return give_row(IngestionFile.objects.create(job=job, name="a.md"), state="done")


@kind
def _role_of_an_ingestion() -> Right:
    job = IngestionJob.objects.create(collection=Collection.objects.create(name=uuid4().hex))
    job.roles.add(make_role())
    return job.roles.clear, job.roles.exists


@kind
def _files_that_are_offered() -> Right:
    place = {"team_id": "T9", "channel_id": "C9", "user_id": "U9", "ts": uuid4().hex[:8], "thread_ts": "1.0"}
    return give_row(Upload.objects.create(**place, files=[], state="offered"), state="declined")


@kind
def _role_of_offered_files() -> Right:
    place = {"team_id": "T9", "channel_id": "C9", "user_id": "U9", "ts": uuid4().hex[:8], "thread_ts": "1.0"}
    upload = Upload.objects.create(**place, files=[], state="offered")
    upload.roles.add(make_role())
    return upload.roles.clear, upload.roles.exists


def _verified() -> tuple[User, VerifiedAnswer]:
    person, _, document = make_read_document()
    row = VerifiedAnswer.objects.create(
        question="What of the griffin?",
        cited_text="Words. [1]",
        state="active",
        verified_at=timezone.now(),
        review_on=timezone.localdate(),
    )
    row.sources.create(number=1, document=document, document_version=1, start_offset=0, end_offset=5, relevance_score=1)
    return person, row


@kind
def _verified_answer() -> Right:
    person, row = _verified()
    take, held = give_row(row, state="retired")
    return take, lambda: held() and reads(person, VerifiedAnswer, row.pk)


@kind
def _verified_answer_for_all() -> Right:
    person, row = _verified()
    return lambda: row.roles.add(make_role()), lambda: reads(person, VerifiedAnswer, row.pk)


@kind
def _verified_answer_for_a_role() -> Right:
    """It is for another role now: taking the first one from it would leave it for everybody."""
    person, row = _verified()
    role = make_role()
    change_members(role, [person], give=True, by=None)
    row.roles.set([role])
    return lambda: row.roles.set([make_role()]), lambda: reads(person, VerifiedAnswer, row.pk)


@kind
def _verified_answer_not_deleted() -> Right:
    person, row = _verified()
    return VerifiedAnswer.objects.get(pk=row.pk).delete, lambda: reads(person, VerifiedAnswer, row.pk)


@kind
def _text_of_a_question() -> Right:
    query = make_question(make_person())
    rows = Query.objects.filter(pk=query.pk).exclude(question_text="")
    return lambda: erase_texts_of([query.pk]), rows.exists


@kind
def _text_of_a_message() -> Right:
    place = {"team_id": "T9", "channel_id": "C9", "thread_ts": "1.0"}
    row = SlackEvent.objects.create(event_id=uuid4().hex, **place, user_id="U9", kind="mention", text="The griffin?")
    return give_row(row, text="")


@kind
def _member_of_a_local_channel() -> Right:
    channel = LocalChannel.objects.create(channel_id=uuid4().hex)
    channel.members.add(make_person())
    return channel.members.clear, channel.members.exists


@kind
def _member_of_a_local_usergroup() -> Right:
    usergroup = LocalUsergroup.objects.create(usergroup_id=uuid4().hex, handle=uuid4().hex, name="lab")
    usergroup.members.add(make_person())
    return usergroup.members.clear, usergroup.members.exists


@kind
def _response_address() -> Right:
    channel = LocalChannel.objects.create(channel_id=uuid4().hex)
    return give_row(ResponseAddress.objects.create(token=uuid4().hex, channel=channel, person=make_person()))


@kind
def _change_that_waits_for_a_yes() -> Right:
    """It was declined: in what comes back nobody can say yes to it."""
    change = {"gives": True, "documents": {}, "until": None}
    check = ChangeCheck.objects.create(kind="grants", is_gate=True, state="held", change=change)
    return give_row(check, state="declined")


@kind
def _secret_that_is_meant_to_be_read() -> Right:
    """It is masked again."""
    words = f"Heron-{uuid4().hex[:8]}-88"
    row = ShownSecret.objects.create(fingerprint=fingerprint_of(words), reason="It is the guests' network")

    def is_shown() -> bool:
        forget_shown()
        return words in mask_words(f"The password of the network is {words} and changes in May.")

    return ShownSecret.objects.filter(pk=row.pk).delete, is_shown
