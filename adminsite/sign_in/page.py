"""Add the admin's look to the pages of signing in: allauth's views know nothing of it."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest


def admin_look(request: HttpRequest) -> dict[str, Any]:
    """The admin's own context, for allauth's pages alone."""
    name = request.resolver_match.url_name if request.resolver_match else None
    return admin.site.each_context(request) if name and name.startswith(("mfa_", "account_")) else {}
