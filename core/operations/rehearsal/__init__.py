"""Rehearse an upgrade: this version's migrations and questions on a copy of the database, which is then dropped.

rehearsing.py leads, in the process of the command; place.py makes the copy, finds those that were left behind and drops
them; the rest runs in a process of its own, which knows no other database than the copy and no key: child.py starts it,
on_copy.py is what it does, migrating.py times the migrations and their locks, asking.py asks again what was asked.
notes.py reads what an operator has to do from docs/upgrading.md; report.py says in words what was found.
"""
