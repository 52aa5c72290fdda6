"""Links to documents that people post: shown below the message, or beside it, to those who may read the document.

`intake` takes them in, `unfurling` shows them, `details` answers who opens one, `cards` decides what is shown.
"""
