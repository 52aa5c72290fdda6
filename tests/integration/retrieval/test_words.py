"""Search by words: BM25 as plain Python computes it from what may be read, and the codes that must be found."""

import math
import random
import re
from collections import Counter
from uuid import UUID

import numpy as np
import pytest
from django.db import connection

from core.api import search
from core.library.retrieval import lexical
from core.library.retrieval.access_filter import select_permitted_chunks
from core.library.retrieval.lexical import K1, B, by_words
from core.models import Chunk
from core.models.row_security import as_audience, bypass_row_security
from core.testing import Cast
from core.types import Audience, Filters
from tests.integration.retrieval.library import Work, add_chunks, fill

pytestmark = pytest.mark.usefixtures("fast")

VOCABULARY = [
    "rate",
    "inflation",
    "committee",
    "harbour",
    "vault",
    "canteen",
    "model",
    "attention",
    "gradient",
    "torque",
    "bolt",
    "policy",
    "vote",
    "percent",
    "class",
    "share",
    "holder",
    "engine",
    "pump",
    "valve",
    "index",
    "vector",
    "passage",
    "minutes",
    "market",
    "labour",
    "housing",
    "credit",
    "supply",
    "demand",
]
# What recovering the occurrences from PostgreSQL's rank may cost: 5 % of one occurrence, less of the score.
TOLERANCE = 0.03

Positions = dict[str, list[int]]


def random_text(chance: random.Random) -> str:
    words = [VOCABULARY[min(int(chance.expovariate(0.12)), len(VOCABULARY) - 1)] for _ in range(chance.randint(5, 60))]
    words += [chance.choice(VOCABULARY)] * chance.choice([0, 0, 3, 10, 20])
    chance.shuffle(words)
    return " ".join(words)


@pytest.fixture
def texts(cast: Cast, fast: None) -> None:
    """120 chunks: a third for owners, a third for staff, a third for nobody."""
    chance = random.Random(11)
    roles = ([cast.owners], [cast.staff], [])
    fill(
        Work(title=f"Work {number}", texts=[random_text(chance) for _ in range(3)], roles=roles[number % 3])
        for number in range(40)
    )


def indexed(audience: Audience) -> dict[UUID, Positions]:
    """The lexemes of the readable chunks with their positions, as PostgreSQL has them."""
    with bypass_row_security(), connection.cursor() as cursor:
        cursor.execute(
            "SELECT c.id, l.lexeme, l.positions FROM core_chunk c, unnest(c.search) l WHERE c.id = ANY(%s)",
            [list(Chunk.objects.visible_to(audience).values_list("pk", flat=True))],
        )
        chunks: dict[UUID, Positions] = {}
        for pk, lexeme, positions in cursor.fetchall():
            chunks.setdefault(pk, {})[lexeme] = positions
    return chunks


def bm25(audience: Audience, query: str, phrases: tuple[str, ...] = ()) -> dict[UUID, float]:
    """Scores of the chunks that share a term: lengths in different words, the average over those chunks."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT tsvector_to_array(to_tsvector('english', %s))", [query])
        words = cursor.fetchone()[0]
        cursor.execute("SELECT phraseto_tsquery('footnote', p)::text FROM unnest(%s::text[]) p", [list(phrases)])
        followed = [re.findall(r"'([^']+)'", row[0]) for row in cursor.fetchall()]
    chunks = indexed(audience)
    found: dict[UUID, Counter[str]] = {}
    for pk, positions in chunks.items():
        counts = Counter({word: len(positions.get(word, [])) for word in words})
        counts.update({" ".join(stems): int(stands_in(stems, positions)) for stems in followed})
        if +counts:
            found[pk] = +counts
    shared = Counter(term for counts in found.values() for term in counts)
    average = sum(len(chunks[pk]) for pk in found) / max(len(found), 1)

    def weight(term: str, occurrences: int, length: int) -> float:
        rarity = math.log(1 + (len(chunks) - shared[term] + 0.5) / (shared[term] + 0.5))
        return rarity * (K1 + 1) * occurrences / (occurrences + K1 * (1 - B + B * length / average))

    return {pk: sum(weight(t, n, len(chunks[pk])) for t, n in counts.items()) for pk, counts in found.items()}


def stands_in(stems: list[str], positions: Positions) -> bool:
    starts = positions.get(stems[0], [])
    return any(all(start + i in positions.get(stem, []) for i, stem in enumerate(stems)) for start in starts)


def worded(audience: Audience, query: str, limit: int = 1000) -> dict[UUID, float]:
    with as_audience(audience):
        chunks = select_permitted_chunks(audience, Filters())
        return by_words(chunks, query, permitted=chunks.count(), limit=limit).scores


def test_what_the_best_chunk_holds_of_a_question(cast: Cast) -> None:
    """All of it in the documents' own words, little where one common word is shared by chance, nothing without any."""
    fill(
        Work(title=f"Text {n}", texts=[text], roles=[cast.staff])
        for n, text in enumerate(
            ("Walrus ivory is taxed.", "Gulls are counted.", "Seals are counted.", "Eels are sold.")
        )
    )
    audience = cast.audience(cast.bob)

    def held(query: str) -> float:
        with as_audience(audience):
            return by_words(select_permitted_chunks(audience, Filters()), query, permitted=4, limit=10).held

    assert held("taxed walrus ivory") > 0.9
    assert held("walrus ivory duty paid abroad") < 0.6
    assert 0 < held("sunbathing counted annually beside harbours") < 0.2
    assert held("submarine") == 0


def test_a_code_counts_by_itself(cast: Cast) -> None:
    """Whoever asks what 4.2 says wants that place, and the documents need not say "say" or "clause"."""
    texts = ("4.1 Hives are kept in the orchard.", "4.2 Honey is sold by weight.", "5.1 Wax is kept for candles.")
    fill(Work(title=f"Text {n}", texts=[text], roles=[cast.staff]) for n, text in enumerate(texts))

    with as_audience(cast.audience(cast.bob)):
        chunks = select_permitted_chunks(cast.audience(cast.bob), Filters())
        asked = ("What does clause 4.2 say?", "What does clause 6.3 say?", "What does the clause on honey say?")
        held = {query: by_words(chunks, query, permitted=3, limit=10).held for query in asked}

    assert [round(share, 1) for share in held.values()] == [1.0, 0.0, 0.2]


QUERIES = [
    ("inflation", ()),
    ("What is the rate of inflation?", ()),
    ("housing market demand and the supply of credit", ()),
    ("The Committee's votes on policy rates, by percent", ()),
    ("rate rate rate vault", ()),
    ("walrus demand", ()),
    ('"credit supply" of the market', ("credit supply",)),
    ("pump-7 of Class A", ("pump-7", "Class A")),
]


@pytest.mark.usefixtures("texts")
@pytest.mark.parametrize(("query", "phrases"), QUERIES)
@pytest.mark.parametrize("people", [("alice",), ("bob",), ("alice", "bob")], ids="-".join)
def test_scores_are_those_of_plain_python(
    cast: Cast, query: str, phrases: tuple[str, ...], people: tuple[str, ...]
) -> None:
    """For the same chunks, with counts from what the audience may read and from nothing else."""
    audience = cast.audience(*(getattr(cast, name) for name in people))
    expected = bm25(audience, query, phrases)
    found = worded(audience, query)
    assert found.keys() == expected.keys()
    assert found == pytest.approx(expected, rel=TOLERANCE)
    assert list(found.values()) == sorted(found.values(), reverse=True)
    best = worded(audience, query, limit=7)
    assert list(best) == list(found)[:7]


@pytest.mark.usefixtures("texts")
def test_the_scores_of_two_audiences_differ(cast: Cast) -> None:
    """A word is as rare as it is among what each of them may read, or the test above would prove little."""
    alices, bobs = (worded(cast.audience(person), "inflation") for person in (cast.alice, cast.bob))
    assert bobs.keys() < alices.keys()
    assert any(abs(alices[pk] - score) > TOLERANCE * score for pk, score in bobs.items())


@pytest.mark.usefixtures("texts")
@pytest.mark.parametrize(
    "query", ["walrus", "the of and", "?!", "'; DROP TABLE core_chunk; --", "\\ ' \" & | ! <-> :*"]
)
def test_what_shares_no_word_finds_nothing(cast: Cast, query: str) -> None:
    """Nor do signs that mean something to PostgreSQL."""
    assert worded(cast.audience(cast.alice), query) == {}


@pytest.mark.parametrize("occurrences", range(1, 21))
def test_occurrences_are_recovered_from_the_rank(cast: Cast, occurrences: int) -> None:
    """From 1 to 20 of them, however the word is spread."""
    spread = " ".join(["engine", "pump valve"] * occurrences)
    fill(Work(title=title, texts=[text], roles=[cast.staff]) for title, text in (("Spread", spread), ("Other", "x")))
    audience = cast.audience(cast.bob)
    assert worded(audience, "engines") == pytest.approx(bm25(audience, "engines"), rel=TOLERANCE)


def test_a_word_that_too_many_have_weighs_without_matching(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    """Among more chunks than are scored the rare word decides which are, and the common one still counts among them."""
    monkeypatch.setattr(lexical, "_MOST_MATCHES", 800)
    monkeypatch.setattr(lexical, "_SAMPLE", 400)
    rare = {number * 45 for number in range(20)}
    texts = [f"harbour {'walrus' if number in rare else 'gull'} number {number}" for number in range(900)]
    texts[0] += " harbour harbour harbour"
    [document] = fill([Work(title="Many", texts=[], roles=[cast.staff])])
    add_chunks(document, texts, vectors=np.ones((900, 384), dtype=np.float32))
    found = worded(cast.audience(cast.bob), "the walrus in the harbour")
    with bypass_row_security():
        numbers = {chunk.pk: chunk.chunk_index for chunk in document.chunks.only("chunk_index")}
    assert {numbers[pk] for pk in found} == rare
    assert numbers[next(iter(found))] == 0
    assert len(set(found.values())) == 2


MENTIONS = [f"Holders of shares of each class vote on item {number}; a class has a meeting." for number in range(40)]
CODES = {
    "2212.11765": "The method follows the paper 2212.11765 in its third part.",
    "3-1/4 percent": "The range was raised to 3 to 3-1/4 percent at that meeting.",
    "Class A": "Class A shares carry ten votes.",
    "10-K": "The annual report on form 10-K was filed late.",
    "SB3-100": "Tighten the bolts of the SB3-100 to 40 Nm.",
}
DISTRACTING = [
    "The range was raised to 3-1/2 percent, and later to 4 percent, by a vote of 10 to 1.",
    "Papers 2212.11766 and 1706.03762 are about something else, and so is 11765.",
    "The annual report was filed in time; 10 copies of the form were kept, K of them.",
    "SB3-200 and SB4-100 take bolts of another kind; 100 of them fit.",
    "Shares of class B carry one vote, a class without a meeting.",
]


@pytest.fixture
def codes(cast: Cast, fast: None) -> None:
    """One chunk for each code, among many that share its parts."""
    works = [Work(title=f"Mentions {n}", texts=MENTIONS[n::4], roles=[cast.staff]) for n in range(4)]
    works += [Work(title=f"Distracting {n}", texts=[text], roles=[cast.staff]) for n, text in enumerate(DISTRACTING)]
    works += [Work(title=f"Source {n}", texts=[text], roles=[cast.staff]) for n, text in enumerate(CODES.values())]
    works += [
        Work(title="Attention is not all", texts=["Nothing of its name."], roles=[cast.staff], arxiv_id="1805.00042"),
        Work(title="The Grimsby Ledger", texts=["Columns of figures."], roles=[cast.staff]),
        Work(title="Cited", texts=["Words."], roles=[cast.staff], citation="Vaswani and others, 2017"),
        Work(title="Forbidden 2212.11765", texts=["2212.11765 Class A 10-K 3-1/4 percent SB3-100"]),
    ]
    fill(works)


@pytest.mark.usefixtures("codes")
@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize("around", ["{}", "What does it say about {}?"])
def test_codes_are_found_first(cast: Cast, code: str, around: str) -> None:
    """By words alone and by the whole search, before chunks that share the code's parts."""
    audience = cast.audience(cast.bob)
    query = around.format(code)
    with as_audience(audience):
        best = next(iter(worded(audience, query)))
        assert Chunk.objects.get(pk=best).content == CODES[code]
    assert search(query, audience=audience).passages[0].content == CODES[code]


@pytest.mark.usefixtures("codes")
@pytest.mark.parametrize(
    ("query", "title"),
    [
        ("1805.00042", "Attention is not all"),
        ("What is in the Grimsby ledger?", "The Grimsby Ledger"),
        ("Vaswani 2017", "Cited"),
    ],
)
def test_names_and_numbers_of_documents_find_their_chunks(cast: Cast, query: str, title: str) -> None:
    """Titles, arXiv numbers and citations are in no content, and are searched with it."""
    assert search(query, audience=cast.audience(cast.bob)).passages[0].document_name == title
