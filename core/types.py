"""The values that pass through Footnote's doors: frozen, keyword-only, without behaviour of their own."""

import datetime as dt
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Self
from uuid import UUID

from core.values.document_names import reference_of, tell_apart
from core.values.token_audience import TokenAudience

LONGEST_COMMENT = 2000  # characters of what a person may write about an answer
MOST_INSTEAD = 3  # questions that are offered in place of a refused one
Listener = Callable[[str], None]  # hears of each step of answering, or how an answer begins


class ContextMode(StrEnum):
    """The texts from which a question is answered."""

    FULL_CORPUS = "full_corpus"
    SELECTED_TEXT = "selected_text"


class Origin(StrEnum):
    """The place where a conversation is held."""

    SLACK = "slack"
    REST = "rest"
    MCP = "mcp"
    COMMAND = "command"
    EVALUATION = "evaluation"  # a run over a dataset: nobody uses Footnote by it, so that no figure of use counts it
    RECHECK = "recheck"  # Footnote asks again what was answered from a text that has changed since
    RESEARCH = "research"  # a question of a plan, which a person wanted and nobody put


NOBODY_WANTED = (Origin.EVALUATION, Origin.RECHECK)  # Footnote asks by itself: charged to nobody, shown to nobody
NOBODY_ASKED = (*NOBODY_WANTED, Origin.RESEARCH)  # in no figure of use, no gap and no list


class QueryState(StrEnum):
    """The steps of answering, in order; the last four are ends."""

    NEW = "NEW"
    EMBEDDING_GENERATED = "EMBEDDING_GENERATED"
    RETRIEVAL_COMPLETE = "RETRIEVAL_COMPLETE"
    RESPONSE_GENERATED = "RESPONSE_GENERATED"
    COMPLETE = "COMPLETE"
    NO_CONTENT_FOUND = "NO_CONTENT_FOUND"
    FAILED = "FAILED"
    STOPPED = "STOPPED"  # by its asker, before there was a result


FINAL_STATES = (QueryState.COMPLETE, QueryState.NO_CONTENT_FOUND, QueryState.FAILED, QueryState.STOPPED)


class ConfidenceLevel(StrEnum):
    """Confidence in words."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"
    INSUFFICIENT = "insufficient"


class RefusalReason(StrEnum):
    """The reason for which a question got no answer."""

    NOTHING_FOUND = "nothing_found"
    INSUFFICIENT = "insufficient"
    INVALID_QUESTION = "invalid_question"
    OVER_QUOTA = "over_quota"
    MODEL_UNAVAILABLE = "model_unavailable"
    AMBIGUOUS = "ambiguous"  # the message asks which of several is meant
    SMALL_TALK = "small_talk"  # the message is no question, and is replied to: nothing is searched, and nothing stored
    UNSURE = "unsure"  # nothing is sure enough to be an answer; the passages that come closest are shown


class FeedbackReason(StrEnum):
    """A person's complaint about an answer."""

    WRONG = "wrong"
    NOT_FOUND = "not_found"  # though the documents say it
    BAD_SOURCE = "bad_source"
    TOO_SLOW = "too_slow"
    OTHER = "other"


class Outdated(StrEnum):
    """The reason for which a verified answer may be outdated."""

    SOURCES_CHANGED = "sources_changed"  # since it was verified, or its quotes no longer occur there
    REVIEW_DUE = "review_due"  # the day on which it was to be looked at again has passed


@dataclass(frozen=True, kw_only=True, slots=True)
class Asker:
    """The person who asks. A person unknown to Footnote has no user_id and can read nothing by themselves."""

    user_id: UUID | None
    display_name: str = ""
    asks_for: TokenAudience = field(default_factory=TokenAudience)  # the others, where a token asks for them


@dataclass(frozen=True, slots=True)
class Audience:
    """Everyone who will read an answer, as the minimal ones among the role sets of its readers. Build it with `of`.

    A document is visible to the audience when every role set holds a role that is granted the document: none where a
    reader has no role. No value means everyone, and there is no audience without a reader.
    """

    role_sets: tuple[frozenset[UUID], ...]

    def __post_init__(self) -> None:
        if not self.role_sets:
            raise ValueError("an audience needs at least one reader")

    @classmethod
    def of(cls, role_sets: Iterable[Iterable[UUID]]) -> Self:
        """Build an audience from one role set per reader; supersets of another set add nothing and are dropped."""
        distinct = sorted({frozenset(roles) for roles in role_sets}, key=lambda roles: (len(roles), sorted(roles)))
        minimal: list[frozenset[UUID]] = []
        for roles in distinct:
            if not any(kept <= roles for kept in minimal):
                minimal.append(roles)
        return cls(tuple(minimal))

    @classmethod
    def nobody(cls) -> Self:
        """The audience that may read nothing."""
        return cls((frozenset(),))

    @property
    def reads_nothing(self) -> bool:
        """True when a reader without roles is among the audience."""
        return any(not roles for roles in self.role_sets)


TEXT_FILTERS = ("source", "document_type", "collection", "chapter", "section")


@dataclass(frozen=True, kw_only=True, slots=True)
class Filters:
    """The filters of a search. An absent part does not narrow.

    source matches a part of the document's title, source address or arXiv id, in any case. A document must be in one of
    the collections, which an administrator sets for a channel; collection is a person's.
    """

    source: str = ""
    document_type: str = ""
    collection: str = ""
    chapter: str = ""
    section: str = ""
    page: int | None = None  # as a question names it; passages that begin on the page before may go on there
    collections: tuple[str, ...] = ()
    date_from: dt.date | None = None
    date_to: dt.date | None = None
    max_results: int = 5  # passages given to the model, 1..10


@dataclass(frozen=True, order=True, slots=True)
class Edition:
    """One loaded version of a document: what words belong to, and what readers are allowed."""

    document_id: UUID
    version: int  # Document.version when the words were read; 0 where it is unknown, which nobody may read


@dataclass(frozen=True, kw_only=True, slots=True)
class PlacedText:
    """A piece of text, and its place."""

    chunk_id: UUID | None  # None for selected text, which is no chunk of the corpus
    document_id: UUID | None
    document_name: str
    document_type: str
    document_date: dt.date | None
    source_url: str
    page_number: int | None
    chapter: str
    section: str
    content: str
    authors: str = ""
    file_name: str = ""  # of the file that the document came as
    full_citation: str = ""  # of the document


@dataclass(frozen=True, kw_only=True, slots=True)
class Passage(PlacedText):
    """A chunk that was retrieved for an audience that may read it."""

    similarity: float  # cosine similarity with the question, 0..1
    score: float  # the score that decided the rank
    rank: int  # from 1
    rerank_score: float | None = None  # the re-ranker's, 0..1; None where it gave none
    chunk_index: int | None = None  # position in its document, or in the selected text, from 0
    token_count: int | None = None  # counted by the embedding model; None for selected text
    later_pages: tuple[tuple[int, int], ...] = ()  # (offset in the content, page) where it goes on to another page
    is_recognised: bool = False  # it was recognised on a picture
    document_version: int = 0  # of the edition that the chunk belongs to; 0 for selected text
    asked_last: str = ""  # the name of its collection, where that is asked after all others
    opens: str = ""  # the heading of the part that it begins, or its document's name, where that is read as a whole

    @property
    def edition(self) -> Edition | None:
        """The edition that the chunk belongs to; None for selected text."""
        return Edition(self.document_id, self.document_version) if self.document_id else None

    def page_at(self, offset: int) -> int | None:
        """Return the page of an offset in the content; None where the document has no pages."""
        return next((page for start, page in reversed(self.later_pages) if start <= offset), self.page_number)

    @property
    def source(self) -> str:
        """The passage's place in words: document, date, chapter, section and page."""
        parts = (
            self.document_name,
            f"{self.document_date:%-d %B %Y}" if self.document_date else "",
            self.chapter if self.chapter != self.document_name else "",
            self.section,
            f"page {self.page_number}" if self.page_number else "",
        )
        return ", ".join(part for part in parts if part)


@dataclass(frozen=True, kw_only=True, slots=True)
class PassageInPlace(PlacedText):
    """A chunk in its document, read without a question."""

    position: int  # from 1, among the chunks of the document
    chunk_count: int  # of the document
    previous_chunk_id: UUID | None  # None at the beginning
    next_chunk_id: UUID | None  # None at the end


@dataclass(frozen=True, kw_only=True, slots=True)
class RetrievalResult:
    """The passages for one query, best first, and how they were found."""

    passages: tuple[Passage, ...]
    strategy: str  # the plan that was chosen, e.g. "exact"
    reason: str  # why, in words
    took_ms: float
    is_short: bool = False  # fewer passages than were wanted, though more are permitted: a fault, which is counted


@dataclass(frozen=True, kw_only=True, slots=True)
class Quote:
    """Words that a draft claims to quote from the passage of that number (from 1)."""

    passage: int
    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Statement:
    """One sentence of a draft with the quotes that carry it."""

    text: str
    quotes: tuple[Quote, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Citation:
    """A verified quote, and its place."""

    number: int  # as printed in the answer, from 1
    chunk_id: UUID | None
    document_id: UUID | None
    document_name: str
    document_date: dt.date | None
    page_number: int | None
    chapter: str = ""
    section: str
    source_url: str
    excerpt: str  # at most 200 characters, for display
    quoted_excerpt: str  # verbatim: content[start:end] of the chunk
    start: int  # offsets into the chunk's content, in characters
    end: int
    relevance_score: float  # 0..1
    is_recognised: bool = False  # the words were recognised on a picture, and may differ from what it shows
    authors: str = ""
    file_name: str = ""  # of the file that the document came as
    full_citation: str = ""  # of the document
    document_version: int = 0  # of the edition that is quoted; 0 where it is unknown, or there is no document
    citation_id: UUID | None = None  # None for what is not stored
    opens_at: str = ""  # the address of its page; empty where there is none

    @property
    def edition(self) -> Edition | None:
        """The edition that is quoted; None where there is no document."""
        return Edition(self.document_id, self.document_version) if self.document_id else None

    @property
    def distinction(self) -> str:
        """The mark that distinguishes the document from others of its name: its date, else its file's name."""
        return tell_apart(self.document_name, self.document_date, self.file_name)

    @property
    def display_name(self) -> str:
        """The document's name, with a mark that distinguishes it from others of that name."""
        return ", ".join(part for part in (self.document_name, self.distinction) if part)

    @property
    def label(self) -> str:
        """`[document, page X]`, `[document, section Y]` or `[document]`."""
        if self.page_number is not None:
            return f"[{self.document_name}, page {self.page_number}]"
        if self.section:
            return f"[{self.document_name}, section {self.section}]"
        return f"[{self.document_name}]"

    @property
    def source_reference(self) -> str:
        """`Chapter X, Section Y, Page Z`, absent parts left out."""
        return reference_of(self.chapter, self.section, self.page_number)


@dataclass(frozen=True, kw_only=True, slots=True)
class QuoteInPlace:
    """A citation with the words around its quote, by the passage's current text."""

    citation: Citation
    before: str = ""  # at most 300 characters; empty at the passage's edge, and when the passage has changed since
    after: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Opinion:
    """One person's opinion of one answer."""

    verdict: str  # up or down
    reasons: tuple[FeedbackReason, ...]
    comment: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Retrieved:
    """One retrieved chunk by id, as it is logged and reported."""

    chunk_id: UUID
    document_id: UUID
    rank: int
    similarity: float
    rerank_score: float | None = None  # as of Passage


@dataclass(frozen=True, kw_only=True, slots=True)
class Usage:
    """The consumption of a language model."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost_usd: float = 0.0
    saved_tokens: int = 0  # of replies that were at hand, so that the model was not called


@dataclass(frozen=True, kw_only=True, slots=True)
class Result:
    """The fields of every result, answer or refusal."""

    request_id: str
    query_id: UUID | None  # None when the question was refused before it was stored
    conversation_id: UUID | None
    confidence: float  # 0..1
    confidence_level: ConfidenceLevel
    retrieved: tuple[Retrieved, ...]
    state: QueryState
    agent_steps: int
    model_provider: str
    processing_time_ms: int
    trace_id: str
    timings_ms: dict[str, float] = field(default_factory=dict)
    context_mode: ContextMode = ContextMode.FULL_CORPUS
    mean_similarity: float | None = None  # of the retrieved passages that may be read; None when there are none
    asked: str = ""  # the standalone question, which may differ from its words in a conversation
    filters: Filters = field(default_factory=Filters)  # what was searched, those understood from the question included


@dataclass(frozen=True, kw_only=True, slots=True)
class Verification:
    """That a person verified an answer, and whether it may be outdated by now."""

    verified_by: str  # the person's name; empty where they have been deleted
    verified_at: dt.datetime
    outdated: Outdated | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Contradiction:
    """Words of a document that answer otherwise than a cited one does. Readers of both alone may know of it."""

    cited: Edition
    by: Passage  # of the other document
    says: tuple[int, int]  # where it says so: offsets into that passage's content, in characters
    quotes: tuple[Citation, Citation]  # what both say, the one to go by first; with number 0 where it is not cited


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer(Result):
    """An answer of which every statement is carried by a verified citation."""

    text: str
    citations: tuple[Citation, ...]
    message: str = ""  # what of the question was not found, if anything
    verified: Verification | None = None  # where a person wrote or took over the answer
    contradiction: Contradiction | None = None  # of a cited document, by one that the same audience may read


@dataclass(frozen=True, kw_only=True, slots=True)
class Refusal(Result):
    """An honest end without an answer."""

    reason: RefusalReason
    message: str
    closest: tuple[Citation, ...] = ()  # where nothing is sure enough: the passages that come closest, best first


@dataclass(frozen=True, kw_only=True, slots=True)
class Run:
    """The result of a question at one time: when it was asked, or when it was replayed."""

    text: str | None  # of the answer; None for a refusal, and when it may not be shown
    refusal: str  # the reason; empty for an answer
    confidence: float  # 0..1
    citations: tuple[Citation, ...]  # those that the asker may read now
    closest: tuple[Citation, ...]  # of a refusal, those of the closest passages that the asker may read now
    steps: tuple[str, ...]  # the tools that the agent called, step by step
    dropped: int  # statements whose quotes did not check
    reasons: dict[str, int] = field(default_factory=dict)  # how many of them, by the values of Reason
    contradiction: Contradiction | None = None  # of a cited document, by one that the asker may read now


@dataclass(frozen=True, kw_only=True, slots=True)
class Trace:
    """The steps of deciding a question for some readers. It shows what those readers may read, and no more."""

    question: str  # as it was understood
    filters: Filters  # as applied
    searches: tuple[str, ...]  # what was searched for
    strategy: str  # of the search
    reason: str  # why that strategy
    passages: tuple[Passage, ...]  # that were found, best first
    by_colleague: str  # who verified the answer that is given; empty where the documents are searched for one
    asks_back: str  # what Footnote asks in return; empty when the question is clear
    message: str  # what is said below an answer, or in its place; empty where it asks back
    written: tuple[tuple[str, bool], ...]  # each statement of the draft, and whether it was kept
    dropped_reasons: tuple[tuple[str, int], ...]  # why statements were dropped, and how many
    run: Run


@dataclass(frozen=True, kw_only=True, slots=True)
class Replay:
    """A question that was answered again from the passages of then, as far as its asker may read them now."""

    request_id: str
    passages: int  # that the model was shown then
    gone: int  # of them: deleted or replaced since
    forbidden: int  # of them: not the asker's to read any more
    is_hidden: bool  # the answer of then cites what its asker may not read now, and is not shown
    settings: tuple[tuple[str, str, str], ...]  # what is set otherwise: its name, its value then, its value now
    differing: tuple[str, ...]  # the names of what differs, of all of this
    retrieval: tuple[str, str]  # the strategy then, and the one a search would take now
    found_again: int  # of the passages: what a search would find now
    then: Run
    now: Run


@dataclass(frozen=True, kw_only=True, slots=True)
class Trial:
    """A logged question asked now for some audience. It shows what that audience may read, and no more."""

    request_id: str
    asked: str  # as it was understood
    filters: Filters  # as applied
    passages: tuple[Passage, ...]  # that were found
    strategy: str  # of the search
    run: Run


@dataclass(frozen=True, kw_only=True, slots=True)
class ReadableCollection:
    """A collection as an audience sees it: by those of its documents that it may read."""

    name: str
    documents: int
    newest: dt.date | None  # the latest date of them; None when none is dated


@dataclass(frozen=True, kw_only=True, slots=True)
class Guidance:
    """Help after a refusal: the audience's collections, and questions near the refused one that are answered."""

    collections: tuple[ReadableCollection, ...]
    questions: tuple[str, ...]  # the nearest first
