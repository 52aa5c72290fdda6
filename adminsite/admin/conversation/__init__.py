"""Show a conversation: its questions, each in the order in which it happened, by the viewer's rights.

page.py is the page, reading.py reads the rows and passages of its questions, question_view.py describes one of them,
asking.py asks one again.
"""
