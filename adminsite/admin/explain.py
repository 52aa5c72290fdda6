"""Explain why a person may or may not read a document."""

from typing import Any

from django import forms
from django.http import Http404, HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from unfold.widgets import UnfoldAdminEmailInputWidget

from core.access.reasons import explain
from core.models import Document, User


class PersonForm(forms.Form):
    """A form for the person whose access is explained."""

    email = forms.EmailField(label="The person's e-mail address", widget=UnfoldAdminEmailInputWidget)

    def clean_email(self) -> User:
        """The person with that address."""
        try:
            return User.objects.get_by_natural_key(self.cleaned_data["email"])
        except User.DoesNotExist as error:
            raise forms.ValidationError("Nobody has this e-mail address.") from error


def explain_page(model_admin: Any, request: HttpRequest, document: Document | None) -> HttpResponse:
    """Show a form for a person and, once one is given, the explanation. Http404 without a document.

    The form is posted so that no e-mail address is in a URL, and so in no log.
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
