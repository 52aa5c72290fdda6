"""What the burst and the soak share: the processes of the Procfile, a way to send what Slack sends, their settings."""
