"""Test text files of one byte a character: Western Europe's are distinguished from others."""

import pytest

from core.library.ingestion.decoding import decode, is_western

WESTERN = [
    "Weg;Fläche in m²;Höhe\nAmselgasse;95;4½\n",
    "Le quai nº 3 est fermé ; l’été, il coûte 4 € la nuitée – « sauf dimanche ».",
    "¿Cuánto cuesta el amarre? Señales a 40 m.",
    "A manutenção não é grátis: são 9 €.",
    "La città è chiusa perché c’è la regata",
    "Båten på ön kostar 40 kr, två ägg",
    "Fløjten på Østkajen lyder i tåge",
    "Bryggjan er lokuð í maí vegna viðgerða, þó ekki í júní",
    "The “early berth” costs £7 – 3½ hours at 20 °C, ±2 µm",
    "Name;Town\nMüller;Zürich\nNúñez;Málaga\nSøren;Århus\nFrançois;Orléans\n",
    "GRÖßE ÜBER ALLES; ÄPFEL",
]
OTHERS = [
    ("Přístav je zavřený, loď č. 4 stojí u mola", "cp1250"),
    ("Łódź kosztuje pięć złotych, wstęp wolny", "cp1250"),
    ("A kikötő zárva van, az őszi ár nő, fűtés", "cp1250"),
    ("Гавань закрыта до мая", "cp1251"),
    ("Το λιμάνι είναι κλειστό", "cp1253"),
    ("Liman kapalı, güneşli günde açık, çığ", "cp1254"),
    ("港は五月まで閉まっています。", "shift_jis"),
    ("Die Größe der Türen", "mac_roman"),
    ("Die Größe der Türen", "cp850"),
]


@pytest.mark.parametrize("text", WESTERN)
def test_western_texts_are_read_as_such(text: str) -> None:
    """However short, with signs and prices, and with names from several countries."""
    assert decode(text.encode("cp1252"), "t.csv") == text


@pytest.mark.parametrize(("text", "encoding"), OTHERS)
def test_other_texts_are_not_taken_for_western_ones(text: str, encoding: str) -> None:
    """Their letters would be a medley, or signs within words."""
    assert not is_western(text.encode(encoding))


def test_what_a_page_states_goes_first() -> None:
    """Its encoding is not guessed, unless it cannot be."""
    page = '<meta charset="iso-8859-2"><p>Łódź, wstęp wolny</p>'
    assert decode(page.encode("iso-8859-2"), "p.html") == page
    wrong = '<meta charset="utf-8"><p>Größe in m²</p>'
    assert decode(wrong.encode("cp1252"), "p.html") == wrong
