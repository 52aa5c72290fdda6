"""Older messages within a mail, signatures and disclaimers: each a section that says whose words it has."""

import pytest

from core.errors import UnreadableFileError
from core.library.ingestion.parsers import parse
from core.library.ingestion.parsers.mail_headers import find_heading
from tests.unit.ingestion.test_mail import attached, message

ADA = "Signature of Ada Writer"
NOTICE = (
    "This e-mail and its attachments are confidential. If you are not the intended recipient, please notify the sender "
    "and delete it."
)
VERTRAULICH = (
    "Diese E-Mail ist vertraulich. Falls Sie nicht der richtige Adressat sind, bitten wir Sie, sie zu vernichten."
)


def sections(text: str, *, html: str = "") -> list[tuple[str, str]]:
    """The blocks of a message by Ada Writer, each with its section."""
    [document] = parse(message(text, html=html).as_bytes(), "m.eml").documents
    return [(block.section, block.text) for block in document.blocks]


@pytest.mark.parametrize(
    ("line", "heading"),
    [
        ("On 7 June 2026, Ines Roth wrote:", "Ines Roth, 7 June 2026"),
        (
            "On Sun, Jun 7, 2026 at 4:05 PM Ines Roth <ines@example.org> wrote:",
            "Ines Roth, Sun, Jun 7, 2026 at 4:05 PM",
        ),
        ("On 7 Jun 2026, at 16:05, Roth, Ines <ines@example.org> wrote:", "Roth, Ines, 7 Jun 2026, at 16:05"),
        ("On Sun, 7 Jun 2026 at 16:05, Ines Roth\n<ines@example.org> wrote:", "Ines Roth, Sun, 7 Jun 2026 at 16:05"),
        ("On 2026-06-07 16:05, ines@example.org wrote:", "ines@example.org, 2026-06-07 16:05"),
        ("Am 07.06.2026 um 16:05 schrieb Ines Roth <ines@example.org>:", "Ines Roth, 07.06.2026 um 16:05"),
        ("Am So., 7. Juni 2026 um 16:05 Uhr schrieb Ines Roth:", "Ines Roth, So., 7. Juni 2026 um 16:05 Uhr"),
        ("Le dim. 7 juin 2026 à 16:05, Ines Roth <ines@example.org> a écrit :", "Ines Roth, dim. 7 juin 2026 à 16:05"),
        ("Le 07/06/2026 à 16:05, Ines Roth a écrit :", "Ines Roth, 07/06/2026 à 16:05"),
        (
            "El dom, 7 jun 2026 a las 16:05, Ines Roth (<ines@example.org>) escribió:",
            "Ines Roth, dom, 7 jun 2026 a las 16:05",
        ),
        ("El 7/6/2026 a las 16:05, Ines Roth escribió:", "Ines Roth, 7/6/2026 a las 16:05"),
        ("2026-06-07 16:05 GMT+02:00 Ines Roth <ines@example.org>:", "Ines Roth, 2026-06-07 16:05 GMT+02:00"),
        ("Ines Roth wrote on 7 June 2026 at 16:05:", "Ines Roth, 7 June 2026 at 16:05"),
    ],
)
def test_the_line_above_a_quoted_message_names_its_section(line: str, heading: str) -> None:
    """Name writer and time, in four languages; with marks before each line, and without."""
    marked = sections(f"Yes, at nine.\n\n{line}\n> Does the slip open?\n> And when?\n")
    assert marked == [("", "Yes, at nine."), (heading, "Does the slip open?\nAnd when?")]
    assert sections(f"Yes, at nine.\n\n{line}\n\nDoes the slip open?\n\nAnd when?\n") == [
        ("", "Yes, at nine."),
        (heading, "Does the slip open?"),
        (heading, "And when?"),
    ]


@pytest.mark.parametrize(
    ("block", "heading"),
    [
        (
            "From: Ines Roth <ines@example.org>\nSent: Sunday, 7 June 2026 16:05\nTo: Ada Writer\nSubject: Slip",
            "Slip (Ines Roth, Sunday, 7 June 2026 16:05)",
        ),
        (
            "-----Original Message-----\nFrom: Ines Roth [mailto:ines@example.org]\nSent: 7 June 2026\nTo: Ada",
            "Ines Roth, 7 June 2026",
        ),
        (
            "________________________________\nVon: Ines Roth\nGesendet: 7. Juni 2026\nAn: Ada\nBetreff: AW: Slip",
            "AW: Slip (Ines Roth, 7. Juni 2026)",
        ),
        ("De : Ines Roth\nEnvoyé : 7 juin 2026\nÀ : Ada\nObjet : RE: Cale", "RE: Cale (Ines Roth, 7 juin 2026)"),
        ("De: Ines Roth\nEnviado el: 7 de junio\nPara: Ada\nAsunto: Rampa", "Rampa (Ines Roth, 7 de junio)"),
        (
            "Begin forwarded message:\n\nFrom: Ines Roth <ines@example.org>\nSubject: Slip\nDate: 7 June 2026\nTo: Ada",
            "Slip (Ines Roth, 7 June 2026)",
        ),
        (
            "---------- Forwarded message ---------\nFrom: Ines Roth <i@example.org>\nDate: Sun, Jun 7\nSubject: Slip",
            "Slip (Ines Roth, Sun, Jun 7)",
        ),
        (
            "Anfang der weitergeleiteten Nachricht:\n\nVon: Ines Roth\nBetreff: Slip\nDatum: 7. Juni",
            "Slip (Ines Roth, 7. Juni)",
        ),
        ("*From:* Ines Roth\n*Sent:* 7 June\n*To:* Ada,\n Bob\n*Subject:* Slip", "Slip (Ines Roth, 7 June)"),
    ],
)
def test_the_fields_of_a_forwarded_message_name_its_section(block: str, heading: str) -> None:
    """As Outlook, Apple Mail and Gmail repeat them."""
    assert sections(f"For you.\n\n{block}\n\nThe slip opens at nine.\n") == [
        ("", "For you."),
        (heading, "The slip opens at nine."),
    ]
    assert sections(f"{block}\n\nThe slip opens at nine.\n") == [(heading, "The slip opens at nine.")]


@pytest.mark.parametrize(
    "text",
    [
        "From: Hamburg\nTo: Kiel\nDate: 3 May\n\nThe lorry takes two hours.",
        "On the last page the board wrote:\n\nNobody swims here.",
        "From: the quay\nTo: the crane it is 40 m.",
    ],
)
def test_a_journey_and_a_saying_are_no_older_message(text: str) -> None:
    """Nothing of them is cut off or given to somebody else."""
    assert {section for section, _ in sections(text)} == {""}
    assert "".join(said for _, said in sections(text)).replace("\n", "") == text.replace("\n", "")


def test_messages_that_are_quoted_within_each_other() -> None:
    """Each has its writer, also where an answer comes between the lines."""
    text = (
        "> Is there water?\n\nAt every berth.\n\nOn 2 May 2026, Bob wrote:\n> I come in May.\n>\n"
        "> On 1 May 2026, Carla wrote:\n>> Who comes?\n>\n> And electricity?\nThat too.\n> Good.\n"
    )
    assert sections(text) == [
        ("", "At every berth."),
        ("", "That too."),
        ("Quoted message", "Is there water?"),
        ("Bob, 2 May 2026", "I come in May."),
        ("Bob, 2 May 2026", "And electricity?"),
        ("Bob, 2 May 2026", "Good."),
        ("Carla, 1 May 2026", "Who comes?"),
    ]


@pytest.mark.parametrize(
    ("signed", "signature"),
    [
        ("-- \nAda Writer\nTel. 040 5551", "Ada Writer\nTel. 040 5551"),
        ("Kind regards,\nAda Writer\nTel. 040 5551", "Kind regards,\nAda Writer\nTel. 040 5551"),
        ("Mit freundlichen Grüßen\n\nAda Writer", "Mit freundlichen Grüßen|Ada Writer"),
        ("Bien cordialement,\nAda", "Bien cordialement,\nAda"),
        ("Un saludo,\nAda", "Un saludo,\nAda"),
        ("Sent from my iPhone", "Sent from my iPhone"),
    ],
)
def test_a_signature_is_a_section_of_its_own(signed: str, signature: str) -> None:
    """A telephone number in it can be asked for; a postscript belongs to the message."""
    expected = [(ADA, part) for part in signature.split("|")]
    assert sections(f"Berth 4 is free.\n\n{signed}\n") == [("", "Berth 4 is free."), *expected]
    with_postscript = sections(f"Berth 4 is free.\n\n{signed}\n\nP.S. Bring a rope.\n")
    assert with_postscript[:2] == [("", "Berth 4 is free."), ("", "P.S. Bring a rope.")]


def test_a_long_text_after_a_greeting_is_no_signature() -> None:
    """Somebody took leave, and wrote on."""
    more = (
        "The crane lifts boats of up to nine tonnes on Tuesdays, and on Fridays where somebody has asked for it before."
    )
    assert sections(f"Berth 4 is free.\n\nRegards\n\n{more}\n") == [
        ("", "Berth 4 is free."),
        ("", "Regards"),
        ("", more),
    ]


@pytest.mark.parametrize("notice", [NOTICE, VERTRAULICH])
def test_a_disclaimer_is_a_section_once(notice: str) -> None:
    """However often the house repeats it; what only calls itself confidential is a message."""
    own = f"This message is confidential: we move in May.\n\n{notice}"
    text = f"{own}\n\nOn 2 May 2026, Bob wrote:\n> When?\n>\n> {notice}\n"
    assert sections(text) == [
        ("", "This message is confidential: we move in May."),
        ("Disclaimer", notice),
        ("Bob, 2 May 2026", "When?"),
    ]


GMAIL = (
    '<div>You may.</div><div class="gmail_signature">Ada<br>040 5551</div><div class="gmail_quote"><div>On Mon, Mar 3, '
    "2025 at 9:00 AM Bob &lt;bob@example.com&gt; wrote:</div><blockquote><div>May I moor?</div><div>On 2 March 2025, "
    "Carla wrote:</div><blockquote><p>We open.</p></blockquote></blockquote></div>"
)
OUTLOOK = (
    '<p>You may.</p><div id="Signature"><p>Ada<br>040 5551</p></div><div id="divRplyFwdMsg"><b>From:</b> Bob<br>'
    "<b>Sent:</b> Mon, Mar 3, 2025 at 9:00 AM<br><b>To:</b> Ada</div><p>May I moor?</p><div><p><b>Von:</b> Carla<br>"
    "<b>Gesendet:</b> 2 March 2025<br><b>An:</b> Bob</p></div><p>We open.</p>"
)


@pytest.mark.parametrize("page", [GMAIL, OUTLOOK])
def test_pages_are_cut_like_plain_texts(page: str) -> None:
    """By what programs put around quoted messages, and by the same lines above them."""
    assert sections("", html=page) == [
        ("", "You may."),
        (ADA, "Ada\n040 5551"),
        ("Bob, Mon, Mar 3, 2025 at 9:00 AM", "May I moor?"),
        ("Carla, 2 March 2025", "We open."),
    ]


def test_headings_and_tables_of_a_page_stay() -> None:
    """Of a newsletter that quotes nobody."""
    table = "<table><tr><th>Day</th><th>Hour</th></tr><tr><td>Mon</td><td>9</td></tr></table>"
    page = f"<h1>News</h1><h2>Slip</h2><p>It opens.</p>{table}"
    [document] = parse(message("", html=page).as_bytes(), "m.eml").documents
    assert [(block.chapter, block.section) for block in document.blocks] == [("News", "Slip")] * 2
    assert document.blocks[1].text.startswith("Day | Hour")


def test_what_is_attached_is_not_doubled_where_it_is_quoted() -> None:
    """Nor what two messages quote."""
    inner = attached("Crane", "The crane rests in May.\n\nOn 1 May 2026, Bob wrote:\n> Does it rest?\n")
    outer = attached(
        "Fwd",
        "See below.\n\nOn 2 May 2026, Ada wrote:\n> The crane rests in May.\n>\n> On 1 May 2026, Bob wrote:\n"
        ">> Does it rest?\n",
        within=inner,
    )
    [document] = parse(outer.as_bytes(), "m.eml").documents
    said = [block.text for block in document.blocks]
    assert sorted(said) == ["Does it rest?", "See below.", "The crane rests in May."]


MIXED = 'Content-Type: multipart/mixed; boundary="x"\n\n--x\n'
PARTS = (
    'Content-Type: multipart/encrypted; boundary="y"\n\n--y\nContent-Type: application/pgp-encrypted\n\nabc\n--y--\n'
)
ENCRYPTED = {
    "PGP as parts": PARTS,
    "S/MIME": "Content-Type: application/pkcs7-mime; smime-type=enveloped-data; name=smime.p7m\n\nMIAG\n",
    "within a list's message": f"{MIXED}{PARTS}--x\n\nThe list's footer.\n--x--\n",
    "behind a scanner": f"{MIXED}\n\n--x\nContent-Type: application/pkcs7-mime\n"
    'Content-Disposition: attachment; filename="smime.p7m"\n\nMIAG\n--x--\n',
    "PGP in the text": "\nFor your eyes:\n\n-----BEGIN PGP MESSAGE-----\n\nhQEMA\n-----END PGP MESSAGE-----\n",
    "PGP in a page": "Content-Type: text/html\n\n<p>Hello</p><pre>-----BEGIN PGP MESSAGE-----\n\nhQEMA</pre>\n",
    "under rights management": f"{MIXED}\nThis message is protected.\n--x\n"
    "Content-Type: application/x-microsoft-rpmsg-message; name=message.rpmsg\n\nabc\n--x--\n",
}


@pytest.mark.parametrize("body", ENCRYPTED.values(), ids=ENCRYPTED)
def test_an_encrypted_message_is_refused(body: str) -> None:
    """And not taken in empty, or with its footer alone."""
    with pytest.raises(UnreadableFileError, match="its text is encrypted"):
        parse(f"Subject: a\nFrom: b@example.org\n{body}".encode(), "m.eml")


def test_a_message_within_a_signature_says_so() -> None:
    """It is not encrypted; the mail program can save it."""
    body = b"Subject: a\nContent-Type: application/pkcs7-mime; smime-type=signed-data; name=smime.p7m\n\nMIAG\n"
    with pytest.raises(UnreadableFileError, match="within a digital signature"):
        parse(body, "m.eml")


def test_what_is_readable_beside_something_encrypted_is_read() -> None:
    """A signed text without its signature, a long text without the block that it shows, an attachment of another."""
    signed = (
        "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\nThe quay is open.\n-----BEGIN PGP SIGNATURE-----\n\niQ\n"
        "-----END PGP SIGNATURE-----\n"
    )
    assert sections(signed) == [("", "The quay is open.")]
    long = "The quay is open for boats of up to nine metres. " * 6
    armoured = f"{long}\n\n-----BEGIN PGP MESSAGE-----\n\nhQEMA\n-----END PGP MESSAGE-----\n\nThat is how it looks."
    assert [text for _, text in sections(armoured)] == [long.strip(), "That is how it looks."]
    inner = attached("Secret", "-----BEGIN PGP MESSAGE-----\n\nhQEMA\n-----END PGP MESSAGE-----\n")
    [document] = parse(attached("Fwd", "See below.", within=inner).as_bytes(), "m.eml").documents
    assert [block.text for block in document.blocks] == ["See below.", "Attachments, not read: message/rfc822"]


@pytest.mark.parametrize(
    "text",
    [
        "On 1 Bob wrote:\n" * 5_000,
        "On 1 a\n" * 20_000,
        "".join(f"{'>' * (n % 400)} a\n" for n in range(5_000)),
        "Regards\n" * 20_000,
        "From: a\nSent: b\n" * 5_000,
        "-----BEGIN PGP MESSAGE-----\n" * 5_000,
        "<blockquote>" * 3_000,
    ],
)
def test_hostile_threads_end(text: str) -> None:
    """Thousands of writers, depths and greetings."""
    [document] = parse(message(f"words {'more ' * 40}\n\n{text}").as_bytes(), "m.eml").documents
    assert document.blocks[0].text.startswith("words")
    assert find_heading(text) is None or len(document.blocks) < 2_000
