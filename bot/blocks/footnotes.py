"""Build the notice about an answer whose source has changed."""

from dataclasses import dataclass, replace

from slack_sdk.models.blocks import Block

from bot.blocks.answer import render_source
from bot.blocks.message import Message, message
from bot.blocks.text import context, link, render_quote, section
from core.language.i18n.translation import say, translatable
from core.types import Citation

_SAID_LIMIT = 800  # characters of the answer of then
_QUOTE_LIMIT = 800  # characters of a quote
_TITLE_LIMIT = 600
_MOST_QUOTES = 3

_WHAT_HAPPENED = {
    "replaced": translatable("The source of this answer has changed: {document}"),
    "withdrawn": translatable("The source of this answer has been withdrawn."),
    "deleted": translatable("The source of this answer has been deleted."),
}
_HOLDS = translatable("The answer still holds. It is now quoted from:")
_NOW_SAYS = translatable("The source now says:")
_OTHERS_SAY = translatable("I no longer find it there. Other documents say:")
_NOT_FOR_YOU = translatable("I can no longer find this in the documents that you may read.")
_NOT_FOR_ALL = translatable("I can no longer find this in the documents that everyone here may read.")
_GONE = translatable("I can no longer show what it rested on. Please do not rely on it, and ask me again.")
_NOT_ASKED = translatable("I could not check whether the answer still holds. Please ask me again.")


@dataclass(frozen=True, kw_only=True, slots=True)
class ChangedSource:
    """Holds the change of a source, as the readers of an answer may know it."""

    kind: str  # replaced, withdrawn or deleted
    verdict: str  # holds, says_otherwise, not_found; empty where the question could not be asked again
    title: str  # of the source; empty when it is gone
    source_url: str
    said: str  # the answer of then; empty when its source is gone
    quotes: tuple[Citation, ...]  # that carry the answer of now
    is_same_source: bool  # whether one of them stands in the source that has changed


def changed_source_message(told: ChangedSource, *, asker: str = "") -> Message:
    """Describe the change, the earlier answer, and the current one. asker: a Slack user, where others read."""
    title = say(_WHAT_HAPPENED[told.kind], document=link(told.source_url, told.title, _TITLE_LIMIT))
    mention = f"<@{asker}> " if asker else ""
    blocks: list[Block] = [section(f"{mention}*{title}*")]
    if told.said:
        blocks.append(section(f"{say('My answer was:')}\n{render_quote(told.said, _SAID_LIMIT)}"))
    blocks.append(section(_say_now(told, is_public=bool(asker))))
    if told.verdict in ("holds", "says_otherwise"):
        for citation in told.quotes[:_MOST_QUOTES]:
            quote = render_quote(citation.quoted_excerpt, _QUOTE_LIMIT)
            blocks.append(section(f"{quote}\n{render_source(citation)}"))
    if asker:
        blocks.append(context(say("An administrator turns these notices off in the channel's settings.")))
    return message(say(_WHAT_HAPPENED[told.kind], document=told.title), blocks)


def mark_changed(said: Message, *, title: str, source_url: str) -> Message:
    """Return an answer that was shared, with a mark above it that its source has changed since."""
    mark = say("The source has changed since: {document}", document=link(source_url, title, _TITLE_LIMIT))
    return replace(said, blocks=[context(f":warning: {mark}").to_dict(), *said.blocks])


def _say_now(told: ChangedSource, *, is_public: bool) -> str:
    match told.verdict:
        case "holds":
            return say(_HOLDS)
        case "says_otherwise":
            return say(_NOW_SAYS if told.is_same_source else _OTHERS_SAY)
        case "not_found" if told.kind == "deleted":
            return say(_GONE)
        case "not_found":
            return say(_NOT_FOR_ALL if is_public else _NOT_FOR_YOU)
        case _:
            return say(_NOT_ASKED)
