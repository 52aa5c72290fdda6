"""Text that is safe to show in Slack: whatever a document says, it cannot mention, link or format its way out.

Escaping &, < and > is all that mrkdwn needs (docs.slack.dev, "Formatting message text"): every mention, command and
link is written in angle brackets. `verbatim` then keeps Slack from finding links and names in plain text by itself.
"""

import re
from collections.abc import Callable
from typing import TypeVar
from urllib.parse import quote, urlsplit

from slack_sdk.models.blocks import AlertBlock, ContextBlock, MarkdownTextObject, SectionBlock

Made = TypeVar("Made")

SECTION_LIMIT = 3000  # characters of one section's text, after escaping
_ALERT_LIMIT = 200  # characters; Slack documents none, and a notice is short
_URL_LIMIT = 1500  # longer addresses are not linked; half a section is left for the words
_CUT_ENTITY = re.compile(r"&[a-z]{0,3}$")  # the head of &amp; &lt; &gt; at the end of a piece


def escape(text: str) -> str:
    """Return text as mrkdwn that shows it as it is."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\x00", "")


def escape_within(text: str, limit: int) -> str:
    """Return escaped text of at most `limit` characters, an ellipsis in place of what is left out."""
    escaped = escape(text)
    if len(escaped) <= limit:
        return escaped
    return _CUT_ENTITY.sub("", escaped[: limit - 1]).rstrip() + "…"


def shorten(text: str, limit: int) -> str:
    """Return a text of at most `limit` characters, an ellipsis in place of what is left out."""
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def fit(text: str, limit: int, make: Callable[[str], list[Made]], size: Callable[[Made], int]) -> list[Made]:
    """Return `make` of a text, or of its longest beginning with an ellipsis whose parts fit the limit together."""
    made = make(text)
    length = len(text)
    while (total := sum(map(size, made))) > limit:
        length = min(length * limit // total, length * 19 // 20)
        made = make(text[:length].rstrip() + "…")
    return made


def split(escaped: str, limit: int = SECTION_LIMIT) -> list[str]:
    """Split escaped text into pieces of at most `limit` characters, at paragraphs, lines or words where possible."""
    pieces: list[str] = []
    rest = escaped.strip()
    while len(rest) > limit:
        end = _find_cut(rest, limit)
        pieces.append(rest[:end].rstrip())
        rest = rest[end:].lstrip()
    return [piece for piece in [*pieces, rest] if piece]


def link(url: str, label: str, limit: int) -> str:
    """Build a link in mrkdwn with an escaped label, or the label alone when the address is not a web page's."""
    address = find_address(url).replace("&", "&amp;")
    if not address:
        return escape_within(label, limit)
    # Without line breaks: a text is split there, and a link must not be.
    shown = escape_within(" ".join(label.replace("|", "/").split()), max(20, limit - len(address) - 3))
    return f"<{address}|{shown}>" if shown.strip() else f"<{address}>"


def render_quote(text: str, limit: int = SECTION_LIMIT) -> str:
    """Render text as a block quote of at most `limit` characters, escaped.

    Its line breaks are those of a page that is not shown here, so they become spaces.
    """
    return "> " + escape_within(" ".join(text.split()), limit - 2)


def section(text: str) -> SectionBlock:
    """Build a section of escaped text."""
    return SectionBlock(text=MarkdownTextObject(text=text, verbatim=True))


def context(text: str) -> ContextBlock:
    """Build small print of escaped text."""
    return ContextBlock(elements=[MarkdownTextObject(text=text, verbatim=True)])


def warning(text: str) -> AlertBlock | SectionBlock:
    """Build a warning of escaped text for modals: Slack takes no alert elsewhere. Long text is a section."""
    if len(text) > _ALERT_LIMIT:
        return section(text)
    return AlertBlock(text=MarkdownTextObject(text=text, verbatim=True), level="warning")


def _find_cut(text: str, limit: int) -> int:
    for separator in ("\n\n", "\n", " "):
        end = text.rfind(separator, limit // 2, limit)
        if end > 0:
            return end
    cut_entity = _CUT_ENTITY.search(text[:limit])
    return cut_entity.start() if cut_entity else limit


def find_address(url: str) -> str:
    """Return the address of a web page, quoted so that it cannot end a link early; empty for anything else.

    One that is too long to link is left out as well.
    """
    try:
        parts = urlsplit(url.strip())
    except ValueError:
        return ""
    if parts.scheme not in ("http", "https") or not parts.hostname:
        return ""
    address = quote(parts.geturl(), safe="%/:?#[]@!$'()*+,;=~-._&")
    return address if len(address.replace("&", "&amp;")) <= _URL_LIMIT else ""
