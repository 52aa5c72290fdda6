"""System checks of the library, its texts and what documents state, of the answering model, of mail and receipts."""

from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, Warning, register  # noqa: A004 - Django's name
from django.db import DatabaseError

from adminsite.launcher.environment import LOOPBACK
from core import api
from core.errors import ReceiptError
from core.library.ingestion.languages import advise, list_unknown_languages
from core.library.ingestion.placement import list_shared_addresses
from core.management.base import SETTINGS_TAG

_MOST_NAMED = 5  # addresses in one warning


@register(Tags.database)
def languages(databases: Sequence[str] | None = None, **_: Any) -> list[CheckMessage]:
    """The embedding model knows the languages that the library's texts are in."""
    if not databases:
        return []
    try:
        model, unknown = list_unknown_languages()
    except DatabaseError:
        return []  # away, which another check reports, or before the first migration
    if not unknown:
        return []
    return [Warning(f"The library has texts in {', '.join(unknown)}.", hint=advise(model), id="footnote.W008")]


@register(Tags.database)
def shared_addresses(databases: Sequence[str] | None = None, **_: Any) -> list[CheckMessage]:
    """No two documents state the same address as theirs, which is shown and linked but decides nothing."""
    if not databases:
        return []
    try:
        found = list_shared_addresses(_MOST_NAMED + 1)
    except DatabaseError:
        return []  # as above
    if not found:
        return []
    named = "; ".join(f"{address} ({count} in {collection})" for address, count, collection in found[:_MOST_NAMED])
    more = " and others" if len(found) > _MOST_NAMED else ""
    hint = (
        "Documents are told apart by where they came from, not by the address that their files state. If they are one "
        "document, delete the copies in the admin; if not, correct the addresses there."
    )
    return [Warning(f"Several documents state the same address: {named}{more}.", hint=hint, id="footnote.W009")]


@register(SETTINGS_TAG)
def local_model(**_: Any) -> list[CheckMessage]:
    """The file that names the model of this machine can be read. Without it Footnote answers, without that model."""
    if not settings.LOCAL_MODEL_PROBLEM:
        return []
    hint = "Set the model up again with manage.py model: the damaged file is kept. Its model file is not touched."
    return [Warning(settings.LOCAL_MODEL_PROBLEM, hint=hint, id="footnote.W010")]


@register(SETTINGS_TAG)
def first_words(**_: Any) -> list[CheckMessage]:
    """The first word of a model is waited for."""
    if settings.LLM_FIRST_WORDS_S > 0:
        return []
    hint = "Give the seconds after which a model that has said nothing is given up. LLM_TIMEOUT_S waits the whole time."
    return [Error(f"LLM_FIRST_WORDS_S is {settings.LLM_FIRST_WORDS_S}.", hint=hint, id="footnote.E090")]


@register(SETTINGS_TAG)
def mail_encryption(**_: Any) -> list[CheckMessage]:
    """Warn where the password for sending mail goes over a network unencrypted."""
    server = settings.MAIL_SERVER
    if not server or not server["password"] or server["use_tls"] or server["use_ssl"] or server["host"] in LOOPBACK:
        return []
    hint = "Write smtp+tls:// for encryption by STARTTLS, or smtps:// for encryption from the start."
    return [Warning("EMAIL_URL sends its password unencrypted.", hint=hint, id="footnote.W011")]


@register(SETTINGS_TAG)
def receipt_keys(**_: Any) -> list[CheckMessage]:
    """The keys of receipts are keys."""
    try:
        api.published_keys()
    except ReceiptError as error:
        hint = "The first signs; those behind it may be public: keys. Receipts are not issued until then."
        return [Error(error.message, hint=hint, id="footnote.E091")]
    return []


@register(SETTINGS_TAG, deploy=True)
def receipt_key_of_its_own(**_: Any) -> list[CheckMessage]:
    """Warn where receipts are signed with a key that ends with SECRET_KEY."""
    if settings.DEBUG or settings.RECEIPT_SIGNING_KEYS:
        return []
    hint = "Make a key with manage.py receipt_keys --new: one made from SECRET_KEY is another once that is changed."
    return [Warning("Receipts are signed with a key made from SECRET_KEY.", hint=hint, id="footnote.W012")]
