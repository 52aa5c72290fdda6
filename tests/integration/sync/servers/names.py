"""Names that lead where a test says, listeners that nobody may reach, and certificates for a name."""

import datetime as dt
import socket
import ssl
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec


def _has(address: str) -> bool:
    try:
        socket.create_server((address, 0), family=socket.AF_INET6 if ":" in address else socket.AF_INET).close()
    except OSError:
        return False
    return True


# Two addresses of this machine, of which a test allows the first. Not every machine speaks IPv6, nor has the other one.
OUTSIDE = "127.0.0.1"
INSIDE = next((address for address in ("::1", "127.0.0.2") if _has(address)), "::1")
needs_inside = pytest.mark.skipif(not _has(INSIDE), reason=f"this machine has no address {INSIDE}")


class Resolver:
    """The name server that the system asks: each asking of a name has its own answer, and the last one stays."""

    def __init__(self, name: str, answers: Sequence[Sequence[str]]) -> None:
        self.name = name
        self.asked = 0
        self._answers = answers
        self._ask = socket.getaddrinfo

    def getaddrinfo(self, host: Any, port: Any, *rest: Any, **named: Any) -> list[Any]:
        """As `socket.getaddrinfo`."""
        if host != self.name:
            return self._ask(host, port, *rest, **named)
        addresses = self._answers[min(self.asked, len(self._answers) - 1)]
        self.asked += 1
        return [found for address in addresses for found in self._ask(address, port, *rest, **named)]


def resolving(patch: pytest.MonkeyPatch, name: str, *answers: Sequence[str]) -> Resolver:
    """Have the system's resolver give these answers for a name, one after the other."""
    resolver = Resolver(name, answers)
    patch.setattr(socket, "getaddrinfo", resolver.getaddrinfo)
    return resolver


class Listener:
    """A port that counts who connects, and says nothing."""

    def __init__(self, opened: socket.socket) -> None:
        self._socket = opened
        self.port: int = opened.getsockname()[1]
        self.connections = 0

    def accept(self) -> None:
        """Until the socket is closed."""
        with suppress(OSError):
            while True:
                connection, _ = self._socket.accept()
                self.connections += 1
                connection.close()


@contextmanager
def listening(address: str, port: int = 0) -> Iterator[Listener]:
    """A listener on an address of this machine."""
    opened = socket.create_server((address, port), family=socket.AF_INET6 if ":" in address else socket.AF_INET)
    listener = Listener(opened)
    thread = threading.Thread(target=listener.accept, daemon=True)
    thread.start()
    yield listener
    with suppress(OSError):
        opened.shutdown(socket.SHUT_RDWR)
    opened.close()
    thread.join()


class Certificate:
    """A certificate for a name, which is its own authority."""

    def __init__(self, name: str, folder: Path) -> None:
        key = ec.generate_private_key(ec.SECP256R1())
        issued, now = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)]), dt.datetime.now(dt.UTC)
        made = (
            x509.CertificateBuilder()
            .subject_name(issued)
            .issuer_name(issued)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - dt.timedelta(hours=1))
            .not_valid_after(now + dt.timedelta(hours=1))
            .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
            .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
            .sign(key, hashes.SHA256())
        )
        pem = serialization.Encoding.PEM
        private = (serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        self.file = folder / f"{name}.pem"
        self.file.write_bytes(made.public_bytes(pem))
        self._chain = folder / f"{name}-with-key.pem"
        self._chain.write_bytes(made.public_bytes(pem) + key.private_bytes(pem, *private))
        self.names: list[str | None] = []  # that were asked for, as TLS sends them

    def server(self) -> ssl.SSLContext:
        """Return the server's TLS context with this certificate."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self._chain)
        context.sni_callback = lambda _, name, __: self.names.append(name)
        return context
