from django.db import migrations

# A question that was asked again, in private or because a source had changed, was kept as it stood alone, in the place
# of what was typed. The words may be those of documents that the earlier question names. Where that is erased, nobody
# knows what was typed, or whose words these are.
KEEP_AS_TYPED = """
CREATE TEMPORARY TABLE footnote_asked_again AS
    SELECT reply.query_id AS id, event.about_id AS earlier
        FROM bot_reply AS reply JOIN bot_slackevent AS event ON event.id = reply.event_id
        WHERE event.kind = 'private' AND event.about_id IS NOT NULL AND reply.query_id IS NOT NULL
    UNION
    SELECT change.asked_again_id, answer.query_id
        FROM core_footnotechange AS change JOIN core_answer AS answer ON answer.id = change.answer_id
        WHERE change.asked_again_id IS NOT NULL;
UPDATE core_query AS again SET
    question_text = earlier.question_text,
    named_documents = earlier.named_documents || again.named_documents,
    named_versions = earlier.named_versions
        || array_fill(1, ARRAY[cardinality(earlier.named_documents) - cardinality(earlier.named_versions)])
        || again.named_versions
        || array_fill(1, ARRAY[cardinality(again.named_documents) - cardinality(again.named_versions)])
    FROM footnote_asked_again AS pair, core_query AS earlier
    WHERE again.id = pair.id AND earlier.id = pair.earlier AND again.id <> earlier.id AND again.erased_at IS NULL
        AND earlier.erased_at IS NULL AND again.question_text <> earlier.question_text;
UPDATE core_query AS again SET question_text = 'A question that was asked again', standalone_question = ''
    FROM footnote_asked_again AS pair, core_query AS earlier
    WHERE again.id = pair.id AND earlier.id = pair.earlier AND again.id <> earlier.id AND again.erased_at IS NULL
        AND earlier.erased_at IS NOT NULL;
DROP TABLE footnote_asked_again;
"""


class Migration(migrations.Migration):
    """Keep questions that were asked again as they were typed, and name whose words the others are."""

    beside_old_code = "It is made with Footnote stopped, as 0047 of core; old code reads the same columns."

    dependencies = [
        ("bot", "0012_footnotes"),
        ("core", "0048_fill_editions"),
    ]

    operations = [
        migrations.RunSQL(KEEP_AS_TYPED, migrations.RunSQL.noop),
    ]
