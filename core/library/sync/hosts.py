"""Name the hosts that data sources may ask: those of the public Internet, and those an administrator allowed."""

from core.library.ingestion.sources.policy import Policy
from core.models import IntranetHost


def policy() -> Policy:
    """The policy for what data sources ask."""
    names = IntranetHost.objects.values_list("name", flat=True)
    return Policy(inside_hosts=frozenset(name.casefold() for name in names))
