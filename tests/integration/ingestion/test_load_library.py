"""The command `load_library`: roles, collections, people and documents as a file describes them."""

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from core.access.audiences import audience_of
from core.models import Collection, Document, Role, User, UserRole

LIBRARY = """
[[roles]]
name = "safety"
description = "Reads the rules."

[[roles]]
name = "boss"

[[collections]]
name = "Rules"
document_type = "manual"
paths = ["rules/*.md", "more"]
roles = ["safety", "boss"]

[[collections]]
name = "Plans"
paths = ["plans.md"]
roles = ["boss"]

[[people]]
email = "sam@example.com"
display_name = "Sam"
roles = ["safety"]

[[people]]
email = "sue@example.com"
roles = ["safety", "boss"]

[[people]]
email = "ines@example.com"
roles = []
"""


@pytest.fixture
def described(db: None, fast: None, tmp_path: Path) -> Path:
    """A description beside a folder with its files."""
    for name, text in {
        "rules/helmet.md": "# Helmets\n\nA helmet is worn in the yard.",
        "more/gloves.md": "# Gloves\n\nGloves are worn at the saw.",
        "plans.md": "# Plans\n\nA second crane will be bought in May.",
        "left.md": "# Left out\n\nNo collection names this file.",
    }.items():
        path = tmp_path / "files" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    file = tmp_path / "library.toml"
    file.write_text(LIBRARY, encoding="utf-8")
    return file


def load(file: Path) -> str:
    """Run the command; what it prints."""
    out = StringIO()
    call_command("load_library", str(file), "--root", str(file.parent / "files"), stdout=out)
    return out.getvalue()


def readable(email: str) -> set[str]:
    """The titles that a person may read."""
    person = User.objects.get(email=email)
    return set(Document.objects.visible_to(audience_of([person.pk])).values_list("title", flat=True))


def test_everybody_reads_what_their_roles_are_given(described: Path) -> None:
    """Patterns and folders are ingested, a file that nothing names is not."""
    printed = load(described)
    assert readable("sam@example.com") == {"Helmets", "Gloves"}
    assert readable("sue@example.com") == {"Helmets", "Gloves", "Plans"}
    assert readable("ines@example.com") == set()
    assert set(Document.objects.values_list("title", "document_type", "collection__name")) == {
        ("Helmets", "manual", "Rules"),
        ("Gloves", "manual", "Rules"),
        ("Plans", "page", "Plans"),
    }
    assert [line.split(maxsplit=1) for line in printed.splitlines()] == [
        ["sam@example.com", "safety"],
        ["sue@example.com", "safety, boss"],
        ["ines@example.com", "no role"],
    ]


def test_progress_names_each_collection(described: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Before its documents are read, which may take minutes, and with one file as one file."""
    load(described)
    lines = [line.partition(" (")[0] for line in capsys.readouterr().err.splitlines() if not line.startswith("{")]
    assert lines == ["Rules:", "2 files, 2 documents", "Plans:", "1 file, 1 document"]


def test_new_people_cannot_sign_in_and_nobody_administers(described: Path) -> None:
    """They are there to be asked for on the command line; somebody who was there keeps their password."""
    User.objects.create_user("sue@example.com", "long-and-her-own", display_name="Susan")
    load(described)
    people = {user.email: user for user in User.objects.all()}
    assert {email for email, user in people.items() if user.has_usable_password()} == {"sue@example.com"}
    assert people["sue@example.com"].check_password("long-and-her-own")
    assert people["sue@example.com"].display_name == "Susan"
    assert not any(user.is_staff or user.is_superuser for user in people.values())


def test_loading_again_changes_nothing_but_what_has_changed(described: Path) -> None:
    """No document, role or person comes twice; a changed file is read anew."""
    load(described)
    before = dict(Document.objects.values_list("title", "ingested_at"))
    (described.parent / "files/plans.md").write_text("# Plans\n\nNo crane will be bought.", encoding="utf-8")
    load(described)
    after = dict(Document.objects.values_list("title", "ingested_at"))
    assert {title for title in after if before.get(title) != after[title]} == {"Plans"}
    assert (Role.objects.count(), Collection.objects.count(), User.objects.count()) == (2, 2, 3)
    assert UserRole.objects.count() == 3


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "cannot be read"),
        ("[[roles]\n", "is not TOML"),
        ('[[people]]\nemail = "a@example.com"\n', "entry 1 of people lacks roles."),
        ('[[people]]\nemail = "a@example.com"\nroles = ["ghost"]\n', "uses the roles ghost without describing them."),
        (
            '[[roles]]\nname = "a"\n[[collections]]\nname = "C"\npaths = ["x/*.md"]\nroles = ["a"]\n',
            "does not contain x/*.md",
        ),
        (
            '[[roles]]\nname = "a"\n[[collections]]\nname = "C"\ndocument_type = "manuel"\npaths = []\nroles = ["a"]\n',
            "uses the document type manuel. The types are paper, book,",
        ),
    ],
)
def test_a_description_that_cannot_be_used_makes_nothing(
    db: None, tmp_path: Path, text: str | None, message: str
) -> None:
    """Exit code 2, and no role, collection or person."""
    file = tmp_path / "library.toml"
    if text is not None:
        file.write_text(text, encoding="utf-8")
    (tmp_path / "files").mkdir()
    with pytest.raises(CommandError) as caught:
        load(file)
    assert caught.value.returncode == 2
    assert message in str(caught.value)
    assert [model.objects.count() for model in (Role, Collection, User)] == [0, 0, 0]
