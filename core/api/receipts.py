"""Issue signed receipts of answers, and publish the keys that they are verified with. Re-exported by `core.api`."""

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from core.api.audiences import require_audience
from core.infrastructure.database_errors import translate_database_errors
from core.models import Query, User
from core.types import Audience

if TYPE_CHECKING:
    from core.values.receipts import IssuedReceipt, ReceiptPreview


@translate_database_errors()
def issue_receipt(
    request_id: str, *, audience: Audience, viewer: User, left_out: Collection[str] = (), by_right: bool = False
) -> "IssuedReceipt":
    """Issue a receipt of an earlier result, which is recorded in the audit trail.

    audience: who will see what it holds: the viewer, and whoever else a token names. left_out: keys of
    core.values.receipts.OPTIONAL, whose digests alone are in it. by_right: the viewer is signed in as an administrator,
    whose rights count: to issue receipts of others' results, and to see roles.

    NotFoundError unless the audience may see the result now, and it is the viewer's own or they may issue others'.
    ReceiptError, with a message to show, where the answer is not as it was recorded, or no key signs.
    """
    require_audience(audience)
    from core.asking.receipts import issuing

    return issuing.issue_receipt(request_id, audience=audience, viewer=viewer, left_out=left_out, by_right=by_right)


@translate_database_errors()
def preview_receipt(request_id: str, *, audience: Audience, viewer: User, by_right: bool = False) -> "ReceiptPreview":
    """Return what a receipt would be of, without issuing one. Errors as of issue_receipt."""
    require_audience(audience)
    from core.asking.receipts import issuing

    return issuing.preview_receipt(request_id, audience=audience, viewer=viewer, by_right=by_right)


def may_issue_receipt(user: User, query: Query) -> bool:
    """Return True if a user may take a receipt of what came of a question, as far as they may see it."""
    from core.asking.receipts import issuing

    return issuing.may_issue(user, query)


def published_keys() -> list[dict[str, Any]]:
    """List the public keys that receipts are or were signed with, as JSON Web Keys, the signing one first.

    ReceiptError where a configured one is no key.
    """
    from core.asking.receipts import keys

    return [key.as_json() for key in keys.list_published_keys()]
