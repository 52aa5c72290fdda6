"""Tell one version of a page or an attachment in Confluence from another, and name the keys of both."""

from collections.abc import Mapping
from typing import Any

from core.library.sync.services.answers import text

PAGE, ATTACHMENT = "page:", "attachment:"  # what their keys begin with


def fingerprint_of(content: Mapping[str, Any]) -> str:
    """Return the number and the time of a version, as far as Confluence tells them; "" for neither.

    With the time, since versions are numbered anew when one of them is deleted: another content may get a number that
    one has had before.
    """
    return " ".join(filter(None, (text(content, "version", "number"), text(content, "version", "when"))))
