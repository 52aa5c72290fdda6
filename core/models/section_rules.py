"""Readers of sections: rules that name sections of documents and the roles that may read them, and what they part off.

A part is a document of its own, `Document.part_of` another one, with the chunks of the sections that its rules name.
Its grants are those of its document whose roles all of its rules name. Nobody writes them: triggers of migration 0077
derive them whenever a grant, a rule or a part changes, and refuse any other.
"""

from typing import ClassVar

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from core.models.base import UuidModel
from core.models.library import Collection, Document
from core.models.people import Role, User

MOST_NAMES = 20  # of sections that a part tells of


class SectionKind(models.TextChoices):
    """Lists what a rule knows sections by."""

    HEADING = "heading", "heading"
    SHEET = "sheet", "sheet"
    LABEL = "label", "label"


class SectionRule(UuidModel):
    """A rule that sections of one document, or of every document of a collection, are read by some roles alone.

    It only narrows: a role reads such a section where it may read the document.
    """

    Kind = SectionKind

    document = models.ForeignKey(
        Document, on_delete=models.CASCADE, null=True, blank=True, related_name="section_rules"
    )
    collection = models.ForeignKey(
        Collection, on_delete=models.CASCADE, null=True, blank=True, related_name="section_rules"
    )
    kind = models.CharField(max_length=10, choices=SectionKind.choices)
    pattern = models.CharField(
        max_length=300,
        help_text="A heading, a sheet's name or a label. Capitals do not matter, and * stands for anything.",
    )
    roles: "models.ManyToManyField[Role, SectionRuleRole]" = models.ManyToManyField(
        Role, through="SectionRuleRole", blank=True, related_name="section_rules"
    )
    created_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering: ClassVar = ["created_at", "pk"]
        default_permissions = ()  # who decides who reads documents decides about their sections
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(document__isnull=True, collection__isnull=False)
                | Q(document__isnull=False, collection__isnull=True),
                name="section_rule_in_one_place",
            ),
            models.CheckConstraint(condition=~Q(pattern=""), name="section_rule_names_something"),
            models.CheckConstraint(condition=Q(kind__in=SectionKind.values), name="section_rule_kind_known"),
            models.UniqueConstraint(fields=["document", "kind", "pattern"], name="one_section_rule_per_document"),
            models.UniqueConstraint(fields=["collection", "kind", "pattern"], name="one_section_rule_per_collection"),
        ]

    def __str__(self) -> str:
        return f"rule for a {self.get_kind_display()}"


class SectionRuleRole(UuidModel):
    """A role that may read the sections which a rule names, where it may read their document."""

    rule = models.ForeignKey(SectionRule, on_delete=models.CASCADE, related_name="rule_roles")
    role = models.ForeignKey(Role, on_delete=models.CASCADE, related_name="+")

    class Meta:
        default_permissions = ()
        constraints: ClassVar = [models.UniqueConstraint(fields=["rule", "role"], name="one_role_per_section_rule")]

    def __str__(self) -> str:
        return f"{self.role_id} of {self.rule_id}"


class SectionPart(UuidModel):
    """Notes which rules name the sections of a part, and whether they were found in the last edition.

    A part without rules is read by nobody. It is left where answers cite it, since a restriction was lifted.
    """

    class State(models.TextChoices):
        RECOGNISED = "recognised", "recognised"
        UNRECOGNISED = "unrecognised", "to be decided"

    part = models.OneToOneField(Document, on_delete=models.CASCADE, related_name="as_part")
    rules: "models.ManyToManyField[SectionRule, models.Model]" = models.ManyToManyField(
        SectionRule, blank=True, related_name="parts"
    )
    state = models.CharField(max_length=12, choices=State.choices, default=State.RECOGNISED)
    names = models.JSONField(default=list, blank=True, help_text="Of the sections that it holds, 20 at most.")
    is_all = models.BooleanField(
        default=False,
        db_default=False,
        help_text="The whole document is in it, in later editions too, until somebody decides otherwise.",
    )
    flagged = models.JSONField(
        default=list, blank=True, help_text="SHA-256 of the names of those of its sections that are to be decided."
    )
    since = models.JSONField(
        default=dict,
        blank=True,
        help_text="The first edition for roles that its rules have named since it was made, by the role's id.",
    )
    opened = models.JSONField(
        default=list,
        blank=True,
        help_text="SHA-256 of names of sections that stay open by a decision, though words of the part occur there.",
    )
    decided_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return f"part {self.part_id}"
