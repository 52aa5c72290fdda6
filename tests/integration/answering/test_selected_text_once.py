"""Selected text is read once for a question, however often the question is searched for."""

from collections.abc import Sequence
from contextlib import nullcontext

import numpy as np

from core.asking.answering.searches import Searching
from core.library import embedding
from core.testing import HashingProvider
from core.types import Audience, Filters


class Counting(HashingProvider):
    """Embeds as its parent does, and counts texts."""

    def __init__(self) -> None:
        super().__init__()
        self.texts = 0

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        """The vectors."""
        self.texts += len(texts)
        return super().embed(texts)


def test_a_selection_is_embedded_once_for_all_searches() -> None:
    """A model may search five times; each time all passages of the selection were embedded anew."""
    provider = Counting()
    selection = "\n\n".join(f"The shop number {number} closes at {number} on weekdays. " * 12 for number in range(20))
    with embedding.use(provider):
        searching = Searching(audience=Audience.nobody(), selection=selection, timed=lambda step: nullcontext())
        found = searching.once("When does shop 7 close?", Filters())
        first = provider.texts
        assert found == searching.once("When does shop 7 close?", Filters())
        searching.once("When does shop 9 close?", Filters())
    assert first > 10
    assert provider.texts == first + 1  # the second question; the first is remembered
