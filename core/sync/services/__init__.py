"""What kinds that ask a service over http share: asking, paging, tokens, and who reads what several levels guard."""
