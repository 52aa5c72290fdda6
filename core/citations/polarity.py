"""What a clause denies, and whether its source denies the same. Pure."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from core.citations.clauses import Clause
from core.citations.opposites import turned_round
from core.text import content_stems, stem

# Not counted: words that bound a number ("no more than"), that add ("not only"), that leave open ("or not"), that answer
# ("No, ..."), and the abbreviation of "number".
_NO_DENIAL = re.compile(
    r"\bnot (?:only|just|merely|simply)\b|\bno (?:more|less|fewer|later|earlier|sooner) than\b"
    r"|\bnot (?:more|less|fewer|later|earlier) than\b|\bNo\.\s*\d|\bnot to exceed\b|\bno matter\b|\bor not\b"
    r"|\A\W*No\b[.,:;!]|\bnone other\b",
    re.IGNORECASE,
)
_DENIAL = re.compile(
    r"\b(?:no longer|not|no|never|none|nobody|nothing|nowhere|neither|nor|without|cannot|hardly|scarcely|barely|unable"
    r"|seldom|rarely)\b|n['’]t\b"
    r"|\b(?:fail(?:s|ed|ing)?|failure|refus(?:e|es|ed|ing|al)|declin(?:e|es|ed|ing)) to\b"
    r"|\b(?:lack(?:s|ed|ing)?|absence of|free (?:of|from)|instead of|rather than|far from)\b"
    r"|\b(?:den(?:y|ies|ied|ying)|doubt(?:s|ed|ing)?|disput(?:e|es|ed|ing)) (?:that|whether)\b"
    r"|\breject(?:s|ed|ing)? the \w+ that\b|\bit is (?:false|untrue|wrong) that\b",
    re.IGNORECASE,
)
# What turns away from something without denying a verb: a source may say "instead of" in other words.
_PREFERRING = re.compile(r"instead of|rather than|far from|without|free (?:of|from)|lack", re.IGNORECASE)
# Verbs and adjectives that deny by what they mean.
_IN_OTHER_WORDS = re.compile(
    r"\b(?:avoid|prevent|prohibit|forbid|forbidden|ban|banned|stop|exclud|except|unlike|other than|in place of|at the"
    r" expense of|only|unless|impossible|un\w{4,}|non-?\w{3,}|in(?:sufficient|complete|correct|valid|eligible|active)"
    r"|dis\w{4,}|few|little|missing|absent|avoid\w*|prevent\w*|prohibit\w*|exclud\w*|out of|virtually|fails?|failed)\b",
    re.IGNORECASE,
)
_BORDER = re.compile(r"[;:()]|,\s|\s[-–—]{1,2}\s|\b(?:but|while|whereas|although|though)\b|[.!?]\s")
MOST_DENIED = 5  # content words behind a denial that it is about
_NEAR = re.compile(r"\A\W*(?:\w+\W+){0,2}?(?:fail|refus|declin|without|unable|never|no\b|not\b|lack)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Denied:
    """What one denial takes back."""

    stems: tuple[str, ...]  # of the content words behind it, to the end of its clause, the nearest first
    is_taken_back: bool  # by a denial of its own: "did not fail to report"
    prefers: bool  # "instead of", "without"

    def is_about(self, stems: Iterable[str]) -> bool:
        """Whether the first word denied, or half of what is, is among these."""
        among = set(stems)
        shared = sum(one in among for one in self.stems)
        return bool(self.stems) and (self.stems[0] in among or 2 * shared >= len(self.stems))


def denied(text: str) -> list[Denied]:
    """What a text denies, one denial after the other."""
    plain = _NO_DENIAL.sub(lambda found: " " * len(found.group()), text)
    result = []
    for match in _DENIAL.finditer(plain):
        border = _BORDER.search(plain, match.end())
        rest = plain[match.end() : border.start() if border else len(plain)]
        result.append(
            Denied(
                tuple(content_stems(rest)[:MOST_DENIED]),
                is_taken_back=bool(_NEAR.match(rest)),
                prefers=bool(_PREFERRING.fullmatch(match.group())),
            )
        )
    return result


def is_denied_otherwise(said: Clause, quoted: Sequence[Clause], around: Sequence[Clause]) -> bool:
    """True when a clause denies what its source does not, or says what its source denies.

    quoted: the clauses of the source that it is about. around: all sentences of the source that are quoted from.
    """
    mine = denied(said.text)
    theirs = [one for clause in quoted for one in denied(clause.text)]
    everywhere = [one for sentence in around for one in denied(sentence.text)]
    if any(not one.prefers and not _is_also_denied(one, everywhere, around) for one in mine):
        return True
    softened = bool(mine) or bool(_IN_OTHER_WORDS.search(said.text))
    if not softened and any(one.is_about(said.stems) for one in theirs):
        return True
    pairs = [(one, other) for one in mine for other in theirs if other.is_about(one.stems) or one.is_about(other.stems)]
    return bool(pairs) and all(one.is_taken_back != other.is_taken_back for one, other in pairs)


def _is_also_denied(one: Denied, others: Sequence[Denied], around: Sequence[Clause]) -> bool:
    if not one.stems:
        return bool(others)
    if any(set(one.stems) & set(other.stems) for other in others):
        return True
    holding = [sentence for sentence in around if set(one.stems[:2]) & sentence.stems]
    return any(_IN_OTHER_WORDS.search(sentence.text) for sentence in holding) or (bool(others) and not holding)


def says_the_opposite(said: Clause, quoted: Clause) -> bool:
    """True when a word said has its opposite in what is quoted."""
    return turned_round(_all_stems(said), _all_stems(quoted))


def _all_stems(part: Clause) -> frozenset[str]:
    """With the words as they are: the stem of "unlikely" is not that of "likely" with a prefix."""
    return frozenset(stem(word) for word in part.words) | frozenset(part.words)
