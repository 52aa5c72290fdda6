"""Handle slash commands."""
