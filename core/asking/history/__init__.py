"""Show and erase earlier questions.

results.py and listing.py show them, by the rule of access as it is at that moment; contradictions.py what another
document says otherwise; retention.py and deleted_documents.py erase them.
"""
