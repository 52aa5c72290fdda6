"""The ways in which the rule is broken, and the tests that have to fail for each."""

from tests.mutations.changes import Change, Mutant
from tests.mutations.mutants_of_masking import OF_MASKING
from tests.mutations.mutants_of_programs import OF_PROGRAMS
from tests.mutations.mutants_of_receipts import OF_RECEIPTS
from tests.mutations.mutants_of_slack import OF_SLACK
from tests.mutations.operators import (
    drop_argument,
    drop_context,
    drop_operand,
    drop_statement,
    replace_argument,
    replace_call,
    replace_condition,
    replace_default_case,
    replace_text,
    replace_value,
)

LEAKS = "tests/integration/leaks/"
FLOORS, ROW_SECURITY = LEAKS + "test_floors.py", LEAKS + "test_row_security.py"
SEARCHING = LEAKS + "test_doors.py::test_search_gives_every_readable_chunk_and_no_other"
PASSAGES = LEAKS + "test_doors.py::test_every_readable_passage_can_be_read_and_no_other"
TURNS = LEAKS + "test_doors.py::test_what_is_revoked_between_two_turns_is_gone_from_the_first_too"
SAME_RESULT = LEAKS + "test_non_interference.py::test_what_may_not_be_read_changes_nothing_that_is_found"
NEAREST = LEAKS + "test_non_interference.py::test_every_strategy_finds_the_nearest_of_what_may_be_read"
EDITIONS = LEAKS + "test_editions.py::test_nobody_reads_an_edition_that_was_never_theirs"
EDITION_DOORS = LEAKS + "test_editions.py::test_no_door_shows_an_earlier_edition_to_readers_of_a_later_one"
OPENED_BEFORE = "test_a_page_that_was_opened_before_another_version_came_is_refused"
TRANSLATED = "test_a_translation_that_leads_elsewhere_is_refused"
QUOTE_WORDS = LEAKS + "test_row_security.py::TestWordsOfQuotes"
SOURCES, OF_SOURCES = LEAKS + "test_sources.py::", "tests/integration/sync/test_readers.py::"
TOLD = "test_nobody_reads_what_the_source_does_not_give_them"
KILLED = "test_a_run_may_be_killed_at_each_of_its_statements"
ORDERS = "tests/integration/sync/test_orders.py::"
READERS_ALONE = "tests/integration/sync/test_readers_alone.py::"
OLD_ANSWERS = LEAKS + "test_answers.py::test_an_old_answer_never_shows_more_than_a_new_audience_may_read"
NOT_SHOWN_LATER = LEAKS + "test_answers.py::test_what_is_revoked_while_an_answer_is_made_is_not_shown_later"
STRATEGIES = "tests/integration/retrieval/test_strategies.py::"
COPY_FOLLOWS = STRATEGIES + "TestTheCopy"
READ_UNDER_THE_RULE = STRATEGIES + "test_a_grant_that_is_taken_away_before_the_passages_are_read_counts"
QUANTISED = "tests/unit/retrieval/test_quantised.py"

CHANGED = "tests/unit/verification/test_support.py"
TAKEN_OUT = "tests/unit/verification/test_verification.py::test_nothing_leads_somewhere_or_comes_of_what_is_taken_out"
GONE_THROUGH = LEAKS + "test_outline.py::test_only_what_may_be_read_is_gone_through"
PLACES = LEAKS + "test_places.py"
INGESTED = LEAKS + "test_ingestion.py"
QUESTION_LISTS = "tests/integration/adminsite/test_question_lists.py::"
LOOKUPS = "tests/integration/adminsite/test_lookups.py::"
WHO_DECIDES = "tests/integration/adminsite/test_who_decides.py::"
LIMITS = "tests/integration/sign_in/test_limits.py::"
ADDRESSES = LEAKS + "test_addresses.py::"
OUTCOMES = "tests/integration/answering/test_outcomes.py::"
SANDBOX = "tests/unit/ingestion/test_sandbox.py::"
COPIES = "tests/unit/ingestion/test_copies.py::"

DENSE, SEARCH = "core.library.retrieval.dense:", "core.library.retrieval.search:"
COMPARING = "core.library.retrieval.comparing:"
FINDING = "core.library.retrieval.finding:_find_in_transaction"
COPY, PERMITTED = "core.library.retrieval.vector_copy:", "core.library.retrieval.access_filter:"
OUTLINE, VOCABULARY = "core.library.retrieval.outline:outline", "core.library.retrieval.vocabulary:find_standing_words"
MAY_READ = "core.models.querysets:_VisibleQuerySet._may_read"
SINCE, QUOTES = "core.migrations.0047_editions:SINCE", "core.migrations.0047_editions:MAY_SHOW"
WORDS = "core.migrations.0049_words_of_quotes:POLICIES"
VISIBLE_TO, FLOOR = "core.models.querysets:_VisibleQuerySet.visible_to", "core.models.row_security:"
POLICIES = "core.migrations.0004_row_security:ROW_SECURITY"
RULE = "core.migrations.0027_grants_that_end:RULE"
COUNTED = "core.migrations.0004_row_security:VERSIONS"
SUPPORT, HISTORY, COMPOSITION = (
    "core.asking.verification.support:",
    "core.asking.history.results:",
    "core.asking.answering.composition:",
)
RECHECK, AGAIN = "core.quality.footnotes.asking_again:", "core.asking.answering.follow_ups:repeat_asked"
READERS, INGESTING = "core.library.sync.readers:", "core.library.sync.ingesting:"
KINDS, RESULTS = "bot.identity.channel_kinds:", "bot.delivery.results:"


_UNFILTERED = "Chunk.objects.filter(embedding_model=self.model)"
_CHUNK, _DOCUMENT = "from core.models import Chunk", "from core.models import Document"
_BYPASS = "from core.models.row_security import bypass_row_security"
_NOTHING, _BYPASSING = (f"from tests.mutations.floors import {name}" for name in ("saying_nothing", "bypassing"))
_ALL_ROLES = "frozenset().union(*audience.role_sets)"
_UNMASKED = Change(
    "core.library.retrieval.quantised:SelectedRows.of", replace_call("flatnonzero", "np.arange(len(mask))")
)

MUTANTS = (
    Mutant(
        "full text without the filter",
        (Change(FINDING, replace_argument("by_words", 0, "Chunk.objects.all()"), imports=_CHUNK),),
        (SAME_RESULT,),
    ),
    Mutant(
        "the union of role sets instead of their intersection, in the application",
        (Change(VISIBLE_TO, replace_value("role_sets", f"[{_ALL_ROLES}]")),),
        (FLOORS, SEARCHING),
    ),
    Mutant(
        "the union of role sets instead of their intersection, in the database",
        (Change(RULE, replace_text(r" HAVING count\(DISTINCT position\) = jsonb_array_length\(audience\)", "")),),
        (FLOORS, ROW_SECURITY),
    ),
    Mutant(
        "the union of role sets instead of their intersection, in the list for audiences of many",
        (
            Change(
                PERMITTED + "_list_documents",
                replace_call("visible_to", f"Document.objects.filter(roles__in={_ALL_ROLES})"),
            ),
        ),
        (NEAREST,),
    ),
    Mutant(
        "readable documents kept by the database's floor when grants change",
        (Change(FLOOR + "as_audience", replace_argument("_readable", 1, "''")),),
        (ROW_SECURITY,),
    ),
    Mutant(
        "an audience of nobody reads everything",
        (Change(VISIBLE_TO, replace_call("none", "self")),),
        (FLOORS,),
    ),
    Mutant(
        "rows of the copy in memory kept when grants change",
        (
            Change(
                PERMITTED + "collect_permitted_bits",
                replace_argument("_readable_bits", 1, "Versions(chunks=versions.chunks, grants='')"),
            ),
        ),
        (COPY_FOLLOWS,),
    ),
    Mutant(
        "counts of permitted chunks kept when grants change",
        (Change(PERMITTED + "count_permitted", replace_argument("_count_readable", 1, "None")),),
        (COPY_FOLLOWS,),
    ),
    Mutant(
        "the copy in memory kept when chunks change",
        (
            Change(
                COPY + "_Keeper.get", replace_condition("version", "self._copy is None or self._copy.model != model")
            ),
        ),
        (COPY_FOLLOWS,),
    ),
    Mutant(
        "revocations and grants are not counted as changes",
        (
            Change(
                COUNTED,
                replace_text(r"INSERT OR DELETE OR UPDATE OR (?=TRUNCATE ON core_roledocumentaccess)", ""),
            ),
        ),
        (COPY_FOLLOWS,),
    ),
    Mutant(
        "the database shows every chunk to everybody",
        (Change(POLICIES, replace_text(r"ALTER TABLE core_chunk ENABLE ROW LEVEL SECURITY;\n", "")),),
        (FLOORS, ROW_SECURITY),
    ),
    Mutant(
        "the owner of the tables is not held by the policies",
        (Change(POLICIES, replace_text(r"ALTER TABLE core_chunk FORCE ROW LEVEL SECURITY;\n", "")),),
        (FLOORS, ROW_SECURITY),
    ),
    Mutant(
        "without an audience the database shows everything",
        (
            Change(
                POLICIES,
                replace_text(
                    r"(?<=get_bit\(\(SELECT footnote_readable\(\)\), document_number\) = 1 ELSE )false",
                    "footnote_readable() IS NULL",
                ),
            ),
        ),
        (FLOORS, ROW_SECURITY),
    ),
    Mutant(
        "the audience stays set after its transaction",
        (
            Change(
                FLOOR + "_SET",
                replace_text(r"(?<=set_config\('footnote\.readable', %s, )true", "false"),
            ),
            Change(FLOOR + "_row_security", drop_statement("_set_row_security")),
        ),
        (FLOORS, ROW_SECURITY),
    ),
    Mutant(
        "an inner block leaves its audience to the outer one",
        (Change(FLOOR + "_row_security", drop_statement("_set_row_security")),),
        (ROW_SECURITY,),
    ),
    Mutant(
        "search reads without saying for whom",
        (Change(SEARCH + "search_corpus", replace_call("as_audience", "saying_nothing()"), imports=_NOTHING),),
        (SEARCHING,),
    ),
    Mutant(
        "a document gone through whoever reads",
        (Change(OUTLINE, replace_call("select_permitted_chunks", "Chunk.objects"), imports=_CHUNK),),
        (GONE_THROUGH,),
    ),
    Mutant(
        "a document gone through without saying for whom",
        (Change(OUTLINE, drop_context("as_audience")),),
        (GONE_THROUGH,),
    ),
    Mutant(
        "the filter after the limit, comparing exactly",
        (
            Change(
                DENSE + "Search.follow",
                replace_default_case(
                    f"found = nearest_of({_UNFILTERED}, self.vector, self.limit)\n"
                    "readable = set(self._select_chunks().filter(pk__in=list(found)).values_list('pk', flat=True))\n"
                    "similarities = {pk: value for pk, value in found.items() if pk in readable}\n"
                ),
                imports=_CHUNK,
            ),
        ),
        (NEAREST,),
    ),
    Mutant(
        "passages read without the rule, on either floor",
        (
            Change(SEARCH + "_read_best", replace_call("for_reading", "Chunk.objects.all().for_reading()")),
            Change(SEARCH + "search_corpus", replace_call("as_audience", "bypassing()"), imports=_BYPASSING),
        ),
        (READ_UNDER_THE_RULE,),
    ),
    Mutant(
        "candidates of the copy not masked",
        (_UNMASKED,),
        (QUANTISED, COPY_FOLLOWS),
    ),
    Mutant(
        "candidates of the copy neither masked nor filtered afterwards",
        (_UNMASKED, Change(COMPARING + "nearest_among", replace_value("documents", "bytes([255]) * 1000"))),
        (NEAREST,),
    ),
    Mutant(
        "words counted in the whole library",
        (
            Change(
                FINDING,
                replace_argument(
                    "by_words", "permitted", "sum(Document.objects.values_list('chunk_count', flat=True))"
                ),
                imports=_DOCUMENT,
            ),
        ),
        (SAME_RESULT,),
    ),
    Mutant(
        "a passage read by its id, whoever reads",
        (
            Change(
                "core.library.retrieval.chunk_lookup:passage_in_place",
                replace_call("visible_to", "Chunk.objects.all()"),
            ),
        ),
        (PASSAGES,),
    ),
    Mutant(
        "earlier answers shown whoever looks",
        (
            Change(
                "core.asking.history.visibility:Visibility.of",
                replace_call("readable_editions", "{edition for edition in named if edition}"),
            ),
        ),
        (TURNS, OLD_ANSWERS),
    ),
    Mutant(
        "earlier editions shown to readers of the document",
        (Change(MAY_READ, drop_argument("filter", "since_version__lte")),),
        (EDITIONS,),
    ),
    Mutant(
        "earlier editions shown to readers of the document, in results",
        (Change("core.access.audiences:readable_editions", replace_condition("version", "one.document_id in first")),),
        (EDITIONS, EDITION_DOORS),
    ),
    Mutant(
        "earlier editions shown to readers of the document, by the database",
        (Change(QUOTES, replace_text(r" AND granted\.since_version <= edition", "")),),
        (QUOTE_WORDS,),
    ),
    Mutant(
        "words of quotes shown by the database to everybody",
        (Change(WORDS, replace_text(r"ALTER TABLE core_citationwords FORCE ROW LEVEL SECURITY;\n", "")),),
        (QUOTE_WORDS,),
    ),
    Mutant(
        "a grant opens the editions before it",
        (Change(SINCE, replace_text(r"\(SELECT version FROM core_document WHERE id = NEW\.document_id\)", "1")),),
        (EDITIONS, EDITION_DOORS),
    ),
    Mutant(
        "what is taken away while a document is withdrawn comes back with it",
        (Change("core.access.grants:_revoke_grants", replace_value("WithdrawnGrant", "(RoleDocumentAccess,)")),),
        (EDITIONS,),
    ),
    Mutant(
        "a follow-up is told an earlier edition's answer",
        (
            Change(
                "core.asking.answering.follow_ups:_read_past",
                replace_call("readable_editions", "{edition for edition in quoted if edition}"),
            ),
        ),
        (EDITION_DOORS,),
    ),
    Mutant(
        "a source's new readers are given its old words",
        (Change(READERS + "Readers.of_its_text", replace_condition("is_stale", "may_gain")),),
        (SOURCES + TOLD, OF_SOURCES + "test_new_readers_come_with_the_new_words"),
    ),
    Mutant(
        "a source is not asked for the readers of what was loaded",
        (Change(INGESTING + "_Step._load_for_its_readers", replace_call("_is_confirmed", "True")),),
        (SOURCES + TOLD, OF_SOURCES + "test_what_is_opened_and_rewritten_after_it_was_loaded_gives_away_nothing"),
    ),
    Mutant(
        "what a source takes away waits for a decision",
        (Change("core.library.sync.listing:_store_items", drop_statement("apply_readers")),),
        (
            SOURCES + TOLD,
            OF_SOURCES + "test_rights_are_lost_while_a_run_waits_for_a_decision",
        ),
    ),
    Mutant(
        "the fingerprint of before is kept while a source's words are stored",
        (Change(INGESTING + "_Step._load_item", drop_statement("forget_words")),),
        (
            SOURCES + KILLED,
            ORDERS + "TestKilled::test_words_that_were_stored_and_not_noted_are_not_those_of_before",
        ),
    ),
    Mutant(
        "a source's readers are granted and not noted",
        (Change(READERS + "_apply_readers", drop_statement("bulk_update")),),
        (
            SOURCES + KILLED,
            ORDERS + "TestKilled::test_readers_that_were_granted_and_not_noted_are_taken_away",
        ),
    ),
    Mutant(
        "new readers of a source's unchanged words are not confirmed",
        (Change("core.library.sync.listing:_build_item", drop_operand("has_new_readers")),),
        (SOURCES + TOLD, ORDERS + "TestToldAtTwoMoments"),
    ),
    Mutant(
        "nor where readers alone are compared",
        (Change("core.library.sync.listing:_compare_readers", drop_operand("has_new_readers")),),
        (READERS_ALONE + "test_what_changes_while_it_is_looked_at_is_gained_by_nobody",),
    ),
    Mutant(
        "a comparison of readers loads",
        (Change(INGESTING + "_Step._load_item", replace_condition("scope", "False")),),
        (READERS_ALONE + "test_what_changes_while_it_is_looked_at_is_gained_by_nobody",),
    ),
    Mutant(
        "a comparison of readers gives many documents unchecked",
        (Change("core.library.sync.slices:_begin_ingesting", drop_statement("update")),),
        (READERS_ALONE + "test_many_gains_wait_for_a_run_that_is_checked",),
    ),
    Mutant(
        "grants that are put aside outlive a change of the mapping",
        (
            Change(
                READERS + "apply_to_all",
                replace_argument("apply_readers", 1, "source.items.filter(is_stored=True, is_gone=False)"),
            ),
        ),
        (ORDERS + "TestGone::test_a_role_that_was_taken_away_meanwhile_comes_back_without_earlier_editions",),
    ),
    Mutant(
        "what was put aside comes back to whoever read it before",
        (
            Change("core.access.withdrawal:restore", replace_condition("wanted", "_is_in_force(row)")),
            Change("core.access.grants:_revoke_grants", replace_value("WithdrawnGrant", "(RoleDocumentAccess,)")),
        ),
        (SOURCES + TOLD,),
    ),
    Mutant(
        "what could be read of a source's file is opened beside words of before",
        (Change(INGESTING + "_Step._open_part", replace_condition("exclude", "True")),),
        (SOURCES + TOLD, ORDERS + "TestReadInPart"),
    ),
    Mutant(
        "another name is not another word of a source's",
        (Change("core.library.sync.listing:is_told_otherwise", replace_value("known", "False")),),
        (SOURCES + TOLD, ORDERS + "test_a_new_name_is_another_edition"),
    ),
    Mutant(
        "what is gone at a source is read on",
        (Change("core.library.sync.slices:_advance_run", drop_statement("withdraw_gone")),),
        (SOURCES + TOLD,),
    ),
    Mutant(
        "a source that does not answer is believed for ever",
        (Change("core.library.sync.removals:withdraw_unanswered", replace_condition("are_believed", "False")),),
        (SOURCES + TOLD, OF_SOURCES + "test_a_source_that_no_longer_answers_is_not_believed_for_ever"),
    ),
    Mutant(
        "a late decision brings back a source's readers of then",
        (Change("core.library.sync.slices:_advance_run", replace_condition("are_believed", "False")),),
        (ORDERS + "test_a_decision_that_comes_late_is_about_another_listing",),
    ),
    Mutant(
        "two items of a source are one document",
        (Change(INGESTING + "build_source_key", replace_call("sub", "key")),),
        (OF_SOURCES + "test_two_items_are_never_one_document",),
    ),
    Mutant(
        "earlier retrievals listed whoever looks",
        (
            Change(HISTORY + "_list_retrieved", replace_call("visible_to", "Document.objects")),
            Change(HISTORY + "_list_retrieved", replace_call("as_audience", "bypass_row_security()"), imports=_BYPASS),
        ),
        (NOT_SHOWN_LATER,),
    ),
    Mutant(
        "numbers are not compared",
        (Change(SUPPORT + "_read_statement", replace_argument("_Read", "unknown_numbers", "()")),),
        (CHANGED,),
    ),
    Mutant(
        "denials are not compared",
        (Change(SUPPORT + "_find_turned_round", replace_condition("is_denied_otherwise", "False")),),
        (CHANGED,),
    ),
    Mutant(
        "a quote is read without the sentence around it",
        (
            Change(
                "core.asking.verification.found_quotes:FoundQuote._units",
                replace_condition("start end", "one.start >= self.start and one.end <= self.end"),
            ),
        ),
        (CHANGED,),
    ),
    Mutant(
        "sources may be mixed",
        (Change(SUPPORT + "_find_doubts", drop_operand("_mixes_places")),),
        (CHANGED,),
    ),
    Mutant(
        "a doubt without a verdict is shown",
        (Change("core.asking.verification.statements:_find_reason", replace_value("doubts", "None")),),
        (CHANGED, "tests/unit/verification/test_layout.py"),
    ),
    Mutant(
        "passages of different things prove a statement together",
        (
            Change(
                "core.asking.verification.attribution:Sentences._clause_by_clause",
                drop_operand("_NAMES_ITS_SUBJECT"),
            ),
        ),
        ("tests/unit/verification/test_attribution.py",),
    ),
    Mutant(
        "a public channel is read by its members alone",
        (Change("bot.identity.audiences:_build_channel_audience", replace_call("of", "_build_audience(people)")),),
        (PLACES,),
    ),
    Mutant(
        "a private channel that is shared is nobody else's",
        (Change(KINDS + "_classify_channel", replace_value("_CONNECTED", "ReadBy.MEMBERS")),),
        (PLACES,),
    ),
    Mutant(
        "what a channel was a minute ago decides what is posted",
        (Change(KINDS + "find_read_by", replace_condition("is_recent_enough", "True")),),
        (PLACES,),
    ),
    Mutant(
        "what a file says that it is makes it that",
        (
            Change(
                "core.library.ingestion.pipeline:_cut_documents",
                replace_argument("draft", "source", "document.source_url or source.key"),
            ),
        ),
        ("tests/integration/ingestion/test_placing.py::TestWhatAFileSaysOfItself",),
    ),
    Mutant(
        "who may not grant replaces what they may not read",
        (Change("core.library.ingestion.placement:place_of", replace_condition("may_touch", "True")),),
        (INGESTED + "::test_who_may_not_grant_replaces_nothing_that_they_may_not_read",),
    ),
    Mutant(
        "an answer keeps the words of a deleted document",
        (Change("core.asking.history.deleted_documents:_erase_words", drop_argument("update", "answer_text")),),
        ("tests/integration/core/test_deleted_documents.py::test_no_table_keeps_a_word_of_it",),
    ),
    Mutant(
        "a search of the admin finds questions that its viewer may not read",
        (
            Change(
                "adminsite.admin.question_lists:search_questions",
                replace_call("readable_questions", "Query.objects.all()"),
            ),
        ),
        (QUESTION_LISTS + "test_without_the_right_to_questions_a_list_neither_shows_nor_finds_them",),
    ),
    Mutant(
        "what somebody else would be told is shown to whoever tries it",
        (Change("core.asking.dry_runs.replay:readable_run", replace_condition("citations", "False")),),
        ("tests/integration/adminsite/test_asking_again.py::test_a_replay_is_cut_to_what_its_viewer_may_read",),
    ),
    Mutant(
        "an address narrows a list of the admin by any field",
        (Change("adminsite.admin.base:DeclaredChangeList.get_filters", replace_condition("undeclared", "False")),),
        (LOOKUPS + "test_a_withheld_answer_cannot_be_guessed_from_the_address",),
    ),
    Mutant(
        "rows of the admin looked up for who may look at none",
        (Change("adminsite.admin.base:FootnoteAdmin.get_object", replace_condition("any may", "False")),),
        (ADDRESSES + "test_no_address_of_the_admin_tells_staff_without_rights_that_it_is_there",),
    ),
    Mutant(
        "the hash of a document shown to who may not read it",
        (Change("adminsite.admin.documents:DocumentAdmin.show_hash", replace_call("getattr", "True")),),
        (ADDRESSES + "test_no_page_tells_who_may_see_documents_what_one_says",),
    ),
    Mutant(
        "names of roles looked up for who hands in and may not decide",
        (Change("adminsite.api.ingestion:HandIn.validate_roles", replace_condition("may_decide_who_reads", "False")),),
        (ADDRESSES + "test_who_may_hand_in_and_not_decide_learns_no_role",),
    ),
    Mutant(
        "a digest that tells milliseconds",
        (Change("bot.digests:_round_up", replace_value("ceil", "milliseconds")),),
        ("tests/integration/bot/test_digest.py::test_it_says_the_weeks_figures_and_nobodys_words",),
    ),
    Mutant(
        "who may change a page decides who reads",
        (Change("core.access.audiences:may_decide_who_reads", drop_operand("has_perm")),),
        (WHO_DECIDES + "test_who_may_not_decide_changes_no_reader_whatever_they_post",),
    ),
    Mutant(
        "a token may do whatever its person may",
        (Change("adminsite.api.authentication:InScope.has_permission", replace_value("has_scope", "True")),),
        ("tests/integration/rest/test_tokens.py::test_a_token_reads_answers_and_nothing_else_unless_it_is_told",),
    ),
    Mutant(
        "a changed event of the audit trail passes",
        (Change("core.access.audit:verify", replace_condition("event digest", "False")),),
        ("tests/integration/core/test_audit.py::test_whatever_is_changed_is_found_where_it_is",),
    ),
    Mutant(
        "files are read where nothing shuts their parser in",
        (
            Change(
                "core.library.ingestion.sandbox.process:Sandbox._require_fence", replace_condition("_required", "False")
            ),
        ),
        (SANDBOX + "test_nothing_is_read_where_the_fence_does_not_hold",),
    ),
    Mutant(
        "a file is parsed by the process of which copies are made",
        (Change("core.library.ingestion.sandbox.child:_make_copies", replace_call("fork", "0")),),
        (COPIES + "test_a_parser_that_one_file_took_over_never_sees_another",),
    ),
    Mutant(
        "a parser keeps the way by which the next file's pipes come",
        (Change("core.library.ingestion.sandbox.child:_be_the_copy", drop_statement("close")),),
        (COPIES + "test_a_copy_reaches_neither_the_template_nor_other_copies",),
    ),
    Mutant(
        "a parser keeps the rights of the process that makes copies",
        (Change("core.library.ingestion.sandbox.seccomp:restrict", replace_argument("program", "own_id", "None")),),
        (COPIES + "test_a_copy_reaches_neither_the_template_nor_other_copies",),
    ),
    Mutant(
        "a parser lives on after its answer",
        (Change("core.library.ingestion.sandbox.template:Template.copy", replace_call("_end_copy", "0")),),
        (COPIES + "test_a_copy_that_answers_for_the_next_file_and_lives_on_is_ended",),
    ),
    Mutant(
        "passwords are looked at however many were wrong",
        (Change("adminsite.sign_in.limits:_is_too_much", drop_operand("PER_ACCOUNT_AND_ADDRESS")),),
        (LIMITS + "test_after_five_wrong_passwords_the_right_one_is_not_looked_at",),
    ),
    Mutant(
        "an address of the model's own is shown",
        (Change(SUPPORT + "_find_veto", replace_condition("addresses", "False")),),
        ("tests/unit/verification/test_addresses.py::test_an_address_of_the_models_own_is_not_shown",),
    ),
    Mutant(
        "the amount of one class of substances is said of another",
        (Change("core.asking.verification.subjects:_agree", replace_value("all", "True")),),
        ("tests/unit/verification/test_assessment.py::test_what_is_said_of_another_subject_is_doubted",),
    ),
    Mutant(
        "the readers of closest passages are not asked again",
        (Change(RESULTS + "_tells_of_documents", drop_operand("closest")),),
        ("tests/integration/bot/test_closest.py::test_who_reads_them_is_asked_again",),
    ),
    Mutant(
        "the beginning of an answer is told whoever may read it by then",
        (Change("core.asking.answering.record:note_beginning", replace_condition("still_visible", "False")),),
        (LEAKS + "test_answers.py::test_the_beginning_of_an_answer_tells_only_what_everyone_may_read",),
    ),
    Mutant(
        "what a judge would be asked about is told before",
        (Change("core.asking.answering.composition:_refuse_all", replace_value("False", "[True] * len(claims)")),),
        ("tests/integration/answers/test_previews.py::test_what_a_judge_would_be_asked_about_waits_for_it",),
    ),
    Mutant(
        "the readers of the beginning of an answer are not asked again",
        (Change(RESULTS + "_limit_to_readers.tell", replace_value("find_readers", "True")),),
        ("tests/integration/bot/test_streams.py::TestWhileTheModelWrites::test_the_readers_have_changed",),
    ),
    Mutant(
        "a small model is believed whatever its passages are worth",
        (Change(COMPOSITION + "_is_answer", drop_operand("is_close")),),
        ("tests/integration/answers/test_small_models.py::test_where_nothing_is_near_a_small_model_is_not_believed",),
    ),
    Mutant(
        "the estimate overrules a model whose statements stand",
        (Change(COMPOSITION + "_is_answer", replace_value("IS_ABOUT_SOMETHING_ELSE", "is_sure(estimate)")),),
        (OUTCOMES + "test_statements_that_stand_are_an_answer_whatever_the_estimate",),
    ),
    Mutant(
        "an item is read without what introduces it",
        (Change("core.language.nlp.structure:_Reader._read_item", replace_value("group_lead", "()")),),
        ("tests/unit/nlp/test_structure.py::test_items_and_rows_stand_under_what_introduces_them",),
    ),
    Mutant(
        "words of what may not be read put a question right",
        (
            Change(VOCABULARY, replace_call("as_audience", "bypass_row_security()"), imports=_BYPASS),
            Change(VOCABULARY, replace_call("select_permitted_chunks", "Chunk.objects")),
        ),
        ("tests/integration/answering/test_words_people_use.py::test_only_what_may_be_read_puts_a_word_right",),
    ),
    Mutant(
        "earlier editions whose words are in a question that is asked again are not named",
        (Change(AGAIN, drop_argument("Asked", "named")),),
        (LEAKS + "test_footnotes.py::test_it_is_kept_as_it_was_typed",),
    ),
    Mutant(
        "earlier editions are in the words in which a question is asked again, for whoever is there",
        (Change(AGAIN, drop_operand("may_read_all")),),
        (LEAKS + "test_footnotes.py::test_for_others_it_is_asked_as_it_was_typed",),
    ),
    Mutant(
        "earlier editions are in a draft that is shown to readers of what it quotes now",
        (Change("core.asking.verified_answers.editing:save_draft", drop_argument("_write_sources", "drawn")),),
        (EDITION_DOORS, EDITIONS),
    ),
    Mutant(
        "earlier editions have the name of their file shown to readers of later ones",
        (Change("core.library.ingestion.store:_list_shown", replace_value("find_file_name", "''")),),
        (LEAKS + "test_editions.py::test_a_changed_date_or_file_name_is_an_edition_too",),
    ),
    Mutant(
        "earlier editions are described on a page that is saved all the same",
        (Change("adminsite.admin.documents:DocumentForm.clean", replace_condition("current version", "False")),),
        ("tests/integration/adminsite/test_documents.py::" + OPENED_BEFORE,),
    ),
    Mutant(
        "earlier editions are opened by the listing of a source before the migration",
        (Change("core.migrations.0048_fill_editions:GRANTS", replace_text(r"granted\.by_ingestion", "false")),),
        ("tests/upgrade/test_editions.py::test_a_grant_begins_with_the_edition_that_was_current",),
    ),
    Mutant(
        "a question leads where the model that rewrote it wants",
        (Change("core.asking.answering.follow_ups:_rewrite_by_model", replace_condition("adds_destination", "False")),),
        ("tests/integration/answering/test_follow_ups.py::test_a_rewriting_that_leads_elsewhere_is_refused",),
    ),
    Mutant(
        "a question leads where the model that translated it wants",
        (Change("core.asking.answering.query_rewriting:_translate_question", drop_operand("adds_destination")),),
        ("tests/integration/answering/test_words_people_use.py::" + TRANSLATED,),
    ),
    Mutant(
        "a new edition is told of to who may not read it",
        (Change(RECHECK + "may_be_told", replace_value("find_source", "True")),),
        (LEAKS + "test_footnotes.py::test_who_may_not_read_the_new_edition_is_told_nothing",),
    ),
    Mutant(
        "that a document is gone is told to who could not read it",
        (Change(RECHECK + "may_be_told", replace_value("roles last_readers all", "True")),),
        (LEAKS + "test_footnotes.py::test_that_it_is_gone_is_for_who_could_read_it",),
    ),
    Mutant(
        "an answer of which a word has changed is said to hold",
        (Change(RECHECK + "_judge_change", replace_condition("_list_lost_words", "False")),),
        ("tests/integration/bot/test_footnotes.py::test_the_asker_is_told_what_the_source_says_now",),
    ),
    Mutant(
        "the readers of a notice are not asked again",
        (
            Change(
                "bot.footnotes:_post_notice",
                replace_value("read_recheck", "read_recheck(change, audience=readers.audience)"),
            ),
        ),
        ("tests/integration/bot/test_footnotes.py::TestWhoIsNotTold::test_readers_who_change_while_it_is_asked_again",),
    ),
    Mutant(
        "columns of a table are shown that were checked with no row",
        (Change("core.asking.verification.layout:Line.keep_columns", replace_value("text replace", "self")),),
        ("tests/unit/verification/test_layout.py::test_no_column_of_a_table_is_shown_that_was_checked_with_no_row",),
    ),
    Mutant(
        "what comes of taking something out of a statement is not read again",
        (Change("core.asking.verification.cleaning:_remove_until_stable", replace_condition("less", "True")),),
        (TAKEN_OUT,),
    ),
    Mutant(
        "a text of a thread may end the thread in a prompt",
        (Change("core.asking.generation.markup:make_inert", replace_call("sub", "text")),),
        ("tests/integration/answers/test_injection.py::test_no_text_ends_a_part_of_a_prompt",),
    ),
    *OF_PROGRAMS,
    *OF_MASKING,
    *OF_RECEIPTS,
    *OF_SLACK,
)
