"""Questions in Chinese, Japanese, Korean and Thai about documents in the same language, without a key.

The embedding model is the packaged one, which knows only English.
"""

from collections.abc import Iterator

import pytest
from django.core.checks import Tags, run_checks
from django.db import connection
from pytest_django import Settings

from core.library import embedding
from core.library.embedding import SentenceTransformerProvider
from core.library.embedding.provider import knows_only_english
from core.library.embedding.similarity import similarities
from core.library.ingestion.languages import describe_language
from core.library.ingestion.store import save_description
from core.migrations import __name__ as migrations
from core.models import Document
from core.models.row_security import bypass_row_security
from core.testing import Cast, fetch_chunks, make_document
from core.types import Answer, Refusal
from tests.integration.answering.conftest import asking

LIBRARY = {
    "zh": (
        "公园管理办法",
        "植物园每天下午六点闭园。温室周一不开放。年票价格为一百二十元，六岁以下儿童免费。使用WiFi需要在服务台登记。",
    ),
    "ja": (
        "寮の手引き",
        "洗濯機は午後十時まで動かせます。寮費は一か月二万円です。来客は前日までに管理人へ届け出てください。",
    ),
    "ko": (
        "기숙사 안내",
        "체육관은 저녁 아홉 시에 닫습니다. 세탁 비용은 한 번에 이천 원입니다. 손님은 로비에서 기다립니다.",
    ),
    "th": (
        "ระเบียบหอพัก",
        "สระว่ายน้ำเปิดให้บริการตั้งแต่หกโมงเช้าถึงสองทุ่มของทุกวัน ค่าซักผ้าครั้งละสามสิบบาทรวมผงซักฟอกและน้ำยาปรับผ้านุ่มแล้ว",
    ),
}
ANSWERED = [
    ("植物园几点闭园？", "植物园每天下午六点闭园。"),
    ("年票价格是多少？", "年票价格为一百二十元，六岁以下儿童免费。"),
    ("寮費は一か月いくらですか", "寮費は一か月二万円です。"),
    ("체육관은 몇 시에 닫습니까?", "체육관은 저녁 아홉 시에 닫습니다."),
    ("세탁 비용은 얼마인가요?", "세탁 비용은 한 번에 이천 원입니다."),
    ("ค่าซักผ้าเท่าไหร่", "ค่าซักผ้าครั้งละสามสิบบาท"),
]
CLOSEST = [
    ("温室哪天不开放？", "温室周一不开放。"),
    ("寮費はいくらですか", "寮費は一か月二万円です。"),  # one word of the question is left to find it by
    ("怎么使用WiFi？", "使用WiFi需要在服务台登记。"),
    ("洗濯機は何時まで使えますか", "洗濯機は午後十時まで動かせます。"),
    ("손님은 어디에서 기다립니까?", "손님은 로비에서 기다립니다."),
    ("สระว่ายน้ำเปิดกี่โมง", "สระว่ายน้ำเปิดให้บริการตั้งแต่หกโมงเช้า"),
]
UNANSWERED = [
    "植物园在哪里？",
    "植物园有几位园丁？",
    "谁是园长？",
    "年票怎么办理？",
    "寮長の名前は何ですか",
    "洗濯機は何台ありますか",
    "체육관 관장은 누구입니까?",
    "주차 요금은 얼마입니까?",
    "ใครเป็นผู้จัดการหอพัก",
    "ค่าเช่าห้องเท่าไหร่",
]


@pytest.fixture
def library(cast: Cast) -> Iterator[dict[str, Document]]:
    """A document in each language, and an English one."""
    with embedding.use(SentenceTransformerProvider()):
        yield {
            **{code: make_document(title, text, roles=[cast.staff]) for code, (title, text) in LIBRARY.items()},
            "en": make_document("Harbour", "The office opens at noon. A berth costs 30 euros.", roles=[cast.staff]),
        }


def test_each_language_is_found_and_nothing_false_is_answered(
    library: dict[str, Document], cast: Cast, settings: Settings
) -> None:
    """With the packaged reader, which knows only English as well."""
    settings.READER = ""
    ask = asking(cast, "bob")
    for question, sentence in ANSWERED:
        result = ask(question)
        assert isinstance(result, Answer), question
        assert result.text.startswith(sentence)
        assert {one.document_name for one in result.citations} == {_title_of(sentence)}
    for question, sentence in CLOSEST:
        result = ask(question)
        assert isinstance(result, Answer) or result.closest, question
        assert isinstance(result, Answer) or sentence in result.closest[0].quoted_excerpt, question
        assert not isinstance(result, Answer) or result.text.startswith(sentence)
        assert isinstance(result, Answer) or "English" not in result.message
    for question in UNANSWERED:
        assert isinstance(ask(question), Refusal), question
    assert isinstance(ask("What does a berth cost?"), Answer)


def _title_of(sentence: str) -> str:
    return next(title for title, text in LIBRARY.values() if sentence in text)


def test_nearness_in_meaning_is_not_measured_where_it_is_chance(library: dict[str, Document]) -> None:
    """Of what the model cannot read; English is compared as ever."""
    assert similarities("植物园", ["植物园", "garden"]) == [0.0, 0.0]
    chinese, english = similarities("How much is a berth?", ["植物园每天", "A berth costs 30 euros."])
    assert chinese == 0.0
    assert english > 0.5


def test_older_chunks_are_found_after_the_migration(library: dict[str, Document], cast: Cast) -> None:
    """Chunks of before have no pairs of letters in their context."""
    import importlib

    step = importlib.import_module(f"{migrations}.0061_pairs_of_letters")
    before = {chunk.pk: chunk.context for chunk in fetch_chunks()}
    with connection.schema_editor(atomic=False) as editor:
        step.remove_pairs(None, editor)
    without = {chunk.document.title: chunk.context for chunk in fetch_chunks()}
    assert without == {title: title for title in without}
    with connection.schema_editor(atomic=False) as editor:
        step.add_pairs(None, editor)
        step.add_pairs(None, editor)
    assert {chunk.pk: chunk.context for chunk in fetch_chunks()} == before


def test_another_title_keeps_the_pairs(library: dict[str, Document]) -> None:
    """Those of the text stay, those of the title are the new one's."""
    document = library["zh"]
    document.title = "植物园须知"
    save_description(document, ["title"])
    [chunk] = fetch_chunks(document)
    assert {"须知", "闭园", "WiFi"} <= set(chunk.context.split())
    assert "办法" not in chunk.context


def test_languages_that_the_model_does_not_know_are_named(library: dict[str, Document]) -> None:
    """On each document, and by the system check; nothing is said of English."""
    assert describe_language(library["en"]) == ""
    assert describe_language(library["ja"]).startswith("Japanese. The embedding model all-MiniLM-L6-v2 knows only")
    with bypass_row_security():
        for number in range(1, 3):
            make_document(f"{number}", LIBRARY["ko"][1])
    [warning] = [one for one in run_checks(tags=[Tags.database], databases=["default"]) if one.id == "footnote.W008"]
    assert warning.msg == "The library has texts in Korean."
    assert "BAAI/bge-m3" in (warning.hint or "")


@pytest.mark.parametrize(
    ("model", "is_english"),
    [
        ("all-MiniLM-L6-v2", True),
        ("BAAI/bge-small-en-v1.5", True),
        ("intfloat/e5-base-v2", True),
        ("BAAI/bge-m3", False),
        ("intfloat/multilingual-e5-small", False),
        ("Snowflake/snowflake-arctic-embed-l-v2.0", False),
        ("openai/text-embedding-3-small", False),
        ("/srv/models/own", False),
    ],
)
def test_models_of_english_are_known_by_their_names(model: str, is_english: bool) -> None:
    """Take no model for one of English whose name does not say so."""
    assert knows_only_english(model) is is_english
