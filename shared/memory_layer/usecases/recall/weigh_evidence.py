"""Evidence that the facts of hits give of their worth as an answer, weighed into their relevance."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memory_layer.domain.arrays import np
from memory_layer.domain.retrieval import blending
from memory_layer.domain.retrieval.asked_period import AskedPeriod
from memory_layer.domain.retrieval.facts import DATED_BY_SOURCE, IS_QUESTION, NO_SESSION, TELLS_DAYS
from memory_layer.domain.retrieval.told_days import days_from_period
from memory_layer.usecases.recall.find_candidates import CandidateSearch
from memory_layer.usecases.recall.judge_candidates import Hits

if TYPE_CHECKING:
    from memory_layer.domain.retrieval.facts import Facts


def weigh_evidence(hits: Hits, search: CandidateSearch) -> Hits:
    """Hits whose relevance has the evidence weighed in that their records' facts give."""
    evidence = _evidence(hits.facts, search.period)
    return hits.with_relevances(blending.with_evidence(hits.relevances, evidence))


def _evidence(facts: Facts, period: AskedPeriod | None) -> blending.AnswerEvidence:
    """Evidence in records: is each a question, its distance from the day asked about, and the length of a turn's words.

    The length of a note is no evidence: a note is brief on purpose.
    """
    is_turn = facts["session"] != NO_SESSION
    says = np.where(is_turn, blending.amount_said(facts["chars"]), np.nan)
    is_asking = facts["flags"] & IS_QUESTION != 0
    if period is None:
        return blending.AnswerEvidence(is_asking, says)
    days = days_from_period(facts["told"], period.days)
    is_within, flags = days == 0, facts["flags"]
    credits = period.credits(
        is_within & (flags & TELLS_DAYS == 0), is_within & (flags & DATED_BY_SOURCE != 0)
    )
    return blending.AnswerEvidence(is_asking, says, days, credits)
