"""Build our messages as Slack's blocks. Pure: values in, plain lists and dictionaries out, within Slack's limits."""
