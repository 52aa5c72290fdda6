"""The admin, a module for each thing that it shows. To import it registers all pages, the libraries' among them."""

from django.apps import apps
from django.contrib import admin

admin.autodiscover()  # the libraries' first: some are replaced here
# Signing in has no pages of rows: django-allauth's would show secrets of second factors, and let them be changed.
# Nor has what programs sign in with: adminsite.admin.programs shows what concerns people.
for label in ("account", "mfa", "oauth2_provider", "socialaccount"):
    for library_model in apps.get_app_config(label).get_models():
        if admin.site.is_registered(library_model):
            admin.site.unregister(library_model)

from adminsite.admin import (  # noqa: E402 - as above
    answers,
    benchmarks,
    budgets,
    chunks,
    collections,
    contradictions,
    documents,
    evaluation_runs,
    examinations,
    gaps,
    groups,
    ingestion,
    installations,
    model_setups,
    operations,
    people,
    programs,
    quality,
    questions,
    replies,
    roles,
    slack,
    tokens,
    verified_answers,
)
from adminsite.admin.change_checks import pages as change_checks  # noqa: E402 - as above
from adminsite.admin.conversation import page as conversation  # noqa: E402 - as above
from adminsite.admin.oversharing import pages as oversharing  # noqa: E402 - as above
from adminsite.admin.proposals import pages as proposed_changes  # noqa: E402 - as above
from adminsite.admin.sections import pages as section_rules  # noqa: E402 - as above
from adminsite.admin.sources import hosts as intranet_hosts  # noqa: E402 - as above
from adminsite.admin.sources import runs as sync_runs  # noqa: E402 - as above
from adminsite.admin.sources import source as data_sources  # noqa: E402 - as above

__all__ = [
    "answers",
    "benchmarks",
    "budgets",
    "change_checks",
    "chunks",
    "collections",
    "contradictions",
    "conversation",
    "data_sources",
    "documents",
    "evaluation_runs",
    "examinations",
    "gaps",
    "groups",
    "ingestion",
    "installations",
    "intranet_hosts",
    "model_setups",
    "operations",
    "oversharing",
    "people",
    "programs",
    "proposed_changes",
    "quality",
    "questions",
    "replies",
    "roles",
    "section_rules",
    "slack",
    "sync_runs",
    "tokens",
    "verified_answers",
]
