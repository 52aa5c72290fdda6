"""The people, roles, channels and documents of a soak, made by chance from a seed."""

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.integration.bot.slack_server import BOT_USER

COLLECTION, SHELF, SOURCE = "Library", "Uploads", "Folder"
READERS_FILE = ".footnote-readers.txt"
ROLES = ("crew", "office", "board", "workshop")
PEOPLE = 12
LIBRARIANS = 3  # of them, who may add to the library and choose who reads what they add
DOCUMENTS = 24
FILES = 8
_SYLLABLES = ("ka", "lo", "mi", "ru", "ta", "ven", "dor", "sil", "pe", "gan", "bru", "nox", "fe", "hal", "zim", "ro")
_PLACES = ("harbour", "station", "archive", "workshop", "lighthouse", "depot", "observatory", "warehouse")


@dataclass(frozen=True, slots=True)
class Text:
    """A document: what it is about, its title, and the words that no other one has."""

    topic: str
    title: str
    word: str  # the canary in its text
    mark: str  # the canary in its title

    @property
    def question(self) -> str:
        """A question that this text alone answers."""
        return f"What is the entrance code of the {self.topic}?"

    @property
    def sentence(self) -> str:
        """The sentence that answers the question."""
        return f"The entrance code of the {self.topic} is {self.word}."

    def as_markdown(self, edition: int) -> str:
        """The file: with another text about the same things in each edition."""
        return (
            f"# {self.title}\n\n{self.sentence}\n\nThese rules of the {self.topic} were last looked through in "
            f"their edition {edition}, and apply to everybody who works there.\n"
        )


@dataclass(slots=True)
class World:
    """The people, channels and texts. Everything that is drawn is drawn by the seed."""

    chance: random.Random
    people: list[str] = field(default_factory=list)  # Slack users
    channels: dict[str, list[str]] = field(default_factory=dict)  # members, without the bot
    roles_of: dict[str, list[str]] = field(default_factory=dict)  # at the beginning
    texts: list[Text] = field(default_factory=list)  # everything that may be asked about
    _taken: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, seed: int) -> "World":
        """People in channels, each with some of the roles."""
        world = cls(random.Random(seed))
        world.people = [f"U{number:04d}" for number in range(PEOPLE)]
        world.roles_of = {
            person: sorted(world.chance.sample(ROLES, world.chance.randint(1, 3))) for person in world.people
        }
        world.channels = {
            f"C{number:04d}": sorted(world.chance.sample(world.people, size))
            for number, size in enumerate((2, 3, 4, 12))
        }
        return world

    @property
    def librarians(self) -> list[str]:
        """The people who may add to the library."""
        return self.people[:LIBRARIANS]

    def new_text(self) -> Text:
        """A document that there was not yet."""
        topic = f"{self._name().capitalize()} {self.chance.choice(_PLACES)}"
        mark = self._name(4)
        text = Text(
            topic=topic,
            title=f"Rules of the {topic} {mark}",
            word=f"{self._name(3)}-{self.chance.randint(1000, 9999)}",
            mark=mark,
        )
        self.texts.append(text)
        return text

    def canaries(self) -> dict[str, str]:
        """The words that betray a document, each with the document's title."""
        return {word: text.title for text in list(self.texts) for word in (text.word, text.mark)}

    def some_roles(self) -> list[str]:
        """One or two roles, by chance."""
        return sorted(self.chance.sample(ROLES, self.chance.randint(1, 2)))

    def _name(self, syllables: int = 3) -> str:
        while True:
            name = "".join(self.chance.choice(_SYLLABLES) for _ in range(syllables))
            if name not in self._taken:
                self._taken.add(name)
                return name


class Folder:
    """The folder that a data source looks after: its files, and the rules that say who reads which."""

    def __init__(self, path: Path, world: World) -> None:
        self._path, self._world = path, world
        self._files: dict[str, Text] = {}
        self._editions: dict[str, int] = {}
        path.mkdir()
        for _ in range(FILES):
            self.add()
        self.change_readers()

    @property
    def names(self) -> list[str]:
        """The files that are there."""
        return sorted(self._files)

    def add(self) -> str:
        """One more file."""
        text = self._world.new_text()
        name = f"{text.mark}.md"
        self._files[name], self._editions[name] = text, 0
        self.rewrite(name)
        return name

    def rewrite(self, name: str) -> None:
        """A new edition of a file."""
        self._editions[name] += 1
        self._put(name, self._files[name].as_markdown(self._editions[name]))

    def remove(self, name: str) -> None:
        """It is gone."""
        (self._path / name).unlink()
        del self._files[name]

    def change_readers(self) -> None:
        """Other groups read the files."""
        self._put(READERS_FILE, "".join(f"{name}: {', '.join(self._world.some_roles())}\n" for name in self.names))

    def _put(self, name: str, text: str) -> None:
        unfinished = self._path.with_name("unfinished")
        unfinished.write_text(text)
        unfinished.replace(self._path / name)


def email_of(person: str) -> str:
    """The address by which a person is known."""
    return f"{person.casefold()}@example.com"


def members_with_bot(world: World) -> Iterator[tuple[str, list[str]]]:
    """The channels as Slack has them."""
    for channel, members in world.channels.items():
        yield channel, [*members, BOT_USER]


def seed_library(world: World, folder: Path) -> tuple[dict[str, str], str]:
    """People, roles, documents and the data source. The database's ids of people by Slack user, and a REST token."""
    from django.contrib.auth.models import Permission

    from adminsite.tokens import issue
    from core.models import AuthToken, Collection, DataSource, Role, SourceGroup, User, UserRole
    from core.testing import make_document

    roles = {name: Role.objects.create(name=name) for name in ROLES}
    users = {person: User.objects.create_user(email_of(person), display_name=person) for person in world.people}
    for person, names in world.roles_of.items():
        UserRole.objects.bulk_create(UserRole(user=users[person], role=roles[name]) for name in names)
    rights = Permission.objects.filter(codename__in=["add_ingestionjob", "decide_who_reads"])
    for person in world.librarians:
        users[person].user_permissions.set(rights)
    for _ in range(DOCUMENTS):
        text = world.new_text()
        make_document(
            text.title, text.sentence, roles=[roles[name] for name in world.some_roles()], collection=COLLECTION
        )
    Collection.objects.create(name=SHELF)
    source = DataSource.objects.create(
        name=SOURCE,
        kind="folder",
        settings={"path": str(folder)},
        collection=Collection.objects.create(name=SOURCE),
        takes_readers=True,
        most_withdrawn_percent=100,
        requests_per_minute=0,
    )
    SourceGroup.objects.bulk_create(SourceGroup(source=source, name=name, role=role) for name, role in roles.items())
    operator = User.objects.create_superuser("operator@example.com", password=None)
    scopes = [AuthToken.Scope.ASK, AuthToken.Scope.INGEST, AuthToken.Scope.GRANT]
    token = issue(operator, name="soak", scopes=scopes, networks=[], days=2, by=None)
    return {person: str(user.pk) for person, user in users.items()}, token
