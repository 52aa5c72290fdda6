"""From a question to an answer or a refusal: decision.py decides, pipeline.py stores what came of it with record.py.

Preparing a question: requests.py checks it; preparation.py has it stand alone (conversations.py, follow_ups.py), puts
it in the documents' words (query_rewriting.py), finds its filters and searches (understanding.py) and chooses what a
follow-up means.
Deciding: clarification.py asks back, searches.py searches (ordering.py puts first what answers, series.py takes the
newest of a series), composition.py goes from passages to what is shown: a draft, shortened to what was asked and set
beside the documents' own answer (relevance.py), verified, repaired once (repair.py), shown as it grows, or the closest
passages (closest.py). progress.py is what is known on the way.
"""
