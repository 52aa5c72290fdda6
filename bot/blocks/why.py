"""Why somebody got an answer, or none: what was searched, read and left out, how sure that is, and what to try."""

from collections.abc import Iterator
from typing import Any

from slack_sdk.models.blocks import Block
from slack_sdk.models.views import View

from bot.blocks.library import render_holdings
from bot.blocks.message import Message, message
from bot.blocks.refusal import WITHOUT_FILTERS
from bot.blocks.text import escape_within, link, section, split
from core.asking.verified_answers.wording import describe_verification
from core.language.i18n.translation import number, say, translatable
from core.language.wording import describe_filters
from core.types import Answer, ConfidenceLevel, ContextMode, RefusalReason
from core.values.document_names import tell_apart
from core.values.explained import Explanation, LeftOut, ReadPassage

TITLE, TITLE_OF_REFUSAL = translatable("Why this answer?"), translatable("Why no answer?")
_PASSAGES_LIMIT = 5000  # characters of the list of passages: Slack refuses messages near 13,200
_TITLE_LIMIT = 300  # characters of one document's title with its link
_SECTION_NAME_LIMIT = 100
_QUESTION_LIMIT = 500
_NOTE_LIMIT = 600
_MOST_RESULTS = 10  # passages that can be asked for behind the slash command

_LEFT_OUT = {
    LeftOut.QUOTE: translatable("{count}: no quote in the passages supports it word for word."),
    LeftOut.FIGURES: translatable("{count}: a number, date or name in it is not the one in its quote."),
    LeftOut.CONTRADICTED: translatable("{count}: its quote says the opposite."),
    LeftOut.BEYOND_QUOTE: translatable("{count}: it says more than its quote, or something else."),
    LeftOut.FORM: translatable("{count}: it repeats another sentence, or is too long."),
}
_SURE = {
    ConfidenceLevel.HIGH: translatable("High confidence: the passages fit the question closely."),
    ConfidenceLevel.MEDIUM: translatable("Medium confidence: the passages fit the question for the most part."),
    ConfidenceLevel.LOW: translatable("Low confidence: the passages fit only a part of the question."),
    ConfidenceLevel.INSUFFICIENT: translatable("Low confidence: the passages fit only a part of the question."),
}
_NO_ANSWER = {
    RefusalReason.NOTHING_FOUND: translatable("Nothing that I read answers the question, so I did not guess."),
    RefusalReason.INSUFFICIENT: translatable("The selected text does not answer the question, so I did not guess."),
    RefusalReason.UNSURE: translatable("The closest passages may answer the question, but I am not sure enough."),
    RefusalReason.AMBIGUOUS: translatable("The question could mean several things, so I asked which one you mean."),
    RefusalReason.OVER_QUOTA: translatable("A budget for language models was used up, so nothing was answered."),
    RefusalReason.MODEL_UNAVAILABLE: translatable("The language model could not be reached, so nothing was answered."),
    RefusalReason.INVALID_QUESTION: translatable("This could not be read as a question."),
    RefusalReason.SMALL_TALK: translatable("This could not be read as a question."),
}
_OTHER_WORDS = translatable("Ask in the words that a document would use, and for one thing at a time.")
_NEXT = {
    RefusalReason.NOTHING_FOUND: _OTHER_WORDS,
    RefusalReason.INSUFFICIENT: translatable("Ask without selected text to search the documents."),
    RefusalReason.UNSURE: translatable("Read the closest passages, or name the document that you mean."),
    RefusalReason.AMBIGUOUS: translatable("Reply with the one that you mean."),
    RefusalReason.OVER_QUOTA: translatable("Ask an administrator when you can ask again."),
    RefusalReason.MODEL_UNAVAILABLE: translatable("Ask again in a few minutes."),
    RefusalReason.INVALID_QUESTION: _OTHER_WORDS,
    RefusalReason.SMALL_TALK: _OTHER_WORDS,
}


def why_message(told: Explanation, *, is_public: bool, is_asker: bool) -> Message:
    """Build the explanation as a message for one person. is_public, is_asker: see `why_modal`."""
    return message(_get_title(told), _build_blocks(told, is_public=is_public, is_asker=is_asker))


def why_modal(told: Explanation, *, is_public: bool, is_asker: bool) -> dict[str, Any]:
    """Build the explanation as a modal view.

    is_public: the answer is for everyone who can read a channel. is_asker: the person who looks asked the question.
    """
    blocks = _build_blocks(told, is_public=is_public, is_asker=is_asker)
    return dict(View(type="modal", title=_get_title(told), close=say("Close"), blocks=blocks).to_dict())


def _get_title(told: Explanation) -> str:
    return say(TITLE if isinstance(told.result, Answer) else TITLE_OF_REFUSAL)


def _build_blocks(told: Explanation, *, is_public: bool, is_asker: bool) -> list[Block]:
    parts = (
        (say("What I looked for"), _say_searched(told, is_public=is_public, is_asker=is_asker)),
        (say("What I read"), _list_read(told)),
        (say("What I left out"), _list_left_out(told)),
        (
            say("How sure I am") if isinstance(told.result, Answer) else say("Why there is no answer"),
            _say_how_sure(told),
        ),
        (say("What you can try"), _say_next(told)),
        (say("Signed receipt"), _offer_receipt(told, is_asker=is_asker)),
    )
    texts = [f"*{head}*\n{text}" for head, lines in parts if (text := "\n".join(lines))]
    return [section(piece) for text in texts for piece in split(text)]


def _say_searched(told: Explanation, *, is_public: bool, is_asker: bool) -> Iterator[str]:
    yield say("The question: {question}", question=escape_within(" ".join(told.question.split()), _QUESTION_LIMIT))
    if told.understood:
        understood = escape_within(" ".join(told.understood.split()), _QUESTION_LIMIT)
        yield say("I searched for: {question}", question=understood)
    if told.result.context_mode is ContextMode.SELECTED_TEXT:
        yield say("I looked only in the text that was selected.")
        return
    if isinstance(told.result, Answer) and told.result.verified:
        yield say("A colleague had answered this question before, so I did not search the documents.")
        return
    if is_public:
        yield say("I searched the documents that everyone who can read the channel may read.")
    elif is_asker and told.collections:
        yield say("I searched the documents that you may read: {holdings}.", holdings=render_holdings(told.collections))
    elif is_asker:
        yield say("I searched the documents that you may read.")
    else:
        yield say("I searched the documents that the person who asked may read.")
    if narrowed := describe_filters(told.result.filters):
        yield say("Looked only in: {filters}", filters=escape_within(narrowed, _NOTE_LIMIT))


def _list_read(told: Explanation) -> Iterator[str]:
    """List the passages that were read, each with its place; those that are not quoted are marked."""
    if told.result.context_mode is ContextMode.SELECTED_TEXT:
        return
    if not told.passages:
        yield say("I found no passage that fits the question.")
        return
    yield say("Passages found: {count}", count=number(len(told.passages)))
    left = _PASSAGES_LIMIT
    for before, passage in enumerate(told.passages):
        line = _render_passage(passage)
        left -= len(line)
        if left < 0:
            yield say("… and {count} more", count=number(len(told.passages) - before))
            return
        is_marked = bool(told.quoted) and not passage.is_quoted
        yield say("• {passage} – not quoted", passage=line) if is_marked else f"• {line}"


def _render_passage(passage: ReadPassage) -> str:
    name = link(passage.address, " ".join(passage.document_name.split()), _TITLE_LIMIT)
    section_name, place = passage.section or passage.chapter, ""
    if passage.page_number is not None:
        place = say("page {number}", number=passage.page_number)
    elif section_name:
        place = say("section {name}", name=escape_within(section_name, _SECTION_NAME_LIMIT))
    return ", ".join(filter(None, (name, tell_apart("", passage.document_date, ""), place)))


def _list_left_out(told: Explanation) -> Iterator[str]:
    if isinstance(told.result, Answer):
        if told.result.message:
            yield escape_within(told.result.message, _NOTE_LIMIT)
        if len(told.quoted) < len(told.passages):
            yield say("In the other passages that I read I found nothing that I could quote for this answer.")
    if told.left_out:
        yield say("Sentences that I left out, because no quote proves them:")
        yield from (f"• {say(_LEFT_OUT[kind], count=number(count))}" for kind, count in told.left_out)
    if told.is_at_limit and told.passages:
        yield say(
            "I read the nearest {count} passages and no others: that is how many I take for a question.",
            count=number(told.result.filters.max_results),
        )


def _offer_receipt(told: Explanation, *, is_asker: bool) -> Iterator[str]:
    if is_asker and told.receipt_at:
        yield link(told.receipt_at, say("A file that shows this to others, who can verify it without me."), _NOTE_LIMIT)


def _say_how_sure(told: Explanation) -> Iterator[str]:
    result = told.result
    if not isinstance(result, Answer):
        yield say(_NO_ANSWER[result.reason])
    elif result.verified:
        yield escape_within(describe_verification(result.verified), _NOTE_LIMIT)
    else:
        yield say(_SURE[result.confidence_level])
        yield say("Every sentence has a quote that appears word for word in its source.")


def _say_next(told: Explanation) -> Iterator[str]:
    result = told.result
    if isinstance(result, Answer):
        yield say("Compare the answer with its sources by *Show quotes*. If something is missing, ask for that alone.")
    else:
        yield say(_NEXT[result.reason])
    if result.context_mode is ContextMode.SELECTED_TEXT:
        return
    if told.is_at_limit and told.passages and result.filters.max_results < _MOST_RESULTS:
        yield say("To let me read more, ask by the slash command with `{filter}`.", filter=f"results:{_MOST_RESULTS}")
    if describe_filters(result.filters) and not isinstance(result, Answer):
        yield say(WITHOUT_FILTERS)
