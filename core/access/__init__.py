"""Decide who may read documents. The rule itself is `visible_to` in core.models.querysets.

audiences.py builds the audiences for the rule and knows who may decide, token_audiences.py those of programs; grants.py
gives and takes away grants and roles; changes.py previews the effect of a change; withdrawal.py puts grants aside while
a document is gone; reasons.py explains who reads what; reviews.py has a role looked at again, with the grants that
nobody used; audit.py chains the events of all that.
"""
