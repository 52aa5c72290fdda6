"""The form of Slack's payloads, as far as the listeners read them: what is of another form reaches none of them.

Slack sends nothing else. Somebody who has its signing secret might, and a change of Slack's would; a listener then
would fail half-way, and Slack would send the same again and again.
"""

import logging
import re
from collections.abc import Callable, Mapping
from typing import Annotated, Any, ClassVar, Literal
from uuid import UUID

from pydantic import BaseModel, Field, Json, StrictInt, StrictStr, StringConstraints, ValidationError, model_validator
from slack_bolt import BoltRequest, BoltResponse
from slack_bolt.middleware import Middleware

from bot.blocks.feedback import FEEDBACK_MODAL
from bot.blocks.owners import OWNER_WROTE, WORDS
from bot.blocks.question_windows import ASK_ABOUT_MESSAGE, ASK_REWORDED, QUESTION, TEXT
from bot.blocks.research import DOLLARS, MINUTES, PLAN, PLAN_CHANGED
from bot.blocks.uploads import ADD_FILES
from bot.listeners.teams import place

logger = logging.getLogger(__name__)

_NAMED = r"^[!-~]+$"  # no white space, no control character, nothing beyond ASCII
# Of a team, a channel, an account, a message; of an event; of a press. As long as their columns.
Id = Annotated[StrictStr, StringConstraints(max_length=32, pattern=_NAMED)]
EventId = Annotated[StrictStr, StringConstraints(max_length=200, pattern=_NAMED)]
TriggerId = Annotated[StrictStr, StringConstraints(max_length=150, pattern=_NAMED)]
Value = Annotated[StrictStr, StringConstraints(max_length=2000, pattern=r"^[^\x00]*$")]  # a button's, by Slack's limit
_LAST_SECOND = 253_402_300_799  # of the year 9999, the last that a date can have
Url = Annotated[StrictStr, StringConstraints(max_length=3000, pattern=r"^[^\x00]*$")]
_TS = re.compile(r"[0-9]{1,12}(\.[0-9]{1,9})?")
Moment = Annotated[StrictStr, StringConstraints(max_length=32, pattern=rf"^{_TS.pattern}$")]


class _Account(BaseModel):
    id: Id


class _File(BaseModel):
    id: Id | None = None


class _Message(BaseModel):
    """A message. What is no question, such as a bot's, may lack any of it."""

    user: Id | None = None
    channel: Id | None = None
    ts: Id | None = None
    thread_ts: Id | None = None
    text: StrictStr | None = None
    subtype: StrictStr | None = None
    files: list[_File] | None = None
    app_context: dict[str, Any] | None = None


class _ReactedTo(BaseModel):
    """The target of an emoji: a message, or a file, which has no channel."""

    type: StrictStr
    channel: Id | None = None
    ts: Id | None = None


class _Link(BaseModel):
    url: Url


class _SharedLinks(BaseModel):
    """Links in a message. Of one that is not posted yet Slack tells no channel, and a long id in the place of a ts."""

    channel: Id | None = None
    user: Id | None = None
    message_ts: EventId
    source: StrictStr | None = None
    links: list[_Link]

    @model_validator(mode="after")
    def is_placed(self) -> "_SharedLinks":
        """Require a ts of a message that was posted."""
        if self.source != "composer" and self.channel != "COMPOSER" and not _TS.fullmatch(self.message_ts):
            raise ValueError("no ts")
        return self


class _OpenedDetails(BaseModel):
    user: Id
    channel: Id | None = None
    entity_url: Url
    trigger_id: TriggerId


class _ChangedContext(BaseModel):
    user: Id | None = None
    event_ts: Moment | None = None
    context: dict[str, Any] | None = None


class _Reaction(BaseModel):
    user: Id
    reaction: StrictStr
    item: _ReactedTo
    item_user: Id | None = None


class _ChangedAccount(BaseModel):
    user: _Account


class _ChangedGroup(BaseModel):
    subteam: _Account


class _ChangedMembers(BaseModel):
    subteam_id: Id


class _ChangedChannel(BaseModel):
    channel: Id


class _PaneThread(BaseModel):
    user_id: Id
    channel_id: Id
    thread_ts: Id


class _OpenedPane(BaseModel):
    assistant_thread: _PaneThread


class _StoppedSession(BaseModel):
    channel: Id
    thread_ts: Id
    user: Id
    event_ts: Moment


class _OpenedHome(BaseModel):
    user: Id
    channel: Id | None = None
    view: dict[str, Any] | None = None
    event_ts: Moment | None = None
    context: dict[str, Any] | None = None


class _Tokens(BaseModel):
    bot: list[Id] | None = None


class _RevokedTokens(BaseModel):
    tokens: _Tokens | None = None


class _ChangedAccess(BaseModel):
    team_ids: list[Id]


class _AnyEvent(BaseModel):
    type: StrictStr


class _Authorization(BaseModel):
    user_id: Id | None = None
    is_bot: bool | None = None


class _EventBody(BaseModel):
    """The envelope of every event."""

    event: dict[str, Any]
    event_id: EventId | None = None
    event_time: Annotated[StrictInt, Field(ge=0, le=_LAST_SECOND)]
    team_id: Id | None = None
    authorizations: list[_Authorization] | None = None


class _InMessage(BaseModel):
    """Below which message something was pressed."""

    channel_id: Id
    message_ts: Id
    thread_ts: Id | None = None


class _InView(BaseModel):
    """In which view something was pressed."""

    view_id: Id
    channel_id: None = None


class _Thread(BaseModel):
    thread_ts: Id | None = None


class _Action(BaseModel):
    action_id: StrictStr
    value: Value | None = None


class _Team(BaseModel):
    id: Id


class _Interaction(BaseModel):
    """The common fields of every press and every window."""

    user: _Account
    team: _Team | None = None


class _Press(_Interaction):
    trigger_id: TriggerId
    actions: Annotated[list[_Action], Field(min_length=1)]
    container: _InMessage | _InView | None = None
    message: _Thread | None = None
    response_url: Url | None = None


class _Said(BaseModel):
    text: StrictStr | None = None


class _MessageShortcut(_Interaction):
    trigger_id: TriggerId
    channel: _Account
    message: _Said | None = None


class _Command(BaseModel):
    command: StrictStr
    text: StrictStr | None = None
    user_id: Id
    team_id: Id
    channel_id: Id
    trigger_id: TriggerId
    response_url: Url | None = None


class _Option(BaseModel):
    value: Value


class _Entered(BaseModel):
    """The value of one field of a window."""

    value: StrictStr | None = None
    selected_option: _Option | None = None
    selected_options: list[_Option] | None = None


class _State(BaseModel):
    values: dict[str, dict[str, _Entered]]


class _View(BaseModel):
    """A window that was sent."""

    needed: ClassVar[tuple[str, ...]] = ()  # blocks that have to be there, each with a field of its own name

    id: Id
    state: _State

    @model_validator(mode="after")
    def is_whole(self) -> "_View":
        """Require every field, filled in or not."""
        if any(field not in self.state.values.get(field, {}) for field in self.needed):
            raise ValueError("a field is missing")
        return self


class _KeptInteraction(BaseModel):
    """The data in a window that a button opened: see bot.blocks.modals."""

    model_config = {"extra": "forbid"}

    request_id: Value
    channel_id: Id | Literal[""]
    thread_ts: Id | Literal[""] = ""
    response_url: Url = ""


class _Feedback(_View):
    needed = ("reasons", "comment")
    private_metadata: Json[_KeptInteraction]


class _Selection(_View):
    needed = (QUESTION, TEXT)
    private_metadata: Id | Literal[""] | None = None


class _KeptPlace(_KeptInteraction):
    channel_id: Id  # where the question is answered


class _Rewording(_View):
    needed = (QUESTION,)
    private_metadata: Json[_KeptPlace]


class _KeptQuestion(BaseModel):
    """Holds what the window keeps in which an owner writes."""

    model_config = {"extra": "forbid"}

    question: Value
    channel: Id | Literal[""]


class _OwnersWords(_View):
    needed = (WORDS,)
    private_metadata: Json[_KeptQuestion]


class _KeptResearch(BaseModel):
    """Holds what the window keeps in which a plan is changed."""

    model_config = {"extra": "forbid"}

    message: Value
    channel: Id | Literal[""]


class _ChangedPlan(_View):
    needed = (PLAN, MINUTES, DOLLARS)
    private_metadata: Json[_KeptResearch]

    @model_validator(mode="after")
    def has_pieces(self) -> "_ChangedPlan":
        """Require of each piece of the plan a field of its own name."""
        if any(name.startswith("plan_") and name not in fields for name, fields in self.state.values.items()):
            raise ValueError("a piece is missing")
        return self


class _ChosenOption(BaseModel):
    value: UUID


class _Choice(BaseModel):
    selected_option: _ChosenOption | None = None
    selected_options: list[_ChosenOption] | None = None


class _Choices(BaseModel):
    values: dict[str, dict[str, _Choice]]


class _Files(BaseModel):
    private_metadata: Value | None = None
    state: _Choices


_EVENTS: Mapping[str, type[BaseModel]] = {
    "app_mention": _Message,
    "message": _Message,
    "reaction_added": _Reaction,
    "user_change": _ChangedAccount,
    "subteam_updated": _ChangedGroup,
    "subteam_members_changed": _ChangedMembers,
    "channel_shared": _ChangedChannel,
    "channel_unshared": _ChangedChannel,
    "assistant_thread_started": _OpenedPane,
    "app_home_opened": _OpenedHome,
    "app_context_changed": _ChangedContext,
    "link_shared": _SharedLinks,
    "entity_details_requested": _OpenedDetails,
    "agent_session_stopped": _StoppedSession,
    "team_access_granted": _ChangedAccess,
    "team_access_revoked": _ChangedAccess,
    "tokens_revoked": _RevokedTokens,
}
_INTERACTIONS: Mapping[str, type[BaseModel]] = {"block_actions": _Press, "message_action": _MessageShortcut}
_VIEWS: Mapping[str, type[BaseModel]] = {
    FEEDBACK_MODAL: _Feedback,
    ASK_ABOUT_MESSAGE: _Selection,
    ASK_REWORDED: _Rewording,
    ADD_FILES: _Files,
    OWNER_WROTE: _OwnersWords,
    PLAN_CHANGED: _ChangedPlan,
}


class RefuseMalformed(Middleware):
    """Lets on what has its form, with the workspace that it is from.

    A class, since what Bolt makes of a payload for a function takes the form for granted.
    """

    def process(self, *, req: BoltRequest, resp: BoltResponse, next: Callable[[], Any]) -> BoltResponse | None:  # noqa: A002 - Bolt's name
        """Acknowledge an event of another form: it would be no better the next time. All else gets 400."""
        try:
            _check_form(req.body)
        except (ValidationError, KeyError, TypeError):
            logger.warning("payload_refused")
            if req.body.get("type") == "event_callback":
                return BoltResponse(status=200, body="")
            return BoltResponse(status=400, body="This request does not look like one from Slack.")
        place(req.body, req.context)
        next()
        return None


def _check_form(body: dict[str, Any]) -> None:
    """Raise ValidationError, KeyError or TypeError for a payload that no listener could read."""
    kind = body.get("type")
    if kind == "event_callback":
        _EventBody.model_validate(body)
        event_type = _AnyEvent.model_validate(body["event"]).type
        if event_type in _EVENTS:
            _EVENTS[event_type].model_validate(body["event"])
    elif kind == "view_submission":
        _Interaction.model_validate(body)
        _VIEWS.get(body["view"]["callback_id"], _View).model_validate(body["view"])
    elif isinstance(kind, str) and kind in _INTERACTIONS:
        _INTERACTIONS[kind].model_validate(body)
    elif kind is None and "command" in body:
        _Command.model_validate(body)
