"""Put a question in the words that the documents may have: in English, and spelt as they spell it.

A word that occurs in what the audience may read, or that an English dictionary has, is never replaced, and no other
word of the documents has any influence.
"""

import logging
import re
from collections.abc import Collection, Mapping, Set
from dataclasses import dataclass, replace
from functools import cache

from core.asking.answering.follow_ups import LONGEST, Asked
from core.asking.generation.markup import make_inert
from core.asking.generation.modes import is_extractive
from core.asking.generation.prompts import prompt, prompt_hash
from core.errors import ModelConfigurationError, ModelUnavailableError
from core.language.i18n.translation import say, translatable
from core.language.nlp.known_words import load_frequencies
from core.language.nlp.scripts import is_beyond_latin
from core.language.nlp.text import content_stems, one_line
from core.language.query_understanding.destinations import adds_destination
from core.language.query_understanding.languages import is_foreign
from core.language.query_understanding.plain import SHORTHAND
from core.language.query_understanding.spelling import find_meant, find_meant_twice, find_suspects, respell
from core.library.embedding.local import load_packaged_tokenizer
from core.library.retrieval.vocabulary import find_standing_words
from core.llm.client import ModelSettings
from core.llm.completion import add_usage, complete
from core.types import Audience, Edition

NOT_ENGLISH = translatable(
    "Your question does not seem to be in English, the language I search in. Please ask in English."
)
READ_AS = translatable("I read “{typed}” as “{meant}”.")
MOST_TOKENS = 300  # of a translated question

_LONG_WORD = re.compile(r"[^\W\d_]{4,}")  # short ones are common to many languages

logger = logging.getLogger(__name__)

MOST_SUSPECTS = 4  # of one question; more are another language, or no language
UNUSUAL = 0.25  # what counts against a word that English texts seldom have


def reword(asked: Asked, *, audience: Audience, model: ModelSettings) -> Asked:
    """Return the question as it is searched for: in English where a real model can translate it, and spelt rightly.

    Without a real model, or where that fails, a question in another language stays as it is, and says so if nothing
    is found. Only words of documents that the whole audience may read put a word right.
    """
    if is_foreign(asked.text):
        return asked if _speaks_as_documents(asked.text, audience) else _translate_question(asked, model)
    corrected = correct_spelling(asked.text, audience)
    return replace(asked, text=corrected.text, named=(*asked.named, *corrected.named), corrected=corrected.corrected)


def tell_corrected(asked: Asked) -> tuple[str, ...]:
    """Say which words of the question were read as others."""
    return tuple(say(READ_AS, typed=typed, meant=meant) for typed, meant in asked.corrected)


def _speaks_as_documents(question: str, audience: Audience) -> bool:
    """Return True if the audience has documents in the question's language: they hold half of its longer words.

    Of other writing than Latin, a quarter of its words: it is their language, whatever they are about.
    """
    if is_beyond_latin(question):
        words = {word for word in content_stems(question) if not word.isascii()}
        return bool(words) and 4 * len(find_standing_words(words, audience)) >= len(words)
    words = {word.casefold() for word in _LONG_WORD.findall(question)}
    return bool(words) and 2 * len(find_standing_words(words, audience)) >= len(words)


def _translate_question(asked: Asked, model: ModelSettings) -> Asked:
    unchanged = replace(asked, is_foreign=True)
    if is_extractive(model):
        return unchanged
    try:
        filled = prompt("translate").format(question=make_inert(asked.text))
        text, usage = complete(filled, model=model, max_tokens=MOST_TOKENS)
    except (ModelUnavailableError, ModelConfigurationError) as error:
        logger.warning("not_translated", extra={"error": error.message, "prompt_hash": prompt_hash("translate")})
        return unchanged
    logger.info("translated", extra={"prompt_hash": prompt_hash("translate")})
    line = one_line(text).strip('"“”')
    used = add_usage(asked.usage, usage) if asked.usage else usage
    if not 3 <= len(line) <= LONGEST or is_foreign(line) or adds_destination(line, asked.text):
        return replace(unchanged, usage=used)
    return replace(asked, text=line, usage=used)


@dataclass(frozen=True, kw_only=True, slots=True)
class Spelt:
    """Holds a question with its words as they were meant."""

    text: str
    corrected: tuple[tuple[str, str], ...] = ()  # each replaced word as it was typed, and what stands for it now
    named: tuple[Edition, ...] = ()  # that hold the words which were put in


def correct_spelling(question: str, audience: Audience) -> Spelt:
    """Return the question with misspelt words as the documents spell them; as it is where none is known to be meant.

    A question without unusual words costs no query.
    """
    found = find_suspects(question, read_common_words())
    suspects = [suspect for suspect in found if suspect.word not in load_frequencies()] if found else []
    if not suspects or len(suspects) > MOST_SUSPECTS:
        return Spelt(text=question)
    once = {suspect: find_meant(suspect.word) for suspect in suspects}
    known = {suspect.word for suspect in suspects}
    standing = _find_standing(known.union(*once.values()), known, audience)
    unknown = [suspect for suspect in suspects if suspect.word not in standing]
    corrections = {suspect: _choose_likeliest(once[suspect], standing) for suspect in unknown}
    # Two slips are many words; of them only the common ones are asked for, and only where one slip leads to nothing.
    twice = {
        suspect: {word: cost for word, cost in find_meant_twice(suspect.word).items() if _is_common(word)}
        for suspect in unknown
        if not corrections[suspect]
    }
    standing |= _find_standing(set().union(*twice.values()), known, audience)
    corrections |= {suspect: _choose_likeliest(words, standing) for suspect, words in twice.items()}
    corrections = {suspect: word for suspect, word in corrections.items() if word}
    named = {standing[word] for word in corrections.values()}
    corrected = ((question[suspect.start : suspect.end], word) for suspect, word in corrections.items())
    return Spelt(text=respell(question, corrections), corrected=tuple(corrected), named=tuple(sorted(named)))


def _find_standing(words: Set[str], known: Set[str], audience: Audience) -> dict[str, Edition]:
    """Return those of the words that the documents hold.

    What is neither written by the person nor common, just as it is.
    """
    return find_standing_words(words, audience, as_written={w for w in words - known if not _is_common(w)})


def _choose_likeliest(meant: Mapping[str, float], standing: Collection[str]) -> str:
    """Return the likeliest of the words that the documents have; nothing where they have none."""
    fitting = {word: cost + (0.0 if _is_common(word) else UNUSUAL) for word, cost in meant.items() if word in standing}
    return min(fitting, key=lambda word: (fitting[word], word), default="")


def _is_common(word: str) -> bool:
    return word in read_common_words()


@cache
def read_common_words() -> frozenset[str]:
    """Return some 20,000 common words of English: those the packaged model reads in one piece, and shorthand."""
    words = frozenset(word for word in load_packaged_tokenizer().get_vocab() if word.isalpha() and word.isascii())
    return words | SHORTHAND
