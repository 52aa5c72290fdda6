"""Serve other programs, which ask for people.

asking.py answers them over REST and MCP. Of those that sign in by OAuth, documents.py has what a program says of
itself, connections.py begins and ends connections. The tokens are django-oauth-toolkit's; its views, and
what they may do, are on the web side.
"""
