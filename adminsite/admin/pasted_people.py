"""Read people's names and addresses from a list that somebody pasted: from a mail, a table or a directory."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.core.exceptions import ValidationError
from django.core.validators import validate_email

from core.values.addresses import fold_address

MOST = 1000  # people of one list
LONGEST_ADDRESS, LONGEST_NAME = 254, 200  # characters, as the columns hold them
_QUOTES = "\"'"


@dataclass(frozen=True, kw_only=True, slots=True)
class PastedPerson:
    """One person of a list."""

    name: str  # empty where there was an address alone
    email: str  # folded


@dataclass(frozen=True, kw_only=True, slots=True)
class Unread:
    """An entry of a list that is nobody's address, and why."""

    text: str
    reason: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Pasted:
    """Holds the people of a list, each address once and in its order, and the entries that could not be read."""

    people: tuple[PastedPerson, ...]
    unread: tuple[Unread, ...]


def read_people(text: str) -> Pasted:
    """Read a list of addresses, with names or without.

    Entries end with a line, a semicolon or a comma; within quotes or angle brackets neither separates. In a line with
    semicolons a comma belongs to the name, as in "Doe, Jane <jane@example.com>; ...".
    """
    people: dict[str, PastedPerson] = {}
    unread: list[Unread] = []
    for entry in _list_entries(text):
        name, address = _split_name(entry)
        try:
            person = _check(name, address) if len(people) < MOST else None
        except ValidationError as error:
            unread.append(Unread(text=entry, reason=" ".join(error.messages)))
            continue
        if person is None:
            unread.append(Unread(text=entry, reason=f"More than {MOST:,} people at once."))
        elif person.email not in people:
            people[person.email] = person
    return Pasted(people=tuple(people.values()), unread=tuple(unread))


def _list_entries(text: str) -> Iterator[str]:
    for line in text.replace("\0", "").splitlines():
        parts = _split(line, ";")
        for part in parts:
            has_comma_in_name = len(parts) > 1 and part.count("@") < 2 and "<" in part
            for entry in [part] if has_comma_in_name else _split(part, ","):
                yield from _split_bare(entry.strip())


def _split(line: str, mark: str) -> list[str]:
    """Split a line at a mark outside of double quotes and angle brackets; an unclosed one ends with the line."""
    parts, begin, closing = [], 0, ""
    last = {'"': line.rfind('"'), "<": line.rfind(">")}  # where what each opens can be closed at the latest
    for place, letter in enumerate(line):
        if closing:
            closing = "" if letter == closing else closing
        elif last.get(letter, -1) > place:
            closing = '"' if letter == '"' else ">"
        elif letter == mark:
            parts.append(line[begin:place])
            begin = place + 1
    return [*parts, line[begin:]]


def _split_bare(entry: str) -> list[str]:
    """Several addresses with nothing but spaces between them are as many entries."""
    words = entry.split()
    return words if len(words) > 1 and all("@" in word and "<" not in word for word in words) else words and [entry]


def _split_name(entry: str) -> tuple[str, str]:
    """Split "Name <address>" and, as in a table, "Name address"."""
    if entry.endswith(">") and "<" in entry:
        name, _bracket, address = entry[:-1].rpartition("<")
    else:
        words = entry.split()
        is_named = len(words) > 1 and "@" in words[-1] and not any("@" in word for word in words[:-1])
        name, address = (" ".join(words[:-1]), words[-1]) if is_named else ("", entry)
    return " ".join(name.split()).strip(_QUOTES).strip(), address.strip().removeprefix("mailto:")


def _check(name: str, address: str) -> PastedPerson:
    """Return the person; ValidationError with the reason if this is no address, or the name is too long."""
    if "@" not in address:
        raise ValidationError("There is no e-mail address in it.")
    if len(address) > LONGEST_ADDRESS:
        raise ValidationError("The address is too long.")
    try:
        validate_email(address)
    except ValidationError as error:
        raise ValidationError("This is not an e-mail address.") from error
    if len(name) > LONGEST_NAME:
        raise ValidationError("The name is too long.")
    return PastedPerson(name=name, email=fold_address(address))
