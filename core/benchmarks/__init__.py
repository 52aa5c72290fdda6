"""Ways to search vectors under the rule of access, measured side by side: how right, how fast, how large."""
