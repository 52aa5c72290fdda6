"""Words and sentences of writing other than Latin."""

import pytest

from core.language.nlp.scripts import count_words, is_beyond_latin, list_indexed, name_script, write_asked, write_phrase
from core.language.nlp.text import content_stems, sentences, split_questions, words_of

ENGLISH = "Mr. Lee's naïve café-owner paid 3.5 % (of €2,000) on 4/5; see Fig. 3. α and µm stay. “Why?” Nobody knew."


def _split(text: str) -> list[str]:
    return [text[start:end] for start, end in sentences(text)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("门票三十元。儿童免费！老人呢？半价", ["门票三十元。", "儿童免费！", "老人呢？", "半价"]),
        ("「閉館です。」と書いてある。鍵は受付｡終わり", ["「閉館です。」と書いてある。", "鍵は受付｡", "終わり"]),
        ("他说：“水费按月交。”房租另算。", ["他说：“水费按月交。”", "房租另算。"]),
        ("창고는 잠급니다. 열쇠는 경비실에 있습니다.", ["창고는 잠급니다.", "열쇠는 경비실에 있습니다."]),
        ("يفتح المتحف ظهرا. هل هو مجاني؟ نعم.", ["يفتح المتحف ظهرا.", "هل هو مجاني؟", "نعم."]),
        ("המוזיאון נפתח בצהריים. הכניסה חופשית.", ["המוזיאון נפתח בצהריים.", "הכניסה חופשית."]),
        ("Музей открыт до 18 ч. Вход на ул. Мира. Касса справа.", None),
        ("यह बंद है। कल आइए।", ["यह बंद है।", "कल आइए।"]),
        (
            "พิพิธภัณฑ์เปิดให้เข้าชมตั้งแต่เวลาเก้าโมงเช้าถึงห้าโมงเย็นของทุกวัน ค่าเข้าชมสำหรับผู้ใหญ่คนละหนึ่งร้อยบาท",
            ["พิพิธภัณฑ์เปิดให้เข้าชมตั้งแต่เวลาเก้าโมงเช้าถึงห้าโมงเย็นของทุกวัน", "ค่าเข้าชมสำหรับผู้ใหญ่คนละหนึ่งร้อยบาท"],
        ),
        ("เปิดเก้าโมง ปิดห้าโมง", ["เปิดเก้าโมง ปิดห้าโมง"]),
    ],
)
def test_sentences_end_at_the_marks_of_their_writing(text: str, found: list[str] | None) -> None:
    """With or without a space behind them; Thai is cut at spaces where it is long."""
    if found is None:
        assert _split(text)[-1] == "Касса справа."
        assert any("ул. Мира." in one for one in _split(text))
    else:
        assert _split(text) == found


def test_english_is_read_as_it_is() -> None:
    """Letters with marks and typographic quotes included, Greek letters of formulas not."""
    expected = "Mr Lee's naïve café-owner paid 3.5 of 2,000 on 4/5 see Fig 3 and m stay Why Nobody knew"
    assert words_of(ENGLISH) == expected.split()
    assert list_indexed(ENGLISH) == []
    assert write_asked(ENGLISH) == write_phrase(ENGLISH) == ENGLISH
    assert count_words(ENGLISH) == len(ENGLISH.split())
    assert split_questions("Who? And when?") == ["Who?", "And when?"]


def test_runs_are_indexed_by_pairs_and_single_ideographs() -> None:
    """And by what is glued to them: a figure, a name in Latin letters."""
    assert list_indexed("保修24个月") == ["保修", "保", "修", "个月", "个", "月", "24"]
    assert list_indexed("ＶＰＮ接続") == ["接続", "接", "続", "VPN"]
    assert list_indexed("ประตู") == ["ปร", "ระ", "ะตู"]
    assert list_indexed("열쇠는 둘") == ["열쇠", "쇠는", "열", "쇠", "는", "둘"]


@pytest.mark.parametrize(
    ("question", "stems"),
    [
        ("门票多少钱？", ["门票", "钱"]),
        ("什么时候闭馆？", ["闭馆"]),
        ("受付は何時に開きますか", ["受付", "時", "開"]),
        ("열쇠는 어디에 있습니까?", ["열쇠"]),
        ("ค่าเข้าชมเท่าไหร่", ["ค่า", "าเ", "เข้", "ข้า", "าช", "ชม"]),
        ("Сколько стоит билет?", ["стоит", "билет"]),
    ],
)
def test_words_of_asking_are_not_compared(question: str, stems: list[str]) -> None:
    """Nor particles; what is counted is a word of its own."""
    assert content_stems(question) == stems


def test_a_phrase_keeps_every_pair() -> None:
    """Words of grammar too, which a question goes without."""
    assert write_phrase("是谁的").split() == ["是谁", "谁的"]
    assert write_asked("是谁的").split() == []


@pytest.mark.parametrize(
    ("text", "is_beyond"),
    [
        ("怎么安装Microsoft Teams？", True),
        ("WiFi使い方", True),
        ("What does 日本語 mean?", False),
        ("The name of Li Ming (李明) is on the list.", False),
        ("Übung für naïve Köpfe", False),
        ("Где касса?", True),
        ("12:30", False),
    ],
)
def test_a_text_is_beyond_latin_by_its_letters(text: str, is_beyond: bool) -> None:
    """Names in Latin letters make no English of a Chinese question, nor Chinese ones Chinese of an English one."""
    assert is_beyond_latin(text) is is_beyond


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("图书馆", "Chinese"),
        ("図書館は閉館です", "Japanese"),
        ("열쇠", "Korean"),
        ("ประตู", "Thai"),
        ("بيت", "Arabic"),
        ("12", ""),
    ],
)
def test_writing_has_a_name(text: str, name: str) -> None:
    """Japanese is known by its kana."""
    assert name_script(text) == name


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Der Rest verfällt am 31. März. Danach nicht.", ["Der Rest verfällt am 31. März.", "Danach nicht."]),
        ("Man trägt z. B. einen Helm. Nr. 5 ist zu.", ["Man trägt z. B. einen Helm.", "Nr. 5 ist zu."]),
        ("There are 12. March was dry.", ["There are 12.", "March was dry."]),
        ("Es waren 40. Mai war trocken.", ["Es waren 40.", "Mai war trocken."]),
    ],
)
def test_a_german_day_ends_no_sentence(text: str, found: list[str]) -> None:
    """Keep the full stop of an ordinal before a month, and those of abbreviations, within their sentence."""
    assert _split(text) == found
