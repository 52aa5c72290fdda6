"""A question in the words that the documents may have: in English, and spelt as they spell it."""

import logging
import re
from dataclasses import replace

from core.asking.answering.follow_ups import LONGEST, Asked
from core.asking.answering.spelling import correct_spelling
from core.asking.generation.markup import make_inert
from core.asking.generation.modes import is_extractive
from core.asking.generation.prompts import prompt, prompt_hash
from core.errors import ModelConfigurationError, ModelUnavailableError
from core.language.i18n.translation import say, translatable
from core.language.nlp.scripts import is_beyond_latin
from core.language.nlp.text import content_stems, one_line
from core.language.query_understanding.destinations import adds_destination
from core.language.query_understanding.languages import is_foreign
from core.library.retrieval.vocabulary import find_standing_words
from core.llm.client import ModelSettings
from core.llm.completion import add_usage, complete
from core.types import Audience

NOT_ENGLISH = translatable(
    "Your question does not seem to be in English, the language I search in. Please ask in English."
)
READ_AS = translatable("I read “{typed}” as “{meant}”.")
MOST_TOKENS = 300  # of a translated question

_LONG_WORD = re.compile(r"[^\W\d_]{4,}")  # short ones are common to many languages

logger = logging.getLogger(__name__)


def reword(asked: Asked, *, audience: Audience, model: ModelSettings) -> Asked:
    """Return the question as it is searched for: in English where a real model can translate it, and spelt rightly.

    Without a real model, or where that fails, a question in another language stays as it is, and says so if nothing
    is found. Only words of documents that the whole audience may read put a word right.
    """
    if is_foreign(asked.text):
        return asked if _speaks_as_documents(asked.text, audience) else _translate(asked, model)
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


def _translate(asked: Asked, model: ModelSettings) -> Asked:
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
