"""Chunking."""

import re
from functools import cache
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.language.nlp.layout import RULE
from core.library.embedding import SentenceTransformerProvider
from core.library.ingestion.chunking import MOST_TOKENS, chunks
from core.library.ingestion.cleaning import clean
from core.library.ingestion.document import Block, ParsedDocument

if TYPE_CHECKING:
    from tokenizers import Tokenizer


@cache
def tokenizer() -> "Tokenizer":
    """The packaged model's tokenizer."""
    return SentenceTransformerProvider().tokenizer


BETWEEN = re.compile(r"[\s|-]*")  # chunks: white space, as a tab before the first word, or a table's rule
MARKS = ("Bring these:", "\n- A rope", "\n   2. A lamp", "\nRope | Metres", "\n--- | ---", "\n| 3 | a |")
TEXTS = (
    st.one_of(
        st.text(max_size=300),
        st.lists(
            st.sampled_from(["The valve opens.", "Über", "x" * 130, "12,5", "\n", "\n\n", "你好", "a", *MARKS]),
            max_size=200,
        ).map(" ".join),
    )
    .map(clean)
    .filter(lambda text: bool(text.strip()))
)
BLOCKS = st.builds(
    Block,
    text=TEXTS,
    chapter=st.sampled_from(["", "One", "Two"]),
    section=st.sampled_from(["", "A", "A > B", "long " * 60]),
    page_number=st.sampled_from([None, 1, 2, 3]),
    continues=st.booleans(),
)
DOCUMENTS = st.builds(
    ParsedDocument,
    title=st.sampled_from(["", "A title", "word " * 100]),
    blocks=st.lists(BLOCKS, min_size=1, max_size=8).map(tuple),
)


def document_text(document: ParsedDocument) -> str:
    """The document's whole text, into which the chunks' offsets point: a blank line between two paragraphs."""
    text = ""
    for before, block in zip((None, *document.blocks), document.blocks, strict=False):
        goes_on = before and block.continues and (before.chapter, before.section) == (block.chapter, block.section)
        text += ("" if before is None else " " if goes_on else "\n\n") + block.text
    return text


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(DOCUMENTS)
def test_any_document(document: ParsedDocument) -> None:
    """Offsets give the content back but for what it repeats, no chunk is too long, and nothing but space is lost."""
    text = document_text(document)
    found = chunks(document, tokenizer())
    covered = 0
    for chunk in found:
        assert text[chunk.start : chunk.end] == chunk.content[chunk.repeated :]
        assert set(chunk.content[: chunk.repeated].split()) <= {*text[: chunk.start].split(), RULE, "|"}
        assert chunk.content.strip()
        assert len(tokenizer().encode(chunk.embedded_text).ids) <= MOST_TOKENS
        assert chunk.embedded_text.endswith(chunk.content)
        assert chunk.start >= covered, "chunks do not overlap and stand in order"
        assert BETWEEN.fullmatch(text[covered : chunk.start]), "between chunks is white space, or a table's rule"
        covered = chunk.end
        inside = [b for b in document.blocks if (b.chapter, b.section) == (chunk.chapter, chunk.section)]
        assert chunk.page_number in {b.page_number for b in inside}
        assert {page for _, page in chunk.later_pages} <= {b.page_number for b in inside}
        assert all(0 < offset < len(chunk.content) for offset, _ in chunk.later_pages)
    assert not text[covered:].strip()


@settings(max_examples=60)
@given(TEXTS)
def test_cleaned_text_can_be_stored(text: str) -> None:
    """No character is left that PostgreSQL or UTF-8 refuses, and cleaning twice changes nothing."""
    assert "\0" not in text
    assert text.encode()
    assert clean(text) == text


def test_a_section_is_never_crossed() -> None:
    """Two short sections make two chunks, each under its own headings."""
    document = ParsedDocument(
        title="Manual",
        blocks=(
            Block(text="Open the valve.", chapter="Use", section="Start"),
            Block(text="Close the valve.", chapter="Use", section="Stop"),
        ),
    )
    assert [(c.content, c.embedded_text) for c in chunks(document, tokenizer())] == [
        ("Open the valve.", "Manual > Use > Start\nOpen the valve."),
        ("Close the valve.", "Manual > Use > Stop\nClose the valve."),
    ]


def test_the_page_is_where_the_chunk_starts() -> None:
    """A paragraph that goes on over the page is one text; a chunk that starts in its rest has the later page."""
    sentences = " ".join(f"Sentence {number} tells of the valve and its spring." for number in range(40))
    document = ParsedDocument(
        title="M",
        blocks=(
            Block(text="It begins", page_number=4),
            Block(text=f"here. {sentences}", page_number=5, continues=True),
        ),
    )
    found = chunks(document, tokenizer())
    assert document_text(document).startswith("It begins here.")
    assert [c.page_number for c in found] == [4] + [5] * (len(found) - 1)
    assert len(found) > 1
    assert [c.later_pages for c in found] == [((len("It begins "), 5),)] + [()] * (len(found) - 1)
    assert found[0].content[len("It begins ") :].startswith("here.")


def test_a_document_without_pages_has_no_later_ones() -> None:
    """Nor has a chunk whose paragraphs are on one page."""
    for page in (None, 3):
        document = ParsedDocument(title="M", blocks=tuple(Block(text=t, page_number=page) for t in ("One.", "Two.")))
        [chunk] = chunks(document, tokenizer())
        assert (chunk.page_number, chunk.later_pages) == (page, ())


def test_sentences_are_kept_whole() -> None:
    """Long text is cut between sentences."""
    text = " ".join(f"Sentence {number} tells of the valve and its spring." for number in range(60))
    document = ParsedDocument(title="M", blocks=(Block(text=text),))
    assert all(c.content.endswith("spring.") for c in chunks(document, tokenizer()))


@pytest.mark.parametrize("count", [100, 5000])
def test_a_run_of_letters_without_space_is_cut(count: int) -> None:
    """The tokenizer takes it for one unknown word; the chunk is short all the same."""
    document = ParsedDocument(title="M", blocks=(Block(text="x" * count),))
    assert max(len(c.content) for c in chunks(document, tokenizer())) <= 4000


def manual(*texts: str, pages: bool = False) -> list[tuple[str, str]]:
    """The contents of the chunks that a section of some blocks is cut into, and what each repeats."""
    blocks = tuple(Block(text=text, page_number=n if pages else None) for n, text in enumerate(texts, 1))
    found = chunks(ParsedDocument(title="M", blocks=blocks), tokenizer())
    return [(chunk.content, chunk.content[: chunk.repeated]) for chunk in found]


def test_each_part_of_a_table_has_its_header() -> None:
    """And its caption; the first part has them unchanged, and the rows are neither lost nor there twice."""
    rows = [f"Rope of {n} metres | {n * 3} euros | shed {n} behind the harbour wall" for n in range(1, 40)]
    found = manual("\n".join(["Prices", "Item | Price | Place", "--- | --- | ---", *rows]))
    assert len(found) > 2
    assert all(content.startswith("Prices\nItem | Price | Place\n--- | --- | ---\nRope of ") for content, _ in found)
    assert [repeated for _, repeated in found] == [
        "",
        *["Prices\nItem | Price | Place\n--- | --- | ---\n"] * (len(found) - 1),
    ]
    assert [line for content, _ in found for line in content.split("\n") if line.startswith("Rope")] == rows


def test_each_part_of_a_list_has_its_lead_in() -> None:
    """And the item above, where it begins below one; the lead-in leaves the chunk before for its list."""
    items = [f"{n}. Take rope {n} to the shed:\n   - the red one first\n   - the blue one last" for n in range(1, 40)]
    filler = " ".join(f"The keeper of shed {n} counts the ropes and the boats." for n in range(12))
    found = manual(filler, "Nobody may forget these steps:", "\n".join(items))
    of_list = [content for content, _ in found if "rope 1 " in content or "Nobody" in content]
    assert len(of_list) > 2
    assert all(content.startswith("Nobody may forget these steps:\n") for content in of_list)
    assert sum(content.endswith("steps:") for content, _ in found) == 0
    below = [content for content, repeated in found if repeated.count("\n") == 2]
    for content in below:
        _, above, first, *_ = content.split("\n")
        assert above.startswith(tuple("123456789"))
        assert first.startswith("   - the ")


def test_what_is_repeated_is_cited_by_its_own_page() -> None:
    """The lead-in is on the page before, the items on theirs."""
    items = (Block(text=f"- Rope {n} lies in the shed behind the wall", page_number=4 + n // 20) for n in range(40))
    found = chunks(ParsedDocument(title="M", blocks=(Block(text="Take these:", page_number=4), *items)), tokenizer())
    assert len(found) > 2
    last = found[-1]
    assert last.content.startswith("Take these:\n- Rope")
    assert (last.page_number, last.later_pages) == (4, ((len("Take these:\n"), 5),))


def test_a_lead_in_that_is_too_long_is_not_repeated() -> None:
    """Every chunk keeps room for what is its own."""
    lead = f"{'Qy-7 zxw/4 ' * 20}as follows:"
    found = manual(lead, "\n".join(f"- Rope {n} lies in the shed behind the harbour wall" for n in range(60)))
    assert {repeated for _, repeated in found} == {""}
