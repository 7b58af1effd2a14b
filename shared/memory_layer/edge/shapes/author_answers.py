"""Answers about authors whose lines were judged."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from memory_layer.domain.learning.author_summaries import AuthorSummary
from memory_layer.edge.shapes.answer_fields import answer_from, document


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthorAnswer:
    """Record of an author: what was found of its lines since the last reset.

    Args:
        id: names the author in a reset.
        author: its name, the same for all clients of one token.
        is_end_user: a service said it for them.
        wrong_by_people: lines that people found wrong, corrected ones among them.
        corrected: of these, the ones in whose place they put other words, which count half.
        wrong_by_agents: lines that independent agents found wrong, and no person judged.
        right_by_people: lines that people found right.
        right_by_agents: lines that independent agents found right, and no person judged.
        lowered_by: share of its score that an unreviewed line of this author loses now; 0: it does not rank lower.
        behind: places of others behind which such a line comes to stand at most.
        last_found: day of the last finding; null: there is none since the reset.
        memories: ids of lines found wrong, the last first, at most 8; one may be erased by now.
        reset_at: when the record last began anew.
        reset_by: who had it do so.
        reset_reason: why.
    """

    id: str
    author: str | None
    is_end_user: bool
    wrong_by_people: int
    corrected: int
    wrong_by_agents: int
    right_by_people: int
    right_by_agents: int
    lowered_by: float
    behind: int
    last_found: date | None
    memories: Sequence[str]
    reset_at: datetime | None = None
    reset_by: str | None = None
    reset_reason: str | None = None


@dataclass(frozen=True, slots=True)
class AuthorsAnswer:
    """Page of judged authors, those who rank lowest first. Args: authors: the records of this page."""

    authors: Sequence[AuthorAnswer]
    next_cursor: str | None


def authors_json(authors: Sequence[AuthorSummary], next_cursor: str | None) -> dict[str, Any]:
    return document(AuthorsAnswer([_answer(one) for one in authors], next_cursor))


def author_json(author: AuthorSummary) -> dict[str, Any]:
    return document(_answer(author))


def _answer(author: AuthorSummary) -> AuthorAnswer:
    reset = author.reset
    return answer_from(
        AuthorAnswer,
        author,
        reset_at=None if reset is None else reset.at,
        reset_by=None if reset is None else reset.by,
        reset_reason=None if reset is None else reset.reason,
    )
