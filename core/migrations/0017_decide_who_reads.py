"""One permission behind every right that amounts to granting; who could grant in the admin keeps that."""

from typing import Any

from django.db import migrations
from django.db.models import Q

GRANTED_BEFORE = {"add_roledocumentaccess", "delete_roledocumentaccess"}  # both were needed
NAME = "Can decide who reads documents"


def give_to_those_who_could_grant(apps: Any, schema_editor: Any) -> None:
    """Give the permission to each group, and each person, with both of the permissions that granting took."""
    permissions = apps.get_model("auth", "Permission").objects.filter(content_type__app_label="core")
    before = permissions.filter(codename__in=GRANTED_BEFORE)
    groups = [group for group in apps.get_model("auth", "Group").objects.all() if _holds_all(before, group=group)]
    some = Q(user_permissions__in=before) | Q(groups__permissions__in=before)
    people = [
        person
        for person in apps.get_model("core", "User").objects.filter(some, is_superuser=False).distinct()
        if _holds_all(before, user=person) and not any(group in groups for group in person.groups.all())
    ]
    if not groups and not people:
        return  # as in every new library, where Django makes the permission itself
    kind, _ = apps.get_model("contenttypes", "ContentType").objects.get_or_create(
        app_label="core", model="roledocumentaccess"
    )
    permission, _ = apps.get_model("auth", "Permission").objects.get_or_create(
        content_type=kind, codename="decide_who_reads", defaults={"name": NAME}
    )
    for group in groups:
        group.permissions.add(permission)
    for person in people:
        person.user_permissions.add(permission)


def _holds_all(permissions: Any, *, group: Any = None, user: Any = None) -> bool:
    holder = Q(group=group) if group else Q(user=user) | Q(group__user=user)
    held = set(permissions.filter(holder).values_list("codename", flat=True))
    return held == GRANTED_BEFORE


class Migration(migrations.Migration):

    dependencies = [
        ("core", "0016_tokens_and_audit_chain"),
        ("auth", "0012_alter_user_first_name_max_length"),
        ("contenttypes", "0002_remove_content_type_name"),
    ]

    operations = [
        migrations.AlterModelOptions(
            name="roledocumentaccess",
            options={
                "permissions": [("decide_who_reads", NAME)],
                "verbose_name_plural": "role document access",
            },
        ),
        migrations.RunPython(give_to_those_who_could_grant, migrations.RunPython.noop),
    ]
