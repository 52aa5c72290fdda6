"""The door to Footnote: asking, searching, earlier results, feedback, what may be read, and the erasing of texts.

For these, Slack, REST, MCP, the admin and the command line come in here and nowhere else: none of them imports what
answers, retrieves, generates, verifies or keeps the history. Who asks, and who will read, `core.access` says; documents
are handed in through `core.library.ingestion`; the values that pass are in `core.types`, their JSON in
`core.serialization`.

The tables of `core.models` are open to those who look after them or count in them: the admin, reports and figures, the
lists of REST, and the commands that grant, ingest and measure. Everybody else finds there only people, their accounts,
roles and tokens, and what an administrator has set up. The bot's rows point at questions, whose own words it may read;
what came of them it asks for here.

There is a module for each subject, but their names are imported from here. Each function that needs the database
raises DatabaseUnavailableError where that is away. Importing the door is cheap: models, LiteLLM and smolagents are
loaded by the first call that needs them.
"""

from core.api.asking import (
    MOST_SEARCH_RESULTS,
    ask,
    check_question,
    check_selection,
    guidance,
    guidance_beside,
    note_told,
    parse_filters,
    search,
    suggested_questions,
    take_budget_notice,
)
from core.api.contradictions import (
    ask_owner,
    list_contradictions,
    may_see_contradictions,
    open_contradiction_again,
    say_that_both_hold,
    say_that_one_holds,
)
from core.api.conversations import continue_or_open_conversation, end_conversation, end_slack_thread, open_conversation
from core.api.documents import (
    find_original,
    new_documents,
    open_citation,
    open_document,
    passage,
    readable_collections,
    readable_documents,
)
from core.api.dry_runs import answer_now, ask_as, readable_run, replay, trace
from core.api.receipts import issue_receipt, may_issue_receipt, preview_receipt, published_keys
from core.api.research import (
    change_plan,
    count_researches,
    delete_research,
    estimate_research,
    list_researches,
    plan_again,
    plan_research,
    read_research,
    run_research_here,
    start_research,
    stop_research,
    write_research,
)
from core.api.results import (
    count_answers_with_words_of,
    count_erasable_texts,
    erase_texts,
    give_feedback,
    may_read_more,
    own_question,
    own_result,
    recent_questions,
    stored_quotes,
    stored_result,
    stored_results,
    why_dropped,
)
from core.api.sections import (
    add_rule,
    change_rule,
    decide_unrecognised,
    list_restricted_sections,
    list_section_rules,
    list_sections,
    list_undecided_parts,
    may_decide_sections,
    preview_rule,
    remove_rule,
    restrict_section,
)

__all__ = [
    "MOST_SEARCH_RESULTS",
    "add_rule",
    "answer_now",
    "ask",
    "ask_as",
    "ask_owner",
    "change_plan",
    "change_rule",
    "check_question",
    "check_selection",
    "continue_or_open_conversation",
    "count_answers_with_words_of",
    "count_erasable_texts",
    "count_researches",
    "decide_unrecognised",
    "delete_research",
    "end_conversation",
    "end_slack_thread",
    "erase_texts",
    "estimate_research",
    "find_original",
    "give_feedback",
    "guidance",
    "guidance_beside",
    "issue_receipt",
    "list_contradictions",
    "list_researches",
    "list_restricted_sections",
    "list_section_rules",
    "list_sections",
    "list_undecided_parts",
    "may_decide_sections",
    "may_issue_receipt",
    "may_read_more",
    "may_see_contradictions",
    "new_documents",
    "note_told",
    "open_citation",
    "open_contradiction_again",
    "open_conversation",
    "open_document",
    "own_question",
    "own_result",
    "parse_filters",
    "passage",
    "plan_again",
    "plan_research",
    "preview_receipt",
    "preview_rule",
    "published_keys",
    "read_research",
    "readable_collections",
    "readable_documents",
    "readable_run",
    "recent_questions",
    "remove_rule",
    "replay",
    "restrict_section",
    "run_research_here",
    "say_that_both_hold",
    "say_that_one_holds",
    "search",
    "start_research",
    "stop_research",
    "stored_quotes",
    "stored_result",
    "stored_results",
    "suggested_questions",
    "take_budget_notice",
    "trace",
    "why_dropped",
    "write_research",
]
