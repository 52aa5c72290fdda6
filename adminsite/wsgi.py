"""The entry point for gunicorn."""

import os

from django.core.wsgi import get_wsgi_application

from adminsite.body_limits import whole_bodies

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "adminsite.settings")
application = whole_bodies(get_wsgi_application())

from django.db import connection  # noqa: E402 - Django must be set up first

import adminsite.urls  # noqa: E402, F401 - loaded now, it need not be loaded by the first request
from adminsite.checks import refuse_unsafe_start  # noqa: E402 - as above
from adminsite.running.server import with_commands  # noqa: E402 - as above
from core.operations.observation import observe  # noqa: E402 - as above
from core.operations.safe_database import refuse_unsafe_database  # noqa: E402 - as above

refuse_unsafe_start()
refuse_unsafe_database()
connection.close()
observe("web")
application = with_commands(application)
