"""Send mail by SMTP, where EMAIL_URL says how."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class Mail:
    """Holds a mail in plain text."""

    to: str
    subject: str
    text: str
    message_id: str
    reply_to: str = ""


def is_configured() -> bool:
    """Return True if mail can be sent."""
    return False


def send(mail: Mail) -> None:
    """Send a mail."""
    raise NotImplementedError(mail)
