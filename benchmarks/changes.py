"""Measure the way from a gap to its answer: `python -m benchmarks.changes`.

Loads the sample library into a database of its own, with the files of evaluation/gaps.jsonl in a Git repository. All
questions of the gaps are asked by their people, and those beside them. Each gap's text is proposed by a librarian for
the gap that Footnote made of most of its questions, sent as a branch, merged, and read. Prints the table of
docs/evaluation.md, by half: questions; those that got no answer at first; of these the ones that got the right answer
by themselves afterwards, another one, or none; of the questions beside those that got an answer, which they should not;
and seconds from the merge to the last answer. --show prints what each person was told.
"""

import argparse
import io
import json
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.scratch import scratch_database, set_up

if TYPE_CHECKING:
    from core.models import DataSource, Query, User

ROOT = Path(__file__).parents[1]
LIBRARY = ROOT / "samples" / "library.toml"
LINES = ROOT / "evaluation" / "gaps.jsonl"
HALVES = ("build", "check")
# Who reads which files, by the sample library's roles; the last line that fits decides.
READERS = """*: staff
handbook/supervisors.md: supervisor
textbook/04-instructor-notes.md: instructor
research/replication-notes.md: researcher
"""
LIBRARIAN = "librarian@example.com"
MANUAL = "safety/manual_text.md"  # the text of manual.pdf, which it takes the place of


@dataclass(slots=True)
class Measured:
    """Holds what became of the questions of one half."""

    asked: int = 0
    in_vain: int = 0
    right: int = 0
    wrong: int = 0
    untold: int = 0
    beside: int = 0
    beside_told: int = 0
    gaps: int = 0
    seconds: list[float] = field(default_factory=list)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.changes",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--half", choices=HALVES, help="Measure this one alone.")
    parser.add_argument("--show", action="store_true", help="Print what each person was told.")
    arguments = parser.parse_args()
    set_up()
    gaps = [json.loads(line) for line in LINES.read_text(encoding="utf-8").splitlines()]
    gaps = [gap for gap in gaps if arguments.half in {None, gap["half"]}]
    with scratch_database(), _open_company(gaps) as company:
        queries = {gap["id"]: _ask_all(gap) for gap in gaps}
        from core.quality.gaps.assigning import assign_new_questions

        assign_new_questions()
        measured = {half: Measured() for half in HALVES}
        for gap in gaps:
            company.close_gap(gap, queries[gap["id"]], measured[gap["half"]], show=arguments.show)
    print("| half | gaps | questions | in vain | right | other | none | beside | answered | seconds |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for half, found in measured.items():
        if found.asked:
            print(_describe(half, found))


def _describe(half: str, found: Measured) -> str:
    seconds = sorted(found.seconds)[len(found.seconds) // 2] if found.seconds else 0.0
    cells = (
        half,
        found.gaps,
        found.asked,
        found.in_vain,
        found.right,
        found.wrong,
        found.untold,
        found.beside,
        found.beside_told,
        f"{seconds:.1f}",
    )
    return f"| {' | '.join(map(str, cells))} |"


@dataclass(frozen=True, slots=True)
class Asked:
    """Holds a question as it was asked."""

    query: "Query"
    line: dict[str, Any]
    is_beside: bool


def _ask_all(gap: dict[str, Any]) -> list[Asked]:
    from core.access.audiences import asker_for, audience_of
    from core.api import ask, open_conversation
    from core.models import Query, User
    from core.types import Origin

    asked = []
    askers = [line["by"] for line in gap["questions"]]
    lines = [(line, False) for line in gap["questions"]]
    lines += [({**line, "by": f"beside-{askers[-1]}"}, True) for line in gap["beside"]]
    for line, is_beside in lines:
        person = User.objects.get(email=line["by"])
        asker = asker_for(person)
        result = ask(
            line["question"],
            asker=asker,
            audience=audience_of([person.pk]),
            conversation=open_conversation(origin=Origin.REST, asker=asker),
        )
        asked.append(Asked(Query.objects.get(request_id=result.request_id), line, is_beside))
    return asked


@contextmanager
def _open_company(gaps: list[dict[str, Any]]) -> "Iterator[Company]":
    """Load the sample library, with the documents of the gaps in a repository that the librarian may change."""
    emails = {line["by"] for gap in gaps for line in gap["questions"]}
    emails |= {f"beside-{gap['questions'][-1]['by']}" for gap in gaps}
    files = {gap["document"] for gap in gaps if gap["document"]}
    with open_company(files, dict.fromkeys(emails, "alice@example.com"), without=("manual.pdf",)) as company:
        yield company


@contextmanager
def open_company(
    files: set[str], people: dict[str, str], *, without: tuple[str, ...] = (), keeps_readers: bool = False
) -> "Iterator[Company]":
    """Load the sample library, with some of its files in a repository, and further people.

    people: by address, with that of a person of the library whose roles they hold. without: names of files that are
    left out. keeps_readers: grants the files also to the roles that read them in the library.
    """
    from django.conf import settings
    from dulwich.repo import Repo

    from core.access.grants import grant
    from core.management.library import ingest_collections, make_people, read_library
    from core.models import Collection, DataSource, Document, Role, SourceGroup

    library = read_library(LIBRARY, root=ROOT)
    make_people(library, password=None)
    ingest_collections(library, io.StringIO())
    _make_people(people)
    readers: dict[str, list[Role]] = {}
    for document in Document.objects.all():
        path = document.source.rpartition("samples/")[2]
        if path in files or document.original_name in without:
            readers[MANUAL if document.original_name in without else path] = list(
                Role.objects.filter(document_access__document=document)
            )
            document.delete()
    with (
        tempfile.TemporaryDirectory(prefix="footnote-changes-") as folder,
        Repo.init_bare(f"{folder}/handbook.git", mkdir=True) as repository,
    ):
        settings.SOURCE_FOLDERS = [folder]
        source = DataSource.objects.create(
            name="Repository",
            kind="git",
            settings={"address": f"file://{folder}/handbook.git", "changes": "branch", "readers": READERS},
            collection=Collection.objects.create(name="Repository"),
            takes_readers=True,
            requests_per_minute=0,
        )
        for name in ("staff", "supervisor", "instructor", "researcher"):
            SourceGroup.objects.create(source=source, name=name, role=Role.objects.get(name=name))
        company = Company(source=source, repository=repository)
        company.commit({file: (ROOT / "samples" / file).read_bytes() for file in sorted(files)})
        company.synchronise()
        for item in source.items.all() if keeps_readers else ():
            for role in readers.get(item.key, ()):
                grant(role, source.documents.filter(sync_item=item), by=None)
        yield company


def _make_people(people: dict[str, str]) -> None:
    from core.models import Role, User, UserRole

    known = set(User.objects.values_list("email", flat=True))
    for email, like in sorted(people.items()):
        if email not in known:
            person = User.objects.create(email=email, display_name=email.partition("@")[0].title())
            roles = User.objects.get(email=like).roles.all()
            UserRole.objects.bulk_create(UserRole(user=person, role=role) for role in roles)
    librarian = User.objects.create(email=LIBRARIAN, display_name="The librarian", is_staff=True, is_superuser=True)
    UserRole.objects.bulk_create(UserRole(user=librarian, role=role) for role in Role.objects.all())


@dataclass(frozen=True, slots=True)
class Company:
    """Holds the repository, and the source that reads it."""

    source: "DataSource"
    repository: Any

    def commit(self, files: dict[str, bytes]) -> None:
        """Commit these files, and no others."""
        from dulwich.index import commit_tree
        from dulwich.objects import Blob, Commit

        blobs = [(path.encode(), Blob.from_string(content)) for path, content in files.items()]
        for _, blob in blobs:
            self.repository.object_store.add_object(blob)
        commit = Commit()
        commit.tree = commit_tree(self.repository.object_store, [(path, blob.id, 0o100644) for path, blob in blobs])
        commit.author = commit.committer = b"Handbook <handbook@example.com>"
        commit.author_time = commit.commit_time = int(time.time())
        commit.author_timezone = commit.commit_timezone = 0
        commit.message = b"Change"
        self.repository.object_store.add_object(commit)
        self.repository.refs[b"refs/heads/main"] = commit.id
        self.repository.refs.set_symbolic_ref(b"HEAD", b"refs/heads/main")

    def synchronise(self) -> None:
        """Let the source be read now."""
        from core.library.sync.runs import start
        from core.library.sync.slices import work
        from core.models import SyncRun

        run = SyncRun.objects.filter(source=self.source, state__in=SyncRun.ACTIVE).first() or start(self.source)
        while SyncRun.objects.filter(pk=run.pk, state__in=SyncRun.ACTIVE).exists():
            work(run.pk)
        run.refresh_from_db()
        assert run.state == SyncRun.State.DONE, (run.state, run.error)

    def close_gap(self, line: dict[str, Any], asked: list[Asked], found: Measured, *, show: bool) -> None:
        """Propose a gap's text, merge it, have it read, and count who was told what."""
        from core.models import GapQuestion, LateAnswer, User

        own = [one for one in asked if not one.is_beside]
        found.gaps, found.asked = found.gaps + 1, found.asked + len(own)
        found.beside += len(asked) - len(own)
        gaps = dict(GapQuestion.objects.filter(query__in=[one.query for one in asked]).values_list("query", "gap"))
        found.in_vain += sum(one.query.pk in gaps for one in own)
        places = Counter(gaps[one.query.pk] for one in own if one.query.pk in gaps)
        if not places:
            return
        gap_id = places.most_common(1)[0][0]
        proposal = self._propose(line, gap_id, User.objects.get(email=LIBRARIAN))
        self.repository.refs[b"refs/heads/main"] = self.repository.refs[f"refs/heads/{proposal.branch}".encode()]
        started = time.perf_counter()
        self.synchronise()
        told = dict(_tell(proposal))
        found.seconds.append(time.perf_counter() - started)
        for one in asked:
            text = told.get(one.query.pk)
            if one.is_beside:
                found.beside_told += text is not None
            elif one.query.pk in gaps:
                is_right = text is not None and all(part.casefold() in text.casefold() for part in one.line["expect"])
                found.right += is_right
                found.wrong += text is not None and not is_right
                found.untold += text is None
            if show and one.query.pk in gaps:
                place = "beside" if one.is_beside else "own" if gaps[one.query.pk] == gap_id else "elsewhere"
                late = LateAnswer.objects.filter(proposal=proposal, query=one.query).first()
                print(f"{line['id']} {place}: {one.line['question']}\n    {text or (late and late.silence)}")

    def _propose(self, line: dict[str, Any], gap_id: Any, writer: "User") -> Any:
        from core.access.audiences import audience_of
        from core.models import ProposedChange
        from core.quality.proposals.drafting import find_goal, open_form
        from core.quality.proposals.proposing import propose_change
        from core.quality.proposals.rights import find_reason
        from core.quality.proposals.sending import send
        from core.values.proposals import Occasion, WrittenChange

        audience = audience_of([writer.pk])
        reason = find_reason(Occasion(gap=gap_id), writer, audience)
        document = self.source.documents.filter(sync_item__key=line["document"]).first()
        goal = find_goal(document.pk if document else None, self.source.pk, writer, audience)
        form = open_form(reason, goal, audience)
        text = (
            _insert(form.text, line["heading"], line["text"])
            if document
            else f"# {line['heading']}\n\n{line['text']}\n"
        )
        written = WrittenChange(
            title=form.title or "Add what is missing",
            question=form.question,
            text=text,
            document_id=document.pk if document else None,
            version=form.version,
            source_id=None if document else self.source.pk,
            place="" if document else line["new_path"],
        )
        made = propose_change(reason, goal, written, writer, audience)
        send(made, is_last_try=True)
        proposal = ProposedChange.objects.get(pk=made)
        assert proposal.state == "sent", proposal.error
        return proposal


def _insert(text: str, heading: str, added: str) -> str:
    """Put a text at the end of the section with this heading."""
    lines = text.splitlines()
    at = next(number for number, line in enumerate(lines) if line.startswith("#") and line.lstrip("# ") == heading)
    level = len(lines[at]) - len(lines[at].lstrip("#"))
    ends = [
        number
        for number, line in enumerate(lines)
        if number > at and line.startswith("#") and len(line) - len(line.lstrip("#")) <= level
    ]
    end = ends[0] if ends else len(lines)
    return "\n".join([*lines[:end], "", added, "", *lines[end:], ""])


def _tell(proposal: Any) -> "Iterable[tuple[Any, str]]":
    from core.models import LateAnswer
    from core.quality.proposals.following import follow_all
    from core.quality.proposals.late_answers import answer_by_mail

    follow_all()
    for late in LateAnswer.objects.filter(proposal=proposal, state=LateAnswer.State.QUEUED):
        answer_by_mail(late.pk, is_last_try=True)
    answered = LateAnswer.objects.filter(proposal=proposal, asked_again__isnull=False)
    return [
        (late.query_id, late.asked_again.answer.answer_text) for late in answered.select_related("asked_again__answer")
    ]


if __name__ == "__main__":
    main()
