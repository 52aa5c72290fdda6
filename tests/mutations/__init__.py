"""The rule of access broken on purpose: are there tests that notice? Run by hand: `python -m tests.mutations`."""
