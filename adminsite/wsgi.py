"""The entry point for gunicorn."""

import os

from django.core.wsgi import get_wsgi_application

from adminsite.bodies import whole_bodies

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "adminsite.settings")
application = whole_bodies(get_wsgi_application())

import adminsite.urls  # noqa: E402, F401 - loaded now, it need not be loaded by the first request
from adminsite.checks import refuse_unsafe_start  # noqa: E402 - Django must be set up first

refuse_unsafe_start()
