"""Footnote's look of the admin: the local page's colours as the theme's scales, and where templates come from.

Small text has a contrast of 4.5 or more on its background, in light and in dark; a test computes it.
"""

# The paper and ink of the local page: warm where it is light, cool where it is dark.
BASE = {
    "50": "#faf8f3",
    "100": "#f1ede3",
    "200": "#e5e0d4",
    "300": "#cdc7b9",
    "400": "#99a3ab",
    "500": "#656b78",
    "600": "#454b57",
    "700": "#364048",
    "800": "#29323a",
    "900": "#1a2025",
    "950": "#14191d",
}
# Its teal.
PRIMARY = {
    "50": "#effaf7",
    "100": "#dff1ed",
    "200": "#b9e3da",
    "300": "#84cfc0",
    "400": "#4fc3b3",
    "500": "#2aa698",
    "600": "#0f766e",
    "700": "#0d615b",
    "800": "#0c4e49",
    "900": "#0b403c",
    "950": "#07211e",
}
COLORS = {"base": BASE, "primary": PRIMARY}

# Our own templates before those of the applications, whose icons are hidden from screen readers.
_FROM = ["django.template.loaders.filesystem.Loader", "adminsite.icons.HiddenIcons"]
LOADERS = [("django.template.loaders.cached.Loader", _FROM)]
