"""Sign in with Slack, as Slack's own addresses answer: https://docs.slack.dev/authentication/sign-in-with-slack/."""
