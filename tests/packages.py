"""The packages of the product, for tests that look through its source."""

PACKAGES = ("core", "bot", "adminsite", "slack_emulator")
