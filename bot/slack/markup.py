"""From a message as Slack writes it to the question a person typed. Pure."""

import html
import re

from core.language.nlp.text import one_line

_TOKEN = re.compile(r"<([^<>]*)>")
LEFT_OUT = "[…]"  # stands in a quote for what is not shown of it
_SOMEBODY = re.compile(r"<[@!][^<>]*>")  # a mention of a person, a usergroup or everyone


def mentions_somebody(text: str) -> bool:
    """Return True if a message mentions a person, a usergroup or everyone."""
    return bool(_SOMEBODY.search(text))


def drop_markup(text: str) -> str:
    """A message without its links and mentions, in whose addresses anything may stand."""
    return _TOKEN.sub(" ", text)


def extract_question(text: str, *, own_user_id: str) -> str:
    """The question in a message, on one line: our own mention taken out, Slack's markup turned into what people see.

    Mentions of other people without a name are taken out as well: an id means nothing to the documents.
    """
    return one_line(_unescape(_TOKEN.sub(lambda match: _render_token(match[1], own_user_id), text)))


def read_words(text: str) -> str:
    """Return the words of a message as people see them, line by line, to be quoted.

    A mention without a name, which is an id in Slack's form, is marked as left out.
    """
    return _unescape(_TOKEN.sub(lambda match: _render_token(match[1], "") or LEFT_OUT, text))


def _unescape(text: str) -> str:
    # Slack escapes only these three characters; anything else that looks like an entity was typed.
    for entity in ("&lt;", "&gt;", "&amp;"):
        text = text.replace(entity, html.unescape(entity))
    return text


def _render_token(token: str, own_user_id: str) -> str:
    target, _, label = token.partition("|")
    if target.startswith("@"):
        return f"@{label}" if label and target != f"@{own_user_id}" else ""
    if target.startswith("#"):
        return f"#{label}" if label else ""
    if target.startswith("!"):
        return label or "@" + target[1:].partition("^")[0]
    return label or target.removeprefix("mailto:")
