"""Footnote as an MCP server: three tools for one person, over stdio or HTTP. Thin, like REST: it asks core.api.

No tool has an argument that names a person. Who asks is known before the first message: from the token of an HTTP
request, or from the one who started the process.
"""

MAX_BODY = 512 * 1024  # bytes of a message: the longest selected text, each character escaped, and what is around it
