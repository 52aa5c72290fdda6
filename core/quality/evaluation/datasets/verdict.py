"""Judge the result of a question by its dataset's expectations. Pure."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from core.asking.verification.quote_normalisation import fold
from core.quality.evaluation.datasets.dataset import Choice, Item

ANSWERED_RIGHTLY, ANSWERED_WRONGLY = "answered_rightly", "answered_wrongly"
ABSTAINED_RIGHTLY, ABSTAINED_WRONGLY = "abstained_rightly", "abstained_wrongly"
UNJUDGED, FAILED = "unjudged", "failed"
RIGHT = frozenset({ANSWERED_RIGHTLY, ABSTAINED_RIGHTLY})
WRONG = frozenset({ANSWERED_WRONGLY, ABSTAINED_WRONGLY})

# The same as a person would say it. A refusal of an answerable question is classed by whether the closest
# passages, which a refusal may show, hold it.
IS_RIGHT, IS_PARTLY, IS_WRONG = "right", "partly", "wrong"
CLOSEST_HOLD_IT, WRONGLY_REFUSED = "closest_hold_it", "wrongly_refused"
RIGHTLY_REFUSED, ANSWERED_NOTHING = "rightly_refused", "answered_though_nothing_answers"

# The marks behind a statement, where a line or the text ends: "[1]", "[2][3]".
_CITED = re.compile(r"(?:\[\d{1,3}\]){1,20}[.!?]?(?=\s|\Z)")
_SLASH = re.compile(r"(?:(?<!\s)\s++)?[/\u2044]\s*")  # 1 / 4, and the fraction slash that folding makes of a fraction


@dataclass(frozen=True, kw_only=True, slots=True)
class Shown:
    """A document that an answer cites or that was retrieved for it, in the words by which a dataset can name it."""

    document: str  # its name, address, source and date in one text
    page: int | None = None
    permitted: bool = True  # the asker has a role that is granted the document
    text: str = ""  # of the passage, where it is one of the closest


@dataclass(frozen=True, kw_only=True, slots=True)
class Outcome:
    """The parts of a question's result that are judged."""

    text: str | None  # None for a refusal
    failed: bool = False  # it could not be asked, or no model answered: there is nothing to judge
    cited: tuple[Shown, ...] = ()
    retrieved: tuple[Shown, ...] = ()
    closest: tuple[Shown, ...] = ()  # the passages that a refusal shows


@dataclass(frozen=True, kw_only=True, slots=True)
class Verdict:
    """The judgement of a result. None where the dataset expects nothing of the kind."""

    outcome: str  # one of the values above
    in_words: str = ""  # the same as a person would say it; empty for what is not judged
    closest_shown: bool = False  # a refusal that shows passages
    cites_source: bool | None = None
    contains: bool | None = None
    page_right: bool | None = None
    forbidden_shown: bool = False


def judge(item: Item, came: Outcome) -> Verdict:
    """Judge an outcome. A refusal where an answer is expected cites and says nothing, so it is not right there."""
    if came.failed:
        return Verdict(outcome=FAILED)
    everything = (*came.cited, *came.retrieved, *came.closest)
    forbidden = any(not one.permitted or _names_source(item.forbidden, one) for one in everything)
    closest_shown = came.text is None and bool(came.closest)
    if item.refusal_expected or (came.text is None and item.refusal_too):
        outcome, in_words = (
            (ABSTAINED_RIGHTLY, RIGHTLY_REFUSED) if came.text is None else (ANSWERED_WRONGLY, ANSWERED_NOTHING)
        )
        return Verdict(outcome=outcome, in_words=in_words, closest_shown=closest_shown, forbidden_shown=forbidden)
    verdict = Verdict(
        outcome=UNJUDGED,
        closest_shown=closest_shown,
        cites_source=_cites_source(item, came.cited) if item.sources else None,
        contains=contains(_find_told(item, came.text or ""), item.expected) if item.expected else None,
        page_right=_on_page(item, came.cited) if item.pages else None,
        forbidden_shown=forbidden,
    )
    checks = (verdict.cites_source, verdict.contains, verdict.page_right)
    known = [check for check in checks if check is not None]
    if not known:
        return verdict
    if came.text is None:
        in_words = CLOSEST_HOLD_IT if _closest_hold_it(item, came.closest) else WRONGLY_REFUSED
        return replace(verdict, outcome=ABSTAINED_WRONGLY, in_words=in_words)
    if all(known) and not forbidden:
        return replace(verdict, outcome=ANSWERED_RIGHTLY, in_words=IS_RIGHT)
    has_some = any(contains(came.text, (fact,)) for fact in item.expected)
    is_partly = has_some and not verdict.contains and not forbidden
    return replace(verdict, outcome=ANSWERED_WRONGLY, in_words=IS_PARTLY if is_partly else IS_WRONG)


def _find_told(item: Item, text: str) -> str:
    """Return the part of an answer that is to hold the expected words: its first statement, or all of it."""
    cited = _CITED.search(text) if item.first else None
    return text[: cited.end()] if cited else text


def _closest_hold_it(item: Item, closest: Sequence[Shown]) -> bool:
    """Return True if the closest passages from a right source contain the expected facts."""
    parts = tuple(part for choice in item.sources for part in choice)
    right = [one for one in closest if not parts or _names_source(parts, one)]
    return bool(right) and contains("\n".join(one.text for one in right), item.expected)


def contains(text: str, expected: Iterable[Choice]) -> bool:
    """Return True if the text has one of each choice: white space, case and typography aside, numbers as a whole."""
    folded = _fold_text(text)
    return all(any(_occurs_apart(_fold_text(wanted), folded) for wanted in choice) for choice in expected)


def _occurs_apart(wanted: str, text: str) -> bool:
    """Return True if the text contains the words: "4.2" not in "14.2" or "4.25", "5" not in "5,000"."""
    before = r"(?<!\d)(?<!\d[.,])" if wanted[:1].isdigit() else ""
    after = r"(?![.,]?\d)" if wanted[-1:].isdigit() else ""
    return re.search(f"{before}{re.escape(wanted)}{after}", text) is not None


def _cites_source(item: Item, cited: Sequence[Shown]) -> bool:
    found = [any(_names_source(choice, one) for one in cited) for choice in item.sources]
    return all(found) if item.all_sources else any(found)


def _on_page(item: Item, cited: Sequence[Shown]) -> bool:
    parts = tuple(part for choice in item.sources for part in choice)
    return any(one.page in item.pages and (not parts or _names_source(parts, one)) for one in cited)


def _names_source(parts: Choice, shown: Shown) -> bool:
    document = _fold_text(shown.document)
    return any(_fold_text(part) in document for part in parts)


def _fold_text(text: str) -> str:
    return _SLASH.sub("/", fold(text)[0]).strip().casefold()
