"""The kinds of things that questions in other writing than Latin ask for. Pure.

English questions are read by core.language.nlp.answer_types. Here only as much is read as shows that a sentence cannot
be taken for the answer: a person, a place, a reason or a way cannot be told from any other words, a figure can.
"""

import re

# Who, where, why and how.
_BEYOND_WORDS = re.compile(
    r"谁|誰|哪里|哪儿|哪裡|何处|何處|在哪|哪个|哪個|哪位|为什么|為什麼|为何|為何|如何|怎么|怎样|怎麼|怎樣|是否|吗|嗎"
    r"|だれ|どなた|どこ|どちら|なぜ|どうして|どう|どのように|どれ"
    r"|누구|누가|어디|왜|어떻게|어느"
    r"|ใคร|ที่ไหน|ทำไม|อย่างไร|ยังไง|ไหน|หรือไม่|ไหม"
    r"|\b(?:кто|где|куда|откуда|почему|зачем|как|ли|من|أين|اين|لماذا|كيف|هل|מי|איפה|היכן|למה|מדוע|איך|האם)\b",
    re.IGNORECASE,
)
# How many, how much, when.
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


def asks_for_figure(question: str) -> bool:
    """Return True if a question asks for a number, a price, a time or a date."""
    return bool(_FIGURE.search(question))


def may_answer(question: str, sentence: str) -> bool:
    """Return True if nothing speaks against a sentence with all words of a question being its answer."""
    if _BEYOND_WORDS.search(question):
        return False
    return not asks_for_figure(question) or bool(_HOLDS_FIGURE.search(sentence))
