"""A page that plays Slack for people without a workspace: development only, on this machine only."""
