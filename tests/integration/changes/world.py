"""A company whose handbook is in a Git repository, and people who ask what it does not say."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from django.contrib.auth.models import Permission
from dulwich.repo import Repo

from core.access.audiences import asker_for, audience_of
from core.api import ask, open_conversation
from core.library.sync import credentials
from core.library.sync.runs import start
from core.models import Collection, ContentGap, DataSource, Document, LateAnswer, ProposedChange, SyncRun, User
from core.quality.gaps.assigning import assign_new_questions
from core.quality.proposals.drafting import find_goal, open_form
from core.quality.proposals.following import follow_all
from core.quality.proposals.late_answers import answer_by_mail
from core.quality.proposals.proposing import propose_change
from core.quality.proposals.rights import find_reason
from core.quality.proposals.sending import send
from core.testing import Cast
from core.types import Answer, Audience, Origin, Refusal
from core.values.proposals import Occasion, WrittenChange
from tests.integration.sync.servers.git import Branch
from tests.integration.sync.working import work_to_the_end

CANTEEN = """# Canteen

## Menu

The canteen cooks two dishes a day, one of them without meat.

## Payment

Lunch is paid with the badge at the till.
"""
ADDED = "On Saturdays the canteen opens at eleven and closes at half past one."
QUESTION = "When does the canteen open on Saturdays?"


@dataclass(frozen=True, kw_only=True)
class Handbook:
    """Holds the repository with its source, and the people."""

    cast: Cast
    source: DataSource
    branch: Branch
    repository: Repo

    def synchronise(self) -> SyncRun:
        """Ask the source now."""
        run = SyncRun.objects.filter(source=self.source, state__in=SyncRun.ACTIVE).first() or start(self.source)
        work_to_the_end(run)
        run.refresh_from_db()
        assert (run.state, run.error) == ("done", "")
        self.source.refresh_from_db()
        return run

    def find(self, key: str = "canteen.md") -> Document:
        """Find the document of a file."""
        return Document.objects.get(sync_item__key=key, part_of=None)

    def merge(self, proposal: ProposedChange) -> None:
        """Let the branch of the source have what a proposal's branch has."""
        name = f"refs/heads/{proposal.branch}".encode()
        self.repository.refs[b"refs/heads/main"] = self.repository.refs[name]

    def read_branch(self, proposal: ProposedChange, path: str = "canteen.md") -> str:
        """Read a file of a proposal's branch."""
        commit = self.repository[self.repository.refs[f"refs/heads/{proposal.branch}".encode()]]
        tree = self.repository[commit.tree]
        for part in path.encode().split(b"/")[:-1]:
            tree = self.repository[tree[part][1]]
        return self.repository[tree[path.encode().split(b"/")[-1]][1]].data.decode()


@contextmanager
def open_handbook(cast: Cast, folder: Path, *, changes: str = "branch") -> Iterator[Handbook]:
    """Make the repository with one file that the staff reads, and read it; SOURCE_FOLDERS has to allow the folder."""
    with Repo.init_bare(str(folder / "handbook.git"), mkdir=True) as repository:
        branch = Branch(repository)
        branch.put("canteen.md", CANTEEN.encode())
        source = DataSource(
            name="Handbook",
            kind="git",
            settings={"address": f"file://{folder / 'handbook.git'}", "changes": changes},
            collection=Collection.objects.create(name="Handbook"),
            requests_per_minute=0,
        )
        credentials.keep(source, {})
        source.save()
        source.roles.add(cast.staff)
        handbook = Handbook(cast=cast, source=source, branch=branch, repository=repository)
        handbook.synchronise()
        yield handbook


def allow(person: User, *rights: str) -> User:
    """Give somebody permissions, and return them as they are then."""
    person.user_permissions.add(*Permission.objects.filter(codename__in=rights))
    return User.objects.get(pk=person.pk)


def make_writer(cast: Cast) -> User:
    """Let Alice look after gaps and propose changes."""
    return allow(cast.alice, "manage_gaps", "propose_changes")


def own(person: User) -> Audience:
    """Return the audience that a person is."""
    return audience_of([person.pk])


def ask_as(person: User, question: str = QUESTION, *, origin: Origin = Origin.REST) -> Answer | Refusal:
    """Ask as a person would."""
    asker = asker_for(person)
    conversation = open_conversation(origin=origin, asker=asker)
    return ask(question, asker=asker, audience=own(person), conversation=conversation)


def find_gap(*askers: User, question: str = QUESTION) -> ContentGap:
    """Let people ask in vain, and return the gap of it."""
    for person in askers:
        assert isinstance(ask_as(person, question), Refusal)
    assign_new_questions()
    return ContentGap.objects.latest("first_seen")


def write(
    handbook: Handbook, gap: ContentGap, writer: User, added: str = ADDED, *, below: str = "## Menu"
) -> ProposedChange:
    """Propose a text below a heading of the canteen's file."""
    audience = own(writer)
    reason = find_reason(Occasion(gap=gap.pk), writer, audience)
    goal = find_goal(handbook.find().pk, None, writer, audience)
    form = open_form(reason, goal, audience)
    written = WrittenChange(
        title=form.title,
        question=form.question,
        text=form.text.replace(f"{below}\n", f"{below}\n\n{added}\n"),
        document_id=form.target.document_id,
        version=form.version,
    )
    return ProposedChange.objects.get(pk=propose_change(reason, goal, written, writer, audience))


def send_now(proposal: ProposedChange) -> ProposedChange:
    """Do what the worker would."""
    send(proposal.pk, is_last_try=True)
    proposal.refresh_from_db()
    return proposal


def tell_all() -> None:
    """Follow all proposals, and ask again for everybody without an account in Slack."""
    follow_all()
    for late in LateAnswer.objects.filter(state=LateAnswer.State.QUEUED):
        answer_by_mail(late.pk, is_last_try=True)
