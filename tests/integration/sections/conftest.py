"""Share who decides about sections, and where their documents are."""

import pytest

from core.models import Collection, CollectionRole, User
from core.testing import Cast


@pytest.fixture
def admin(cast: Cast) -> User:
    """Somebody who decides who reads, and reads nothing."""
    User.objects.filter(pk=cast.charlie.pk).update(is_superuser=True, is_staff=True)
    return User.objects.get(pk=cast.charlie.pk)


@pytest.fixture
def shelf(cast: Cast) -> Collection:
    """A collection whose documents staff and owners receive."""
    collection = Collection.objects.create(name="Rules")
    for role in (cast.staff, cast.owners):
        CollectionRole.objects.create(collection=collection, role=role)
    return collection
