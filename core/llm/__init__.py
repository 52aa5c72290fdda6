"""Language models, all through LiteLLM. The default one needs no key: it selects sentences instead of writing them."""
