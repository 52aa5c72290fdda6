"""Programs that people let act for them: documents has what a program says of itself, connections begins and ends them.

The tokens are django-oauth-toolkit's; its views, and what they may do, are on the web side.
"""
