"""Read and write language. Pure: no database, network or model.

nlp                    words, sentences, dates, numbers, lists
query_understanding    what the words of a question say
i18n                   Footnote's own words in other languages
contradictions.py      that another document says otherwise, in words
"""
