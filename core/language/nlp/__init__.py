"""Words, sentences, dates, numbers and labels of texts in English. Pure: no database, no network, no models.

It reads questions, citations, answers and files alike, so that each rule about English is written once:

text.py              words and sentences
scripts.py           words of other writing than Latin: Chinese, Japanese, Korean, Thai, Arabic and others
other_questions.py   the kind of thing that questions in such writing ask for
common_words.py      the commonest words of a hundred languages, to tell text from none
layout.py            paragraphs, list items and table rows in a text
structure.py         sentences, list items and table rows with their lead-ins
dates.py             days and months as they are written
number_words.py      words that are numbers: twelve, ninety, million, third
negation.py          words such as not, never and without
labels.py            what identifies the things that a text is about: Class A, Bay 3, March
document_types.py    the types of documents and what they are called, in files and in questions
headings.py          their numbers, which of them name no subject, and how they are written within a sentence
answer_types.py      the kind of thing that a question asks for: a number, a date, a name, an address
sentence_scoring.py  sentences compared with a question, in words and meaning
"""
