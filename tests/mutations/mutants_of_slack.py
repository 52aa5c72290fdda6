"""Ways to break what protects people in Slack from one another, and the tests that have to fail for each."""

from tests.mutations.changes import Change, Mutant
from tests.mutations.operators import (
    drop_argument,
    drop_operand,
    drop_statement,
    replace_argument,
    replace_call,
    replace_condition,
    replace_text,
    replace_value,
)

BOT = "tests/integration/bot/"
ORGANISATIONS, RENEWAL, WHY = (BOT + f"test_{name}.py::" for name in ("organisations", "renewal", "why"))
LINKS, BESIDE, SEARCHED = (BOT + f"test_{name}.py::" for name in ("links", "beside", "message_search"))
REMOVED, OWNERS, THREADS = (BOT + f"test_{name}.py::" for name in ("removing", "owners", "thread_summaries"))
LINKS_OF_PLACES = "tests/integration/leaks/test_slack.py::test_links_show_what_whoever_can_read_them_may_read"
LEFT_OUT = SEARCHED + "test_what_cannot_be_quoted_is_left_out"
AT_THE_SAME_MOMENT = RENEWAL + "test_two_processes_at_the_same_moment_exchange_once"

LINK_SHARED = "bot.listeners.document_links:on_link_shared"
UNFURLED, DETAILS = "bot.links:_build_entities", "bot.links:_find_audience"
RESULTS, MESSAGES = "bot.delivery.results:", "bot.delivery.messages:"
INCOMING, MAY_BE_ASKED = "bot.listeners.message_events:build_incoming", MESSAGES + "_may_be_asked"
FOUND, KEEP = "bot.slack.searching:_read_message", MESSAGES + "MessageSearch._keep_places"
ASKING, THREAD = "bot.owners.asking:", "bot.delivery.summaries:"
_OWN_PATH = "own is None or given is None or not given[3].startswith(own[3])"
_POSTER = "audiences.find_account_audience(client, row.team_id, row.user_id)[1]"
_DOCUMENT = "from core.models import Document"

OF_SLACK = (
    Mutant(
        "a channel of another workspace of the organisation counts as this one's",
        (Change("bot.identity.channel_kinds:find_read_by", replace_call("_is_here", "True")),),
        (
            "tests/integration/leaks/test_organisations.py::test_no_workspace_shows_what_another_may",
            ORGANISATIONS + "TestReaders",
        ),
    ),
    Mutant(
        "a token is renewed without the lock of its row",
        (Change("bot.slack.renewal:renew", replace_call("select_for_update", "Installation.objects")),),
        (AT_THE_SAME_MOMENT,),
    ),
    Mutant(
        "a token that another process has renewed meanwhile is renewed again",
        (Change("bot.slack.renewal:renew", drop_operand("_is_due")),),
        (AT_THE_SAME_MOMENT,),
    ),
    Mutant(
        "a workspace that the organisation takes away forgets nobody",
        (Change("bot.installations.organisations:_forget_workspaces", drop_statement("forget_teams")),),
        (ORGANISATIONS + "TestAccess::test_a_workspace_is_taken_away_at_once",),
    ),
    Mutant(
        "who leaves a workspace of the organisation stays known in it",
        (Change("bot.identity.people:note_change", replace_condition("get", "False")),),
        (ORGANISATIONS + "TestReaders::test_who_leaves_a_workspace_is_known_there_no_more",),
    ),
    Mutant(
        "an answer that was shown to its asker alone is explained to others",
        (Change("bot.identity.interactions:find_reply", replace_value("replies", "replies.first()")),),
        (WHY + "test_what_the_presser_may_not_read_is_explained_to_nobody",),
    ),
    Mutant(
        "the last answer of somebody else is explained",
        (Change("bot.identity.explanations:find_last_answer", drop_argument("filter", "event__user_id")),),
        (WHY + "test_the_command_explains_the_last_answer_of_its_place",),
    ),
    Mutant(
        "a link shows what its poster may read, whoever reads along",
        (Change(UNFURLED, replace_value("find_channel_audience", _POSTER)),),
        (LINKS + "test_one_who_may_not_read_it_keeps_it_from_all", LINKS_OF_PLACES),
    ),
    Mutant(
        "a link is shown while it is typed, when nobody knows who will read it",
        (Change("bot.listeners.document_links:on_link_shared", replace_condition("_BEFORE_IT_IS_POSTED", "False")),),
        (LINKS + "test_what_is_being_typed_shows_nothing",),
    ),
    Mutant(
        "a link of another host counts as ours",
        (Change("core.infrastructure.public_address:read_address", replace_condition("startswith", _OWN_PATH)),),
        (LINKS + "test_another_address_shows_nothing",),
    ),
    Mutant(
        "a link shows documents to which its channel does not keep",
        (Change("bot.links:_find_card", replace_condition("collections", "False")),),
        (LINKS + "test_a_channel_keeps_to_its_collections",),
    ),
    Mutant(
        "a link is shown in a channel that is switched off",
        (Change(UNFURLED, replace_condition("enabled", "False")),),
        (LINKS + "test_a_channel_keeps_to_its_collections",),
    ),
    Mutant(
        "the card of a message is opened for one person, whoever reads along",
        (Change(DETAILS, replace_condition("channel_id", "True")),),
        (LINKS + "test_below_a_message_others_read_along", LINKS_OF_PLACES),
    ),
    Mutant(
        "the card of a message is opened for its channel, and not for who opens it",
        (Change(DETAILS, replace_argument("of", 0, "there.role_sets")),),
        (LINKS + "test_a_channels_own_roles_widen_nothing_for_who_opens_a_card",),
    ),
    Mutant(
        "a question means a channel in which its asker is not",
        (Change(RESULTS + "_may_mean", replace_condition("is_in", "True")),),
        (BESIDE + "test_another_channel_is_as_none",),
    ),
    Mutant(
        "a question means a channel of another workspace",
        (Change("bot.channels.beside:read_channel", replace_condition("is_ours", "True")),),
        (BESIDE + "test_another_channel_is_as_none",),
    ),
    Mutant(
        "what was told late of an open channel counts as the last",
        (Change("bot.channels.beside:note_context", drop_operand("row seen_at")),),
        (BESIDE + "test_doubled_late_and_disordered_events",),
    ),
    Mutant(
        "a channel that was open long ago counts as open",
        (Change("bot.channels.beside:find_context_channel", drop_argument("filter", "seen_at__gte")),),
        (BESIDE + "test_it_counts_for_minutes",),
    ),
    Mutant(
        "the leave to search comes along with a message that others read",
        (Change(INCOMING, drop_operand("DIRECT")),),
        (SEARCHED + "test_nothing_is_searched_for_others_to_read",),
    ),
    Mutant(
        "messages are searched for an answer that others read",
        (Change(MAY_BE_ASKED, drop_operand("kind")),),
        (SEARCHED + "test_a_leave_that_stands_beside_a_mention_is_not_used",),
    ),
    Mutant(
        "the leave to search is kept in a workspace that may not be searched",
        (Change(INCOMING, drop_operand("may_search_messages")),),
        (SEARCHED + "test_it_is_off_until_an_administrator_turns_it_on",),
    ),
    Mutant(
        "messages are searched in a workspace that may no longer be searched",
        (Change(MAY_BE_ASKED, drop_operand("may_search_messages")),),
        (SEARCHED + "test_switched_off_between_question_and_answer",),
    ),
    Mutant(
        "messages are searched for another workspace",
        (Change(MAY_BE_ASKED, drop_operand("team_id own_team_id")),),
        (SEARCHED + "test_an_event_of_another_team_is_not_searched_for",),
    ),
    Mutant(
        "messages are searched for guests",
        (Change(MAY_BE_ASKED, replace_value("find_person", "True")),),
        (SEARCHED + "test_guests_and_others_search_nothing",),
    ),
    Mutant(
        "the leave to search is kept beyond the answer",
        (
            Change(
                "bot.delivery.engine:_record_end",
                replace_value("_EVENT_STATES", "(_EVENT_STATES[state], event.action_token)"),
            ),
        ),
        (
            SEARCHED + "test_a_failed_reply_keeps_no_leave",
            "tests/integration/leaks/test_slack_messages.py::test_no_word_of_a_message_is_kept",
        ),
    ),
    Mutant(
        "the words of a message are kept",
        (
            Change(
                MESSAGES + "MessageSearch._keep_places",
                replace_argument("QuotedMessage", "words_hash", "quote.words[-64:]"),
            ),
        ),
        ("tests/integration/leaks/test_slack_messages.py::test_no_word_of_a_message_is_kept",),
    ),
    Mutant(
        "a message that Slack found leads elsewhere",
        (Change(FOUND, drop_operand("_is_at")),),
        (LEFT_OUT,),
    ),
    Mutant(
        "what a bot said in Slack is quoted",
        (Change(FOUND, replace_text("^is_author_bot$", "is_nobody")),),
        (LEFT_OUT,),
    ),
    Mutant(
        "a message that does not answer is quoted",
        (Change("core.asking.quoting:quote_texts", replace_condition("_is_answered_by", "True")),),
        (SEARCHED + "test_what_does_not_answer_is_not_quoted",),
    ),
    Mutant(
        "words that do not stand in a message are quoted from it",
        (Change("core.asking.quoting:quote_texts", replace_condition("_is_verbatim", "True")),),
        ("tests/unit/core/test_quoting.py",),
    ),
    Mutant(
        "anybody takes an answer away",
        (Change("bot.delivery.removing:remove", drop_argument("filter", "event__user_id")),),
        (REMOVED + "test_nobody_else_removes_it",),
    ),
    Mutant(
        "an answer is taken away by a press elsewhere",
        (
            Change("bot.delivery.removing:remove", drop_argument("filter", "ts")),
            Change("bot.delivery.removing:remove", drop_argument("filter", "channel_id")),
        ),
        (REMOVED + "test_only_the_message_of_the_answer_is_changed",),
    ),
    Mutant(
        "an answer that was taken away is told of when its source changes",
        (Change("bot.footnotes:_find_reply", drop_argument("filter", "removed_at")),),
        (REMOVED + "test_a_removed_answer_is_told_of_no_more",),
    ),
    Mutant(
        "who may not read a document is asked as its owner",
        (Change("core.library.owners:find_owner", replace_condition("readable_editions", "True")),),
        (OWNERS + "TestOffered::test_an_owner_who_may_not_read_it",),
    ),
    Mutant(
        "anybody stops a question",
        (Change("bot.delivery.stopping:ask_to_stop", drop_operand("slack_user_id")),),
        (BOT + "test_stopping.py::test_only_the_asker_stops_a_question",),
    ),
    Mutant(
        "the steps of an answer count documents that one may not read",
        (
            Change(
                RESULTS + "_count_documents",
                replace_value("readable_collections", "Document.objects.count()"),
                imports=_DOCUMENT,
            ),
        ),
        ("tests/integration/leaks/test_steps.py",),
    ),
    Mutant(
        "the owner of a document that they may not read is shown a question about it",
        (Change(ASKING + "compose", replace_condition("find_owner", "False")),),
        (OWNERS + "test_an_owner_who_lost_the_document_is_not_shown_it",),
    ),
    Mutant(
        "anybody answers in the place of a document's owner",
        (Change(ASKING + "answer", drop_argument("filter", "owner_id")),),
        (OWNERS + "test_nobody_but_the_owner_answers",),
    ),
    Mutant(
        "a document is named to who may no longer read it when its owner has answered",
        (Change("bot.owners.notifying:_compose_word", replace_value("readable_among", "row.document.title")),),
        (OWNERS + "test_who_lost_the_document_is_told_without_its_name",),
    ),
    Mutant(
        "what bots said to others is quoted in the summary of a thread",
        (Change(THREAD + "_read_thread", drop_operand("is_persons")),),
        (THREADS + "test_what_bots_wrote_is_not_quoted",),
    ),
    Mutant(
        "messages after a question are quoted in the summary of its thread",
        (Change(THREAD + "_read_thread", drop_operand("is_earlier")),),
        (THREADS + "test_other_threads_and_later_messages_are_left_out",),
    ),
    Mutant(
        "the summary of a thread leads elsewhere than to Slack",
        (Change(THREAD + "_find_address", replace_condition("is_slacks", "True")),),
        (THREADS + "test_an_address_that_is_not_slacks_is_no_link",),
    ),
)
