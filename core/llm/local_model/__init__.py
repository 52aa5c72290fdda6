"""Set up an answer model on this machine: choose, fetch, check, register and serve it.

`registration` is what the rest of Footnote reads; `gguf` and `machine` say what fits, `catalogue` what is offered,
`fetching` brings a file, `serving` and `watching` run its server, `ollama` asks one that is there.
"""
