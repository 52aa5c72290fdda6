"""Names in a statement: capitalised words and acronyms, which have to stand in its quotes or their source. Pure."""

import re
from collections.abc import Iterator

from core.text import MONTHS, STOP_WORDS, content_stems, stem

_TOKEN = re.compile(r"[A-Za-z][\w&]*(?:[-.'’][\w&]+)*")
_SENTENCE_START = re.compile(r"(?:^|[.!?:;]\s+)[\"'“‘(\[]*\Z")
# Words that begin a sentence without being a name; what ends like these is taken for an ordinary word too.
_ORDINARY_START = frozenset(
    """additionally although another consequently conversely currently despite due either finally first furthermore
    hence however in last later moreover neither next nobody none now often one only otherwise overall people rather
    second since someone sometimes still therefore third thus today together two unless unlike usually various what
    whereas whether while yes yet answer""".split()  # noqa: SIM905 - harder to read as a list
)
_ORDINARY_ENDING = re.compile(r"(?:ly|ing|ed|s|tion|ment|ity|ness|ance|ence|er|ors)\Z")
# What follows a name that begins a sentence; behind "Put", "Note" or "Check" stands something else.
_AS_A_SUBJECT = re.compile(
    r"['’]s\b|\s+(?:is|was|has|had|will|would|can|could|may|might|must|should|and|or|did|does|also|said|says|wrote|made|took|gave|told|met|won"
    r"|lost|led|left|ran|sent|spoke|began|became|came|held|kept|built|bought|paid|sold|saw|chose|found)\b"
    r"|\s+(?!(?:this|these|its|yes)\b)[a-z]{2,}(?:ed|es|[^su]s)\b"
)
_DATE_WORDS = frozenset(part for month in MONTHS for part in (month.casefold(), month[:3].casefold())) | {"sept"}


def unsupported(statement: str, evidence: str) -> bool:
    """True when a name of the statement is not in the evidence: its quotes and the words that name their source.

    An acronym is also known by the words that it stands for, and these by it.
    """
    known = set(content_stems(evidence)) | {word.casefold() for word in _TOKEN.findall(evidence)}
    return any(
        not all(_known(word, known) for word in run) and not _by_initials(run, evidence) for run in named(statement)
    )


def known_otherwise(statement: str, evidence: str) -> set[str]:
    """The stems of the statement's names that the evidence has as an acronym, or an acronym's full words."""
    return {stem(word) for run in named(statement) if _by_initials(run, evidence) for word in run}


def _by_initials(run: list[str], evidence: str) -> bool:
    """True for an acronym whose words are in the evidence, and for words whose acronym is."""
    if len(run) == 1:
        return run[0].isupper() and len(run[0]) > 1 and run[0] in _initials(evidence)
    letters = "".join(word[0] for word in run)
    return letters in {word for word in _TOKEN.findall(evidence) if word.isupper()}


def _known(word: str, known: set[str]) -> bool:
    if word.casefold() in known or stem(word) in known:
        return True
    parts = [part for part in re.split(r"[-'’.]", word) if len(part) > 1]
    return len(parts) > 1 and all(part.casefold() in known or stem(part) in known for part in parts)


def named(statement: str) -> Iterator[list[str]]:
    """The names: capitalised words that follow one another. The first word of a sentence may be an ordinary one."""
    run: list[str] = []
    previous_end = 0
    for match in _TOKEN.finditer(statement):
        word = match.group()
        adjacent = not statement[previous_end : match.start()].strip()
        if run and not adjacent:
            yield run
            run = []
        previous_end = match.end()
        if _is_name(word, statement, match):
            run.append(word)
        elif run:
            yield run
            run = []
    if run:
        yield run


def _is_name(word: str, statement: str, match: re.Match[str]) -> bool:
    folded = word.casefold()
    if not word[0].isupper() or folded in STOP_WORDS or folded in _DATE_WORDS or len(word) == 1:
        return False
    if word.isupper() or any(letter.isupper() for letter in word[1:]):
        return True
    if not _SENTENCE_START.search(statement[: match.start()]):
        return True
    if folded in _ORDINARY_START:
        return False
    following = _TOKEN.match(statement, match.end() + 1)
    if following and following.group()[0].isupper() and following.group().casefold() not in STOP_WORDS:
        return True
    return bool(_AS_A_SUBJECT.match(statement, match.end())) and not _ORDINARY_ENDING.search(folded)


def _initials(evidence: str) -> set[str]:
    """What acronyms the capitalised words of a text could have, two letters or more."""
    found: set[str] = set()
    letters = ""
    for word in _TOKEN.findall(evidence):
        if word[0].isupper():
            letters += word[0]
        elif word.casefold() not in STOP_WORDS:
            letters = ""
        found.update(letters[start:] for start in range(max(0, len(letters) - 8), len(letters) - 1))
    return found
