"""A mailbox on an IMAP server: its mails, for the mailbox's owners alone."""

import datetime as dt
import re
from collections.abc import Mapping
from typing import Annotated, Literal, cast

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from core.errors import SourceRefusedError
from core.library.sync.connector import Access, Connector, Kind
from core.library.sync.files.settings import HostName
from core.library.sync.mail.mailbox import Account, Choice, Mailbox

_TLS_PORT, _STARTTLS_PORT = 993, 143  # RFC 8314, 3.2 and RFC 3501, 2.1
_MOST_OWNERS = 50
_MOST_FOLDERS = 200
_OLDEST = dt.date(1970, 1, 1)
_LONGEST_BACK = 1200  # months
_ADDRESS = re.compile(r"[^\s@,;:<>()\"\\]{1,64}@[^\s@,;:<>()\"\\]{1,255}")  # the lengths of RFC 5321, 4.5.3.1
_MONTHS = re.compile(r"(\d{1,4})(?: months?)?")
_SINCE = "Write a date, such as 2025-01-31, or a number of months, such as 24 months."


def _as_owner(written: str) -> str:
    address = written.strip().casefold()
    if not _ADDRESS.fullmatch(address) or not address.isprintable():
        raise ValueError(f"{written.strip()} is no e-mail address. Write one address in each line: anna@example.com.")
    return address


def _as_folder(written: str) -> str:
    name = written.strip().strip("/")
    if not name or not name.isprintable():
        raise ValueError("Write the names of folders, one in a line, such as Projects/2025.")
    return name


def _check_since(written: str) -> str:
    written = written.strip()
    if written:
        _first_day(written, dt.date(2000, 1, 1))
    return written


def _first_day(since: str, today: dt.date) -> dt.date:
    """Return the day from which on mails are read. ValueError for what says none."""
    if match := _MONTHS.fullmatch(since):
        if not 1 <= int(match[1]) <= _LONGEST_BACK:
            raise ValueError(f"Write a number of months from 1 to {_LONGEST_BACK}.")
        month = today.year * 12 + today.month - 1 - int(match[1])
        return dt.date(month // 12, month % 12 + 1, 1)
    try:
        day = dt.date.fromisoformat(since)
    except ValueError:
        raise ValueError(_SINCE) from None
    if day < _OLDEST:
        raise ValueError(_SINCE)
    return day


class Settings(BaseModel):
    """The mailbox, who owns it, and which of its mails are read."""

    model_config = ConfigDict(extra="forbid", frozen=True, str_strip_whitespace=True)

    host: HostName = Field(title="Server", description="Its name, such as imap.gmail.com or mail.example.com.")
    security: Literal["tls", "starttls"] = Field(
        "tls",
        title="Encryption",
        description="tls from the first byte, or starttls for servers that begin it later. Nothing is ever sent "
        "without.",
    )
    port: int = Field(
        _TLS_PORT, ge=1, le=65535, title="Port", description="993 with tls, 143 with starttls, if not another."
    )
    user: str = Field(
        min_length=1,
        max_length=320,
        title="User name",
        description="Of the mailbox; mostly its e-mail address.",
    )
    owners: tuple[Annotated[str, AfterValidator(_as_owner)], ...] = Field(
        min_length=1,
        max_length=_MOST_OWNERS,
        title="Owners",
        description="E-mail addresses of the people who may read all of this mailbox, one in a line. Nobody else reads "
        "its mails, whoever they were sent to. After the first run, give each address a role of that person alone.",
    )
    folders: tuple[Annotated[str, AfterValidator(_as_folder)], ...] = Field(
        (),
        max_length=_MOST_FOLDERS,
        title="Folders",
        description="Names, one in a line, with / before a folder below: INBOX, Projects/2025; Projects/* for a folder "
        "with all below it. Empty: all but bin, junk and drafts, and at Gmail All Mail. Those three are never read.",
    )
    since: Annotated[str, AfterValidator(_check_since)] = Field(
        "",
        title="Since",
        description="A date, such as 2025-01-31, or a number of months, such as 24 months: mails that came before are "
        "not read, and withdrawn when they grow older. Empty: all.",
    )
    most_mb: int = Field(
        10, ge=1, le=1000, title="Largest mail", description="In MB, with what is attached. Larger ones are left out."
    )

    @model_validator(mode="after")
    def check(self) -> "Settings":
        """A port of the other way of encryption is a slip, of which the server would only be silent."""
        if self.security == "starttls" and self.port == _TLS_PORT:
            raise ValueError("Port 993 is for tls. Choose tls, or write the port for starttls: mostly 143.")
        if self.security == "tls" and self.port == _STARTTLS_PORT:
            raise ValueError("Port 143 is for starttls. Choose starttls, or write the port for tls: mostly 993.")
        if not self.user.isprintable():
            raise ValueError("The user name holds characters that none has. Write it anew.")
        return self

    def find_first_day(self, today: dt.date) -> dt.date | None:
        """Return the day from which on mails are read; None for all."""
        return _first_day(self.since, today) if self.since else None


def _read_password(secrets: Mapping[str, str]) -> str:
    password = secrets.get("password", "")
    if not password:
        raise SourceRefusedError("There is no password. Enter one; Gmail and others want an app password.")
    if not password.isprintable():
        raise SourceRefusedError("The password has characters that none has. Enter it once more.")
    return password


def connect(settings: BaseModel, secrets: Mapping[str, str], access: Access) -> Connector:
    """Return the connector of a mailbox. SourceRefusedError without a password."""
    given = cast(Settings, settings)
    account = Account(
        host=given.host,
        port=given.port,
        starts_tls=given.security == "starttls",
        user=given.user,
        password=_read_password(secrets),
    )
    choice = Choice(
        owners=tuple(sorted(set(given.owners))),
        folders=given.folders,
        first_day=given.find_first_day(dt.datetime.now(dt.UTC).date()),
        most_mb=min(given.most_mb, access.max_mb),
    )
    return Mailbox(account, choice, access)


KIND = Kind(
    name="imap",
    label="Mailbox (IMAP)",
    help="The mails of one mailbox at Gmail, Dovecot or another IMAP server, for its owners alone. Nothing there is "
    "changed or marked as read. Exchange Online takes no passwords over IMAP, so its mailboxes cannot be read.",
    settings=Settings,
    connect=connect,
    secrets={"password": "Password; at Gmail and others an app password"},
    destination=("host", "port"),
    per_minute=600,
    tells_readers=True,
    named_readers_only=True,
)
