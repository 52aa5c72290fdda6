"""Ask a mailbox for its mails: listed by folder, loaded one by one, and never changed there."""

import datetime as dt
import hashlib
import imaplib
import re
import ssl
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TypeVar

from core.errors import FileTooLargeError, GoneError, SourceError, SourceRefusedError
from core.library.ingestion.formats import FileKind
from core.library.ingestion.sources import LeftOut, LoadedFile
from core.library.ingestion.sources.connections import trust_authorities
from core.library.sync.connector import Access, Listed, Loaded, make_changed_error
from core.library.sync.files import store
from core.library.sync.mail.answers import Given, Mail, quote, read_found, read_mails, write_set
from core.library.sync.mail.folders import Folder, choose, read_folders, read_foreign
from core.library.sync.mail.guarded_imap import AnswerTooLargeError, GuardedImap
from core.values.sizes import MEGABYTE

_AT_ONCE = 500  # mails that are described by one answer
_SEARCH_MB = 16  # of a search that finds more than a million mails
_ANSWER_MB = 4  # of another answer that is no mail
_DESCRIBED = "UID FLAGS INTERNALDATE RFC822.SIZE"
_GMAIL = "X-GM-EXT-1"  # https://developers.google.com/workspace/gmail/imap/imap-extensions
_GMAIL_KEY = "X-GM-MSGID="
_NOT_READ = {"\\deleted", "\\draft"}  # flags
_NOT_READ_LABELS = {"\\draft", "\\drafts", "\\trash", "\\spam", "\\junk"}
# Answers to signing in that say nothing of the password: RFC 5530, 3.
_LATER = {"UNAVAILABLE", "INUSE", "LIMIT", "SERVERBUG", "OVERQUOTA"}
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_KEY = re.compile(r"(?P<path>.+);UIDVALIDITY=(?P<validity>\d{1,10})/;UID=(?P<uid>\d{1,10})")
_DIGITS = 16  # of the digest that tells mailboxes apart
_PLAIN_USER = re.compile(r"[A-Za-z0-9@._+-]+")
_ENDING = next(iter(FileKind.MAIL.value.endings))
_Found = TypeVar("_Found")


@dataclass(frozen=True, kw_only=True, slots=True)
class Account:
    """Holds where a mailbox is, and who signs in."""

    host: str
    port: int
    starts_tls: bool  # False: encrypted from the first byte
    user: str
    password: str = field(repr=False)


@dataclass(frozen=True, kw_only=True, slots=True)
class Choice:
    """Holds which mails are read, and by whom."""

    owners: tuple[str, ...]  # e-mail addresses
    folders: tuple[str, ...]  # names as the settings have them; (): as of `folders.choose`
    first_day: dt.date | None
    most_mb: int


@dataclass(frozen=True, kw_only=True, slots=True)
class _Opened:
    """Holds a folder as it was opened."""

    folder: Folder
    validity: int  # UIDVALIDITY: with another one, the same UIDs are other mails


_Folders = tuple[Sequence[Folder], Sequence[LeftOut]]  # that are read, and that cannot be


class _ClosedError(SourceError):
    """The server closed the connection. It is asked again later."""


class _RefusedError(SourceError):
    """The server does not answer this."""


class Mailbox:
    """The mails of one mailbox, over one connection that lasts as long as this object."""

    def __init__(self, account: Account, choice: Choice, access: Access) -> None:
        self._account = account
        self._choice = choice
        mailbox = f"{account.user}\n{account.host}".casefold()
        self._owner = hashlib.sha256(mailbox.encode()).hexdigest()[:_DIGITS]
        self._access = access
        self._client: GuardedImap | None = None
        self._abilities: frozenset[str] = frozenset()
        self._folders: _Folders | None = None
        self._opened: _Opened | None = None

    def list(self) -> Iterator[Listed | LeftOut]:
        """Every mail of the chosen folders, the newest first in each; those that are too large are left out."""
        folders, left_out = self._find_folders()
        yield from left_out
        known: set[str] = set()  # Gmail's ids, of mails that bear several labels
        for folder in folders:
            opened = self._open(folder)
            uids = self._search(*self._build_criteria())[::-1]
            for first in range(0, len(uids), _AT_ONCE):
                for mail in self._describe_in(opened, uids[first : first + _AT_ONCE]):
                    one = self._list_one(opened, mail)
                    if one is None or mail.gmail_id in known:
                        continue
                    known.update({mail.gmail_id} - {""})
                    yield one

    def load(self, listed: Listed, validator: str) -> Loaded | None:
        """Return one mail as it was sent."""
        return self._ask_twice(lambda: self._load(listed))

    def look_again(self, listed: Listed) -> Listed | None:
        """Return one mail as it is there now, for the owners whom the settings name now; None where it is deleted."""
        mail = self._ask_twice(lambda: self._find(listed))
        if mail is None or _is_passed_over(mail):
            return None
        return replace(listed, fingerprint=self._fingerprint(mail), groups=self._choice.owners)

    def _list_one(self, opened: _Opened, mail: Mail) -> Listed | LeftOut | None:
        """Describe a mail without its subject: whoever looks after the source need not be who reads it."""
        if _is_passed_over(mail):
            return None
        at = f"{mail.received:%Y-%m-%d %H:%M}"
        if self._is_gmail:
            key, name = f"{_GMAIL_KEY}{mail.gmail_id}", f"Mail {mail.gmail_id} of {at}"
        else:
            key = f"{opened.folder.path};UIDVALIDITY={opened.validity}/;UID={mail.uid}"
            name = f"{opened.folder.name}, mail {mail.uid} of {at}"
        if (mail.size or 0) > self._choice.most_mb * MEGABYTE:
            return LeftOut(name=name, reason=f"larger than {self._choice.most_mb} MB")
        return Listed(key=key, name=name, fingerprint=self._fingerprint(mail), groups=self._choice.owners)

    def _load(self, listed: Listed) -> Loaded:
        uid = self._locate(listed)
        found: dict[int, Mail] = {}
        if uid is not None:
            most = self._choice.most_mb
            try:
                found = self._fetch([uid], "UID FLAGS INTERNALDATE BODY.PEEK[]", most_bytes=(most + 1) * MEGABYTE)
            except AnswerTooLargeError:
                raise self._make_too_large_error(listed) from None
        mail = found.get(uid) if uid is not None else None
        if mail is None or mail.content is None or _is_passed_over(mail):
            raise GoneError(f"{listed.name} is no longer there.")
        if listed.fingerprint and self._fingerprint(mail) != listed.fingerprint:
            raise make_changed_error(listed.name)
        if len(mail.content) > self._choice.most_mb * MEGABYTE:
            raise self._make_too_large_error(listed)
        # The name stands for a subject and a date that the mail itself may lack.
        return Loaded(file=LoadedFile(content=mail.content, name=f"Mail of {mail.received:%Y-%m-%d}{_ENDING}"))

    def _find(self, listed: Listed) -> Mail | None:
        """Find a mail as the server tells of it now; None where it tells nothing."""
        self._opened = None  # what others deleted meanwhile may still be told of in a folder that stays open
        uid = self._locate(listed)
        return None if uid is None else next(iter(self._describe([uid])), None)

    def _locate(self, listed: Listed) -> int | None:
        """Open the folder in which a mail is, and return its UID there; None where it is in none that is read."""
        folders, _ = self._find_folders()
        identifier = listed.key.removeprefix(_GMAIL_KEY)
        if identifier != listed.key:
            return self._locate_at_gmail(folders, identifier)
        key = _KEY.fullmatch(listed.key)
        folder = next((one for one in folders if key is not None and one.path == key["path"]), None)
        if key is None or folder is None or self._is_gmail:
            return None
        is_open = self._opened is not None and self._opened.folder == folder
        opened = self._opened if is_open and self._opened is not None else self._open(folder)
        return int(key["uid"]) if opened.validity == int(key["validity"]) else None

    def _locate_at_gmail(self, folders: Sequence[Folder], identifier: str) -> int | None:
        if not self._is_gmail or not identifier.isdigit():
            return None
        first = self._opened.folder if self._opened is not None else None
        for folder in sorted(folders, key=lambda one: one != first):  # where the last one was found
            if self._opened is None or self._opened.folder != folder:
                self._open(folder)
            if found := self._search("X-GM-MSGID", identifier):
                return found[0]
        return None

    def _build_criteria(self) -> Sequence[str]:
        """Return what a mail has to be to be listed. The day is that on which the server received it."""
        day = self._choice.first_day
        since = ["SINCE", f"{day.day}-{_MONTHS[day.month - 1]}-{day.year}"] if day else []
        return ["UNDELETED", "UNDRAFT", *since]

    def _describe_in(self, opened: _Opened, uids: Sequence[int]) -> Sequence[Mail]:
        """As `_describe`, in the folder that was listed.

        Servers refuse to tell of mails that others delete while the folder is open (RFC 5530, EXPUNGEISSUED), and tell
        of the rest once it is opened again.
        """
        self._open_again(opened)
        try:
            return self._describe(uids)
        except _RefusedError:
            self._open_again(opened)
            return self._describe(uids)

    def _describe(self, uids: Sequence[int]) -> Sequence[Mail]:
        """Return what the server tells of mails, in their order. SourceError where it says nothing of one it has."""
        at_gmail = " X-GM-MSGID X-GM-LABELS" if self._is_gmail else ""
        found = self._fetch(uids, _DESCRIBED + at_gmail)
        missing = [uid for uid in uids if uid not in found]
        if missing and set(self._search("UID", write_set(missing))) & set(missing):
            raise self._make_odd_error()
        told = [found[uid] for uid in uids if uid in found]
        if any(mail.size is None or (self._is_gmail and not mail.gmail_id) for mail in told):
            raise self._make_odd_error()
        return told

    def _find_folders(self) -> _Folders:
        """Return the folders that are read, as the server named them when it was first asked, and those left out."""
        if self._folders is None:
            with self._asking() as client:
                asked = '"*" RETURN (SPECIAL-USE)' if {"SPECIAL-USE", "LIST-EXTENDED"} <= self._abilities else '"*"'
                found, left_out = read_folders(self._take(client.list('""', asked)))
            foreign: tuple[str, ...] = ()
            if "NAMESPACE" in self._abilities:
                with self._asking() as client:
                    foreign = read_foreign(self._take(client.namespace()))
            self._folders = choose(found, self._choice.folders, foreign, is_gmail=self._is_gmail), left_out
        return self._folders

    def _open(self, folder: Folder) -> _Opened:
        """Open a folder to be looked at alone. SourceError where that is refused: what is in it is not gone."""
        self._opened = None
        with self._asking() as client:
            kind, _ = client.select(quote(folder.raw), readonly=True)
            if kind != "OK":
                raise SourceError(f"{self._account.host} does not open the folder {folder.name} for this user.")
            _, told = client.response("UIDVALIDITY")
            number = told[-1] if told else None
            if not isinstance(number, bytes) or not number.isdigit() or len(number) > len(str(2**32)):
                raise SourceError(f"{self._account.host} numbers the mails of {folder.name} anew each time.")
            self._opened = _Opened(folder=folder, validity=int(number))
        return self._opened

    def _open_again(self, opened: _Opened) -> None:
        """Open a folder again if another one was opened meanwhile. SourceError where its mails are numbered anew."""
        if self._opened != opened and self._open(opened.folder) != opened:
            raise SourceError(f"The mails of {opened.folder.name} were numbered anew. They are listed again later.")

    def _search(self, *criteria: str) -> Sequence[int]:
        with self._asking(_SEARCH_MB * MEGABYTE) as client:
            return read_found(self._take(client.uid("SEARCH", *criteria)))

    def _fetch(self, uids: Iterable[int], items: str, *, most_bytes: int = 0) -> dict[int, Mail]:
        """Return what the server tells of mails. most_bytes: AnswerTooLargeError above; 0: a SourceError at the usual.

        What is larger than a mail may be is that mail's fault, and the source can be asked for the others.
        """
        with self._asking(most_bytes or _ANSWER_MB * MEGABYTE, passes_on_size=bool(most_bytes)) as client:
            return read_mails(self._take(client.uid("FETCH", write_set(uids), f"({items})")))

    def _take(self, answer: tuple[str, Given]) -> Given:
        """Return the answers to a command. SourceError where it was refused."""
        kind, given = answer
        if kind != "OK":
            raise _RefusedError(f"{self._account.host} refuses to answer. It is asked again later.")
        return given

    @property
    def _is_gmail(self) -> bool:
        return _GMAIL in self._abilities

    @contextmanager
    def _asking(
        self, most_bytes: int = _ANSWER_MB * MEGABYTE, *, passes_on_size: bool = False
    ) -> Iterator[GuardedImap]:
        """Let one command be sent, once its turn has come. A connection on which anything went wrong is closed."""
        client = self._client or self._connect()
        self._access.pause()
        is_whole = False
        try:
            client.allow(store.LOADING_S, most_bytes)
            yield client
            is_whole = True
        except imaplib.IMAP4.abort:
            raise _ClosedError(f"{self._account.host} closed the connection. It is asked again later.") from None
        except TimeoutError:
            raise SourceError(f"{self._account.host} did not answer in time.") from None
        except OSError:
            raise _ClosedError(f"{self._account.host} does not answer any more. It is asked again later.") from None
        except AnswerTooLargeError:
            if passes_on_size:
                raise
            raise SourceError(f"{self._account.host} sends an answer that has no end. Check the server.") from None
        except (imaplib.IMAP4.error, ValueError):
            raise self._make_odd_error() from None
        finally:
            if not is_whole:
                self._close()

    def _ask_twice(self, ask: Callable[[], _Found]) -> _Found:
        """Ask again over a new connection where an earlier one was closed, as servers do when it is idle, or refused.

        What others deleted meanwhile is refused while its folder stays open.
        """
        was_connected = self._client is not None
        try:
            return ask()
        except (_ClosedError, _RefusedError):
            if not was_connected:
                raise
            return ask()

    def _connect(self) -> GuardedImap:
        """Connect and sign in."""
        self._access.pause()
        account = self._account
        context = self._access.policy.ssl_context or trust_authorities()
        try:
            client = GuardedImap(
                self._access.addresses_of, account.host, account.port, context=context, starts_tls=account.starts_tls
            )
        except ssl.SSLCertVerificationError:
            raise SourceError(
                f"The certificate of {account.host} is not one for this name by an authority that is trusted."
            ) from None
        except (imaplib.IMAP4.error, OSError, ValueError, AnswerTooLargeError):
            raise SourceError(
                f"{account.host} does not answer on port {account.port}, or not as an IMAP server does. Check the "
                "server, the port and the encryption."
            ) from None
        weakref.finalize(self, client.shutdown)
        self._client, self._opened = client, None
        with self._asking():
            self._sign_in(client)
        return client

    def _sign_in(self, client: GuardedImap) -> None:
        if client.state != "NONAUTH":
            raise SourceError(f"{self._account.host} lets anybody in without a password. It is not read.")
        self._abilities = client.list_abilities()
        takes_plain = "AUTH=PLAIN" in self._abilities
        if not takes_plain and "LOGINDISABLED" in self._abilities:
            raise SourceRefusedError(f"{self._account.host} takes no passwords over IMAP. This mailbox cannot be read.")
        try:
            self._send_password(client, takes_plain=takes_plain)
        except imaplib.IMAP4.abort:
            raise
        except imaplib.IMAP4.error as error:
            raise self._make_refusal(client, str(error)) from None
        client.allow(store.ANSWER_S, MEGABYTE)
        self._abilities = client.list_abilities()

    def _send_password(self, client: GuardedImap, *, takes_plain: bool) -> None:
        """Send the user name and the password, by the way of signing in that takes any characters where there is it."""
        account = self._account
        if takes_plain:
            sent = f"\0{account.user}\0{account.password}".encode()  # RFC 4616
            client.authenticate("PLAIN", lambda _: sent)
            return
        try:
            user = account.user if _PLAIN_USER.fullmatch(account.user) else quote(account.user)
            quote(account.password)
        except ValueError:
            raise SourceRefusedError(
                f"{account.host} takes plain letters alone in user names and passwords. Choose another password."
            ) from None
        client.login(user, account.password)

    def _make_refusal(self, client: GuardedImap, said: str) -> SourceError:
        """Return the password is refused, or nobody may sign in at the moment. What the server says is not repeated."""
        host = self._account.host
        if _LATER & set(client.untagged_responses) or "too many" in said.casefold():
            return SourceError(f"{host} lets nobody sign in at the moment. It is asked again later.")
        return SourceRefusedError(
            f"{host} does not accept the user name and password. Gmail and others want an app password; Exchange "
            "Online takes none over IMAP."
        )

    def _fingerprint(self, mail: Mail) -> str:
        """Return when the server received a mail, which never changes (RFC 3501, 2.3.1.1), with whose mailbox it is in.

        Two mailboxes that were made in the same second number their mails alike.
        """
        return f"{mail.received.isoformat()} {self._owner}"

    def _make_too_large_error(self, listed: Listed) -> FileTooLargeError:
        return FileTooLargeError(f"{listed.name} is larger than {self._choice.most_mb} MB, the most that is read.")

    def _make_odd_error(self) -> SourceError:
        return SourceError(f"{self._account.host} does not answer as an IMAP server should. It is asked again later.")

    def _close(self) -> None:
        client, self._client, self._opened = self._client, None, None
        if client is not None:
            client.shutdown()


def _is_passed_over(mail: Mail) -> bool:
    return bool(mail.flags & _NOT_READ or mail.labels & _NOT_READ_LABELS)
