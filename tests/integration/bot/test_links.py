"""Links to documents unfurl for those who may all read them, and show nothing to anybody else."""

import datetime as dt
from collections.abc import Callable
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.utils import timezone
from procrastinate.contrib.django.models import ProcrastinateJob
from pytest_django.fixtures import Settings
from slack_bolt import BoltResponse

from bot import links
from bot.blocks.entities import Card, build_entity
from bot.links import MOST_LINKS, receive_links
from bot.models import Unfurl
from core.access.audiences import asker_for, audience_of
from core.access.grants import revoke
from core.api import ask, erase_texts
from core.infrastructure.queue import UNFURL
from core.models import ChannelSetting, Collection, Document, SlackWorkspace
from core.testing import Cast, make_document
from core.types import Answer
from tests.integration.bot.conftest import ALICE, BOB, CHANNEL, CHARLIE, DIRECT, STRANGER
from tests.integration.bot.killed import Killer, after, before, mostly_slow
from tests.integration.bot.posted import BASE, POSTED_TS, details_requested, link_shared, post
from tests.integration.bot.sentences import ASK_CANTEEN, ASK_VAULT, CANTEEN, VAULT
from tests.integration.bot.slack_server import BOT_USER, TEAM, Failure, SlackServer
from tests.integration.bot.test_kills import hand_on
from tests.integration.bot.worker import run_worker

pytestmark = pytest.mark.usefixtures("fast")

Send = Callable[[dict[str, Any]], BoltResponse]
NOT_FOUND = {"error": {"status": "not_found"}}


@pytest.fixture(autouse=True)
def _address(settings: Settings) -> None:
    settings.PUBLIC_URL = f"{BASE}/"


@pytest.fixture
def canteen(cast: Cast, fast: None) -> Document:
    """Create a document for staff: Alice and Bob."""
    return make_document("Canteen rules", CANTEEN, roles=[cast.staff], section="Hours")


@pytest.fixture
def vault(cast: Cast, fast: None) -> Document:
    """Create a document for Alice alone."""
    return make_document("Vault rules", VAULT, roles=[cast.owners], section="Code")


def cite(cast: Cast, question: str = ASK_CANTEEN) -> UUID:
    """Alice asks; return what her answer cites."""
    result = ask(question, asker=asker_for(cast.alice), audience=audience_of([cast.alice.pk]))
    assert isinstance(result, Answer)
    cited = result.citations[0].citation_id
    assert cited is not None
    return cited


def at_document(key: UUID) -> str:
    return f"{BASE}/documents/{key}/"


def at_citation(key: UUID) -> str:
    return f"{BASE}/citations/{key}/"


@pytest.fixture
def tell(workspace: SlackServer, send: Send) -> Callable[..., list[dict[str, Any]]]:
    """Somebody posts links, and the worker does what comes of it: return the cards below the message."""

    def share(*urls: str, user: str = ALICE, channel: str = CHANNEL, **fields: Any) -> list[dict[str, Any]]:
        post(workspace, *urls, user=user, channel=channel)
        assert send(link_shared(*urls, user=user, channel=channel, **fields)).status == 200
        work()
        return workspace.unfurls.get((channel, POSTED_TS), [])

    return share


def work() -> None:
    """Do the jobs that were queued."""
    for row in Unfurl.objects.filter(state=Unfurl.State.WAITING):
        links.show_links(row.pk)


def field_of(card: dict[str, Any], key: str) -> Any:
    """The value of a custom field."""
    return next((one["value"] for one in card["entity_payload"]["custom_fields"] if one["key"] == key), None)


def test_a_link_to_a_citation_shows_its_passage(
    tell: Callable[..., list[dict[str, Any]]], cast: Cast, canteen: Document
) -> None:
    """Title, quote, section, date and source, by the link exactly as it was posted; the row keeps no link."""
    Document.objects.filter(pk=canteen.pk).update(document_date="2024-03-20", source_url="https://wiki.example/canteen")
    url = f"{at_citation(cite(cast))}?from=slack"
    [card] = tell(url)
    payload = card["entity_payload"]
    assert (card["app_unfurl_url"], card["url"]) == (url, url.partition("?")[0])
    assert card["entity_type"] == "slack#/entities/content_item"
    assert payload["attributes"]["title"] == {"text": "Canteen rules"}
    assert payload["fields"]["description"]["value"] in CANTEEN
    assert [field_of(card, key) for key in ("section", "day", "source")] == [
        "Hours",
        "2024-03-20",
        "https://wiki.example/canteen",
    ]
    row = Unfurl.objects.get()
    assert (row.state, row.urls, row.attempts) == (Unfurl.State.SHOWN, [], 1)


def test_a_link_to_a_document_shows_no_passage(tell: Callable[..., list[dict[str, Any]]], canteen: Document) -> None:
    """It names none."""
    [card] = tell(at_document(canteen.pk))
    assert card["entity_payload"]["attributes"]["title"] == {"text": "Canteen rules"}
    assert "fields" not in card["entity_payload"]
    assert "soup" not in str(card)


def test_everyone_there_must_be_able_to_read_it(
    tell: Callable[..., list[dict[str, Any]]], workspace: SlackServer, cast: Cast, canteen: Document, vault: Document
) -> None:
    """Of two links, the one that all may read; Slack is not called where there is none."""
    cited = cite(cast, ASK_VAULT)
    [card] = tell(at_document(vault.pk), at_citation(cited), at_document(canteen.pk))
    assert card["app_unfurl_url"] == at_document(canteen.pk)
    assert "Vault" not in str(workspace.calls)
    workspace.unfurls.clear()
    workspace.calls.clear()
    assert tell(at_document(vault.pk), at_citation(cited)) == []
    assert workspace.called("chat.unfurl") == []
    assert Unfurl.objects.latest("created_at").state == Unfurl.State.SILENT


@pytest.mark.parametrize(
    "who", ["a non-reader", "a stranger", "a guest", "another bot", "members unknown", "poster is no reader"]
)
def test_one_who_may_not_read_it_keeps_it_from_all(
    tell: Callable[..., list[dict[str, Any]]], workspace: SlackServer, canteen: Document, who: str
) -> None:
    """Whoever they are, and where Slack does not say who is there."""
    poster = ALICE
    match who:
        case "a non-reader":
            workspace.members[CHANNEL].append(CHARLIE)
        case "a stranger":
            workspace.members[CHANNEL].append(STRANGER)
        case "a guest":
            workspace.add_user("U0GUEST", "bob@example.com", is_restricted=True)
            workspace.members[CHANNEL].append("U0GUEST")
        case "another bot":
            workspace.add_user("U0HUBOT", None, is_bot=True)
            workspace.members[CHANNEL].append("U0HUBOT")
        case "members unknown":
            del workspace.members[CHANNEL]
        case "poster is no reader":
            poster = CHARLIE  # whom Slack does not list
    assert tell(at_document(canteen.pk), user=poster) == []
    assert workspace.called("chat.unfurl") == []


def test_a_public_channel_is_read_by_the_whole_workspace(
    tell: Callable[..., list[dict[str, Any]]], workspace: SlackServer, cast: Cast, canteen: Document
) -> None:
    """Nothing is shown until it is decided what everyone may read, and then what that is."""
    workspace.channels[CHANNEL] = {"is_private": False}
    assert tell(at_document(canteen.pk)) == []
    decided = SlackWorkspace.objects.get(team_id=TEAM)
    decided.decided_at = timezone.now()
    decided.save()
    decided.roles.add(cast.staff)
    assert len(tell(at_document(canteen.pk))) == 1


def test_in_direct_messages_the_two_people_decide(
    tell: Callable[..., list[dict[str, Any]]], workspace: SlackServer, vault: Document
) -> None:
    """Alice with the bot sees the vault; a group message with Bob in it does not."""
    workspace.members[DIRECT] = [ALICE, BOT_USER]
    workspace.channels[DIRECT] = {"is_im": True}
    assert len(tell(at_document(vault.pk), channel=DIRECT)) == 1
    workspace.members["G0GROUP"] = [ALICE, BOT_USER, BOB]
    workspace.channels["G0GROUP"] = {"is_mpim": True}
    assert tell(at_document(vault.pk), channel="G0GROUP") == []


@pytest.mark.parametrize(
    "where", [{"source": "composer", "message_ts": POSTED_TS}, {"source": "composer"}, {"channel": "COMPOSER"}]
)
def test_what_is_being_typed_shows_nothing(
    workspace: SlackServer, send: Send, canteen: Document, where: dict[str, str]
) -> None:
    """Nobody knows yet who will read it: nothing is stored, and Slack is not called."""
    long_id = "U0ALICE-909b5454-75f8-4ac4-b325-1b40e230bbd8-gryl3kb80b3wm49ihzoo35fyqoq08n2y"
    fields = {"message_ts": long_id, "unfurl_id": long_id, **where}
    assert send(link_shared(at_document(canteen.pk), **fields)).status == 200
    assert not Unfurl.objects.exists()
    assert workspace.calls == []


@pytest.mark.parametrize(
    "address",
    [
        "https://footnote.example.org/documents/{0}/",
        "https://footnote.example.com.evil.example/documents/{0}/",
        "https://evil@footnote.example.com/documents/{0}/",
        "http://footnote.example.com/documents/{0}/",
        "https://footnote.example.com:8443/documents/{0}/",
        "https://footnote.example.com/documents/{0}/original",
        "https://footnote.example.com/admin/documents/{0}/",
        "https://footnote.example.com/documents/x/",
        "https://[::1/documents/{0}/",
    ],
)
def test_another_address_shows_nothing(workspace: SlackServer, send: Send, canteen: Document, address: str) -> None:
    """Of another installation, or one that only looks like ours."""
    assert send(link_shared(address.format(canteen.pk))).status == 200
    assert not Unfurl.objects.exists()


def test_without_a_public_address_links_are_not_heard(settings: Settings, workspace: SlackServer) -> None:
    """Nothing is stored, whatever is posted."""
    settings.PUBLIC_URL = ""
    fields = {"event_id": "Ev1", "team_id": TEAM, "channel_id": CHANNEL, "user_id": ALICE, "message_ts": POSTED_TS}
    assert not receive_links(**fields, urls=[at_document(uuid4())])
    assert not Unfurl.objects.exists()


def test_a_repeated_event_is_stored_once(workspace: SlackServer, send: Send, canteen: Document) -> None:
    """One row, one job."""
    body = link_shared(at_document(canteen.pk))
    assert [send(body).status for _ in range(3)] == [200, 200, 200]
    assert Unfurl.objects.count() == 1
    assert ProcrastinateJob.objects.filter(task_name=UNFURL).count() == 1


def test_no_more_than_some_links_of_a_message(workspace: SlackServer, send: Send) -> None:
    """Each once, in their order."""
    urls = [at_document(uuid4()) for _ in range(MOST_LINKS + 2)]
    send(link_shared(urls[0], *urls))
    assert Unfurl.objects.get().urls == urls[:MOST_LINKS]


def test_a_channel_keeps_to_its_collections(
    tell: Callable[..., list[dict[str, Any]]], cast: Cast, canteen: Document
) -> None:
    """And one that is switched off shows nothing."""
    setting = ChannelSetting.objects.create(team_id=TEAM, channel_id=CHANNEL)
    setting.collections.add(Collection.objects.create(name="Elsewhere"))
    assert tell(at_document(canteen.pk)) == []
    setting.collections.add(canteen.collection)
    assert len(tell(at_document(canteen.pk))) == 1
    ChannelSetting.objects.update(enabled=False)
    tell(at_document(canteen.pk))
    assert Unfurl.objects.latest("created_at").state == Unfurl.State.SILENT


def test_rights_are_those_of_the_moment_in_which_it_is_shown(
    workspace: SlackServer, send: Send, cast: Cast, canteen: Document
) -> None:
    """Somebody joins, or a grant ends, after the link was posted and before the worker comes to it."""
    url = at_document(canteen.pk)
    post(workspace, url)
    send(link_shared(url))
    workspace.members[CHANNEL].append(CHARLIE)
    work()
    workspace.members[CHANNEL].remove(CHARLIE)
    send(link_shared(url))
    revoke(cast.staff, [canteen], by=None)
    work()
    assert workspace.called("chat.unfurl") == []
    assert set(Unfurl.objects.values_list("state", flat=True)) == {Unfurl.State.SILENT}


def test_an_erased_question_is_cited_nowhere(
    tell: Callable[..., list[dict[str, Any]]], cast: Cast, canteen: Document
) -> None:
    """Its citation opens no more."""
    cited = cite(cast)
    erase_texts(before=timezone.now() + dt.timedelta(hours=2))
    assert tell(at_citation(cited)) == []


def test_a_quote_that_is_gone_is_not_shown(
    tell: Callable[..., list[dict[str, Any]]], cast: Cast, canteen: Document
) -> None:
    """The card shows the document as it opens now."""
    from core.models import Chunk
    from core.models.row_security import bypass_row_security

    cited = cite(cast)
    with bypass_row_security():
        Chunk.objects.filter(document=canteen).update(content="The canteen is closed.")
    [card] = tell(at_citation(cited))
    assert "fields" not in card["entity_payload"]
    assert "soup" not in str(card)


def test_hostile_words_neither_mention_nor_link() -> None:
    """A document's words stay text, on one line, and a source that is no page is left out."""
    card = Card(
        ref="document-1",
        url=BASE,
        title="<!channel> <https://evil.example|click>\n\x00",
        day=None,
        source_url="javascript:alert(1)",
        quote="<@U0ALICE>",
    )
    entity = build_entity(card, modified_at=1)
    assert not {"<!", "<@", "<https"} & {str(entity)[i : i + n] for i in range(len(str(entity))) for n in (2, 6)}
    assert "javascript" not in str(entity)
    assert "\n" not in entity["entity_payload"]["attributes"]["title"]["text"]


def open_card(send: Send, workspace: SlackServer, url: str, **fields: Any) -> dict[str, Any]:
    """Somebody opens a card; return what they are shown."""
    workspace.details.clear()
    assert send(details_requested(url, **fields)).status == 200
    [shown] = workspace.details
    return shown


@pytest.mark.usefixtures("prompt_app")
def test_who_opens_a_card_is_shown_what_they_may_read(
    workspace: SlackServer, send: Send, cast: Cast, canteen: Document
) -> None:
    """The same as the card, and never newer than it, so that Slack makes no other card of it."""
    cited = cite(cast)
    shown = open_card(send, workspace, at_citation(cited))["metadata"]
    assert shown["entity_payload"]["fields"]["description"]["value"] in CANTEEN
    assert shown["external_ref"] == {"id": f"citation-{cited}"}
    assert "app_unfurl_url" not in shown
    assert shown["entity_payload"]["attributes"]["metadata_last_modified"] < float(POSTED_TS)


@pytest.mark.usefixtures("prompt_app")
@pytest.mark.parametrize("user", [BOB, CHARLIE, STRANGER])
def test_what_one_may_not_read_is_not_there(
    workspace: SlackServer, send: Send, cast: Cast, vault: Document, user: str
) -> None:
    """As what nobody ever brought in, below a message and elsewhere."""
    hidden = [at_document(vault.pk), at_citation(cite(cast, ASK_VAULT))]
    for url in [*hidden, at_document(uuid4()), at_citation(uuid4()), f"{BASE}/admin/"]:
        assert open_card(send, workspace, url, user=user) == NOT_FOUND
        assert open_card(send, workspace, url, user=user, channel=None) == NOT_FOUND


@pytest.mark.usefixtures("prompt_app")
def test_below_a_message_others_read_along(workspace: SlackServer, send: Send, vault: Document) -> None:
    """Slack may show all of them what it gets for one: Alice sees the vault where she is alone."""
    assert open_card(send, workspace, at_document(vault.pk)) == NOT_FOUND
    assert "metadata" in open_card(send, workspace, at_document(vault.pk), channel=None)


@pytest.mark.usefixtures("prompt_app")
def test_a_channels_own_roles_widen_nothing_for_who_opens_a_card(
    tell: Callable[..., list[dict[str, Any]]], workspace: SlackServer, send: Send, cast: Cast, vault: Document
) -> None:
    """An administrator has said what may be shown there; what Bob opens himself is what he may read himself."""
    ChannelSetting.objects.create(team_id=TEAM, channel_id=CHANNEL, uses_own_roles=True).roles.add(cast.owners)
    assert len(tell(at_document(vault.pk))) == 1
    assert "metadata" in open_card(send, workspace, at_document(vault.pk))
    assert open_card(send, workspace, at_document(vault.pk), user=BOB) == NOT_FOUND


@pytest.mark.usefixtures("prompt_app")
def test_a_refusal_of_slack_ends_it(workspace: SlackServer, send: Send, canteen: Document) -> None:
    """A trigger that is too old is nobody's loss."""
    workspace.fail("entity.presentDetails", Failure(error="invalid_trigger_id"))
    assert send(details_requested(at_document(canteen.pk))).status == 200
    assert workspace.details == []


@pytest.mark.django_db(transaction=True)
def test_what_slack_refuses_fails_and_what_it_delays_waits(
    workspace: SlackServer, send: Send, canteen: Document
) -> None:
    """By procrastinate's worker: no message is posted about it."""
    url = at_document(canteen.pk)
    post(workspace, url)
    workspace.fail("chat.unfurl", Failure(error="cannot_unfurl_url"))
    send(link_shared(url))
    run_worker()
    assert Unfurl.objects.get().error_code == "cannot_unfurl_url"
    workspace.fail("chat.unfurl", Failure(error="ratelimited", status=429, headers={"Retry-After": "30"}))
    send(link_shared(url))
    run_worker()
    assert Unfurl.objects.latest("created_at").state == Unfurl.State.WAITING
    assert workspace.called("chat.postMessage") == []


STEPS = {
    "after the job was claimed": before(links, "_begin_attempt"),
    "before it is known who reads it": before(links, "_build_entities"),
    "before it is shown": after(links, "_build_entities"),
    "after it was shown, before that is recorded": before(links, "_end_unfurl"),
    "after that was recorded": after(links, "_end_unfurl"),
}


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("step", mostly_slow(STEPS, always="after it was shown, before that is recorded"))
def test_a_killed_worker_leaves_one_card(
    workspace: SlackServer, killer: Killer, cast: Cast, canteen: Document, step: str
) -> None:
    """Whatever it was at."""
    url = at_document(canteen.pk)
    post(workspace, url)
    fields = {"event_id": "Ev1", "team_id": TEAM, "channel_id": CHANNEL, "user_id": ALICE, "message_ts": POSTED_TS}
    assert links.receive_links(**fields, urls=[url])
    killer.kill(run_worker, STEPS[step])
    hand_on()
    assert [len(cards_of) for cards_of in workspace.unfurls.values()] == [1]
    row = Unfurl.objects.get()
    assert (row.state, row.urls) == (Unfurl.State.SHOWN, [])
    assert not ProcrastinateJob.objects.filter(task_name=UNFURL).exclude(status="succeeded").exists()
