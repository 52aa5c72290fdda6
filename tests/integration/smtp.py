"""Run a mail server on this machine, and keep what it is given."""

import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import Any

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session

USER, PASSWORD = "footnote", "pass/word-of-nobody"


@dataclass(frozen=True, kw_only=True)
class Received:
    """Holds one mail that came: who it was said to be from and for, and its text."""

    sender: str
    recipients: list[str]
    message: EmailMessage
    content: bytes


@dataclass(kw_only=True)
class MailServer:
    """Holds what a running server was given, and what it answers to the commands of SMTP."""

    port: int = 0
    signs_in: bool = False  # whether nobody sends without the password
    received: list[Received] = field(default_factory=list)
    answers: dict[str, str] = field(default_factory=dict)  # to "MAIL", "RCPT" and "DATA", where it does not take it
    signed_in: list[bool] = field(default_factory=list)  # each try to sign in, and whether it was let in

    @property
    def address(self) -> str:
        """The address of the server as EMAIL_URL has it, without encryption."""
        return f"smtp://127.0.0.1:{self.port}"


class _Handler:
    def __init__(self, server: MailServer) -> None:
        self.server = server

    async def handle_MAIL(  # noqa: N802 - the library's name
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        """Take the sender, or not."""
        if self.server.signs_in and not session.authenticated:
            return "530 Authentication required"
        if "MAIL" in self.server.answers:
            return self.server.answers["MAIL"]
        envelope.mail_from = address
        return "250 OK"

    async def handle_RCPT(  # noqa: N802 - the library's name
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        """Take a recipient, or not."""
        if "RCPT" in self.server.answers:
            return self.server.answers["RCPT"]
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802 - its name
        """Take the mail, or not."""
        if "DATA" in self.server.answers:
            return self.server.answers["DATA"]
        content = bytes(envelope.content or b"")
        message = message_from_bytes(content, policy=policy.default)
        assert isinstance(message, EmailMessage)
        self.server.received.append(
            Received(
                sender=str(envelope.mail_from), recipients=list(envelope.rcpt_tos), message=message, content=content
            )
        )
        return "250 OK"

    def authenticate(self, server: SMTP, session: Session, envelope: Envelope, mechanism: str, data: Any) -> AuthResult:
        """Let in who has the password."""
        assert isinstance(data, LoginPassword)
        is_right = (data.login, data.password) == (USER.encode(), PASSWORD.encode())
        self.server.signed_in.append(is_right)
        return AuthResult(success=is_right, handled=is_right)


class _Controller(Controller):  # type: ignore[misc]  # the library has no types
    def _trigger_server(self) -> None:
        self.port = self.server.sockets[0].getsockname()[1]  # the system chose one
        super()._trigger_server()


@contextmanager
def smtp_server(
    *, starttls: ssl.SSLContext | None = None, tls: ssl.SSLContext | None = None, signs_in: bool = False
) -> Iterator[MailServer]:
    """Run a mail server that takes everything, until its `answers` say otherwise.

    starttls: offered with that certificate. tls: spoken from the start. signs_in: nobody sends without the password.
    """
    known = MailServer(signs_in=signs_in)
    handler = _Handler(known)
    controller = _Controller(
        handler,
        hostname="127.0.0.1",
        port=0,
        ssl_context=tls,
        tls_context=starttls,
        auth_require_tls=False,
        ident="mail",
        server_hostname="mail.example.org",
        authenticator=handler.authenticate if signs_in else None,
    )
    controller.start()
    known.port = controller.port
    try:
        yield known
    finally:
        controller.stop()
