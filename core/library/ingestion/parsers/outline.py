"""Collect blocks under their headings."""

from core.library.ingestion.cleaning import clean, one_line
from core.library.ingestion.document import MAX_HEADING, Block


class Outline:
    """A collector of headings and texts in reading order, which gives blocks with chapter and section.

    The chapter is the first-level heading, or the document's title where there is none. The section is the path of the
    headings below it. Headings are no text, except one without any text below it.
    """

    def __init__(self, title: str) -> None:
        self._title = title
        self._chapter = ""
        self._path: list[tuple[int, str]] = []
        self._blocks: list[Block] = []
        self._bare: tuple[int, str] | None = None  # a heading without text under it so far
        self._first_level: list[str] = []
        self._begins_with_chapter = False

    def heading(self, level: int, text: str) -> None:
        """Begin a section. level: 1 for a chapter, higher numbers for sections below."""
        line = one_line(text)
        if not line:
            return
        if self._bare and level <= self._bare[0]:
            self._keep_bare_heading()
        self._bare = (level, line)
        self._path = [(above, name) for above, name in self._path if above < level]
        if level == 1:
            self._begins_with_chapter |= not (self._first_level or self._blocks or self._path)
            self._first_level.append(line)
            self._chapter = line
        else:
            self._path.append((level, line))

    def text(self, text: str, *, page: int | None = None, continues: bool = False) -> None:
        """Add a block. Blank text is left out."""
        cleaned = clean(text)
        if not cleaned.strip():
            return
        self._bare = None
        self._blocks.append(
            Block(
                text=cleaned,
                chapter=one_line(self._chapter or self._title, MAX_HEADING),
                section=one_line(" > ".join(name for _, name in self._path), MAX_HEADING),
                page_number=page,
                continues=continues,
            )
        )

    @property
    def nearest(self) -> str:
        """The heading right above what comes next; the document's title where there is none."""
        return self._path[-1][1] if self._path else self._chapter or self._title

    @property
    def only_chapter(self) -> str:
        """The first-level heading that everything stands below; "" where there are several, or text before it."""
        is_title = self._begins_with_chapter and len(self._first_level) == 1
        return self._first_level[0] if is_title else ""

    @property
    def blocks(self) -> tuple[Block, ...]:
        """Return the collected blocks."""
        self._keep_bare_heading()
        return tuple(self._blocks)

    def _keep_bare_heading(self) -> None:
        """A heading with nothing below it is itself what the document says there."""
        if self._bare:
            self.text(self._bare[1])
