"""Connections to mail servers: encrypted, to checked addresses, and ended where a server is hostile or breaks off."""

import socket
import ssl
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from core.errors import IngestionError, SourceError, SourceRefusedError
from core.library.ingestion.sources.policy import Policy
from core.library.sync.connector import Connector, Listed
from core.library.sync.files import store
from core.library.sync.mail import mailbox
from tests.integration.sync.servers.imap import NAME, PASSWORD, MailServer, serving_mails, write_mail
from tests.integration.sync.servers.names import INSIDE, OUTSIDE, listening, needs_inside
from tests.integration.sync.servers.served import listed
from tests.integration.sync.test_imap import KEY, look_again

DESCRIBED = b'UID %d FLAGS () INTERNALDATE "03-Mar-2026 09:30:00 +0200" RFC822.SIZE 10'
DONE = b"{tag} OK done\r\n"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[MailServer]:
    """A server with one mail."""
    with serving_mails(tmp_path) as found:
        found.put(write_mail())
        yield found


@pytest.fixture
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "ANSWER_S", 0.5)
    monkeypatch.setattr(store, "LOADING_S", 1.0)


def fails(connector: Connector, message: str = ".") -> SourceError:
    """List a mailbox that cannot be listed, in time and without its password in the message."""
    began = time.monotonic()
    with pytest.raises(SourceError, match=message) as error:
        list(connector.list())
    assert time.monotonic() - began < 10
    assert PASSWORD not in error.value.message
    return error.value


def has_signed_in(server: MailServer) -> bool:
    """Tell whether a password was sent."""
    return any(said.startswith(("LOGIN", "AUTHENTICATE")) for said in server.said)


def test_the_certificate_is_held_against_the_name(tmp_path: Path) -> None:
    """Of another name, or of an authority that nobody trusts: nothing is sent."""
    for starts_tls in (False, True):
        with serving_mails(tmp_path, certified="other.example", starts_tls=starts_tls) as server:
            fails(server.connect(), f"The certificate of {NAME} is not one for this name")
            server.trusted = ssl.create_default_context()
            fails(server.connect(), "by an authority that is trusted")
            assert not has_signed_in(server)


def test_starttls_comes_before_everything_else(tmp_path: Path) -> None:
    """Only what is asked for it is sent in plain text."""
    with serving_mails(tmp_path, starts_tls=True) as server:
        server.put(write_mail())
        assert set(listed(server.connect())) == {KEY}
        assert server.said[:3] == ["CAPABILITY", "CAPABILITY", "STARTTLS"]
        assert server.said.index("AUTHENTICATE PLAIN") > 2


@pytest.mark.parametrize("how", ["is not offered", "is refused", "is mixed with plain text", "somebody is signed in"])
def test_nothing_is_sent_without_encryption(tmp_path: Path, how: str) -> None:
    """Whatever the server, or somebody in between, says instead."""
    with serving_mails(tmp_path, starts_tls=True) as server:
        match how:
            case "is not offered":
                server.scripts["CAPABILITY"] = lambda _: b"* CAPABILITY IMAP4rev1 AUTH=PLAIN\r\n" + DONE
            case "is refused":
                server.scripts["STARTTLS"] = lambda _: b"{tag} NO not today\r\n"
            case "is mixed with plain text":
                lie = b"* CAPABILITY IMAP4rev1 AUTH=PLAIN\r\n"
                server.scripts["STARTTLS"] = lambda _: DONE + lie
            case "somebody is signed in":
                server.greeting = b"* PREAUTH welcome\r\n"
        fails(server.connect())
        assert not has_signed_in(server)


def test_a_server_that_lets_anybody_in_is_not_read(server: MailServer) -> None:
    """Its mailbox is somebody's, whoever that is."""
    server.greeting = b"* PREAUTH welcome\r\n"
    fails(server.connect(), "lets anybody in without a password")


def test_a_host_that_may_not_be_asked_is_not_connected_to(server: MailServer) -> None:
    """The name is resolved once, all of its addresses are checked, and one of these is connected to."""
    policy = Policy(resolver=lambda host, port: [OUTSIDE], ssl_context=server.trusted)
    fails(server.connect(access=server.access(policy=policy)), f"{NAME} is not on the public Internet")
    assert server.connections == 0


@needs_inside
@pytest.mark.parametrize("later", [[INSIDE], [OUTSIDE, INSIDE]])
def test_a_name_that_changes_its_address_leads_nowhere_inside(server: MailServer, later: list[str]) -> None:
    """Each further connection is checked anew."""
    answers = iter([[OUTSIDE], later])

    def allows(address: object) -> bool:
        return str(address) == OUTSIDE

    policy = Policy(resolver=lambda host, port: next(answers), allowed=allows, ssl_context=server.trusted)
    with listening(INSIDE, server.port) as inside:
        connector = server.connect(access=server.access(policy=policy))
        assert set(listed(connector)) == {KEY}
        server.scripts["EXAMINE"] = lambda _: None
        fails(connector, "closed the connection")
        fails(connector, "is not on the public Internet")
        assert inside.connections == 0


@pytest.mark.usefixtures("_soon")
def test_a_server_that_is_silent_is_left(server: MailServer) -> None:
    """Before it greets, and in the middle."""
    with socket.create_server((OUTSIDE, 0)) as silent:
        error = fails(server.connect(port=silent.getsockname()[1]), "does not answer on port")
        assert not isinstance(error, SourceRefusedError)
    server.scripts["UID SEARCH"] = lambda _: b"* SEARCH 1"
    fails(server.connect(), "did not answer in time")


@pytest.mark.usefixtures("_soon")
def test_a_server_that_drips_is_left(server: MailServer) -> None:
    """Each line comes in time, and the answer never does."""

    def drip(_: str) -> Iterator[bytes]:
        while True:
            time.sleep(0.1)
            yield b"* OK still here\r\n"

    server.scripts["UID FETCH"] = drip
    fails(server.connect(), "did not answer in time")
    assert server.connections == 1


HOSTILE: dict[str, tuple[str, bytes]] = {
    "a literal of terabytes": ("UID FETCH", b"* 1 FETCH (UID 1 BODY[] {999999999999}\r\nabc"),
    "a literal without a size": ("UID FETCH", b"* 1 FETCH (UID 1 BODY[] {%s}\r\n" % (b"9" * 5000)),
    "a literal that is a name": ("LIST", b'* LIST () "/" {999999999}\r\nINBOX'),
    "a line without an end": ("UID SEARCH", b"* SEARCH " + b"1 " * 10_000_000),
    "more and more lines": ("UID FETCH", b"* OK more\r\n" * 700_000),
    "lists in lists": ("UID FETCH", b"* 1 FETCH " + b"(" * 100_000 + b"\r\n" + DONE),
    "lists that do not begin": ("UID FETCH", b"* 1 FETCH ))))\r\n" + DONE),
    "marks that do not end": ("UID FETCH", b'* 1 FETCH (UID 1 INTERNALDATE "' + b'\\"' * 100_000 + b"\r\n" + DONE),
    "no numbers": ("UID SEARCH", b"* SEARCH one two\r\n" + DONE),
    "numbers that are too large": ("UID SEARCH", b"* SEARCH 4294967296\r\n" + DONE),
    "the number 0": ("UID SEARCH", b"* SEARCH 0\r\n" + DONE),
    "a search that is not answered": ("UID SEARCH", DONE),
    "a search that is refused": ("UID SEARCH", b"{tag} NO not today\r\n"),
    "a command that is unknown": ("UID SEARCH", b"{tag} BAD what?\r\n"),
    "another command's end": ("UID SEARCH", b"* SEARCH 1\r\nABCD99 OK done\r\n"),
    "no protocol": ("UID SEARCH", b"HTTP/1.1 200 OK\r\n\r\n"),
    "a mail that is told twice": (
        "UID FETCH",
        b"* 1 FETCH (" + DESCRIBED % 1 + b")\r\n* 2 FETCH (" + DESCRIBED.replace(b"09", b"10") % 1 + b")\r\n" + DONE,
    ),
    "none of the mails that it found": ("UID FETCH", DONE),
    "other mails than it was asked for": ("UID FETCH", b"* 1 FETCH (" + DESCRIBED % 77 + b")\r\n" + DONE),
    "no size": ("UID FETCH", b"* 1 FETCH (" + DESCRIBED.partition(b" RFC")[0] % 1 + b")\r\n" + DONE),
    "no date": ("UID FETCH", b'* 1 FETCH (UID 1 INTERNALDATE "yesterday" RFC822.SIZE 3)\r\n' + DONE),
    "a date after the calendar's": (
        "UID FETCH",
        b'* 1 FETCH (UID 1 INTERNALDATE "31-Dec-9999 23:59:59 -1200" RFC822.SIZE 3)\r\n' + DONE,
    ),
    "a description that is a text": ("UID FETCH", b"* 1 FETCH all\r\n" + DONE),
    "no folders": ("LIST", DONE),
    "folders of another form": ("LIST", b"* LIST INBOX\r\n" + DONE),
    "too many folders": ("LIST", b"".join(b'* LIST () "/" f%d\r\n' % n for n in range(10_001)) + DONE),
    "a folder that may not be opened": ("EXAMINE", b"{tag} NO [NOPERM] no\r\n"),
    "a folder without a number": ("EXAMINE", b"* 1 EXISTS\r\n" + DONE),
    "a folder with a number that is none": ("EXAMINE", b"* OK [UIDVALIDITY x]\r\n" + DONE),
    "good-bye": ("UID FETCH", b"* BYE shutting down\r\n"),
    "letters of nowhere": ("NAMESPACE", b'* NAMESPACE (("\xff\xfe"\r\n' + DONE),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_an_answer_that_is_none_ends_the_listing(server: MailServer, what: str) -> None:
    """In time, without room for what is only announced, and as an error: nothing of it counts as gone."""
    command, answer = HOSTILE[what]
    server.scripts[command] = lambda _: answer
    error = fails(server.connect())
    assert not isinstance(error, SourceRefusedError)


@pytest.mark.parametrize("what", ["a literal of terabytes", "lists in lists", "good-bye", "a mail that is told twice"])
def test_an_answer_that_is_none_loads_no_mail(server: MailServer, what: str) -> None:
    """Nor does it say that the mail is gone."""
    connector = server.connect()
    one = listed(connector)[KEY]
    server.scripts["UID FETCH"] = lambda _: HOSTILE[what][1]
    with pytest.raises((SourceError, IngestionError)):
        connector.load(one, "")
    with pytest.raises(SourceError):
        look_again(connector, one)


def test_the_text_of_another_mail_is_not_taken_for_this_one(server: MailServer) -> None:
    """Whichever number the server gives it."""
    connector = server.connect()
    one = listed(connector)[KEY]
    server.scripts["UID FETCH"] = lambda _: (
        b"* 1 FETCH (" + DESCRIBED % 2 + b" BODY[] {5}\r\nother)\r\n* 3 FETCH (FLAGS (\\Seen) UID 1)\r\n" + DONE
    )
    with pytest.raises(IngestionError, match="no longer there"):
        connector.load(one, "")


def test_what_a_server_tells_unasked_is_not_kept(server: MailServer) -> None:
    """New mails, new flags and greetings beside an answer change nothing of it."""
    kept = b"* 7 EXISTS\r\n* 1 FETCH (FLAGS (\\Seen))\r\n* 2 FETCH (UID 5 FLAGS (\\Seen))\r\n* OK hello\r\n"
    server.scripts["UID FETCH"] = lambda _: kept + b"* 1 FETCH (" + DESCRIBED % 1 + b")\r\n" + kept + DONE
    connector = server.connect()
    for _ in range(3):
        assert set(listed(connector)) == {KEY}
    client = connector._client  # type: ignore[attr-defined]
    client.allow(1, 1)
    assert client.untagged_responses == {}


def test_a_listing_that_breaks_off_is_an_error(server: MailServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also between two slices: what was named until then is no listing."""
    monkeypatch.setattr(mailbox, "_AT_ONCE", 1)
    for _ in range(3):
        server.put(write_mail())
    answers = iter([b"", b""])
    server.scripts["UID FETCH"] = lambda _: next(answers, None)
    found: list[object] = []
    with pytest.raises(SourceError, match="closed the connection"):
        found.extend(server.connect().list())
    assert len([said for said in server.said if said.startswith("UID FETCH")]) == 3


def test_a_connection_that_was_idle_for_too_long_is_opened_again(server: MailServer) -> None:
    """Once: a server that closes each connection is left."""
    connector = server.connect()
    one = listed(connector)[KEY]
    closes = iter([True, False, False])
    server.scripts["EXAMINE"] = server.scripts["UID FETCH"] = lambda _: None if next(closes, True) else b""
    assert connector.load(one, "") is not None
    assert server.connections == 2
    with pytest.raises(SourceError, match="closed the connection"):
        look_again(connector, one)
    assert server.connections == 3


def test_a_server_may_refuse_to_tell_of_mails_that_go_meanwhile(server: MailServer) -> None:
    """Some do while the folder is open; once it is opened again, the others are told and that one is gone."""
    for _ in range(2):
        server.put(write_mail())
    refusals = [b"{tag} NO [EXPUNGEISSUED] Some of the requested messages no longer exist.\r\n"]

    def refuse(_: str) -> bytes:
        server.boxes["INBOX"].mails.pop(2, None)
        return refusals.pop() if refusals else b""

    server.scripts["UID FETCH"] = refuse
    connector = server.connect()
    found = listed(connector)
    assert {key[-1] for key in found} == {"1", "3"}
    assert (refusals, server.connections) == ([], 2)
    refusals.append(b"{tag} NO [EXPUNGEISSUED] gone\r\n")
    with pytest.raises(IngestionError, match="no longer there"):
        connector.load(replace(found[KEY], key=KEY.replace("UID=1", "UID=2"), fingerprint=""), "")
    server.scripts["UID FETCH"] = lambda _: b"{tag} NO never\r\n"
    with pytest.raises(SourceError, match="refuses to answer"):
        connector.load(found[KEY], "")


def test_its_turn_is_awaited_before_each_command(server: MailServer) -> None:
    """And before connecting; what ends a listing from outside ends it at the next one."""
    told: list[int] = []
    connector = server.connect(access=server.access(pause=lambda: told.append(len(server.said))))
    one = listed(connector)[KEY]
    assert told[0] == 0
    assert set(range(4, len(server.said))) <= set(told)
    before = len(told)
    assert isinstance(one, Listed)
    connector.load(one, "")
    assert len(told) > before
