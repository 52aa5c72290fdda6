"""Send mail by SMTP, where an installation has set EMAIL_URL and EMAIL_FROM.

Certificates are verified where the connection is encrypted. Nothing is logged, and no error repeats what the server
said, which may hold the text or an address.
"""

import contextlib
import re
import smtplib
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.mail import EmailMessage
from django.core.mail.backends.smtp import EmailBackend
from django.core.validators import validate_email

from core.errors import MailNotSentError, MailRefusedError

TIMEOUT_S = 20  # for each answer of the server

_PERMANENT = 500  # from this code of an answer on, the server refuses for good
_NEVER_IN_A_HEADER = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_MESSAGE_ID = re.compile(r"<[!-;=?A-~]{1,200}@[!-;=?A-~]{1,200}>")  # printable ASCII but for the brackets


@dataclass(frozen=True, kw_only=True, slots=True)
class Mail:
    """Holds a mail to one person, as plain text."""

    to: str  # an address alone, without a name
    subject: str  # one line
    text: str = field(repr=False)
    message_id: str  # "<something@example.com>", the same at each attempt, so that a second one is recognisable
    reply_to: str = ""  # an address, if answers should not go to EMAIL_FROM


def is_configured() -> bool:
    """Return True if an installation has said how mail is sent."""
    return bool(settings.MAIL_SERVER)


def name_message(name: str) -> str:
    """Return the id of a mail of this installation. name: of letters, digits and hyphens, the same at each attempt."""
    return f"<{name}@{urlsplit(settings.PUBLIC_URL).hostname or 'footnote.invalid'}>"


def send(mail: Mail) -> None:
    """Hand a mail to the mail server. Returns when the server has taken it.

    MailNotSentError when the server is away or busy: the same mail may be taken later. MailRefusedError when it refuses
    the mail, its recipient, its sender or EMAIL_URL's password for good, when the mail has an address or a header that
    none may have, and where no mail is set up.
    """
    if not is_configured():
        raise MailRefusedError("Mail is not set up: EMAIL_URL and EMAIL_FROM are empty.")
    message = _build_message(mail)
    server = EmailBackend(**settings.MAIL_SERVER, timeout=TIMEOUT_S)
    try:
        server.open()
        server.send_messages([message])
    except smtplib.SMTPAuthenticationError as error:
        raise _translate(error.smtp_code, "The mail server refuses the user or the password of EMAIL_URL.") from None
    except smtplib.SMTPRecipientsRefused as error:
        code = max(code for code, _ in error.recipients.values())
        raise _translate(code, "The mail server refuses the recipient.") from None
    except smtplib.SMTPSenderRefused as error:
        raise _translate(error.smtp_code, "The mail server refuses the sender. Check EMAIL_FROM.") from None
    except smtplib.SMTPResponseException as error:
        raise _translate(error.smtp_code, "The mail server refuses the mail.") from None
    except smtplib.SMTPNotSupportedError:
        raise MailRefusedError(
            "The mail server does not offer what EMAIL_URL asks for: encryption, or signing in."
        ) from None
    except OSError:  # a connection that fails, a certificate that is not trusted, an answer that does not come
        raise MailNotSentError from None
    finally:
        with contextlib.suppress(OSError):  # it was taken or not, whatever becomes of the connection
            server.close()


def _build_message(mail: Mail) -> EmailMessage:
    """Return Django's form of a mail. MailRefusedError for what would change its headers."""
    if any(map(_NEVER_IN_A_HEADER.search, (mail.to, mail.subject, mail.reply_to))):
        raise MailRefusedError("The subject or an address of the mail holds a line break or another control character.")
    if not _MESSAGE_ID.fullmatch(mail.message_id):
        raise MailRefusedError("The mail has no id that a mail may have.")
    try:
        for address in filter(None, (mail.to or "none", mail.reply_to)):
            validate_email(address)
    except ValidationError:
        raise MailRefusedError("An address of the mail is none.") from None
    return EmailMessage(
        subject=mail.subject,
        body=mail.text.encode("utf-8", "replace").decode(),
        from_email=settings.EMAIL_FROM,
        to=[mail.to],
        reply_to=[mail.reply_to] if mail.reply_to else None,
        headers={"Message-ID": mail.message_id, "Auto-Submitted": "auto-generated"},
    )


def _translate(code: int, refusal: str) -> MailNotSentError | MailRefusedError:
    """Return the error for an answer of the server: 4xx asks to come back, 5xx refuses for good."""
    return MailRefusedError(refusal) if code >= _PERMANENT else MailNotSentError()
