"""The laptop's tests of bad input, run against a function: the cloud answers alike."""

from __future__ import annotations

from tests.e2e.test_bad_input import (
    test_a_batch_can_be_done_behind,
    test_a_blank_query_is_refused,
    test_a_broken_line_fails_alone,
    test_a_broken_memory_is_refused_with_a_pointer,
    test_a_cursor_fits_its_own_query_only,
    test_a_duplicate_names_its_twin,
    test_a_limit_out_of_range_is_refused,
    test_a_misspelt_filter_is_refused,
    test_a_stale_if_match_changes_nothing,
    test_an_idempotency_key_answers_once,
    test_an_oversized_body_is_refused,
    test_an_unknown_id_is_not_found,
    test_an_unknown_project_is_empty,
    test_an_unreadable_body_is_refused,
    test_any_text_is_a_query,
    test_our_own_words_are_no_news_from_a_run,
    test_the_fourth_failed_of_an_hour_has_to_wait,
    test_what_is_immutable_cannot_be_patched,
)

__all__ = [
    "test_a_batch_can_be_done_behind",
    "test_a_blank_query_is_refused",
    "test_a_broken_line_fails_alone",
    "test_a_broken_memory_is_refused_with_a_pointer",
    "test_a_cursor_fits_its_own_query_only",
    "test_a_duplicate_names_its_twin",
    "test_a_limit_out_of_range_is_refused",
    "test_a_misspelt_filter_is_refused",
    "test_a_stale_if_match_changes_nothing",
    "test_an_idempotency_key_answers_once",
    "test_an_oversized_body_is_refused",
    "test_an_unknown_id_is_not_found",
    "test_an_unknown_project_is_empty",
    "test_an_unreadable_body_is_refused",
    "test_any_text_is_a_query",
    "test_our_own_words_are_no_news_from_a_run",
    "test_the_fourth_failed_of_an_hour_has_to_wait",
    "test_what_is_immutable_cannot_be_patched",
]
