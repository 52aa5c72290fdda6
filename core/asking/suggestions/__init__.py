"""Questions that are worth asking, because the library answers them.

suggesting.py makes them of titles, dates and headings, in the words of phrasing.py; guidance.py offers some after a
refusal. answerability.py tries each, and says whether the asker alone may be shown more.
"""
