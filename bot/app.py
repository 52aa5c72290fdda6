"""The Bolt app, the same for Socket Mode and HTTP. Built when it is first needed: nothing here reaches for Slack."""

import logging
import secrets
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any

from slack_bolt import App, BoltContext, BoltResponse
from slack_bolt.adapter.django.handler import DjangoListenerCompletionHandler, DjangoListenerStartHandler
from slack_bolt.adapter.django.handler import DjangoThreadLazyListenerRunner as LazyRunner
from slack_bolt.adapter.socket_mode import SocketModeHandler
from slack_bolt.authorization import AuthorizeResult
from slack_bolt.authorization.authorize import Authorize
from slack_bolt.error import BoltUnhandledRequestError
from slack_sdk.socket_mode.builtin import SocketModeClient
from slack_sdk.socket_mode.request import SocketModeRequest

from bot.acknowledging import acknowledging
from bot.faults import list_frames
from bot.installations.oauth import build_installation_flow
from bot.listeners import register
from bot.listeners.forms import RefuseMalformed
from bot.listeners.teams import OF_ORGANISATION
from bot.slack import workspace

logger = logging.getLogger(__name__)

_INTERACTION_THREADS = 16  # interactions are answered after their acknowledgement, beside each other


@cache
def get_app() -> App:
    """Return the app of this process."""
    return build_app()


def build_app() -> App:
    """Build an app with all listeners.

    Listeners run before Slack is answered, because an event is acknowledged only when it is stored. They are short:
    answering is the worker's. `authorize` takes the place of Bolt's auth.test, so that an event can be stored while
    Slack's Web API is away.
    """
    client = workspace.get_client()
    client.token = None  # `authorize` gives the token
    executor = ThreadPoolExecutor(max_workers=_INTERACTION_THREADS, thread_name_prefix="slack-interaction")
    app = App(
        name="footnote",
        client=client,
        # Socket Mode needs none, but Bolt does: then one that nobody knows.
        signing_secret=workspace.find_signing_secret() or secrets.token_hex(),
        before_authorize=RefuseMalformed(),  # and after the signature was checked
        authorize=_Authorization(),  # type: ignore[arg-type,no-untyped-call] # Bolt takes one of its own kind as well
        # The web process has the pages for it. Bolt would read the same environment variables as our settings, and
        # make a flow of its own that keeps tokens in files.
        oauth_flow=build_installation_flow(session={}, by=None) if workspace.has_installations() else None,
        process_before_response=True,
        listener_executor=executor,
        raise_error_for_unhandled_request=True,
    )
    runner = app.listener_runner
    runner.lazy_listener_runner = LazyRunner(logger=runner.logger, executor=executor)  # closes its connections
    app.error(_on_error)
    register(app)
    return app


def build_socket_mode_app() -> App:
    """Build the app for a process in which no request of Django's begins or ends: nothing else closes connections."""
    app = build_app()
    app.listener_runner.listener_start_handler = DjangoListenerStartHandler()
    app.listener_runner.listener_completion_handler = DjangoListenerCompletionHandler()
    return app


class TimedSocketMode(SocketModeHandler):
    """Socket Mode that times how long Slack waits."""

    def handle(self, client: SocketModeClient, req: SocketModeRequest) -> None:  # type: ignore[override] # as in Bolt
        """Run the listeners for what Slack sent, and acknowledge it."""
        with acknowledging("socket"):
            super().handle(client, req)


class _Authorization(Authorize):
    """Whom Bolt's listeners act for: the token of the team or of its organisation, or nobody.

    Slack waits meanwhile, so that an expiring token is left to the worker.
    """

    def __call__(
        self, *, context: BoltContext, enterprise_id: str | None, team_id: str | None, **_: Any
    ) -> AuthorizeResult | None:
        """Return None for a team that we are not connected to: Bolt then runs no listener.

        What is told to an organisation as a whole is heard with its token.
        """
        try:
            if context[OF_ORGANISATION]:
                client = workspace.find_organisation_client(enterprise_id or "", renews=False)
            else:
                client = workspace.find_client(team_id or "", renews=False)
        except workspace.UnknownTeamError:
            return None
        context["client"] = client
        return AuthorizeResult(enterprise_id=enterprise_id, team_id=team_id, bot_token=client.token)


def _on_error(error: Exception, body: dict[str, Any]) -> BoltResponse:
    """Log an error of a listener without the event's text, and let Slack send the event again.

    An event that nobody listens to is acknowledged: Slack stops sending to who leaves too many without an answer.
    """
    if isinstance(error, BoltUnhandledRequestError):
        return BoltResponse(status=200 if body.get("type") == "event_callback" else 404, body="")
    logger.error(
        "listener_failed",
        extra={"error": type(error).__name__, "places": list_frames(error), "event_id": body.get("event_id")},
    )
    return BoltResponse(status=500, body="")
