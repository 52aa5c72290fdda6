"""Programs that sign in: the authorization server of MCP, by django-oauth-toolkit, and the pages around it.

provider has its settings, client_documents and registration say which programs there are, backend and validator hold
what they may do to our rules, views are the addresses, own_page is where a person finds and ends their connections.
"""
