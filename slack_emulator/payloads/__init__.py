"""Build Slack's payloads to an app from the local workspace."""
