"""Mask secrets in whatever words of documents are read from the database: passwords, keys and tokens are shown nowhere.

The words are kept as they came, so that a value which somebody says is meant to be read is shown from then on. What
reads a column of these fields through Django gets masked words: models, quotes, pages, reports and programs alike. A
row that is read and saved keeps its words in that column.
"""

import threading
from typing import TYPE_CHECKING, Any

from cachetools import TTLCache, cached
from django.apps import apps
from django.db import models
from django.db.models.functions import Cast
from django.utils.crypto import salted_hmac

from core.values.secrets import mask_secrets

if TYPE_CHECKING:
    _Field = models.Field[Any, Any]
    _Text = models.TextField[Any, Any]
    _Short = models.CharField[Any, Any]
else:  # Django's own are not generic
    _Field, _Text, _Short = object, models.TextField, models.CharField

_SECONDS = 5  # after which every process goes by what somebody said is meant to be read
_KEPT: "TTLCache[str, frozenset[str]]" = TTLCache(maxsize=1, ttl=_SECONDS)
_LOCK = threading.Lock()


def fingerprint_of(words: str) -> str:
    """Return the fingerprint of a secret's words: a keyed hash, from which nobody without the key guesses them."""
    return salted_hmac("core.models.masking", words, algorithm="sha256").hexdigest()


@cached(_KEPT, key=lambda: "shown", lock=_LOCK)
def _read_shown() -> frozenset[str]:
    return frozenset(apps.get_model("core", "ShownSecret").objects.values_list("fingerprint", flat=True))


def forget_shown() -> None:
    """Have it read anew which secrets are meant to be read: that was changed here."""
    with _LOCK:
        _KEPT.clear()


def mask_words(text: str) -> str:
    """Mask the secrets in the words of a document, but for those that are meant to be read."""
    return mask_secrets(text, is_shown=lambda words: fingerprint_of(words) in _read_shown())


class MaskedWords(str):
    """Holds words with masked secrets, and how they are kept: for the column that they were read from alone."""

    __slots__ = ("field", "kept")

    field: object
    kept: str

    def __reduce__(self) -> tuple[type[str], tuple[str]]:
        """Leave out what is masked wherever this is copied or stored in another form."""
        return str, (str(self),)


def unmask(words: str) -> str:
    """Return the words of a column as they are kept. To compare them with what a source says now, never to show."""
    return words.kept if isinstance(words, MaskedWords) else words


def unmask_column(row: models.Model, name: str) -> str:
    """Return the words of a column as they are, or would be, kept: also those of a row that was just made."""
    field: Any = row._meta.get_field(name)
    words: str = field.get_prep_value(getattr(row, name))
    return words


def _read(field: object, kept: str | None) -> str | None:
    """Return a value of a column as it is shown."""
    if not kept or (shown := mask_words(kept)) == kept:
        return kept
    words = MaskedWords(shown)
    words.field, words.kept = field, kept
    return words


def _write(field: object, words: Any) -> Any:
    """Return a value as it goes into the database: words of this very column as they were kept."""
    return words.kept if isinstance(words, MaskedWords) and words.field is field else words


class _Masked(_Field):
    """Reads words with their secrets masked, and writes them back as they were kept."""

    path = ""  # of Django's own field, which it is to migrations: masking is no matter of the table

    def from_db_value(self, value: str | None, *_: object) -> str | None:
        """Return the words as they are shown."""
        return _read(self, value)

    def get_prep_value(self, value: Any) -> Any:
        """Return the words as they go into the database, and are compared there."""
        return super().get_prep_value(_write(self, value))

    def deconstruct(self) -> Any:
        """Describe the column to migrations as Django's own."""
        name, _, args, options = super().deconstruct()
        return name, self.path, args, options


class MaskedTextField(_Masked, _Text):
    """A text of words of documents, read with their secrets masked."""

    path = "django.db.models.TextField"


class MaskedCharField(_Masked, _Short):
    """A short text of words of documents, read with their secrets masked."""

    path = "django.db.models.CharField"


def read_unmasked(column: str) -> Cast:
    """Build the expression that reads a masked column as it was kept. For whoever looks for secrets, never to show."""
    return Cast(column, models.TextField())
