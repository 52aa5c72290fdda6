"""An answer with its numbered citations and buttons, and the refusal when there is none."""

from slack_sdk.models.blocks import ActionsBlock, Block, ButtonElement

from bot.blocks.message import FALLBACK_LIMIT, Message, message
from bot.blocks.text import context, escape_within, link, section, split
from core.questions.wording import narrowed_to
from core.types import Answer, Citation, ConfidenceLevel, Filters, Refusal

FEEDBACK_UP = "feedback_up"
FEEDBACK_DOWN = "feedback_down"
SHOW_QUOTES = "show_quotes"

# Slack refuses messages near 13,200 characters over all blocks; the parts below stay well under that together.
TEXT_LIMIT = 7500  # characters of the answer
SOURCES_LIMIT = 4000  # characters of the list of citations
SOURCE_LIMIT = 600  # characters of one citation
_SECTION_NAME_LIMIT = 100
_NARROWED_LIMIT = 300
_NOTE_LIMIT = 600  # characters of what was not found

_CONFIDENCE = {
    ConfidenceLevel.HIGH: "High confidence",
    ConfidenceLevel.MEDIUM: "Medium confidence",
    ConfidenceLevel.LOW: "Low confidence: please check the sources",
    ConfidenceLevel.INSUFFICIENT: "Insufficient confidence",
}


def answer(result: Answer) -> Message:
    """An answer: its text with [n] marks, what was not found, the citations, confidence in words, and the buttons."""
    blocks: list[Block] = [section(piece) for piece in split(escape_within(result.text, TEXT_LIMIT))]
    if result.message:
        blocks.append(section(escape_within(result.message, _NOTE_LIMIT)))
    blocks += [section(piece) for piece in split(sources(result.citations))]
    blocks.append(context(_CONFIDENCE[result.confidence_level]))
    blocks += _narrowed(result.filters)
    blocks.append(_buttons(result.request_id))
    return message(result.text, blocks)


def refusal(result: Refusal) -> Message:
    """Why there is no answer, and what alone was searched for one."""
    said = section(escape_within(result.message, FALLBACK_LIMIT))
    return message(result.message, [said, *_narrowed(result.filters)])


def sources(citations: tuple[Citation, ...]) -> str:
    """The citations as lines of mrkdwn, as many as fit."""
    lines: list[str] = []
    left = SOURCES_LIMIT
    for number, citation in enumerate(citations):
        line = source(citation)
        if len(line) + 1 > left:
            lines.append(f"… and {len(citations) - number} more")
            break
        lines.append(line)
        left -= len(line) + 1
    return "\n".join(lines)


def source(citation: Citation) -> str:
    """One citation as a line of mrkdwn: number, document with link, date, and page or else section."""
    parts = [link(citation.source_url, citation.document_name, SOURCE_LIMIT)]
    if citation.document_date:
        parts.append(citation.document_date.isoformat())
    if citation.page_number is not None:
        parts.append(f"page {citation.page_number}")
    elif citation.section:
        parts.append(f"section {escape_within(citation.section, _SECTION_NAME_LIMIT)}")
    return f"[{citation.number}] {', '.join(parts)}"


def _narrowed(filters: Filters) -> list[Block]:
    """A line that says what the search was narrowed to; none when it was not."""
    narrowed = narrowed_to(filters)
    return [context(f"Looked only in: {escape_within(narrowed, _NARROWED_LIMIT)}")] if narrowed else []


def _buttons(request_id: str) -> ActionsBlock:
    def button(action_id: str, text: str, label: str) -> ButtonElement:
        return ButtonElement(action_id=action_id, text=text, value=request_id, accessibility_label=label)

    return ActionsBlock(
        elements=[
            button(SHOW_QUOTES, "Show quotes", "Show the quoted passages"),
            button(FEEDBACK_UP, "👍 Helpful", "This answer helped"),
            button(FEEDBACK_DOWN, "👎 Not helpful", "This answer did not help"),
        ]
    )
