"""The reasons for which somebody may read a document, held against the rule of access."""

import random

import pytest
from django.utils import timezone
from pytest_django.fixtures import Settings

from core.access import reasons
from core.access.audiences import audience_of
from core.models import ChannelSetting, Document, SlackWorkspace, User, UsergroupRole, UserRole
from core.testing import Cast, make_document
from tests.integration.core.test_access_changes import make_world

pytestmark = pytest.mark.usefixtures("fast")


@pytest.mark.parametrize("seed", range(4))
def test_readers_and_what_they_read_are_what_the_rule_says(seed: int) -> None:
    """Each reader has a way, each document of a person has a role; who may not read it has none."""
    roles, documents = make_world(seed)
    people = list(User.objects.all())
    group = UsergroupRole.objects.create(team_id="T1", usergroup_id="S1", role=random.Random(seed).choice(roles))
    UserRole.objects.create(user=people[0], role=group.role, usergroup=group)
    for document in documents:
        readers = set(reasons.list_readers(document))
        assert readers == {
            person for person in people if document in Document.objects.visible_to(audience_of([person.pk]))
        }
        assert set(reasons.find_ways(readers, document)) == {person.pk for person in readers}
        counted = sum(stream.count for stream in reasons.count_readers(document))
        assert counted == sum(len(ways) for ways in reasons.find_ways(readers, document).values())
        for person in people:
            said = reasons.explain(person, document)
            assert (said.may_read, bool(said.deciding)) == (person in readers, person in readers)
    for person in people:
        readable = set(reasons.list_readable(person))
        assert readable == {document for document in documents if person in reasons.list_readers(document)}
        found = reasons.find_roles_to(person, documents)
        assert set(found) == {document.pk for document in readable}
        assert sum(stream.count for stream in reasons.count_readable(person)) == sum(map(len, found.values()))


def test_places_where_a_document_is_shown_are_named(cast: Cast, settings: Settings) -> None:
    """A channel with roles of its own, a workspace that was decided about, and guests; no others."""
    document = make_document("Guide", "Text.", roles=[cast.staff])
    ChannelSetting.objects.create(team_id="T1", channel_id="C1", name="general", uses_own_roles=True).roles.add(
        cast.staff, cast.owners
    )
    ChannelSetting.objects.create(team_id="T1", channel_id="C2", name="asleep").roles.add(cast.staff)
    SlackWorkspace.objects.create(team_id="T1", decided_at=timezone.now()).roles.add(cast.staff)
    SlackWorkspace.objects.create(team_id="T2", name="undecided").roles.add(cast.staff)
    settings.GUEST_ROLE = "staff"
    assert [(place.kind, place.name, place.roles) for place in reasons.find_places(document)] == [
        ("channel", "general", ("staff",)),
        ("guests", "people whom Footnote does not know", ("staff",)),
        ("workspace", "T1", ("staff",)),
    ]
    settings.GUEST_ROLE = "owners"
    assert "guests" not in {place.kind for place in reasons.find_places(document)}
