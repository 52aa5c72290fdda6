"""Keep footnotes true: find the answers that quote a changed or deleted source, and ask their questions again.

checking.py      which answers a change of a document concerns, and how many of them are asked again and told
asking_again.py  the question asked again for the readers of now, and whether the answer still holds
changed.py       the documents that were quoted to a person and have changed since
The bot tells the askers; core.quality.reports.editions counts.
"""
