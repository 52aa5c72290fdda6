"""Markup that is no document but leads to some: links of pages, sitemaps, feeds, and folders on WebDAV servers.

Whoever asks uses `reader`, which has it read by `parsing` in the sandbox and takes `values` from there.
"""
