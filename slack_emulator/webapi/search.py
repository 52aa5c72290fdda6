"""The method assistant.search.context: messages for a person who has just written to the app.

Rules after https://docs.slack.dev/reference/methods/assistant.search.context and
https://docs.slack.dev/apis/web-api/real-time-search-api: with a bot's token only public channels can be searched, and
only with the leave (`action_token`) that came with an event, which lives shortly and is worth something with the app's
own token. What Slack holds for relevant it does not say: here it is what has most words of the query.
"""

from django.conf import settings
from django.core import signing

from bot.slack.workspace import LOCAL_BOT_USER_ID, LOCAL_TEAM_ID
from core.language.nlp.text import content_stems
from core.models import User
from slack_emulator.accounts import find_person, find_slack_id
from slack_emulator.models import LocalChannel, LocalMessage
from slack_emulator.shapes import Json
from slack_emulator.webapi.calls import Call, RefusedCallError, cut_page
from slack_emulator.webapi.conversations import build_permalink

MOST_RESULTS = 20
LONGEST_QUERY = 1_000  # characters; Slack does not say how many it takes
LIFETIME_S = 600  # of the leave; not documented
SCOPE = "search:read.public"
# Of which a bot's token can have the first alone.
_SCOPES = {
    "public_channel": SCOPE,
    "private_channel": "search:read.private",
    "mpim": "search:read.mpim",
    "im": "search:read.im",
}
_SALT = "slack_emulator.action_token"


def make_action_token(person: User) -> str:
    """Return leave to search for a person who has just written something."""
    return signing.dumps(find_slack_id(person), salt=_SALT)


def find_searcher(token: str) -> User | None:
    """Return for whom a token lets search; None where it is none or too old, or the person has left."""
    try:
        return find_person(signing.loads(token, salt=_SALT, max_age=LIFETIME_S))
    except signing.BadSignature:  # an old one has a subclass of it
        return None


def search_context(call: Call) -> Json:
    """Return the messages of public channels that have most words of the query, page by page."""
    _check_scopes(call)
    query = call.read_text("query")
    if not query:
        raise RefusedCallError("missing_query")
    if len(query) > LONGEST_QUERY:
        raise RefusedCallError("query_too_long")
    person = find_searcher(call.read_text("action_token"))
    if person is None:
        raise RefusedCallError("invalid_action_token")
    place = call.read_text("context_channel_id")
    if place and not LocalChannel.objects.filter(channel_id=place, members=person).exists():
        raise RefusedCallError("context_channel_not_found")
    if call.read_number("limit", MOST_RESULTS) > MOST_RESULTS:
        raise RefusedCallError("invalid_arguments", f"[ERROR] must be less than {MOST_RESULTS + 1}: limit")
    found = _find_messages(query, includes_bots=call.read_flag("include_bots"))
    page, cursor = cut_page(found, call)
    return {
        "results": {"messages": [_shape_message(message) for message in page[:MOST_RESULTS]]},
        "response_metadata": {"next_cursor": cursor},
    }


def _check_scopes(call: Call) -> None:
    """Raise RefusedCallError when the app, as its manifest makes it, has no scope for what is to be searched."""
    wanted = call.read_text("channel_types") or "public_channel"
    held = {SCOPE} if settings.SLACK_SEARCH else set()
    for kind in (kind.strip() for kind in wanted.split(",")):
        if kind not in _SCOPES:
            raise RefusedCallError("invalid_arguments", "[ERROR] must be a valid enum value: channel_types")
        if _SCOPES[kind] not in held:
            raise RefusedCallError("missing_scope", f"needed: {_SCOPES[kind]}")


def _find_messages(query: str, *, includes_bots: bool) -> list[LocalMessage]:
    """Return the messages of public channels that share a word with the query, those that share most first."""
    wanted = set(content_stems(query))
    public = LocalMessage.objects.filter(channel__is_im=False, channel__is_private=False, only_for=None)
    if not includes_bots:
        public = public.exclude(author=None)
    shared = [(len(wanted & set(content_stems(one.text))), one) for one in public.select_related("channel", "author")]
    best_first = sorted((pair for pair in shared if pair[0]), key=lambda pair: (-pair[0], pair[1].ts))
    return [message for _, message in best_first]


def _shape_message(message: LocalMessage) -> Json:
    author = message.author
    return {
        "author_name": (author.display_name or author.email.partition("@")[0]) if author else "Footnote",
        "author_user_id": find_slack_id(author) if author else LOCAL_BOT_USER_ID,
        "is_author_bot": author is None,
        "team_id": LOCAL_TEAM_ID,
        "channel_id": message.channel.channel_id,
        "channel_name": message.channel.name,
        "message_ts": message.ts,
        "content": message.text,
        "permalink": build_permalink(message),
    }
