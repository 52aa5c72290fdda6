"""An IMAP server of ours, with one user, that answers as RFC 3501 says until a test says otherwise."""

import base64
import datetime as dt
import re
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from core.library.ingestion.sources.policy import Policy
from core.library.sync.connector import Access, Connector
from core.library.sync.kinds import kind_of
from tests.integration.sync.served import MARKUP
from tests.integration.sync.servers.names import OUTSIDE, Certificate

NAME = "mail.example"
USER, PASSWORD = "anna@example.com", 'right "and" \\ ünïcode'
RECEIVED = dt.datetime(2026, 3, 3, 9, 30, tzinfo=dt.timezone(dt.timedelta(hours=2)))
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_COMMAND = re.compile(r"(\S+) ((?:UID )?\S+)(?: (.*))?", re.DOTALL)


def write_mail(subject: str = "The pier", body: str = "The pier is sold.", **more: str) -> bytes:
    """Write a mail from Bert to Anna. more: further headers, with "_" for "-"."""
    headers = {"From": "Bert <bert@example.com>", "To": USER, "Subject": subject, "Date": "Tue, 3 Mar 2026 09:30 +0200"}
    headers |= {name.replace("_", "-"): value for name, value in more.items()}
    return "".join(f"{name}: {value}\r\n" for name, value in headers.items()).encode() + f"\r\n{body}\r\n".encode()


@dataclass(kw_only=True)
class Kept:
    """A mail there."""

    content: bytes
    flags: str = ""
    received: dt.datetime = RECEIVED
    gmail_id: int = 0
    labels: str = ""
    size: int | None = None  # as it is told; None: the real one


@dataclass(kw_only=True)
class Box:
    """A folder there."""

    mails: dict[int, Kept] = field(default_factory=dict)
    validity: int = 7
    flags: str = ""


# What is sent instead of the right answer, "{tag}" standing for the command's; b"": the right one; None: the connection
# is closed.
Script = Callable[[str], bytes | Iterator[bytes] | None]


@dataclass(kw_only=True)
class MailServer:
    """A running server."""

    port: int = 0
    boxes: dict[str, Box] = field(default_factory=lambda: {"INBOX": Box()})  # by names as the protocol writes them
    abilities: str = "IMAP4rev1 AUTH=PLAIN SPECIAL-USE LIST-EXTENDED NAMESPACE"
    delimiter: str = "/"
    namespaces: str = '(("" "/")) NIL NIL'
    starts_tls: bool = False
    greeting: bytes = b"* OK ready\r\n"
    scripts: dict[str, Script] = field(default_factory=dict)  # by the beginning of commands
    said: list[str] = field(default_factory=list)  # the commands that came, without tags
    connections: int = 0
    context: ssl.SSLContext | None = None
    trusted: ssl.SSLContext | None = None

    def put(self, content: bytes, box: str = "INBOX", **more: Any) -> int:
        """Put a mail into a folder; its UID."""
        mails = self.boxes.setdefault(box, Box()).mails
        uid = max(mails, default=0) + 1
        mails[uid] = Kept(content=content, **more)
        return uid

    def settings(self, **other: Any) -> dict[str, Any]:
        """Return the settings of a source of this mailbox."""
        security = "starttls" if self.starts_tls else "tls"
        given = {"host": NAME, "port": self.port, "security": security, "user": USER, "owners": ["Anna@Example.com"]}
        return given | other

    def access(self, **other: Any) -> Access:
        """Build an access to this server alone, whose name leads to it."""
        policy = Policy(
            resolver=lambda host, port: [OUTSIDE],
            allowed=lambda address: str(address) == OUTSIDE,
            ssl_context=self.trusted,
        )
        return Access(**{"max_mb": 1, "policy": policy, "markup": MARKUP} | other)

    def connect(self, *, password: str = PASSWORD, access: Access | None = None, **other: Any) -> Connector:
        """The mailbox, with other settings on top."""
        kind = kind_of("imap")
        settings = kind.settings.model_validate(self.settings(**other))
        return kind.connect(settings, {"password": password}, access or self.access())


class _Talk:
    """Talks with one client."""

    def __init__(self, server: MailServer, opened: socket.socket) -> None:
        self._server = server
        self._socket = opened
        self._box: Box | None = None
        self._lines = opened.makefile("rb")

    def run(self) -> None:
        """Answer until one of both has enough."""
        with suppress(OSError, ValueError):
            self._talk()
        with suppress(OSError):
            self._lines.close()
        self._socket.close()

    def stop(self) -> None:
        """Have enough."""
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)

    def _talk(self) -> None:
        assert self._server.context is not None
        if not self._server.starts_tls:
            self._encrypt()
        self._send(self._server.greeting)
        while line := self._lines.readline():
            match = _COMMAND.fullmatch(line.decode().rstrip("\r\n"))
            assert match is not None
            tag, name, rest = match[1], match[2].upper(), match[3] or ""
            self._server.said.append(f"{name} {rest}".strip())
            script = next((one for begin, one in self._server.scripts.items() if name.startswith(begin)), None)
            scripted = script(rest) if script else b""
            if scripted is None:
                return
            if scripted:
                for piece in [scripted] if isinstance(scripted, bytes) else scripted:
                    self._send(piece.replace(b"{tag}", tag.encode()))
            else:
                self._send(self._answer(name, rest) + f"{tag} ".encode() + self._end + b"\r\n")
            if name == "STARTTLS":
                self._encrypt()

    def _encrypt(self) -> None:
        assert self._server.context is not None
        self._lines.close()
        plain = self._socket
        try:
            self._socket = self._server.context.wrap_socket(plain, server_side=True)
        except OSError:
            plain.close()
            raise
        self._lines = self._socket.makefile("rb")

    def _send(self, said: bytes) -> None:
        self._socket.sendall(said)

    def _answer(self, name: str, rest: str) -> bytes:
        self._end = b"OK done"
        match name:
            case "CAPABILITY":
                offers = "" if isinstance(self._socket, ssl.SSLSocket) else " STARTTLS"
                return f"* CAPABILITY {self._server.abilities}{offers}\r\n".encode()
            case "AUTHENTICATE":
                self._send(b"+ \r\n")
                self._judge(base64.b64decode(self._lines.readline()).decode() == f"\0{USER}\0{PASSWORD}")
            case "LOGIN":
                self._judge(rest == f'{USER} "plain \\"right\\""')
            case "LIST":
                boxes = self._server.boxes.items()
                return "".join(
                    f'* LIST ({box.flags}) "{self._server.delimiter}" "{name}"\r\n' for name, box in boxes
                ).encode()
            case "NAMESPACE":
                return f"* NAMESPACE {self._server.namespaces}\r\n".encode()
            case "EXAMINE":
                self._box = self._server.boxes[rest.strip('"').replace('\\"', '"')]
                return f"* {len(self._box.mails)} EXISTS\r\n* OK [UIDVALIDITY {self._box.validity}] ok\r\n".encode()
            case "UID SEARCH":
                found = [uid for uid, kept in self._mails() if _fits(uid, kept, rest.split())]
                return f"* SEARCH {' '.join(map(str, found))}".rstrip().encode() + b"\r\n"
            case "UID FETCH":
                asked, _, items = rest.partition(" ")
                wanted = _read_set(asked)
                return b"".join(_describe(uid, kept, items) for uid, kept in self._mails() if uid in wanted)
            case "STARTTLS":
                pass
            case _:
                self._end = b"BAD unknown"
        return b""

    def _mails(self) -> list[tuple[int, Kept]]:
        assert self._box is not None
        return sorted(self._box.mails.items())

    def _judge(self, is_right: bool) -> None:
        if not is_right:
            self._end = b"NO [AUTHENTICATIONFAILED] no"


def _fits(uid: int, kept: Kept, criteria: list[str]) -> bool:
    words = iter(criteria)
    for word in words:
        match word:
            case "UNDELETED" | "UNDRAFT":
                right = f"\\{word.removeprefix('UN').capitalize()}" not in kept.flags
            case "SINCE":
                day, month, year = next(words).split("-")
                right = kept.received.date() >= dt.date(int(year), _MONTHS.index(month) + 1, int(day))
            case "UID":
                right = uid in _read_set(next(words))
            case "X-GM-MSGID":
                right = str(kept.gmail_id) == next(words)
            case _:
                raise AssertionError(word)
        if not right:
            return False
    return True


def _read_set(written: str) -> set[int]:
    ranges = [part.partition(":") for part in written.split(",")]
    return {uid for first, _, last in ranges for uid in range(int(first), int(last or first) + 1)}


def _describe(uid: int, kept: Kept, items: str) -> bytes:
    at = kept.received
    said = f"UID {uid} FLAGS ({kept.flags}) "
    said += f'INTERNALDATE "{at.day:2}-{_MONTHS[at.month - 1]}-{at:%Y %H:%M:%S %z}"'
    if "RFC822.SIZE" in items:
        said += f" RFC822.SIZE {len(kept.content) if kept.size is None else kept.size}"
    if "X-GM-MSGID" in items:
        said += f" X-GM-MSGID {kept.gmail_id} X-GM-LABELS ({kept.labels})"
    assert "BODY[" not in items  # which marks a mail as read
    body = b" BODY[] {%d}\r\n%b" % (len(kept.content), kept.content) if "BODY.PEEK[]" in items else b""
    return f"* {uid} FETCH ({said}".encode() + body + b")\r\n"


@contextmanager
def serving_mails(folder: Path, *, certified: str = NAME, **options: Any) -> Iterator[MailServer]:
    """A server with an empty inbox. folder: for its certificate."""
    certificate = Certificate(certified, folder)
    trusted = ssl.create_default_context(cafile=str(certificate.file))
    server = MailServer(context=certificate.server(), trusted=trusted, **options)
    talks: list[tuple[_Talk, threading.Thread]] = []

    def accept(listener: socket.socket) -> None:
        with suppress(OSError):
            while True:
                talk = _Talk(server, listener.accept()[0])
                server.connections += 1
                talking = threading.Thread(target=talk.run, daemon=True)
                talks.append((talk, talking))
                talking.start()

    with socket.create_server((OUTSIDE, 0)) as listener:
        server.port = listener.getsockname()[1]
        thread = threading.Thread(target=accept, args=(listener,), daemon=True)
        thread.start()
        yield server
        with suppress(OSError):
            listener.shutdown(socket.SHUT_RDWR)
    thread.join()
    for talk, talking in talks:
        talk.stop()
        talking.join()
