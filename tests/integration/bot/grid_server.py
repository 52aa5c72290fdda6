"""Slack as an organisation of Enterprise Grid, and with tokens that expire, on top of `slack_server`."""

import base64
from typing import Any

from tests.integration.bot.slack_server import BOT_USER, SlackServer

ORGANISATION = "E0HARBOURS"
NORTH, SOUTH, EAST = "T0NORTH", "T0SOUTH", "T0EAST"  # its workspaces
ORG_TOKEN = "xoxb-of-the-organisation"
LIFE_S = 43_200  # of a token: twelve hours

# Methods that an organisation's token needs team_id for, of those that the bot calls: "If using an org token, team_id
# is required" in the types of @slack/web-api 8.2.0 (OptionalTeamAssignable).
_NEED_TEAM = frozenset({"usergroups.list", "usergroups.users.list", "users.conversations", "users.list"})


class GridServer(SlackServer):
    """An organisation that adds the app to some of its workspaces. Refresh tokens are good for one exchange."""

    def __init__(self) -> None:
        super().__init__()
        self.granted: dict[str, str] = {}  # the workspaces that the app was added to, with their names
        self.refresh_tokens: dict[str, str] = {}  # those that can be exchanged, with the team of each
        self.exchanged: list[str] = []  # each attempt to exchange one, whatever came of it
        self._pairs = 0

    def add_organisation_code(self, code: str, token: str = ORG_TOKEN, **fields: Any) -> None:
        """Accept a code that Slack gave to an administrator of the organisation."""
        self.add_code(code, team=ORGANISATION, token=token, **fields)
        self.codes[code] |= {
            "team": None,
            "enterprise": {"id": ORGANISATION, "name": "Harbours"},
            "is_enterprise_install": True,
        }

    def add_pair(self, team: str) -> tuple[str, str]:
        """Give a team a token and the refresh token for the next pair."""
        self._pairs += 1
        token, refresh_token = f"xoxe.xoxb-token-{self._pairs}", f"xoxe-refresh-{self._pairs}"
        self.tokens[token], self.refresh_tokens[refresh_token] = team, team
        return token, refresh_token

    def call(self, method: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """Refuse what an organisation's token may not ask, and answer the rest."""
        team_id = arguments.get("team_id")
        if self.tokens.get(arguments["token"]) == ORGANISATION:
            if team_id and team_id not in self.granted:
                return {"ok": False, "error": "team_access_not_granted"}
            if method in _NEED_TEAM and not team_id:
                return {"ok": False, "error": "missing_argument"}
        return super().call(method, arguments)

    def _auth_test(self, arguments: dict[str, Any]) -> dict[str, Any]:
        told = super()._auth_test(arguments)
        is_whole = told["team_id"] == ORGANISATION
        return told | {"is_enterprise_install": is_whole, "enterprise_id": ORGANISATION if is_whole else None}

    def _auth_teams_list(self, arguments: dict[str, Any]) -> dict[str, Any]:
        return self._page(arguments, "teams", [{"id": key, "name": name} for key, name in self.granted.items()])

    def _oauth_v2_access(self, arguments: dict[str, Any]) -> dict[str, Any]:
        if arguments.get("grant_type") != "refresh_token":
            return super()._oauth_v2_access(arguments)
        if base64.b64decode(arguments["token"]).decode() != self.client:
            return {"ok": False, "error": "bad_client_secret"}
        self.exchanged.append(arguments["refresh_token"])
        team = self.refresh_tokens.pop(arguments["refresh_token"], None)
        if team is None:
            return {"ok": False, "error": "invalid_refresh_token"}
        token, refresh_token = self.add_pair(team)
        return {
            "ok": True,
            "access_token": token,
            "refresh_token": refresh_token,
            "expires_in": LIFE_S,
            "token_type": "bot",
            "bot_user_id": BOT_USER,
        }
