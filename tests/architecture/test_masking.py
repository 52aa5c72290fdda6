"""Test that every column which may hold words of documents is read with secrets masked, or says why not."""

import re
from pathlib import Path

from django.apps import apps
from django.contrib.postgres.fields import ArrayField
from django.db import models

from core.models.masking import MaskedCharField, MaskedTextField

_LONG = 100  # characters from which a column may hold a sentence
_OWN = "a person typed it in the product, and no document says it"
_FILE = "the name or address of a file, as its source has it"
_FIXED = "a name, a key or a number of the product, of Slack or of a model"
_SETTING = "what somebody set"
_SENT = "sent to the source as the author wrote it: a dot in it would go into the document"
_IDS = "ids and numbers, no words"
# By model and column. A new column belongs here, with its reason, unless it is masked.
NOT_MASKED = {
    "Document.source": _FILE,
    "Document.source_url": _FILE,
    "Document.original_name": _FILE,
    "Document.original_type": _FIXED,
    "Document.extent": _IDS,
    "Document.metadata": "masked where it is shown, on the document's page; of answers it has authors alone",
    "Chunk.context": "searched, and shown nowhere",
    "Chunk.metadata": _IDS,
    "Chunk.embedding_model": _FIXED,
    "CitationWords.source_url": _FILE,
    "VerifiedSourceWords.source_url": _FILE,
    "CitationWords.file_name": _FILE,
    "VerifiedSourceWords.file_name": _FILE,
    "CitationWords.authors": "names of people",
    "VerifiedSourceWords.authors": "names of people",
    "Query.question_text": _OWN,
    "Query.selected_text": _OWN,
    "Query.standalone_question": "of what was asked and of answers, whose words were masked by then",
    "Feedback.comment": _OWN,
    "ContentGap.note": _OWN,
    "SlackEvent.text": _OWN,
    "SlackEvent.selected_text": _OWN,
    "SlackEvent.action_token": _FIXED,
    "Reply.response_url": _FIXED,
    "Reply.note_url": _FIXED,
    "QuotedMessage.permalink": _FIXED,
    "OwnerQuestion.words": _OWN,
    "Installation.encrypted_token": _FIXED,
    "Installation.encrypted_refresh_token": _FIXED,
    "DataSource.secrets": "encrypted, and shown nowhere",
    "Query.filters": _SETTING,
    "Query.applied_filters": _SETTING,
    "Query.reached_at": _IDS,
    "Query.named_documents": _IDS,
    "Query.named_versions": _IDS,
    "Answer.contradiction": "ids and places, no words",
    "Answer.model": _FIXED,
    "VerifiedAnswer.question": _OWN,
    "VerifiedPhrasing.text": _OWN,
    "VerifiedPhrasing.embedding_model": _FIXED,
    "ContradictionWords.reason": _OWN,
    "Research.topic": _OWN,
    "Research.filters": _SETTING,
    "Research.planned_by": _FIXED,
    "ResearchLine.filters": _SETTING,
    "ProposalWords.title": _SENT,
    "ProposalWords.question": _SENT,
    "ProposalWords.text": _SENT,
    "Research.for_people": _IDS,
    "ResearchLine.made_of_documents": _IDS,
    "ResearchLine.made_of_versions": _IDS,
    "SectionPart.flagged": _IDS,
    "SectionPart.since": _IDS,
    "SectionPart.opened": _IDS,
    "SectionRule.pattern": "compared with headings as they are kept; one that is offered has * for a secret",
    "SectionPart.names": "masked where it is shown, in core.library.sections",
    "ModelReply.reply": "encrypted, and written of what was sent to a model, whose secrets were masked by then",
}
# Tables with words of documents, of which each longer column is looked at; of all others, those of any length.
_OF_DOCUMENTS = (
    "Document",
    "Chunk",
    "Query",
    "Answer",
    "CitationWords",
    "VerifiedSourceWords",
    "VerifiedAnswer",
    "VerifiedPhrasing",
    "ContradictionWords",
    "ChangeCheckWords",
    "ExaminationWords",
    "ProposalWords",
    "Research",
    "ResearchLine",
    "SectionRule",
    "SectionPart",
    "ModelReply",
)


_SECURED = re.compile(r"ALTER TABLE core_(\w+) ENABLE ROW LEVEL SECURITY")


def _list_texts(model: type[models.Model]) -> list[models.Field]:
    """Return the columns of a table that may hold a sentence of a document."""
    fields = [field for field in model._meta.local_concrete_fields if not field.choices]
    if model.__name__ not in _OF_DOCUMENTS:
        return [field for field in fields if isinstance(field, models.TextField)]
    kinds = models.TextField | models.JSONField | ArrayField
    return [
        field
        for field in fields
        if isinstance(field, kinds)
        or (isinstance(field, models.CharField) and (field.max_length is None or field.max_length >= _LONG))
    ]


def _list_columns(*, masked: bool) -> set[str]:
    """Return the columns of all tables that may hold a sentence, as Model.column."""
    return {
        f"{model.__name__}.{field.name}"
        for app in ("core", "bot")
        for model in apps.get_app_config(app).get_models()
        for field in _list_texts(model)
        if isinstance(field, MaskedTextField | MaskedCharField) == masked
    }


def test_every_column_with_words_of_documents_is_masked_or_says_why_not() -> None:
    """A new column is one of the two."""
    assert sorted(_list_columns(masked=False) - NOT_MASKED.keys()) == []
    assert sorted(NOT_MASKED.keys() - _list_columns(masked=False)) == []


def test_every_table_under_row_security_is_looked_at() -> None:
    """Looks at every table that the database guards, since those hold words of documents."""
    migrations = Path(__file__).parents[2] / "core/migrations"
    secured = {table for file in migrations.glob("*.py") for table in _SECURED.findall(file.read_text("utf-8"))}
    assert len(secured) >= 7
    assert secured <= {name.lower() for name in _OF_DOCUMENTS}


def test_columns_that_are_shown_most_are_masked() -> None:
    """The list above could have been wrong about them."""
    shown = ("Chunk.content", "Chunk.section_title", "CitationWords.quoted_excerpt", "Answer.answer_text")
    assert {*shown, "Document.title", "ResearchLine.text"} <= _list_columns(masked=True)
