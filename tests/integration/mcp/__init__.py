"""MCP, over HTTP and over standard input and output, with the SDK's own client."""
