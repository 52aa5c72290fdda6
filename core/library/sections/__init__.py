"""Readers of sections: what a rule names is parted from its document, as a document of its own with its own readers.

matching.py    which passages rules name, and which carry on what a restricted section said before; pure
splitting.py   passages moved between a document and its parts, in one transaction, as a new edition of all of them
following.py   a new edition of a document with rules: parted as it is written, and closed where it is not recognised
deciding.py    rules made, changed and removed; decisions where a section was not recognised
listing.py     sections, rules and what is to be decided, for who decides who reads
restricted.py  what is restricted in any document, part by part
previewing.py  what a rule would restrict, and for whom

Who reads a part is derived in the database, by the triggers of migration 0077.
"""
