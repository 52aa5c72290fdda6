"""An answer with its numbered citations and buttons."""

from collections.abc import Iterable

from slack_sdk.models.blocks import Block

from bot.blocks.buttons import Buttons, answer_buttons
from bot.blocks.masked import explain_dots
from bot.blocks.message import Message, message
from bot.blocks.rich_text import render_blocks
from bot.blocks.streaming import render_pieces
from bot.blocks.text import context, escape_within, link, section, split
from core.asking.verified_answers.wording import describe_verification
from core.language.i18n.translation import number, say, translatable
from core.language.wording import SOURCES_DISAGREE, describe_filters, describe_source, write_on_line
from core.types import Answer, Citation, ConfidenceLevel, Contradiction, Filters

# Slack refuses messages near 13,200 characters over all blocks; the parts below stay well under that together.
TEXT_LIMIT = 7500  # characters of the answer
SOURCES_LIMIT = 4000  # characters of the list of citations
SOURCE_LIMIT = 600  # characters of one citation
_SECTION_NAME_LIMIT = 100
_FILE_NAME_LIMIT = 100
_NARROWED_LIMIT = 300
_NOTE_LIMIT = 600  # characters of what was not found
_DISAGREEING_LIMIT = 400  # characters of each of two quotes that disagree, and of the name of its document

_CONFIDENCE = {
    ConfidenceLevel.HIGH: translatable("High confidence"),
    ConfidenceLevel.MEDIUM: translatable("Medium confidence"),
    ConfidenceLevel.LOW: translatable("Low confidence: please check the sources"),
    ConfidenceLevel.INSUFFICIENT: translatable("Insufficient confidence"),
}

_ALL = Buttons()


def answer(result: Answer, buttons: Buttons = _ALL) -> Message:
    """Build an answer: its text with [n] marks; below it what was not found, citations, trust, filters and buttons.

    Above the citations stands how two documents disagree; below them why there are dots in place of a secret.
    """
    blocks = render_blocks(result.text, TEXT_LIMIT)
    if result.message:
        blocks.append(section(escape_within(result.message, _NOTE_LIMIT)))
    disagreeing = _render_contradiction(result.contradiction) if result.contradiction else ""
    sources = render_sources(result.citations, limit=SOURCES_LIMIT - len(disagreeing))
    blocks += [section(piece) for text in (disagreeing, sources) for piece in split(text)]
    blocks += [*explain_dots(blocks), context(_render_trust(result))]
    blocks += filters_note(result.filters)
    blocks += answer_buttons(result.request_id, buttons)
    return message(result.text, blocks)


def render_answer_pieces(text: str) -> list[str]:
    """Render the text of an answer, or its beginning, as pieces of Markdown to be streamed one after the other."""
    return render_pieces(text, TEXT_LIMIT)


def render_sources(citations: tuple[Citation, ...], *, limit: int = SOURCES_LIMIT) -> str:
    """Render the places that are cited as lines of mrkdwn, each once with all of its numbers; as many as fit."""
    places: dict[object, list[Citation]] = {}
    for citation in citations:  # each is opened at an address of its own, which does not make it another place
        key = (citation.document_id, citation.display_name, citation.source_url, render_place(citation))
        places.setdefault(key, []).append(citation)
    lines: list[str] = []
    left = limit
    for before, there in enumerate(places.values()):
        line = f"{_render_marks(each.number for each in there)} {_render_where(there[0])}"
        if len(line) + 1 > left:
            lines.append(say("… and {count} more", count=number(len(places) - before)))
            break
        lines.append(line)
        left -= len(line) + 1
    return "\n".join(lines)


def render_source(citation: Citation) -> str:
    """Render one citation as a line of mrkdwn: number, document with link, date or file, and page or else section."""
    return f"{_render_marks([citation.number])} {_render_where(citation)}"


def render_document(citation: Citation) -> str:
    """Render the cited document as mrkdwn: its name, linked to where it is opened, and what tells it from others."""
    name = link(citation.opens_at or citation.source_url, citation.document_name, SOURCE_LIMIT)
    return f"{name}, {escape_within(citation.distinction, _FILE_NAME_LIMIT)}" if citation.distinction else name


def render_place(citation: Citation) -> str:
    """Render where in its document a citation is, as mrkdwn: the page or else the section; empty when neither is known.

    With it that its words were recognised on a picture, so that nobody takes an error in them for the document's.
    """
    place = ""
    if citation.page_number is not None:
        place = say("page {number}", number=citation.page_number)
    elif citation.section:
        place = say("section {name}", name=escape_within(citation.section, _SECTION_NAME_LIMIT))
    return ", ".join(filter(None, (place, say("recognised text") if citation.is_recognised else "")))


def _render_contradiction(found: Contradiction) -> str:
    """Quote what both documents say as lines of mrkdwn, each with its document's date and the link to its place."""
    lines = [say(SOURCES_DISAGREE)]
    for quote in found.quotes:
        mark = _render_marks([quote.number]) if quote.number else ""
        source = link(quote.opens_at or quote.source_url, describe_source(quote), _DISAGREEING_LIMIT)
        place = render_place(quote)
        words = escape_within(write_on_line(quote.quoted_excerpt), _DISAGREEING_LIMIT)
        lines.append(f"• {' '.join(filter(None, (mark, ', '.join(filter(None, (source, place))))))}: “{words}”")
    return "\n".join(lines)


def _render_where(citation: Citation) -> str:
    return ", ".join(part for part in (render_document(citation), render_place(citation)) if part)


def _render_marks(numbers: Iterable[int]) -> str:
    return "".join(f"[{one}]" for one in numbers)


def _render_trust(result: Answer) -> str:
    """Say who verified an answer, as mrkdwn; for others how sure it is."""
    if result.verified is None:
        return say(_CONFIDENCE[result.confidence_level])
    mark = ":warning:" if result.verified.outdated else ":white_check_mark:"
    return f"{mark} {escape_within(describe_verification(result.verified), _NOTE_LIMIT)}"


def filters_note(filters: Filters) -> list[Block]:
    """Build a line that says what the search was narrowed to; none when it was not."""
    looked_in = describe_filters(filters)
    if not looked_in:
        return []
    return [context(say("Looked only in: {filters}", filters=escape_within(looked_in, _NARROWED_LIMIT)))]
