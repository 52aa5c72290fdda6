"""Find plain statements of what few should read: one sentence or row that says it of somebody by name. Pure.

"Helga Lindqvist earns EUR 84,500" is confidential wherever it is, however short the paper and whatever else it says;
the weights of `weighing` look at whole passages, and miss such a sentence in a plain one. Each kind needs a name and
what is said of it in one sentence, or in one row of a table. Rules, advertisements and published papers are left out.
"""

import re
from collections.abc import Iterator

from core.language.nlp.layout import cells
from core.language.nlp.text import prose_sentences
from core.quality.oversharing.rules import PassageText, Signs, find_sentence, is_iban, is_person
from core.quality.oversharing.vocabulary import FOR_EVERYBODY, IBAN, PERSON, STRONG_MARK
from core.values.oversharing import Topic

Span = tuple[int, int]
Found = tuple[Topic, Span]

_MOST_FOR_EVERYBODY = 2  # words in a passage that speak of everybody
_BEGINS_WITHIN = 200  # characters of a document in which it says for whom it is
_LONGEST = 300  # characters of a place

_PAY = re.compile(
    r"\b(?:salar(?:y|ies)|earns?\b|earned\b|wages?\b|bonus(?:es)?\b|severance|pay rise|(?:base|gross|net|monthly"
    r"|annual) pay\b"
    r"|gehalt|gehälter|lohn\b|brutto|prämie|abfindung|verdient|salaire|prime\b|indemnité|gagne\b|touche\b"
    r"|salario|sueldo"
    r"|bonificaci|indemnizaci|cobra\b|gana\b)",
    re.IGNORECASE,
)
_MONEY = re.compile(
    r"(?:[€$£]|\bEUR|\bUSD|\bGBP|\bCHF)[ \xa0]?\d"
    r"|\d[ \xa0]?(?:[€$£]|EUR\b|USD\b|GBP\b|CHF\b|euros?\b|dollars?\b|pounds?\b|francs?\b)"
    r"|\b\d{1,3}(?:[.,'’ \xa0]\d{3})+\b|\b(?!19|20)\d{4,6}\b|\b\d{2,3}k\b",
    re.IGNORECASE,
)
_ILL = re.compile(
    r"\b(?:diagnosed with|suffers? from|(?:is|was|been|being) (?:off sick|signed off|ill with|treated for)|(?:on"
    r"|takes) sick leave"
    r"|is pregnant|chemotherapy|burn-?out"
    r"|has (?:cancer|depression|diabetes|epilepsy|multiple sclerosis|HIV|anxiety|dementia)"
    r"|an? \w{3,20} erkrankt|erkrankt an|leidet an|krankgeschrieben|ist schwanger|arbeitsunfähig"
    r"|souffre d|atteinte? d|en arrêt (?:maladie|de travail)|est enceinte|diagnostiqu"
    r"|diagnosticad|padece|de baja (?:médica|por)|está embarazada|enferm[oa] de)",
    re.IGNORECASE,
)
_BLAMED = re.compile(
    r"\b(?:(?:written|final|formal|verbal|first) warning|disciplinary (?:hearing|action|procedure|meeting)"
    r"|under investigation"
    r"|(?:was|been|is) (?:suspended (?:from|without|pending|on)|dismissed|accused)|accused of"
    r"|allegations? (?:against|of)"
    r"|grievance against"
    r"|complaints? against|performance improvement plan|abgemahnt|abmahnung|beschwerden? (?:gegen|über)"
    r"|vorwürfe? gegen|freigestellt"
    r"|avertissement|mise? à pied|plainte contre|accusée? de|licenciée?|amonestaci"
    r"|expediente (?:disciplinario|sancionador)"
    r"|denuncia contra|acusad[oa] de|despedid[oa])",
    re.IGNORECASE,
)
_UNANNOUNCED = re.compile(
    r"\b(?:(?:not|never) (?:yet )?(?:been |be )?(?:announced|made public|communicated)|before (?:it is|the|any"
    r"|we) announce"
    r"|until (?:the announcement|it is announced|we announce)|unannounced|embargo"
    r"|staff (?:do not|does not|will not|must not) know"
    r"|nobody knows yet|noch nicht (?:bekannt|verkündet|angekündigt|kommuniziert)|vor (?:der )?bekanntgabe"
    r"|pas encore annonc|avant l[’']annonce|a[úu]n no se ha (?:anunciad|comunicad)|antes del anuncio)",
    re.IGNORECASE,
)
_PLAN = re.compile(
    r"\b(?:redundan|lay-?offs?"
    r"|acqui(?:re|sition)|takeover|merger|clos(?:e|ure|ing)|job cuts|sale of|sell(?:ing)? (?:the|our)"
    r"|stellenabbau|entlass|übernahme|schließ|verkauf|licenci|rachat|fermeture|suppressions? d|despid|adquisici"
    r"|cierre|venta de)",
    re.IGNORECASE,
)
_ADVISED = re.compile(
    r"\b(?:our|the) (?:external )?(?:counsel|lawyers?|solicitors?|barrister)s? (?:\w+ )?(?:advise|recommend|think"
    r"|say|put|believe|tell|told|warn)"
    r"|\bsettle (?:at|for|up to)\b|\bprivileged (?:and|&) confidential\b"
    r"|\b(?:unser\w*|die) (?:anwalt|anwältin|kanzlei|anwälte) (?:\w+ )?(?:rät|raten|empfiehlt|hält)"
    r"|\bnotre avocate? (?:\w+ )?(?:conseille|recommande|estime)"
    r"|\bnuestr[oa] abogad[oa] (?:\w+ )?(?:recomienda|aconseja|cree)",
    re.IGNORECASE,
)
_IDENTITY = re.compile(
    r"\b(?:passport|ID card|national insurance|social security|reisepass|ausweis|steuer-?id|passeport"
    r"|carte d[’']identité|pasaporte"
    r"|DNI|NIE)\b[^.\n]{0,24}\b(?=[A-Z0-9-]{0,12}\d{3})[A-Z0-9-]{7,14}\b"
)
_NAME_COLUMN = re.compile(
    r"^(?:name|names|full name"
    r"|employee|staff|person|who|colleague|worker|mitarbeiter\w*|person\w*|nom|nombre|emplead\w+|salari\w+)\b",
    re.IGNORECASE,
)
_PAY_COLUMN = re.compile(
    r"\b(?:salar|pay\b|wage|bonus|gehalt|lohn|brutto|entgelt|prämie|salaire|prime\b|brut\b|salario|sueldo|nómina"
    r"|hourly|rate\b)",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\d")
_CAPITAL = re.compile(r"[A-ZÀ-Þ][a-zß-ÿ'’-]{1,30}")


def find_statements(passage: PassageText, signs: Signs, *, is_first: bool) -> list[Found]:
    """Find what a passage plainly says of somebody, or of a plan; each topic once, where it is said first.

    is_first: it begins the document, where that says for whom it is.
    """
    if signs.is_titled_for_everybody or signs.for_everybody > _MOST_FOR_EVERYBODY:
        return []
    text = passage.text
    found: dict[Topic, Span] = {}
    for topic, span in (*_find_in_sentences(text), *_find_in_tables(text)):
        found.setdefault(topic, span)
    plan = _PLAN.search(text) if _UNANNOUNCED.search(text) else None
    if plan:
        found.setdefault(Topic.BOARD, find_sentence(text, plan.start()))
    is_of_people = signs.people and not signs.for_everybody  # or it is the header of a template
    mark = STRONG_MARK.search(text, 0, _BEGINS_WITHIN) if is_first and is_of_people else None
    if mark:
        found.setdefault(Topic.MARKED, find_sentence(text, mark.start()))
    return list(found.items())


def _find_in_sentences(text: str) -> Iterator[Found]:
    start = 0
    for line in text.split("\n"):
        end = start + len(line)
        for first, last in prose_sentences(text, start, end) if line.strip() and "|" not in line else ():
            for topic in _name_topics(text[first:last]):
                yield topic, (first, min(last, first + _LONGEST))
        start = end + 1


def _name_topics(sentence: str) -> Iterator[Topic]:
    if _ADVISED.search(sentence):
        yield Topic.LEGAL
    if FOR_EVERYBODY.search(sentence) or not any(is_person(match[0]) for match in PERSON.finditer(sentence)):
        return
    if _PAY.search(sentence) and _MONEY.search(sentence):
        yield Topic.PAY
    if _ILL.search(sentence):
        yield Topic.HEALTH
    if _BLAMED.search(sentence):
        yield Topic.CONDUCT
    if _IDENTITY.search(sentence) or any(is_iban(match[0]) for match in IBAN.finditer(sentence)):
        yield Topic.PERSONAL


def _find_in_tables(text: str) -> Iterator[Found]:
    """Yield the first row of a table of names with what they are paid, or with their bank accounts."""
    columns: tuple[int, int] | None = None
    start, is_in_table = 0, False
    for line in text.split("\n"):
        row = cells(line) if "|" in line else []
        if len(row) < 2:
            is_in_table = False
        elif not is_in_table:
            columns, is_in_table = _find_columns(row), True
        elif columns and max(columns) < len(row):
            name, pay = row[columns[0]].strip(), row[columns[1]]
            if _CAPITAL.match(name) and is_person(name) and _NUMBER.search(pay):
                yield Topic.PAY, (start, min(start + len(line), start + _LONGEST))
        start += len(line) + 1


def _find_columns(row: list[str]) -> tuple[int, int] | None:
    """Return the columns of names and of pay; None where a table has none."""
    names = [place for place, cell in enumerate(row) if _NAME_COLUMN.match(cell.strip(" *"))]
    pays = [place for place, cell in enumerate(row) if _PAY_COLUMN.search(cell)]
    return (names[0], pays[0]) if names and pays and names[0] != pays[0] else None
