"""Who may read what. The rule itself is `visible_to` in core.models.querysets.

audiences.py makes the audiences that it is asked for and says who decides; grants.py writes and takes away; changes.py
says what that does before it is done.
"""
