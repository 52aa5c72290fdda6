"""The application of Django's admin, without its pages where nobody sees them."""

from collections.abc import Sequence
from typing import Any

from django.apps import AppConfig
from django.contrib.admin.apps import SimpleAdminConfig
from django.contrib.admin.checks import check_admin_app, check_dependencies
from django.core.checks import CheckMessage, Tags, register


class AdminAppConfig(SimpleAdminConfig):
    """Pages are registered when their addresses are loaded.

    Django's own configuration imports them for every process: half the time in which a worker or a command is set up,
    and a third of that of a bot that hears Slack, which needs a part of the same modules.
    """

    def ready(self) -> None:
        """Register Django's checks of the admin."""
        register(check_dependencies, Tags.admin)
        register(_check_pages, Tags.admin)


def _check_pages(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[CheckMessage]:
    """All pages: checks run in no certain order, and those of the addresses may come after this one."""
    import adminsite.admin  # noqa: F401 - registers them

    return check_admin_app(app_configs, **kwargs)
