"""The admin's pages of signing in and of one's own password."""

from typing import Any

from allauth.account.utils import perform_login
from django.conf import settings
from django.contrib import admin
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.views import LoginView, PasswordChangeView
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse_lazy

from adminsite.sign_in.forms import OwnPasswordForm, PasswordForm
from adminsite.sign_in.trail import record_own_password


class SignInView(LoginView):
    """The page of a password, with the way to single sign-on where there is one. A second factor follows."""

    template_name = "adminsite/sign_in.html"
    authentication_form = PasswordForm

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """To the admin, whoever is in already."""
        if request.method == "GET" and admin.site.has_permission(request):
            return redirect(settings.LOGIN_REDIRECT_URL)
        return super().dispatch(request, *args, **kwargs)

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        """The password is right. The session begins here, or after the code."""
        response: HttpResponse = perform_login(self.request, form.get_user(), redirect_url=self.get_success_url())
        return response

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add the admin pages' context, and the name of single sign-on."""
        return {
            **super().get_context_data(**kwargs),
            **admin.site.each_context(self.request),
            "title": "Sign in",
            "app_path": self.request.get_full_path(),
            "username": self.request.user.get_username(),
            "single_sign_on": settings.OIDC_NAME if settings.OIDC_ISSUER else "",
            "next": self.get_redirect_url(),
        }


class OwnPasswordView(PasswordChangeView):
    """The page on which who is signed in changes their password, in the place of the theme's, which knows no limits."""

    form_class = OwnPasswordForm
    success_url = reverse_lazy("admin:password_change_done")

    def form_valid(self, form: Any) -> HttpResponse:
        """Save it, and say so in the audit trail."""
        with transaction.atomic():
            record_own_password(form.user)
            return super().form_valid(form)

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add the admin pages' context."""
        return {**super().get_context_data(**kwargs), **admin.site.each_context(self.request)}
