"""Check that names in a statement occur in its quotes or their source, and have not changed places there. Pure.

Names are capitalised words and acronyms. Two numbers may have changed places as well.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import combinations

from core.language.nlp.dates import MONTH_NUMBERS
from core.language.nlp.scripts import LATIN
from core.language.nlp.text import STOP_WORDS, content_stems, stem, words_of

_TOKEN = re.compile(rf"[{LATIN}][\w&]*(?:[-.'’][\w&]+)*")
_SENTENCE_START = re.compile(r"(?:^|[.!?:;]\s+)[\"'“‘(\[]*\Z")
# Words that begin a sentence without being a name; what ends like these is taken for an ordinary word too.
_ORDINARY_START = frozenset(
    """additionally although another consequently conversely currently despite due either finally first furthermore
    hence however in last later moreover neither next nobody none now often one only otherwise overall people rather
    second since someone sometimes still therefore third thus today together two unless unlike usually various what
    whereas whether while yes yet answer""".split()  # noqa: SIM905 - harder to read as a list
)
_ORDINARY_ENDING = re.compile(r"(?:ly|ing|ed|s|tion|ment|ity|ness|ance|ence|er|ors)\Z")
# What follows a name that begins a sentence; "Put", "Note" or "Check" are followed by something else.
_AS_A_SUBJECT = re.compile(
    r"['’]s\b|\s+(?:is|was|has|had|will|would|can|could|may|might|must|should|and|or|did|does|also|said|says|wrote|made|took|gave|told|met|won"
    r"|lost|led|left|ran|sent|spoke|began|became|came|held|kept|built|bought|paid|sold|saw|chose|found)\b"
    r"|\s+(?!(?:this|these|its|yes)\b)[a-z]{2,}(?:ed|es|[^su]s)\b"
)
# "Award points", "Soak tarnished silver": imperative verbs, with which a step begins.
_TELLS_TO = frozenset(
    """accept access activate add adjust aim align allow answer apply appoint arrange ask assess assign attach avoid
    award bake bend blend block boil book bring brush build buy call change charge check choose claim clamp clean clear
    click close collect combine compare complete configure confirm connect consider contact continue control convert
    cook copy correct count cover create cut declare define delete describe design detach determine disable discuss
    divide download drag drain draw drill drop dry edit email empty enable encourage ensure enter establish estimate
    examine exit expand explain explore export fasten fill filter find fit fix flip fold follow gather get give grab
    grease grill guide handle hang heat hold identify import include inform insert inspect install invite join keep
    label launch learn leave lift limit list load locate lock lower mail maintain make mash match measure meet melt
    mix monitor move name note notify offer open order organise organize pack paint pay peel pick place plan plant plug
    point pour prepare present press prevent print promote protect provide pull purchase push put raise reach read
    receive recognise recognize record reduce refer refill register release remind remove rename renew repair repeat
    replace report request require research reserve reset resolve respect respond restart restore return reuse review
    roast roll rotate rub run save scan schedule score scrape screw scroll scrub seal search seek select send separate
    serve set shake share show sign simmer skip slice slide soak solve sort spray spread sprinkle stack start stay stir
    stop store strain stretch submit support swipe switch tack take tap tell tie tighten toast touch track trim turn
    twist type unlock unplug update upgrade upload use verify view visit wait walk warm wash watch wear weigh whisk wipe
    work wrap write""".split()  # noqa: SIM905
)
_SHORT_FORM = re.compile(r"\s?\((?P<short>[A-Z]{2,6})s?\)")
_LONGEST_FULL_FORM = 80  # characters in front of a short form
# What follows only a subject: "Mark is", "Grant's"; no step goes on like this.
_IS_A_SUBJECT = re.compile(
    r"['’]s\b|\s+(?:is|was|has|had|will|would|can|could|may|might|must|should|does|did|said|says|wrote|told|took|also)\b|\s+[A-Z]"
)
_DATE_WORDS = frozenset(MONTH_NUMBERS)

REACH = 4  # words beside a name or a number that say what is said of it
LEAST_CROSSED = 2  # so many words more that fit the other one
MOST_COMPARED = 8  # names and numbers of one sentence
# "A was accused by B" has the order of "B accused A".
_PASSIVE = re.compile(r"\b(?:is|are|was|were|been|being|be)\b[^.;]{0,80}\bby\b", re.IGNORECASE)
_Beside = frozenset[tuple[str, str]]  # (side, stem)


def has_unsupported(statement: str, evidence: str) -> bool:
    """Return True if a name of the statement is not in the evidence: its quotes and the words that name their source.

    An acronym is also known by its full words, and these by it.
    """
    known = set(content_stems(evidence)) | {
        part.casefold() for word in _TOKEN.findall(evidence) for part in (word, *word.split("-"))
    }
    known |= _find_defined(statement, known)
    return any(
        not all(_is_known(word, known) for word in run) and not _is_known_by_initials(run, evidence)
        for run in find_names(statement)
    )


def find_known_otherwise(statement: str, evidence: str) -> set[str]:
    """Return the stems of the statement's names that the evidence has as an acronym, or an acronym's full words."""
    return {stem(word) for run in find_names(statement) if _is_known_by_initials(run, evidence) for word in run}


def _is_known_by_initials(run: list[str], evidence: str) -> bool:
    """Return True for an acronym whose words are in the evidence, and for words whose acronym is."""
    if len(run) == 1:
        return run[0].isupper() and len(run[0]) > 1 and run[0] in _find_initials(evidence)
    letters = "".join(word[0] for word in run)
    return letters in {word for word in _TOKEN.findall(evidence) if word.isupper()}


def _find_defined(statement: str, known: set[str]) -> set[str]:
    """Find names given both in full and in short, "the Bureau of Mines (BOM)", where one form is known."""
    found: set[str] = set()
    for match in _SHORT_FORM.finditer(statement):
        letters = match["short"].casefold()
        words = _TOKEN.findall(statement[max(0, match.start() - _LONGEST_FULL_FORM) : match.start()])
        for chosen in (words, [word for word in words if word.casefold() not in STOP_WORDS]):
            full = chosen[-len(letters) :]
            if "".join(word[0] for word in full).casefold() != letters:
                continue
            both = {letters, f"{letters}s", *(word.casefold() for word in full)}
            if letters in known or all(_is_known(word, known) for word in full if word.casefold() not in STOP_WORDS):
                found |= both
    return found


def _is_known(word: str, known: set[str]) -> bool:
    if word.casefold() in known or stem(word) in known:
        return True
    parts = [part for part in re.split(r"[-'’.]", word) if len(part) > 1]
    return len(parts) > 1 and all(part.casefold() in known or stem(part) in known for part in parts)


def find_names(statement: str) -> Iterator[list[str]]:
    """Return the names: capitalised words that follow one another.

    The first word of a sentence may be an ordinary one.
    """
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
    if folded in _TELLS_TO and not _IS_A_SUBJECT.match(statement, match.end()):
        return False
    following = _TOKEN.match(statement, match.end() + 1)
    if following and following.group()[0].isupper() and following.group().casefold() not in STOP_WORDS:
        return True
    return bool(_AS_A_SUBJECT.match(statement, match.end())) and not _ORDINARY_ENDING.search(folded)


def _find_initials(evidence: str) -> set[str]:
    """Find the acronyms that the capitalised words of a text could have, two letters or more."""
    found: set[str] = set()
    letters = ""
    for word in _TOKEN.findall(evidence):
        if word[0].isupper():
            letters += word[0]
        elif word.casefold() not in STOP_WORDS:
            letters = ""
        found.update(letters[start:] for start in range(max(0, len(letters) - 8), len(letters) - 1))
    return found


def have_changed_places(statement: str, sentences: Sequence[str]) -> bool:
    """Return True if a sentence of the source says of one what the statement says of the other, and the reverse.

    A pair is compared in the sentences that hold both, by the words right before and behind each; one sentence that
    does not cross them is enough.
    """
    said = _find_beside(statement)
    passive = bool(_PASSIVE.search(statement))
    sources = [_find_beside(text, among=said) for text in sentences if bool(_PASSIVE.search(text)) == passive]
    for one, other in combinations(sorted(said), 2):
        holding = [read for read in sources if one in read and other in read]
        if holding and all(_are_crossed(said, read, one, other) for read in holding):
            return True
    return False


def _are_crossed(said: dict[str, _Beside], read: dict[str, _Beside], one: str, other: str) -> bool:
    straight = len(said[one] & read[one]) + len(said[other] & read[other])
    crossed = len(said[one] & read[other]) + len(said[other] & read[one])
    return crossed >= straight + LEAST_CROSSED


def _find_beside(text: str, among: dict[str, _Beside] | None = None) -> dict[str, _Beside]:
    """Find the names and numbers that occur once in a text, with the words beside them."""
    names = {stem(word) for run in find_names(text) for word in run} | set(among or ())
    tokens = [stem(word) for word in words_of(text)]
    kept: dict[str, _Beside] = {}
    for place, token in enumerate(tokens):
        if (token in names or token[0].isdigit()) and tokens.count(token) == 1:
            kept[token] = _find_words_beside(tokens, place, names)
        if len(kept) == MOST_COMPARED:
            break
    return kept


def _find_words_beside(tokens: Sequence[str], place: int, names: set[str]) -> _Beside:
    found = set()
    for side, span in (
        ("before", tokens[max(0, place - REACH) : place]),
        ("behind", tokens[place + 1 : place + 1 + REACH]),
    ):
        found |= {
            (side, word) for word in span if word not in STOP_WORDS and word not in names and not word[0].isdigit()
        }
    return frozenset(found)
