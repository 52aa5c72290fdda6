"""List ways to break the masking of secrets in documents, and the tests that have to fail."""

from tests.mutations.changes import Change, Mutant
from tests.mutations.operators import replace_argument, replace_call, replace_condition, replace_value

MASKED = "tests/integration/leaks/test_masked_secrets.py::"
NOT_SHOWN = MASKED + "test_no_interface_shows_a_secret"
STORED_BEFORE = MASKED + "test_what_was_stored_before_is_masked_when_it_is_shown"
SHOWN = MASKED + "test_a_secret_that_is_meant_to_be_read_is_shown_everywhere"
KEPT = MASKED + "test_titles_and_headings_are_kept_when_a_row_is_saved"
FOLLOWED = MASKED + "test_a_restricted_section_keeps_its_readers_through_an_edition"
EMBEDDED = MASKED + "test_no_model_that_embeds_is_sent_one"
OUTDATED = MASKED + "test_a_verified_answer_is_not_outdated_because_a_secret_is_shown_or_masked"
NOT_CHANGED = MASKED + "test_a_new_edition_with_the_same_secret_takes_no_quote_away"
COLUMNS = "tests/architecture/test_masking.py::test_every_column_with_words_of_documents_is_masked_or_says_why_not"
FINDING = "tests/unit/values/test_secrets.py::"

MASKING, SECRETS = "core.models.masking:", "core.values.secrets:"
_TEXT = "models.TextField()"

OF_MASKING = (
    Mutant(
        "passages are read without masks",
        (Change("core.models.library:Chunk.content", replace_call("MaskedTextField", _TEXT)),),
        (COLUMNS, NOT_SHOWN),
    ),
    Mutant(
        "quotes are read without masks",
        (Change("core.models.conversations:QuotedWords.quoted_excerpt", replace_call("MaskedTextField", _TEXT)),),
        (COLUMNS, STORED_BEFORE),
    ),
    Mutant(
        "headings are read without masks",
        (
            Change(
                "core.models.library:Chunk.section_title",
                replace_call("MaskedCharField", "models.CharField(max_length=300, blank=True)"),
            ),
        ),
        (COLUMNS, STORED_BEFORE),
    ),
    Mutant(
        "what is meant to be read is masked, and all else is shown",
        (
            Change(
                MASKING + "mask_words",
                replace_argument(
                    "mask_secrets", "is_shown", "lambda words: fingerprint_of(words) not in _read_shown()"
                ),
            ),
        ),
        (NOT_SHOWN, SHOWN),
    ),
    Mutant(
        "a mask shows what it is to hide",
        (Change(SECRETS + "mask_found", replace_condition("letter", "True")),),
        (FINDING + "test_lines_stay_lines",),
    ),
    Mutant(
        "of two secrets that overlap the rest of the second stays",
        (Change(SECRETS + "_merge", replace_value("replace max", "merged[-1]")),),
        (FINDING + "test_secrets_that_overlap_are_masked_whole",),
    ),
    Mutant(
        "dots are written over what was kept",
        (Change(MASKING + "_write", replace_value("kept", "words")),),
        (KEPT,),
    ),
    Mutant(
        "sections are matched by masked words",
        (Change("core.library.sections.parts:list_chunks", replace_call("map", "MATCHED")),),
        (FOLLOWED,),
    ),
    Mutant(
        "a model that embeds is sent secrets",
        (Change("core.library.ingestion.chunking:embedded_text", replace_call("mask_secrets", "text")),),
        (EMBEDDED,),
    ),
    Mutant(
        "a quote is lost when its secret is shown",
        (
            Change(
                "core.asking.verified_answers.staleness:_is_present",
                replace_call("is_same_but_masked", "content[quote.start : quote.end] == quote.quoted_excerpt"),
            ),
        ),
        (OUTDATED,),
    ),
    Mutant(
        "quotes of masked words are looked for in words as they are kept alone",
        (Change("core.quality.footnotes.checking:_look_in", replace_call("fromkeys", "(text,)")),),
        (NOT_CHANGED + "[masked]",),
    ),
)
