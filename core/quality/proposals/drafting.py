"""Give a person what they start from, and show the change as it will be sent, before it is."""

import difflib
import re
import time
from dataclasses import dataclass
from uuid import UUID

import numpy as np
from pgvector.django import CosineDistance

from core.access.audiences import audience_of, may_decide_who_reads, readable_among
from core.asking.reading.reader import read
from core.asking.reading.readings import OF_PASSAGE
from core.errors import NotFoundError
from core.library import embedding
from core.library.retrieval.chunk_lookup import passages_again
from core.library.sync.proposing import EDITS_FILES
from core.models import Chunk, ContradictionWords, DataSource, Document, RoleDocumentAccess, SourceContradiction, User
from core.models.row_security import as_audience, showing_quotes_to
from core.quality.gaps.assigning import UNANSWERED
from core.quality.gaps.candidates import text_to_embed
from core.quality.gaps.grouping import middle_of
from core.quality.proposals.rights import DocumentChangedError, InvalidChangeError, Reason
from core.quality.proposals.targets import (
    WRITTEN_ENDINGS,
    describe_source,
    describe_target,
    find_document,
    find_recipient,
    find_source,
    read_file_text,
)
from core.types import Audience
from core.values.proposals import (
    LONGEST_PLACE,
    LONGEST_QUESTION,
    LONGEST_TEXT,
    LONGEST_TITLE,
    ChangeForm,
    ChangePreview,
    ChangeTarget,
    ChangeWay,
    Found,
    NearestPassage,
    WrittenChange,
)

_MOST_ASKERS = 50  # that are looked at for what they may read
_MOST_READ = 5  # questions that the text is read for
_READING_S = 8.0  # for all of them, while a person waits for the preview
_LONGEST_QUOTE = 700  # characters
_AROUND = 3  # lines that a diff shows around what changed
_LONGEST_NAME = 200  # bytes: file systems take 255
_SPACE_KEY = re.compile(r"~?[A-Za-z0-9]{1,255}")


@dataclass(frozen=True, kw_only=True, slots=True)
class Goal:
    """Holds the document to change, or the source of a new one, once the viewer may have it changed."""

    target: ChangeTarget
    way: ChangeWay
    viewer: User
    document: Document | None = None
    source: DataSource | None = None

    @property
    def edits_file(self) -> bool:
        """True if the text is the whole file."""
        return self.way in EDITS_FILES


def find_goal(document_id: UUID | None, source_id: UUID | None, viewer: User, audience: Audience) -> Goal:
    """Find what is to be changed. NotFoundError for what the viewer may not read, InvalidChangeError without a way."""
    if document_id:
        document = find_document(document_id, audience)
        target = describe_target(document, viewer, audience)
        if target.way is None:
            raise InvalidChangeError(f"{document.title} cannot be changed from here. {target.why_not}")
        by_mail = target.way == ChangeWay.MAIL
        source = None if by_mail else document.data_source
        return Goal(target=target, way=target.way, viewer=viewer, document=document, source=source)
    if source_id is None:
        raise NotFoundError
    new_in, way = find_source(source_id, viewer, audience)
    return Goal(target=describe_source(new_in, way), way=way, viewer=viewer, source=new_in)


def open_form(reason: Reason, goal: Goal, audience: Audience) -> ChangeForm:
    """Build what a person starts from: title, question, the nearest passage, and the file as it is in the library."""
    question = _find_question(reason, goal, audience)
    return ChangeForm(
        unread_people=_count_unread(reason, goal),
        target=goal.target,
        title=_make_title(question, goal),
        question=question,
        people=reason.gap.people if reason.gap else 0,
        nearest=find_nearest(reason, goal.document, audience) if goal.document else None,
        text=read_file_text(goal.document, audience) if goal.document and goal.edits_file else "",
        edits_file=goal.edits_file,
        version=goal.document.version if goal.document else 0,
    )


def preview_change(
    reason: Reason, goal: Goal, written: WrittenChange, viewer: User, audience: Audience
) -> ChangePreview:
    """Show a change as it will be sent. InvalidChangeError for what is wrong with it, DocumentChangedError."""
    old = check_written(written, goal, audience)
    nearest = choose_passage(reason, goal, written, viewer, audience)
    names = ("as it is", "as proposed")
    diff = difflib.unified_diff(old.splitlines(), written.text.splitlines(), *names, n=_AROUND, lineterm="")
    return ChangePreview(
        way=goal.way,
        description=describe_change(
            way=goal.way,
            question=written.question,
            people=reason.gap.people if reason.gap else 0,
            nearest=nearest,
            is_contradicted=reason.pair is not None,
            author=viewer.name_without_address,
        ),
        diff=tuple(diff)[2:],
        found=_read_for_questions(reason, goal, written, old),
    )


def check_written(written: WrittenChange, goal: Goal, audience: Audience) -> str:
    """Check what somebody wrote, and return the text of the file as it is; empty where none is changed.

    InvalidChangeError, which says what is wrong; DocumentChangedError where it was written for another edition.
    """
    title, text = written.title.strip(), written.text.strip()
    if len(title.splitlines()) != 1 or len(title) > LONGEST_TITLE:
        raise InvalidChangeError(f"Write a title of one line, of at most {LONGEST_TITLE} characters.")
    if len(written.question) > LONGEST_QUESTION:
        raise InvalidChangeError(f"Write the question in at most {LONGEST_QUESTION} characters.")
    if not text:
        raise InvalidChangeError("Write what is to be in the document.")
    if len(text) > LONGEST_TEXT:
        raise InvalidChangeError(f"The text is longer than {LONGEST_TEXT:,} characters. Shorten it.")
    if "\0" in written.text + title + written.question:
        raise InvalidChangeError("The text has a character that no text has. Paste it as plain text.")
    if goal.document is None:
        _check_place(written.place, goal)
        return ""
    if written.version != goal.document.version:
        raise DocumentChangedError
    if not goal.edits_file:
        return ""
    old = read_file_text(goal.document, audience)
    if old.strip() == text:
        raise InvalidChangeError("Nothing is changed yet. Write what is missing, or put right what is wrong.")
    return old


def describe_change(
    *, way: ChangeWay, question: str, people: int, nearest: NearestPassage | None, is_contradicted: bool, author: str
) -> str:
    """Write, as Markdown, what goes along with a change: who asks, the nearest passage, who proposes it.

    It has no word of another document than the one that is changed.
    """
    asked = f"{people} {'person' if people == 1 else 'people'} asked" if people else "It was asked"
    parts = [f"{asked}: {_escape(' '.join(question.split()))}"] if question.strip() else []
    if is_contradicted:
        parts.append("Another document says otherwise.")
    if nearest is not None:
        where = f" ({_escape(nearest.section)})" if nearest.section else ""
        quote = "\n".join(f"> {_escape(line)}" for line in nearest.quote.splitlines())
        parts.append(f"The nearest passage today{where}:\n\n{quote}")
    then = "" if way == ChangeWay.MAIL else " Once it is merged and read, those who asked and may read it are answered."
    parts.append(f"Proposed by {_escape(author)} in Footnote.{then}")
    return "\n\n".join(parts) + "\n"


def find_nearest(reason: Reason, document: Document, audience: Audience) -> NearestPassage | None:
    """Find the passage of a document that is nearest to a gap's questions, or a contradiction's side of it."""
    if reason.pair is not None:
        return _find_side(reason.pair, document, audience)
    middle = _find_middle(reason)
    if middle is None:
        return None
    with as_audience(audience):
        of_document = Chunk.objects.visible_to(audience).filter(document__in=_list_parts(document))
        chunk = (
            of_document.filter(embedding_model=embedding.provider().name)
            .for_reading()
            .order_by(CosineDistance("embedding", middle))
            .first()
        )
    if chunk is None:
        return None
    return cut_passage(chunk.pk, chunk.section_title, chunk.content)


def choose_passage(
    reason: Reason, goal: Goal, written: WrittenChange, viewer: User, audience: Audience
) -> NearestPassage | None:
    """Return the passage that goes along; None where none is wanted, or whoever gets a mail may not read it."""
    if goal.document is None or not written.quotes_nearest:
        return None
    nearest = find_nearest(reason, goal.document, audience)
    recipient = find_recipient(goal.document) if goal.way == ChangeWay.MAIL else None
    if nearest is None or recipient is None:
        return nearest
    both = audience_of([viewer.pk, recipient.pk])
    return nearest if passages_again([(nearest.chunk_id, 0.0)], audience=both) else None


def cut_passage(chunk_id: UUID, section: str, content: str) -> NearestPassage:
    """Cut a passage to the length that is quoted, at a space."""
    end = len(content)
    if end > _LONGEST_QUOTE:
        end = content.rfind(" ", 0, _LONGEST_QUOTE) if " " in content[:_LONGEST_QUOTE] else _LONGEST_QUOTE
    return NearestPassage(chunk_id=chunk_id, section=section, quote=content[:end], start=0, end=end)


def _list_parts(document: Document) -> list[UUID]:
    return [document.pk, *document.parts.values_list("pk", flat=True)]


def _find_side(pair: SourceContradiction, document: Document, audience: Audience) -> NearestPassage | None:
    parts = _list_parts(document)
    side = "newer" if pair.newer_id in parts else "older"
    start, end = getattr(pair, f"{side}_start"), getattr(pair, f"{side}_end")
    found = passages_again([(getattr(pair, f"{side}_chunk_id"), 0.0)], audience=audience)
    if not found or found[0].document_id not in parts or found[0].chunk_id is None:
        return None
    quote = found[0].content[start:end]
    return NearestPassage(chunk_id=found[0].chunk_id, section=found[0].section, quote=quote, start=start, end=end)


def _find_middle(reason: Reason) -> np.ndarray | None:
    if reason.gap is None:
        return None
    name = embedding.provider().name
    questions = reason.gap.questions.filter(embedding__isnull=False, embedding_model=name, outcome__in=UNANSWERED)
    vectors = list(questions.values_list("embedding", flat=True)[:100])
    return middle_of(np.array(vectors, dtype=np.float32)) if vectors else None


def _find_question(reason: Reason, goal: Goal, audience: Audience) -> str:
    """Return the question that goes along, to begin with.

    The question of a contradiction is in words of both documents: it goes along where whoever reads the one reads the
    other as well.
    """
    if reason.gap is not None:
        return reason.gap.label_query.question_text[:LONGEST_QUESTION] if reason.gap.label_query else ""
    pair = reason.pair
    if pair is None or goal.document is None or not _is_read_by_no_others(goal.document, pair):
        return ""
    with showing_quotes_to(audience):
        words = ContradictionWords.objects.filter(contradiction=pair.pk).first()
    return words.question[:LONGEST_QUESTION] if words else ""


def _is_read_by_no_others(document: Document, pair: SourceContradiction) -> bool:
    """Return True if each role that reads a document reads the other side of a pair as well."""
    other = pair.older_id if pair.newer_id in _list_parts(document) else pair.newer_id
    grants = RoleDocumentAccess.objects.in_force()
    readers = set(grants.filter(document=document).values_list("role_id", flat=True))
    return readers <= set(grants.filter(document=other).values_list("role_id", flat=True))


def _count_unread(reason: Reason, goal: Goal) -> int:
    """Count those who asked a gap's questions and may not read the document now; of a new one nobody knows yet.

    0 for a viewer who does not decide who reads: it tells of others' rights.
    """
    if reason.gap is None or goal.document is None or not may_decide_who_reads(goal.viewer):
        return 0
    asked = reason.gap.questions.filter(outcome__in=UNANSWERED, query__user__is_active=True).order_by()
    askers = asked.values_list("query__user_id", flat=True).distinct()[:_MOST_ASKERS]
    return sum(not readable_among([goal.document.pk], audience_of([asker])) for asker in askers)


def _make_title(question: str, goal: Goal) -> str:
    about = " ".join(question.split())
    if goal.way == ChangeWay.MAIL and goal.document:
        return f"Suggested change of {goal.document.title}"[:LONGEST_TITLE]
    if about:
        return f"Add an answer to: {about}"[:LONGEST_TITLE]
    return f"Correct {goal.document.title}"[:LONGEST_TITLE] if goal.document else ""


def _check_place(place: str, goal: Goal) -> None:
    """Check the path of a new file, or the key of the space of a new page."""
    if not goal.edits_file:
        if not _SPACE_KEY.fullmatch(place):
            raise InvalidChangeError("Write the key of a space, such as DOCS: it is in the address of its pages.")
        return
    parts = place.split("/")
    if not place.strip():
        raise InvalidChangeError("Write the path of the new file, such as handbook/parental-leave.md.")
    if len(place) > LONGEST_PLACE or any(len(part.encode()) > _LONGEST_NAME for part in parts):
        raise InvalidChangeError(f"The path is too long: {LONGEST_PLACE} characters at most, {_LONGEST_NAME} a name.")
    is_odd = not place.isprintable() or "\\" in place
    if is_odd or any(not part or part.startswith(".") or part != part.strip() for part in parts):
        raise InvalidChangeError(
            "The path begins with a folder or the name of the file, such as handbook/parental-leave.md, and has no "
            "backslash, no double or leading slash, and no folder or name that begins with a dot."
        )
    if not place.casefold().endswith(WRITTEN_ENDINGS):
        raise InvalidChangeError(f"The new file is a text: its name ends with {', '.join(WRITTEN_ENDINGS)}.")


def _read_for_questions(reason: Reason, goal: Goal, written: WrittenChange, old: str) -> tuple[Found, ...]:
    """Read what is new for the questions of a gap: how probably it answers each of them."""
    if reason.gap is None:
        return ()
    rows = reason.gap.questions.filter(query__erased_at=None, outcome__in=UNANSWERED).select_related("query")
    questions = list(dict.fromkeys(text_to_embed(row.query) for row in rows[: _MOST_READ * 4]))[:_MOST_READ]
    name = goal.document.title if goal.document else ""  # the title of a change has the question in it
    new = list_new_paragraphs(old, written.text)
    found, ends = list[Found](), time.monotonic() + _READING_S
    for question in questions:
        left = max(0.0, ends - time.monotonic())
        readings = [one for one in read(question, [(name, text) for text in new], budget_s=left) if one]
        best = max((one.answers for one in readings), default=None)
        found.append(Found(question=question, probability=None if best is None else OF_PASSAGE.probability(best)))
    return tuple(found)


def list_new_paragraphs(old: str, new: str) -> list[str]:
    """List the paragraphs of a text that an older text does not have, each below its nearest heading; 20 at most."""
    known = {" ".join(paragraph.split()) for paragraph in _split(old)}
    heading, found = "", list[str]()
    for paragraph in _split(new):
        if paragraph.startswith("#") and "\n" not in paragraph:
            heading = paragraph.lstrip("# ")
        elif " ".join(paragraph.split()) not in known:
            found.append(f"{heading}\n\n{paragraph}".strip())
    return found[:20]


def _split(text: str) -> list[str]:
    """Split a text at blank lines, and behind headings."""
    paragraphs: list[list[str]] = [[]]
    for line in text.splitlines():
        if not line.strip():
            paragraphs.append([])
        elif line.startswith("#"):
            paragraphs += [[line], []]
        else:
            paragraphs[-1].append(line)
    return ["\n".join(lines).strip() for lines in paragraphs if lines]


def _escape(text: str) -> str:
    """Keep what would be markup from being any: words of questions and documents are shown as they are."""
    return re.sub(r"([\\`*_{}\[\]<>#|!@~])", r"\\\1", text)
