"""The messages about files that cannot be ingested: which file, what is wrong with it, what to do."""

from collections.abc import Mapping

from core.errors import (
    EmptyFileError,
    EncryptedFileError,
    FileTooLargeError,
    JobTooLargeError,
    NoTextError,
    UnreadableFileError,
    UnsupportedFileError,
)
from core.library.ingestion.extent import Found, describe_found
from core.library.ingestion.formats import SUPPORTED


class NoDocumentError(UnsupportedFileError):
    """The file is JSON, but holds no document. Expected an object with "title" and "text" or "sections"."""


def make_unreadable_error(name: str, what: str) -> UnreadableFileError:
    """The file is damaged, or not what its name says. what: the fault, as the end of a sentence."""
    return UnreadableFileError(f"{name} cannot be read: {what}. Check the file and ingest it again.")


def make_damaged_error(name: str, error: Exception) -> UnreadableFileError:
    """Return the file's parser refused it. error: what the parser raised."""
    if "Excessive depth" in str(error):  # libxml2
        return make_too_deep_error(name)
    return make_unreadable_error(name, "it is damaged or cut off")


def make_too_deep_error(name: str) -> UnreadableFileError:
    """The parts of the file are nested deeper than any program nests them."""
    return make_unreadable_error(name, "its parts are nested too deeply")


def make_mislabelled_error(name: str, actual: str, claimed: str) -> UnreadableFileError:
    """The file is something else than its name says."""
    return UnreadableFileError(
        f"{name} is {actual}, not {claimed} as its name says. Rename it, or convert it to {claimed}."
    )


def make_unsupported_error(name: str, what: str) -> UnsupportedFileError:
    """No parser reads this kind of file. what: the kind, with its article."""
    return UnsupportedFileError(f"{name} is {what}, which cannot be ingested. Supported: {SUPPORTED}.")


def make_encrypted_error(name: str) -> EncryptedFileError:
    """Return the file needs a password."""
    return EncryptedFileError(f"{name} is protected by a password. Remove the protection and ingest it again.")


def make_encrypted_mail_error(name: str) -> UnreadableFileError:
    """Only its receiver's mail program can read the message."""
    return make_unreadable_error(name, "its text is encrypted. Save it from the mail program without encryption")


def make_empty_error(name: str) -> EmptyFileError:
    """The file has no text because it has no content."""
    return EmptyFileError(f"{name} is empty. There is nothing to ingest.")


def make_wordless_error(name: str, found: Mapping[Found, int]) -> EmptyFileError:
    """The file has content but no text. found: what was counted in it."""
    counted = describe_found({kind: count for kind, count in found.items() if kind is not Found.PAGES})
    if not counted:
        return make_empty_error(name)
    return EmptyFileError(
        f"{name} has no text to ingest, only what is not read: {counted}. Describe its pictures in it (alternative "
        "text), or save it as PDF and run text recognition (OCR) on that."
    )


def make_scripted_error(name: str) -> EmptyFileError:
    """The page has scripts and no text."""
    return EmptyFileError(
        f"{name} has no text of its own: scripts write it in a browser. Save the page from a browser and ingest that "
        "file."
    )


def make_no_text_error(name: str) -> NoTextError:
    """The file is a picture, or has pages but no text on them, and nothing here recognises text."""
    return NoTextError(
        f"{name} has no text: it is a picture, or its pages are, like those of a scan. Run text recognition (OCR) on "
        "it first, or have it installed here: make ocr."
    )


def make_unrecognised_error(name: str) -> NoTextError:
    """The file is a picture, or its pages are, and no text was recognised on them."""
    return NoTextError(f"No text could be recognised in {name}. Check that it shows text, and scan it more clearly.")


def make_garbled_error(name: str, *, can_recognise: bool) -> NoTextError:
    """The pages show text, but the file does not say which letters it is of. can_recognise: whether that was tried."""
    cause = f"The text of {name} cannot be read: its fonts do not say which letters they show"
    if can_recognise:
        return NoTextError(f"{cause}, and none could be recognised on its pages. Export it anew from its source.")
    return NoTextError(
        f"{cause}. Export it anew from its source, run text recognition (OCR) on it first, or have that installed "
        "here: make ocr."
    )


def make_too_large_error(name: str, limit_mb: int) -> FileTooLargeError:
    """The file is over the limit."""
    return FileTooLargeError(f"{name} is larger than {limit_mb} MB. Split it, or raise the setting INGEST_MAX_MB.")


def make_too_many_cells_error(name: str, limit: int) -> UnreadableFileError:
    """The tables of a file have more cells than are read."""
    return UnreadableFileError(
        f"{name} has more than {limit:,} cells. Split it into several files, or leave out what nobody asks about."
    )


def make_too_many_error(limit: int) -> JobTooLargeError:
    """There are more files and addresses than one job may hold."""
    return JobTooLargeError(
        f"One job takes at most {limit} files and addresses. Split them into several jobs, or raise "
        "INGEST_JOB_MAX_FILES."
    )


def job_too_large(limit_mb: int) -> JobTooLargeError:
    """The files of a job have more bytes together than it may hold."""
    return JobTooLargeError(
        f"One job takes files of at most {limit_mb} MB together. Split them into several jobs, or raise "
        "INGEST_JOB_MAX_MB."
    )
