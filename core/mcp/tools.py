"""Define the tools: their arguments and descriptions for a model, and their actions for the person who calls."""

from typing import Literal
from uuid import UUID

from pydantic import Field, StrictInt, StrictStr

from core import api
from core.api import MOST_SEARCH_RESULTS
from core.mcp.forms import (
    CITATIONS,
    Arguments,
    Call,
    FilteredArguments,
    FootnoteTool,
    Given,
    Json,
    describe_form,
    describe_object,
)
from core.mcp.research import PLAN_RESEARCH, READ_RESEARCH, START_RESEARCH, STOP_RESEARCH
from core.models import AuthToken
from core.programs import asking
from core.programs.contradictions import ContradictionsJson, list_contradictions
from core.serialization import (
    ContradictionJson,
    GuidanceJson,
    PassageInPlaceJson,
    ReadableCollectionJson,
    ResultJson,
    SearchJson,
    VerifiedJson,
)
from core.types import ConfidenceLevel, Outdated
from core.values.receipts import OPTIONAL

CONTRADICTIONS_PER_PAGE = 20


class SearchArguments(FilteredArguments):
    """Of `search`."""

    query: StrictStr = Field(description="What to look for, in 3 to 1,000 characters.")
    k: StrictInt = Field(5, ge=1, le=MOST_SEARCH_RESULTS, description="Largest number of passages.")


class AskArguments(FilteredArguments):
    """Of `ask`."""

    question: StrictStr = Field(description="One question, in 3 to 1,000 characters.")
    conversation_id: UUID | None = Field(
        None, description="The conversation_id of an earlier result, to ask a follow-up question."
    )
    selected_text: StrictStr | None = Field(
        None, description="Answer only from this text; nothing else is searched then."
    )
    max_results: StrictInt | None = Field(
        None, description="How many passages the answer is first written from, 1 to 10. Default: 5."
    )


class PassageArguments(Arguments):
    """Of `read_passage`."""

    chunk_id: UUID = Field(description="The chunk_id of a search result, a citation or a neighbouring passage.")


class EndArguments(Arguments):
    """Of `end_conversation`."""

    conversation_id: UUID = Field(description="The conversation_id of an earlier result of ask.")


class ReceiptArguments(Arguments):
    """Of `issue_receipt`."""

    request_id: StrictStr = Field(description="The request_id of an earlier result of ask.", max_length=30)
    left_out: list[StrictStr] = Field(
        default_factory=list,
        max_length=len(OPTIONAL),
        description=f"Parts that the receipt is not to disclose, of: {', '.join(OPTIONAL)}.",
    )


class ContradictionsArguments(Arguments):
    """Of `list_contradictions`."""

    state: Literal["open", "one_holds", "both_hold", "asked", "gone"] = Field(
        "open",
        description="open: nobody has decided; one_holds, both_hold: somebody has; asked: an owner was asked; gone: "
        "one of the two says something else now.",
    )
    page: StrictInt = Field(1, ge=1, le=100_000, description="Of 20 pairs each.")


def _search_documents(call: Call, given: SearchArguments) -> SearchJson:
    return asking.search(call.program, given.query, filters=api.parse_filters(given.filters()), k=given.k)


def _ask_documents(call: Call, given: AskArguments) -> ResultJson:
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


def _issue_receipt(call: Call, given: ReceiptArguments) -> Given:
    return dict(asking.issue_receipt(call.program, given.request_id, left_out=given.left_out).content)


def _list_contradictions(call: Call, given: ContradictionsArguments) -> ContradictionsJson:
    offset = (given.page - 1) * CONTRADICTIONS_PER_PAGE
    return list_contradictions(call.program, states=[given.state], limit=CONTRADICTIONS_PER_PAGE, offset=offset)


_TEXT_OR_NULL: Json = {"type": ["string", "null"]}


_GUIDANCE: Json = {
    **describe_form(
        GuidanceJson,
        collections={
            "type": "array",
            "items": describe_form(ReadableCollectionJson),
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
    **describe_form(VerifiedJson, outdated={"enum": [*Outdated, None]}),
    "type": ["object", "null"],
    "description": "If a person verified the answer: who and when, and why it may be outdated. Tell the person.",
}


_CONTRADICTION: Json = {
    **describe_form(ContradictionJson),
    "type": ["object", "null"],
    "description": (
        "If another document gives another value than a cited one: what both say, word for word, the one to go by "
        "first. Show both to the person, each with its date."
    ),
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
    gives=describe_form(SearchJson),
    scope=AuthToken.Scope.ASK,
    run=_search_documents,
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
    gives=describe_form(
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
        "contradiction",
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
        citations=CITATIONS,
        closest={
            **CITATIONS,
            "description": (
                "When answer is null: the passages that come closest, best first. They may not answer the "
                "question at all."
            ),
        },
        verified=_VERIFIED,
        contradiction=_CONTRADICTION,
        guidance=_GUIDANCE,
    ),
    scope=AuthToken.Scope.ASK,
    run=_ask_documents,
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
    gives=describe_form(PassageInPlaceJson),
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
    gives=describe_object(conversation_id={"type": "string"}, is_active={"type": "boolean"}),
    scope=AuthToken.Scope.ASK,
    run=_end_conversation,
    writes=True,
)


ISSUE_RECEIPT = FootnoteTool(
    name="issue_receipt",
    title="Issue a signed receipt",
    description=(
        "Issue the signed receipt of an earlier result of ask: a JSON file that shows question, statements, quotes and "
        "their editions to others, who can verify it without Footnote. Hand it on unchanged, as a file. It is "
        "recorded in the audit trail."
    ),
    arguments=ReceiptArguments,
    gives=describe_object(
        payload={"type": "string"},
        protected={"type": "string"},
        signature={"type": "string"},
        header={"type": "object", "properties": {"disclosures": {"type": "array", "items": {"type": "string"}}}},
    ),
    scope=AuthToken.Scope.ASK,
    run=_issue_receipt,
    writes=True,
    is_idempotent=False,
)


LIST_CONTRADICTIONS = FootnoteTool(
    name="list_contradictions",
    title="List contradictions",
    description=(
        "List pairs of documents that answer the same question differently, the last found first: the question, and "
        "of each document its name, date and the words that say it. Only pairs of which the signed-in person may read "
        "both documents, and only for people who look after documents; others get none. What holds is for people to "
        "decide: do not choose one yourself."
    ),
    arguments=ContradictionsArguments,
    gives=describe_form(ContradictionsJson),
    scope=AuthToken.Scope.ASK,  # what it quotes, search gives as well
    run=_list_contradictions,
)


TOOLS = {
    tool.name: tool
    for tool in (
        SEARCH,
        ASK,
        READ_PASSAGE,
        END_CONVERSATION,
        ISSUE_RECEIPT,
        LIST_CONTRADICTIONS,
        PLAN_RESEARCH,
        START_RESEARCH,
        READ_RESEARCH,
        STOP_RESEARCH,
    )
}
