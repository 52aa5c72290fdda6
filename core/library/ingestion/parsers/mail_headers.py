"""The lines above an older message within a newer one: who wrote it, and when. Pure.

In English, German, French, Spanish, Italian, Dutch and Portuguese: "On 3 May 2026, Ann wrote:", as a block of fields as
Outlook writes it, or below "Begin forwarded message".
"""

import re
from dataclasses import dataclass

from core.library.ingestion.cleaning import one_line

_WROTE = re.compile(
    r"^[ \t]*(?:On\b(?P<en>[^\n]{1,300}(?:\n[^\n]{1,200}){0,2})\bwrote ?:"
    r"|Am\b(?P<de>[^\n]{1,300}(?:\n[^\n]{1,200})?)\bschrieb\b(?P<de_by>[^\n]{0,200}(?:\n[^\n]{1,200})?):"
    r"|Le\b(?P<fr>[^\n]{1,300}(?:\n[^\n]{1,200})?)\ba écrit ?:"
    r"|El\b(?P<es>[^\n]{1,300}(?:\n[^\n]{1,200})?)\bescribió ?:"
    r"|Il\b(?P<it>[^\n]{1,300}(?:\n[^\n]{1,200})?)\bha scritto ?:"
    r"|Op\b(?P<nl>[^\n]{1,300}(?:\n[^\n]{1,200})?)\bschreef\b(?P<nl_by>[^\n]{0,200}):"
    r"|Em\b(?P<pt>[^\n]{1,300}(?:\n[^\n]{1,200})?)\bescreveu ?:"
    r"|(?P<iso>\d{4}-\d\d-\d\d \d?\d:\d\d[^\n<]{1,120}<[^\n<>]{3,100}@[^\n<>]{3,100}>) ?:"
    r"|(?P<by>[^\n:]{2,100}?) (?:wrote|schrieb|a écrit|escribió)(?: on| am| le| el)?"
    r" (?P<when>[^\n]{0,20}\d[^\n]{3,60}):)[ \t]*$",
    re.MULTILINE,
)
_SAID = ("wrote", "schrieb", "a écrit", "escribió", "ha scritto", "schreef", "escreveu", ">")  # one is in each of them
_SEPARATOR = re.compile(
    r"^[ \t>*_-]{0,12}(?:Original Message|Original Appointment|Forwarded message|Begin forwarded message|Ursprüngliche "
    r"Nachricht|Weitergeleitete Nachricht|Anfang der weitergeleiteten (?:Nachricht|E-Mail)|Message d.origine|Message "
    r"transféré|Début du message (?:transféré|réexpédié)|Mensaje original|Mensaje reenviado"
    r"|Inicio del mensaje reenviado|Messaggio originale|Messaggio inoltrato|Inizio messaggio inoltrato"
    r"|Oorspronkelijk bericht|Doorgestuurd bericht"
    r"|Mensagem original|Mensagem encaminhada)[ \t:*_-]{0,12}$",
    re.IGNORECASE,
)
_FIELDS = {
    "from": "from; von; de; da; van; expéditeur; absender; remitente",
    "sent": "sent; gesendet; gesendet am; envoyé; envoyé le; enviado; enviado el; enviada em; inviato; verzonden",
    "date": "date; datum; fecha; data",
    "to": "to; an; à; a; para; aan; destinataire",
    "subject": "subject; betreff; objet; asunto; oggetto; onderwerp; assunto",
    "other": "cc; bcc; ccn; kopie; copie; copia; reply-to; antwort an; répondre à; responder a; importance; "
    "wichtigkeit; attachments; anlagen",
}
_FIELD_NAMES = {name: field for field, names in _FIELDS.items() for name in names.split("; ")}
_FIELD = re.compile(r"[*_ \t]{0,4}([^\W\d_][^\n:：]{0,20}?)[*_ \t]{0,4}[:：][*_ \t]{0,4}(.{0,400})")
_MOST_FIELDS = 14  # lines
_ADDRESS = re.compile(r"[<(\[]{1,2}(?:mailto:)?[^\s<>()\[\]@]{1,80}@[^\s<>()\[\]]{1,100}[>)\]]{1,2}")
_TIMED = re.compile(
    r"(.{0,200}\d(?:[ \t]?[ap]\.?m\.?)?(?:[ \t]?(?:Uhr|h|hrs|GMT|UTC)\b)?(?:[ \t]?\(?[+-]\d\d:?\d\d\)?)?)"
    r"[\s,:]{1,5}(\D{1,120})",
    re.IGNORECASE,
)
_RULE = re.compile(r"[ \t]*[_=-]{5,}[ \t]*")


@dataclass(frozen=True, kw_only=True, slots=True)
class Heading:
    """Holds the author, time and subject given above an older message; "" for each that is not given."""

    author: str = ""
    when: str = ""  # as it is written there
    subject: str = ""

    def __str__(self) -> str:
        said = ", ".join(part for part in (self.author, self.when) if part)
        if self.subject:
            return f"{self.subject} ({said})" if said else self.subject
        return said


@dataclass(frozen=True, kw_only=True, slots=True)
class FoundHeading:
    """A heading in a text, at text[start:end]."""

    heading: Heading
    start: int
    end: int
    is_certain: bool  # False: only where the words below are marked as quoted


def find_heading(text: str) -> FoundHeading | None:
    """Find the first lines in a paragraph that announce an older message."""
    wrote = _WROTE.search(text) if any(said in text for said in _SAID) else None
    fields = _find_fields(text[: wrote.start()] if wrote else text)
    return _read_wrote(wrote) if wrote and fields is None else fields


def is_rule(text: str) -> bool:
    """Return True for a line of dashes, as Outlook draws above what it repeats."""
    return bool(_RULE.fullmatch(text))


def _read_wrote(found: re.Match[str]) -> FoundHeading:
    parts = {name: value for name, value in found.groupdict().items() if value is not None}
    by, said = parts.pop("de_by", "") or parts.pop("nl_by", "") or parts.pop("by", ""), ""
    said = next(iter(parts.values()), "")
    author, when = (by, said) if by.strip() else _part_author(said)
    heading = Heading(author=_strip_address(author), when=_strip_address(when))
    is_certain = any(character.isdigit() or character == "@" for character in found.group())
    return FoundHeading(heading=heading, start=found.start(), end=found.end(), is_certain=is_certain)


def _part_author(said: str) -> tuple[str, str]:
    """Part "3 May 2026 at 9:14, Ann Lee <ann@example.com>" into who and when."""
    line = one_line(_ADDRESS.sub("", said)) or one_line(said)
    pieces = line.strip(" ,").split(", ")
    named = len(pieces)
    while named > 0 and not any(character.isdigit() for character in pieces[named - 1]):
        named -= 1
    author, when = ", ".join(pieces[named:]), ", ".join(pieces[:named])
    if named == 0:
        return (line, "") if len(pieces) < 2 else (pieces[-1], ", ".join(pieces[:-1]))
    if not author and (timed := _TIMED.fullmatch(pieces[-1])):
        return timed[2], ", ".join([*pieces[:-1], timed[1]])
    return author, when


def _strip_address(text: str) -> str:
    """Return a name or a time on one line, without an address, quotation marks and the words around it."""
    line = one_line(_ADDRESS.sub("", text)) or one_line(text).strip("<>")
    return line.strip(" \t,;:\"'*_<>").removeprefix("at ").removeprefix("um ")


def _find_fields(text: str) -> FoundHeading | None:
    """Find a block of fields such as From, Sent, To and Subject, or a line that announces a message."""
    lines = text.split("\n")
    offset = 0
    for number, line in enumerate(lines):
        is_announced = bool(_SEPARATOR.match(line))
        if is_announced or _read_field(line)[0] == "from":
            found, count = _read_fields(lines[number + is_announced : number + is_announced + _MOST_FIELDS])
            if is_announced or _is_message(found):
                taken = lines[number : number + is_announced + count]
                heading = Heading(
                    author=_strip_address(found.get("from", "")),
                    when=_strip_address(found.get("sent", found.get("date", ""))),
                    subject=one_line(found.get("subject", "")),
                )
                end = offset + len("\n".join(taken))
                return FoundHeading(heading=heading, start=offset, end=end, is_certain=True)
        offset += len(line) + 1
    return None


def _read_fields(lines: list[str]) -> tuple[dict[str, str], int]:
    """Return the fields at the beginning of some lines, and how many lines they take."""
    found: dict[str, str] = {}
    last = ""
    for number, line in enumerate(lines):
        field, value = _read_field(line)
        if field is None:
            goes_on = bool(last) and (line[:1] in " \t" or (last == "to" and "@" in line)) and line.strip()
            if not goes_on:
                return found, number
            found[last] = f"{found[last]} {line.strip()}"
            continue
        found.setdefault(field, value)
        last = field if field in found else ""
    return found, len(lines)


def _read_field(line: str) -> tuple[str | None, str]:
    found = _FIELD.match(line)
    field = _FIELD_NAMES.get(found[1].strip().casefold()) if found else None
    return (field, found[2].strip() if found else "") if field is not None else (None, "")


def _is_message(found: dict[str, str]) -> bool:
    """Return True if fields are those of a message, and not of a journey from a place to another."""
    if "sent" in found:
        return True
    return "date" in found and ("subject" in found or "@" in found["from"])
