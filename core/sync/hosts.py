"""Which hosts data sources may ask: those of the public Internet, and those that an administrator named."""

from core.errors import IngestionError, SourceError
from core.ingestion.sources.policy import Policy
from core.models import IntranetHost


def policy() -> Policy:
    """The policy for what data sources ask."""
    names = IntranetHost.objects.values_list("name", flat=True)
    return Policy(inside_hosts=frozenset(name.casefold() for name in names))


def check_host(host: str) -> None:
    """SourceError for a host that may not be asked, or is not known."""
    try:
        policy().addresses_of(host.casefold(), 0)
    except IngestionError as error:
        raise SourceError(f"{error.message} An administrator can add hosts inside under Intranet hosts.") from error
