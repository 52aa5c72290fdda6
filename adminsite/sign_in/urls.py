"""Route signing in, below /admin/. Of django-allauth's own addresses only those that are needed are here."""

from allauth.account.views import reauthenticate
from allauth.mfa.base.views import authenticate, index
from allauth.mfa.base.views import reauthenticate as reauthenticate_by_code
from allauth.mfa.recovery_codes import views as recovery_codes
from allauth.mfa.totp import views as totp
from django.contrib import admin
from django.urls import path

from adminsite.sign_in.single_sign_on import begin, finish
from adminsite.sign_in.views import OwnPasswordView, SignInView

# The names are those under which allauth looks for them.
urlpatterns = [
    path("login/", SignInView.as_view(), name="account_login"),
    path("password_change/", admin.site.admin_view(OwnPasswordView.as_view(), cacheable=True), name="own-password"),
    path("confirm/", reauthenticate, name="account_reauthenticate"),
    path("sso/", begin, name="single-sign-on"),
    path("sso/<str:provider_id>/callback/", finish, name="openid_connect_callback"),
    path("second-factor/", index, name="mfa_index"),
    path("second-factor/code/", authenticate, name="mfa_authenticate"),
    path("second-factor/confirm/", reauthenticate_by_code, name="mfa_reauthenticate"),
    path("second-factor/app/", totp.activate_totp, name="mfa_activate_totp"),
    path("second-factor/app/remove/", totp.deactivate_totp, name="mfa_deactivate_totp"),
    path("second-factor/recovery/", recovery_codes.view_recovery_codes, name="mfa_view_recovery_codes"),
    path("second-factor/recovery/new/", recovery_codes.generate_recovery_codes, name="mfa_generate_recovery_codes"),
    path("second-factor/recovery/file/", recovery_codes.download_recovery_codes, name="mfa_download_recovery_codes"),
]
