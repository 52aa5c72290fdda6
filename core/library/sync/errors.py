"""The messages about documents at a source that do not stay as they are."""

from core.errors import ChangedMeanwhileError, IngestionError


def make_changed_error(name: str) -> ChangedMeanwhileError:
    """The content is not the one that was listed, or changes each time that it is looked at."""
    return ChangedMeanwhileError(f"{name} was changed while it was read. It is read again later.")


def make_uncertain_error(name: str) -> IngestionError:
    """The source gives no fingerprint, so nobody can say of which content its readers are."""
    return IngestionError(f"Nothing tells when {name} changes, so who may read it is not certain.")
