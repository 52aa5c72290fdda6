"""List ways to break receipts and what verifies them, and the tests that have to fail."""

from tests.mutations.changes import Change, Mutant
from tests.mutations.operators import drop_operand, drop_statement, replace_call, replace_condition, replace_value

VERIFYING = "core.asking.receipts.verify_receipt:"
ISSUING = "core.asking.receipts.issuing:"
CASES = "tests/unit/receipts/test_verify_receipt.py::test_each_change_is_noticed_and_nothing_else"
ISSUED = "tests/integration/receipts/test_issuing.py::"
CHANGED = ISSUED + "test_what_was_changed_in_the_database_gets_none"
OTHERS = ISSUED + "test_only_who_asked_or_may_issue_others_gets_one"
ROLES = ISSUED + "test_roles_are_for_who_may_see_roles"
SHOWN = "tests/integration/leaks/test_receipts.py::"

OF_RECEIPTS = (
    Mutant(
        "any signature fits",
        (Change(VERIFYING + "_check_signature", replace_call("verify", "public_key")),),
        (CASES,),
    ),
    Mutant(
        "a receipt may name another algorithm",
        (Change(VERIFYING + "_check_signature", drop_operand("ALGORITHM")),),
        (CASES,),
    ),
    Mutant(
        "a key may have another's name",
        (Change(VERIFYING + "_check_signature", drop_operand("find_thumbprint")),),
        (CASES,),
    ),
    Mutant(
        "every key is one of those that were given",
        (Change(VERIFYING + "_check_signature", replace_condition("public_key keys", "True")),),
        (CASES,),
    ),
    Mutant(
        "parts need no digest",
        (Change(VERIFYING + "_check_parts", replace_condition("added sealed", "False")),),
        (CASES,),
    ),
    Mutant(
        "words may stand outside the seal",
        (Change(VERIFYING + "_check_parts", replace_condition("added sealed", "digest not in {*digests}")),),
        (CASES,),
    ),
    Mutant(
        "what is signed may be another than was recorded",
        (Change(VERIFYING + "_check_events", drop_operand("hash_payload")),),
        (CASES,),
    ),
    Mutant(
        "every event is the answer's",
        (Change(VERIFYING + "_check_event", drop_operand("of")),),
        (CASES,),
    ),
    Mutant(
        "every action is an answer",
        (Change(VERIFYING + "_check_event", drop_operand("actions")),),
        (CASES,),
    ),
    Mutant(
        "an event may be of another time",
        (Change(VERIFYING + "_check_event", replace_condition("moment", "False")),),
        (CASES,),
    ),
    Mutant(
        "an event of somebody else is the asker's",
        (Change(VERIFYING + "_check_answer_event", replace_condition("actor", "False")),),
        (CASES,),
    ),
    Mutant(
        "an event that was added later is as old as it says",
        (Change(VERIFYING + "_follow", replace_condition("latest _LATE", "False")),),
        (CASES,),
    ),
    Mutant(
        "a head proves the age of what came after it",
        (Change(VERIFYING + "_check_head", replace_condition("number kept", "False")),),
        ("tests/unit/receipts/test_verify_receipt.py::test_a_head_shows_the_age_of_the_answer_alone",),
    ),
    Mutant(
        "what nobody vouches for is shown",
        (Change(VERIFYING + "verify", drop_statement("clear")),),
        ("tests/unit/receipts/test_verify_receipt.py::test_words_that_nobody_vouches_for_are_not_shown",),
    ),
    Mutant(
        "a part may have any name",
        (Change(VERIFYING + "_read_disclosure", replace_condition("_NAME", "False")),),
        (CASES,),
    ),
    Mutant(
        "a seal need not be that of its digests",
        (Change(VERIFYING + "_check_parts", replace_condition("seal_digests", "False")),),
        (CASES,),
    ),
    Mutant(
        "an event need not fit its digest",
        (Change(VERIFYING + "_read_event", replace_condition("hash_event", "False")),),
        (CASES,),
    ),
    Mutant(
        "text in two spellings is one",
        (Change(VERIFYING + "decode", replace_condition("encode", "False")),),
        (CASES,),
    ),
    Mutant(
        "events of an audit trail need not follow each other",
        (Change(VERIFYING + "_follow", replace_condition("previous number", "False")),),
        (CASES,),
    ),
    Mutant(
        "an answer that was changed gets a receipt",
        (Change(ISSUING + "issue_receipt", replace_condition("_is_as_recorded", "False")),),
        (CHANGED,),
    ),
    Mutant(
        "the seal of the audit trail does not count",
        (Change(ISSUING + "_is_as_recorded", drop_operand("recorded")),),
        (ISSUED + "test_a_seal_of_changed_words_is_not_the_one_of_the_trail",),
    ),
    Mutant(
        "of two events of an answer either will do",
        (Change(ISSUING + "_find_event", replace_condition("len events", "not events")),),
        (CHANGED,),
    ),
    Mutant(
        "a late seal may be made anew",
        (Change(ISSUING + "_find_seal", replace_value("_list_earlier_seals", "set()")),),
        (ISSUED + "test_a_late_seal_that_was_replaced_is_noticed",),
    ),
    Mutant(
        "words are sealed as they were read, not as they are kept",
        (Change("core.models.masking:unmask_column", replace_value("get_prep_value", "unmask(getattr(row, name))")),),
        (ISSUED + "test_a_title_with_a_secret_is_no_change",),
    ),
    Mutant(
        "everybody gets receipts of others' answers",
        (Change(ISSUING + "_find_query", replace_condition("has_perms", "False")),),
        (OTHERS,),
    ),
    Mutant(
        "roles are told to everybody",
        (Change(ISSUING + "issue_receipt", replace_condition("has_perm", "True")),),
        (ROLES,),
    ),
    Mutant(
        "words that are masked by now are disclosed",
        (Change(ISSUING + "issue_receipt", replace_value("shown name", "set[str]()")),),
        (SHOWN + "test_what_is_masked_by_now_is_withheld",),
    ),
    Mutant(
        "the event of a refusal tells what came close",
        (Change(ISSUING + "_describe_answered", replace_condition("is_asker_named", "True")),),
        (SHOWN + "test_a_refusal_does_not_tell_how_much_came_close",),
    ),
    Mutant(
        "who asked is told that what they may not read any more came close",
        (Change(ISSUING + "_is_all_shown", replace_value("closest citations", "True")),),
        (SHOWN + "test_who_asked_is_told_of_a_refusal_what_they_may_still_see",),
    ),
    Mutant(
        "others are told whether anything came close",
        (Change(ISSUING + "_list_unseen_of_refusal", replace_value("closest", "False")),),
        (SHOWN + "test_a_refusal_does_not_tell_how_much_came_close",),
    ),
    Mutant(
        "all parts have one salt",
        (Change(VERIFYING + "disclose", replace_call("digest", "key")),),
        (SHOWN + "test_what_is_withheld_is_not_found_by_trying",),
    ),
)
