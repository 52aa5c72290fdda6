"""The key-free answer model: it quotes the sentences that answer best. It writes no word of its own."""
