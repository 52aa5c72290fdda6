"""Define the tools: their descriptions for a model, and their actions for the person who calls."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, get_args, get_origin, is_typeddict

from pydantic import BaseModel

from core import api
from core.mcp.arguments import AskArguments, EndArguments, PassageArguments, SearchArguments
from core.models import AuthToken
from core.programs import asking
from core.programs.asking import Program
from core.serialization import (
    CitationJson,
    Day,
    GuidanceJson,
    Id,
    Moment,
    PassageInPlaceJson,
    ReadableCollectionJson,
    ResultJson,
    SearchJson,
    VerifiedJson,
    list_fields,
    split_nullable,
)
from core.types import ConfidenceLevel, Listener, Outdated

Json = dict[str, Any]
Given = Mapping[str, Any]  # a JSON form, as a tool gives it


def _hear_nothing(step: str) -> None:
    """Hear of a step that nobody wants to know of."""


def _is_never_stopped() -> bool:
    """Return that the client still waits."""
    return False


@dataclass(frozen=True, kw_only=True, slots=True)
class Call:
    """One call of a tool: its program, a listener for the steps, and a check for the end."""

    program: Program
    on_step: Listener = _hear_nothing
    is_stopped: Callable[[], bool] = _is_never_stopped


@dataclass(frozen=True, kw_only=True, slots=True)
class FootnoteTool:
    """One tool."""

    name: str
    title: str
    description: str  # for a model
    arguments: type[BaseModel]
    gives: Json  # the JSON Schema of what it gives, by property
    scope: AuthToken.Scope  # that a token needs for it
    run: Callable[[Call, Any], Given]  # who calls, and the arguments in their form
    writes: bool = False  # a question is kept with its answer; reading leaves nothing
    is_idempotent: bool = True  # calling it again with the same arguments changes nothing more


def _search(call: Call, given: SearchArguments) -> SearchJson:
    return asking.search(call.program, given.query, filters=api.parse_filters(given.filters()), k=given.k)


def _ask(call: Call, given: AskArguments) -> ResultJson:
    return asking.ask(
        call.program,
        given.question,
        conversation=given.conversation_id,
        filters=api.parse_filters(given.filters()),
        selected_text=given.selected_text,
        on_step=call.on_step,
        is_stopped=call.is_stopped,
    )


def _read_passage(call: Call, given: PassageArguments) -> PassageInPlaceJson:
    return asking.read_passage(call.program, given.chunk_id)


def _end_conversation(call: Call, given: EndArguments) -> Given:
    asking.end_conversation(call.program, given.conversation_id)
    return {"conversation_id": str(given.conversation_id), "is_active": False}


# What JSON Schema calls the types of a form's fields.
_NAMES: dict[Any, str] = {
    bool: "boolean",
    str: "string",
    int: "integer",
    float: "number",
    Id: "string",
    Day: "string",
    Moment: "string",
}


def _object(**properties: Json) -> Json:
    return {"type": "object", "properties": properties, "required": sorted(properties)}


def _describe_form(form: type[Mapping[str, Any]], *names: str, **described: Json) -> Json:
    """The JSON Schema of a form: of all its fields, or of those named; some may be described otherwise."""
    fields = list_fields(form)
    return _object(**{name: described.get(name) or _describe_type(fields[name]) for name in names or fields})


def _describe_type(kind: Any) -> Json:
    """The JSON Schema of a field's type."""
    part, is_nullable = split_nullable(kind)
    if get_origin(part) is list:
        return {"type": "array", "items": _describe_type(get_args(part)[0])}
    if is_typeddict(part):
        return _describe_form(part)
    return {"type": [_NAMES[part], "null"] if is_nullable else _NAMES[part]}


_CITATIONS: Json = {
    "type": "array",
    "items": _describe_form(
        CitationJson,
        "number",
        "document_name",
        "document_date",
        "page_number",
        "chapter",
        "section",
        "source_reference",
        "chunk_id",
        "quoted_excerpt",
        "source_url",
        "is_recognised",
        "display_name",
        "authors",
        "full_citation",
        "opens_at",
        "statements",
    ),
}
_TEXT_OR_NULL: Json = {"type": ["string", "null"]}
_GUIDANCE: Json = {
    **_describe_form(
        GuidanceJson,
        collections={
            "type": "array",
            "items": _describe_form(ReadableCollectionJson),
            "description": "What this person may read: collections, and how many documents in each.",
        },
        questions={
            "type": "array",
            "items": {"type": "string"},
            "description": "Questions near the one asked that ask would answer.",
        },
    ),
    "type": ["object", "null"],
    "description": "What helps when answer is null: what there is to read, and what could be asked instead.",
}
_VERIFIED: Json = {
    **_describe_form(VerifiedJson, outdated={"enum": [*Outdated, None]}),
    "type": ["object", "null"],
    "description": "If a person verified the answer: who and when, and why it may be outdated. Tell the person.",
}
SEARCH = FootnoteTool(
    name="search",
    title="Search the documents",
    description=(
        "Find passages in the organisation's documents, by meaning and by words. Returns the passages themselves, "
        "best first, each with its document, page or section and a chunk_id for read_passage. Only documents that "
        "the signed-in person may read are searched. Use it to look around or to read sources yourself; use ask for "
        "a checked answer."
    ),
    arguments=SearchArguments,
    gives=_describe_form(SearchJson),
    scope=AuthToken.Scope.ASK,
    run=_search,
)
ASK = FootnoteTool(
    name="ask",
    title="Ask the documents",
    description=(
        "Answer a question from the organisation's documents. Every sentence of the answer has a citation, and every "
        "citation has a quote that appears word for word in the document. If the documents do not say it, answer is "
        "null and message says so: then do not answer from memory as if it came from the documents. closest may then "
        "hold passages that come near. They are not an answer, so show them as what was found. guidance may say what "
        "there is to read, and which questions near this one would be answered. Ask one thing at a time; give "
        "conversation_id to ask a follow-up."
    ),
    arguments=AskArguments,
    gives=_describe_form(
        ResultJson,
        "request_id",
        "context_mode",
        "answer",
        "message",
        "notice",
        "mean_similarity",
        "confidence",
        "confidence_level",
        "verified",
        "citations",
        "closest",
        "guidance",
        "conversation_id",
        "audience",
        answer={**_TEXT_OR_NULL, "description": "The answer with marks like [1], or null."},
        message={
            **_TEXT_OR_NULL,
            "description": "For the person: why there is no answer, or which part of the question it does not cover.",
        },
        notice={
            **_TEXT_OR_NULL,
            "description": "For the person, once a month: that a budget for language models is nearly used up.",
        },
        mean_similarity={
            "type": ["number", "null"],
            "description": "How near the passages are to the question, 0 to 1; not how sure the answer is.",
        },
        confidence_level={"type": "string", "enum": [level.value for level in ConfidenceLevel]},
        citations=_CITATIONS,
        closest={
            **_CITATIONS,
            "description": (
                "When answer is null: the passages that come closest, best first. They may not answer the "
                "question at all."
            ),
        },
        verified=_VERIFIED,
        guidance=_GUIDANCE,
    ),
    scope=AuthToken.Scope.ASK,
    run=_ask,
    writes=True,
    is_idempotent=False,
)
READ_PASSAGE = FootnoteTool(
    name="read_passage",
    title="Read a passage",
    description=(
        "Read one passage in its place: its text, document, date, page and section, and the chunk_ids of the "
        "passages before and after it, to read on. Takes a chunk_id from search or from a citation of ask."
    ),
    arguments=PassageArguments,
    gives=_describe_form(PassageInPlaceJson),
    scope=AuthToken.Scope.ASK,
    run=_read_passage,
)
END_CONVERSATION = FootnoteTool(
    name="end_conversation",
    title="End a conversation",
    description=(
        "End a conversation that ask began, by its conversation_id. What was said in it is not used for later "
        "questions. A conversation also ends by itself when nobody asks anything for a while."
    ),
    arguments=EndArguments,
    gives=_object(conversation_id={"type": "string"}, is_active={"type": "boolean"}),
    scope=AuthToken.Scope.ASK,
    run=_end_conversation,
    writes=True,
)
TOOLS = {tool.name: tool for tool in (SEARCH, ASK, READ_PASSAGE, END_CONVERSATION)}
