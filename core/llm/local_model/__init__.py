"""Set up an answer model on this machine: choose, fetch, check, register and serve it.

`registration` is what the rest of Footnote reads; `choosing` has what is offered, `gguf` and `machine` say what fits,
`fetching` brings a file, `setting_up` tries it or takes a model of an Ollama, `serving` and `watching` run its server.
"""
