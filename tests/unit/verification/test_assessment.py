"""Rules veto where they are sharp and doubt where other words raise the same finding; a judge decides doubts."""

from collections.abc import Sequence

import pytest

from core.asking.verification.found_quotes import FoundQuote
from core.asking.verification.reasons import Reason
from core.asking.verification.support import Assessment, assess
from core.language.nlp.text import sentences
from core.types import Passage
from tests.unit.verification.passages import passage

RULES = """## Storage outside the cabinet

How much may stand on a bench depends on the class of the substance.

- Class A: toxic substances. At most 100 millilitres may stand outside the cabinet.
- Class B: flammable liquids. At most 1 litre may stand outside the cabinet.
- Class C: corrosive substances. At most 500 millilitres may stand outside the cabinet.
"""
LEAVE = """| Contract | Leave in a year | Notice |
| --- | --- | --- |
| Full-time | 27 days | 6 weeks |
| Part-time | 15 days | 2 weeks |
"""


def assessed(said: str, *sources: str, question: str = "") -> Assessment:
    """A statement held against all sentences of passages, each of a document of its own."""
    passages = [passage(text, name=f"Rules {number}") for number, text in enumerate(sources, 1)]
    return assess(said, quotes(said, passages), question=question)


def quotes(said: str, passages: Sequence[Passage]) -> list[FoundQuote]:
    """All sentences with a word of the statement, as a careless writer would quote them."""
    words = set(said.casefold().replace(".", "").split())
    return [
        FoundQuote(passage=one, start=start, end=end)
        for one in passages
        for start, end in sentences(one.content)
        if words & set(one.content[start:end].casefold().replace(".", "").split())
    ]


VETOED = [
    (Reason.EMPTY, "The vault opens at nine.", "?!"),
    (Reason.NUMBER, "The tank holds 40 litres of fuel.", "The tank holds 55 litres of fuel."),
    (Reason.DATE, "The rule took effect on March 20, 2024.", "The rule took effect on April 20, 2024."),
    (Reason.DATE, "The society was founded in 1898.", "The society was founded in 1889."),
    (Reason.ADDRESS, "Write to the help desk.", "Write to the help desk at help@desk.example."),
    (Reason.UNRELATED, "The vault opens at nine.", "Gulls nest on the old pier in spring."),
]

DOUBTED = [
    (Reason.NEGATION, "The pump is switched off at night.", "The pump is not switched off at night."),
    (Reason.NEGATION, "Visitors cannot park in the yard.", "Visitors can park in the yard."),
    (Reason.NEGATION, "The form is uniquely numbered.", "The form is not uniquely numbered."),
    (Reason.QUANTIFIER, "Badges are worn in the hangar.", "Badges are only worn in the hangar."),
    (Reason.QUANTIFIER, "Guests sign the visitors' book.", "Guests always sign the visitors' book."),
    (Reason.QUANTIFIER, "Some of the pumps leak in winter.", "All of the pumps leak in winter."),
    (Reason.QUANTIFIER, "The test takes more than 40 minutes.", "The test takes less than 40 minutes."),
    (Reason.QUANTIFIER, "The tank holds up to 40 litres.", "The tank holds at least 40 litres."),
    (Reason.QUANTIFIER, "The tank holds 40 litres.", "The tank holds at least 40 litres."),
    (Reason.NAME, "The report was written by Doctor Arnesen.", "The report was written by Doctor Teskey."),
    (Reason.NAME, "Arnesen signed the report in the hangar.", "Teskey signed the report in the hangar."),
    (Reason.CONDITION, "Staff may enter the vault if two officers agree.", "Staff may enter the vault."),
    (Reason.CONDITION, "The yard is open daily but not on Sundays.", "The yard is open daily."),
    (Reason.CONDITION, "Check the oil daily. Staff may enter if two officers agree.", "Staff may enter."),
    (Reason.NEGATION, "The drain of tank 3.0 is open.", "The drain of tank 3.0 is not open."),
    (Reason.NAME, "The warden was paid in May.", "Grant Teskey was paid in May."),
    (Reason.NAME, "The Bureau of Tides reads the gauge.", "The Bureau of Mines (BOM) reads the gauge."),
    (Reason.MODALITY, "Crews can store the helmets in the hangar.", "Crews must store the helmets in the hangar."),
    (Reason.MODALITY, "Crews may wear a helmet in the hangar.", "Crews are required to wear a helmet in the hangar."),
    (Reason.SWAPPED, "Lindqvist accused Moreau of theft.", "Moreau accused Lindqvist of theft."),
    (
        Reason.SWAPPED,
        "Adults pay 12 euros at the gate and children pay 5 euros at the door.",
        "Adults pay 5 euros at the gate and children pay 12 euros at the door.",
    ),
    (Reason.UNRELATED, "The vault opens at nine.", "The vault opens for anxious tourists at nine."),
]

# What the rules took for a change of meaning, and is none.
SAME = [
    # ordinary words that begin a sentence or a label
    ("Two frames go side by side into the tray.", "Put two frames side by side into the tray."),
    ("If you define a query, name its owner.", "Note, if you define a query, name its owner."),
    ("You need a licence to drive the truck.", "Check that you have a licence to drive the truck."),
    ("The crew closes the hangar.", "Meanwhile, the crew closes the hangar."),
    ("The crew closes the hangar.", "Afterward, the crew closes the hangar."),
    ("Rinse the valve, then oil the chain.", "Follow this by oil on the chain."),
    ("Close the water supply to the toilet.", "Shut off the water supply to the toilet."),
    ("Grease the chain before winter.", "Chain Grease: Grease the chain before winter."),
    ("The tray holds six frames. Shake the tray.", "Shake frames loose from the tray."),
    ("Points go to each frame that is full of honey.", "Award points to each frame that is full of honey."),
    ("The yard has three parts: Harbour-North, Mole and Quay.", "The yard has three parts: North, Mole and Quay."),
    ("The Bureau of Tides reads the gauge.", "The Bureau of Tides (BOT) reads the gauge."),
    (
        "The BOT reads the gauge of the north basin daily.",
        "The Bureau of Tides (BOT) reads the gauge of the north basin daily.",
    ),
    ("Grey heath sheep graze here in summer.", "Grey heath sheep (GHSs) graze here in summer."),
    # quantifiers
    ("Several kinds of rope, such as hemp, fray.", "Other kinds of rope fray."),
    ("The element is given by the number of protons.", "The number of protons gives the element."),
    ("A team has a limited number of downs.", "A team has a limited number of downs to use."),
    ("The patch is for 1.0.0, or later.", "The patch is for 1.0.0 or later."),
    ("Fold the three edges of the cloth.", "Fold all three edges of the cloth."),
    ("The series won several awards.", "Yes, the series won several awards."),
    ("The seller pays the fee in general.", "The seller typically pays the fee."),
    ("Cut 1/4 to a 1/2 inch from the top.", "Cut 1/4 to 1/2 inch from the top."),
    # denials
    ("The Snake River is not the longest.", "No. The Snake River is not the longest."),
    ("The Snake River is the tenth longest.", "No, the Snake River is the tenth longest."),
    (
        "The plant is grown for its leaves at the expense of its root.",
        "The plant is grown for its leaves rather than its root.",
    ),
    ("If you can't delete the file, restart.", "If the file doesn't delete, restart."),
    (
        "The lamp is not lit by day, and the horn sounds hourly.",
        "The horn sounds hourly, and by day the lamp is not lit.",
    ),
    (
        "Lower the egg into the pot, being careful not to break its shell; cover the pot and let the egg cook.",
        "Cover the pot and let the egg cook.",
    ),
    (
        "What is paid depends on the hours (on commission or not) and the state.",
        "What is paid depends on the hours and the state.",
    ),
    # opposites of a word that stands there too
    (
        "Fold the lower left corner up, then the top right corner, and then the top left corner of the sail.",
        "Fold the top left corner of the sail.",
    ),
    # conditions of something else
    ("- Read the gauge at noon. If the needle shakes, tap the glass.", "Read the gauge at noon."),
    (
        "Bake the rusks until they are dry but not burnt, for nine minutes.",
        "Bake the rusks for nine minutes until they are dry.",
    ),
    ("First determine if the hull leaks or the pump is worn.", "The pump is worn, or the hull leaks."),
    # numbers
    ("Remove the old chain.", "First remove the old chain."),
    ("There is a 52 percentage chance of rain.", "There is a 52% chance of rain."),
    ("Winds are from the south at 10 mph.", "Winds from the south are at 10mph."),
    ("Hold the slide at an angle of 45 deg.", "Hold the slide at an angle of 45 degrees."),
    ("Both pumps leak.", "Two pumps leak."),
    ("Oil the chain.", "Step 6: Oil the chain."),
    ("You can take these actions to free up space:", "You can take these actions to free up space: 1."),
    # other forms of the same words
    ("Apply a base coat to the wood.", "Apply a basecoat to the wood."),
]

SUBJECTS = [
    ("At most 500 millilitres of a Class A substance may stand outside the cabinet.", RULES),
    ("At most 100 millilitres of a Class B substance may stand outside the cabinet.", RULES),
    ("Class A: flammable liquids. At most 1 litre may stand outside the cabinet.", RULES),
    ("Part-time staff have 27 days of leave in a year.", LEAVE),
    ("Full-time staff have 2 weeks of notice.", LEAVE),
    ("Bay 3 holds the spare pumps.", "Bay 2 holds the spare pumps. Bay 3 holds the ropes."),
    ("The March meeting ended with a vote.", "The April meeting ended with a vote. The March meeting ended early."),
    ("The gate opens at six on Tuesday.", "On Monday the gate opens at six. On Tuesday it stays shut."),
    ("The supervisor signs the permit.", "The inspector signs the permit. The supervisor files a copy."),
    ("Lindqvist repaired the northern pump.", "Moreau repaired the northern pump. Lindqvist painted the door."),
]
OF_ONE_SUBJECT = [
    ("At most 100 millilitres of a Class A substance may stand outside the cabinet.", RULES),
    ("At most 500 millilitres of a Class C substance may stand outside the cabinet.", RULES),
    ("Part-time staff have 15 days of leave in a year.", LEAVE),
    ("Full-time staff have 6 weeks of notice.", LEAVE),
    ("Bay 3 holds the ropes.", "Bay 2 holds the spare pumps. Bay 3 holds the ropes."),
    ("In Bay 2 the ropes are dried on Monday.", "Bay 2 is a store. The ropes are dried there on Monday."),
    ("Lindqvist painted the door.", "Moreau repaired the northern pump. Lindqvist painted the door."),
]


@pytest.mark.parametrize(("reason", "source", "said"), VETOED)
def test_what_is_sharply_wrong_is_vetoed(reason: Reason, source: str, said: str) -> None:
    """A number, date or address that is nowhere, no words, other words: no judge is asked."""
    assert assessed(said, source) == Assessment(veto=reason, doubts=(), needs_judge=False)


@pytest.mark.parametrize(("reason", "source", "said"), DOUBTED)
def test_what_other_words_may_raise_is_a_doubt(reason: Reason, source: str, said: str) -> None:
    """Each changed statement is doubted for what was changed, and a judge is to read it."""
    result = assessed(said, source)
    assert result.veto is None
    assert reason in result.doubts
    assert result.needs_judge


@pytest.mark.parametrize(("source", "said"), SAME)
def test_the_same_in_other_words_raises_no_doubt(source: str, said: str) -> None:
    """A statement of the same in other words passes without a judge."""
    result = assessed(said, source)
    assert (result.veto, result.doubts) == (None, ())


@pytest.mark.parametrize(("said", "source"), SUBJECTS)
def test_what_is_said_of_another_subject_is_doubted(said: str, source: str) -> None:
    """Every word and number is in the passage, but the thing's label is at another one."""
    result = assessed(said, source)
    assert result.veto is None
    assert Reason.SUBJECT in result.doubts


@pytest.mark.parametrize(("said", "source"), OF_ONE_SUBJECT)
def test_a_subject_may_stand_above_what_is_said_of_it(said: str, source: str) -> None:
    """In the item or row itself, in its lead-in or header, or in the sentence before."""
    result = assessed(said, source)
    assert (result.veto, result.doubts) == (None, ())


def test_a_list_is_known_by_its_lead_in() -> None:
    """The lead-in of the items names their subject."""
    source = (
        "Grade B rooms:\n\n- are cleaned on Monday\n- are aired daily\n\nGrade C rooms:\n\n- are cleaned on Friday\n"
    )
    assert assessed("Grade B rooms are cleaned on Monday.", source).doubts == ()
    assert Reason.SUBJECT in assessed("Grade C rooms are cleaned on Monday.", source).doubts


def test_names_of_the_question_may_be_used() -> None:
    """A name that the question gives need not be in the quotes; an address and a number must."""
    source = "The help desk resets passwords within a day and answers calls until five."
    said = "The help desk of Brenthurst resets passwords within a day."
    assert assessed(said, source).doubts == (Reason.NAME,)
    assert assessed(said, source, question="who resets passwords at Brenthurst?").doubts == ()
    asked = "does the desk of 40 people reset passwords?"
    said = "The help desk of 40 people resets passwords within a day."
    assert assessed(said, source, question=asked).veto is Reason.NUMBER


def test_facts_of_one_document_are_not_mixed() -> None:
    """The version is in one line of a note, the feature in another."""
    note = "Version 2.4 was released in June. It exports tables. The help pages were rewritten."
    said = "Version 2.4, released in June, exports tables."
    assert assessed(said, note).doubts == ()


def test_what_two_documents_say_is_not_made_a_reason() -> None:
    """Nobody wrote that one is because of the other."""
    sources = ("The vault opens on weekdays.", "The canteen closes at three.")
    assert assessed("The vault opens on weekdays, and the canteen closes at three.", *sources).doubts == ()
    said = "The vault opens on weekdays because the canteen closes at three."
    assert Reason.MIXED_SOURCES in assessed(said, *sources).doubts


@pytest.mark.parametrize(
    "said",
    [
        "Moreau wrote to Lindqvist about the pump.",
        "Crews may store the spare helmets there.",
        "Oil the chain when it is dry.",
        "The hourly horn of the lamp house is repaired.",
    ],
    ids=["two names", "modality", "condition", "words of several sentences"],
)
def test_a_judge_reads_what_rules_cannot_see(said: str) -> None:
    """Without any doubt, since rules compare words and not who did what to whom."""
    source = (
        "Moreau wrote to Lindqvist about the pump. Crews may store the spare helmets there. Oil the chain when it is"
        " dry. The hourly horn sounds. The lamp house is repaired."
    )
    assert assessed(said, source) == Assessment(veto=None, doubts=(), needs_judge=True)


def test_what_stands_there_word_for_word_needs_no_judge() -> None:
    """A plain sentence of the source is its own support."""
    source = "The vault opens at nine. The horn sounds hourly."
    assert assessed("The vault opens at nine.", source) == Assessment(veto=None, doubts=(), needs_judge=False)


def test_other_words_with_all_numbers_of_a_quote_are_for_a_judge() -> None:
    """Words far off are a veto only where no number or date ties the statement to its quote, or one is another."""
    source = "Report for duty at 08:20 in the depot."
    tied = assessed("You have to turn up by 08:20.", source)
    assert (tied.veto, tied.needs_judge) == (None, True)
    assert Reason.UNRELATED in tied.doubts
    assert assessed("You have to turn up for roll call by 08:40.", source).veto is Reason.UNRELATED
    assert assessed("You have to turn up for roll call, report or not.", source).veto is Reason.UNRELATED


def test_the_date_of_a_source_beside_another_of_its_quote_is_for_a_judge() -> None:
    """It may be that of another clause, or put in the place of the right one; a date that is nowhere stays a veto."""
    source = passage("The quarry shut in June and the toll rose to 9 euros.", name="Toll report, August 2031")
    evidence = [FoundQuote(passage=source, start=0, end=len(source.content))]
    told = assess("In August 2031 the toll rose to 9 euros.", evidence)
    assert (told.veto, told.doubts[0], told.needs_judge) == (None, Reason.DATE, True)
    assert assess("In May 2031 the toll rose to 9 euros.", evidence).veto is Reason.DATE
    assert assess("In June the toll rose to 9 euros.", evidence).doubts == ()


def test_an_ordinal_is_the_number_behind_what_it_counts() -> None:
    """ "The fifth round" and "round 5" are for a judge; another place in the order, or an amount, is no such thing."""
    source = "The jury is named in round 4 and in round 7, and paid 9 euros."
    for said in ("The jury is named in the seventh round.", "The jury is named in the 7th round."):
        result = assessed(said, source)
        assert (result.veto, Reason.NUMBER in result.doubts) == (None, True)
    for said in ("The jury is named in the sixth round.", "The jury is named in the ninth round."):
        assert assessed(said, source).veto is Reason.NUMBER
    assert assessed("The jury is named in round 8.", "The jury is named in the seventh round.").veto is Reason.NUMBER
    turned = assessed("The jury is named in round 7.", "The jury is named in the seventh round.")
    assert (turned.veto, Reason.NUMBER in turned.doubts) == (None, True)
