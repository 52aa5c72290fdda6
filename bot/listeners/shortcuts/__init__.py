"""Handle choices from the menu of a message."""
