from django.db import migrations

# When each edition was loaded, as the audit trail tells, of documents that have had more than one.
LOADED = """
CREATE TEMPORARY TABLE footnote_loaded AS
    SELECT document.id AS document_id, (event.details ->> 'version')::integer AS version,
        min(event.created_at) AS loaded_at
    FROM core_document AS document
    JOIN core_auditevent AS event ON event.object_type = 'document' AND event.object_id = document.id::text
    WHERE document.version > 1 AND event.action IN ('ingest', 'replace') AND event.details ? 'version'
    GROUP BY 1, 2;
CREATE INDEX ON footnote_loaded (document_id, loaded_at);
ANALYZE footnote_loaded;
"""

# The most restrictive reading that is known. A grant opens the edition that was current when it was made, where the
# audit trail tells which, and else the current one alone. Grants of a document that is withdrawn have no time.
#
# The old code gave the readers of a source a document when it listed it, and loaded the words that they were listed
# for afterwards: hours later, or days, where loading failed at first. So a grant by ingestion of such a document that
# was not made with a load, which takes as long as it takes to write a window of documents, opens the edition that was
# loaded next, whenever that was.
GRANTS = """
UPDATE core_roledocumentaccess AS granted SET since_version = coalesce(
        (SELECT min(version) FROM footnote_loaded AS loaded
            WHERE granted.by_ingestion AND document.data_source_id IS NOT NULL
                AND loaded.document_id = granted.document_id AND loaded.loaded_at > granted.granted_at
                AND NOT EXISTS (
                    SELECT FROM footnote_loaded AS written WHERE written.document_id = granted.document_id
                        AND written.loaded_at BETWEEN granted.granted_at - interval '1 minute' AND granted.granted_at
                )),
        (SELECT max(version) FROM footnote_loaded AS loaded
            WHERE loaded.document_id = granted.document_id AND loaded.loaded_at <= granted.granted_at),
        document.version
    )
    FROM core_document AS document WHERE document.id = granted.document_id AND document.version > 1;
UPDATE core_withdrawngrant AS granted SET since_version = document.version
    FROM core_document AS document WHERE document.id = granted.document_id AND document.version > 1;
"""

# A citation whose chunk is there is of the current edition: an edition's chunks go with it. Of others it is the one
# that was current an hour before the question, for a load may have taken a while to be committed; the first where the
# trail does not tell.
CITATIONS = """
UPDATE core_citation AS citation SET document_version = document.version
    FROM core_document AS document
    WHERE document.id = citation.document_id AND document.version > 1 AND citation.chunk_id IS NOT NULL;
UPDATE core_citation AS citation SET document_version = coalesce(
        (SELECT max(version) FROM footnote_loaded AS loaded
            WHERE loaded.document_id = citation.document_id AND loaded.loaded_at <= query.created_at - interval '1 hour'),
        1
    )
    FROM core_answer AS answer, core_query AS query, core_document AS document
    WHERE document.id = citation.document_id AND document.version > 1 AND citation.chunk_id IS NULL
        AND answer.id = citation.answer_id AND query.id = answer.query_id;
"""

# The text of a draft that was taken over from an answer may hold words of all that the answer quotes.
DRAFTS = """
INSERT INTO core_verifiedsource
    (id, verified_answer_id, number, document_id, document_version, start_offset, end_offset, relevance_score,
        is_recognised, document_name, chapter, section, source_url, excerpt, quoted_excerpt, authors, file_name,
        full_citation)
    SELECT gen_random_uuid(), draft.id,
        (SELECT max(number) FROM core_verifiedsource WHERE verified_answer_id = draft.id)
            + row_number() OVER (PARTITION BY draft.id ORDER BY told.document_id, told.document_version),
        told.document_id, told.document_version, 0, 0, 0, false, '', '', '', '', '', '', '', '', ''
    FROM core_verifiedanswer AS draft
    CROSS JOIN LATERAL (
        SELECT DISTINCT citation.document_id, citation.document_version
            FROM core_citation AS citation JOIN core_answer AS answer ON answer.id = citation.answer_id
            WHERE answer.query_id = draft.origin_id AND answer.answer_text IS NOT NULL
                AND citation.document_id IS NOT NULL
        EXCEPT SELECT document_id, document_version FROM core_verifiedsource WHERE verified_answer_id = draft.id
    ) AS told
    WHERE draft.verified_at IS NULL AND EXISTS (SELECT FROM core_verifiedsource WHERE verified_answer_id = draft.id);
"""

MOVE = """
INSERT INTO core_citationwords
    (citation_id, document_name, chapter, section, source_url, excerpt, quoted_excerpt, authors, file_name, full_citation)
    SELECT id, document_name, chapter, section, source_url, excerpt, quoted_excerpt, authors, file_name, full_citation
    FROM core_citation WHERE quoted_excerpt <> '';
INSERT INTO core_verifiedsourcewords
    (source_id, document_name, chapter, section, source_url, excerpt, quoted_excerpt, authors, file_name, full_citation)
    SELECT id, document_name, chapter, section, source_url, excerpt, quoted_excerpt, authors, file_name, full_citation
    FROM core_verifiedsource WHERE quoted_excerpt <> '';
"""
MOVE_BACK = """
UPDATE core_citation AS quote SET
    (document_name, chapter, section, source_url, excerpt, quoted_excerpt, authors, file_name, full_citation) = (
        words.document_name, words.chapter, words.section, words.source_url, words.excerpt, words.quoted_excerpt,
        words.authors, words.file_name, words.full_citation
    )
    FROM core_citationwords AS words WHERE words.citation_id = quote.id;
UPDATE core_verifiedsource AS quote SET
    (document_name, chapter, section, source_url, excerpt, quoted_excerpt, authors, file_name, full_citation) = (
        words.document_name, words.chapter, words.section, words.source_url, words.excerpt, words.quoted_excerpt,
        words.authors, words.file_name, words.full_citation
    )
    FROM core_verifiedsourcewords AS words WHERE words.source_id = quote.id;
DELETE FROM core_verifiedsource WHERE quoted_excerpt = '';
DELETE FROM core_citationwords;
DELETE FROM core_verifiedsourcewords;
"""


class Migration(migrations.Migration):
    """Fill in which editions grants open and quotes are of, and move the words of quotes into tables of their own."""

    beside_old_code = "It is made with Footnote stopped, as 0047."

    dependencies = [
        ("core", "0047_editions"),
    ]

    operations = [
        migrations.RunSQL(LOADED + GRANTS + CITATIONS + DRAFTS + "DROP TABLE footnote_loaded;", migrations.RunSQL.noop),
        migrations.RunSQL(MOVE, MOVE_BACK),
    ]
