"""Footnote's core. `core.api` is its door: what front ends ask comes in there.

asking            a question becomes an answer
library           documents become passages, and passages are found
access            who may read what
programs, mcp     other programs ask
quality           how good answers are
operations        an installation is run
models, llm       rows of the database; language models
language          text is read, and written in other languages
infrastructure    database, jobs, secrets, figures
values            small values; types.py and errors.py have those that pass everywhere
"""
