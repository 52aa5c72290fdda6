"""List the links in messages that Slack reports to Footnote: those to the host that its manifest names."""

import html
import re
from urllib.parse import urlsplit

from django.conf import settings

_LINK = re.compile(r"https?://[^\s<>|]+")


def list_links(text: str) -> list[str]:
    """Return the links of a message, as they were typed, to the host of PUBLIC_URL; none without one."""
    own = urlsplit(settings.PUBLIC_URL).hostname if settings.PUBLIC_URL else None
    found = [html.unescape(link) for link in _LINK.findall(text)]
    return [link for link in found if own and _find_host(link) == own]


def _find_host(link: str) -> str | None:
    try:
        return urlsplit(link).hostname
    except ValueError:
        return None
