"""Compare the denials of a clause with those of its source, and find words with opposite meanings. Pure."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.asking.verification.clauses import Clause
from core.language.nlp.function_words import NEGATION
from core.language.nlp.text import content_stems, stem

# Not counted: words that bound a number ("no more than"), that add ("not only"), that leave open ("or not"), that
# answer ("No, ..."), and the abbreviation of "number".
_NO_DENIAL = re.compile(
    r"\bnot (?:only|just|merely|simply)\b|\bno (?:more|less|fewer|later|earlier|sooner) than\b"
    r"|\bnot (?:more|less|fewer|later|earlier) than\b|\bNo\.\s*\d|\bnot to exceed\b|\bno matter\b|\bor not\b"
    r"|\A\W*No\b[.,:;!]|\bnone other\b|\bthe following\b",  # the last says nothing of what is denied
    re.IGNORECASE,
)
_DENIAL = re.compile(
    rf"{NEGATION}|\b(?:fail(?:s|ed|ing)?|failure|refus(?:e|es|ed|ing|al)|declin(?:e|es|ed|ing)) to\b"
    r"|\b(?:lack(?:s|ed|ing)?|absence of|free (?:of|from)|instead of|rather than|far from)\b"
    r"|\b(?:den(?:y|ies|ied|ying)|doubt(?:s|ed|ing)?|disput(?:e|es|ed|ing)) (?:that|whether)\b"
    r"|\breject(?:s|ed|ing)? the \w+ that\b|\bit is (?:false|untrue|wrong) that\b",
    re.IGNORECASE,
)
# What turns away from something without denying a verb: a source may say "instead of" in other words.
_PREFERRING = re.compile(r"instead of|rather than|far from|without|free (?:of|from)|lack", re.IGNORECASE)
# Verbs and adjectives that deny by what they mean.
_IN_OTHER_WORDS = re.compile(
    r"\b(?:avoid\w*|prevent\w*|prohibit\w*|forbid\w*|banned|exclud\w*|except|unlike|other than|impossible|unless|few"
    r"|little|missing|absent|fail(?:s|ed|ing|ure)?|stop(?:s|ped)?)\b",
    re.IGNORECASE,
)
_DENYING_PREFIXES = ("un", "in", "im", "ir", "il", "dis", "non", "non-", "mis")
_BORDER = re.compile(r"[;:()]|,\s|\s[-–—]{1,2}\s|\b(?:but|while|whereas|although|though)\b|[.!?]\s")
MOST_DENIED = 5  # content words behind a denial that it is about
LEAST_IN_COMMON = 0.67  # of what two denials are about, when they deny the same
_NEAR = re.compile(r"\A\W*(?:\w+\W+){0,2}?(?:fail|refus|declin|without|unable|never|no\b|not\b|lack)", re.IGNORECASE)

# Each line has two sides; a word of one side where the source has only words of the other turns its meaning round.
_SIDES = """
increase raise rise rose risen grow grew growth gain climb higher upward expand accelerate | decrease lower reduce reduction decline fall fell fallen drop cut shrink shrank downward contract decelerate
above over exceed | below under beneath
more greater | less fewer smaller
high | low
maximum highest | minimum lowest
before prior earlier preceding | after subsequent later following
allow permit permissible authorize entitle | prohibit forbid forbidden ban disallow bar
must shall mandatory obligatory compulsory | may might could optional voluntary
will certain definitely | might could possibly perhaps
accept approve agree support favor favour confirm endorse | reject refuse oppose against disagree deny dissent disapprove
open | close shut
start begin begun began commence | end stop cease finish
include | exclude omit
win won | lose lost
pass | fail
buy bought purchase | sell sold
strong stronger strengthen robust solid | weak weaker weaken
tighten | ease loosen
improve better best | worsen worse worst deteriorate
positive | negative
success successful succeed | failure unsuccessful fail
profit surplus | loss deficit
fast faster quick quicker | slow slower
long longer | short shorter
large larger big bigger | small smaller
early earlier | late later
hot warm | cold cool
left | right
north northern | south southern
east eastern | west western
inside internal indoor | outside external outdoor
public | private
true correct | false wrong incorrect
safe | dangerous unsafe hazardous
add | remove delete
grant | revoke withdraw
enable | disable
lock | unlock
present | absent
always | never
employer | employee
supervisor | subordinate
lender | borrower
easy easier simple | difficult hard harder
full | empty
weekday | weekend
day | night
morning | evening
male men | female women
import | export
asset | liability
first | last
hire | dismiss
arrive | depart leave
cause | prevent
"""  # noqa: E501 - a table


@dataclass(frozen=True, slots=True)
class Denied:
    """One denial with the words that it denies."""

    stems: tuple[str, ...]  # of the content words behind it, to the end of its clause, the nearest first
    subject: frozenset[str]  # stems of the content words before it, from the beginning of its clause
    is_taken_back: bool  # by a denial of its own: "did not fail to report"
    prefers: bool  # "instead of", "without"

    def is_about(self, said: str) -> bool:
        """Return True if a clause has the first denied word, about the same subject or at its start.

        Or half of the rest.
        """
        stems = content_stems(said)
        if self.stems and self.stems[0] in stems:
            mine = stems[: stems.index(self.stems[0])]
            return not mine or not self.subject or bool(self.subject & set(stems))
        return 2 * sum(one in stems for one in self.stems) >= max(1, len(self.stems))

    def meets(self, other: "Denied") -> bool:
        """Return True if both deny the same."""
        near = self.stems[:1] + other.stems[:1]
        if any(one in self.stems[:2] and one in other.stems[:2] for one in near):
            return True
        shared = len(set(self.stems) & set(other.stems))
        return shared >= LEAST_IN_COMMON * max(1, min(len(self.stems), len(other.stems)))


def find_denials(text: str) -> list[Denied]:
    """Find the denials in a text, in order."""
    plain = _NO_DENIAL.sub(lambda found: " " * len(found.group()), text)
    result = []
    for match in _DENIAL.finditer(plain):
        border = _BORDER.search(plain, match.end())
        rest = plain[match.end() : border.start() if border else len(plain)]
        before = _BORDER.split(plain[: match.start()])[-1]
        result.append(
            Denied(
                tuple(content_stems(rest)[:MOST_DENIED]),
                frozenset(content_stems(before)[-MOST_DENIED:]),
                is_taken_back=bool(_NEAR.match(rest)),
                prefers=bool(_PREFERRING.fullmatch(match.group())),
            )
        )
    return result


def is_denied_otherwise(said: Clause, quoted: Sequence[Clause], around: Sequence[Clause]) -> bool:
    """Return True if a clause denies what its source does not, or says what its source denies.

    quoted: the clauses of the source that it is about. around: all clauses of the sentences that are quoted from.
    """
    mine = find_denials(said.text)
    theirs = [one for clause in quoted for one in find_denials(clause.text)]
    everywhere = [one for clause in around for one in find_denials(clause.text)]
    if any(not one.prefers and not _is_also_denied(one, everywhere, around) for one in mine):
        return True
    if not _IN_OTHER_WORDS.search(said.text) and any(
        one.is_about(said.text) and not any(one.meets(other) for other in mine) for one in theirs
    ):
        return True
    pairs = [(one, other) for one in mine for other in theirs if one.meets(other)]
    return any(one.is_taken_back for one, _ in pairs) != any(other.is_taken_back for _, other in pairs)


def _is_also_denied(one: Denied, others: Sequence[Denied], around: Sequence[Clause]) -> bool:
    if not one.stems:
        return bool(others)
    if any(one.meets(other) for other in others):
        return True
    head = one.stems[0]
    if any(f"{prefix}{head}" in clause.stems for prefix in _DENYING_PREFIXES for clause in around):
        return True
    return any(head in clause.stems and _IN_OTHER_WORDS.search(clause.text) for clause in around)


def says_the_opposite(said: Clause, quoted: Clause) -> bool:
    """Return True if a word said has its opposite in what is quoted."""
    return are_turned_round(_collect_stems(said), _collect_stems(quoted))


def _collect_stems(part: Clause) -> frozenset[str]:
    """Collect stems, and the words as they are: the stem of "unlikely" is not that of "likely" with a prefix."""
    return frozenset(stem(word) for word in part.words) | frozenset(part.words)


def _read_pairs() -> Iterator[tuple[frozenset[str], frozenset[str]]]:
    for line in _SIDES.strip().splitlines():
        left, right = (frozenset(stem(word) for word in side.split()) for side in line.split("|"))
        yield left, right
        yield right, left


OPPOSITES = tuple(_read_pairs())
_TURNING_PREFIXES = ("un", "dis", "non", "non-", "im", "il", "ir", "in")
_NO_OPPOSITES = frozenset(stem(w) for w in "income inform invest discover intend include insight intake import".split())  # noqa: SIM905
_LEAST_LETTERS_TURNED = 4  # of a word that a prefix turns round


def are_turned_round(said: frozenset[str], quoted: frozenset[str]) -> bool:
    """Return True if a word said has its opposite, and not itself, among those quoted.

    Both as stems, function words too.
    """
    for side, other in OPPOSITES:
        if said & side and not quoted & side and quoted & other and not said & other:
            return True
    return any(_negates(word, said, quoted) for word in quoted) or any(_negates(word, quoted, said) for word in said)


def _negates(word: str, plain: frozenset[str], mine: frozenset[str]) -> bool:
    """Return True if a word of mine is the plain one's opposite by its prefix, and each side has only its own."""
    if word in _NO_OPPOSITES or word in plain:
        return False
    for prefix in _TURNING_PREFIXES:
        base = word.removeprefix(prefix)
        if base != word and len(base) >= _LEAST_LETTERS_TURNED and base in plain and base not in mine:
            return True
    return False
