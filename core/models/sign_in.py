"""Attempts to sign in, for their limits."""

from typing import ClassVar

from django.db import models


class SignInAttempt(models.Model):
    """Somebody tried to sign in. Neither the account nor the address can be read from it."""

    account = models.CharField(max_length=64)  # a keyed digest of what was tried, whether or not there is such a person
    address = models.CharField(max_length=64)  # a keyed digest of where it came from
    succeeded = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True, db_index=True)

    class Meta:
        indexes: ClassVar = [
            models.Index(fields=["account", "created_at"], name="sign_in_account"),
            models.Index(fields=["address", "created_at"], name="sign_in_address"),
        ]

    def __str__(self) -> str:
        return f"attempt {self.pk}"
