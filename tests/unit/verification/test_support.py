"""A statement is held against its quotes: what changes the meaning is dropped for its reason, other words are not."""

import datetime as dt

import pytest

from core.asking.verification.reasons import Reason
from core.asking.verification.statements import MOST_STATEMENTS, verify
from tests.unit.verification.passages import passage, statement, verified

RATE = "The Committee decided to maintain the target range for the federal funds rate at 4-1/4 to 4-1/2 percent."
VAULT = "The vault in the harbour office opens with the code 7741 on weekdays."
CANTEEN = "The canteen in the harbour office opens at noon and closes at three."

CHANGED = [
    # numbers and units
    (Reason.NUMBER, RATE, "The Committee decided to maintain the target range at 4-1/4 to 4-3/4 percent."),
    (Reason.NUMBER, RATE, "The Committee decided to maintain the target range at 5.25 to 5.5 percent."),
    (Reason.NUMBER, "The range was lowered by 25 basis points.", "The range was lowered by 25 percentage points."),
    (Reason.NUMBER, "Unemployment rose 1 percentage point.", "Unemployment rose 1 percent."),
    (Reason.NUMBER, "The board has twelve members.", "The board has eleven members."),
    (Reason.NUMBER, "The board has seven members.", "The board has 17 members."),
    (Reason.NUMBER, "Two members voted against the action.", "One member voted against the action."),
    (Reason.NUMBER, "The budget was 1,250,000 dollars.", "The budget was 1,250 dollars."),
    (Reason.NUMBER, "The fund holds $1.5 billion in assets.", "The fund holds $1.5 million in assets."),
    (Reason.NUMBER, "Employees have 10 days to reply.", "Employees have 10 weeks to reply."),
    (Reason.NUMBER, "Growth slowed in the second quarter.", "Growth slowed in the third quarter."),
    (Reason.NUMBER, "The index changed by -0.5 points.", "The index changed by 0.5 points."),
    (Reason.NUMBER, "Form SF182 is used for training.", "Form SF185 is used for training."),
    # dates
    (Reason.DATE, "The rule took effect on March 20, 2024.", "The rule took effect on March 21, 2024."),
    (Reason.DATE, "The rule took effect on March 20, 2024.", "The rule took effect on 20 May 2024."),
    (Reason.DATE, "The rule took effect on March 20, 2024.", "The rule took effect in 2023."),
    (Reason.DATE, "THE RULE TOOK EFFECT ON MARCH 20, 2024.", "The rule took effect on March 21, 2024."),
    (Reason.DATE, "The rule took effect on 2024/03/05.", "The rule took effect on May 3, 2024."),
    (Reason.DATE, "The review starts in October and ends in June.", "The review starts in October and ends in July."),
    # names
    (Reason.NAME, "Chair Powell opened the meeting in Denver.", "Chair Yellen opened the meeting in Denver."),
    (Reason.NAME, "The report was written by the NTSB in Denver.", "The report was written by the FAA in Denver."),
    (Reason.NAME, "Michelle Bowman voted against the action.", "Christopher Bowman voted against the action."),
    # denial
    (Reason.NEGATION, "The board will not raise the rate in June.", "The board will raise the rate in June."),
    (Reason.NEGATION, "The board will raise the rate in June.", "The board will not raise the rate in June."),
    (Reason.NEGATION, "Visitors may no longer park here.", "Visitors may park here."),
    (Reason.NEGATION, "The crew failed to report the fault.", "The crew did not fail to report the fault."),
    (Reason.NEGATION, "The agency refused to pay the claim.", "The agency pays the claim."),
    (Reason.NEGATION, "Work may begin without a permit.", "Work may begin with a permit."),
    (
        Reason.NEGATION,
        "The board did not raise the rate, and it will publish the minutes in June.",
        "The board raised the rate, and it will not publish the minutes in June.",
    ),
    # opposites
    (Reason.OPPOSITE, "The board decided to lower the rate.", "The board decided to raise the rate."),
    (Reason.OPPOSITE, "Inflation increased over the year.", "Inflation decreased over the year."),
    (Reason.OPPOSITE, "Store the gloves above the bench.", "Store the gloves below the bench."),
    (Reason.OPPOSITE, "The form is due before the review.", "The form is due after the review."),
    (Reason.OPPOSITE, "Smoking is prohibited in the hangar.", "Smoking is allowed in the hangar."),
    (Reason.OPPOSITE, "The pilot is likely to land in Denver.", "The pilot is unlikely to land in Denver."),
    (Reason.OPPOSITE, "The employer pays for the gloves.", "The employee pays for the gloves."),
    (Reason.OPPOSITE, "Employees may wear a helmet.", "Employees must wear a helmet."),
    # quantifiers
    (Reason.QUANTIFIER, "Some participants noted risks to growth.", "All participants noted risks to growth."),
    (Reason.QUANTIFIER, "Some participants noted risks to growth.", "Participants noted risks to growth."),
    (Reason.QUANTIFIER, "Tenants noted risks to growth.", "All tenants noted risks to growth."),
    (Reason.QUANTIFIER, "Participants noted risks to growth.", "Only participants noted risks to growth."),
    (Reason.QUANTIFIER, "Employees have at least 10 days to reply.", "Employees have at most 10 days to reply."),
    (Reason.QUANTIFIER, "Employees have at least 10 days to reply.", "Employees have 10 days to reply."),
    (Reason.QUANTIFIER, "The tank holds up to 40 litres of fuel.", "The tank holds more than 40 litres of fuel."),
    # conditions
    (Reason.CONDITION, "Employees must wear goggles, unless they work outdoors.", "Employees must wear goggles."),
    (Reason.CONDITION, "The vault opens only if two officers agree.", "The vault opens."),
    # something else
    (Reason.UNRELATED, RATE, "The canteen closes at three on weekdays."),
]

SAME = [
    (RATE, "The target range for the federal funds rate was maintained at 4.25 to 4.5 percent."),
    (RATE, "The Committee maintained the target range at 4¼ to 4½ percent."),
    ("The range was lowered by 25 basis points.", "The range was lowered by 25 bps."),
    ("The board has twelve members.", "The board has 12 members."),
    ("The board has 12 members.", "The board has twelve members."),
    ("The twelve members signed the order.", "All twelve members signed the order."),
    ("The budget was 1,250,000 dollars.", "The budget was $1250000."),
    ("The fund holds 1.5 billion dollars.", "The fund holds $1.5 billion."),
    ("Between 5 and 10 percent of flights are late.", "From 5 percent to 10 percent of flights are late."),
    ("Growth slowed in the second quarter.", "Growth slowed in the 2nd quarter."),
    ("The rule took effect on March 20, 2024.", "The rule took effect on 20 March 2024."),
    ("The rule took effect on March 20, 2024.", "The rule took effect in March 2024."),
    ("The meeting was held March 19-20, 2024.", "The meeting was held on March 20, 2024."),
    ("EFFECTIVE MARCH 5, 2024, VISITORS WEAR A BADGE.", "Effective 5 March 2024, visitors wear a badge."),
    ("The rule took effect on March 5, 2024.", "The rule took effect on MARCH 5, 2024."),
    ("The rule took effect on March 5th, 2024.", "The rule took effect on 2024/03/05."),
    ("THE RULE TOOK EFFECT IN DECEMBER.", "The rule took effect in December."),
    ("On Mondays the recruits walk 1500 metres to the gate.", "On Mondays the recruits march 1500 metres to the gate."),
    ("The Federal Open Market Committee met in Denver.", "The FOMC met in Denver."),
    ("The FOMC met in Denver.", "The Federal Open Market Committee met in Denver."),
    ("The board will not raise the rate in June.", "In June the board won't raise the rate."),
    ("The crew failed to report the fault.", "The crew did not report the fault."),
    ("Employees must wear goggles, unless they work outdoors.", "Employees must wear goggles except when outdoors."),
    ("Not only pilots but also crews wear badges.", "Pilots and also crews wear badges."),
    ("Visitors sign in at the desk. They return the badge at five.", "Visitors return the badge at five."),
    ("One member voted against the action.", "A single member voted against the action."),
]


@pytest.mark.parametrize(("reason", "source", "said"), CHANGED)
def test_what_changes_the_meaning_is_dropped_for_its_reason(reason: Reason, source: str, said: str) -> None:
    """One number, date, name, denial, opposite, quantifier or condition is enough."""
    result = verified(said, source)
    assert (result.text, result.citations) == ("", ())
    assert result.reasons == {reason.value: 1}


@pytest.mark.parametrize(("source", "said"), SAME)
def test_the_same_in_other_words_is_kept(source: str, said: str) -> None:
    """Fractions, number words, separators, forms of dates, acronyms, and words of denial replace each other."""
    result = verified(said, source)
    assert result.reasons == {}
    assert len(result.citations) == 1


def test_a_quote_cut_off_behind_its_denial_is_read_with_it() -> None:
    """Words that occur verbatim in the passage prove nothing when what is before them takes them back."""
    content = "The board does not expect that rates will rise this year. Officers agree."
    assert verified("Rates will rise this year.", content, "rates will rise this year").reasons == {"negation": 1}
    content = "The crew denied that the engine was running at the time."
    assert verified("The engine was running at the time.", content, "the engine was running at the time").reasons == {
        "negation": 1
    }


def test_the_month_of_the_source_may_be_named() -> None:
    """A statement may say when its source is from; not in the place of a date that the source gives."""
    date = dt.date(2024, 3, 20)
    assert verified("In March 2024 the Committee decided to maintain the target range.", RATE, date=date).reasons == {}
    wrong = verified("In May 2024 the Committee decided to maintain the target range.", RATE, date=date)
    assert wrong.reasons == {"date": 1}
    content = "The rule takes effect on June 1, 2025."
    assert verified("The rule takes effect on March 20, 2024.", content, date=date).reasons == {"date": 1}


def test_the_subject_of_one_source_is_not_put_to_the_number_of_another() -> None:
    """Each quote is verified, each word is somewhere, and the statement is false."""
    passages = [passage(VAULT, name="Vault rules"), passage(CANTEEN, name="Canteen rules")]
    mixed = statement("The canteen opens with the code 7741.", (2, CANTEEN), (1, VAULT))
    assert verify([mixed], passages).reasons == {"mixed_sources": 1}
    both = statement("The vault opens with the code 7741, whereas the canteen opens at noon.", (1, VAULT), (2, CANTEEN))
    result = verify([both], passages)
    assert result.reasons == {}
    assert [citation.document_name for citation in result.citations] == ["Vault rules", "Canteen rules"]


def test_a_statement_of_two_sources_holds_no_word_of_its_own() -> None:
    """With one source three of ten words may differ; with two, none of the telling words."""
    passages = [passage(VAULT, name="Vault rules"), passage(CANTEEN, name="Canteen rules")]
    said = "The vault opens on weekdays, because the canteen closes at three for inspections."
    assert verify([statement(said, (1, VAULT), (2, CANTEEN))], passages).reasons == {"mixed_sources": 1}


def test_a_quote_that_only_decorates_is_not_cited() -> None:
    """A second quote that adds nothing does not lend its document's name to the statement."""
    passages = [passage(VAULT, name="Vault rules"), passage("Gulls nest on the pier every spring.", name="Gulls")]
    decorated = statement("The vault opens with the code 7741.", (1, VAULT), (2, "Gulls nest on the pier"))
    result = verify([decorated], passages)
    assert [citation.document_name for citation in result.citations] == ["Vault rules"]


@pytest.mark.parametrize(
    ("reason", "quotes"),
    [
        (Reason.NO_QUOTE, []),
        (Reason.QUOTE_NOT_FOUND, ["opens with the code 0000"]),
        (Reason.QUOTE_NOT_FOUND, [(2, "Gulls nest on the roof")]),
        (Reason.QUOTE_NOT_FOUND, [(-1, "Gulls nest on the roof")]),
        (Reason.QUOTE_TOO_SHORT, ["code 7741"]),
        (Reason.UNRELATED, ["in the harbour office"]),
        (Reason.UNRELATED, [(2, VAULT)]),
    ],
)
def test_quotes_that_prove_nothing(reason: Reason, quotes: list[str | tuple[int, str]]) -> None:
    """None, invented ones, a word or two, and words about something else, where no sentence says it either."""
    said = statement("Gulls nest under every roof of this town.", *quotes)
    assert verify([said], [passage(VAULT)]).reasons == {reason.value: 1}


def test_what_is_no_statement_is_dropped() -> None:
    """No words; a flood of words; the same once more; more statements than anybody reads."""
    flood = "the of and " * 400 + VAULT
    draft = [statement(text, VAULT) for text in ("", "?!", flood, VAULT, VAULT)]
    result = verify(draft, [passage(VAULT)])
    assert result.reasons == {"empty": 2, "too_long": 1, "repeated": 1}
    assert result.text == f"{VAULT} [1]"
    many = [statement(f"{VAULT[:-1]}{'!' * i}", VAULT) for i in range(1, 40)]
    assert verify(many, [passage(VAULT)]).dropped == 39 - MOST_STATEMENTS


FORBIDDEN = "Nobody may bring the following into the store:\n\n- Burning lamps\n- Dogs of any size"


def test_an_item_is_read_with_what_introduces_it() -> None:
    """A quoted item cannot turn its lead-in's ban into a permission, and the lead-in need not be quoted."""
    assert verified("Dogs of any size may be brought into the store.", FORBIDDEN, "- Dogs of any size").dropped == 1
    told = verified("Nobody may bring dogs of any size into the store.", FORBIDDEN)
    assert (told.dropped, len(told.citations)) == (0, 1)


def test_a_whole_item_is_a_quote_however_short() -> None:
    """A part of a sentence as short proves nothing: the whole sentence is cited."""
    assert verified("Burning lamps", FORBIDDEN.replace("Nobody may", "You must"), "- Burning lamps").dropped == 0
    sentence = "The keeper sells burning lamps and oars."
    (cited,) = verified("Burning lamps", sentence, "burning lamps").citations
    assert cited.quoted_excerpt == sentence


TABLE = "Crew\nThing | Full-time | Part-time\n--- | --- | ---\nDays of leave | 30 days | 12 days\nMeals | 2 | 1"


def test_a_row_is_read_under_its_header() -> None:
    """The header names what the row's figures are."""
    passages = [passage(TABLE)]
    text = "Days of leave – Full-time: 30 days; Part-time: 12 days"
    quotes = ("Thing | Full-time | Part-time", "Days of leave | 30 days | 12 days")
    assert verify([statement(text, *quotes)], passages).dropped == 0
