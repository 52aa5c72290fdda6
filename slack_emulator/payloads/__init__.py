"""What Slack sends to an app, built from the local workspace, in Slack's shapes."""
