"""Why a person may or may not read a document."""

from dataclasses import dataclass
from typing import Any

from django import forms
from django.http import Http404, HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from unfold.widgets import UnfoldAdminEmailInputWidget

from core.access.audiences import audience_of
from core.models import Document, User


@dataclass(frozen=True, kw_only=True, slots=True)
class Explanation:
    """The verdict for one person and one document, and the roles that it rests on."""

    person: User
    may_read: bool
    held: tuple[str, ...]  # names of the person's roles
    granted: tuple[str, ...]  # names of the roles that may read the document
    deciding: tuple[str, ...]  # names in both


class PersonForm(forms.Form):
    """Whose access to explain."""

    email = forms.EmailField(label="The person's e-mail address", widget=UnfoldAdminEmailInputWidget)

    def clean_email(self) -> User:
        """The person with that address."""
        try:
            return User.objects.get_by_natural_key(self.cleaned_data["email"])
        except User.DoesNotExist as error:
            raise forms.ValidationError("Nobody has this e-mail address.") from error


def explain(person: User, document: Document) -> Explanation:
    """Say whether a person may read a document, by the rule itself, and which roles decide it."""
    may_read = Document.objects.visible_to(audience_of([person.pk])).filter(pk=document.pk).exists()
    held = set(person.roles.values_list("name", flat=True))
    granted = set(document.roles.values_list("name", flat=True))
    return Explanation(
        person=person,
        may_read=may_read,
        held=tuple(sorted(held)),
        granted=tuple(sorted(granted)),
        deciding=tuple(sorted(held & granted)),
    )


def explain_page(model_admin: Any, request: HttpRequest, document: Document | None) -> HttpResponse:
    """Show a form for a person and, once one is given, the explanation. Http404 without a document.

    The form is posted so that no e-mail address stands in a URL, and so in no log.
    """
    if document is None:
        raise Http404
    form = PersonForm(request.POST or None)
    explanation = explain(form.cleaned_data["email"], document) if form.is_bound and form.is_valid() else None
    context = {
        **model_admin.admin_site.each_context(request),
        "title": "Explain access",
        "subtitle": document.title,
        "opts": model_admin.opts,
        "document": document,
        "form": form,
        "explanation": explanation,
    }
    return TemplateResponse(request, "adminsite/explain.html", context)
