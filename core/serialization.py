"""The JSON forms of the values of core.types: the same for the command line, REST and MCP.

Each form is a class that names its fields and their types; REST and MCP make their schemas of these classes.
"""

import datetime as dt
import math
import re
from collections.abc import Mapping, Sequence
from types import NoneType
from typing import Annotated, Any, TypedDict, TypeVar, get_args, get_type_hints
from uuid import UUID

from core.filters import filters_as_json
from core.language.wording import describe_below
from core.types import (
    Answer,
    Citation,
    Contradiction,
    Guidance,
    PassageInPlace,
    Refusal,
    Replay,
    RetrievalResult,
    Run,
)
from core.values.explained import Explanation

Id = Annotated[str, UUID]
Day = Annotated[str, dt.date]  # YYYY-MM-DD
Moment = Annotated[str, dt.datetime]  # ISO 8601, in UTC


class _CitationJson(TypedDict):
    number: int
    document_id: Id | None
    document_name: str
    document_date: Day | None
    page_number: int | None
    chapter: str | None
    section: str | None
    source_reference: str | None
    chunk_id: Id | None
    excerpt: str
    quoted_excerpt: str
    relevance_score: float
    source_url: str | None
    is_recognised: bool
    display_name: str
    authors: str | None
    file_name: str | None
    full_citation: str | None
    opens_at: str | None


class CitationJson(_CitationJson):
    """A verified quote with its place, and the statements that it supports."""

    statements: list[str]


class SideJson(TypedDict):
    """Holds what one of two documents that disagree says, word for word."""

    number: int | None
    document_id: Id | None
    document_name: str
    document_date: Day | None
    page_number: int | None
    chapter: str | None
    section: str | None
    source_reference: str | None
    chunk_id: Id | None
    quoted_excerpt: str
    source_url: str | None
    is_recognised: bool
    display_name: str
    file_name: str | None
    opens_at: str | None


class ContradictionJson(TypedDict):
    """Holds what two documents that disagree say, the one to go by first."""

    sides: list[SideJson]


class RetrievedJson(TypedDict):
    """A chunk that was read for the answer."""

    chunk_id: Id
    document_id: Id
    rank: int
    similarity: float


class ReadableCollectionJson(TypedDict):
    """A collection, by those of its documents that the asker may read."""

    name: str
    documents: int
    newest: Day | None


class GuidanceJson(TypedDict):
    """Help where there is no answer."""

    collections: list[ReadableCollectionJson]
    questions: list[str]


class VerifiedJson(TypedDict):
    """By whom and when an answer was verified, and why it may be outdated."""

    by: str | None
    at: Moment
    outdated: str | None


class AudienceJson(TypedDict):
    """For whom a program was given something: its token's person, and whoever else the token names."""

    kind: str  # "person", "people" or "channel"
    label: str | None
    problem: str | None


class ResultJson(TypedDict):
    """An answer, or a message that says why there is none."""

    request_id: str
    question: str
    context_mode: str
    filters: dict[str, Any]
    answer: str | None
    message: str | None
    notice: str | None
    confidence: float
    confidence_level: str
    verified: VerifiedJson | None
    citations: list[CitationJson]
    closest: list[CitationJson]
    contradiction: ContradictionJson | None
    guidance: GuidanceJson | None
    retrieved: list[RetrievedJson]
    mean_similarity: float | None
    state: str
    agent_steps: int
    model_provider: str
    processing_time_ms: int
    conversation_id: Id | None
    trace_id: str
    timings_ms: dict[str, int]
    audience: AudienceJson


class ReadPassageJson(TypedDict):
    """A passage that was read for a question."""

    document_id: Id
    document_name: str
    document_date: Day | None
    chapter: str | None
    section: str | None
    page_number: int | None
    is_quoted: bool


class ExplanationJson(TypedDict):
    """The explanation of a question's answer."""

    request_id: str
    question: str
    understood: str
    filters: dict[str, Any]
    state: str
    refusal: str | None
    confidence_level: str
    collections: list[ReadableCollectionJson]
    passages: list[ReadPassageJson]
    left_out: dict[str, int]
    is_at_limit: bool


class PassageJson(TypedDict):
    """A passage that fits a search."""

    chunk_id: Id
    document_id: Id
    document_name: str
    document_type: str
    document_date: Day | None
    source_url: str | None
    page_number: int | None
    chapter: str | None
    section: str | None
    chunk_index: int
    token_count: int
    content: str
    similarity: float
    score: float
    rank: int


class SearchJson(TypedDict):
    """The passages of a search, best first."""

    query: str
    results: list[PassageJson]
    strategy: str
    took_ms: int
    audience: AudienceJson


class _PassageInPlaceJson(TypedDict):
    chunk_id: Id
    document_id: Id
    document_name: str
    document_type: str
    document_date: Day | None
    source_url: str | None
    page_number: int | None
    chapter: str | None
    section: str | None
    content: str
    position: int
    chunk_count: int
    previous_chunk_id: Id | None
    next_chunk_id: Id | None


class PassageInPlaceJson(_PassageInPlaceJson):
    """A passage in its document."""

    audience: AudienceJson


FOR_PERSON: AudienceJson = {"kind": "person", "label": None, "problem": None}  # for the person alone

_Form = TypeVar(
    "_Form",
    _CitationJson,
    SideJson,
    RetrievedJson,
    ReadableCollectionJson,
    ReadPassageJson,
    PassageJson,
    _PassageInPlaceJson,
)
_MARKS = re.compile(r"((?:\[\d+\])+)")  # behind a statement, on a line of an answer
_ITEM = re.compile(r"^(?:[-*•]|\d{1,3}[.)])\s+")  # the mark before an item of a list
_NUMBER = re.compile(r"\d+")
_TOLD_MS = 50  # times are published in steps of so many milliseconds


def round_up_ms(spent: float) -> int:
    """Round a time up for publication: a finer one would reveal that documents were searched in vain."""
    return math.ceil(spent / _TOLD_MS) * _TOLD_MS


def list_fields(form: type[Mapping[str, Any]]) -> dict[str, Any]:
    """The fields of a JSON form by name, in their order: the type of each, with what is said about it."""
    return get_type_hints(form, include_extras=True)


def split_nullable(kind: Any) -> tuple[Any, bool]:
    """The type of a field without None, and whether it may be null."""
    kinds = [part for part in get_args(kind) if part is not NoneType]
    return (kinds[0], True) if NoneType in get_args(kind) else (kind, False)


def as_json(
    result: Answer | Refusal,
    *,
    guidance: Guidance | None = None,
    notice: str = "",
    audience: AudienceJson = FOR_PERSON,
) -> ResultJson:
    """Build the JSON form of a result. guidance: help beside it. notice: for its asker alone.

    audience: for whom it is. Where nothing could be shown to them, the message says why.
    """
    problem = audience["problem"] if isinstance(result, Refusal) else None
    citations = result.citations if isinstance(result, Answer) else ()
    statements = _list_statements(result.text) if isinstance(result, Answer) else {}
    closest = result.closest if isinstance(result, Refusal) else ()
    return {
        "request_id": result.request_id,
        "question": result.asked,
        "context_mode": result.context_mode.value,
        "filters": filters_as_json(result.filters),
        "answer": result.text if isinstance(result, Answer) else None,
        "message": problem or describe_below(result) or None,
        "notice": notice or None,
        "confidence": round(result.confidence, 4),
        "confidence_level": result.confidence_level.value,
        "verified": _verified_as_json(result) if isinstance(result, Answer) else None,
        "citations": [citation_as_json(one, statements=statements.get(one.number, ())) for one in citations],
        "closest": [citation_as_json(citation) for citation in closest],
        "contradiction": _contradiction_as_json(result.contradiction) if isinstance(result, Answer) else None,
        "guidance": guidance_as_json(guidance) if guidance else None,
        "retrieved": [_fill(RetrievedJson, chunk) for chunk in result.retrieved],
        "mean_similarity": None if result.mean_similarity is None else round(result.mean_similarity, 4),
        "state": result.state.value,
        "agent_steps": result.agent_steps,
        "model_provider": result.model_provider,
        "processing_time_ms": round_up_ms(result.processing_time_ms),
        "conversation_id": str(result.conversation_id) if result.conversation_id else None,
        "trace_id": result.trace_id,
        "timings_ms": {step: round_up_ms(ms) for step, ms in result.timings_ms.items()},
        "audience": audience,
    }


def _verified_as_json(answer: Answer) -> VerifiedJson | None:
    if answer.verified is None:
        return None
    outdated = answer.verified.outdated
    return {
        "by": answer.verified.verified_by or None,
        "at": write_moment(answer.verified.verified_at),
        "outdated": outdated.value if outdated else None,
    }


def write_moment(moment: dt.datetime) -> Moment:
    """Return a time in UTC, to the second."""
    return moment.astimezone(dt.UTC).isoformat(timespec="seconds")


def _contradiction_as_json(found: Contradiction | None) -> ContradictionJson | None:
    if found is None:
        return None
    return {"sides": [{**_fill(SideJson, quote), "number": quote.number or None} for quote in found.quotes]}


def guidance_as_json(guidance: Guidance) -> GuidanceJson:
    """The JSON form of what helps beside a refusal."""
    return {
        "collections": [_fill(ReadableCollectionJson, collection) for collection in guidance.collections],
        "questions": list(guidance.questions),
    }


def explanation_as_json(told: Explanation) -> ExplanationJson:
    """Build the JSON form of why a question got the answer that it got."""
    result = told.result
    return {
        "request_id": result.request_id,
        "question": told.question,
        "understood": told.understood or told.question,
        "filters": filters_as_json(result.filters),
        "state": result.state.value,
        "refusal": result.reason.value if isinstance(result, Refusal) else None,
        "confidence_level": result.confidence_level.value,
        "collections": [_fill(ReadableCollectionJson, collection) for collection in told.collections],
        "passages": [_fill(ReadPassageJson, passage) for passage in told.passages],
        "left_out": {kind.value: count for kind, count in told.left_out},
        "is_at_limit": told.is_at_limit,
    }


def citation_as_json(citation: Citation, *, statements: Sequence[str] = ()) -> CitationJson:
    """The JSON form of a citation. statements: what of the answer it carries."""
    return {**_fill(_CitationJson, citation), "statements": list(statements)}


def _list_statements(text: str) -> dict[int, list[str]]:
    """Return the statements of an answer by the numbers of the citations that are marked behind each."""
    stated: dict[int, list[str]] = {}
    for statement, numbers in split_statements(text):
        for number in numbers:
            stated.setdefault(number, []).append(statement)
    return stated


def split_statements(text: str) -> list[tuple[str, tuple[int, ...]]]:
    """Split an answer into its statements, each with the numbers of the citations that are marked behind it."""
    stated: list[tuple[str, tuple[int, ...]]] = []
    for line in text.splitlines():
        parts = _MARKS.split(line)
        for said, marks in zip(parts[::2], parts[1::2], strict=False):  # text behind the last marks has none
            if statement := _ITEM.sub("", said.strip(" |")):
                stated.append((statement, tuple(int(number) for number in _NUMBER.findall(marks))))
    return stated


def search_as_json(query: str, result: RetrievalResult, *, audience: AudienceJson = FOR_PERSON) -> SearchJson:
    """The JSON form of a search. audience: for whom it is."""
    return {
        "query": query,
        # The scores of a fusion are small, and close to each other.
        "results": [{**_fill(PassageJson, one), "score": round(one.score, 6)} for one in result.passages],
        "strategy": result.strategy,
        "took_ms": round_up_ms(result.took_ms),
        "audience": audience,
    }


def passage_as_json(passage: PassageInPlace, *, audience: AudienceJson = FOR_PERSON) -> PassageInPlaceJson:
    """Build the JSON form of a passage in its document. audience: for whom it is."""
    return {**_fill(_PassageInPlaceJson, passage), "audience": audience}


def identify_citation(citation: Citation) -> tuple[UUID | None, str]:
    """Return the key by which two citations are the same: document and words. Chunks change with each ingestion."""
    return citation.document_id, citation.quoted_excerpt


def replay_as_json(replay: Replay) -> dict[str, Any]:
    """The JSON form of a replay."""
    return {
        "request_id": replay.request_id,
        "same": not replay.differing,
        "differing": list(replay.differing),
        "passages": replay.passages,
        "gone": replay.gone,
        "forbidden": replay.forbidden,
        "hidden": replay.is_hidden,
        "settings": [{"name": name, "then": then, "now": now} for name, then, now in replay.settings],
        "retrieval": {"then": replay.retrieval[0], "now": replay.retrieval[1], "found_again": replay.found_again},
        "then": _run_as_json(replay.then),
        "now": _run_as_json(replay.now),
    }


def _run_as_json(run: Run) -> dict[str, Any]:
    return {
        "answer": run.text,
        "refusal": run.refusal or None,
        "confidence": round(run.confidence, 4),
        "citations": [citation_as_json(citation) for citation in run.citations],
        "closest": [citation_as_json(citation) for citation in run.closest],
        "contradiction": _contradiction_as_json(run.contradiction),
        "steps": list(run.steps),
        "dropped": run.dropped,
    }


def _fill(form: type[_Form], value: object) -> _Form:
    """The form with what the value has under the names of its fields."""
    filled: Any = {name: _convert(getattr(value, name), kind) for name, kind in list_fields(form).items()}
    return filled  # type: ignore[no-any-return]  # made of the fields of the form


def _convert(value: Any, kind: Any) -> Any:
    """A value as a field of this type holds it. Text that there is not is null where the field may be."""
    if isinstance(value, UUID | dt.date):
        return str(value)
    if isinstance(value, float):
        return round(value, 4)
    _, is_nullable = split_nullable(kind)
    return None if value == "" and is_nullable else value
