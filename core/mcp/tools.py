"""The tools: what each tells a model about itself, and what it does for the person who calls."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from core import api
from core.access import asker_for, audience_of
from core.errors import NotFoundError
from core.mcp.arguments import AskArguments, PassageArguments, SearchArguments
from core.models import AuthToken, Conversation, User
from core.serialization import as_json, passage_as_json, search_as_json

Json = dict[str, Any]


@dataclass(frozen=True, kw_only=True, slots=True)
class FootnoteTool:
    """One tool."""

    name: str
    title: str
    description: str  # for a model
    arguments: type[BaseModel]
    gives: Json  # the JSON Schema of what it gives, by property
    scope: AuthToken.Scope  # that a token needs for it
    run: Callable[[User, Any], Json]  # the person, and the arguments in their form
    writes: bool = False  # a question is kept with its answer; reading leaves nothing


def _search(person: User, given: SearchArguments) -> Json:
    filters = api.parse_filters(given.filters())
    found = api.search(given.query, audience=audience_of([person.pk]), filters=filters, k=given.k)
    return search_as_json(given.query, found)


def _ask(person: User, given: AskArguments) -> Json:
    filters, asker, conversation = api.parse_filters(given.filters()), asker_for(person), given.conversation_id
    if conversation is None:
        conversation = api.open_conversation(origin=Conversation.Origin.MCP, asker=asker)
    elif not Conversation.objects.filter(pk=conversation, user=person, origin=Conversation.Origin.MCP).exists():
        raise NotFoundError("There is no such conversation. Ask without it to start a new one.")
    result = api.ask(
        given.question,
        asker=asker,
        audience=audience_of([person.pk]),
        conversation=conversation,
        filters=filters,
        selected_text=given.selected_text,
    )
    return as_json(result, guidance=api.guidance_beside(result, audience=audience_of([person.pk])))


def _read_passage(person: User, given: PassageArguments) -> Json:
    return passage_as_json(api.passage(given.chunk_id, audience=audience_of([person.pk])))


def _object(**properties: Json) -> Json:
    return {"type": "object", "properties": properties, "required": sorted(properties)}


_TEXT: Json = {"type": "string"}
_TEXT_OR_NULL: Json = {"type": ["string", "null"]}
_NUMBER: Json = {"type": "number"}
_NUMBER_OR_NULL: Json = {"type": ["integer", "null"]}
_CITATIONS: Json = {
    "type": "array",
    "items": _object(
        number={"type": "integer"},
        document_name=_TEXT,
        document_date=_TEXT_OR_NULL,
        page_number=_NUMBER_OR_NULL,
        section=_TEXT_OR_NULL,
        chunk_id=_TEXT_OR_NULL,
        quoted_excerpt=_TEXT,
        source_url=_TEXT_OR_NULL,
    ),
}

_GUIDANCE: Json = {
    **_object(
        collections={
            "type": "array",
            "items": _object(name=_TEXT, documents={"type": "integer"}, newest=_TEXT_OR_NULL),
            "description": "What this person may read: collections, and how many documents in each.",
        },
        questions={
            "type": "array",
            "items": _TEXT,
            "description": "Questions near the one asked that ask would answer.",
        },
    ),
    "type": ["object", "null"],
    "description": "What helps when answer is null: what there is to read, and what could be asked instead.",
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
    gives=_object(
        query=_TEXT,
        results={
            "type": "array",
            "items": _object(
                chunk_id=_TEXT,
                document_id=_TEXT,
                document_name=_TEXT,
                source_url=_TEXT_OR_NULL,
                page_number=_NUMBER_OR_NULL,
                section=_TEXT_OR_NULL,
                content=_TEXT,
                similarity=_NUMBER,
                score=_NUMBER,
                rank={"type": "integer"},
            ),
        },
        strategy=_TEXT,
        took_ms=_NUMBER,
    ),
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
    gives=_object(
        request_id=_TEXT,
        answer={**_TEXT_OR_NULL, "description": "The answer with marks like [1], or null."},
        message={
            **_TEXT_OR_NULL,
            "description": "For the person: why there is no answer, or which part of the question it does not cover.",
        },
        confidence=_NUMBER,
        confidence_level={"type": "string", "enum": ["high", "medium", "low", "insufficient"]},
        citations=_CITATIONS,
        closest={
            **_CITATIONS,
            "description": (
                "When answer is null: the passages that come closest, best first. They may not answer the "
                "question at all."
            ),
        },
        guidance=_GUIDANCE,
        conversation_id=_TEXT_OR_NULL,
    ),
    scope=AuthToken.Scope.ASK,
    run=_ask,
    writes=True,
)
READ_PASSAGE = FootnoteTool(
    name="read_passage",
    title="Read a passage",
    description=(
        "Read one passage in its place: its text, document, date, page and section, and the chunk_ids of the "
        "passages before and after it, to read on. Takes a chunk_id from search or from a citation of ask."
    ),
    arguments=PassageArguments,
    gives=_object(
        chunk_id=_TEXT,
        document_id=_TEXT,
        document_name=_TEXT,
        document_type=_TEXT,
        document_date=_TEXT_OR_NULL,
        source_url=_TEXT_OR_NULL,
        page_number=_NUMBER_OR_NULL,
        chapter=_TEXT_OR_NULL,
        section=_TEXT_OR_NULL,
        content=_TEXT,
        position={"type": "integer"},
        chunk_count={"type": "integer"},
        previous_chunk_id=_TEXT_OR_NULL,
        next_chunk_id=_TEXT_OR_NULL,
    ),
    scope=AuthToken.Scope.ASK,
    run=_read_passage,
)
TOOLS = {tool.name: tool for tool in (SEARCH, ASK, READ_PASSAGE)}
