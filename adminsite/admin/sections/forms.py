"""The forms for rules: which sections are meant, and which roles read them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django import forms
from django.db.models import Count, Exists, OuterRef, Subquery
from django.db.models.functions import Coalesce
from unfold.widgets import (
    UnfoldAdminCheckboxSelectMultipleWidget,
    UnfoldAdminSelectWidget,
    UnfoldAdminTextInputWidget,
)

from adminsite.admin.access.readership import count_people, label_role
from adminsite.figures import count_of
from core.models import Collection, Document, RoleDocumentAccess
from core.values.sections import SectionKind, SectionView

LONGEST_PATTERN = 300
KINDS = (
    (SectionKind.HEADING.value, "Heading: all below it"),
    (SectionKind.SHEET.value, "Sheet of a workbook"),
    (SectionKind.LABEL.value, "Label: a word before or in a section"),
)
_PATTERN_HELP = (
    "As it stands in the document, such as Pay, a sheet such as Salaries, or a label such as Confidential. Capitals do "
    "not matter, and * stands for anything: Pay* is also Payments."
)
_CHOOSE = "Choose a section from the list, or write what it is called."
_ONE_OF_THEM = "You chose a section from the list and wrote another. Leave one of the two empty."
_ANOTHER_ROLE = "One of the roles cannot read it. Load the page again, or grant the role the document first."


@dataclass(frozen=True, kw_only=True, slots=True)
class RoleChoice:
    """Holds a role that can be chosen, or why it cannot."""

    role_id: UUID
    label: str
    is_closed: bool = False


def list_document_roles(document: Document) -> list[RoleChoice]:
    """List all roles, those first that read a document; the others cannot read a section of it. One query."""
    grants = RoleDocumentAccess.objects.in_force().filter(role=OuterRef("pk"), document=document)
    rows = count_people().annotate(reads=Exists(grants)).order_by("-reads", "name")
    why = " – does not read this document: grant it first"
    return [
        RoleChoice(role_id=row.pk, label=label_role(row) + ("" if row.reads else why), is_closed=not row.reads)
        for row in rows
    ]


def list_collection_roles(collection: Collection) -> list[RoleChoice]:
    """List all roles, each with how many documents of a collection it reads. Two queries."""
    total = Document.objects.whole().filter(collection=collection, withdrawn_at=None).count()
    grants = RoleDocumentAccess.objects.in_force().decided().filter(role=OuterRef("pk"))
    held = grants.filter(document__collection=collection).order_by().values("role").annotate(n=Count("pk"))
    rows = count_people().annotate(held=Coalesce(Subquery(held.values("n")), 0)).order_by("name")
    return [
        RoleChoice(
            role_id=row.pk, label=f"{label_role(row)} – reads {row.held:,} of {count_of(total, 'document')} here now"
        )
        for row in rows
    ]


class RoleBoxes(UnfoldAdminCheckboxSelectMultipleWidget):
    """Boxes of roles, of which some cannot be ticked."""

    closed: frozenset[str] = frozenset()

    def create_option(self, name: str, value: Any, *args: Any, **options: Any) -> Any:
        """Return a box, closed if its role cannot be chosen."""
        option = super().create_option(name, value, *args, **options)
        if str(value) in self.closed:
            option["attrs"]["disabled"] = True
        return option


class RolesForm(forms.Form):
    """The roles that read sections."""

    roles = forms.MultipleChoiceField(
        label="Only these roles read it",
        required=False,
        widget=RoleBoxes,
        error_messages={"invalid_choice": _ANOTHER_ROLE},
        help_text="Each reads it where it may read the document. Without any role nobody reads it.",
    )

    def __init__(self, *args: Any, roles: Sequence[RoleChoice], **options: Any) -> None:
        super().__init__(*args, **options)
        field: Any = self.fields["roles"]
        self.named = {str(role.role_id): role.label.partition(" (")[0] for role in roles}
        field.choices = [(str(role.role_id), role.label) for role in roles]
        field.widget.closed = frozenset(str(role.role_id) for role in roles if role.is_closed)

    def clean_roles(self) -> list[UUID]:
        """Return the roles. ValidationError for one whose box is closed."""
        chosen: list[str] = self.cleaned_data["roles"]
        field: Any = self.fields["roles"]
        if field.widget.closed & set(chosen):
            raise forms.ValidationError(_ANOTHER_ROLE)
        return [UUID(role) for role in chosen]


class PatternForm(forms.Form):
    """Asks for what sections are called."""

    kind = forms.ChoiceField(label="What it is", choices=KINDS, required=False, widget=UnfoldAdminSelectWidget)
    pattern = forms.CharField(
        label="What it is called",
        max_length=LONGEST_PATTERN,
        widget=UnfoldAdminTextInputWidget,
        help_text=_PATTERN_HELP,
        error_messages={"required": "Write what the sections are called."},
    )

    def clean_kind(self) -> str:
        """Return the kind; a heading, if none is said."""
        return self.cleaned_data["kind"] or SectionKind.HEADING.value

    def find_named(self) -> tuple[str, str]:
        """Return the kind and pattern of a valid form."""
        return self.cleaned_data["kind"], self.cleaned_data["pattern"]


class SectionForm(PatternForm):
    """A section of a document: from a list, or by what it is called."""

    section = forms.ChoiceField(label="Section", required=False, widget=UnfoldAdminSelectWidget)
    field_order = ("section", "kind", "pattern", "roles")

    def __init__(self, *args: Any, sections: Iterable[SectionView], **options: Any) -> None:
        super().__init__(*args, **options)
        field: Any = self.fields["section"]
        field.choices = [("", "– by what it is called, below –"), *_list_choices(sections)]
        self.fields["pattern"].required = False

    def clean(self) -> dict[str, Any]:
        """Take either of the two ways to name a section."""
        given: dict[str, Any] = super().clean() or self.cleaned_data
        section, pattern = given.get("section", ""), given.get("pattern", "")
        if section and pattern:
            raise forms.ValidationError(_ONE_OF_THEM)
        if not section and not pattern and not self.errors:
            raise forms.ValidationError(_CHOOSE)
        return given

    def find_named(self) -> tuple[str, str]:
        """Return the kind and pattern of a valid form."""
        if self.cleaned_data["section"]:
            kind, _, pattern = self.cleaned_data["section"].partition(":")
            return kind, pattern
        return super().find_named()


class DocumentRuleForm(RolesForm, SectionForm):
    """A rule of one document."""


class CollectionRuleForm(RolesForm, PatternForm):
    """A rule of a collection."""

    field_order = ("kind", "pattern", "roles")


def name_section(section: SectionView) -> str:
    """Return the value by which a form knows a section."""
    return f"{section.kind}:{section.pattern}"


def _list_choices(sections: Iterable[SectionView]) -> Iterable[tuple[str, str]]:
    """Yield each section that has a name once: two of the same heading are meant by one name."""
    seen = set()
    for section in sections:
        value = name_section(section)
        if section.pattern and value not in seen:
            seen.add(value)
            yield value, f"{section.name} ({count_of(section.chunk_count, 'passage')})"
