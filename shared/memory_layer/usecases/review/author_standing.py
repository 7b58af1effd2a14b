"""Standing of authors: what was found of their lines, how much lower they rank for it, and its reset (SPEC 4.42)."""

from collections.abc import Sequence
from dataclasses import dataclass

from memory_layer.domain.access import Principal
from memory_layer.domain.audit import RECORD_RESET, AuditEvent
from memory_layer.domain.learning.author_records import RecordReset
from memory_layer.domain.learning.author_summaries import AuthorSummary, author_summaries
from memory_layer.errors import NotFound
from memory_layer.ports.commit import Commit, IdempotencyRecord
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground.admission import admit_reason
from memory_layer.usecases.ground.audit_log import require_auditor
from memory_layer.usecases.ground.change_record import retry_on_conflict
from memory_layer.usecases.ground.idempotency import IdempotentRequest, earlier_answer

PageKey = tuple[str, str]


@dataclass(frozen=True, slots=True)
class AuthorPage:
    """Page of authors, those who rank lowest first. `next_key` continues it; None: it is the last."""

    authors: Sequence[AuthorSummary]
    next_key: PageKey | None


def list_authors(
    ports: Ports, principal: Principal, project: str, *, after: PageKey | None, limit: int
) -> AuthorPage:
    """Lists the authors of whom findings are kept.

    Raises:
        Forbidden: the caller is no reviewer of every persona: a record counts lines of all.
    """
    require_auditor(principal, f"the list of judged authors of project {project}")
    records = ports.store.projects.authors(principal.scope(project))
    each = author_summaries(records, ports.clock.now())
    left = [one for one in each if after is None or _key(one) > after]
    return AuthorPage(left[:limit], _key(left[limit - 1]) if len(left) > limit else None)


def _key(author: AuthorSummary) -> PageKey:
    return f"{1.0 - author.lowered_by:.3f}", author.id


def reset_author(
    ports: Ports,
    principal: Principal,
    project: str,
    author: str,
    *,
    reason: str | None = None,
    once: IdempotentRequest | None = None,
) -> AuthorSummary | IdempotencyRecord:
    """Begins an author's record anew: what was found before counts no more; done again, it changes nothing.

    Args:
        author: its id, as `list_authors` has it.

    Raises:
        Forbidden: as `list_authors`.
        NotFound: nothing is kept of such an author.
    """
    require_auditor(principal, f"the reset of an author's record in project {project}")
    scope = principal.scope(project)
    reason = admit_reason(principal, reason, ports.store.projects.policy(scope))

    def attempt() -> AuthorSummary | IdempotencyRecord:
        now, requests = ports.clock.now(), ports.store.requests
        if once is not None and (earlier := earlier_answer(requests, scope, once, now)) is not None:
            return earlier
        before = ports.store.projects.authors(scope)
        after = before.with_reset(RecordReset(author, now, principal.name, reason))
        summary = next((one for one in author_summaries(after, now) if one.id == author), None)
        if summary is None:
            raise NotFound(
                f"nothing is kept of an author {author} in project {project}; list them for their ids"
            )
        answer = None if once is None else once.answer(summary, now, memory_id="")
        if after is not before:
            forgiven = len(before.counted) - len(after.counted)
            entry = AuditEvent(
                what=RECORD_RESET, principal=principal.name, about=author, detail=f"{forgiven} forgiven"
            )
            reset = after.as_next_of(before)
            ports.store.writer.commit(Commit(scope=scope, authors=reset, answer=answer, notes=(entry,)))
        elif answer is not None:
            ports.store.writer.commit(Commit(scope=scope, answer=answer))
        return summary

    return retry_on_conflict(attempt)
