"""Read and write language. Pure: no database, network or model.

nlp                    words, sentences, dates, numbers, lists
query_understanding    what the words of a question say
i18n                   Footnote's own words in other languages
wording.py             what a search was narrowed to, and which document says otherwise, in words
"""
