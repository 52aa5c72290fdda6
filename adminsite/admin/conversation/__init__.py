"""The page of a conversation: its questions, each in the order in which it happened, by the rights of who looks.

page.py is the page, reading.py reads the rows of its questions, told.py tells one of them, passages.py what was found.
"""
