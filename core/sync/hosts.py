"""Which hosts data sources may ask: those of the public Internet, and those that an administrator named."""

import ipaddress

from core.errors import SourceError
from core.ingestion.sources.web import Policy, is_public, resolve
from core.models import IntranetHost


def policy() -> Policy:
    """The policy for what is fetched by http and https."""
    return Policy()


def check_host(host: str) -> None:
    """SourceError for a host that may not be asked."""
    if host.casefold() in named_hosts():
        return
    try:
        addresses = resolve(host, 0)
    except OSError as error:
        raise SourceError(f"The host {host} is not known. Check the address.") from error
    if not addresses or not all(is_public(ipaddress.ip_address(each)) for each in addresses):
        raise SourceError(f"{host} is not on the public Internet. An administrator can add it to the intranet hosts.")


def named_hosts() -> frozenset[str]:
    """The names of hosts inside that may be asked, in lower case."""
    return frozenset(name.casefold() for name in IntranetHost.objects.values_list("name", flat=True))
