"""MCP over HTTP at /mcp. Thin: it says who calls and how often they may; core.mcp does the rest."""
