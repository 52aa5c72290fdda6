"""The errors of Footnote, one small tree.

An error's docstring is its default message. `retry` carries the decision that a caller needs: True when the
same call may succeed later, False when only a change of input or settings helps. Foreign errors are translated
into these at the edge where they arise; their text never reaches Slack.
"""

from typing import ClassVar
from uuid import UUID


class FootnoteError(Exception):
    """Something went wrong."""

    retry: ClassVar[bool] = False

    def __init__(self, message: str | None = None) -> None:
        super().__init__(message or type(self).__doc__ or "")

    @property
    def message(self) -> str:
        """The message for the person, without internals."""
        return str(self.args[0])


class InvalidQuestionError(FootnoteError):
    """A question needs between 3 and 1,000 characters of text."""


class InvalidFilterError(FootnoteError):
    """A filter has a value that cannot be used."""


class InvalidArgumentsError(FootnoteError):
    """A tool was called with arguments that cannot be used."""


class InactiveAccountError(FootnoteError):
    """This account is no longer active. Ask an administrator."""


class TooManyRequestsError(FootnoteError):
    """Too many requests in a short time. Wait a minute and try again."""

    retry = True


class TokenScopeError(FootnoteError):
    """This token does not allow that."""


class AuditTrailError(FootnoteError):
    """Audit events are never changed or deleted."""


class NotReplayableError(FootnoteError):
    """This question cannot be replayed."""


class ReceiptError(FootnoteError):
    """No receipt can be issued. Its message says why, and may be shown."""


class NotFoundError(FootnoteError):
    """This does not exist, or you may not read it."""


class ModelUnavailableError(FootnoteError):
    """The language model could not be reached. Nothing is lost: ask again in a moment."""

    retry = True


class ModelConfigurationError(FootnoteError):
    """The language model refused the settings it was called with. Check the model's name and its key."""


class OverBudgetError(ModelUnavailableError):
    """A monthly budget for language models is used up."""

    retry = False

    def __init__(self, message: str | None = None, *, may_quote: bool = False) -> None:
        super().__init__(message)
        self.may_quote = may_quote  # the key-free model may answer in the place of the one that costs


class StoppedError(FootnoteError):
    """Whoever asked wishes no answer any more."""


class StepLimitError(FootnoteError):
    """The model used all its steps without an answer."""


class RepairRequestedError(FootnoteError):
    """Some statements are carried by nothing: the model may mend them once. Its message says which, and why."""


class ReaderError(FootnoteError):
    """A reader could not be loaded."""


class EmbeddingError(FootnoteError):
    """The embedding model could not be loaded. Check the setting EMBEDDING_MODEL."""


class EmbeddingUnavailableError(EmbeddingError):
    """The embedding model could not be reached. Nothing is lost: try again in a moment."""

    retry = True


class CorpusModelError(EmbeddingError):
    """The library is embedded by another model. To change it, run manage.py reembed."""


class EvaluationError(FootnoteError):
    """The answer could not be scored. It will be tried again."""

    retry = True


class ReportError(FootnoteError):
    """This report cannot be made."""


class ReportForbiddenError(FootnoteError):
    """You may not read this report."""


class DatabaseUnavailableError(FootnoteError):
    """The database cannot be reached. Check DATABASE_URL and that the server is running."""

    retry = True


class BackupError(FootnoteError):
    """The backup could not be taken or restored. Nothing was changed."""


class BackupPathError(BackupError):
    """That path cannot be used for a backup. Nothing was changed."""


class RehearsalError(FootnoteError):
    """The upgrade could not be rehearsed. Nothing was changed."""


class UnsafeDatabaseError(FootnoteError):
    """Footnote does not start on this database."""


class IngestionError(FootnoteError):
    """This file could not be ingested."""


class UnsupportedFileError(IngestionError):
    """This kind of file cannot be read. Supported are documents, presentations, tables, web pages and JSON."""


class UnreadableFileError(IngestionError):
    """The file is damaged or not what its name says."""


class EncryptedFileError(IngestionError):
    """The file is protected by a password. Remove the protection and ingest it again."""


class EmptyFileError(IngestionError):
    """The file has no content."""


class NoTextError(IngestionError):
    """The file has no text (a scan, perhaps). Run it through OCR and ingest it again."""


class FileTooLargeError(IngestionError):
    """The file is larger than the setting INGEST_MAX_MB allows."""


class JobTooLargeError(IngestionError):
    """There is too much in one job."""


class ReadersDifferError(IngestionError):
    """The file would take the place of a document that others may read. Give it another name."""

    def __init__(self, message: str | None = None, *, named: UUID | None = None) -> None:
        super().__init__(message)
        self.named = named  # the document that the message names


class ChangedMeanwhileError(IngestionError):
    """The document was changed while its file was read. Ingest it again."""

    retry = True


class NotTriedError(IngestionError):
    """This is not what was checked before it is live. It comes in with the next check."""


class OriginalNotKeptError(IngestionError):
    """The file's original could not be kept, so that nothing of it was ingested. Ingest it again."""

    retry = True


class ParserLimitError(IngestionError):
    """Reading the file took more time or memory than is allowed."""


class SandboxError(IngestionError):
    """Nothing was read: the process that reads files could not be started. Look at the worker's machine."""


class UnsafeUrlError(IngestionError):
    """The address is not one that may be fetched: only public http and https addresses are."""


class FetchError(IngestionError):
    """The address could not be fetched."""

    retry = True


class ProgramDocumentError(FootnoteError):
    """The program cannot be connected: the document in which it says who it is cannot be used."""


class GoneError(IngestionError):
    """The document was there when the source was listed, and is no more."""


class AlreadyThereError(IngestionError):
    """There is something at this place of the source already. Choose another name."""


class SourceError(FootnoteError):
    """The source could not be asked. It is tried again."""

    retry = True


class SourceRefusedError(SourceError):
    """The source refuses its credentials. Renew them."""


class IncompleteListingError(SourceError):
    """Not everything at the source was listed. What is missing is not taken for gone."""

    retry = False


class MailNotSentError(FootnoteError):
    """The mail server could not be reached, or asks to come back. The mail is not lost: it is sent later."""

    retry = True


class MailRefusedError(FootnoteError):
    """The mail server refuses the mail. Check EMAIL_URL, EMAIL_FROM and the address of the recipient."""


class EngineError(FootnoteError):
    """The vector engine is away, too slow, or gives an error. Searches go on without it."""

    def __init__(self, message: str | None = None, *, reason: str = "error") -> None:
        super().__init__(message)
        self.reason = reason  # a word of the code, for logs and counts
