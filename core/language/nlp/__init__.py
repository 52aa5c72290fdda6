"""Words, sentences, dates, numbers and labels of texts in English. Pure: no database, no network, no models.

It reads questions, citations, answers and files alike, so that each rule about English is written once:

text.py              words and sentences
scripts.py           words of other writing than Latin: Chinese, Japanese, Korean, Thai, Arabic and others
known_words.py       lists of words: of English, and the commonest of a hundred languages, to tell text from none
look_alikes.py       words of a question that a text has nearly the same
layout.py            paragraphs, list items and table rows in a text
structure.py         sentences, list items and table rows with their lead-ins
table_rows.py        rows of tables about something else than a question asks
dates.py             days and months as they are written, and until when something holds by them
written_numbers.py   numbers in words, with raised figures, in brackets: twelve, 10⁻³, (605) 555-0174
function_words.py    words that questions begin with, and words such as not, never and without
labels.py            what identifies the things that a text is about: Class A, Bay 3, March
document_types.py    the types of documents and what they are called, in files and in questions
headings.py          their numbers, which of them name no subject, and how they are written within a sentence
answer_types.py      the kind of thing that a question asks for: a number, a date, a name, a reason
small_talk.py        messages that ask nothing
sentence_scoring.py  sentences compared with a question, in words and meaning
"""
