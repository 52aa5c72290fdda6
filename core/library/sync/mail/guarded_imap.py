"""Guard connections of imaplib: to checked addresses, encrypted, for answers with an end."""

import imaplib
import ssl
import time

from core.errors import SourceError
from core.library.ingestion.sources.connections import AddressesOf, open_socket
from core.library.sync.files import store
from core.values.sizes import MEGABYTE

_PIECE = 64 * 1024  # bytes that are received at a time
_FIRST_MB = 1  # of a greeting, and of all that signs in
_LONGEST_LINE = 16 * MEGABYTE  # of a search that finds a million mails


class AnswerTooLargeError(Exception):
    """The answer is larger than what was asked for may be. The connection is of no use any more."""


class GuardedImap(imaplib.IMAP4):
    """A connection that resolves the name by the rule of data sources, and sends nothing before it is encrypted.

    `allow` is called before each command, with what its answer may take. What the server volunteers is forgotten then,
    so that it does not pile up. Besides the library's errors, methods raise OSError for what is late or broken,
    AnswerTooLargeError, ValueError for answers of another form, and what addresses_of raises.
    """

    def __init__(
        self, addresses_of: AddressesOf, host: str, port: int, *, context: ssl.SSLContext, starts_tls: bool
    ) -> None:
        """Connect. context: for the server's certificate. starts_tls: False where TLS begins with the first byte."""
        self._addresses_of = addresses_of
        self._context = context
        self._starts_tls = starts_tls
        self._received = bytearray()
        self._deadline = 0.0
        self._left = 0
        super().__init__(host, port)
        try:
            self._encrypt()
        except BaseException:
            self.shutdown()
            raise

    def open(self, host: str = "", port: int = 143, timeout: float | None = None) -> None:
        """Open the socket, in place of the library's own way, which resolves the name by itself."""
        self.host, self.port = host, port
        self.allow(2 * store.ANSWER_S, _FIRST_MB * MEGABYTE)
        self.sock = open_socket(self._addresses_of, host, port, seconds=store.ANSWER_S)
        if not self._starts_tls:
            self._wrap()

    def allow(self, seconds: float, most_bytes: int) -> None:
        """Begin a command: say how long its answer may take in all, and how large it may be."""
        self._deadline = time.monotonic() + seconds
        self._left = most_bytes
        self.untagged_responses.clear()

    def list_abilities(self) -> frozenset[str]:
        """Ask for the server's capabilities, which may be others once somebody has signed in."""
        _, told = self.capability()
        return frozenset(b" ".join(each for each in told if isinstance(each, bytes)).decode("ascii").upper().split())

    def read(self, size: int) -> bytes:
        """Return so many bytes, which the server announced."""
        if size > self._left + len(self._received):
            raise AnswerTooLargeError
        while len(self._received) < size:
            self._receive()
        return self._take(size)

    def readline(self) -> bytes:
        """Return a line with its end."""
        looked = 0
        while (end := self._received.find(b"\n", looked)) < 0:
            looked = len(self._received)
            if looked > _LONGEST_LINE:
                raise AnswerTooLargeError
            self._receive()
        return self._take(end + 1)

    def send(self, data: bytes) -> None:  # type: ignore[override]  # typeshed allows any buffer
        """Send, and tell no audit hook of the password, as the library does."""
        self.sock.settimeout(self._wait())
        self.sock.sendall(data)

    def shutdown(self) -> None:
        """Close the connection."""
        self.sock.close()

    def _encrypt(self) -> None:
        """Begin TLS where the connection is not encrypted yet. SourceError where the server does not do that."""
        if not self._starts_tls:
            return
        refusal = f"{self.host} does not offer STARTTLS on port {self.port}. Without it, nothing is sent."
        if self.state != "NONAUTH" or "STARTTLS" not in self.list_abilities():
            raise SourceError(refusal)
        kind, _ = self.xatom("STARTTLS")
        if kind != "OK":
            raise SourceError(refusal)
        if self._received:  # by somebody in between, to be taken for what comes encrypted
            raise ValueError("The server said more before the encryption began.")
        self._wrap()
        self.untagged_responses.clear()

    def _wrap(self) -> None:
        """Encrypt the socket for the server's name, and hold the certificate against it."""
        self.sock.settimeout(self._wait())
        plain = self.sock
        try:
            self.sock = self._context.wrap_socket(plain, server_hostname=self.host)
        except BaseException:
            plain.close()
            raise

    def _receive(self) -> None:
        self.sock.settimeout(self._wait())
        piece = self.sock.recv(_PIECE)
        if not piece:
            raise self.abort("The connection was closed.")
        self._left -= len(piece)
        if self._left < 0:
            raise AnswerTooLargeError
        self._received += piece

    def _take(self, size: int) -> bytes:
        taken = bytes(self._received[:size])
        del self._received[:size]
        return taken

    def _wait(self) -> float:
        """Return how long the next piece may take. TimeoutError once the time of the command is over."""
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError("The answer has no end.")
        return min(left, store.ANSWER_S)
