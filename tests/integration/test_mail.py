"""Test that mail is sent by SMTP, against a real server on this machine."""

import socket
import traceback
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from pytest_django import Settings

from adminsite.environment import mail_server_of
from core.errors import FootnoteError, MailNotSentError, MailRefusedError
from core.infrastructure import mail
from core.infrastructure.mail import Mail, is_configured, send
from tests.integration.smtp import PASSWORD, USER, MailServer, smtp_server
from tests.integration.sync.servers.names import Certificate

SENDER = "Füßnote <footnote@example.com>"
TEXT = "Grüße an Änne.\n.\nFrom here on: 日本.\n" + "long " * 400
MAIL = Mail(to="alice@example.com", subject="Über Änderungen — “neu”", text=TEXT, message_id="<1.change@example.com>")
QUOTED = "%2F".join(PASSWORD.split("/"))


@pytest.fixture
def server() -> Iterator[MailServer]:
    """A server that takes everything."""
    with smtp_server() as running:
        yield running


@pytest.fixture
def use(settings: Settings) -> "Use":
    """Set the mail server as EMAIL_URL would."""
    return Use(settings)


class Use:
    """Sets the mail server of an installation."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    def __call__(self, url: str, sender: str = SENDER) -> None:
        self._settings.MAIL_SERVER, self._settings.EMAIL_FROM = mail_server_of(url, sender), sender


def refusal_of(sent: Mail) -> FootnoteError:
    """Return the error of a mail that is not sent: nothing of it tells the password, the text or the server's words."""
    with pytest.raises((MailNotSentError, MailRefusedError)) as caught:
        send(sent)
    told = "".join(traceback.format_exception(caught.value)) + repr(caught.value)
    assert not [secret for secret in (PASSWORD, "Grüße", "words of the server") if secret in told]
    return caught.value


def test_a_mail_arrives(server: MailServer, use: Use) -> None:
    """With umlauts in name, subject and text, and the headers by which a second attempt and a program are known."""
    use(server.address)
    assert is_configured()
    send(replace(MAIL, reply_to="bob@example.org"))
    (received,) = server.received
    message = received.message
    assert (received.sender, received.recipients) == ("footnote@example.com", ["alice@example.com"])
    assert message.get_content().replace("\r\n", "\n").rstrip("\n") == TEXT.rstrip("\n")
    assert message.get_content_type() == "text/plain"
    assert message.get_content_charset() == "utf-8"
    assert {name: str(message[name]) for name in ("From", "To", "Subject", "Reply-To")} == {
        "From": SENDER,
        "To": "alice@example.com",
        "Subject": MAIL.subject,
        "Reply-To": "bob@example.org",
    }
    assert str(message["Auto-Submitted"]) == "auto-generated"
    assert b"Message-ID: <1.change@example.com>\r\n" in received.content.replace(b"\n", b"\r\n").replace(b"\r\r", b"\r")


def test_two_attempts_carry_one_id(server: MailServer, use: Use) -> None:
    """So that the second is recognisable; and no answer address is named where none was given."""
    use(server.address)
    send(MAIL)
    send(MAIL)
    assert [str(each.message["Message-ID"]) for each in server.received] == [MAIL.message_id] * 2
    assert [each.message["Reply-To"] for each in server.received] == [None, None]


@pytest.mark.parametrize(
    ("command", "message"), [("MAIL", "refuses the sender"), ("RCPT", "the recipient"), ("DATA", "refuses the mail")]
)
def test_what_is_refused_for_good_is_told_from_what_may_be_taken_later(
    server: MailServer, use: Use, command: str, message: str
) -> None:
    """By the server's code, at each step; its words are not repeated."""
    use(server.address)
    server.answers = {command: "550 words of the server"}
    refused = refusal_of(MAIL)
    assert isinstance(refused, MailRefusedError)
    assert (message in refused.message, refused.retry) == (True, False)
    server.answers = {command: "451 words of the server"}
    busy = refusal_of(MAIL)
    assert (type(busy), busy.retry) == (MailNotSentError, True)
    assert server.received == []
    server.answers = {}
    send(MAIL)
    assert len(server.received) == 1


def test_a_server_that_is_away_may_take_the_mail_later(use: Use) -> None:
    """Nobody listens at its port."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    use(f"smtp://127.0.0.1:{port}")
    assert type(refusal_of(MAIL)) is MailNotSentError


def test_a_server_that_says_nothing_is_not_waited_for(use: Use, monkeypatch: pytest.MonkeyPatch) -> None:
    """Longer than some seconds."""
    monkeypatch.setattr(mail, "TIMEOUT_S", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        use(f"smtp://127.0.0.1:{silent.getsockname()[1]}")
        assert type(refusal_of(MAIL)) is MailNotSentError


def test_who_signs_in_is_let_in_by_the_password(use: Use) -> None:
    """A wrong one is refused for good, and a server that lets nobody sign in is told from one that does."""
    with smtp_server(signs_in=True) as server:
        use(f"smtp://{USER}:{QUOTED}@127.0.0.1:{server.port}")
        send(MAIL)
        assert (len(server.received), server.signed_in) == (1, [True])
        use(f"smtp://{USER}:{QUOTED}-not@127.0.0.1:{server.port}")
        refused = refusal_of(MAIL)
        assert isinstance(refused, MailRefusedError)
        assert "the user or the password of EMAIL_URL" in refused.message
        assert len(server.received) == 1
    with smtp_server() as server:
        use(f"smtp+tls://127.0.0.1:{server.port}")
        refused = refusal_of(MAIL)
        assert isinstance(refused, MailRefusedError)
        assert "encryption" in refused.message
        assert server.received == []


@pytest.mark.parametrize("scheme", ["smtp+tls", "smtps"])
def test_certificates_are_verified(use: Use, scheme: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that nobody vouches for gets neither the password nor the mail; one of another name does not either."""
    certificate, other = Certificate("localhost", tmp_path), Certificate("other.example.org", tmp_path)
    for shown, trusted, is_taken in (
        (certificate, None, False),
        (other, other, False),
        (certificate, certificate, True),
    ):
        offered = {"starttls" if scheme == "smtp+tls" else "tls": shown.server()}
        with smtp_server(**offered, signs_in=True) as server, monkeypatch.context() as patch:
            if trusted is not None:
                patch.setenv("SSL_CERT_FILE", str(trusted.file))
            use(f"{scheme}://{USER}:{QUOTED}@localhost:{server.port}")
            if is_taken:
                send(MAIL)
            else:
                assert type(refusal_of(MAIL)) is MailNotSentError
            assert (len(server.received), server.signed_in) == ((1, [True]) if is_taken else (0, []))


@pytest.mark.parametrize(
    "wrong",
    [
        {"subject": "Hello\nBcc: eve@example.com"},
        {"subject": "Hello\rBcc: eve@example.com"},
        {"subject": "Hello\u2028there"},
        {"to": "alice@example.com\nBcc: eve@example.com"},
        {"to": "alice@example.com, eve@example.com"},
        {"to": "Alice <alice@example.com>"},
        {"to": "alice@example.com\x00"},
        {"to": ""},
        {"reply_to": "bob@example.org\r\nBcc: eve@example.com"},
        {"reply_to": "nobody"},
        {"message_id": "<a@b>\nBcc: eve@example.com"},
        {"message_id": "a@b"},
        {"message_id": "<a b@c>"},
        {"message_id": ""},
    ],
)
def test_no_header_can_be_put_into_a_mail(server: MailServer, use: Use, wrong: dict[str, str]) -> None:
    """By a line break or another address; nothing is sent then."""
    use(server.address)
    assert isinstance(refusal_of(replace(MAIL, **wrong)), MailRefusedError)
    assert server.received == []


def test_odd_signs_in_the_text_do_no_harm(server: MailServer, use: Use) -> None:
    """Half a surrogate, and lines that look like headers or like the end of a mail."""
    use(server.address)
    send(replace(MAIL, text="\ud800x\n\nBcc: eve@example.com\n.\nend"))
    (received,) = server.received
    assert received.recipients == ["alice@example.com"]
    assert received.message["Bcc"] is None
    assert received.message.get_content().split() == ["?x", "Bcc:", "eve@example.com", ".", "end"]


def test_nothing_is_sent_where_mail_is_not_set_up(server: MailServer, use: Use) -> None:
    """It is an error, so that nobody takes the mail for sent."""
    use("", "")
    assert not is_configured()
    assert "EMAIL_URL" in refusal_of(MAIL).message
    assert server.received == []


def test_a_mail_does_not_show_its_text() -> None:
    """Where it is logged by mistake."""
    assert "Grüße" not in repr(MAIL)
