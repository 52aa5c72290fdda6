"""A message cut into who said what: its own words, those that it quotes, signatures and disclaimers. Pure."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from core.library.ingestion.cleaning import clean
from core.library.ingestion.parsers.mail_headers import Heading, find_heading, is_rule

_QUOTED = re.compile(r"(?:[ \t]?>){1,20}[ \t]?")
_DELIMITER = "--"  # RFC 3676, 4.3; its space is gone once lines are cleaned
_GREETING = re.compile(
    r"(?:(?:(?:kind|best|warm|with kind|many)[ \t])?regards|best wishes|(?:yours )?(?:sincerely|faithfully|truly)"
    r"|cheers|all the best"
    r"|(?:mit |viele |beste |liebe |schöne )?(?:freundlichen? |besten |herzlichen )?gr(?:ü|ue)(?:ß|ss)en?"
    r"|mfg|hochachtungsvoll|(?:bien |très )?cordialement|(?:bien|sincères|meilleures) (?:à vous|salutations)"
    r"|(?:un |muchos )?(?:cordial(?:es)? )?saludos?(?: cordial(?:es)?)?|atentamente"
    r"|cordiali saluti|distinti saluti|met vriendelijke groeten?|atenciosamente)[ \t]*[,.!]?",
    re.IGNORECASE,
)
_SENT_FROM = re.compile(
    r"(?:sent from my|get outlook for|von meinem .{1,40} gesendet|gesendet von|envoyé de(?:puis)? mon|enviado desde mi"
    r"|inviato da|verzonden vanaf|enviado do meu)\b.{0,80}",
    re.IGNORECASE,
)
_POSTSCRIPT = re.compile(r"p\.?[ \t]?s\.?[ \t]?[:.]?[ \t]", re.IGNORECASE)
_MOST_SIGNED, _LONGEST_SIGNED = 14, 90  # lines of a signature without a delimiter, and characters of one
# What a disclaimer says, of which two are enough: for whom, secret, by mistake, and what not to do.
_FOR_WHOM = re.compile(
    r"intended (?:only |solely )?(?:recipient|addressee|for)|für den (?:Adressaten|Empfänger)"
    r"|bestimmt(?:en)? (?:Adressat|Empfänger)|richtige Adressat|destinataires?|destinatari[oa]s?",
    re.IGNORECASE,
)
_SECRET = re.compile(
    r"confidential|privileged|vertraulich|confidentiel|confidencial|riservat|vertrouwelijk", re.IGNORECASE
)
_BY_MISTAKE = re.compile(
    r"in error|by mistake|not the (?:intended|named)|irrtümlich|par erreur|por error|per errore|abusivement",
    re.IGNORECASE,
)
_WHAT_NOT = re.compile(
    r"disclos|disseminat|unauthori[sz]ed|strictly prohibited|delete (?:it|this|the)|notify (?:the )?sender|notify us"
    r"|unbefugt|nicht gestattet|vernichten|löschen|interdit|détruire|prohibid|eliminar|elimín|destruir",
    re.IGNORECASE,
)
_DISCLAIMS = (_FOR_WHOM, _SECRET, _BY_MISTAKE, _WHAT_NOT)
_OF_MAIL = re.compile(
    r"\b(?:e-?mails?|messages?|communication|transmission|nachricht|mails?|courriels?|mensaje|correo|messaggio|bericht)\b"
    r"|confidentiality notice|disclaimer",
    re.IGNORECASE,
)
_ENVIRONMENT = re.compile(
    r"(?:please )?consider the environment before printing|denken Sie an die Umwelt, bevor", re.IGNORECASE
)
_SPACE = re.compile(r"\s+")
_MOST_DEPTH = 20  # of messages quoted within each other
_MOST_PARTS = 200


@dataclass(frozen=True, kw_only=True, slots=True)
class Piece:
    """A paragraph of a message, as it comes."""

    text: str
    depth: int = 0  # how many messages around quote it
    chapter: str = ""  # the headings of a page above it
    section: str = ""
    is_signature: bool = False  # a page marks it so
    begins_older: bool = False  # a page marks it as the lines above an older message


@dataclass(kw_only=True, slots=True)
class Part:
    """The words of one writer within a message."""

    heading: Heading = field(default_factory=Heading)
    is_quoted: bool = False
    pieces: list[Piece] = field(default_factory=list)
    signature: list[str] = field(default_factory=list)
    disclaimers: list[str] = field(default_factory=list)

    def list_words(self) -> list[str]:
        """Fold its paragraphs so that a repetition is known."""
        return [fold(piece.text) for piece in self.pieces]


def fold(text: str) -> str:
    """Return a text without case, white space and marks of quoting."""
    return _SPACE.sub("", text.replace(">", "")).casefold()


def split_plain(text: str) -> list[Piece]:
    """Return the paragraphs of a plain text, each as deep as the marks before its lines say."""
    pieces: list[Piece] = []
    lines: list[str] = []
    depth = 0
    for line in [*clean(text).split("\n"), ""]:
        marks = _QUOTED.match(line)
        bare = line[marks.end() :] if marks else line
        own = marks.group().count(">") if marks else 0
        if not bare.strip() or (own != depth and lines):
            if lines:
                pieces.append(Piece(text="\n".join(lines), depth=depth))
            lines = []
        if bare.strip():
            depth = own
            lines.append(bare)
    return pieces


def split_thread(pieces: Iterable[Piece]) -> list[Part]:
    """Return the parts of a message: its own words first, then each older message as it comes."""
    reader = _Reader()
    waiting = list(pieces)
    for piece, below in zip(waiting, [*(following.depth for following in waiting[1:]), 0], strict=False):
        for text in _part_at_delimiter(piece.text):
            reader.read(
                replace(piece, text=text, depth=min(piece.depth, _MOST_DEPTH)), is_deeper_below=below > piece.depth
            )
    return [_split_signature(part) for part in reader.parts]


class _Reader:
    """A reader of paragraphs, who remembers whose words are at each depth."""

    def __init__(self) -> None:
        self.parts = [Part()]
        self._at = [self.parts[0]]  # by depth

    def read(self, piece: Piece, *, is_deeper_below: bool) -> None:
        """Give a paragraph to whoever wrote it."""
        if piece.begins_older:
            self._begin_part(Heading(), piece.depth)
        text = piece.text
        while (found := find_heading(text)) and len(self.parts) < _MOST_PARTS:
            after = text[found.end :].strip("\n")
            is_marked = is_deeper_below and not after.strip()
            if not (found.is_certain or is_marked):
                break
            self._add_piece(replace(piece, text=text[: found.start].rstrip()))
            self._begin_part(found.heading, piece.depth + is_marked)
            text = after
        self._add_piece(replace(piece, text=text))

    def _add_piece(self, piece: Piece) -> None:
        if piece.text.strip():
            self._find_part(piece.depth).pieces.append(piece)

    def _begin_part(self, heading: Heading, depth: int) -> None:
        """Begin an older message at a depth. Two sets of lines above one message are one."""
        if depth:
            self._find_part(depth - 1)
        last = self._at[depth] if depth < len(self._at) else None
        if last is not None and last.is_quoted and not last.pieces and last is self.parts[-1]:
            last.heading = heading if str(heading) else last.heading
            return
        part = Part(heading=heading, is_quoted=True)
        self.parts.append(part)
        self._at[depth:] = [part]

    def _find_part(self, depth: int) -> Part:
        """Return whose words are at a depth: after an answer between its lines, a quoted message goes on."""
        while len(self._at) <= depth:
            self._at.append(Part(is_quoted=True))
            self.parts.append(self._at[-1])
        return self._at[depth]


def _part_at_delimiter(text: str) -> Iterator[str]:
    """Yield a paragraph, parted where a signature begins within it."""
    lines = text.split("\n")
    if _DELIMITER in lines[1:]:
        place = lines.index(_DELIMITER, 1)
        yield "\n".join(lines[:place])
        yield "\n".join(lines[place:])
    else:
        yield text


def _split_signature(part: Part) -> Part:
    """Part the words of a writer from their signature and from what their house adds."""
    kept: list[Piece] = []
    for piece in part.pieces:
        if _is_disclaimer(piece.text):
            part.disclaimers.append(piece.text)
        elif piece.is_signature:
            part.signature.append(piece.text)
        elif not is_rule(piece.text):
            kept.append(piece)
    begins = next((n for n, piece in enumerate(kept) if piece.text.split("\n", 1)[0].strip() == _DELIMITER), None)
    if begins is None:
        kept, signed = _split_greeting(kept)
    else:
        kept, signed = kept[:begins], kept[begins:]
    postscript = next((n for n, piece in enumerate(signed) if _POSTSCRIPT.match(piece.text)), len(signed))
    texts = [piece.text.removeprefix(_DELIMITER).strip("\n") for piece in signed[:postscript]]
    part.pieces = [*kept, *signed[postscript:]]
    part.signature += [text for text in texts if text.strip()]
    return part


def _split_greeting(pieces: list[Piece]) -> tuple[list[Piece], list[Piece]]:
    """Part paragraphs where the writer takes leave, if short lines alone follow."""
    last: list[tuple[int, int, str]] = []  # the last lines: of which paragraph, which of its lines, and the line
    for number in reversed(range(len(pieces))):
        lines = list(enumerate(pieces[number].text.split("\n")))
        last = [*((number, place, line) for place, line in lines[-_MOST_SIGNED - 1 :]), *last]
        if len(last) > _MOST_SIGNED:
            break
    last = last[-_MOST_SIGNED - 1 :]
    for n, (number, place, line) in enumerate(last):
        if _takes_leave(line.strip()) and all(len(other) <= _LONGEST_SIGNED for _, _, other in last[n:]):
            piece = pieces[number]
            lines_of_piece = piece.text.split("\n")
            before = [replace(piece, text="\n".join(lines_of_piece[:place]))] if place else []
            signed = replace(piece, text="\n".join(lines_of_piece[place:]))
            return [*pieces[:number], *before], [signed, *pieces[number + 1 :]]
    return pieces, []


def _takes_leave(line: str) -> bool:
    return bool(_GREETING.fullmatch(line) or _SENT_FROM.fullmatch(line))


def _is_disclaimer(text: str) -> bool:
    """Return True if a paragraph says for whom a message is and what others must not do, and nothing else."""
    if _ENVIRONMENT.search(text) and len(text) < 2 * _LONGEST_SIGNED:
        return True
    return bool(_OF_MAIL.search(text)) and sum(bool(said.search(text)) for said in _DISCLAIMS) > 1
