"""Raised and lowered text keeps its meaning in plain text."""

import pytest

from core.library.ingestion.parsers.raised import Place, Run, write_runs

RAISED, LOWERED, NOTE = Place.RAISED, Place.LOWERED, Place.NOTE


def written(*parts: str | tuple[str, Place]) -> str:
    return write_runs(Run(part) if isinstance(part, str) else Run(*part) for part in parts)


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        (("a grid of 12", ("2", RAISED), " lamps"), "a grid of 12² lamps"),
        (("about 10", ("6", RAISED), " cells"), "about 10⁶ cells"),
        (("a drift of 10", ("-9", RAISED), " a day"), "a drift of 10⁻⁹ a day"),
        (("a drift of 10", ("−", RAISED), ("12", RAISED), " a day"), "a drift of 10⁻¹² a day"),
        (("a drift of 10", ("- 4", RAISED)), "a drift of 10⁻⁴"),
        (("60 m", ("2", RAISED)), "60 m²"),
        (("9 cm", ("4", RAISED)), "9 cm⁴"),
        (("2 metre", ("3", RAISED)), "2 metre³"),
        (("x", ("n", RAISED)), "xⁿ"),
        (("2", ("n + 1", RAISED), " states"), "2ⁿ⁺¹ states"),
        (("(a+b)", ("2", RAISED)), "(a+b)²"),
        (("sin", ("2", RAISED), " x"), "sin² x"),
        (("e", ("-0.5", RAISED)), "e^-0.5"),
        (("2", ("n/2", RAISED)), "2^(n/2)"),
        (("4 J s", ("−1", RAISED)), "4 J s⁻¹"),
        (("12", ("²", RAISED)), "12²"),
        (("Ca", ("2+", RAISED), " ions"), "Ca²⁺ ions"),
        (("A", ("T", RAISED)), "Aᵀ"),
        ((("14", RAISED), "C is dated"), "¹⁴C is dated"),
    ],
)
def test_exponents_stay_apart_from_the_figure(parts: tuple[str | tuple[str, Place]], text: str) -> None:
    """A power is never read as a longer number."""
    assert written(*parts) == text


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        (("CO", ("2", LOWERED), " and H", ("2", LOWERED), "O"), "CO2 and H2O"),
        (("Ca(OH)", ("2", LOWERED)), "Ca(OH)2"),
        (("SO", ("4", LOWERED), ("2-", RAISED)), "SO4²⁻"),
        (("log", ("2", LOWERED), "8"), "log₂8"),
        (("1010", ("2", LOWERED), " is ten"), "1010₂ is ten"),
        (("v", ("max", LOWERED), " is 8"), "v_max is 8"),
        (("x", ("i", LOWERED)), "xᵢ"),
        (("x", ("n-1", LOWERED)), "xₙ₋₁"),
        (("T", ("C", LOWERED)), "T_C"),
    ],
)
def test_lowered_figures_stay_readable(parts: tuple[str | tuple[str, Place]], text: str) -> None:
    """A formula is written as people search it, and an index is never read as another digit."""
    assert written(*parts) == text


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        (("the 21", ("st", RAISED), " of May"), "the 21st of May"),
        (("the 3", ("RD", RAISED)), "the 3RD"),
        (("le 1", ("er", RAISED), " mai"), "le 1er mai"),
        (("la 2", ("e", RAISED), " porte"), "la 2e porte"),
        (("XX", ("e", RAISED), " siècle"), "XXe siècle"),
        (("M", ("lle", RAISED), " Roux"), "Mlle Roux"),
        (("n", ("o", RAISED), " 7"), "nº 7"),
        (("la 3", ("a", RAISED), " planta"), "la 3ª planta"),
        (("20 ", ("o", RAISED), "C"), "20 oC"),
        (("20", ("o", RAISED), "C"), "20°C"),
        (("Larch", ("TM", RAISED), " boards"), "Larch™ boards"),
        (("Larch", ("®", RAISED)), "Larch®"),
        (("C", ("++", RAISED)), "C++"),
    ],
)
def test_ordinals_and_signs_keep_their_letters(parts: tuple[str | tuple[str, Place]], text: str) -> None:
    """A part that is raised for its look alone stays a part of its word."""
    assert written(*parts) == text


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        (("costs 40", ("1", NOTE), " euros"), "costs 40[1] euros"),
        (("costs 40", ("[3]", NOTE), " euros"), "costs 40[3] euros"),
        (("costs 40", ("*", NOTE), " euros"), "costs 40* euros"),
        (("costs 40", ("1)", RAISED), " euros"), "costs 40[1] euros"),
        (("costs 40", ("(2)", RAISED), " euros"), "costs 40[2] euros"),
        (("costs 40", ("1, 2", RAISED), " euros"), "costs 40[1, 2] euros"),
        (("costs 40", ("3", RAISED), " euros"), "costs 40³ euros"),
        (("the boathouse", ("4", RAISED), " opens"), "the boathouse[4] opens"),
        (("a fee", ("1", RAISED), " is due"), "a fee[1] is due"),
        (("It opens.", ("2", RAISED), " It shuts."), "It opens.[2] It shuts."),
        (("40 %", ("1", RAISED)), "40 %[1]"),
        ((("1", RAISED), "Without breakfast."), "¹ Without breakfast."),
        ((("1", RAISED), " Without breakfast."), "¹ Without breakfast."),
        (("see below", ("↩", NOTE)), "see below"),
    ],
)
def test_marks_of_notes_are_no_part_of_a_figure_or_word(parts: tuple[str | tuple[str, Place]], text: str) -> None:
    """A known mark is put in brackets; behind a figure it stays raised where it may be an exponent."""
    assert written(*parts) == text


def test_a_figure_above_a_slash_and_one_below_are_a_fraction() -> None:
    """They stay apart from a whole number before them."""
    assert written("2", ("1", RAISED), "/", ("2", LOWERED), " cups") == "2 1/2 cups"
    assert written("about ", ("3", RAISED), "⁄", ("4", LOWERED), " of them") == "about 3/4 of them"


def test_small_print_is_parted_from_the_word_before_it() -> None:
    """Raised words are no ending of the word before them."""
    assert written("Ferry", ("new in May", RAISED), " to the isle") == "Ferry new in May to the isle"
    assert written("from ", ("only", RAISED), " 8 euros") == "from only 8 euros"


def test_runs_that_a_program_cut_are_read_as_one() -> None:
    """The end of a run means nothing."""
    assert written("10", ("-", RAISED), "", ("3", RAISED), " volts") == "10⁻³ volts"
    assert written("the 5", ("t", RAISED), ("h", RAISED)) == "the 5th"
    assert written() == ""


def test_many_runs_are_joined_in_linear_time() -> None:
    """A page of nothing but raised figures costs no more than its length."""
    text = write_runs(Run("1", RAISED if number % 2 else Place.ON_LINE) for number in range(200_000))
    assert len(text) == 200_000
