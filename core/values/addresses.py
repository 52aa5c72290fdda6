"""E-mail addresses in the form in which they are stored and compared."""

import string

_LOWER_CASE = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)


def fold_address(address: str) -> str:
    """An address without white space around it, its letters A to Z in lower case, and all others as they are.

    Directories and Slack disagree about the case of those letters alone. Unicode's own folding makes one address of
    several that belong to different mailboxes: an "s" as it was written long ago is no other "s".
    """
    return address.strip().translate(_LOWER_CASE)
