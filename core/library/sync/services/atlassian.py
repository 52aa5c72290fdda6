"""Say who asks a product of Atlassian: in its cloud, or on a server at home."""

import base64


def make_authorization(email: str, token: str, *, is_cloud: bool) -> dict[str, str]:
    """Return the header with an API token and its account's e-mail address (cloud), or a personal access token.

    As Atlassian's manuals have it: "Basic auth for REST APIs" of the cloud, "Using Personal Access Tokens" of Data
    Center. email: it counts in the cloud alone.
    """
    basic = base64.b64encode(f"{email}:{token}".encode()).decode()
    return {"Authorization": f"Basic {basic}" if is_cloud else f"Bearer {token}"}
