"""List ways to break what protects programs, their replies, and explanations; and the tests that have to fail."""

from tests.mutations.changes import Change, Mutant
from tests.mutations.operators import (
    drop_argument,
    drop_operand,
    drop_statement,
    replace_argument,
    replace_call,
    replace_condition,
    replace_value,
)

AUDIENCES = "tests/integration/leaks/test_token_audiences.py::"
FOR_PEOPLE = AUDIENCES + "test_a_token_for_people_gives_what_all_of_them_may_read"
FOR_A_CHANNEL = AUDIENCES + "test_a_token_for_a_channel_gives_what_its_readers_and_its_person_may_read"
UNKNOWN_READERS = AUDIENCES + "test_whom_nobody_knows_reads_nothing_and_the_answer_says_so"
BAD_REQUESTS, DOCUMENTS = (f"tests/integration/programs/test_{name}.py::" for name in ("bad_requests", "documents"))
NOT_TOLD = BAD_REQUESTS + "test_what_may_not_be_asked_is_told_to_the_program"
NO_OTHER_REDIRECT = BAD_REQUESTS + "test_nothing_is_sent_where_the_program_did_not_say"
UNUSABLE = DOCUMENTS + "test_a_document_that_cannot_be_used_is_refused_in_words"
EXPLAINED = "tests/integration/leaks/test_explanations.py::"

PROGRAMS, READERS = "core.programs.asking:", "core.access.token_audiences:"
CONNECTIONS, VALIDATOR = "core.programs.connections:", "adminsite.programs.validator:Validator."
FETCHED, CONSENT = "core.programs.documents:", "adminsite.programs.consent:Consent."
_PERSON = "find_readers(program.person.pk, TokenAudience()).audience"
_BEGINS_SO = "any(redirect_uri.startswith(uri) for uri in request.client.redirect_uris.split())"
_ACTIVE = "User.objects.filter(pk__in=everyone, is_active=True).values_list('pk', flat=True)"

_ANYWHERE, _REPLACE = "replace(policy, allowed=lambda address: True)", "from dataclasses import replace"
_ALWAYS = replace_value("is_consent", "True")

OF_PROGRAMS = (
    Mutant(
        "a program is answered for its person alone, whoever reads along",
        (Change(PROGRAMS + "ask", replace_argument("ask", "audience", _PERSON)),),
        (FOR_PEOPLE, FOR_A_CHANNEL),
    ),
    Mutant(
        "a program searches for its person alone, whoever reads along",
        (Change(PROGRAMS + "search", replace_argument("search", "audience", _PERSON)),),
        (FOR_PEOPLE, FOR_A_CHANNEL),
    ),
    Mutant(
        "a program reads passages for its person alone, whoever reads along",
        (Change(PROGRAMS + "read_passage", replace_argument("passage", "audience", _PERSON)),),
        (FOR_PEOPLE, FOR_A_CHANNEL),
    ),
    Mutant(
        "the readers of a program's answer are not asked again",
        (Change(PROGRAMS + "ask", replace_condition("find_readers", "False")),),
        (AUDIENCES + "test_readers_who_change_while_it_is_answered_are_not_told",),
    ),
    Mutant(
        "a person's own questions are told to everyone who reads along with their program",
        (Change(READERS + "asked_for", replace_condition("asks_for", "True")),),
        (AUDIENCES + "test_the_persons_own_questions_are_not_told_to_others",),
    ),
    Mutant(
        "a conversation is carried from a program's person to everyone who reads along",
        (
            Change(
                PROGRAMS + "Program.asker",
                replace_value("asker_on_behalf", "asker_for(self.person)"),
                imports="from core.access.audiences import asker_for",
            ),
        ),
        (AUDIENCES + "test_a_conversation_is_not_carried_from_one_audience_to_another",),
    ),
    Mutant(
        "somebody who is not active is left out of a program's readers",
        (Change(READERS + "find_readers", replace_call("nobody", f"audience_of({_ACTIVE})")),),
        (UNKNOWN_READERS,),
    ),
    Mutant(
        "unknown readers of a channel are left out of a program's readers",
        (Change(READERS + "_find_channel_readers", replace_call("nobody", "audience_of([person_id])")),),
        (UNKNOWN_READERS,),
    ),
    Mutant(
        "a program's person is no reader of what it is given for a channel",
        (Change(READERS + "_find_channel_readers", replace_argument("of", 0, "told.audience.role_sets")),),
        (FOR_A_CHANNEL,),
    ),
    Mutant(
        "an explanation counts what was left out of passages that one may not read",
        (Change("core.asking.explanations:_explain_search", replace_value("chunk_ids len", "True")),),
        (EXPLAINED + "test_a_document_that_is_not_the_viewers_looks_deleted",),
    ),
    Mutant(
        "what was left out of a selected text is explained to others than its asker",
        (Change("core.asking.explanations:explain", replace_condition("viewer user_id", "True")),),
        (EXPLAINED + "test_a_refusal_about_a_selected_text_tells_others_of_nothing_that_was_left_out",),
    ),
    Mutant(
        "another person's question is explained to a program",
        (Change("core.asking.explanations:explain_own", drop_statement("own_result")),),
        (EXPLAINED + "test_ones_own_questions_alone_are_explained_over_rest",),
    ),
    Mutant(
        "a document that changed is told of to who may not read it",
        (
            Change(
                "core.quality.footnotes.changed:list_changed_documents", replace_call("visible_to", "Document.objects")
            ),
        ),
        ("tests/integration/bot/test_home.py::test_what_changed_goes_with_the_right_to_read_it",),
    ),
    Mutant(
        "a program's token opens another installation",
        (Change(CONNECTIONS + "find_by_token", drop_operand("resource")),),
        (BAD_REQUESTS + "test_an_access_token_opens_mcp_alone",),
    ),
    Mutant(
        "a program asks for a token for another installation",
        (Change(CONSENT + "validate_authorization_request", replace_condition("named", "False")),),
        (NOT_TOLD,),
    ),
    Mutant(
        "a program need not prove that a code is its own",
        (Change(CONSENT + "validate_authorization_request", replace_condition("is_digest", "False")),),
        (NOT_TOLD,),
    ),
    Mutant(
        "a connection goes on when its code is used again",
        (Change(VALIDATOR + "validate_code", drop_statement("end")),),
        (BAD_REQUESTS + "test_a_code_is_redeemed_once",),
    ),
    Mutant(
        "a connection goes on when a refresh token is used again",
        (Change(VALIDATOR + "validate_refresh_token", drop_statement("end")),),
        (BAD_REQUESTS + "test_a_refresh_token_is_used_once",),
    ),
    Mutant(
        "two requests redeem one code at the same moment, without a lock",
        (Change(VALIDATOR + "_save_bearer_token", replace_call("select_for_update", "ConnectedProgram.objects")),),
        (BAD_REQUESTS + "test_a_code_is_redeemed_once_at_the_same_moment",),
    ),
    Mutant(
        "two requests redeem one code at the same moment, and nobody looks",
        (Change(VALIDATOR + "_save_bearer_token", replace_condition("token_family", "False")),),
        (BAD_REQUESTS + "test_a_code_is_redeemed_once_at_the_same_moment",),
    ),
    Mutant(
        "a connection goes on when its code is used twice at the same moment",
        (Change(VALIDATOR + "save_bearer_token", drop_statement("end")),),
        (BAD_REQUESTS + "test_a_code_is_redeemed_once_at_the_same_moment",),
    ),
    Mutant(
        "two requests refresh with one token at the same moment",
        (Change(VALIDATOR + "_lock_refresh_token", replace_condition("revoked", "False")),),
        (BAD_REQUESTS + "test_a_refresh_token_is_used_once_at_the_same_moment",),
    ),
    Mutant(
        "a code is sent to an address that begins as one that the program names",
        (Change(VALIDATOR + "validate_redirect_uri", replace_call("validate_redirect_uri", _BEGINS_SO)),),
        (NO_OTHER_REDIRECT,),
    ),
    Mutant(
        "a code is sent wherever the program's document says",
        (
            Change(FETCHED + "_take_used", replace_condition("may_be_redirected_to", "True")),
            Change(VALIDATOR + "validate_redirect_uri", drop_operand("may_be_redirected_to")),
        ),
        (UNUSABLE,),
    ),
    Mutant(
        "a program's document is fetched from inside",
        (Change(FETCHED + "fetch_document", replace_argument("send", "policy", _ANYWHERE), imports=_REPLACE),),
        (DOCUMENTS + "test_no_other_address_is_asked",),
    ),
    Mutant(
        "a program's document may be of any size",
        (Change(FETCHED + "_read_document", replace_condition("most_bytes", "False")),),
        (UNUSABLE,),
    ),
    Mutant(
        "a program's document may be another program's",
        (Change(FETCHED + "_read_document", replace_condition("client_id", "False")),),
        (UNUSABLE,),
    ),
    Mutant(
        "a program that nobody has met is asked for its document by whoever asks for tokens",
        (Change("adminsite.programs.client_documents:OnlyWhereSomebodyConsents.has_permission", _ALWAYS),),
        (BAD_REQUESTS + "test_who_is_not_signed_in_is_sent_to_sign_in",),
    ),
    Mutant(
        "a program registers with any address",
        (Change("adminsite.programs.endpoints:Registration.post", replace_call("_find_fault", "''")),),
        (BAD_REQUESTS + "test_a_registered_program_names_usable_addresses",),
    ),
    Mutant(
        "a connection has no end",
        (Change(CONNECTIONS + "find_live", drop_argument("filter", "expires_at__gt")),),
        (BAD_REQUESTS + "test_a_connection_ends_in_time",),
    ),
    Mutant(
        "a program asks on for a person who was deactivated",
        (
            Change(CONNECTIONS + "find_live", drop_argument("filter", "user__is_active")),
            Change(CONNECTIONS + "find_by_token", drop_argument("filter", "user__is_active")),
        ),
        ("tests/integration/programs/test_whole_way.py::test_a_person_who_is_away_takes_the_program_along",),
    ),
    Mutant(
        "a program revokes another one's token",
        (Change(VALIDATOR + "revoke_token", replace_value("digest_of", "{'token_checksum': digest_of(token)}")),),
        (BAD_REQUESTS + "test_another_programs_refresh_token_is_none",),
    ),
    Mutant(
        "a code goes where the program's document no longer says",
        (Change(VALIDATOR + "confirm_redirect_uri", replace_condition("redirect_uri_allowed", "False")),),
        (DOCUMENTS + "test_redirects_that_change_between_consent_and_code_are_told",),
    ),
    Mutant(
        "somebody consents to a program whose document is gone",
        (Change(VALIDATOR + "_load_application", replace_call("is_consent", "False")),),
        (DOCUMENTS + "test_nobody_consents_to_a_document_that_is_gone",),
    ),
    Mutant(
        "a program asks for a channel in which its person is not",
        (Change("core.programs.connections:list_own_channels", drop_argument("filter", "channel_id__in")),),
        ("tests/integration/programs/test_pages.py::test_a_channel_is_chosen_among_ones_own",),
    ),
    Mutant(
        "an answer goes on when its client is gone",
        (Change("adminsite.mcp.streams:_write_events", drop_statement("set")),),
        ("tests/integration/mcp/test_progress.py::test_a_client_that_gives_up_stops_the_answer",),
    ),
)
