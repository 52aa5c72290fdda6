"""Files that people share with the bot: offered for ingestion, fetched from Slack, reported in the thread."""
