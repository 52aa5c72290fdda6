"""The kind of thing that a question asks for (its expected answer type), and whether a text holds such a thing. Pure.

Text that is about the same things as a question and holds nothing of the kind asked for does not answer it: most of
what comes near an ordinary question without answering it is of that sort (docs/decisions/0034).

Of questions in other writing than Latin only as much is read as shows that a sentence cannot be taken for the answer: a
person, a place, a reason or a way cannot be told from any other words, a figure can.
"""

import re

from core.language.nlp.dates import MONTHS, WEEKDAYS
from core.language.nlp.text import content_stems, drop_citations, is_of_a_date, stem, words_of
from core.language.nlp.written_numbers import CARDINALS, SCALES, drop_marks

_SCALES = "|".join(SCALES)
_NUMBER_WORDS = rf"{'|'.join(CARDINALS)}|{_SCALES}|half|once|twice|every|daily|weekly|monthly|yearly|annually"
_DAYS = "|".join(WEEKDAYS)
_TIME_WORDS = rf"{'|'.join(MONTHS)}|{_DAYS}|noon|midnight|morning|evening|today|tomorrow"
# A year alone is no amount; with a unit, a currency or a fraction it would not look like one.
_NUMBER = re.compile(
    rf"(?<![\w$€£])(?!(?:1[5-9]|20)\d\d(?![\w%/]|[.,-]\d))[$€£]?\d[\w.,:/%-]*|\b(?:{_NUMBER_WORDS})\b", re.IGNORECASE
)
_DATE = re.compile(rf"\d[\w.,:/%-]*|\b(?:{_NUMBER_WORDS}|{_TIME_WORDS})\b", re.IGNORECASE)
# No month or day, and no "Bay 3" or "Class A", which are labels and no names.
_NAME = re.compile(
    rf"(?<!^)(?<![.!?:]\s)(?<![-–•*|]\s)\b(?!(?i:{'|'.join(MONTHS)}|{_DAYS})\b)[A-Z][\w'’&-]++(?!\s(?:\d|[A-Z]\b))"
)
_ROLES = (
    r"administrators?|authorit(?:y|ies)|boards?|bosses|boss|centres?|centers?|chairs?|chiefs?|committees?|departments?"
    r"|deput(?:y|ies)|desks?|directors?|doctors?|experts?|heads?|lawyers?|managers?|ministers?|nurses?|offices?|officers?"
    r"|owners?|parents?|pharmacists?|physicians?|presidents?|professionals?|providers?|services?|specialists?|staff"
    r"|supervisors?|teams?|technicians?|unions?|users?"
)
_PERSON = re.compile(rf"{_NAME.pattern}|\b(?i:{_ROLES})\b")
_E_MAIL = re.compile(r"[\w.+-]{1,64}@[\w-]{1,63}\.\w")
_TELEPHONE = re.compile(
    r"\b(?:extension|ext|tel|telephone|phone|hotline|line|call|dial|ring)\b[^.!?\n\d]{0,30}\+?\d{2}"
    r"|\+?\d[\d()/ -]{5,20}\d",
    re.IGNORECASE,
)
_WEB = re.compile(
    r"https?://|\bwww\.|\b[\w-]{1,63}\.(?:com|org|net|gov|edu|info|int|io|eu|uk|de|fr|nl)\b", re.IGNORECASE
)
_FORM = re.compile(r"\b[A-Z]{1,5}-?\d\w*|\b(?!(?i:an?|any|each|every|in|that|the|this|which)\s)[\w-]{1,30}+\sforms?\b")
_CURRENCY = (
    r"[$€£¥]|\b(?:euros?|eur|dollars?|usd|pounds?|gbp|cents?|pence|crowns?|francs?|chf|yen|yuan|rupees?|pesos?)\b"
)
_PRICES = r"price|fee|cost|salary|wage|charge|rent|fine"
_MONEY = re.compile(
    rf"(?:{_CURRENCY})\s?\d|(?<![\d.,])\d[\d.,]*+\s?(?:(?:{_SCALES})\s|k\s?)?(?:{_CURRENCY}|%|per\s?cent\b)"
    rf"|\b(?:{_NUMBER_WORDS})\s(?:{_CURRENCY})|\bfree\b|\bno (?:charge|fee|cost)s?\b"
    # What is written above the figures of a table, and before those of a row.
    rf"|\b(?:{_SCALES})s?\s(?:of\s)?(?:us\s)?(?:{_CURRENCY})|(?:{_CURRENCY})\s?(?:(?:{_SCALES})s?|m|mn|bn|k)\b"
    rf"|(?:\b(?:{_PRICES})s?\b|(?:{_CURRENCY}))[^:;.\n]{{0,20}}:\s?[(-]?\d",
    re.IGNORECASE,
)
# What a number is counted in, where another unit would be another answer: by the word that asks for it.
_UNITS = {
    "watt": r"(?:kilo|mega)?watts?|[km]?w",
    "volt": r"(?:kilo)?volts?|k?v",
    "degree": r"degrees?|°|celsius|fahrenheit",
    "euro": r"euros?|eur|€",
    "dollar": r"dollars?|usd|\$",
    "calorie": r"(?:kilo)?calories?|k?cal",
    "gram": r"(?:kilo|milli)?grams?|[km]?g",
    "kilo": r"kilo(?:gram)?s?|kgs?",
    "lit(?:re|er)": r"(?:milli)?lit(?:re|er)s?|m?l",
    "met(?:re|er)": r"(?:kilo|centi|milli)?met(?:re|er)s?|[kcm]?m",
    "mile": r"miles?",
}
_IN_UNITS = tuple(
    (
        re.compile(rf"\bhow many {unit}s?\b"),
        re.compile(rf"(?:\d|\b(?:{_NUMBER_WORDS}))[\s-]?(?:{words})(?!\w)|[€$£]\s?\d", re.IGNORECASE),
    )
    for unit, words in _UNITS.items()
)
_MEASURES = (
    r"seconds?|minutes?|mins?|hours?|hrs?|days?|nights?|weeks?|months?|quarters?|years?|decades?|centur(?:y|ies)|feet|foot"
    rf"|inch(?:es)?|yards?|acres?|hectares?|tons?|tonnes?|°|[ap]\.?m\.?|{_CURRENCY}|%|per\s?cent|{'|'.join(_UNITS.values())}"
)
_ASKS_COUNT = re.compile(
    r"\bhow many (?!(?:of|more|are|is|can|do|does|did|was|were|will|have|has|had)\b)"
    rf"(?!(?:[\w'-]+ ){{0,2}}(?:{_MEASURES})(?!\w))\w"
)
_COUNTED = re.compile(r"\bhow many ([\w'-]+)")
_MEASURED = re.compile(
    rf"(?:\s?(?:to|and|or|[-–])\s?\w+)?[\s-]?(?:{_MEASURES}|(?:{'|'.join(MONTHS)}))(?!\w)", re.IGNORECASE
)
_MONTH_BEFORE = re.compile(rf"\b(?:{'|'.join(MONTHS)})\s$", re.IGNORECASE)
_IS_MEASURE = re.compile(r"[$€£].*|.*%|\d+:\d\d|once|every|daily|weekly|monthly|yearly|annually", re.IGNORECASE)
_A_SINGLE = re.compile(r"\b(?:an? single|only|no|none|both|several|each|pair|couple)\b", re.IGNORECASE)
_ASKS_FOR_NAME = re.compile(
    r"\bwho\b.{0,80}\bnames?\b|\bnames?\b.{0,20}\bwho\b"
    rf"|\bnames? of (?:the|our|that|this) (?:\w+ ){{0,2}}(?:{_ROLES})\b"
)

_ASKS_WHEN = re.compile(r"\bwhen\b")
_ASKS_ELSE = re.compile(r"\b(?:what|who|which|why|how|where)\b")
# A year before a colon names a column: "2025 (actual): 688". A condition is a time too.
_TIME = re.compile(
    rf"\b(?:1\d|20)\d\d\b(?!\s?(?:\([^)]{{0,40}}\))?:)|\bin (?:the )?\d{{3,4}}s?\b|\d{{1,2}}[:.]\d\d|\d\s?[ap]\.?m\b"
    rf"|(?:\d|\b(?:{_NUMBER_WORDS}))[\s-](?:\w+\s)?(?:seconds?|minutes?)\b|\b\d{{1,2}}(?:st|nd|rd|th)\b"
    rf"|\b(?:at|by|from|past|to|around|about)\s(?:\d{{1,2}}|{_NUMBER_WORDS})\b"
    rf"|\b(?:{_TIME_WORDS}|(?:{_DAYS})s|{'|'.join(name[:3] for name in MONTHS)}|ages?|era|wars?|hours?|days?|nights?"
    r"|weekdays?|weekends?|weeks?|months?|quarters?|quarterly|years?|decades?|centur(?:y|ies)|periods?|daily|weekly|monthly"
    r"|yearly|annual(?:ly)?|spring|summer|autumn|winter|easter|christmas|seasons?|holidays?|o'clock|times?|dates?|birth|death"
    r"|early|late|later|soon|now|then|always|never|immediately|before|after|until|till|once|when(?:ever)?|while|during|if"
    r"|since|ago|request|start|beginning|end|first|next|last|following|arriv\w+)\b",
    re.IGNORECASE,
)

DEGREES = r"many|much|long|far|often|high|large|big|fast|old|deep|close|wide|tall|heavy|small|short|low|hot|cold|loud"
_QUANTITIES = (
    r"accuracy|age|amount|area|average|budget|capacity|cost|depth|distance|duration|factor|fee|figure|frequency|height"
    r"|high|inflation|latency|length|level|limit|loss|low|margin|maximum|mean|median|minimum|number|peak"
    r"|percent(?:age)?|population|price|range|rate|ratio|score|share|size|speed|sum|temperature|threshold|total|value"
    r"|weight|width"
)
# "what was the unemployment rate", "which rate", "to what low"; not "what did they say about the rate".
_ASKS_HOW_MUCH = re.compile(
    rf"\bhow (?:{DEGREES})\b"
    r"|\b(?:what|which) (?:(?:is|was|are|were|will be|has been|had been) )?(?:(?:the|its|their|an?) )?"
    rf"(?:(?!(?:about|did|do|does|happened|said|say)\b)[\w'’.+-]+ ){{0,4}}(?:{_QUANTITIES})s?\b"
)
_NAMED = (
    r"agency|airline|airport|author|bank|brand|city|clinic|company|country|county|doctor|firm|hospital|hotel|magazine"
    r"|maker|manufacturer|museum|newspaper|publisher|restaurant|river|school|shop|singer|state|store|supplier|town"
    r"|university|vendor|village"
)
_ASKS_MONEY = re.compile(
    r"\b(?:price|fee|salary|wages?) (?:of|for)\b|\bwhat (?:do|does|did|would|will) .{1,40} (?:cost|earn)\b"
    r"|\bhow much (?:money|(?:did|do|does|has|have|will|would) .{1,60} (?:cost|earn|paid|pay|spend|spent)"
    r"|is the (?:fine|fee|salary))\b"
    r"|\bwhat(?:'?s| is| are) the (?:price|fee|salary)s?\b"
)
_KINDS = (
    (
        re.compile(
            r"\be-?mail (?:address )?(?:of|for)\b|\be-?mail address\b|^\W*e-?mail\b"
            r"|\b(?:what|which|whats)\b.{0,40}\be-?mail\b.{0,12}$"
        ),
        _E_MAIL,
    ),
    (
        re.compile(
            r"\b(?:(?:tele)?phone|mobile|cell) (?:number|of|for)\b|\bhotline\b|\bextension (?:of|for)\b"
            r"|\b(?:what|which|whats|number)\b.{0,30}\b(?:dial|call|ring|phone)\b(?! ?ed)"
            r"|\bwhom? (?:(?:do|should|can|must|shall) (?:i|we|you)|to) (?:call|dial|phone|ring)\b"
        ),
        _TELEPHONE,
    ),
    (
        re.compile(r"\b(?:url|web ?site|web address|web ?page) (?:of|for|to)\b|\b(?:what|which) web ?(?:site|page)\b"),
        _WEB,
    ),
    (re.compile(r"\b(?:what|which) (?:forms?(?! of\b)|paperwork)\b|\bform (?:number|for)\b"), _FORM),
    (re.compile(r"\b(?:what|which) (?:year|date|day|month)\b"), _DATE),
    *_IN_UNITS,
    (_ASKS_MONEY, _MONEY),
    (_ASKS_HOW_MUCH, _NUMBER),
    (re.compile(rf"\bnames? of\b|\b(?:which|what) (?:{_NAMED})\b"), _NAME),
    (re.compile(r"\bwhen\b"), _DATE),
    (re.compile(r"\bwho(?:m|se)?\b"), _PERSON),
)

# Kinds that a pattern recognises for certain. Who, when and how many are answered in more words than a pattern knows.
_CERTAIN = frozenset({_E_MAIL, _TELEPHONE, _WEB, _FORM, _MONEY, *(kind for _, kind in _IN_UNITS)})

MOST_NEW = 0.25  # of the question's words that a text may lack and still only say them again
_ASKS_WHY = re.compile(r"\bwhy\b|\bhow come\b", re.IGNORECASE)
_GIVES_REASON = re.compile(
    r"\b(?:because|since|due to|owing to|so that|in order|reasons?|caus(?:e|es|ed|ing)|therefore|thus|hence|as a result"
    r"|result(?:s|ed)? (?:of|from|in)|otherwise|thanks to|given (?:that|the)|lest|avoid\w*|prevent\w*|for fear|would|as"
    r"|explain\w*|justif\w*|motiv\w*|prefer\w*|believ\w*|concern\w*|expect\w*|fear\w*)\b",
    re.IGNORECASE,
)

# Who, where, why and how, in other writing than Latin.
_BEYOND_WORDS = re.compile(
    r"谁|誰|哪里|哪儿|哪裡|何处|何處|在哪|哪个|哪個|哪位|为什么|為什麼|为何|為何|如何|怎么|怎样|怎麼|怎樣|是否|吗|嗎"
    r"|だれ|どなた|どこ|どちら|なぜ|どうして|どう|どのように|どれ"
    r"|누구|누가|어디|왜|어떻게|어느"
    r"|ใคร|ที่ไหน|ทำไม|อย่างไร|ยังไง|ไหน|หรือไม่|ไหม"
    r"|\b(?:кто|где|куда|откуда|почему|зачем|как|ли|من|أين|اين|لماذا|كيف|هل|מי|איפה|היכן|למה|מדוע|איך|האם)\b",
    re.IGNORECASE,
)
# How many, how much, when, in other writing than Latin.
_FIGURE = re.compile(
    r"[几幾]|多少|多久|多长|多長|多大|多高|何[時时年月日天分人歳个個回台本枚名階]|什么时候|什麼時候"
    r"|いくら|いくつ|いつ|どのくらい|どれくらい|몇|며칠|얼마|언제|กี่|เท่าไร|เท่าไหร่|เมื่อไร|เมื่อไหร่|นานแค่ไหน"
    r"|\b(?:сколько|когда|كم|متى|כמה|מתי)\b",
    re.IGNORECASE,
)
_HOLDS_FIGURE = re.compile(
    r"\d|[一二三四五六七八九十百千万萬億亿两兩半〇零]|曜日|요일"
    r"|(?<!\w)(?:[일이삼사오육륙칠팔구십백천만억]+|하루|이틀|사흘|나흘|한|두|세|네|다섯|여섯|일곱|여덟|아홉|열\w?|스무|스물\w?)(?!\w)"
    r"|หนึ่ง|สอง|สาม|สี่|ห้า|หก|เจ็ด|แปด|เก้า|สิบ|ร้อย|พัน|หมื่น|แสน|ล้าน|วันจันทร์|วันอังคาร|วันพุธ|วันพฤหัส|วันศุกร์|วันเสาร์|วันอาทิตย์"
)


def is_certain(kind: re.Pattern[str] | None) -> bool:
    """Return True if a text without a match of this kind is sure to hold no such thing."""
    return kind in _CERTAIN


def find_kind_asked(question: str) -> re.Pattern[str] | None:
    """Return a pattern of the kind of thing that a question asks for (number, date, name, address), or None."""
    folded = question.casefold()
    return next((kind for asks, kind in _KINDS if asks.search(folded)), None)


def holds_new(kind: re.Pattern[str] | None, text: str, question: str) -> bool:
    """Return True if the text has a thing of that kind which the question does not name. True when kind is None."""
    if kind is None:
        return True
    named = set(content_stems(question))
    return any(stem(word) not in named for found in kind.finditer(drop_marks(text)) for word in words_of(found.group()))


def lacks_count(question: str, text: str) -> bool:
    """Return True if a question asks how many of something, and all figures of a text are of time, money or measures.

    "Two hours before the first day, and 45 minutes every year" does not say how many drills there are. Of the 58
    questions for a count that SQuAD 2.0's development set answers, this holds of the answering sentence of none.
    """
    if not _ASKS_COUNT.search(question.casefold()) or _A_SINGLE.search(text):
        return False
    plain = drop_citations(drop_marks(text))
    figures = list(_NUMBER.finditer(plain))
    return bool(figures) and all(
        _IS_MEASURE.fullmatch(figure.group())
        or _MEASURED.match(plain, figure.end())
        or _MONTH_BEFORE.search(plain, max(figure.start() - 12, 0), figure.start())
        for figure in figures
    )


def states_count(question: str, text: str) -> bool:
    """Return True if a text has a number, and the word for the things that a question asks how many there are of."""
    counted = _COUNTED.search(question.casefold())
    is_of_those = bool(counted and stem(counted[1]) in content_stems(text))
    return is_of_those and holds_new(_NUMBER, text, question) and not lacks_count(question, text)


def lacks_time(question: str, text: str) -> bool:
    """Return True if a question asks when, and nothing else, and a text names no time or condition that it does not.

    A row of amounts is none, though its columns are years. Of the 120 such questions that SQuAD 2.0's development set
    answers, this holds of the answering sentence of none.
    """
    asked = question.casefold()
    asks_when = bool(_ASKS_WHEN.search(asked)) and not _ASKS_ELSE.search(asked)
    return asks_when and not holds_new(_TIME, drop_citations(text), question)


def lacks_name(question: str, text: str) -> bool:
    """Return True if a question asks for somebody's name, and a text has no name that the question does not have."""
    return bool(_ASKS_FOR_NAME.search(question.casefold())) and not holds_new(_NAME, text, question)


def lacks_reason(question: str, text: str) -> bool:
    """Return True if a question asks why, and a text says again what it asks about without a word of a reason.

    Of 24 questions of the datasets that ask why, 14 were answered, four of them wrongly. This finds two of the four,
    "The Board decided to raise the lending rate" for "why did they raise the lending rate", and none of the ten.
    """
    if not _ASKS_WHY.search(question) or _GIVES_REASON.search(text):
        return False
    asked = {stem for stem in content_stems(question) if not is_of_a_date(stem)}
    return bool(asked) and len(asked - set(content_stems(text))) <= len(asked) * MOST_NEW


def asks_for_figure(question: str) -> bool:
    """Return True if a question in other writing than Latin asks for a number, a price, a time or a date."""
    return bool(_FIGURE.search(question))


def may_answer(question: str, sentence: str) -> bool:
    """Return True if nothing speaks against a sentence with all words of such a question being its answer."""
    if _BEYOND_WORDS.search(question):
        return False
    return not asks_for_figure(question) or bool(_HOLDS_FIGURE.search(sentence))
