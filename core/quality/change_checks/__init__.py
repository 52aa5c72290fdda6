"""Check a change before it is live: ask last month's questions and the library's own without it and with it.

submitting.py takes a change from a page or a program; running.py lets a process of its own, child.py, ask (trying.py)
and says what follows (deciding.py). kinds/ has one module for each kind of change: how it is made in a transaction that
is rolled back, and how it is made for good.
"""
