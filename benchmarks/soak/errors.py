"""Define the errors of a soak."""


class CouldNotBeginError(Exception):
    """The processes did not answer a first question."""
