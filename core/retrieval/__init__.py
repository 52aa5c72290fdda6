"""The only reader of chunks: passages that fit a question, of those that an audience may read."""
