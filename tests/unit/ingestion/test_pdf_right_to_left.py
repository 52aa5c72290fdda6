"""Pages in Hebrew and Arabic: read from right to left, in lines, columns and tables."""

import re
from collections.abc import Sequence

import pytest

from core.library.ingestion.cleaning import clean
from core.library.ingestion.parsers.pdf import parse_pdf

SIZE, WIDTH = 10, 5.0  # points: of the type, and of each of its characters
RIGHT = 540.0
# The museum opens on Sundays at 9:30 (but for holidays), and closes at 18:00. | The ticket costs 45 shekels.
HOURS = "המוזיאון נפתח בימי ראשון בשעה 9:30 (חוץ מחגים) ונסגר ב-18:00."
PRICE = "הכרטיס עולה 45 שקלים לאדם."
ARABIC = "يفتح المتحف أبوابه يوم الأحد في الساعة 9:30، ويغلق في الساعة 18:00."
ENGLISH = "The museum opens on Sundays at 9:30 (but for holidays), and closes at 18:00."
LAM_ALEF = "\u0644\u0623"

Placed = tuple[float, float, str]  # left, height above the foot of the page, the characters from left to right


def as_drawn(text: str) -> str:
    """The characters of a line from left to right: figures and Latin words run on, brackets are mirrored."""
    words = re.findall(r"[A-Za-z0-9][A-Za-z0-9:]*|.", text)
    mirrored = str.maketrans("()", ")(")
    return "".join(
        word if word[0].isascii() and word[0].isalnum() else word.translate(mirrored) for word in words[::-1]
    )


def at_right(text: str, right: float, height: float) -> Placed:
    """A line that ends at the right edge of its column."""
    drawn = as_drawn(text)
    return right - len(drawn) * WIDTH, height, drawn


def make_pdf(lines: Sequence[Placed], *, ligature: str = "", boxes: Sequence[tuple[float, ...]] = ()) -> bytes:
    """A PDF of one page. ligature: letters that one character stands for, "\\ue000" in the lines."""
    shown = sorted({character for _, _, text in lines for character in text})
    code = {character: number for number, character in enumerate(shown, 1)}
    means = {number: ligature if character == "\ue000" else character for character, number in code.items()}
    pairs = "\n".join(f"<{number:04X}> <{text.encode('utf-16-be').hex()}>" for number, text in means.items())
    cmap = (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /A def /CMapType 2 def\n"
        f"1 begincodespacerange <0000> <FFFF> endcodespacerange\n{len(means)} beginbfchar\n{pairs}\nendbfchar\n"
        "endcmap end end"
    )
    drawn = "\n".join(f"{x} {y} {width} {height} re S" for x, y, width, height in boxes)
    words = "\n".join(
        f"BT /F {SIZE} Tf 1 0 0 1 {x} {y} Tm <{''.join(f'{code[one]:04X}' for one in text)}> Tj ET"
        for x, y, text in lines
    )
    font = "/Type /Font /Subtype /Type0 /BaseFont /A /Encoding /Identity-H"
    inner = "/Type /Font /Subtype /CIDFontType2 /BaseFont /A /FontDescriptor 8 0 R"
    system = "/CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >>"
    measures = "/FontBBox [0 -200 1000 800] /ItalicAngle 0 /Ascent 800 /Descent -200 /CapHeight 700 /StemV 80"
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> >>",
        f"<< /Length {len(drawn) + len(words) + 1} >>\nstream\n{drawn}\n{words}\nendstream",
        f"<< {font} /DescendantFonts [6 0 R] /ToUnicode 7 0 R >>",
        f"<< {inner} {system} /DW {1000 * WIDTH / SIZE:.0f} >>",
        f"<< /Length {len(cmap)} >>\nstream\n{cmap}\nendstream",
        f"<< /Type /FontDescriptor /FontName /A /Flags 4 {measures} >>",
    ]
    made = "%PDF-1.7\n"
    places = []
    for number, each in enumerate(objects, 1):
        places.append(len(made))
        made += f"{number} 0 obj\n{each}\nendobj\n"
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    end = (
        f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}trailer\n<< /Size {len(objects) + 1} /Root 1 0 R >>\n"
    )
    return f"{made}{end}startxref\n{len(made)}\n%%EOF\n".encode("latin-1")


def texts(content: bytes) -> list[str]:
    """The texts of a PDF's blocks."""
    return [block.text for block in parse_pdf(content, "r.pdf").blocks]


@pytest.mark.parametrize("text", [HOURS, PRICE, ARABIC])
def test_a_line_is_read_from_right_to_left(text: str) -> None:
    """With its figures, brackets, and the marks and prefixes beside figures."""
    assert texts(make_pdf([at_right(text, RIGHT, 700)])) == [text]


def test_a_line_in_english_stays_as_it_is() -> None:
    """Also beside one in Hebrew, where most of the page is English."""
    assert texts(make_pdf([(60, 700, ENGLISH)])) == [ENGLISH]
    both = texts(make_pdf([(60, 700, ENGLISH), at_right("שלום רב", RIGHT, 600)]))
    assert both == [ENGLISH, "שלום רב"]


def test_brackets_are_turned_where_a_program_wrote_them_as_they_look() -> None:
    """Some programs say which bracket is drawn, others which one is meant; a pair may be on two lines."""
    said = "הכרטיס עולה 45 שקלים (לאדם"
    drawn = [at_right(text, RIGHT, height) for text, height in ((said, 700.0), ("מבוגר) ביום חול.", 688.0))]
    turned = [(x, y, text.translate(str.maketrans("()", ")("))) for x, y, text in drawn]
    expected = [f"{said} מבוגר) ביום חול."]
    assert texts(make_pdf(drawn)) == texts(make_pdf(turned)) == expected


def test_letters_that_are_drawn_as_one_keep_their_order() -> None:
    """Lam and alef, which PDFium turns round with the line."""
    word = f"ا{LAM_ALEF}حد"
    drawn = as_drawn("يوم ا\ue000حد مفتوح")
    assert texts(make_pdf([(RIGHT - len(drawn) * WIDTH, 700, drawn)], ligature=LAM_ALEF)) == [f"يوم {word} مفتوح"]


def test_letters_in_the_form_that_they_are_drawn_in_are_those_that_people_type() -> None:
    """As old programs write them; nothing else is changed."""
    assert clean("\ufe97\ufed4\ufe98\ufea2 \ufefb") == "تفتح لا"
    assert clean("ﬁne ① ½ Ⅳ") == "ﬁne ① ½ Ⅳ"


def test_a_paragraph_goes_on_at_the_right_edge() -> None:
    """Its lines end raggedly at the left, as those of English do at the right."""
    words = (f"{HOURS.removesuffix('.')} {PRICE} " * 4).split()
    lines = [" ".join(words[start : start + 9]) for start in range(0, len(words), 9)]
    content = make_pdf([at_right(line, RIGHT, 700 - 12.0 * number) for number, line in enumerate(lines)])
    assert " ".join(texts(content)) == " ".join(words)


def test_the_right_column_comes_first() -> None:
    """On a page in two columns."""
    first = "הטור הראשון מספר על הגן הבוטני ועל שעות הפתיחה שלו"
    second = "הטור השני מספר על המוזיאון ועל מחירי הכרטיסים בו"
    lines = [
        at_right(text, right, 700 - 12.0 * row) for row in range(8) for text, right in ((second, 280), (first, RIGHT))
    ]
    said = " ".join(texts(make_pdf(lines)))
    assert said.rindex("הראשון") < said.index("השני")


def test_a_table_has_its_first_column_at_the_right() -> None:
    """Found by the lines that are drawn around its cells."""
    rows = [["מוצר", "מחיר", "מלאי"], ["לחם לבן", "9", "40"], ["חלב טרי", "7", "25"], ["גבינה צהובה", "31", "12"]]
    lines, boxes = [at_right("מחירון המכולת לחודש מאי", RIGHT, 740)], []
    for number, row in enumerate(rows):
        for cell, right in zip(row, (RIGHT, 400.0, 260.0), strict=True):
            lines.append(at_right(cell, right - 5, 700 - 20.0 * number))
            boxes.append((right - 140, 695 - 20.0 * number, 140, 20))
    assert texts(make_pdf(lines, boxes=boxes))[-1].splitlines() == [
        "מוצר | מחיר | מלאי",
        "--- | --- | ---",
        "לחם לבן | 9 | 40",
        "חלב טרי | 7 | 25",
        "גבינה צהובה | 31 | 12",
    ]
