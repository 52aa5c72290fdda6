"""Mailboxes: what is listed and loaded, by whom it is read, and that nothing there is changed."""

import datetime as dt
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from core.errors import (
    ChangedMeanwhileError,
    FileTooLargeError,
    GoneError,
    SourceError,
    SourceRefusedError,
)
from core.library.sync.connector import Connector, Listed, Loaded, TellsReaders
from core.library.sync.kinds import kind_of
from core.library.sync.mail import mailbox
from tests.integration.sync.servers.imap import RECEIVED, USER, Box, MailServer, serving_mails, write_mail
from tests.integration.sync.servers.served import left_out, listed

KEY = "INBOX;UIDVALIDITY=7/;UID=1"
GMAIL = "IMAP4rev1 AUTH=PLAIN SPECIAL-USE LIST-EXTENDED X-GM-EXT-1"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[MailServer]:
    """A server with an empty inbox."""
    with serving_mails(tmp_path) as found:
        yield found


def load(connector: Connector, one: Listed) -> Loaded:
    """Load a mail."""
    loaded = connector.load(one, "")
    assert loaded is not None
    return loaded


def look_again(connector: Connector, one: Listed) -> Listed | None:
    """Look at a mail again."""
    assert isinstance(connector, TellsReaders)
    return connector.look_again(one)


def test_mails_are_listed_for_the_owners_and_loaded_as_they_are(server: MailServer) -> None:
    """Neither who sent it nor who received it reads it; the name for people is not the subject."""
    content = write_mail("Griffin", Cc="carl@example.com")
    server.put(content)
    connector = server.connect(owners=["Anna@Example.com", "dora@example.org", "anna@example.com"])
    one = listed(connector)[KEY]
    assert one == Listed(
        key=KEY,
        name="INBOX, mail 1 of 2026-03-03 07:30",
        fingerprint=one.fingerprint,
        groups=("anna@example.com", "dora@example.org"),
    )
    assert one.fingerprint.startswith("2026-03-03T07:30:00+00:00 ")
    loaded = load(connector, listed(connector)[KEY])
    assert (loaded.file.content, loaded.file.name) == (content, "Mail of 2026-03-03.eml")


def test_nothing_there_is_changed(server: MailServer) -> None:
    """Folders are opened to be looked at alone, and no mail is marked as read: the server knows no other command."""
    server.put(write_mail())
    connector = server.connect()
    one = listed(connector)[KEY]
    load(connector, one)
    assert look_again(connector, one) == one
    assert {command.split(" (")[0].rstrip("1 ") for command in server.said} == {
        "CAPABILITY", "AUTHENTICATE PLAIN", 'LIST "" "*" RETURN', "NAMESPACE", 'EXAMINE "INBOX"',
        "UID SEARCH UNDELETED UNDRAFT", "UID FETCH",
    }  # fmt: skip
    assert any("BODY.PEEK[]" in command for command in server.said)


def test_bin_junk_and_drafts_are_never_read(server: MailServer) -> None:
    """By what the server says of folders, in any language, with those below; drafts and deleted mails elsewhere too."""
    server.boxes |= {
        "Papierkorb": Box(flags="\\Trash"),
        "Verd&AOQ-chtig": Box(flags="\\Junk"),
        "Drafts": Box(flags="\\HasNoChildren \\Drafts"),
        "Starred": Box(flags="\\Flagged"),
        "Shelf": Box(flags="\\Noselect"),
        "Spam": Box(),  # a folder of somebody's own: the server says which is junk
    }
    for box in (*server.boxes, "Papierkorb/2025", "Sent"):
        server.put(write_mail(), box)
    server.put(write_mail(), flags="\\Seen \\Draft")
    server.put(write_mail(), flags="\\Deleted")
    assert set(listed(server.connect())) == {KEY, *(KEY.replace("INBOX", name) for name in ("Sent", "Spam"))}
    with pytest.raises(SourceError, match="The folder Verdächtig is the bin, junk or drafts, which are never read"):
        list(server.connect(folders=["Verdächtig"]).list())


def test_a_server_that_does_not_say_which_folder_is_the_bin_is_read_by_usual_names(server: MailServer) -> None:
    """Unless somebody names such a folder."""
    for box in ("INBOX", "INBOX.Trash", "INBOX.Deleted Items", "INBOX.Trash.2025", "INBOX.Work", "SPAM"):
        server.put(write_mail(), box)
    server.delimiter = "."
    assert set(listed(server.connect())) == {KEY, KEY.replace("INBOX", "INBOX/Work")}
    assert set(listed(server.connect(folders=["SPAM"]))) == {KEY.replace("INBOX", "SPAM")}


def test_folders_are_chosen_by_their_names(server: MailServer) -> None:
    """In any script, with "/" whatever the server has between them; with those below where that is asked for."""
    server.delimiter = "."
    for box in ("INBOX", "Projekte", "Projekte.&ANw-ber &- &ZeVnLIqe-", "Projekte.A/B", "Projekte.A", "Projektex"):
        server.put(write_mail(), box)
    named = {"ber": "Projekte/%C3%9Cber%20%26%20%E6%97%A5%E6%9C%AC%E8%AA%9E", "slash": "Projekte/A%2FB"}

    def found(*folders: str) -> set[str]:
        return {key.partition(";")[0] for key in listed(server.connect(folders=list(folders)))}

    assert found("inbox", "Projekte/Über & 日本語") == {"INBOX", named["ber"]}
    assert found("Projekte/A/B") == {named["slash"]}
    assert found("Projekte/*") == {"Projekte", "Projekte/A", *named.values()}
    with pytest.raises(SourceError, match=r"has no folder Nowhere\. It has: INBOX, Projekte, Projekte/A"):
        found("Nowhere")


def test_folders_of_other_people_are_not_of_this_mailbox(server: MailServer) -> None:
    """Unless they are named."""
    server.namespaces = '(("" "/")) (("Users/" "/")) (("Public/" "/") ("" "/"))'
    for box in ("INBOX", "Users/carl", "Public/all"):
        server.put(write_mail(), box)
    assert set(listed(server.connect())) == {KEY}
    assert set(listed(server.connect(folders=["Users/carl"]))) == {KEY.replace("INBOX", "Users/carl")}


def test_names_that_cannot_be_told_apart_are_left_out(server: MailServer) -> None:
    """Of two ways to write one name the protocol allows one; controls lead elsewhere."""
    for box in ("INBOX", "&AGE-", "&broken", "&2AA-", "ta\tb"):
        server.put(write_mail(), box)
    connector = server.connect()
    assert set(listed(connector)) == {KEY}
    assert set(left_out(connector)) == {"&AGE-", "&broken", "&2AA-", "ta\N{REPLACEMENT CHARACTER}b"}


def test_mails_from_before_a_day_are_not_read(server: MailServer) -> None:
    """By a date, or by a number of months, which counts from the first of its month."""
    for days in range(3):
        server.put(write_mail(), received=RECEIVED + dt.timedelta(days=days))
    assert [key[-1] for key in listed(server.connect(since="2026-03-04"))] == ["3", "2"]
    now = dt.datetime.now(dt.UTC).date()
    asked = len(server.said)
    list(server.connect(since="1 month").list())
    [search] = [said for said in server.said[asked:] if said.startswith("UID SEARCH")]
    before = dt.date(now.year - (now.month == 1), (now.month - 2) % 12 + 1, 1)
    assert search.endswith(f"SINCE 1-{before:%b-%Y}")


def test_what_is_too_large_is_left_out_before_it_is_loaded(server: MailServer) -> None:
    """By the size that the server tells; one that turns out larger is not read to its end."""
    server.put(write_mail(), size=1024 * 1024 + 1)
    server.put(write_mail(), size=1024 * 1024)
    liar = server.put(write_mail(body="x" * 3 * 1024 * 1024), size=10)
    fits = server.put(write_mail(body="x" * (1024 * 1024 - len(write_mail(body="")))))
    connector = server.connect(most_mb=50)  # and not more than the installation takes
    assert left_out(connector) == {"INBOX, mail 1 of 2026-03-03 07:30": "larger than 1 MB"}
    found = listed(connector)
    with pytest.raises(FileTooLargeError, match="larger than 1 MB"):
        connector.load(found[f"{KEY[:-1]}{liar}"], "")
    assert len(load(connector, found[f"{KEY[:-1]}{fits}"]).file.content) == 1024 * 1024


def test_mails_that_are_numbered_anew_are_others(server: MailServer) -> None:
    """What was listed with other numbers is gone, and its text is not given for another's."""
    server.put(write_mail())
    connector = server.connect()
    one = listed(connector)[KEY]
    server.boxes["INBOX"].validity = 8
    server.boxes["INBOX"].mails[1].content = write_mail("Another")
    assert look_again(connector, one) is None
    with pytest.raises(GoneError):
        connector.load(one, "")
    assert set(listed(connector)) == {KEY.replace("=7", "=8")}


def test_a_mail_of_another_time_is_not_the_one_that_was_listed(server: MailServer) -> None:
    """Though a server that breaks the protocol gives it the same number."""
    server.put(write_mail())
    connector = server.connect()
    one = listed(connector)[KEY]
    server.boxes["INBOX"].mails[1].received += dt.timedelta(seconds=1)
    with pytest.raises(ChangedMeanwhileError):
        connector.load(one, "")
    now = look_again(connector, one)
    assert now is not None
    assert now.fingerprint != one.fingerprint


def test_a_mail_of_another_mailbox_is_not_the_one_that_was_listed(server: MailServer) -> None:
    """Though it has the same number in a folder of that name, and came in the same second."""
    server.put(write_mail())
    one = listed(server.connect())[KEY]
    server.scripts["AUTHENTICATE"] = lambda _: b"{tag} OK welcome\r\n"
    assert listed(server.connect(user="Anna@example.com"))[KEY] == one
    other = server.connect(user="bert@example.com")
    assert listed(other)[KEY].fingerprint != one.fingerprint
    with pytest.raises(ChangedMeanwhileError):
        other.load(one, "")


@pytest.mark.parametrize("how", ["gone", "deleted", "draft", "folder", "other settings"])
def test_a_mail_that_is_gone_is_nothing(server: MailServer, how: str) -> None:
    """Deleted, or in a folder that is not there or not read any more."""
    server.put(write_mail())
    server.put(write_mail(), "Work")
    connector = server.connect()
    one = listed(connector)[KEY.replace("INBOX", "Work")]
    match how:
        case "gone":
            server.boxes["Work"].mails.clear()
        case "deleted":
            server.boxes["Work"].mails[1].flags = "\\Seen \\Deleted"
        case "draft":
            server.boxes["Work"].mails[1].flags = "\\Draft"
        case "folder":
            del server.boxes["Work"]
            connector = server.connect()
        case "other settings":
            connector = server.connect(folders=["INBOX"])
    assert look_again(connector, one) is None
    with pytest.raises(GoneError):
        connector.load(one, "")
    assert look_again(connector, Listed(key="../1", name="")) is None


def test_owners_are_those_of_the_settings_of_now(server: MailServer) -> None:
    """Neither the key nor the fingerprint depends on them, so nothing is loaded again for others."""
    server.put(write_mail())
    one = listed(server.connect())[KEY]
    now = look_again(server.connect(owners=["dora@example.org"]), one)
    assert now is not None
    assert (now.key, now.name, now.fingerprint) == (one.key, one.name, one.fingerprint)
    assert now.groups == ("dora@example.org",)


class TestGmail:
    """A server that shows a mail once for each of its labels."""

    @pytest.fixture
    def gmail(self, server: MailServer) -> MailServer:
        """One mail under two labels, and one that is a draft in the folder of all mails."""
        server.abilities = GMAIL
        server.boxes |= {
            "[Gmail]": Box(flags="\\Noselect"),
            "[Gmail]/All Mail": Box(flags="\\All"),
            "[Gmail]/Trash": Box(flags="\\Trash"),
            "Work": Box(),
        }
        for box, uid in (("INBOX", 3), ("Work", 5), ("[Gmail]/All Mail", 9)):
            server.boxes[box].mails[uid] = server.boxes[box].mails.get(uid) or _kept(11, '"\\\\Inbox" Work')
        server.boxes["[Gmail]/All Mail"].mails |= {10: _kept(12, '"\\\\Draft"'), 11: _kept(13, '"\\\\Sent" "a b"')}
        return server

    def test_each_mail_is_one_document(self, gmail: MailServer) -> None:
        """By the id that it has under all labels; the folder of all mails is read alone."""
        connector = gmail.connect()
        assert set(listed(connector)) == {"X-GM-MSGID=11", "X-GM-MSGID=13"}
        assert {said for said in gmail.said if said.startswith("EXAMINE")} == {'EXAMINE "[Gmail]/All Mail"'}
        found = listed(gmail.connect(folders=["Work", "INBOX"]))
        assert set(found) == {"X-GM-MSGID=11"}
        assert found["X-GM-MSGID=11"].name == "Mail 11 of 2026-03-03 07:30"

    def test_it_is_found_wherever_it_is_by_now(self, gmail: MailServer) -> None:
        """A label that is taken away is no reason to load it again; without one that is read it is gone."""
        connector = gmail.connect(folders=["INBOX", "Work"])
        one = listed(connector)["X-GM-MSGID=11"]
        assert load(connector, one).file.content == write_mail("11")
        gmail.boxes["INBOX"].mails.clear()
        assert look_again(connector, one) == one
        gmail.boxes["Work"].mails.clear()
        assert look_again(connector, one) is None
        assert look_again(connector, Listed(key="X-GM-MSGID=1 OR ALL", name="")) is None


def _kept(gmail_id: int, labels: str) -> Any:
    from tests.integration.sync.servers.imap import Kept

    return Kept(content=write_mail(str(gmail_id)), gmail_id=gmail_id, labels=labels)


def test_a_large_folder_is_listed_in_few_requests(server: MailServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """One search, and one answer for each slice; what is deleted meanwhile is not named, and breaks nothing."""
    monkeypatch.setattr(mailbox, "_AT_ONCE", 100)
    for _ in range(250):
        server.put(write_mail())
    pauses: list[str] = []
    found = []
    for one in server.connect(access=server.access(pause=lambda: pauses.append(""))).list():
        found.append(one)
        if len(found) == 120:  # between two slices: 150 and more are told, the rest is not yet
            del server.boxes["INBOX"].mails[10]
    assert len(found) == 249
    assert len(pauses) == 2 + 2 + 1 + 1 + 3 + 1  # connect, folders, open, search, slices, and where the missing one is
    assert len([said for said in server.said if said.startswith("UID FETCH")]) == 3


def test_other_folders_may_be_asked_while_one_is_listed(server: MailServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """The listing goes back to its own, and ends where its mails were numbered anew meanwhile."""
    monkeypatch.setattr(mailbox, "_AT_ONCE", 1)
    for _ in range(3):
        server.put(write_mail())
    server.put(write_mail("Work"), "Work")
    connector = server.connect()
    other = listed(connector)[KEY.replace("INBOX", "Work")]
    found = []
    for one in connector.list():
        found.append(one)
        assert load(connector, other).file.content == write_mail("Work")
    assert len(found) == 4
    listing = iter(connector.list())
    next(listing)
    load(connector, other)
    server.boxes["INBOX"].validity = 9
    with pytest.raises(SourceError, match="numbered anew"):
        next(listing)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"owners": []}, "at least 1"),
        ({"owners": ["anna"]}, "anna is no e-mail address. Write one address in each line"),
        ({"owners": ["anna@example.com, bo@example.com"]}, "is no e-mail address"),
        ({"host": "https://mail.example"}, "Write the name of the server alone"),
        ({"port": 143}, "Port 143 is for starttls"),
        ({"port": 993, "security": "starttls"}, "Port 993 is for tls"),
        ({"security": "none"}, "'tls' or 'starttls'"),
        ({"since": "last year"}, "Write a date, such as 2025-01-31, or a number of months"),
        ({"since": "0 months"}, "Write a number of months from 1"),
        ({"since": "0001-01-01"}, "Write a date"),
        ({"folders": ["a\r\nb"]}, "Write the names of folders"),
        ({"user": "anna\0bert"}, "characters that none has"),
        ({"most_mb": 0}, "greater than or equal to 1"),
        ({"readers": "*: all"}, "not permitted"),
    ],
)
def test_wrong_settings_say_what_to_do(server: MailServer, given: dict[str, Any], message: str) -> None:
    """Each at its field."""
    with pytest.raises(ValidationError, match=message):
        kind_of("imap").settings.model_validate(server.settings(**given))


def test_the_form_asks_for_everything_in_words() -> None:
    """Each setting has a label and a help, and the user whom passwords belong to is no secret."""
    kind = kind_of("imap")
    assert (kind.name, kind.tells_readers, kind.named_readers_only) == ("imap", True, True)
    assert all(field.title and field.description for field in kind.settings.model_fields.values())
    assert not set(kind.secrets) & set(kind.settings.model_fields)


def test_credentials_that_are_refused_are_told_as_such(server: MailServer) -> None:
    """Also where there is none, and never with the password."""
    for password in ("wrong griffin", ""):
        with pytest.raises(SourceRefusedError) as refused:
            list(server.connect(password=password).list())
        assert "griffin" not in refused.value.message
    server.abilities = "IMAP4rev1 LOGINDISABLED AUTH=XOAUTH2"
    with pytest.raises(SourceRefusedError, match="takes no passwords over IMAP"):
        list(server.connect().list())
    assert not any(said.startswith(("LOGIN", "AUTHENTICATE")) for said in server.said[-2:])


@pytest.mark.parametrize("answer", [b"NO [UNAVAILABLE] later", b"NO [ALERT] Too many simultaneous connections."])
def test_a_server_that_is_busy_refuses_no_password(server: MailServer, answer: bytes) -> None:
    """It is asked again later."""
    server.scripts["AUTHENTICATE"] = lambda _: b"{tag} " + answer + b"\r\n"
    with pytest.raises(SourceError, match="lets nobody sign in at the moment") as error:
        list(server.connect().list())
    assert not isinstance(error.value, SourceRefusedError)


def test_a_server_without_authenticate_gets_a_login(server: MailServer) -> None:
    """In quotation marks; what does not fit into them is not sent."""
    server.abilities = "IMAP4rev1"
    server.put(write_mail())
    assert set(listed(server.connect(password='plain "right"'))) == {KEY}
    assert f'LOGIN {USER} "plain \\"right\\""' in server.said
    asked = len(server.said)
    with pytest.raises(SourceRefusedError, match="plain letters alone"):
        list(server.connect().list())
    assert server.said[asked:] == ["CAPABILITY"] * 2
