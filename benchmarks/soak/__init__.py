"""An installation under load and faults for minutes or hours, judged at the end.

`world` has the people, documents and words of their own; `played` plays Slack and the model; `load` asks, clicks,
uploads and changes who reads what; `faults` kills, fills, cuts and slows, one thing at a time; `watching` samples
memory and connections; `history` knows who could read what at which moment; `judging` holds what was seen against
that; `database_state` looks for what is stuck or orphaned; `timeline` keeps what happened, and `drawing` draws it.
"""
