"""Let a Footnote that runs answer commands, over a socket that only its owner can open.

`address` says where the socket is, `client` asks, before anything heavy is imported, and `server` answers in the web
process, which has its models in memory.
"""
