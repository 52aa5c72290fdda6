"""Find the workspace of a payload, where the app may be installed in a whole organisation."""

from typing import Any

from slack_bolt import BoltContext

OF_ORGANISATION = "is_of_organisation"  # in Bolt's context: the payload is for an organisation, and for no workspace
_EVENTS_OF_ORGANISATIONS = frozenset({"team_access_granted"})  # the others of this kind need no token


def place(body: dict[str, Any], context: BoltContext) -> None:
    """Write the workspace that a payload is from into Bolt's context, which finds none for an organisation's token.

    There Slack names no team, or the organisation, in the places where a workspace's own installation has its team:
    the authorizations of an event, the team of a press. What Bolt did find, and is no organisation, stays.
    """
    context[OF_ORGANISATION] = (body.get("event") or {}).get("type") in _EVENTS_OF_ORGANISATIONS
    organisation_id, found = context.enterprise_id, context.team_id
    if found and found != organisation_id:
        return
    named = [body.get("context_team_id"), body.get("team_id")]
    named += [(body.get(part) or {}).get("team_id") for part in ("user", "view") if isinstance(body.get(part), dict)]
    context["team_id"] = next((team for team in named if isinstance(team, str) and team != organisation_id), None)
