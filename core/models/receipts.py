"""The seals of answers: what makes the parts of an answer provable later, without their words."""

from typing import ClassVar

from django.db import models

from core.models.conversations import Answer


class AnswerSeal(models.Model):
    """Seals one answer: the salt of its digests, and what of it is kept nowhere else. core.asking.receipts writes it.

    The seal itself, the digest of the digests, is in the audit trail's event of the answer. Without the salt nobody
    finds words from it: the row goes when the answer's text is erased.
    """

    answer = models.OneToOneField(Answer, on_delete=models.CASCADE, primary_key=True, related_name="seal")
    salt = models.CharField(max_length=64, help_text="Random, as hexadecimal; each part has a salt made of it.")
    facts = models.JSONField(
        help_text="Who asked, by id, the roles that could read, hashes of files and the version, as they were."
    )
    sealed = models.CharField(max_length=64, help_text="The seal, as hexadecimal.")
    is_late = models.BooleanField(
        default=False, help_text="Made when a receipt was issued: the answer is older than receipts."
    )

    class Meta:
        default_permissions = ()
        permissions: ClassVar = [("issue_receipts", "Can issue receipts of the answers to others' questions")]

    def __str__(self) -> str:
        return f"seal of {self.answer_id}"
