"""From a question to an answer or a refusal; pipeline.py leads, and record.py writes down what came of it.

Before the search: requests.py checks the question, conversations.py and follow_ups.py make it stand alone,
query_rewriting.py and spelling.py put it in the documents' words, understanding.py finds its filters and searches, and
clarification.py asks back. searches.py runs the searches; series.py prefers the newest of a series. composition.py goes
from passages to what is shown: a draft, verified, repaired once (repair.py), shown as it grows (preview.py), or the
closest passages (closest.py). Around it: answerability.py, suggestions.py and guidance.py say what could be asked, in
the words of phrasing.py, private_answers.py whether the asker alone may be shown more, and replay.py asks a
logged question again.
"""
