"""What a question says of itself: dates, kinds of documents, whether it compares. Rules over English words; pure."""
