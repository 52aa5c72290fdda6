"""The ways in which the rule is broken, and the tests that have to fail for each."""

from dataclasses import dataclass

LEAKS = "tests/integration/leaks/"
FLOORS, ROW_SECURITY = LEAKS + "test_floors.py", LEAKS + "test_row_security.py"
SEARCHING = LEAKS + "test_doors.py::test_search_gives_every_readable_chunk_and_no_other"
PASSAGES = LEAKS + "test_doors.py::test_every_readable_passage_can_be_read_and_no_other"
TURNS = LEAKS + "test_doors.py::test_what_is_revoked_between_two_turns_is_gone_from_the_first_too"
SAME_RESULT = LEAKS + "test_non_interference.py::test_what_may_not_be_read_changes_nothing_that_is_found"
NEAREST = LEAKS + "test_non_interference.py::test_every_strategy_finds_the_nearest_of_what_may_be_read"
OLD_ANSWERS = LEAKS + "test_answers.py::test_an_old_answer_never_shows_more_than_a_new_audience_may_read"
NOT_SHOWN_LATER = LEAKS + "test_answers.py::test_what_is_revoked_while_an_answer_is_made_is_not_shown_later"
STRATEGIES = "tests/integration/retrieval/test_strategies.py::"
COPY_FOLLOWS = STRATEGIES + "TestTheCopy"
READ_UNDER_THE_RULE = STRATEGIES + "test_a_grant_that_is_taken_away_before_the_passages_are_read_counts"
QUANTISED = "tests/unit/retrieval/test_quantised.py"

DENSE, SEARCH = "core/retrieval/dense.py", "core/retrieval/search.py"
QUERYSETS, FLOOR = "core/models/querysets.py", "core/models/row_security.py"
POLICIES = "core/migrations/0004_row_security.py"
COPY, PERMITTED = "core/retrieval/vector_copy.py", "core/retrieval/access_filter.py"
SUPPORT, EVIDENCE = "core/verification/support.py", "core/verification/support_text.py"
VERIFICATION, AGENT_TOOLS = "core/verification/statements.py", "core/generation/tools.py"
ATTRIBUTION = "core/verification/attribution.py"
CHANGED = "tests/unit/verification/test_support.py"
HISTORY, RECORD = "core/history/results.py", "core/answering/record.py"
IN_PLACE, OUTLINE = "core/retrieval/chunk_lookup.py", "core/retrieval/outline.py"
GONE_THROUGH = LEAKS + "test_outline.py::test_only_what_may_be_read_is_gone_through"
IDENTITY, KINDS = "bot/identity/audiences.py", "bot/identity/channel_kinds.py"
PLACES = LEAKS + "test_places.py"
INGESTED = LEAKS + "test_ingestion.py"
LOOKUPS = "tests/integration/adminsite/test_lookups.py::"
WHO_DECIDES = "tests/integration/adminsite/test_who_decides.py::"
LIMITS = "tests/integration/sign_in/test_limits.py::"
OUTCOMES = "tests/integration/answering/test_outcomes.py::"
VOCABULARY = "core/retrieval/vocabulary.py"
SANDBOX = "tests/unit/ingestion/test_sandbox.py::"


@dataclass(frozen=True, slots=True)
class Change:
    """A piece of a file, which stands there once, and what stands in its place."""

    file: str
    was: str
    becomes: str


@dataclass(frozen=True, slots=True)
class Mutant:
    """One way to break the rule."""

    name: str
    changes: tuple[Change, ...]
    tests: tuple[str, ...]  # what pytest is given, each of which has to fail


_UNFILTERED = "Chunk.objects.filter(embedding_model=self.model)"
_IMPORTS_CHUNK = "from django.db import connection\nfrom core.models import Chunk\n"

MUTANTS = (
    Mutant(
        "full text without the filter",
        (Change(SEARCH, "by_words(nearest.chunks, query", "by_words(Chunk.objects.all(), query"),),
        (SAME_RESULT,),
    ),
    Mutant(
        "the union of role sets instead of their intersection, in the application",
        (
            Change(
                QUERYSETS,
                "        for roles in audience.role_sets:\n",
                "        for roles in [frozenset().union(*audience.role_sets)]:\n",
            ),
        ),
        (FLOORS, SEARCHING),
    ),
    Mutant(
        "the union of role sets instead of their intersection, in the database",
        (
            Change(
                POLICIES,
                "GROUP BY document_id HAVING count(DISTINCT position) = jsonb_array_length(audience)",
                "GROUP BY document_id",
            ),
        ),
        (FLOORS, ROW_SECURITY),
    ),
    Mutant(
        "the union of role sets instead of their intersection, in the list for audiences of many",
        (
            Change(
                PERMITTED,
                'Document.objects.visible_to(audience).order_by().values_list("pk"',
                'Document.objects.filter(roles__in=frozenset().union(*audience.role_sets)).values_list("pk"',
            ),
        ),
        (NEAREST,),
    ),
    Mutant(
        "readable documents kept by the database's floor when grants change",
        (Change(FLOOR, "_readable(audience, current_versions().grants)", '_readable(audience, "")'),),
        (ROW_SECURITY,),
    ),
    Mutant(
        "an audience of nobody reads everything",
        (Change(QUERYSETS, "            return self.none()\n", "            return self\n"),),
        (FLOORS,),
    ),
    Mutant(
        "rows of the copy in memory kept when grants change",
        (
            Change(
                PERMITTED,
                "    return _readable_bits(audience, versions)\n",
                '    return _readable_bits(audience, Versions(chunks=versions.chunks, grants=""))\n',
            ),
        ),
        (COPY_FOLLOWS,),
    ),
    Mutant(
        "counts of permitted chunks kept when grants change",
        (
            Change(PERMITTED, "return _count_readable(audience, versions)", "return _count_readable(audience)"),
            Change(
                PERMITTED,
                "def _count_readable(audience: Audience, versions: Versions)",
                "def _count_readable(audience: Audience)",
            ),
        ),
        (COPY_FOLLOWS,),
    ),
    Mutant(
        "the copy in memory kept when chunks change",
        (
            Change(
                COPY, "(self._copy.version, self._copy.model) != (versions.chunks, model)", "self._copy.model != model"
            ),
        ),
        (COPY_FOLLOWS,),
    ),
    Mutant(
        "revocations and grants are not counted as changes",
        (
            Change(
                POLICIES,
                "AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON core_roledocumentaccess",
                "AFTER TRUNCATE ON core_roledocumentaccess",
            ),
        ),
        (COPY_FOLLOWS,),
    ),
    Mutant(
        "the database shows every chunk to everybody",
        (Change(POLICIES, "ALTER TABLE core_chunk ENABLE ROW LEVEL SECURITY;\n", ""),),
        (FLOORS, ROW_SECURITY),
    ),
    Mutant(
        "the owner of the tables is not held by the policies",
        (Change(POLICIES, "ALTER TABLE core_chunk FORCE ROW LEVEL SECURITY;\n", ""),),
        (FLOORS, ROW_SECURITY),
    ),
    Mutant(
        "without an audience the database shows everything",
        (
            Change(
                POLICIES,
                "get_bit((SELECT footnote_readable()), document_number) = 1 ELSE false END",
                "get_bit((SELECT footnote_readable()), document_number) = 1 ELSE footnote_readable() IS NULL END",
            ),
        ),
        (FLOORS, ROW_SECURITY),
    ),
    Mutant(
        "the audience stays set after its transaction",
        (
            Change(
                FLOOR,
                "set_config('footnote.readable', %s, true)",
                "set_config('footnote.readable', %s, false)",
            ),
            Change(FLOOR, "    _set_row_security(*before)  #", "    pass  #"),
        ),
        (FLOORS, ROW_SECURITY),
    ),
    Mutant(
        "an inner block leaves its audience to the outer one",
        (Change(FLOOR, "    _set_row_security(*before)  #", "    pass  #"),),
        (ROW_SECURITY,),
    ),
    Mutant(
        "search reads without saying for whom",
        (Change(SEARCH, "with one_dimension(vector), as_audience(audience):", "with one_dimension(vector):"),),
        (SEARCHING,),
    ),
    Mutant(
        "a document gone through whoever reads",
        (
            Change(
                OUTLINE,
                "permitted = permitted_chunks(audience, filters).filter(document_id=document)",
                "permitted = Chunk.objects.filter(document_id=document)",
            ),
            Change(
                OUTLINE,
                "from core.models.row_security import as_audience\n",
                "from core.models import Chunk\nfrom core.models.row_security import as_audience\n",
            ),
        ),
        (GONE_THROUGH,),
    ),
    Mutant(
        "a document gone through without saying for whom",
        (Change(OUTLINE, "with one_dimension(vector), as_audience(audience):", "with one_dimension(vector):"),),
        (GONE_THROUGH,),
    ),
    Mutant(
        "the filter after the limit, comparing exactly",
        (
            Change(
                DENSE,
                "            case _:\n                similarities = nearest_of(chunks, self.vector, self.limit)\n",
                "            case _:\n"
                f"                found = nearest_of({_UNFILTERED}, self.vector, self.limit)\n"
                "                readable = set(chunks.filter(pk__in=list(found)).values_list('pk', flat=True))\n"
                "                similarities = {pk: value for pk, value in found.items() if pk in readable}\n",
            ),
            Change(DENSE, "from django.db import connection\n", _IMPORTS_CHUNK),
        ),
        (NEAREST,),
    ),
    Mutant(
        "passages read without the rule, on either floor",
        (
            Change(SEARCH, "permitted.for_reading()", "Chunk.objects.all().for_reading()"),
            Change(SEARCH, "as_audience(audience):", "bypass_row_security():"),
            Change(SEARCH, "row_security import as_audience", "row_security import bypass_row_security"),
        ),
        (READ_UNDER_THE_RULE,),
    ),
    Mutant(
        "candidates of the copy not masked",
        (
            Change(
                "core/retrieval/quantised.py",
                "        chosen = np.flatnonzero(rows)\n",
                "        chosen = np.arange(len(self))\n",
            ),
        ),
        (QUANTISED, COPY_FOLLOWS),
    ),
    Mutant(
        "candidates of the copy neither masked nor filtered afterwards",
        (
            Change(
                "core/retrieval/quantised.py",
                "        chosen = np.flatnonzero(rows)\n",
                "        chosen = np.arange(len(self))\n",
            ),
            Change(
                DENSE,
                "nearest_of(chunks.filter(pk__in=candidates)",
                f"nearest_of({_UNFILTERED}.filter(pk__in=candidates)",
            ),
            Change(DENSE, "from django.db import connection\n", _IMPORTS_CHUNK),
        ),
        (NEAREST,),
    ),
    Mutant(
        "words counted in the whole library",
        (
            Change(
                SEARCH,
                "permitted=nearest.permitted, limit",
                "permitted=sum(Document.objects.values_list('chunk_count', flat=True)), limit",
            ),
            Change(
                SEARCH,
                "from core.models import LATER_PAGES, Chunk\n",
                "from core.models import LATER_PAGES, Chunk, Document\n",
            ),
        ),
        (SAME_RESULT,),
    ),
    Mutant(
        "a passage read by its id, whoever reads",
        (Change(IN_PLACE, "readable = Chunk.objects.visible_to(audience)", "readable = Chunk.objects.all()"),),
        (PASSAGES,),
    ),
    Mutant(
        "earlier answers shown whoever looks",
        (
            Change(
                HISTORY,
                "readable_among((citation.document_id for citation in citations), audience)",
                "{citation.document_id for citation in citations}",
            ),
        ),
        (TURNS, OLD_ANSWERS),
    ),
    Mutant(
        "earlier retrievals listed whoever looks",
        (
            Change(HISTORY, 'Document.objects.visible_to(audience).values("pk")', 'Document.objects.values("pk")'),
            Change(HISTORY, "    with as_audience(audience):\n", "    with bypass_row_security():\n"),
            Change(HISTORY, "row_security import as_audience", "row_security import bypass_row_security"),
        ),
        (NOT_SHOWN_LATER,),
    ),
    Mutant(
        "numbers are not compared",
        (
            Change(
                SUPPORT,
                "tuple(\n            numbers.find_unsupported(said_numbers, "
                "quoted_numbers + numbers.find_numbers(source_rest), quoted)\n        )",
                "()",
            ),
        ),
        (CHANGED,),
    ),
    Mutant(
        "denials are not compared",
        (Change(SUPPORT, "            yield Reason.NEGATION\n", "            pass\n"),),
        (CHANGED,),
    ),
    Mutant(
        "a quote is read without the sentence around it",
        (
            Change(
                EVIDENCE,
                "if unit.start < self.end and self.start < unit.end",
                "if unit.start >= self.start and unit.end <= self.end",
            ),
        ),
        (CHANGED,),
    ),
    Mutant(
        "sources may be mixed",
        (Change(SUPPORT, "if _joins_by_itself(read) or _mixes(read):", "if _joins_by_itself(read):"),),
        (CHANGED,),
    ),
    Mutant(
        "a doubt without a verdict is shown",
        (Change(VERIFICATION, "return judged.doubts[0] if judged.doubts else None", "return None"),),
        (CHANGED, "tests/unit/verification/test_layout.py"),
    ),
    Mutant(
        "passages of different things prove a statement together",
        (Change(ATTRIBUTION, " or not all(_NAMES_ITS_SUBJECT.match(part) for part in parts)", ""),),
        ("tests/unit/verification/test_attribution.py",),
    ),
    Mutant(
        "a public channel is read by its members alone",
        (
            Change(
                IDENTITY,
                "return Audience.of([*_audience_of_people(people).role_sets, *passers_by])",
                "return _audience_of_people(people)",
            ),
        ),
        (PLACES,),
    ),
    Mutant(
        "a private channel that is shared is nobody else's",
        (
            Change(
                KINDS,
                "return ReadBy.OTHERS if any(said.get(flag) for flag in _CONNECTED) else ReadBy.MEMBERS",
                "return ReadBy.MEMBERS",
            ),
        ),
        (PLACES,),
    ),
    Mutant(
        "what a channel was a minute ago decides what is posted",
        (Change(KINDS, "if recent_is_enough():", "if True:"),),
        (PLACES,),
    ),
    Mutant(
        "what a file says that it is makes it that",
        (
            Change(
                "core/ingestion/pipeline.py",
                "source=source.key if alone or itself == [document] else _part(document, source),",
                "source=document.source_url or source.key,",
            ),
        ),
        ("tests/integration/ingestion/test_placing.py::TestWhatAFileSaysOfItself",),
    ),
    Mutant(
        "who may not grant replaces what they may not read",
        (Change("core/ingestion/placing.py", "if target.may_touch(there):", "if True:"),),
        (INGESTED + "::test_who_may_not_grant_replaces_nothing_that_they_may_not_read",),
    ),
    Mutant(
        "an answer keeps the words of a deleted document",
        (Change("core/history/deleted_documents.py", '.update(answer_text="", message="")', '.update(message="")'),),
        ("tests/integration/core/test_deleted_documents.py::test_no_table_keeps_a_word_of_it",),
    ),
    Mutant(
        "an address narrows a list of the admin by any field",
        (Change("adminsite/admin/base.py", "        if undeclared:\n", "        if False:\n"),),
        (LOOKUPS + "test_a_withheld_answer_cannot_be_guessed_from_the_address",),
    ),
    Mutant(
        "who may change a page decides who reads",
        (
            Change(
                "core/access.py",
                "return isinstance(user, User) and user.has_perm(DECIDE_WHO_READS)",
                "return isinstance(user, User)",
            ),
        ),
        (WHO_DECIDES + "test_who_may_not_decide_changes_no_reader_whatever_they_post",),
    ),
    Mutant(
        "a token may do whatever its person may",
        (
            Change(
                "adminsite/api/authentication.py",
                "return scope is not None and has_scope(request, scope)",
                "return True",
            ),
        ),
        ("tests/integration/rest/test_tokens.py::test_a_token_reads_answers_and_nothing_else_unless_it_is_told",),
    ),
    Mutant(
        "a changed event of the audit trail passes",
        (Change("core/audit.py", "if digest != event.digest:", "if False:"),),
        ("tests/integration/core/test_audit.py::test_whatever_is_changed_is_found_where_it_is",),
    ),
    Mutant(
        "files are read where nothing shuts their parser in",
        (Change("core/ingestion/fence.py", "if self._required and not self.report.holds:", "if False:"),),
        (SANDBOX + "test_nothing_is_read_where_the_fence_does_not_hold",),
    ),
    Mutant(
        "passwords are looked at however many were wrong",
        (
            Change(
                "adminsite/sign_in/limits.py",
                'failed["both"] >= PER_ACCOUNT_AND_ADDRESS or ',
                "",
            ),
        ),
        ("tests/integration/sign_in/test_limits.py::test_after_five_wrong_passwords_the_right_one_is_not_looked_at",),
    ),
    Mutant(
        "an address of the model's own is shown",
        (Change(SUPPORT, "        return Reason.ADDRESS\n", "        pass\n"),),
        ("tests/unit/verification/test_addresses.py::test_an_address_of_the_models_own_is_not_shown",),
    ),
    Mutant(
        "the amount of one class of substances is said of another",
        (
            Change(
                "core/verification/subjects.py",
                "return all(not theirs.get(kind) or theirs[kind] & values for kind, values in mine.items())",
                "return True",
            ),
        ),
        ("tests/unit/verification/test_assessment.py::test_what_is_said_of_another_subject_is_doubted",),
    ),
    Mutant(
        "the readers of closest passages are not asked again",
        (
            Change(
                "bot/delivery/results.py",
                "if isinstance(result, Answer) or result.closest:",
                "if isinstance(result, Answer):",
            ),
        ),
        ("tests/integration/bot/test_closest.py::test_who_reads_them_is_asked_again",),
    ),
    Mutant(
        "the beginning of an answer is told whoever may read it by then",
        (
            Change(
                RECORD,
                "        if not still_visible(citations, audience):\n            return False\n",
                "",
            ),
        ),
        (LEAKS + "test_answers.py::test_the_beginning_of_an_answer_tells_only_what_everyone_may_read",),
    ),
    Mutant(
        "what a judge would be asked about is told before",
        (Change("core/answering/preview.py", "return [False] * len(claims)", "return [True] * len(claims)"),),
        ("tests/integration/answers/test_previews.py::test_what_a_judge_would_be_asked_about_waits_for_it",),
    ),
    Mutant(
        "the readers of the beginning of an answer are not asked again",
        (
            Change(
                "bot/delivery/results.py",
                "is_same = audiences.readers_of(client, event).audience == audience",
                "is_same = True",
            ),
        ),
        ("tests/integration/bot/test_streams.py::TestWhileTheModelWrites::test_the_readers_have_changed",),
    ),
    Mutant(
        "a small model is believed whatever its passages are worth",
        (
            Change(
                "core/answering/composition.py",
                "return is_close(estimate) and holds_new(",
                "return holds_new(",
            ),
        ),
        ("tests/integration/answers/test_small_models.py::test_where_nothing_is_near_a_small_model_is_not_believed",),
    ),
    Mutant(
        "the estimate overrules a model whose statements stand",
        (
            Change(
                "core/answering/composition.py",
                "    if can_judge(model):\n        return True\n",
                "    if can_judge(model):\n        return is_sure(estimate)\n",
            ),
        ),
        (OUTCOMES + "test_statements_that_stand_are_an_answer_whatever_the_estimate",),
    ),
    Mutant(
        "an item is read without what introduces it",
        (
            Change(
                "core/nlp/structure.py",
                "above = tuple(span for span in (self.group_lead, *(span for _, span in self.items)) if span)",
                "above = ()",
            ),
        ),
        ("tests/unit/nlp/test_structure.py::test_items_and_rows_stand_under_what_introduces_them",),
    ),
    Mutant(
        "words of what may not be read put a question right",
        (
            Change(
                VOCABULARY,
                "with as_audience(audience), connection.cursor()",
                "with bypass_row_security(), connection.cursor()",
            ),
            Change(VOCABULARY, "import as_audience\n", "import bypass_row_security\n"),
            Change(VOCABULARY, "permitted_chunks(audience, Filters()).filter(", "Chunk.objects.filter("),
        ),
        ("tests/integration/answering/test_words_people_use.py::test_only_what_may_be_read_puts_a_word_right",),
    ),
    Mutant(
        "an extract about another subject is grounded",
        (
            Change(
                "core/evaluation/triad/local.py",
                "return 0.0 if all(of_another_subject(question, self.text, passage) for passage in holding) else 1.0",
                "return 1.0",
            ),
        ),
        ("tests/unit/evaluation/test_local.py::test_an_extract_of_another_subject_is_not_grounded",),
    ),
)
