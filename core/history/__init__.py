"""What is kept of earlier questions.

results.py and listing.py show it, by the rule of access as it is at that moment; retention.py and deleted_documents.py
erase it.
"""
