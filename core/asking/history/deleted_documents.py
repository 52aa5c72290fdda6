"""Erase the words of a document wherever they were written, in the transaction that deletes it.

An answer mingles its sources: the text of each answer that cites the document goes as a whole, and with it what was
said in its stead. Quotes of other documents, questions and what people wrote about answers are not its words.
"""

from collections.abc import Iterable
from typing import Any
from uuid import UUID

from django.db.models import Q, QuerySet
from django.db.models.signals import pre_delete

from core.asking.history.answer_sources import note_change
from core.asking.history.retention import erase_quotes
from core.infrastructure import queue
from core.models import (
    Answer,
    AnswerSeal,
    Citation,
    Document,
    GapQuestion,
    IngestionFile,
    Query,
    ResearchLine,
    RoleDocumentAccess,
    SourceChange,
    VerifiedAnswer,
    VerifiedSource,
)
from core.types import RefusalReason

_REFUSED = "It would have replaced a document that has since been deleted."
GONE = "The text of this answer was erased with a document that it came from. Its figures are kept."


def answers_with_words_of(document_ids: Iterable[UUID]) -> QuerySet[Answer]:
    """Return the answers that lose their text with these documents: those that cite one, or name one in what they say.

    Its parts go with a document. Where one was only among the closest passages, nothing but its passage goes: what was
    said is ours.
    """
    given = list(document_ids)
    ids = [*given, *Document.objects.filter(part_of__in=given).values_list("pk", flat=True)]
    cite = Citation.objects.filter(document__in=ids).values("answer")
    name = Query.objects.filter(named_documents__overlap=ids).values("pk")
    return Answer.objects.filter(Q(pk__in=cite) | Q(query__in=name)).exclude(
        Q(answer_text="", message="") | Q(refusal_reason=RefusalReason.UNSURE)
    )


def connect() -> None:
    """Let every deletion of a document erase its words, by whatever way it is deleted."""
    pre_delete.connect(_erase_words, sender=Document, dispatch_uid="core.deleted_documents")


def _erase_words(instance: Document, **_: Any) -> None:
    # Whoever writes an answer that cites the document holds its row: their citations are waited for, and seen.
    Document.objects.select_for_update().filter(pk=instance.pk).first()
    _note_answers(instance)
    ids = list(answers_with_words_of([instance.pk]).values_list("pk", flat=True))
    Answer.objects.filter(pk__in=ids, answer_text__isnull=False).update(answer_text="", message="")
    Answer.objects.filter(pk__in=ids, answer_text__isnull=True).update(message=GONE)
    erase_quotes(Citation.objects.filter(document=instance))
    _erase_verified(instance)
    # Its id stays among the named ones: nobody may read it, so that nobody is shown what was made of the question.
    named = Query.objects.filter(named_documents__contains=[instance.pk])
    GapQuestion.objects.filter(query__in=named).update(embedding=None)  # made anew of the question's own words
    named.update(standalone_question="")
    AnswerSeal.objects.filter(Q(answer__in=ids) | Q(answer__query__in=named)).delete()
    # What was planned of its words goes with them; the questions of others' words stay.
    ResearchLine.objects.filter(made_of_documents__contains=[instance.pk]).update(heading="", text="", filters={})
    _erase_handed_in(instance)


def _note_answers(document: Document) -> None:
    """Note the answers that quote the document, and its readers: nothing shows them afterwards."""
    readers = list(RoleDocumentAccess.objects.in_force().filter(document=document).values_list("role_id", flat=True))
    if note_change(document, SourceChange.Kind.DELETED, last_readers=readers):
        queue.check_footnotes(document.pk, last_readers=readers)


def _erase_verified(document: Document) -> None:
    """Retire the verified answers that quote it, and erase their text: the question is left, for the owner to see."""
    rows = VerifiedAnswer.objects.filter(sources__document=document)
    ids = list(rows.values_list("pk", flat=True).distinct())
    VerifiedAnswer.objects.filter(pk__in=ids).update(text="", cited_text="", state=VerifiedAnswer.State.RETIRED)
    VerifiedSource.objects.filter(verified_answer__in=ids).delete()


def _erase_handed_in(document: Document) -> None:
    """Erase the bytes that are kept for another try, and the title where it was the reason of a refusal."""
    if document.part_of_id is not None:
        return  # the file is that of the whole document, which stays
    files = IngestionFile.objects.filter(job__collection=document.collection_id)
    of_it = files.filter(name__in=[document.source, document.source.partition("#")[0]], document_count__gt=0)
    of_it.update(content=None)
    files.filter(error_documents__contains=[document.pk]).update(error=_REFUSED, error_documents=[])
