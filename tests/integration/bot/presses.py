"""Build Slack's payloads of pressed buttons and sent modals; and answers that have such buttons."""

import json
from typing import Any
from urllib.parse import urlencode

from slack_bolt import App, BoltRequest, BoltResponse

from bot.app import build_app
from bot.models import Reply, SlackEvent
from core.access.audiences import asker_for
from core.api import ask
from core.models import Query, User
from core.testing import Cast
from core.types import Answer, Refusal
from tests.integration.bot.conftest import ALICE, CHANNEL, DIRECT, SECRET, signed
from tests.integration.bot.slack_server import TEAM

THREAD = "1700000000.000001"


def press(
    action_id: str,
    value: str,
    *,
    user: str,
    channel: str = CHANNEL,
    ts: str = "2.2",
    team: str = TEAM,
    response_url: str = "",
    thread: str = THREAD,
    secret: str = SECRET,
) -> BoltResponse:
    """Press a button below a message and wait until that is worked on. response_url: of a message for one person."""
    in_thread = {"thread_ts": thread} if thread else {}
    container = {"type": "message", "message_ts": ts, "channel_id": channel, **in_thread}
    return _sent(
        {
            "type": "block_actions",
            "team": {"id": team, "domain": "test"},
            "user": {"id": user, "team_id": team},
            "api_app_id": "A0APP",
            "container": container | {"is_ephemeral": bool(response_url)},
            "channel": {"id": channel, "name": "general"},
            "message": {"ts": ts, "text": "", **in_thread},
            "trigger_id": "1.2.abc",
            "response_url": response_url or "https://hooks.slack.invalid/actions/1",
            "actions": [{"type": "button", "action_id": action_id, "block_id": "b", "value": value}],
        },
        secret,
    )


def submit(view: dict[str, Any], *, user: str, reasons: list[str], comment: str | None, team: str = TEAM) -> None:
    """Send a feedback form as it was shown, filled in, and wait until that is worked on."""
    chosen = [{"value": reason, "text": {"type": "plain_text", "text": reason}} for reason in reasons]
    values = {
        "reasons": {"reasons": {"type": "checkboxes", "selected_options": chosen}},
        "comment": {"comment": {"type": "plain_text_input", "value": comment}},
    }
    send_view(view, values, user=user, team=team)


def send_view(view: dict[str, Any], values: dict[str, Any], *, user: str, team: str = TEAM) -> None:
    """Send a modal as it was shown, with these values, and wait until that is worked on."""
    response = _sent(
        {
            "type": "view_submission",
            "team": {"id": team, "domain": "test"},
            "user": {"id": user, "team_id": team},
            "api_app_id": "A0APP",
            "trigger_id": "1.2.abc",
            "view": {**view, "id": "V0", "state": {"values": values}},
        },
        SECRET,
    )
    assert (response.status, response.body) == (200, "")


def dispatched(app: App, payload: dict[str, Any], *, secret: str = SECRET) -> BoltResponse:
    """Send an interaction, signed, and do not wait until it is worked on."""
    raw = urlencode({"payload": json.dumps(payload)})
    headers = signed(raw, secret=secret) | {"content-type": ["application/x-www-form-urlencoded"]}
    return app.dispatch(BoltRequest(body=raw, headers=headers))


def _sent(payload: dict[str, Any], secret: str) -> BoltResponse:
    app = build_app()
    response = dispatched(app, payload, secret=secret)
    app.listener_runner.listener_executor.shutdown(wait=True)
    return response


def answered(
    question: str,
    cast: Cast,
    asker: User,
    *,
    kind: SlackEvent.Kind = SlackEvent.Kind.MENTION,
    team: str = TEAM,
    slack_user: str = ALICE,
) -> Answer | Refusal:
    """A question that a person asked in Slack, with its reply posted there."""
    result = ask(question, asker=asker_for(asker), audience=cast.audience(asker))
    is_public = kind in SlackEvent.PUBLIC
    event = SlackEvent.objects.create(
        event_id=f"Ev-{result.request_id}",
        team_id=team,
        channel_id=CHANNEL if is_public else DIRECT,
        user_id=slack_user,
        ts=f"{THREAD}{SlackEvent.objects.count()}",
        thread_ts=THREAD,
        kind=kind,
        state=SlackEvent.State.ANSWERED,
    )
    query = Query.objects.get(request_id=result.request_id)
    Reply.objects.create(
        event=event, query=query, channel_id=event.channel_id, thread_ts=THREAD, ts="2.2", state=Reply.State.POSTED
    )
    return result
