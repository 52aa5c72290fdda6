"""Which addresses are Slack's own: where a secret may be sent, and from where a file may be fetched."""

from urllib.parse import urlsplit

from bot import workspace


def is_slacks(url: str) -> bool:
    """True for https at slack.com or below it, and for the host and port that the Web API is configured at."""
    try:
        parts = urlsplit(url)
        place = (parts.scheme, parts.hostname, parts.port)
    except ValueError:
        return False
    api = urlsplit(workspace.api_url())
    if place == (api.scheme, api.hostname, api.port):
        return True
    return parts.scheme == "https" and parts.port in (None, 443) and f".{parts.hostname}".endswith(".slack.com")
