"""Decide who may read documents. The rule itself is `visible_to` in core.models.querysets.

audiences.py builds the audiences for the rule and knows who may decide; grants.py grants and revokes; changes.py
previews the effect of a change.
"""
