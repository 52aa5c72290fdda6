"""Why there is no answer, and what helps instead: the passages that come closest, what there is, other questions."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from slack_sdk.models.blocks import ActionsBlock, Block, ButtonElement, CardBlock, MarkdownTextObject

from bot.blocks.answer import TEXT_LIMIT, filters_note, render_place
from bot.blocks.buttons import Buttons, closest_buttons, refusal_buttons
from bot.blocks.library import NO_SOURCES, render_count, render_holdings
from bot.blocks.masked import explain_dots
from bot.blocks.message import FALLBACK_LIMIT, Message, message
from bot.blocks.quotes import UNNAMED, write_plain
from bot.blocks.streaming import render_pieces
from bot.blocks.text import context, escape_within, find_address, render_quote, section, shorten
from core.language.i18n.translation import say, translatable
from core.language.wording import describe_filters
from core.types import MOST_INSTEAD, Citation, Guidance, Refusal, RefusalReason

READING_ALONG = translatable(
    "Other bots may be reading here, and I show them nothing: {bots}. An administrator can decide that they do not "
    "count. Until then, ask me in a direct message."
)
UNDECIDED = translatable(
    "Everyone in this workspace can read this channel, and nobody has decided yet what I may show to everyone. Until "
    "then, ask me in a direct message. If you administer Footnote, decide it in the admin, under Slack, Workspaces."
)
NOTHING_FOR_ALL = translatable("There is no document that everyone here may read. Ask me in a direct message.")
_TRY = translatable("If it should be there, use words that a document would use, or ask for one thing at a time.")
WITHOUT_FILTERS = translatable("Ask without the filters, or without naming where to look.")
INSTEAD = translatable("You could ask instead:")
ASK_INSTEAD = "ask_instead"  # the beginning of the buttons' action ids
OPEN_DOCUMENT = "open_document"  # a link, of whose press Slack tells all the same

_MOST_BOTS = 3  # that are named
_MOST_CLOSEST = 3  # passages that are shown
_QUOTE_LIMIT = 1500  # characters of one of them
_NAME_LIMIT, _DISTINCTION_LIMIT = 95, 40  # characters: Slack takes 150 as a card's title, with the citation's mark
_BODY_LIMIT = 200  # characters of a card's text, Slack's own
_REQUEST_ID_LIMIT = 30  # characters, as they are stored
_LABEL_LIMIT = 75  # characters on a button, as Slack limits it

# Other refusals want another question, not another answer.
_IS_AN_END = frozenset(
    {
        RefusalReason.NOTHING_FOUND,
        RefusalReason.INSUFFICIENT,
        RefusalReason.MODEL_UNAVAILABLE,
        RefusalReason.OVER_QUOTA,
    }
)
_ALL = Buttons()


def refusal(
    result: Refusal,
    buttons: Buttons = _ALL,
    *,
    bots: Sequence[str] = (),
    is_undecided: bool = False,
    guidance: Guidance | None = None,
    is_public: bool = False,
    nothing_to_read: str = "",
) -> Message:
    """Explain why there is no answer, what alone was searched for one, and buttons where a person may know better.

    Where passages come closest, they are below it, word for word, best first, each with its source. bots: Slack users
    of the bots because of which nothing is shown here. is_undecided: nothing is, because nobody has decided what
    everyone in the workspace may be shown. guidance: what there is for its readers, who are everyone in a channel when
    it is_public. nothing_to_read: why its one reader has nothing to search in, and whom to ask.
    """
    why = escape_within(result.message, FALLBACK_LIMIT)
    if result.closest:
        passages = [block for citation in result.closest[:_MOST_CLOSEST] for block in _build_closest(citation)]
        below = [*explain_dots(passages), *filters_note(result.filters), *closest_buttons(result.request_id, buttons)]
        return message(_render_text(result), [section(why), *passages, *below])
    said: list[Block] = [section(why), *filters_note(result.filters)]
    if bots:
        named = ", ".join(f"<@{bot}>" for bot in bots[:_MOST_BOTS])
        said.append(context(say(READING_ALONG, bots=named)))
    if is_undecided:
        said.append(context(say(UNDECIDED)))
    if nothing_to_read:
        said.append(context(escape_within(nothing_to_read, TEXT_LIMIT)))
    elif guidance:
        said += _build_guidance(result, guidance, is_public=is_public)
    if result.query_id and result.reason in _IS_AN_END:
        has_nothing = bool(nothing_to_read) or (guidance is not None and not guidance.collections)
        # Where nothing may be read, other words find nothing either.
        may_ask_again = buttons.ask_again and not (has_nothing or bots or is_undecided)
        said += refusal_buttons(result.request_id, replace(buttons, ask_again=may_ask_again))
    return message(result.message, said)


def render_refusal_pieces(result: Refusal) -> list[str]:
    """Render a refusal as pieces of Markdown to be streamed one after the other, without any source."""
    return render_pieces(_render_text(result), TEXT_LIMIT)


def read_offered_question(value: str) -> tuple[str, str]:
    """Read the value of a button that was pressed: the request below which it is, and the question on it.

    Both empty where it is no value of ours.
    """
    request_id, _, question = value.partition(" ")
    return (request_id, question) if question.strip() and len(request_id) <= _REQUEST_ID_LIMIT else ("", "")


def _build_closest(citation: Citation) -> list[Block]:
    """Build a passage as a card with the way to its document; what is too long for a card stands below it."""
    quote = render_quote(write_plain(citation.quoted_excerpt), _QUOTE_LIMIT)
    fits = len(quote) <= _BODY_LIMIT
    address = find_address(citation.opens_at or citation.source_url)
    place = render_place(citation)
    name = escape_within(" ".join(citation.document_name.split()), _NAME_LIMIT) or say(UNNAMED)
    apart = f", {escape_within(citation.distinction, _DISTINCTION_LIMIT)}" if citation.distinction else ""
    card = CardBlock(
        title=_build_verbatim(f"[{citation.number}] {name}{apart}"),
        subtitle=_build_verbatim(place) if place else None,
        body=_build_verbatim(quote) if fits else None,
        actions=[ButtonElement(action_id=OPEN_DOCUMENT, text=say("Open"), url=address)] if address else None,
    )
    return [card] if fits else [card, section(quote)]


def _build_verbatim(text: str) -> MarkdownTextObject:
    return MarkdownTextObject(text=text, verbatim=True)


def _render_text(result: Refusal) -> str:
    closest = result.closest[:_MOST_CLOSEST]
    quotes = (f"[{citation.number}] {' '.join(citation.quoted_excerpt.split())}" for citation in closest)
    return "\n\n".join([result.message, *quotes])


def _build_guidance(result: Refusal, guidance: Guidance, *, is_public: bool) -> Iterator[Block]:
    """Say what was looked in and what to try; and offer questions near the refused one, each on a button."""
    if not guidance.collections:
        yield context(say(NOTHING_FOR_ALL if is_public else NO_SOURCES))
        return
    yield context(_say_where(result, guidance, is_public=is_public))
    questions = guidance.questions[:MOST_INSTEAD]
    if questions:
        yield context(say(INSTEAD))
        yield ActionsBlock(
            elements=[_build_question_button(result.request_id, n, question) for n, question in enumerate(questions)]
        )


def _say_where(result: Refusal, guidance: Guidance, *, is_public: bool) -> str:
    """Return what was looked in, or could be where filters kept it out, and what the asker can do now."""
    documents = render_count(sum(shelf.documents for shelf in guidance.collections))
    what = render_holdings(guidance.collections)
    if describe_filters(result.filters):
        there = (
            say("Here I can search {documents}: {what}.", documents=documents, what=what)
            if is_public
            else say("I can search {documents} for you: {what}.", documents=documents, what=what)
        )
        return f"{there} {say(WITHOUT_FILTERS)}"
    looked = (
        say("I looked in {documents} that everyone here may read: {what}.", documents=documents, what=what)
        if is_public
        else say("I looked in {documents} that you may read: {what}.", documents=documents, what=what)
    )
    return f"{looked} {say(_TRY)}"


def _build_question_button(request_id: str, number: int, question: str) -> ButtonElement:
    label = shorten(question, _LABEL_LIMIT)
    return ButtonElement(
        action_id=f"{ASK_INSTEAD}_{number}",
        text=label,
        value=f"{request_id} {question}",
        accessibility_label=label,
    )
