"""The web side of Footnote: settings, admin, REST and health."""
