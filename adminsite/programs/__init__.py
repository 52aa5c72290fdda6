"""Programs that sign in: the authorization server of MCP, by django-oauth-toolkit, and the pages around it.

provider has its settings, client_documents says which programs there are, validator holds what they may do to our
rules, bound_tokens makes their tokens, endpoints and consent are the addresses, allowances limits how often they are
asked, and own_page is where a person finds and ends their connections.
"""
