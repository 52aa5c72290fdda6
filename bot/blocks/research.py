"""A research in one message: its plan with buttons, how far it is, and what was proven; and the window of its plan."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from difflib import get_close_matches
from typing import Any
from uuid import UUID

from slack_sdk.models.blocks import (
    ActionsBlock,
    Block,
    ButtonElement,
    ConfirmObject,
    InputBlock,
    PlainTextInputElement,
    PlainTextObject,
)
from slack_sdk.models.views import View

from bot.blocks.answer import render_sources
from bot.blocks.message import Message, message
from bot.blocks.text import context, escape_within, link, section, split
from core.language.i18n.translation import day, number, say, translatable
from core.types import Citation
from core.values.research import (
    MOST_MINUTES,
    Budget,
    Disagreement,
    Estimate,
    Outcome,
    Paragraph,
    PlannedQuestion,
    ProvenSentence,
    Research,
    ResearchPage,
    ResearchQuestion,
    StopReason,
    Unproven,
    group_by_heading,
)

START, CHANGE, CANCEL = "research_start", "research_change", "research_cancel"
STOP, DELETE, CANVAS = "research_stop", "research_delete", "research_canvas"
OPEN_PAGE, OPEN_CANVAS = "research_open_page", "research_open_canvas"  # links, of whose press Slack tells all the same
PLAN_CHANGED = "research_plan_changed"  # the callback_id of the window
PLAN, MINUTES, DOLLARS = "plan_0", "minutes", "dollars"  # ids of blocks and of their inputs; a long plan has more

GONE = translatable("This research was deleted, or you may not see it any more.")
WINDOW_TITLE = translatable("Change the plan")
WRONG_MINUTES = translatable("Write a whole number of minutes from 1 to {most}.")
WRONG_COST = translatable("Write an amount of more than 0 dollars, or leave it empty.")
_ENDED_BECAUSE = {
    StopReason.ASKER: translatable("You have stopped it. What was found until then is here."),
    StopReason.MINUTES: translatable("Its time was over before all was asked."),
    StopReason.COST: translatable("What it may cost was spent before all was asked."),
    StopReason.BUDGET: translatable("A monthly budget for language models is used up, so not all was asked."),
    StopReason.ACCOUNT: translatable("Your account is not active, so not all was asked."),
    StopReason.ERROR: translatable("Something went wrong on my side, so not all was asked."),
}
_MAY_NOT = translatable(
    "I may not make canvases here yet: an administrator has to install me again, with the scope canvases:write."
)
_NOT_TAKEN = translatable("Slack takes no canvas from me in this workspace.")
_PAGE_INSTEAD = translatable("Open the page instead.")

_BAR = 20  # characters
_BODY_LIMIT, _REST_LIMIT, _SOURCES_LIMIT = 6000, 2000, 2000  # characters; Slack refuses messages near 13,200
_TOPIC_LIMIT, _QUESTION_LIMIT, _HEADING_LIMIT, _SENTENCE_LIMIT, _QUOTE_LIMIT = 500, 250, 120, 1000, 200
_MOST_UNPROVEN, _MOST_DISAGREEMENTS = 5, 3  # that are named
_INPUT_LIMIT = 3000  # characters, Slack's own
_BULLETS = "-*•"


@dataclass(frozen=True, kw_only=True, slots=True)
class Shown:
    """Holds what a message of a research shows besides what core knows."""

    message_id: str
    page_address: str = ""  # empty where pages have no address
    canvas_address: str = ""  # empty where there is no canvas
    canvas_problem: str = ""  # Slack's code, where it took none


@dataclass(frozen=True, kw_only=True, slots=True)
class ChangedPlan:
    """Holds what was entered in the window."""

    message_id: str
    channel_id: str
    lines: tuple[tuple[str, str], ...]  # heading and question
    minutes: int | None  # None for what is no such number
    dollars: Decimal | None
    errors: dict[str, str]  # what is wrong, by field


def plan_message(research: Research, shown: Shown, *, estimate: Estimate, budget: Budget) -> Message:
    """Build the plan, with what it will take, and buttons to start, change and drop it."""
    headline = say("Plan for a page about: {topic}", topic=research.topic)
    parts: dict[str, list[str]] = {}
    for one in research.questions:
        parts.setdefault(one.heading, []).append(f"{one.number}. {escape_within(one.text, _QUESTION_LIMIT)}")
    listed = "\n\n".join("\n".join([*_render_heading(heading), *lines]) for heading, lines in parts.items())
    buttons = [
        _build_button(START, say("Start"), shown, style="primary"),
        _build_button(CHANGE, say(WINDOW_TITLE), shown),
        _build_button(CANCEL, say("Cancel"), shown),
    ]
    blocks: list[Block] = [section(f"*{escape_within(headline, _TOPIC_LIMIT)}*")]
    blocks += [section(piece) for piece in split(listed)]
    return message(headline, [*blocks, context(_describe_estimate(estimate, budget)), ActionsBlock(elements=buttons)])


def research_progress_message(research: Research, shown: Shown) -> Message:
    """Build how far a research is, with the question that is being asked and a button to stop."""
    progress = research.progress
    current = next((one.text for one in research.questions if one.outcome is Outcome.OPEN), "")
    filled = _BAR * progress.asked // max(1, progress.total)
    told = say("{asked} of {total} asked", asked=number(progress.asked), total=number(progress.total))
    said = f"{told}: {escape_within(current, _QUESTION_LIMIT)}" if current else told
    return message(
        told,
        [
            section(f"*{escape_within(research.topic, _TOPIC_LIMIT)}*"),
            section(f"`{'█' * filled}{'░' * (_BAR - filled)}`\n{said}"),
            ActionsBlock(elements=[_build_button(STOP, say("Stop"), shown)]),
        ],
    )


def result_message(research: Research, shown: Shown) -> Message:
    """Build what came of a research: sentences as far as they fit, what is not proven, and what disagrees."""
    page = research.page
    blocks: list[Block] = [section(f"*{escape_within(research.topic, _TOPIC_LIMIT)}*")]
    if research.stop_reason:
        blocks.append(context(say(_ENDED_BECAUSE[research.stop_reason])))
    body, left_out = _render_page(page)
    blocks += [section(piece) for piece in split(body or say("I could prove nothing of it."))]
    if left_out:
        blocks.append(context(say("… and {count} more", count=number(left_out))))
    for lines in (_render_disagreements(page), _render_unproven(page)):
        blocks += [section(piece) for piece in split("\n".join(_fit_lines(lines)))]
    if page.citations and not any(one.opens_at for one in page.citations):
        blocks += [section(piece) for piece in split(render_sources(page.citations, limit=_SOURCES_LIMIT))]
    if shown.canvas_problem:
        said = [say(_MAY_NOT if shown.canvas_problem == "missing_scope" else _NOT_TAKEN)]
        blocks.append(context(" ".join([*said, *([say(_PAGE_INSTEAD)] if shown.page_address else [])])))
    blocks.append(ActionsBlock(elements=list(_list_result_buttons(shown))))
    return message(research.topic, blocks)


def _list_result_buttons(shown: Shown) -> Iterator[ButtonElement]:
    if shown.page_address:
        yield ButtonElement(action_id=OPEN_PAGE, text=say("Open the page"), url=shown.page_address)
    if shown.canvas_address:
        yield ButtonElement(action_id=OPEN_CANVAS, text=say("Open the canvas"), url=shown.canvas_address)
    else:
        yield _build_button(CANVAS, say("Make a canvas"), shown)
    confirm = ConfirmObject(
        title=say("Delete the research?"),
        text=PlainTextObject(
            text=say("Its page goes, with the texts of its questions and answers. A canvas that was made of it stays."),
            emoji=False,
        ),
        confirm=say("Delete"),
        deny=say("Keep"),
        style="danger",
    )
    yield _build_button(DELETE, say("Delete"), shown, confirm=confirm)


def _build_button(
    action_id: str, text: str, shown: Shown, *, style: str | None = None, confirm: ConfirmObject | None = None
) -> ButtonElement:
    return ButtonElement(action_id=action_id, text=text, value=shown.message_id, style=style, confirm=confirm)


def _render_heading(heading: str) -> list[str]:
    return [f"*{escape_within(heading, _HEADING_LIMIT)}*"] if heading else []


def _describe_estimate(estimate: Estimate, budget: Budget) -> str:
    """Say what a plan will probably take, and its limits."""
    minutes = round(estimate.seconds / 60)
    asked = number(estimate.questions)
    said = [
        say("1 question") if estimate.questions == 1 else say("{count} questions", count=asked),
        say("about {count} minutes", count=number(minutes)) if minutes > 1 else say("about a minute"),
    ]
    if estimate.cost_usd is None:
        said.append(say("nothing is known of its cost"))
    elif estimate.cost_usd:
        said.append(say("about {amount} dollars", amount=f"{max(estimate.cost_usd, Decimal('0.01')):.2f}"))
    else:
        said.append(say("nothing to pay: no model is paid"))
    said.append(say("at most {count} minutes", count=number(budget.most_minutes)))
    if budget.most_usd is not None:
        said.append(say("at most {amount} dollars", amount=f"{budget.most_usd:.2f}"))
    return " · ".join(said)


def _render_page(page: ResearchPage) -> tuple[str, int]:
    """Render the sections of a page as mrkdwn, as far as they fit; with how many sentences are left out."""
    lines: list[str] = []
    size = left_out = 0
    for part in page.sections:
        for at, paragraph in enumerate(part.paragraphs):
            above = [*(_render_heading(part.heading) if at == 0 else []), *_render_lead(paragraph)]
            for one in paragraph.sentences:
                written = "\n".join([*above, _render_sentence(one, paragraph, page.citations)])
                if left_out or size + len(written) > _BODY_LIMIT:
                    left_out += 1
                    continue
                lines.append(f"\n{written}" if above else written)
                above, size = [], size + len(written) + 2
            if paragraph.note and not left_out:
                note = f"_{escape_within(paragraph.note, _SENTENCE_LIMIT)}_"
                lines.append(note)
                size += len(note) + 1
    return "\n".join(lines), left_out


def _render_lead(part: Paragraph) -> list[str]:
    if not part.document_name:
        return []
    date = f", {day(part.document_date)}" if part.document_date else ""
    return [f"_{escape_within(part.document_name, _HEADING_LIMIT)}{date}_"]


def _render_sentence(one: ProvenSentence, part: Paragraph, citations: Sequence[Citation]) -> str:
    mark = "•" if part.outcome is Outcome.ANSWERED else ">"
    text = escape_within(" ".join(one.text.split()), _SENTENCE_LIMIT)
    return f"{mark} {text} {_render_marks(one.citations, citations)}"


def _render_marks(numbers: Iterable[int], citations: Sequence[Citation]) -> str:
    """Render marks of citations, each a link to its page where it has one."""
    return " ".join(link(citations[one - 1].opens_at, f"[{one}]", _QUOTE_LIMIT) for one in numbers)


def _fit_lines(lines: Iterable[str]) -> Iterator[str]:
    """Yield the first lines, as many as fit."""
    left = _REST_LIMIT
    for line in lines:
        left -= len(line) + 1
        if left < 0:
            return
        yield line


def _render_disagreements(page: ResearchPage) -> list[str]:
    lines = [_render_disagreement(one, page.citations) for one in page.disagreements[:_MOST_DISAGREEMENTS]]
    return [f"*{say('Your sources disagree')}*", *lines] if lines else []


def _render_disagreement(one: Disagreement, citations: Sequence[Citation]) -> str:
    quotes = [
        f"“{escape_within(' '.join(citations[at - 1].quoted_excerpt.split()), _QUOTE_LIMIT)}” "
        f"({escape_within(citations[at - 1].document_name, _HEADING_LIMIT)}) {_render_marks([at], citations)}"
        for at in one.citations
    ]
    return "\n".join([f"• {escape_within(one.question, _QUESTION_LIMIT)}", *(f"    ◦ {quote}" for quote in quotes)])


def _render_unproven(page: ResearchPage) -> list[str]:
    if not page.unproven:
        return []
    lines = [_render_unproven_question(one, page.citations) for one in page.unproven[:_MOST_UNPROVEN]]
    if len(page.unproven) > len(lines):
        lines.append(say("… and {count} more", count=number(len(page.unproven) - len(lines))))
    return [f"*{say('What could not be proven')}* ({number(len(page.unproven))})", *lines]


def _render_unproven_question(one: Unproven, citations: Sequence[Citation]) -> str:
    said = [] if one.was_asked else [say("not asked: the research ended before")]
    if one.closest:
        said.append(say("closest: {places}", places=_render_marks(one.closest, citations)))
    return f"• {escape_within(one.question, _QUESTION_LIMIT)}" + (f" ({'; '.join(said)})" if said else "")


def plan_modal(research: Research, message_id: str, channel_id: str, budget: Budget) -> dict[str, Any]:
    """Build the window with the plan as text, to be edited, and the limits with which it is started."""
    pieces = _split_lines(write_plan(research.questions))
    hint = say("A line that begins with # is a heading. Each line that begins with - is a question.")
    blocks: list[Block] = [
        InputBlock(
            block_id=f"plan_{at}",
            label=say("Plan"),
            hint=hint if at == 0 else None,
            optional=at > 0,
            element=_build_input(f"plan_{at}", piece, multiline=True),
        )
        for at, piece in enumerate(pieces)
    ]
    dollars = f"{budget.most_usd.normalize():f}" if budget.most_usd is not None else ""
    blocks += [
        InputBlock(
            block_id=MINUTES, label=say("At most, in minutes"), element=_build_input(MINUTES, str(budget.most_minutes))
        ),
        InputBlock(
            block_id=DOLLARS,
            label=say("At most, in dollars for a language model"),
            optional=True,
            element=_build_input(DOLLARS, dollars),
        ),
    ]
    view = View(
        type="modal",
        callback_id=PLAN_CHANGED,
        title=say(WINDOW_TITLE),
        submit=say("Save"),
        close=say("Cancel"),
        private_metadata=json.dumps({"message": message_id, "channel": channel_id}),
        blocks=blocks,
    )
    return dict(view.to_dict())


def _build_input(name: str, value: str, *, multiline: bool = False) -> PlainTextInputElement:
    limit = _INPUT_LIMIT if multiline else 12
    return PlainTextInputElement(
        action_id=name, multiline=multiline, initial_value=value[:limit] or None, max_length=limit
    )


def _split_lines(text: str) -> list[str]:
    """Split a plan at its lines into pieces that a field takes each."""
    pieces = [""]
    for line in text.splitlines():
        if len(pieces[-1]) + len(line) + 1 > _INPUT_LIMIT:
            pieces.append("")
        pieces[-1] += f"\n{line}" if pieces[-1] else line
    return pieces


def write_plan(questions: Iterable[ResearchQuestion]) -> str:
    """Write a plan as text: "# heading" lines with "- question" lines below each."""
    planned = [PlannedQuestion(text=" ".join(one.text.split()), heading=one.heading) for one in questions]
    grouped = sorted(group_by_heading(planned), key=lambda part: bool(part[0]))  # without a heading: before the first
    return "\n".join(
        line
        for heading, parts in grouped
        for line in ([f"# {heading}"] if heading else []) + [f"- {p.text}" for p in parts]
    )


def read_plan(text: str) -> tuple[tuple[str, str], ...]:
    """Read a plan as it was typed: the heading and the question of each line that is no heading."""
    heading, read = "", []
    for line in text.replace("\x00", "").splitlines():
        said = line.strip()
        if said.startswith("#"):
            heading = said.lstrip("# ").strip()
        elif question := said.removeprefix(said[:1] if said[:1] in _BULLETS else "").strip():
            read.append((heading, question))
    return tuple(read)


def read_changed_plan(view: dict[str, Any]) -> ChangedPlan:
    """Read what was entered, with what is wrong of the limits."""
    place, values = json.loads(view["private_metadata"]), view["state"]["values"]
    pieces = [str(values[key][key].get("value") or "") for key in sorted(values) if key.startswith("plan_")]
    minutes, dollars, errors = str(values[MINUTES][MINUTES].get("value") or "").strip(), None, {}
    is_number = minutes.isascii() and minutes.isdecimal() and len(minutes) <= 4 and 1 <= int(minutes) <= MOST_MINUTES
    if not is_number:
        errors[MINUTES] = say(WRONG_MINUTES, most=MOST_MINUTES)
    typed = str(values[DOLLARS][DOLLARS].get("value") or "").strip()
    if typed:
        dollars = _read_dollars(typed)
        if dollars is None:
            errors[DOLLARS] = say(WRONG_COST)
    return ChangedPlan(
        message_id=str(place["message"]),
        channel_id=str(place["channel"]),
        lines=read_plan("\n".join(pieces)),
        minutes=int(minutes) if is_number else None,
        dollars=dollars,
        errors=errors,
    )


def _read_dollars(typed: str) -> Decimal | None:
    try:
        amount = Decimal(typed.replace(",", ".").lstrip("$"))
    except InvalidOperation:
        return None
    amount = amount.quantize(Decimal("0.0001")) if amount.is_finite() and abs(amount) < 1_000_000 else Decimal(0)
    return amount if amount > 0 else None


def match_questions(lines: Iterable[tuple[str, str]], planned: Iterable[ResearchQuestion]) -> list[PlannedQuestion]:
    """Return the questions as they were entered, each with the id of the planned one that it was, or was made from.

    One that was changed may keep words of the document that the planned one was made of, so it keeps its id too.
    """
    left = {" ".join(one.text.split()): one.question_id for one in planned}
    kept: list[tuple[str, str, UUID | None]] = [(heading, text, left.pop(text, None)) for heading, text in lines]
    matched = []
    for heading, text, known in kept:
        question_id = known
        if question_id is None and (close := get_close_matches(text, left, n=1)):
            question_id = left.pop(close[0])
        matched.append(PlannedQuestion(text=text, heading=heading, question_id=question_id))
    return matched
