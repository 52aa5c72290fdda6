"""Figures as people read them: scores as bars, and how long something took. Templates and pages share them."""

from django.utils.html import format_html
from django.utils.safestring import SafeString


def score_bar(score: float | None) -> SafeString | str:
    """A score of 0..1 as a small bar with its figure; a dash when there is none."""
    if score is None:
        return "–"
    return format_html(
        '<span class="fn-score"><span class="fn-score-track"><span class="fn-score-fill" style="width:{}%"></span>'
        "</span>{}</span>",
        round(float(score) * 100),
        f"{float(score):.2f}",
    )


_TOOLS = {"pgvector_retriever": "Searched the library", "final_answer": "Gave its statements"}


_MODES = {
    "tool_calling": "The model led, and called tools",
    "plain_text": "Footnote led, the model wrote",
    "quoted": "Footnote led, the model wrote and quoted",
}


def mode_in_words(mode: str, reason: str) -> str:
    """Say who led the agent, and why."""
    if mode and reason == "extractive":
        return "No language model: sentences of the documents were chosen"
    return f"{_MODES.get(mode, mode)} ({reason})" if mode else "–"


def score_in_words(score: float | None) -> str:
    """A score of 0..1 with two decimals; a dash when there is none."""
    return "–" if score is None else f"{score:.2f}"


def count_of(count: int, noun: str) -> str:
    """So many of something: "1 grant", "2,000 grants"."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def tools_in_words(names: str) -> str:
    """The tools that a step of the agent called, given their names with commas."""
    called = dict.fromkeys(name for name in names.split(", ") if name)
    return "; ".join(_TOOLS.get(name, name) for name in called) or "Called no tool"


_METRICS = {
    "relevance": "Context relevance",
    "votes": "Voted down",
    "refusal": "Refused, though it is there",
    "refusal_read": "Refused, and seems to be there",
    "refused_share": "More refused",
    "voted_down_share": "More voted down",
    "admission_lapsed": "Examine the model again",
    "examination_right": "Share right in a model's examination",
}


def metric_in_words(name: str) -> str:
    """Name the property that a score of an answer measures."""
    return _METRICS.get(name, name.replace("_", " ").capitalize())


def time_in_words(milliseconds: float) -> str:
    """Format a duration; the unit stays on the line of its figure."""
    return (
        f"{milliseconds / 1000:.1f}\N{NO-BREAK SPACE}s"
        if milliseconds >= 1000
        else f"{milliseconds:.0f}\N{NO-BREAK SPACE}ms"
    )
