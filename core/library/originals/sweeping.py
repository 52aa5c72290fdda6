"""Remove a crash's remains from the storage of originals: unreferenced files, and unfinished ones."""

from collections.abc import Iterator

from django.utils import timezone

from core.library.originals.keeping import discard
from core.library.originals.storage import UNFINISHED, build_name, get_storage
from core.models import Document
from core.signals import SURELY_OVER


def sweep() -> int:
    """Delete the originals that no document refers to; how many. Running it again changes nothing."""
    storage = get_storage()
    used = set(Document.objects.exclude(original_hash="").values_list("original_hash", flat=True))
    swept = 0
    for folder, name in _list_files():
        path = f"{folder}/{name}"
        if name.endswith(UNFINISHED):
            if storage.get_modified_time(path) < timezone.now() - SURELY_OVER:
                storage.delete(path)
                swept += 1
        elif name not in used and path == build_name(name):
            swept += discard(name)
    return swept


def _list_files() -> Iterator[tuple[str, str]]:
    """The folder and the name of each file; none before the first original is kept."""
    storage = get_storage()
    try:
        folders = storage.listdir("")[0]
    except FileNotFoundError:
        return
    for folder in folders:
        for name in storage.listdir(folder)[1]:
            yield folder, name
