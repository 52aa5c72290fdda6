"""What a soak may fail with."""


class CouldNotBeginError(Exception):
    """The processes did not answer a first question."""
