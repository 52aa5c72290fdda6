"""The bot against local-slack, a server that plays Slack and that we did not write.

It listens on every interface, so everything runs in a network namespace of its own, where there is only loopback.
"""
