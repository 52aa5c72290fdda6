"""A document is known by its collection and its source, two columns in the place of one.

Before, one key held the collection's name, a stroke and the path, or an address, or an arXiv id that a file may have
claimed. Words of documents that were deleted before are erased as well, as they are from now on with the document.
"""

from datetime import timedelta

import django.contrib.postgres.fields
from django.db import migrations, models
from django.db.models import F

_ADDRESSES = ("http://", "https://")
_AT_ONCE = 1000
_AT_ITS_INGESTION = timedelta(minutes=10)  # after a document was made, its grants were those of its ingestion

_FORGET_STANDALONE = """
    UPDATE core_query SET standalone_question = '' WHERE standalone_question <> '' AND EXISTS (
        SELECT 1 FROM unnest(named_documents) AS named (id)
        WHERE NOT EXISTS (SELECT 1 FROM core_document WHERE core_document.id = named.id))
"""


def two_columns(apps, schema_editor):
    """Take the collection's name off each key, and write addresses in their normal form, as far as both stay unique.

    The key of a document whose collection was renamed since, or that was moved to another one, stays whole.
    """
    Document = apps.get_model("core", "Document")
    for collection in apps.get_model("core", "Collection").objects.all():
        documents = list(Document.objects.filter(collection=collection).only("source").order_by("-ingested_at"))
        taken = {document.source for document in documents}
        changed = []
        for document in documents:
            source = _source(document.source, collection.name)
            if source not in taken:
                taken.add(source)
                document.source = source
                changed.append(document)
        Document.objects.bulk_update(changed, ["source"], batch_size=_AT_ONCE)


def _source(key, collection):
    from core.errors import UnsafeUrlError
    from core.library.ingestion.sources.addresses import check_url

    if not key.startswith(_ADDRESSES):
        return key.removeprefix(f"{collection}/") or key
    address, stroke, part = key.partition("#")
    try:
        return f"{check_url(address)}{stroke}{part}"[:1000]
    except UnsafeUrlError:  # an address that would not be fetched any more
        return key


def one_key(apps, schema_editor):
    """Put the collection's name before each path again."""
    Document = apps.get_model("core", "Document")
    for document in Document.objects.select_related("collection").only("source", "collection__name").iterator():
        if not document.source.startswith((*_ADDRESSES, "arxiv:", "sha256:")):
            Document.objects.filter(pk=document.pk).update(source=f"{document.collection.name}/{document.source}"[:1000])


def tell_grants_apart(apps, schema_editor):
    """Grants that are about as old as their document came with its text."""
    grants = apps.get_model("core", "RoleDocumentAccess").objects
    grants.filter(granted_at__lt=F("document__created_at") + _AT_ITS_INGESTION).update(by_ingestion=True)


def forget_deleted(apps, schema_editor):
    """Erase what stayed of documents that are gone. Nobody could be shown it any more."""
    orphaned = apps.get_model("core", "Citation").objects.filter(
        document=None, answer__query__context_mode="full_corpus"
    )
    answers = apps.get_model("core", "Answer").objects.filter(pk__in=orphaned.values("answer"))
    answers.exclude(answer_text=None).update(answer_text="", message="")
    orphaned.update(document_name="", section="", source_url="", excerpt="", quoted_excerpt="")
    schema_editor.execute(_FORGET_STANDALONE)


class Migration(migrations.Migration):

    dependencies = [
        ('core', '0018_slack_workspaces'),
    ]

    operations = [
        migrations.RenameField(model_name='document', old_name='source_key', new_name='source'),
        migrations.AlterField(
            model_name='document',
            name='source',
            field=models.CharField(help_text='Where the text came from: an address, arxiv:ID, or a path. Once in a collection.', max_length=1000),
        ),
        migrations.AlterField(
            model_name='document',
            name='arxiv_id',
            field=models.CharField(blank=True, help_text='A file may say any.', max_length=40, null=True),
        ),
        migrations.AlterField(
            model_name='document',
            name='source_url',
            field=models.URLField(blank=True, help_text='Shown and linked. A file may say any.', max_length=1000),
        ),
        migrations.AddIndex(
            model_name='document',
            index=models.Index(fields=['arxiv_id'], name='document_arxiv_id'),
        ),
        migrations.AddField(
            model_name='ingestionfile',
            name='replaced',
            field=django.contrib.postgres.fields.ArrayField(base_field=models.UUIDField(), blank=True, default=list, help_text='The documents that stood there before, by their ids.', size=None),
        ),
        migrations.AddField(
            model_name='ingestionfile',
            name='error_documents',
            field=django.contrib.postgres.fields.ArrayField(base_field=models.UUIDField(), blank=True, default=list, editable=False, help_text='The documents that the error names.', size=None),
        ),
        migrations.AddField(
            model_name='ingestionjob',
            name='decides_readers',
            field=models.BooleanField(default=False, editable=False, help_text='Whether who handed it in might decide who reads what, then.'),
        ),
        migrations.AddField(
            model_name='roledocumentaccess',
            name='by_ingestion',
            field=models.BooleanField(default=False, help_text='Came with a text of the document; otherwise somebody decided it for the document.'),
        ),
        migrations.RunPython(two_columns, one_key, elidable=True),
        migrations.RunPython(tell_grants_apart, migrations.RunPython.noop, elidable=True),
        migrations.RunPython(forget_deleted, migrations.RunPython.noop, elidable=True),
        migrations.AddConstraint(
            model_name='document',
            constraint=models.UniqueConstraint(fields=('collection', 'source'), name='one_document_per_collection_and_source'),
        ),
    ]
