"""Test submitted modals: their values reach the bot, and its acknowledgement decides about the modal."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from slack_bolt import Ack, App
from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError

from core.testing import Cast
from slack_emulator.models import LocalView, add_message, list_views
from slack_emulator.webapi.blocks import check_blocks
from slack_emulator.webapi.calls import RefusedCallError
from slack_emulator.webapi.views import check_view, create_trigger
from tests.integration.slack_emulator.conftest import GENERAL, Hearing, channel, page_post, page_state

Json = dict[str, Any]


def _plain(text: str) -> Json:
    return {"type": "plain_text", "text": text}


def _option(value: str) -> Json:
    return {"text": _plain(value.title()), "value": value}


def _input(block_id: str, element: Json, **more: Any) -> Json:
    return {
        "type": "input",
        "block_id": block_id,
        "label": _plain(block_id),
        "element": {"action_id": "a", **element},
        **more,
    }


OPTIONS = [_option("staff"), _option("owners"), _option("guests")]
COMMENT = _input("comment", {"type": "plain_text_input", "multiline": True, "max_length": 10})
REASONS = _input("reasons", {"type": "checkboxes", "options": OPTIONS, "initial_options": [OPTIONS[0]]}, optional=True)
COLLECTION = _input("collection", {"type": "static_select", "options": OPTIONS}, optional=True)
ROLES = _input("roles", {"type": "multi_static_select", "options": OPTIONS}, optional=True)
SIZE = _input("size", {"type": "radio_buttons", "options": OPTIONS, "initial_option": OPTIONS[2]})


def _modal(*blocks: Json, title: str = "Feedback", **more: Any) -> Json:
    return {
        "type": "modal",
        "callback_id": "form",
        "title": _plain(title),
        "submit": _plain("Send"),
        "blocks": list(blocks) or [COMMENT],
        **more,
    }


FORM = _modal(COMMENT, REASONS, COLLECTION, ROLES, SIZE)


def _open(slack: WebClient, person: Any, view: Json) -> str:
    return str(slack.views_open(trigger_id=create_trigger(person), view=view)["view"]["id"])


def _refusal(call: Any, **arguments: Any) -> str:
    with pytest.raises(SlackApiError) as caught:
        call(**arguments)
    return str(caught.value.response["error"])


def _titles(person: Any) -> list[str]:
    return [view.content["title"]["text"] for view in list_views(person)]


def _answers(body: Json) -> Callable[[App], object]:
    """Registers a listener that acknowledges submissions like this."""

    def on_submit(ack: Ack) -> None:
        ack(**body)

    return lambda app: app.view("form")(on_submit)


def test_what_was_entered_reaches_the_bot(slack: WebClient, workspace: Cast, browser: Client, hearing: Hearing) -> None:
    """By block and action, with the bot's own options; what nobody touched is as it began. Then the modal closes."""
    heard: list[Json] = []

    def on_submit(ack: Ack, body: Json) -> None:
        ack()
        heard.append(body)

    hearing(lambda app: app.view("form")(on_submit))
    view_id = _open(slack, workspace.alice, FORM | {"private_metadata": "req_1"})
    values = {"comment": {"a": "Too slow"}, "collection": {"a": "owners"}, "roles": {"a": ["guests", "staff"]}}
    assert page_post(browser, "views/submit", workspace.bob, view_id=view_id, values=values)[0] == 404
    assert page_post(browser, "views/submit", workspace.alice, view_id=view_id, values=values) == (200, {})
    [body] = heard
    assert (body["type"], body["view"]["id"], body["view"]["private_metadata"]) == ("view_submission", view_id, "req_1")
    assert body["view"]["state"]["values"] == {
        "comment": {"a": {"type": "plain_text_input", "value": "Too slow"}},
        "reasons": {"a": {"type": "checkboxes", "selected_options": [OPTIONS[0]]}},
        "collection": {"a": {"type": "static_select", "selected_option": OPTIONS[1]}},
        "roles": {"a": {"type": "multi_static_select", "selected_options": [OPTIONS[2], OPTIONS[0]]}},
        "size": {"a": {"type": "radio_buttons", "selected_option": OPTIONS[2]}},
    }
    assert page_state(browser, workspace.alice)["view"] is None


@pytest.mark.parametrize(("comment", "field"), [("", "required"), ("x" * 11, "at most 10")], ids=["empty", "long"])
def test_slack_itself_asks_for_what_is_required(
    slack: WebClient, workspace: Cast, browser: Client, hearing: Hearing, comment: str, field: str
) -> None:
    """The bot does not hear of a submission that lacks something or holds too much."""
    hearing(lambda app: None)
    view_id = _open(slack, workspace.alice, FORM)
    status, said = page_post(
        browser, "views/submit", workspace.alice, view_id=view_id, values={"comment": {"a": comment}}
    )
    assert (status, set(said["errors"])) == (200, {"comment"})
    assert field in said["errors"]["comment"]
    assert _titles(workspace.alice) == ["Feedback"]


def test_errors_stand_at_their_fields(slack: WebClient, workspace: Cast, browser: Client, hearing: Hearing) -> None:
    """The modal stays open. An error for a field that is not there is a mistake of the bot's."""
    view_id = _open(slack, workspace.alice, _modal())
    send: Json = {"view_id": view_id, "values": {"comment": {"a": "x"}}}
    hearing(_answers({"response_action": "errors", "errors": {"comment": "Say more."}}))
    assert page_post(browser, "views/submit", workspace.alice, **send) == (200, {"errors": {"comment": "Say more."}})
    hearing(_answers({"response_action": "errors", "errors": {"other": "Say more."}}))
    assert page_post(browser, "views/submit", workspace.alice, **send)[0] == 502
    assert _titles(workspace.alice) == ["Feedback"]


@pytest.mark.parametrize(
    ("answer", "titles"),
    [
        ({"response_action": "update", "view": _modal(title="New")}, ["First", "New"]),
        ({"response_action": "push", "view": _modal(title="Third")}, ["First", "Second", "Third"]),
        ({"response_action": "clear"}, []),
        ({}, ["First"]),
    ],
    ids=["update", "push", "clear", "close"],
)
def test_the_acknowledgement_decides_what_becomes_of_the_modal(
    slack: WebClient, workspace: Cast, browser: Client, hearing: Hearing, answer: Json, titles: list[str]
) -> None:
    """With one modal above another: changed, a third above it, all closed, or the upper one closed."""
    hearing(_answers(answer))
    _open(slack, workspace.alice, _modal(title="First"))
    pushed = slack.views_push(trigger_id=create_trigger(workspace.alice), view=_modal(title="Second"))["view"]
    assert pushed["root_view_id"] == pushed["previous_view_id"] != pushed["id"]
    page_post(browser, "views/submit", workspace.alice, view_id=pushed["id"], values={"comment": {"a": "x"}})
    assert _titles(workspace.alice) == titles


def test_a_bad_view_in_an_acknowledgement_is_told(
    slack: WebClient, workspace: Cast, browser: Client, hearing: Hearing
) -> None:
    """And nothing changes."""
    hearing(_answers({"response_action": "push", "view": _modal(title="x" * 25)}))
    view_id = _open(slack, workspace.alice, _modal())
    status, said = page_post(browser, "views/submit", workspace.alice, view_id=view_id, values={"comment": {"a": "x"}})
    assert (status, "invalid_arguments" in said["error"]) == (502, True)
    assert _titles(workspace.alice) == ["Feedback"]


def test_three_modals_lie_on_each_other_at_most(slack: WebClient, workspace: Cast, browser: Client) -> None:
    """Nothing is pushed where nothing is open; closing one shows the one below, or none if it clears."""
    trigger = create_trigger(workspace.alice)
    assert _refusal(slack.views_push, trigger_id=trigger, view=_modal()) == "not_found"
    _open(slack, workspace.alice, _modal(title="1"))
    for title in ("2", "3"):
        slack.views_push(
            trigger_id=create_trigger(workspace.alice), view=_modal(title=title, clear_on_close=title == "2")
        )
    assert _refusal(slack.views_push, trigger_id=trigger, view=_modal()) == "push_limit_reached"
    top = page_state(browser, workspace.alice)["view"]
    assert page_post(browser, "views/close", workspace.alice, view_id=top["id"])[0] == 200
    assert _titles(workspace.alice) == ["1", "2"]
    page_post(browser, "views/close", workspace.alice, view_id=top["previous_view_id"])
    assert _titles(workspace.alice) == []


def test_a_view_can_be_named_by_an_id_of_the_bots(slack: WebClient, workspace: Cast) -> None:
    """It is one view's alone."""
    view_id = _open(slack, workspace.alice, _modal(external_id="feedback-1"))
    changed = slack.views_update(external_id="feedback-1", view=_modal(title="New", external_id="feedback-1"))["view"]
    assert (changed["id"], changed["title"]["text"]) == (view_id, "New")
    again = {"trigger_id": create_trigger(workspace.bob), "view": _modal(external_id="feedback-1")}
    assert _refusal(slack.views_open, **again) == "duplicate_external_id"
    assert _titles(workspace.bob) == []


def test_a_view_has_a_greatest_size(slack: WebClient, workspace: Cast) -> None:
    """250 KB, whatever it holds."""
    large = [{"type": "section", "text": _plain("ä" * 3000)}] * 45
    trigger = create_trigger(workspace.alice)
    assert _refusal(slack.views_open, trigger_id=trigger, view=_modal(*large)) == "view_too_large"
    assert not LocalView.objects.exists()


def test_a_choice_in_a_message_is_told_with_all_others(workspace: Cast, browser: Client, hearing: Hearing) -> None:
    """The press names the option, and the state holds what every input in the message holds."""
    heard: list[Json] = []

    def on_choice(ack: Ack, body: Json) -> None:
        ack()
        heard.append(body)

    hearing(lambda app: app.action("role")(on_choice))
    blocks = check_blocks(
        [
            {
                "type": "actions",
                "block_id": "b",
                "elements": [
                    {"type": "static_select", "action_id": "role", "options": OPTIONS},
                    {"type": "checkboxes", "action_id": "other", "options": OPTIONS},
                    {"type": "button", "action_id": "go", "text": _plain("Go")},
                ],
            }
        ],
        surface="message",
    )
    message = add_message(channel(GENERAL), text="choose", blocks=blocks)
    place = {"channel": GENERAL, "ts": message.ts, "block_id": "b", "action_id": "role"}
    values = {"b": {"role": "owners", "other": ["staff"]}}
    assert page_post(browser, "actions", workspace.alice, **place, given="owners", values=values)[0] == 200
    [body] = heard
    assert body["actions"][0]["selected_option"] == OPTIONS[1]
    assert body["state"]["values"] == {
        "b": {
            "role": {"type": "static_select", "selected_option": OPTIONS[1]},
            "other": {"type": "checkboxes", "selected_options": [OPTIONS[0]]},
        }
    }
    assert page_post(browser, "actions", workspace.alice, **place, given="kings", values={})[0] == 400


BAD: dict[str, tuple[Json, str]] = {
    "no options": ({"type": "static_select", "options": []}, "/options"),
    "101 options": ({"type": "static_select", "options": [_option(str(n)) for n in range(101)]}, "100 elements"),
    "eleven boxes": ({"type": "checkboxes", "options": [_option(str(n)) for n in range(11)]}, "/options"),
    "a value twice": ({"type": "radio_buttons", "options": [OPTIONS[0], OPTIONS[0]]}, "/options"),
    "a long option": ({"type": "static_select", "options": [_option("x" * 76)]}, "/options/0/text"),
    "a long value": (
        {"type": "static_select", "options": [{"text": _plain("x"), "value": "x" * 151}]},
        "/options/0/value",
    ),
    "a strange beginning": (
        {"type": "static_select", "options": OPTIONS, "initial_option": _option("kings")},
        "/initial_option",
    ),
    "a long beginning": ({"type": "plain_text_input", "initial_value": "x" * 3001}, "/initial_value"),
    "longer than allowed": ({"type": "plain_text_input", "initial_value": "xyz", "max_length": 2}, "/initial_value"),
    "a long action_id": ({"type": "plain_text_input", "action_id": "x" * 256}, "action_id"),
    "a long placeholder": ({"type": "plain_text_input", "placeholder": _plain("x" * 151)}, "placeholder"),
}


@pytest.mark.parametrize(("element", "place"), BAD.values(), ids=BAD.keys())
def test_an_input_over_a_limit_is_refused_by_place(element: Json, place: str) -> None:
    """The refusal says what is wrong."""
    assert check_view(_modal(_input("b", {"type": "static_select", "options": OPTIONS})))
    with pytest.raises(RefusedCallError) as caught:
        check_view(_modal(_input("b", element)))
    assert place in "".join(caught.value.details)
