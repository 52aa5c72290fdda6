"""Load the theme's templates with icons that a screen reader passes over.

The theme draws its icons as words in a font that turns them into pictures: "chevron_right" would be read aloud. It
marks none of them, on dozens of templates, so the mark is added as the templates are loaded; they are loaded once.
"""

import re

from django.template import Origin
from django.template.loaders.app_directories import Loader

ICON = re.compile(r'(?<!aria-hidden="true" )class="(?=[^"]*\bmaterial-symbols-outlined\b)')


class HiddenIcons(Loader):
    """The templates of the installed applications, with hidden icons."""

    def get_contents(self, origin: Origin) -> str:
        """Return the text of a template."""
        return ICON.sub('aria-hidden="true" class="', super().get_contents(origin))
