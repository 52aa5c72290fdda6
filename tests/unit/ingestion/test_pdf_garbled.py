"""PDF files whose fonts do not say which letters they draw."""

import random
import string
from collections.abc import Iterator

import pytest

from core.errors import NoTextError
from core.library.ingestion.parsers.pdf import parse_pdf
from core.library.ingestion.parsers.pdf.garbled import is_garbled
from core.library.ingestion.parsers.pdf.lines import extract
from core.library.ingestion.recognition import is_installed
from core.library.ingestion.sandbox.process import Limits, Sandbox
from tests.unit.ingestion.files import paragraph, pdf
from tests.unit.ingestion.garbled_files import Say, garbled_pdf, in_private_use, shifted

ENGLISH = (
    "The ferry leaves the north pier at twenty past six and",
    "returns before dark. Bicycles are carried free of charge,",
    "and dogs need a ticket of their own. Whoever misses the",
    "last ferry may sleep in the hut of the lifeboat crew, and",
    "pays for the wood that is burnt. The key of the hut hangs",
    "behind the door of the office.",
)
GERMAN = (
    "Die Leiter wird vor jedem Einsatz von der Person, die sie",
    "benutzt, auf Schäden geprüft. Eine Leiter mit gebrochenen",
    "Sprossen darf nicht repariert werden und wird noch am",
    "selben Tag aus dem Lager genommen. Auf der obersten Stufe",
    "steht niemand, und die Füße bleiben unter dem Geländer.",
)
ITALIAN = (
    "La chiave del magazzino si trova nella cassetta accanto",
    "alla porta. Chi la prende scrive il proprio nome nel libro",
    "e la riporta prima delle sei di sera. Se manca, si deve",
    "chiamare il custode, che abita nella casa di fronte.",
)
READABLE = "These words can be read as they are, and they say all there is to be said here."
needs_recognition = pytest.mark.skipif(not is_installed(), reason="text recognition is not installed: make ocr")


def rotated(by: int) -> Say:
    """Say each small letter as another one of the alphabet, so many places on."""
    letters = string.ascii_lowercase
    return lambda character: (
        (letters[by:] + letters[:by])[letters.index(character)] if character in letters else character
    )


def exchanged(seed: int) -> Say:
    """Say each letter and figure as another one, drawn by lot."""
    characters = [*string.ascii_letters, *string.digits]
    others = random.Random(seed).sample(characters, len(characters))
    said = dict(zip(characters, others, strict=True))
    return lambda character: said.get(character, character)


@pytest.mark.parametrize("lines", [ENGLISH, GERMAN, ITALIAN])
@pytest.mark.parametrize(
    "say",
    [
        None,
        in_private_use,
        lambda _: "\ufffd",
        lambda _: "",
        *map(shifted, (1, -1, 3, 29, 100, 0x330, 0x4E00)),
        *map(rotated, (5, 13)),
    ],
)
def test_text_that_is_not_what_the_page_shows_is_found(lines: tuple[str, ...], say: Say | None) -> None:
    """Without a map, with one to nothing, and with one to other letters; the same font with its own map is read."""
    assert extract(garbled_pdf([(lines, say), (lines, lambda character: character)]), "a.pdf").garbled == (1,)


@pytest.mark.parametrize("seed", [3, 6, 11])
def test_letters_exchanged_one_by_one_are_found_on_a_page_of_prose(seed: int) -> None:
    """Its words come again, and its vowels are rare."""
    assert extract(garbled_pdf([((*ENGLISH, *ENGLISH[::-1]), exchanged(seed))]), "a.pdf").garbled == (1,)


def test_one_garbled_page_is_left_out_and_named() -> None:
    """The others are read as ever. The metadata says which page is missing, and why."""
    content = garbled_pdf([(ENGLISH, lambda character: character), (ENGLISH, None), ((READABLE,), lambda one: one)])
    document = parse_pdf(content, "ferry.pdf")
    assert [(block.page_number, block.text) for block in document.blocks] == [(1, " ".join(ENGLISH)), (3, READABLE)]
    assert document.metadata == {"pages": 3, "unread_pages": [2], "garbled_pages": [2]}


@pytest.mark.parametrize("say", [None, in_private_use, shifted(1)])
def test_a_file_of_nothing_else_is_refused_with_the_reason(say: Say | None) -> None:
    """Nothing of it is kept."""
    with pytest.raises(NoTextError, match=r"ferry\.pdf cannot be read: its fonts do not say which letters they show"):
        parse_pdf(garbled_pdf([(ENGLISH, say), (GERMAN, say)]), "ferry.pdf")


def test_a_page_that_is_garbled_below_its_heading_is_found() -> None:
    """One font may be sound and another one not."""
    turned = shifted(1)
    heading = "Rules of the northern ferry"
    lines = (heading, *("".join(map(turned, line)) for line in ENGLISH))
    assert extract(garbled_pdf([(lines, lambda character: character)]), "a.pdf").garbled == (1,)


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    """A sandbox that passes on to another one what needs recognition."""
    scans = Sandbox(Limits(seconds=120, memory_mb=4096), recognises=True)
    with Sandbox(scans=scans) as shared:
        yield shared


@needs_recognition
@pytest.mark.parametrize("say", [None, pytest.param(shifted(2), marks=pytest.mark.slow)])
def test_a_garbled_page_is_recognised_where_that_is_installed(sandbox: Sandbox, say: Say | None) -> None:
    """Its words are those that it shows, and are marked as recognised; the other page stays as the file has it."""
    content = garbled_pdf([((READABLE,), lambda character: character), (ENGLISH[:2], say)])
    [document] = sandbox.parse(content, "ferry.pdf").documents
    first, *others = document.blocks
    assert (first.page_number, first.text) == (1, READABLE)
    assert {block.page_number for block in others} == {2}
    assert "The ferry leaves the north pier at twenty past six" in " ".join(block.text for block in others)
    assert document.metadata == {"pages": 2, "recognised_pages": [2]}


FORMULAS = "∀ε>0 ∃δ>0: |x−a|<δ ⇒ |f(x)−f(a)|<ε, ∑ᵢ αᵢxᵢ² ≤ ∫₀¹ φ(t)dt, λ∈ℝ, ∂u/∂t = κ∇²u, Γ(n+1)=n!\n" * 6
LOT = random.Random(7)


def drawn(letters: str, length: int, words: int) -> str:
    """Words of letters drawn by lot."""
    return " ".join("".join(LOT.choices(letters, k=length)) for _ in range(words))


@pytest.mark.parametrize(
    "text",
    [
        *(" ".join(lines) for lines in (ENGLISH, GERMAN, ITALIAN)),
        "Όλα τα δωμάτια καθαρίζονται κάθε πρωί και τα κλειδιά μένουν στην πόρτα του γραφείου όλη την ημέρα.",
        "Все помещения убирают каждое утро, а ключи хранятся у дежурного, который записывает их в журнал.",
        "Цэцэрлэгийн хаалгыг орой бүр түгжиж, түлхүүрийг эрхлэгчид өгнө. Өглөө нь эрт нээдэг байсан.",
        "يجب إغلاق جميع الأبواب في المساء وتسليم المفاتيح إلى الحارس الذي يسجلها في الدفتر كل يوم.",
        "יש לנעול את כל הדלתות בערב ולמסור את המפתחות לשומר, שרושם אותם בספר בכל יום.",
        "所有房间每天早上都要打扫,钥匙放在办公室门后。晚上离开的人要关好窗户并锁上大门。" * 3,
        "すべての部屋は毎朝掃除し、鍵は事務所の扉の後ろに掛けておきます。最後に出る人が窓を閉めます。" * 3,
        "모든 방은 매일 아침 청소하며 열쇠는 사무실 문 뒤에 걸어 둔다. 마지막에 나가는 사람이 창문을 닫는다.",
        "ทุกห้องต้องทำความสะอาดทุกเช้า และกุญแจแขวนอยู่หลังประตูสำนักงาน คนสุดท้ายปิดหน้าต่าง",
        "Tất cả các phòng được quét dọn mỗi sáng và chìa khóa treo sau cửa văn phòng cho đến tối.",
        "Amagumbi wonke ahlanzwa njalo ekuseni, izikhiye zilengiswa ngemuva komnyango wehhovisi kuze kube kusihlwa.",
        FORMULAS,
        "\n".join(
            f"{number * 13.7:,.2f} {number * 7 % 31} {number / 7:.4f} 2026-03-{number:02}" for number in range(1, 31)
        ),
        "\n".join(f"XKR-{number * 37 % 900} BVT/{number:03} {number}.50 pcs" for number in range(60)),
        "for (i = 0; i < n; ++i) { sum += v[i] * w[i]; if (sum > max) return -1; }\n" * 8,
        "mov eax, [ebp+8]\nxor ecx, ecx\npush ebx\njmp short L2\ncmp dl, 0x20\nshl eax, 2\n" * 8,
        drawn("ACDEFGHIKLMNPQRSTVWY", 10, 90),
        drawn("acgt", 10, 90),
        drawn("0123456789abcdef", 8, 90),
        drawn(string.ascii_letters + string.digits + "+/", 64, 12),
        drawn(string.ascii_uppercase, 4, 150),
        "/ˈfəʊnɪks/ /θɪŋk/ /ʃɒp/ /ˈlæŋɡwɪdʒ/ /ɪntəˈnæʃənəl/ /ˈælfəbet/ " * 6,
    ],
)
def test_what_is_no_running_text_or_in_another_script_is_not_garbled(text: str) -> None:
    """Formulas, tables, code and lists of codes have few words that anybody knows; a font without faults shows them."""
    assert not is_garbled(text)


def test_figures_of_a_font_without_names_are_read() -> None:
    """Old fonts of TeX name no letters, and have them at their usual codes."""
    assert not is_garbled("1,204.50 17.3 (88) 2019 2020 2021\n" * 10, lambda: 1.0)
    assert not is_garbled(" ".join(ENGLISH), lambda: 1.0)


def test_a_page_of_ordinary_fonts_is_read() -> None:
    """No page of a sound file is named."""
    assert extract(pdf([paragraph(ENGLISH), paragraph(GERMAN)]), "a.pdf").garbled == ()
