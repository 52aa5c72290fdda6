"""Provide the extractive model to LiteLLM as `extractive/sentences`."""

import datetime as dt
import json
import re
from collections.abc import Sequence
from typing import Any

from litellm.llms.custom_llm import CustomLLM
from litellm.types.utils import ModelResponse

from core.asking.generation.extractive import PROVIDER
from core.asking.generation.extractive.overview import overview
from core.asking.generation.extractive.selected import Selected
from core.asking.generation.extractive.selection import select
from core.asking.generation.markup import read_passages, read_question
from core.asking.reading.readings import Read, read_nothing
from core.language.nlp.function_words import NEGATION
from core.language.nlp.layout import find_mark
from core.language.nlp.sentence_scoring import Similarity
from core.language.nlp.structure import write_with_leads
from core.language.query_understanding.values import Kind, Reading

LONGEST_STATEMENT = 700  # characters; what introduces an item is left out where it would be longer
# What introduces items and turns round or bounds what they say is said with each of them.
_BINDING = re.compile(rf"{NEGATION}|\b(?:only|unless|except|if|when|until|may|forbidden|prohibited)\b", re.IGNORECASE)
# A condition that can stand once above a list. What turns items round stays in each line: a line may be read alone.
_CONDITION = re.compile(r"\b(?:if|when|before|after|in case)\b", re.IGNORECASE)
_TURNS = re.compile(rf"{NEGATION}|\b(?:only|unless|except|until|forbidden|prohibited)\b", re.IGNORECASE)
# Words that tie a sentence to the one before it, which the answer does not show.
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_CONNECTIVE = re.compile(
    r"^(?:however|moreover|furthermore|in addition|additionally|also|thus|therefore|hence|consequently|finally"
    r"|nevertheless|nonetheless|similarly|likewise|meanwhile|indeed|in fact|in particular|specifically|as a result"
    r"|for example|for instance|on the other hand|in contrast|by contrast|accordingly|besides|then|again),\s+(?=\w)",
    re.IGNORECASE,
)


class ExtractiveModel(CustomLLM):
    """Answers a prompt with one call of the tool `final_answer`, each statement being its own quote."""

    def __init__(self, similarity: Similarity, read: Read = read_nothing) -> None:
        super().__init__()
        self._similarity, self._read = similarity, read

    def completion(self, *args: Any, **kwargs: Any) -> ModelResponse:
        """Return one completion; LiteLLM passes model, messages and its own arguments."""
        messages = kwargs.get("messages") or args[1]
        prompt = "\n".join(_list_texts(messages))
        question, passages = read_question(prompt), read_passages(prompt)
        chosen, dated = overview(passages), False
        if not chosen:
            today = dt.datetime.now(dt.UTC).date()
            reading, chosen = select(question, passages, self._similarity, today=today, read_passages=self._read)
            dated = _is_over_time(reading, chosen)
        called = _write_call(_write_statements(chosen, dated=dated))
        return ModelResponse(
            model=kwargs.get("model", PROVIDER),
            choices=[{"index": 0, "finish_reason": "tool_calls", "message": called}],
            usage={"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0},
        )

    async def acompletion(self, *args: Any, **kwargs: Any) -> ModelResponse:
        """Return the same for asynchronous callers; it takes milliseconds."""
        return self.completion(*args, **kwargs)


def _write_call(statements: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {
                "id": "final",
                "type": "function",
                "function": {"name": "final_answer", "arguments": json.dumps({"statements": statements})},
            }
        ],
    }


def _list_texts(messages: Sequence[dict[str, Any]]) -> list[str]:
    texts: list[str] = []
    for message in messages:
        content = message.get("content") or ""
        parts = content if isinstance(content, list) else [{"text": content}]
        texts.extend(part.get("text", "") for part in parts)
    return texts


def _write_statements(chosen: Sequence[Selected], *, dated: bool) -> list[dict[str, Any]]:
    """Return the chosen sentences as statements.

    What was said at several times with the dates of its sources, in order.
    """
    statements: list[dict[str, Any]] = []
    said: set[tuple[int, str]] = set()  # what introduces items, and the items that introduce others
    ordered = sorted(chosen, key=_get_date) if dated else list(chosen)
    for place, selected in enumerate(ordered):
        number = selected.passage.number
        if not dated and _is_of_list_on_condition(selected, ordered):
            [lead] = selected.leads
            if place == 0 or not _are_of_one_list(ordered[place - 1], selected):
                statements.append({"text": _drop_connective(lead), "quotes": [{"passage": number, "text": lead}]})
            mark = find_mark(selected.text)
            shown = f"{mark.group().strip()} " if mark and mark.group().strip(" .)(").isdigit() else "- "
            quotes = [{"passage": number, "text": quoted} for quoted in (lead, selected.text)]
            statements.append({"text": f"{shown}{write_with_leads((), selected.text)}", "quotes": quotes})
            continue
        # The first item needs its introduction, and so does each under a bound, and each row of a table.
        leads = tuple(one for one in selected.leads if (number, one) not in said or "|" in one or _BINDING.search(one))
        text = _drop_connective(write_with_leads(leads, selected.text, columns=selected.columns))
        if any(text == statement["text"] for statement in statements):  # the same under two items
            leads = selected.leads
            text = _drop_connective(write_with_leads(leads, selected.text))
        if len(text) > LONGEST_STATEMENT:
            leads, text = (), _drop_connective(write_with_leads((), selected.text))
        said |= {(number, quoted) for quoted in (*leads, selected.text)}
        date = selected.passage.date
        named = selected.subject
        if dated:  # what names a year tells itself of when it speaks
            named = f"{date:%-d %B %Y}" if date and not _YEAR.search(text) else ""
        statements.append(
            {
                "text": f"{named}: {text}" if named else text,
                "quotes": [{"passage": number, "text": quoted} for quoted in (*leads, selected.text)],
            }
        )
    return statements


def _is_of_list_on_condition(one: Selected, chosen: Sequence[Selected]) -> bool:
    """Return True for one of several items below a condition, which else would begin each of their lines."""
    if len(one.leads) != 1 or one.subject or "|" in one.leads[0] or not one.leads[0].endswith(":"):
        return False
    is_condition = bool(_CONDITION.search(one.leads[0])) and not _TURNS.search(one.leads[0])
    return is_condition and sum(_are_of_one_list(one, other) for other in chosen) > 1


def _are_of_one_list(one: Selected, other: Selected) -> bool:
    return (one.passage.number, one.group, one.leads) == (other.passage.number, other.group, other.leads)


def _is_over_time(reading: Reading, chosen: Sequence[Selected]) -> bool:
    if reading.kind == Kind.CHANGE or any(part.date_from or part.date_to for part in reading.sub_questions):
        return True
    return reading.kind == Kind.BROAD and len({_get_date(selected) for selected in chosen}) > 1


def _get_date(selected: Selected) -> dt.date:
    """Return the date of a sentence's source; the first of all days where it has none."""
    return selected.passage.date or dt.date.min


def _drop_connective(line: str) -> str:
    """Return a sentence without the connective before it."""
    line = _CONNECTIVE.sub("", line)
    return line[:1].upper() + line[1:]
