"""Whom a provider of single sign-on vouches for."""

from typing import Any

from core.addresses import fold_address
from core.errors import FootnoteError
from core.models import SlackIdentity, SlackWorkspace, User

_SLACK_TEAM, _SLACK_USER = "https://slack.com/team_id", "https://slack.com/user_id"  # claims of Slack's own


class RefusedClaimsError(FootnoteError):
    """Nobody can be let in by what the provider says."""

    def __init__(self, reason: str, person: User | None = None) -> None:
        super().__init__()
        self.reason = reason  # a code for the audit trail
        self.person = person  # who is meant, when it is somebody


def person_of(told: dict[str, Any]) -> User:
    """The administrator for whom the provider vouches. RefusedClaimsError where nobody may use the admin so."""
    person = _find_person(told)
    if not person.is_staff:
        raise RefusedClaimsError("no_administrator", person)
    return person


def reader_of(told: dict[str, Any]) -> User:
    """The person for whom Slack vouches, who need not be an administrator. RefusedClaimsError where there is none.

    Whoever runs a workspace can confirm any address there, so that a workspace has to be one of those that Footnote
    answers in, or the account one that the bot knows as this person's.
    """
    person, signed = _find_person(told), told.get("id_token") or {}
    team, account = str(signed.get(_SLACK_TEAM) or ""), str(signed.get(_SLACK_USER) or "")
    known = SlackIdentity.objects.filter(team_id=team, slack_user_id=account, user=person)
    if not SlackWorkspace.objects.filter(team_id=team).exists() and not known.exists():
        raise RefusedClaimsError("workspace", person)
    return person


def _find_person(told: dict[str, Any]) -> User:
    """The person by what the provider has told: claims of its signed token, and of its userinfo for the same subject.

    RefusedClaimsError where it does not say that the e-mail address is theirs, or nobody active has that address.
    """
    signed, asked = told.get("id_token") or {}, told.get("userinfo") or {}
    if not signed.get("sub") or (asked and asked.get("sub") != signed["sub"]):
        raise RefusedClaimsError("subject")
    claims = signed if "email" in signed else asked
    email = fold_address(str(claims.get("email") or ""))
    person = User.objects.filter(email=email).first() if email else None
    if person is None:
        raise RefusedClaimsError("unknown")
    if claims.get("email_verified") is not True:
        raise RefusedClaimsError("unverified", person)
    if not person.is_active:
        raise RefusedClaimsError("inactive", person)
    return person
