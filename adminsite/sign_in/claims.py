"""Whom a provider of single sign-on vouches for."""

from dataclasses import dataclass
from typing import Any

from core.errors import FootnoteError
from core.models import User
from core.signals import SlackAccount, slack_account_asked
from core.values.addresses import fold_address

_SLACK_TEAM, _SLACK_USER = "https://slack.com/team_id", "https://slack.com/user_id"  # claims of Slack's own


class RefusedClaimsError(FootnoteError):
    """Nobody can be let in by what the provider says."""

    def __init__(self, reason: str, person: User | None = None) -> None:
        super().__init__()
        self.reason = reason  # a code for the audit trail
        self.person = person  # who is meant, when it is somebody


@dataclass(frozen=True, kw_only=True, slots=True)
class VouchedReader:
    """A person for whom Slack vouches, and the account by which it does."""

    person: User
    team_id: str
    slack_user_id: str


def person_of(told: dict[str, Any]) -> User:
    """The administrator for whom the provider vouches. RefusedClaimsError where nobody may use the admin so."""
    person = _find_person(told)
    if not person.is_staff:
        raise RefusedClaimsError("no_administrator", person)
    return person


def reader_of(told: dict[str, Any]) -> VouchedReader:
    """The person for whom Slack vouches, who need not be an administrator. RefusedClaimsError where there is none.

    Whoever runs a workspace can confirm any address there, and Slack vouches for guests as for members. So the account
    must be one of a workspace that Footnote is installed in, and a full member's there, which the bot asks Slack.
    """
    person, signed = _find_person(told), told.get("id_token") or {}
    team, account = str(signed.get(_SLACK_TEAM) or ""), str(signed.get(_SLACK_USER) or "")
    found = _ask_slack(team, account, person) if team and account else SlackAccount(is_connected=False)
    if not found.is_connected:
        raise RefusedClaimsError("workspace", person)
    if found.user_id != person.pk:
        raise RefusedClaimsError("account", person)
    return VouchedReader(person=person, team_id=team, slack_user_id=account)


def _ask_slack(team_id: str, slack_user_id: str, person: User) -> SlackAccount:
    try:
        answers: list[tuple[Any, Any]] = slack_account_asked.send(
            sender=None, team_id=team_id, slack_user_id=slack_user_id
        )
    except FootnoteError as error:
        raise RefusedClaimsError("provider", person) from error
    return next((answer for _, answer in answers), SlackAccount(is_connected=False))


def _find_person(told: dict[str, Any]) -> User:
    """Find the person by the provider's claims: those of its signed token, and of its userinfo for the same subject.

    RefusedClaimsError where it does not say that the e-mail address is theirs, or nobody active has that address.
    """
    signed, asked = told.get("id_token") or {}, told.get("userinfo") or {}
    if not signed.get("sub") or (asked and asked.get("sub") != signed["sub"]):
        raise RefusedClaimsError("subject")
    claims = signed if "email" in signed else asked
    email = fold_address(str(claims.get("email") or ""))
    person = User.objects.filter(email=email).first() if email and "\0" not in email else None  # which no text holds
    if person is None:
        raise RefusedClaimsError("unknown")
    if claims.get("email_verified") is not True:
        raise RefusedClaimsError("unverified", person)
    if not person.is_active:
        raise RefusedClaimsError("inactive", person)
    return person
