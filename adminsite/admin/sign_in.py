"""Signing in has no pages of rows: django-allauth's would show secrets of second factors, and let them be changed.

Nor has what programs sign in with: adminsite.admin.programs shows what concerns people.
"""

from django.apps import apps
from django.contrib import admin

for label in ("account", "mfa", "oauth2_provider", "socialaccount"):
    for model in apps.get_app_config(label).get_models():
        if admin.site.is_registered(model):
            admin.site.unregister(model)
