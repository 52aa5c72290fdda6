"""Explain each right in words, and define the groups of rights that most organisations need."""

from dataclasses import dataclass

from django.contrib.auth.models import Group, Permission
from django.db.models import F, Value
from django.db.models.functions import Concat

from core.access.audiences import DECIDE_WHO_READS


@dataclass(frozen=True, kw_only=True, slots=True)
class Right:
    """A permission, and what it lets somebody do."""

    permission: str  # app.codename
    words: str


@dataclass(frozen=True, kw_only=True, slots=True)
class ReadyMade:
    """A group as it is made."""

    name: str
    words: str
    permissions: tuple[str, ...]


def _list_rights(*pairs: tuple[str, str]) -> tuple[Right, ...]:
    return tuple(Right(permission=permission, words=words) for permission, words in pairs)


RIGHTS: tuple[tuple[str, tuple[Right, ...]], ...] = (
    (
        "Who reads what",
        _list_rights(
            (
                DECIDE_WHO_READS,
                (
                    "Change what anybody may read: grants, readers of sections, and the roles of people, channels, "
                    "workspaces and collections. The right to the page in question is needed besides. Whoever has it "
                    "can give themselves every document."
                ),
            ),
            (
                "core.preview_texts",
                (
                    "When previewing as somebody else, see the texts of documents that one may not read oneself. "
                    "Each look is in the audit trail."
                ),
            ),
            ("core.view_role", "See roles, who is in them, and which documents they are granted. No texts."),
            ("core.add_role", "Make roles."),
            ("core.change_role", "Rename roles and change their members."),
        ),
    ),
    (
        "People",
        _list_rights(
            ("core.view_user", "See people, their addresses and their roles."),
            ("core.add_user", "Add people who only ask. Only superusers make administrators."),
            ("core.change_user", "Change the names of people; their addresses and roles, who also decides who reads."),
        ),
    ),
    (
        "Library",
        _list_rights(
            ("core.view_document", "See the titles, dates and sources of documents. Not their texts."),
            ("core.change_document", "Correct titles, dates and citations of documents."),
            ("core.delete_document", "Delete documents for good, with the answers that cite them."),
            ("core.view_chunk", "See the texts of documents in the admin, of those alone that one may read oneself."),
            ("core.view_collection", "See collections."),
            ("core.add_collection", "Make collections. Nobody reads what is in them until a role is given."),
            ("core.change_collection", "Rename collections and set their default roles, who also decides who reads."),
            ("core.view_ingestionjob", "See what was handed in and what came of it."),
            ("core.add_ingestionjob", "Hand in documents, and try again what failed."),
            ("core.view_datasource", "See where documents come from by themselves. No credentials."),
            ("core.add_datasource", "Add sources, who also decides who reads."),
            ("core.change_datasource", "Change sources and have them asked, who also decides who reads."),
            ("core.view_syncrun", "See what runs of sources did, by the names of documents."),
            ("core.view_syncitem", "See what stands at sources, by name."),
            ("core.add_intranethost", "Name hosts inside that sources may ask, who also decides who reads."),
        ),
    ),
    (
        "Answers and their quality",
        _list_rights(
            ("core.view_reports", "See figures over all people's questions: how many, how well, how fast. No texts."),
            ("core.view_person_reports", "See those figures by person as well."),
            ("core.view_querylog", "See each question's figures: scores, times, cost."),
            ("core.view_query", "See what was asked, as far as one may read what it led to. Each look is on record."),
            ("core.view_answer", "See answers whose sources one may read. Each look at another's is on record."),
            (
                "core.issue_receipts",
                "Take signed receipts of answers to others' questions, who also sees these. Each is on record.",
            ),
            ("core.view_feedback", "See votes and their reasons."),
            ("core.view_evaluationresult", "See how answers were scored."),
            ("core.view_evaluationrun", "See runs over sets of questions."),
            ("core.view_benchmarkresult", "See how fast and how exact searches are."),
            (
                "core.view_modelexamination",
                "See how models did in examinations. Words only where one may read everything that they come from.",
            ),
            ("core.examine_models", "Have the language model that is set examined, and stop that. It may cost money."),
            ("core.admit_models", "Let a language model answer everybody after its examination, or refuse it."),
            ("core.view_modelsetup", "See which answer models of this machine were fetched. No paths of files."),
            (
                "core.set_up_models",
                "Fetch an answer model, or take it from a file of the server. It answers nobody by that.",
            ),
            ("core.view_alert", "See alerts."),
            ("core.change_alert", "Acknowledge alerts."),
            ("core.view_gaps", "See which questions the library does not answer, in the words of those who asked."),
            ("core.manage_gaps", "Decide what is done about such questions."),
            (
                "core.propose_changes",
                "Propose changes for gaps and contradictions where documents live, of those that one may read.",
            ),
            (
                "core.view_contradictions",
                "See which documents contradict each other, of those of which one may read both sides.",
            ),
            ("core.manage_contradictions", "Decide which of two such documents holds, and ask their owners."),
            (
                "core.view_oversharing",
                "See which documents more people may read than expected, who also sees roles, documents, collections.",
            ),
            (
                "core.view_changecheck",
                "See what changes do to answers before they are live. Questions and people by their own rights.",
            ),
            (
                "core.decide_changes",
                "Check changes before they are live and decide about them; the right to the change is needed besides.",
            ),
            ("core.change_changelimit", "Set from where on a change waits for a yes, for each kind of change."),
            ("core.change_answerthresholds", "Put other thresholds of answers live, in place of the settings'."),
            ("core.view_verifiedanswer", "See answers that colleagues verified, of which one may read every source."),
            (
                "core.manage_verified_answers",
                "Write, take over, change and retire verified answers, which are given before anything is searched.",
            ),
        ),
    ),
    (
        "Slack and operations",
        _list_rights(
            ("core.view_channelsetting", "See how channels are set."),
            ("core.change_channelsetting", "Set where Footnote answers; a channel's own roles, who also decides."),
            ("core.view_slackworkspace", "See workspaces."),
            ("core.change_slackworkspace", "Set what everyone in a workspace may be shown, who also decides."),
            ("core.view_usergrouprole", "See which usergroups give which roles."),
            ("core.add_usergrouprole", "Let a usergroup give a role, who also decides who reads."),
            ("core.view_budget", "See budgets for language models, and what was used of each, also by person."),
            ("core.add_budget", "Set budgets for language models."),
            ("core.change_budget", "Change budgets for language models."),
            ("core.delete_budget", "Take budgets for language models away."),
            ("core.view_auditevent", "See and export who did what. It holds ids and numbers, no texts."),
            ("core.add_authtoken", "Make REST tokens for oneself."),
        ),
    ),
)
READY_MADE: tuple[ReadyMade, ...] = (
    ReadyMade(
        name="Uploaders",
        words="Hand in documents to collections that exist, and see what came of it.",
        permissions=("core.view_collection", "core.view_document", "core.view_ingestionjob", "core.add_ingestionjob"),
    ),
    ReadyMade(
        name="Librarians",
        words="Look after documents and collections, gaps and contradictions. They decide nobody's access.",
        permissions=(
            "core.view_collection",
            "core.add_collection",
            "core.view_document",
            "core.change_document",
            "core.delete_document",
            "core.view_chunk",
            "core.view_ingestionjob",
            "core.add_ingestionjob",
            "core.view_gaps",
            "core.manage_gaps",
            "core.propose_changes",
            "core.view_contradictions",
            "core.manage_contradictions",
            "core.view_verifiedanswer",
            "core.manage_verified_answers",
            "core.view_changecheck",
            "core.decide_changes",
        ),
    ),
    ReadyMade(
        name="Granters",
        words="Decide who reads what: people, roles, grants, channels, workspaces and usergroups.",
        permissions=(
            DECIDE_WHO_READS,
            "core.view_user",
            "core.add_user",
            "core.change_user",
            "core.view_role",
            "core.add_role",
            "core.change_role",
            "core.view_document",
            "core.view_collection",
            "core.change_collection",
            "core.view_channelsetting",
            "core.change_channelsetting",
            "core.view_slackworkspace",
            "core.change_slackworkspace",
            "core.view_usergrouprole",
            "core.add_usergrouprole",
            "core.view_oversharing",
            "core.view_changecheck",
            "core.decide_changes",
        ),
    ),
    ReadyMade(
        name="Analysts",
        words="Read figures, scores, alerts and gaps over all questions.",
        permissions=(
            "core.view_reports",
            "core.view_querylog",
            "core.view_feedback",
            "core.view_evaluationresult",
            "core.view_evaluationrun",
            "core.view_benchmarkresult",
            "core.view_alert",
            "core.view_gaps",
            "core.view_changecheck",
        ),
    ),
    ReadyMade(
        name="Auditors",
        words="See who may read what and who did what, and change nothing.",
        permissions=(
            "core.view_auditevent",
            "core.view_user",
            "core.view_role",
            "core.view_document",
            "core.view_collection",
            "core.view_channelsetting",
            "core.view_slackworkspace",
            "core.view_usergrouprole",
            "core.view_oversharing",
        ),
    ),
)


def make_ready_made_groups() -> list[str]:
    """Make the ready-made groups that do not exist; those of the same name stay as they are. Returns the new names."""
    there = set(Group.objects.values_list("name", flat=True))
    new = [group for group in READY_MADE if group.name not in there]
    for group in new:
        Group.objects.create(name=group.name).permissions.set(_find_permissions(group.permissions))
    return [group.name for group in new]


def make_at_first(**_signal: object) -> None:
    """Make the ready-made groups after the first migration of an installation; later they are an administrator's."""
    if not Group.objects.exists():
        make_ready_made_groups()


def _find_permissions(permissions: tuple[str, ...]) -> list[Permission]:
    named = Permission.objects.annotate(name_in_full=Concat(F("content_type__app_label"), Value("."), F("codename")))
    return list(named.filter(name_in_full__in=permissions))
