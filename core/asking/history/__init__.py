"""Show and erase earlier questions.

results.py and listing.py show them, by the rule of access as it is at that moment; retention.py and
deleted_documents.py erase them.
"""
