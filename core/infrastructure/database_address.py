"""Write the address of a database on the server that is in use."""

from urllib.parse import quote, urlsplit

from django.conf import settings


def address_of(name: str) -> str:
    """Return the DATABASE_URL of a database, by its name."""
    address = urlsplit(settings.DATABASE_URL)
    folder, _, _ = address.path.rpartition("/")  # of a socket, before the name
    return address._replace(path=f"{folder}/{quote(name, safe='')}").geturl()
