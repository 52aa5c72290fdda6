"""Sizes in bytes, as the settings that end in _MB count them: a megabyte is 1024 times 1024."""

KILOBYTE = 1024
MEGABYTE = 1024 * KILOBYTE
