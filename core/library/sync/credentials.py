"""Credentials of data sources: encrypted before they are stored, shown nowhere, decrypted when the source is asked.

With them is stored for which server they were entered. They are read for no other, whoever changes the settings.
"""

import json
from collections.abc import Mapping

from cryptography.fernet import InvalidToken, MultiFernet
from django.conf import settings

from core.errors import FootnoteError, SourceError, SourceRefusedError
from core.infrastructure.encryption import build_cipher
from core.library.sync.kinds import kind_of_source, read_settings
from core.models import DataSource

# Beside the credentials' names, none of which has such a sign: a release without destinations reads the rest as ever.
_DESTINATION = "@destination"


class OtherDestinationError(SourceRefusedError):
    """The credentials were entered for another server and are not sent to this one. Enter them again."""


def keep(source: DataSource, credentials: Mapping[str, str]) -> None:
    """Put credentials into the row of a source, for the server that its settings name now. The row is not saved.

    SourceError without a key, and for settings that name no server.
    """
    given = {name: value for name, value in credentials.items() if value}
    source.secrets = _encrypt(given | {_DESTINATION: json.dumps(find_destination(source))}) if given else ""


def read(source: DataSource) -> dict[str, str]:
    """Read the credentials of a source by name.

    SourceRefusedError when no key decrypts them, OtherDestinationError when they were entered for another server.
    """
    held, bound = _decrypt(source)
    if not held:
        return {}
    here = find_destination(source)
    if bound is None:
        _bind_to_destination(source, held)
    elif bound != here:
        raise OtherDestinationError(_describe_change(source, bound, here))
    return held


def bind(source: DataSource) -> None:
    """Bind credentials that a release before 0.4 stored to the server that the source names now, and save them.

    SourceError as of `read`. Credentials that are bound stay as they are.
    """
    held, bound = _decrypt(source)
    if held and bound is None:
        _bind_to_destination(source, held)


def bind_all() -> None:
    """Do that for all sources, so that none waits for its next run. What cannot be decrypted here is left alone."""
    for source in DataSource.objects.exclude(secrets=""):
        try:
            bind(source)
        except FootnoteError:
            continue  # reported when the source is asked


def find_destination(source: DataSource) -> dict[str, str]:
    """Find the server to which the credentials of a source would be sent. SourceError for settings that are wrong."""
    kind = kind_of_source(source)
    return kind.destination_of(read_settings(source, kind))


def _bind_to_destination(source: DataSource, held: Mapping[str, str]) -> None:
    before = source.secrets
    keep(source, held)
    DataSource.objects.filter(pk=source.pk, secrets=before).update(secrets=source.secrets)


def _describe_change(source: DataSource, bound: Mapping[str, str], here: Mapping[str, str]) -> str:
    fields = kind_of_source(source).settings.model_fields
    changed = [fields[name].title or name for name in here if name in fields and bound.get(name) != here[name]]
    since = f" Changed since: {', '.join(changed)}." if changed else ""
    return f"{OtherDestinationError.__doc__}{since}"


def _encrypt(held: Mapping[str, str]) -> str:
    return _make_cipher().encrypt(json.dumps(held).encode()).decode()


def _decrypt(source: DataSource) -> tuple[dict[str, str], dict[str, str] | None]:
    """Return the credentials, and for which server they were entered; None: by a release that did not store that."""
    if not source.secrets:
        return {}, None
    try:
        held: dict[str, str] = json.loads(_make_cipher().decrypt(source.secrets.encode()))
    except InvalidToken:
        raise SourceRefusedError(
            "No key in SOURCE_SECRET_KEYS decrypts the credentials. Put their key back, or enter them again."
        ) from None
    bound = held.pop(_DESTINATION, None)
    return held, None if bound is None else json.loads(bound)


def _make_cipher() -> MultiFernet:
    cipher = build_cipher(settings.SOURCE_SECRET_KEYS, purpose="core.library.sync.credentials")
    if cipher is None:
        raise SourceError("SOURCE_SECRET_KEYS is not set, so credentials can be neither stored nor used.")
    return cipher
