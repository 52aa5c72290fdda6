"""Define the base class of all models."""

import uuid

from django.db import models


class UuidModel(models.Model):
    """A row with a UUID primary key, so that ids can be shown without telling how many rows there are."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)

    class Meta:
        abstract = True
