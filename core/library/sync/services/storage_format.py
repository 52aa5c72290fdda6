"""Turn Markdown into Confluence's storage format: XHTML in which nothing is markup but what Markdown made.

HTML in the text is shown as text, so that neither a script nor a macro of Confluence can be written into a page, and a
link leads to the web or to a mailbox. Pictures become links: a page must not load anything from elsewhere.
"""

import re
from urllib.parse import urlsplit

from markdown_it import MarkdownIt

_SCHEMES = {"http", "https", "mailto"}
# What XML 1.0 cannot hold, in whatever way it is written.
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class _Markdown(MarkdownIt):
    def validateLink(self, url: str) -> bool:  # noqa: N802 - the library's name
        """Allow addresses of the web and of mailboxes; a link to anything else stays text."""
        try:
            parts = urlsplit(url)
        except ValueError:
            return False
        return parts.scheme in _SCHEMES and bool(parts.netloc or parts.scheme == "mailto")


_MARKDOWN = _Markdown("commonmark", {"html": False, "xhtmlOut": True}).enable(["table", "strikethrough"])
_MARKDOWN.disable(["image", "html_block", "html_inline"])


def render_markdown(text: str) -> str:
    """Return Markdown as well-formed XHTML in the storage format, without a root element."""
    return _NOT_XML.sub("", _MARKDOWN.render(_NOT_XML.sub("", text)))


def render_folded(title: str, body: str) -> str:
    """Return a part of a page that is folded away below a title: Confluence's macro "expand".

    title: plain text without markup. body: in the storage format.
    """
    return (
        f'<ac:structured-macro ac:name="expand"><ac:parameter ac:name="title">{title}</ac:parameter>'
        f"<ac:rich-text-body>{body}</ac:rich-text-body></ac:structured-macro>"
    )
