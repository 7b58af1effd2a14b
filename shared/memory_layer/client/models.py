"""Data of requests and answers. Derived by `make client`.

Answers are classes, whose fields are attributes; data of requests are dicts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, NotRequired, TypeAlias, TypedDict

from memory_layer.client.document import Document

BlendMode: TypeAlias = Literal["minmax", "flag"]
"""How similarities are blended."""

Category: TypeAlias = Literal[
    "architecture",
    "convention",
    "decision",
    "pattern",
    "gotcha",
    "workaround",
    "troubleshooting",
    "command",
    "preference",
    "dependency",
    "environment",
    "coding_style",
    "tool_preference",
    "context",
    "todo",
    "general",
]
"""What a memory is about."""

ChangeType: TypeAlias = Literal[
    "memory.created",
    "memory.edited",
    "memory.approved",
    "memory.rejected",
    "memory.confirmed",
    "memory.superseded",
    "memory.doubted",
    "memory.stale",
    "memory.quarantined",
    "memory.judged",
    "memory.archived",
    "memory.deactivated",
    "memory.restored",
    "memory.moved",
    "memory.changed",
    "memory.erased",
    "knowledge.applied",
    "run.reported",
    "run.erased",
    "learning.changed",
    "settings.changed",
    "person.erased",
    "project.erased",
]
"""What changed."""

ContentClass: TypeAlias = Literal["code", "documentation", "research", "general"]
"""Class of content, each with rules of its own."""

Dimension: TypeAlias = Literal["knowledge", "event", "entity", "relationship", "preference"]
"""What kind of knowledge it is."""

EntityEventKind: TypeAlias = Literal[
    "deprecated", "schema_changed", "content_changed", "renamed", "activity", "removed", "linked", "unlinked"
]
"""What happened to an entity."""

FileOperation: TypeAlias = Literal["created", "modified", "deleted"]
"""How a version of a file came about."""

FileView: TypeAlias = Literal["basic", "full"]
"""Whether texts are shown."""

GroupKind: TypeAlias = Literal["pending", "quarantined", "doubted"]
"""Why the memories of a group wait for a person."""

MemorySource: TypeAlias = Literal["human", "run", "learning"]
"""Who a memory comes from: a person, a run, or what runs taught."""

MemoryStatus: TypeAlias = Literal[
    "active", "inactive", "pending", "rejected", "stale", "superseded", "archived", "quarantined"
]
"""State of a memory: active ones are recalled."""

MemoryType: TypeAlias = Literal[
    "pattern", "warning", "learning", "context", "strategy", "antipattern", "estimate", "convention"
]
"""How a memory is used."""

OnDuplicate: TypeAlias = Literal["ask", "merge", "create", "supersede"]
"""What to do where one says the same."""

OutcomeModel: TypeAlias = Literal["fixed", "beta"]
"""How verdicts move the score of a memory."""

OutcomeResult: TypeAlias = Literal["worked", "failed", "partial"]
"""Whether it worked."""

PairDecision: TypeAlias = Literal["superseded", "merge", "kept_both"]
"""What becomes of a pair."""

PairKind: TypeAlias = Literal["conflict", "duplicate"]
"""Why two memories are a pair."""

PrivacyMode: TypeAlias = Literal["secrets", "personal", "refuse", "off"]
"""What is taken out of texts before they are stored."""

RankingProfile: TypeAlias = Literal["learned", "governed", "task"]
"""How what fits is ranked."""

RunMode: TypeAlias = Literal["auto", "staged"]
"""When what a run teaches becomes a memory: at once, or after a look."""

RunStatus: TypeAlias = Literal["completed", "failed", "crashed"]
"""How a run or an iteration ended."""

SourceLayer: TypeAlias = Literal["global", "project", "workshop", "experience"]
"""Source of a context's fragments."""

StagedStatus: TypeAlias = Literal["pending", "validated", "rejected", "promoted"]
"""How far a staged learning has come."""

Standing: TypeAlias = Literal["trusted", "unreviewed"]
"""Said by a person or approved by a reviewer, or not."""

TaskType: TypeAlias = Literal[
    "test-fix", "feature", "refactor", "bug-fix", "documentation", "architecture", "performance", "general"
]
"""The kind of task that it helps with."""

Tier: TypeAlias = Literal["hot", "warm", "cold", "frozen"]
"""Where a memory lies: hot and warm are recalled, cold is listed."""


class Attempt(Document):
    """Attempt of a delivery."""

    at: datetime
    """The time of it."""
    error: str | None
    """Absent: it was taken."""
    event: str
    """Id of the change."""
    ms: int
    """How long it took."""
    status: int | None
    """Of the answer; absent: there was none."""


class AuditAnswer(Document):
    """Page of the audit log, the last entry first."""

    entries: list[AuditEntryAnswer]
    """The entries of this page."""
    next_cursor: str | None
    """To be sent as `cursor` for the next page; null: this is the last."""
    note: str | None
    """What the answer lacks and why, in a sentence; missing where it lacks nothing."""


class AuditEntryAnswer(Document):
    """Entry of the audit log."""

    about: str | None
    """Id of the memory, run or learning."""
    after: int | None
    """Versions of what it is about; 0 before: it was new."""
    at: datetime
    """Time of entry."""
    before: int | None
    """Versions of what it is about; 0 before: it was new."""
    detail: str | None
    """Of a refusal, what was asked for, the status and the code."""
    digest: str
    """SHA-256 of the entry before and of this one; it stays when the readable part is erased."""
    is_erased: bool
    """Its readable part went with what it was about."""
    persona: str | None
    """Of what is erased: the one that alone could see it."""
    position: int
    """1 for the first of the project."""
    principal: str | None
    """Who did it."""
    request_id: str | None
    """Id of the request, as the server's log has it."""
    traceparent: str | None
    """Trace context of the request (W3C), where it had one."""
    user: str | None
    """The end user for whom the principal spoke."""
    what: str | None
    """The verb of the change, or the kind of the decision; `refused`: it was not done."""


class AuditVerification(Document):
    """Result of a check of the chain."""

    broken: BrokenLink | None
    """The first entry that does not hold."""
    entries: int
    """Number of entries that hold, up to the first that does not."""
    erased: int
    """Of these, the ones without their readable part."""
    head: str
    """Digest of the last one; whoever keeps it elsewhere notices that a whole chain was made anew."""
    is_valid: bool
    """Nothing is broken."""


class AuthorAnswer(Document):
    """Record of an author: what was found of its lines since the last reset."""

    author: str | None
    """Its name, the same for all clients of one token."""
    behind: int
    """Places of others behind which such a line comes to stand at most."""
    corrected: int
    """Of these, the ones in whose place they put other words, which count half."""
    id: str
    """Names the author in a reset."""
    is_end_user: bool
    """A service said it for them."""
    last_found: str | None
    """Day of the last finding; null: there is none since the reset."""
    lowered_by: float
    """Share of its score that an unreviewed line of this author loses now; 0: it does not rank lower."""
    memories: list[str]
    """Ids of lines found wrong, the last first, at most 8; one may be erased by now."""
    reset_at: datetime | None
    """When the record last began anew."""
    reset_by: str | None
    """Who had it do so."""
    reset_reason: str | None
    """Why."""
    right_by_agents: int
    """Lines that independent agents found right, and no person judged."""
    right_by_people: int
    """Lines that people found right."""
    wrong_by_agents: int
    """Lines that independent agents found wrong, and no person judged."""
    wrong_by_people: int
    """Lines that people found wrong, corrected ones among them."""


class AuthorsAnswer(Document):
    """Page of judged authors, those who rank lowest first."""

    authors: list[AuthorAnswer]
    """The records of this page."""
    next_cursor: str | None
    """To be sent as `cursor` for the next page; null: this is the last."""


class BatchAnswer(Document):
    """Results of all lines, in order."""

    results: list[LineAnswer]
    """What became of each, in the order of the request."""


class BrokenLink(Document):
    """The first entry that does not hold."""

    expected: str
    """The digest that had to be there."""
    found: str
    """The digest that is there."""
    position: int
    """The place in the chain, from 1."""


class BrokenPart(Document):
    """Finding of a verification: the broken part and what is wrong. `version` is None for a part without
    versions. `id` is that of the part: of the memory, or of the verdict, the run, the receipt…; "" for
    the storage as a whole.
    """

    id: str
    """Of the memory, verdict, run or receipt; empty: of the storage as a whole."""
    part: Literal[
        "record",
        "content",
        "body",
        "vectors",
        "version",
        "tombstone",
        "accesses",
        "verdict",
        "answer",
        "positions",
        "receipt",
        "run",
        "staged",
        "operation",
        "quota",
        "event",
        "activity",
        "pair",
        "log",
        "project",
        "settings",
        "file",
        "feedback",
        "mentions",
        "audit",
        "webhook",
        "counts",
    ]
    """The part of it that is broken."""
    version: int | None
    """Its version; null: it has none."""
    what: str
    """What is wrong with it, in words."""


class BrokenRule(Document):
    """A broken rule."""

    detail: str
    """What is wrong there, and what to do."""
    limit: float | None
    """The bound that is broken, where there is one."""
    pointer: str
    """JSON pointer into the request; empty: the request as a whole."""
    remedies: list[Remedy] | None
    """Ways out, as data, of which one is enough."""


class BulletAnswer(Document):
    """Bullet of a playbook."""

    content: str
    """What it says."""
    harmful: int
    """How many said that it failed, without those of an agent that wrote it."""
    helpful: int
    """How many verdicts said that it worked, without those of an agent that wrote it."""
    id: str
    """The memory, for outcomes."""
    name: str
    """What the page calls it; the same as long as the memory is there."""
    standing: Standing
    """Said by a person or approved by a reviewer, or not."""
    type: MemoryType
    """Kind of learning."""


class CallerAnswer(Document):
    """Caller of a request, as its token proves it."""

    is_agent: bool
    """It is neither a person nor a reviewer."""
    may_administer: bool
    """It may change settings, erase and roll back."""
    may_audit: bool
    """It may read the audit log, which tells of every persona and end user."""
    may_review: bool
    """It may approve and reject."""
    name: str
    """Under which it writes, votes and approves."""
    personas: list[str]
    """Those whose memories it sees beside everyone's."""
    roles: list[Literal["agent", "reviewer", "admin"]]
    """What it may do: `agent`, `reviewer`, `admin`."""
    tenant: str
    """Whose memories the caller reaches."""
    user: str | None
    """The end user for whom it speaks; null: it speaks for itself."""


class ChangeData(Document):
    """Change that an event tells of, without any words."""

    by: str | None
    """Principal who did it."""
    change: str
    """Verb of the change, as in the history."""
    id: str | None
    """Of the memory, run or learning."""
    now: StateTold | None
    """Absent where nobody may say any more."""
    version: int | None
    """The one that the change made; absent where it made none."""


class ChangeEvent(Document):
    """CloudEvent 1.0 of a change."""

    data: ChangeData
    """Change that an event tells of, without any words."""
    datacontenttype: Literal["application/json"]
    """Of `data`."""
    id: str
    """Position in the project's log: unique with `source`, and the place to read on from."""
    source: str
    """Tenant and project."""
    specversion: Literal["1.0"]
    """Of CloudEvents."""
    subject: str | None
    """Id of the memory, run or learning."""
    time: datetime
    """Time of entry in the log."""
    traceparent: str | None
    """Trace context of the request that made the change; an erasure tells none. Source: CloudEvents,
    extension for distributed tracing.
    """
    type: ChangeType
    """Kind of change."""


class ChangedLine(Document):
    """Line whose earlier wording is superseded: its place in the file, the id of the new wording and of
    the old one.
    """

    id: str
    """Id of the new wording."""
    supersedes: str
    """Id of the old wording."""
    where: str
    """Its line or JSON pointer in the file."""


class ChangesAnswer(Document):
    """Page of changes, the first one first; with `before`, the newest first."""

    events: list[ChangeEvent]
    """CloudEvents 1.0 in their JSON format; perhaps none, though the log goes on."""
    is_last: bool
    """Nothing more lay in the direction of the reading when it was read."""
    next_after: int
    """What to send as `after` for the next page, or for the next look."""
    next_before: int | None
    """Of a page that was asked for with `before`, what to send as `before` for the next page."""


class ClearedAnswer(Document):
    """Number of learnings that were taken out."""

    cleared: int
    """How many were taken out."""


class ClearedSession(Document):
    """Result of a clearing."""

    cleared: int
    """Turns that it took out of use, or erased."""
    complete: bool
    """No other turn is left; false: send it again."""
    kept: int
    """Turns that are not the caller's to take away."""


class CompressRules(Document):
    """Contents that leave their row."""

    access_threshold: int | None
    """Recalled as often as that it stays hot."""
    age_threshold_hours: int | None
    """Untouched for so many hours it may leave its row."""
    compression_ratio: float | None
    """It leaves only if it shrinks to this share of its size; in a request: is told in it."""


class ConflictsAnswer(Document):
    """Page of conflicts; it may hold fewer than asked for, even none, and name a next one all the same."""

    conflicts: list[PairAnswer]
    """The pairs of this page."""
    next_cursor: str | None
    """To be sent as `cursor` for the next page; null: this is the last."""
    note: str | None
    """What the answer lacks and why, in a sentence; missing where it lacks nothing."""


class ContextAnswer(Document):
    """Assembled context; `rendered` is the text for the model, never longer than the budget."""

    conflicts: list[FragmentConflict]
    """Contradictions among what was found, and how they were resolved."""
    fragments: list[FragmentAnswer]
    """The memories in it, in the order of the page."""
    metadata: ContextMetadata
    """Its measures."""
    omitted: list[Omission]
    """What was found and left out, each with the reason."""
    recall_id: str
    """Id of this recall, by which outcomes name it."""
    rendered: str
    """The text for the model; empty: nothing fits or is known."""
    request_id: str
    """The name of the context, for feedback."""
    warnings: list[ContextWarning]
    """What is less than was asked for."""


class ContextMetadata(Document):
    """Measures of a context; shares and scores are 0..1."""

    assembly_time_ms: float
    """How long it took to assemble."""
    cached: bool
    """Reused from an earlier, equal request."""
    coherence: float
    """Mean cosine between two fragments."""
    cost: float | None
    """Of `rendered` as input of that model, US dollars; null where none is named or its price is not
    known.
    """
    model: str | None
    """The one that the request names, for its price."""
    quality_achieved: float
    """Mean relevance of the fragments."""
    source_coverage: float
    """Share of the asked sources that have a fragment."""
    tokenizer: str
    """Name of the tokenizer that counted."""
    total_tokens: int
    """Length of `rendered`."""


class ContextWarning(Document):
    """Warning about an answer that is less than the caller asked for."""

    code: Literal["SOURCE_TIMEOUT", "BUDGET_EXCEEDED", "COHERENCE_FAILURE", "LOW_QUALITY", "INCOMPLETE"]
    """The kind of warning."""
    detail: str
    """What is less than was asked for, in words."""


class DailyCounts(Document):
    """Numbers of the last days."""

    days: list[DayCounts]
    """The first one first, today the last."""
    recalls_since: datetime | None
    """From which on recalls were counted, where there are more than are counted; null: all were."""


class DayCounts(Document):
    """Numbers of one day."""

    abstained: int
    """Of these, those that returned no memory."""
    created: int
    """Memories that were stored, of those that the caller sees now, of every status."""
    day: str
    """In UTC."""
    recalls: int
    """Recalls, prompts and contexts that were answered."""


class DeletedFile(Document):
    """File that was deleted; its versions stay."""

    id: str
    """Its id."""
    type: Literal["memory_deleted"]
    """Tells it from other documents."""


class DeletedStore(Document):
    """Store that was deleted, with all its files and their versions."""

    id: str
    """Its id."""
    type: Literal["memory_store_deleted"]
    """Tells it from other documents."""


class Doubt(Document):
    """The question to a person that agents raise about a trusted memory: since when, by whom, why; ids of
    proposals.
    """

    by: list[str]
    """Who did it."""
    proposals: list[str]
    """Ids of the memories that are proposed instead."""
    reasons: list[str]
    """The reasons in words."""
    runs: list[str]
    """Runs in which it failed."""
    since: datetime
    """When the first of it was said."""
    witnesses: list[str]
    """Of these agents, those for whom it failed in a run of their own."""


class DuplicatesAnswer(Document):
    """Page of near-duplicates; as with conflicts, it may be short and name a next one all the same."""

    duplicates: list[PairAnswer]
    """The pairs of this page."""
    next_cursor: str | None
    """To be sent as `cursor` for the next page; null: this is the last."""
    note: str | None
    """What the answer lacks and why, in a sentence; missing where it lacks nothing."""


class EdgeAnswer(Document):
    """Edge of a graph; `type` is mentions, the type of a relation, supersedes, superseded_by,
    derived_from, learned_in or linked.
    """

    source: str
    """Ids of the two nodes."""
    target: str
    """Ids of the two nodes."""
    type: str
    """How the one is tied to the other."""


class EnrichAnswer(Document):
    """Block about the payload's URNs. `unknown`: those that nothing is known of; `memory_context` is empty
    where nothing is known at all. `degraded`: a part was down, as `note` says; without the search index
    only the newest memories are looked at.
    """

    degraded: bool
    """A part was down, as `note` says: the answer may lack something."""
    found: list[EnrichedUrn]
    """URNs of which something is known."""
    is_whole: bool
    """The whole payload was looked at."""
    memory_context: str
    """The block for the model; empty: nothing is known."""
    memory_ids: list[str]
    """Ids of the memories in it, in their order."""
    note: str | None
    """What the answer lacks and why, in a sentence; missing where it lacks nothing."""
    recall_id: str
    """Id of this recall, by which outcomes name it."""
    total_tokens: int
    """Length of the block."""
    unknown: list[str]
    """URNs of which nothing is known."""


class EnrichedUrn(Document):
    """A URN of the payload, and how many of the memories in the block name it."""

    memories: int
    """How many memories in the block name it."""
    urn: str
    """The URN as the payload has it."""


class EntityEventAnswer(Document):
    """Recorded event; `marked` memories went stale by it now; `is_known`: a memory names the URN (null:
    not looked up yet).
    """

    event: EntityEventKind
    """What happened."""
    id: str
    """The event's id."""
    is_applied: bool
    """All memories that name the URN were looked through."""
    is_known: bool | None
    """A memory names the URN; null: not looked up yet."""
    is_new: bool
    """It was not told before."""
    marked: int
    """How many memories that the caller may see went stale by it now."""
    occurred_at: datetime
    """When it happened."""
    urn: str
    """What it happened to."""


class EntityEventPageAnswer(Document):
    """Page of the events of an entity; it may be short and name a next one all the same."""

    events: list[PastEntityEvent]
    """The first one first."""
    next_cursor: str | None
    """To be sent as `cursor` for the next page; null: this is the last."""
    note: str | None
    """What the answer lacks and why, in a sentence; missing where it lacks nothing."""


class EntityEventsAnswer(Document):
    """Recorded events; `note` only while something is still to be done."""

    events: list[EntityEventAnswer]
    """Each that was told, in the order of the request."""
    note: str | None
    """What the answer lacks and why, in a sentence; missing where it lacks nothing."""


class ErasureReceipt(Document):
    """Receipt of an erasure: what it removed, by store."""

    at: datetime
    """When it was done."""
    by: str
    """Who asked for it."""
    dry_run: bool
    """Nothing was written: it tells what would be done."""
    id: str
    """Id of the receipt."""
    is_settled: bool
    """The storage's own logs are free of it too; False: erase again in a moment."""
    kept: int
    """Number of records that the rule meets and that the caller may not erase."""
    kind: Literal["memory", "created_by", "entity", "project"]
    """The rule by which it was erased."""
    stores: dict[str, int]
    """E.g. {"records": 3, "versions": 7, "receipts": 2}; for a dry run, the numbers that it would remove
    of records, of rows under their ids, of runs and of staged learnings.
    """


class EvictRules(Document):
    """Size that may stay near, and the weights that choose what goes first."""

    lru_weight: float | None
    """How much age counts in choosing what goes, 0 to 1."""
    max_total_size_gb: float | None
    """More of the class than that goes cold, the worst first; for a request: is left out."""
    quality_weight: float | None
    """How much want of quality counts; with `lru_weight` it makes 1."""


class EvidenceAnswer(Document):
    """Evidence of runs that cited nothing, in verdicts that fade."""

    failed: float
    """How many speak against it, counted in the same way."""
    worked: float
    """How many speak for the memory; verdicts of runs with less weight, or of long ago, count as parts of
    one.
    """


class FeedbackAnswer(Document):
    """Receipt of feedback; `counted` is false where feedback on this context had been given before."""

    counted: bool
    """It is the first on this context, and moved the tuning."""
    request_id: str
    """The context that it is on."""
    tuning: TuningAnswer
    """As it is now."""


class ForeignRefusal(Document):
    """Part that is not stored: its line or JSON pointer in the file, and the reason in words."""

    problem: str
    """The reason in words."""
    where: str
    """Its line or JSON pointer in the file."""


class ForeignTally(Document):
    """Result of an import of another tool's file: counts of its parts, and every line that is not stored."""

    changed: int
    """Parts that superseded the memory of the line's earlier wording."""
    changed_lines: list[ChangedLine]
    """Each of these, with the ids of both wordings."""
    dry_run: bool
    """Nothing was written: it tells what would be done."""
    expired: int
    """Of these, those that are over."""
    gone: list[str]
    """Ids of memories that the file says no more."""
    held: list[HeldPart]
    """New memories that wait for a reviewer, each with the reason."""
    kept: list[str]
    """Of these, those that were not, though it was asked for: approved, pinned, or said by another file."""
    left_out: list[LeftOut]
    """Every line that is not stored as a memory of its own, with the reason."""
    merged: int
    """Learnings that were united with known ones."""
    moved: int
    """Memories that stand under another heading, or in this file too, now."""
    pruned: int
    """How many of these were archived."""
    quarantined: int
    """Of these, those that wait for review."""
    read: int
    """Parts that say something."""
    redacted: list[RedactedPart]
    """New memories out of which secrets were taken, each with their kinds."""
    refused: list[ForeignRefusal]
    """Parts that are wrong, or may not be stored."""
    skipped: int
    """Parts that are known already; `left_out` names each."""
    stored: int
    """New memories."""
    unchanged: int
    """Memories that the file says as before."""


class FragmentAnswer(Document):
    """A memory in the context."""

    age_days: int
    """Days since `dated`."""
    content: str
    """As much of it as is shown."""
    dated: str
    """The day from which it holds, else that of its saying, else the day that its content last changed."""
    id: str
    """Id of the memory."""
    lod: Literal["macro", "micro", "atomic"]
    """How much of it is shown."""
    metadata: FragmentSignals
    """The four scores of its priority."""
    priority_score: float
    """0..1, thousandths; of the four scores in `metadata`."""
    project: str
    """The project that it belongs to."""
    ref: int
    """Its number on the page, which outcomes may name instead of the id."""
    source_layer: SourceLayer
    """The source that it came from."""
    standing: Standing
    """Said by a person or approved by a reviewer, or not."""
    token_cost: int
    """Of its own lines in `rendered`."""


class FragmentConflict(Document):
    """Conflict of two memories that contradict each other, or say the same, and its resolution."""

    confidence: float
    """0..1; confidence in the strategy."""
    ids: list[Any]
    """The two memories."""
    reasoning: str
    """Why so, in words."""
    severity: float
    """0..1, thousandths, sensitivity included."""
    strategy: Literal["precedence", "merge", "flag", "user_choice"]
    """How it was resolved."""


class FragmentSignals(Document):
    """The four scores of its priority."""

    coherence: float
    """How well it fits the others."""
    credibility: float
    """How far to believe it."""
    recency: float
    """How new it is."""
    relevance: float
    """Nearness to the intent; without one what it matters to the project."""


class GraphAnswer(Document):
    """Graph, nearest nodes first; `is_whole` tells whether all that was found fits in `limit`. `degraded`:
    a part was down, as `note` says; without the search index only what names each other and the newest
    memories are looked at, and nothing is counted.
    """

    degraded: bool
    """A part was down, as `note` says: the answer may lack something."""
    edges: list[EdgeAnswer]
    """The ties between these nodes."""
    entity: str
    """Where the walk began."""
    hops: int
    """How far it went."""
    is_whole: bool
    """All that was found fits in `limit`."""
    left_out: int
    """Number of the nodes found that do not."""
    nodes: list[NodeAnswer]
    """The nearest first."""
    note: str | None
    """What the answer lacks and why, in a sentence; missing where it lacks nothing."""


class Health(Document):
    """Sign that the process is up."""

    status: Literal["ok"]
    """It is up."""


class HeldPart(Document):
    """Part that is stored, and waits for a reviewer: its place in the file, its memory's id, and the
    reason in words.
    """

    id: str
    """Of the memory."""
    reason: str
    """Why it waits, in words."""
    where: str
    """Its line or JSON pointer in the file."""


class HistoryAnswer(Document):
    """Versions of a record, oldest first."""

    versions: list[VersionAnswer]
    """The oldest first."""


class ImportReport(Document):
    """Counts of a file's records by result."""

    dry_run: bool
    """Nothing was written: it tells what would be done."""
    erased: int
    """Records left out, since they were erased here after they were exported."""
    imported: int
    """Records that are new here."""
    records: int
    """How many records it is about."""
    redacted: int
    """How many had something taken out of their text."""
    redacted_ids: list[str]
    """Ids of those that had something taken out of their text, the first 1,000."""
    replaced: int
    """Records that took the place of what was here."""
    shared_position_ids: list[str]
    """Ids of the turns that share a position, the first 1,000."""
    shared_positions: int
    """Turns imported at a position that another turn of their conversation holds; position, time and id
    still order both. `shared_position_ids` names the first 1,000.
    """
    skipped: int
    """How many were left as they were."""
    unchanged: int
    """Records stored just so already, where others are replaced."""


class JudgedAnswer(Document):
    """Judgement of all that were pending, or of the one that was posted."""

    reason: str | None
    """The reason in words; null: none was given."""
    rejected: int | None
    """How many passed, and how many did not."""
    valid: bool | None
    """The posted one passes; `reason`: why it does not."""
    validated: int | None
    """How many passed, and how many did not."""


class KindEstimateAnswer(Document):
    """Estimate for one kind of task."""

    deviation: float
    """Standard deviation of that chance."""
    mean: float
    """Chance that the memory serves."""
    task_type: TaskType
    """The kind of task that it was."""


class KnowledgeGroups(Document):
    """The knowledge by kind."""

    antipatterns: list[Memory]
    """What failed."""
    conventions: list[Memory]
    """How it is done here."""
    estimates: list[Memory]
    """How long or how much it took."""
    strategies: list[Memory]
    """What worked."""


class LaterRecords(Document):
    """Records newer than the snapshot: those that it does not know, which stay, and those that were put
    back.
    """

    changed: ListedIds
    """Records that were changed since; they were put back."""
    created: ListedIds
    """Records that it does not know; they stay."""


class LearnedPriorityAnswer(Document):
    """Priority as it is learned from which memories readers used."""

    fixed: float
    """Share of their pairs of a used and an unused memory in the right order, by the fixed weights."""
    gained: int
    """Pages that it orders better."""
    held_out: int
    """Newest pages of the replay, in orders fitted to the older ones; 0: there are too few."""
    learned: float
    """The same with the correction."""
    lost: int
    """Pages that it orders worse."""
    on: bool
    """It corrects the places; only where it beat the fixed weights in the replay, and no settings say
    weights.
    """
    pages: int
    """Judged pages that it is fitted to."""
    set_aside: bool
    """The settings say `context_weights`, which stand, whatever the replay says."""
    weights: dict[str, float]
    """By feature, in relevance: what a whole unit more of it moves a place by; empty: no page yet."""


class Learning(Document):
    """What was learned."""

    confidence: float
    """How far to believe it, 0 to 1."""
    content: str
    """What was learned."""
    detail: dict[str, Any]
    """Numbers and examples beside the words."""
    source_runs: list[str]
    """The runs that taught it."""
    success_rate: float | None
    """How often it worked; null: it was never measured."""
    task_type: TaskType
    """The kind of task that it helps with."""
    type: Literal["strategy", "antipattern", "estimate", "convention", "learning"]
    """The kind of memory that it becomes."""


class LeftOut(Document):
    """Line that is not stored as a memory of its own: its place in the file, and the reason in words."""

    reason: str
    """Why it is not stored by itself, in words."""
    where: str
    """Its line or JSON pointer in the file."""


class Limits(Document):
    """Limits on one caller in an hour (SPEC 4.23, 4.32). Args: failed_per_session_hour: `failed` verdicts
    of one session. failed_per_principal_hour: `failed` verdicts of one principal in all sessions.
    citations_per_principal_hour: memories that the runs of one principal cite.
    writes_per_principal_hour: memories that one principal stores or changes. events_per_principal_hour:
    entity events that one principal reports. held_back_per_principal_hour: texts of one principal that
    wait for a person.
    """

    citations_per_principal_hour: int | None
    """Memories that the runs of one principal cite. Omitted: `500`."""
    events_per_principal_hour: int | None
    """Entity events that one principal reports. Omitted: `200`."""
    failed_per_principal_hour: int | None
    """`failed` verdicts of one principal in all sessions. Omitted: `12`."""
    failed_per_session_hour: int | None
    """`failed` verdicts of one session. Omitted: `3`."""
    held_back_per_principal_hour: int | None
    """Texts of one principal that wait for a person. Omitted: `50`."""
    writes_per_principal_hour: int | None
    """Memories that one principal stores or changes. Omitted: `2000`."""


class LineAnswer(Document):
    """Result of a line; `memory_status` where the stored memory is not in use, expired or quarantined say."""

    id: str | None
    """Id of the memory."""
    line: int
    """Its number in the request, from 1."""
    memory_status: str | None
    """The status of a memory that is not in use."""
    problem: Problem | None
    """What went wrong, as a refusal of its own would say it."""
    receipt: WriteReceipt | None
    """What was done with what was sent."""
    status: int
    """As HTTP would answer for this line alone."""
    status_reason: str | None
    """Why it is in that status."""


class ListedIds(Document):
    """Count of ids, with the first 1,000 of them."""

    count: int
    """How many there are."""
    ids: list[str]
    """The ids, of many the first 1,000."""


class Match(Document):
    """What it says of the question, if asked."""

    entities: list[str]
    """That both name, a URN as it is, others with their kind."""
    words: list[str]
    """Of the question that the memory says, or says in another form, in the question's order."""


class Memory(Document):
    """Memory record: one learned fact with its provenance, confidence and outcomes. Scores are multiples
    of 0.001 (see `to_thousandths`), times are aware UTC datetimes, `version` counts every change.
    """

    access_count: int
    """How often a recall showed it."""
    active: bool
    """It is in use: its status is active."""
    age_days: int | None
    """For how many days."""
    approved_at: datetime | None
    """When it was approved."""
    approved_by: str | None
    """The reviewer who approved it; null: nobody has."""
    category: Category
    """What it is about; omitted, told from the content."""
    confidence: float
    """How far to believe it, 0 to 1; below 0.2 it goes out of use."""
    content: str
    """What it says: one thought."""
    content_hash: str
    """SHA-256 of the content in UTF-8, hex."""
    context: str | None
    """What stood around it; searched too."""
    created_at: datetime
    """When it was made."""
    created_by: str
    """Who it is from; an admin alone names somebody else."""
    detail: dict[str, Any]
    """Facts beside the words, as a JSON object."""
    dimension: Dimension
    """What kind of knowledge it is."""
    doubted: Doubt | None
    """The question that agents have raised about it; null: none."""
    drifted_at: datetime | None
    """End of the disuse for which `outcome_score` has drifted to 0."""
    embedding_model: str | None
    """The model of its vectors; null: it has none yet."""
    embedding_text_hash: str | None
    """SHA-256 of the text that its vectors were made of."""
    entities: list[str]
    """URNs of the things that it speaks of; what happens to them makes it stale."""
    expires_at: datetime | None
    """From then on it is out of recall; omitted in a new one, by its type."""
    failed: int
    """How many verdicts said that it failed."""
    failed_weight: float
    """The evidence that it fails, as it has faded by `last_used_at`."""
    id: str
    """Its id."""
    kind: str | None
    """What it waits for: pending, quarantined, doubted, unapproved or stale."""
    last_accessed_at: datetime | None
    """When a recall last showed it."""
    last_used_at: datetime | None
    """When its outcome was last reported."""
    note: str | None
    """Says that the recall of the verdict is not known."""
    outcome_score: float
    """What verdicts on it sum up to, -1 to 1."""
    partial: int
    """How many verdicts said that it worked in part."""
    persona: str | None
    """Who alone may see it; omitted: everyone."""
    pinned: bool
    """Kept hot and out of pruning whatever its use."""
    position: int | None
    """Its place in its session, from 0."""
    project: str
    """The project that it belongs to."""
    relations: list[Relation]
    """Typed edges to URNs or to other memories."""
    relevance_score: float
    """How much it matters by itself, 0 to 1."""
    relevance_set: float | None
    """What `relevance_score` was before results moved it; null: they have not."""
    said_at: datetime | None
    """When it was said: what its words about time are resolved against; null: unknown."""
    score: float | None
    """How well it fits the task; the best is first."""
    session_id: str | None
    """The conversation that it was said in."""
    shown: int | None
    """How many of the last 1,000 recalls of its project showed it, if asked."""
    since: datetime | None
    """When it went stale; null: its history does not tell."""
    source: MemorySource
    """Who it comes from: a person, a run, or what runs taught."""
    source_recall_id: str | None
    """The recall that it was written after."""
    source_run_id: str | None
    """The run that it was learned in."""
    source_runs: list[str]
    """All runs that taught it."""
    staled_by: str | None
    """Who or what marked it so."""
    standing: Standing
    """Said by a person or approved by a reviewer, or not."""
    status: MemoryStatus
    """Its state: active ones are recalled."""
    status_reason: str | None
    """Why it is in its status, in words."""
    success_rate: float | None
    """How often it worked where it was learned, 0 to 1."""
    summary: str | None
    """The same in fewer words."""
    superseded_by: str | None
    """Id of the memory that is true instead."""
    supersedes: str | None
    """Id of the memory that it corrects."""
    tags: list[str]
    """Words or paths to find it by, and by which it belongs to a class of content."""
    task_type: TaskType | None
    """The kind of task that it helps with."""
    tenant: str
    """The tenant that it belongs to."""
    tier: Tier
    """Where it lies: hot and warm are recalled, cold is listed, frozen is for admins."""
    times: list[ResolvedTime]
    """Its words about time, with the days that they mean; computed from `content` and `said_at`."""
    type: MemoryType
    """How it is used, and by which default expiry it ends."""
    unseconded: float
    """What one stranger alone took off `outcome_score`; ranking adds it back."""
    updated_at: datetime
    """When it was last changed."""
    use_count: int
    """How often its outcome was reported."""
    valid_from: datetime | None
    """The time in which what it says is so."""
    valid_to: datetime | None
    """The time in which what it says is so."""
    version: int
    """Number of its version, from 1."""
    worked: int
    """How many verdicts said that it worked."""
    worked_weight: float
    """The evidence that it works, as it has faded by `last_used_at`."""


class MergeAnswer(Document):
    """Counts of a merge."""

    copied: int
    """Records that are new here."""
    differing_ids: list[str]
    """Known, but saying something else here."""
    dry_run: bool
    """Nothing was written: it tells what would be done."""
    from_: str
    """The project whose records came in."""
    known: int
    """The id is there, or the evidence is."""
    merged: int
    """How many were united with known ones."""
    records: int
    """How many the other project has."""
    redacted: int
    """How many had something taken out of their text."""
    refused: int
    """Records that may not come in."""
    refused_ids: list[RefusedRecord]
    """The first 1,000."""


class NearAnswer(Document):
    """Neighbours of an item that waits, at most 3."""

    near: list[NearMemory]
    """What says the same first, then the nearest."""


class NearMemory(Document):
    """Active memory beside an item that waits."""

    access_count: int
    """How often a recall showed it."""
    active: bool
    """It is in use: its status is active."""
    approved_at: datetime | None
    """When it was approved."""
    approved_by: str | None
    """The reviewer who approved it; null: nobody has."""
    category: Category
    """What it is about; omitted, told from the content."""
    confidence: float
    """How far to believe it, 0 to 1; below 0.2 it goes out of use."""
    content: str
    """What it says: one thought."""
    content_hash: str
    """SHA-256 of the content in UTF-8, hex."""
    context: str | None
    """What stood around it; searched too."""
    created_at: datetime
    """When it was made."""
    created_by: str
    """Who it is from; an admin alone names somebody else."""
    detail: dict[str, Any]
    """Facts beside the words, as a JSON object."""
    difference: str | None
    """The point in which they differ, or why both cannot hold; missing where it says the same."""
    dimension: Dimension
    """What kind of knowledge it is."""
    doubted: Doubt | None
    """The question that agents have raised about it; null: none."""
    drifted_at: datetime | None
    """End of the disuse for which `outcome_score` has drifted to 0."""
    embedding_model: str | None
    """The model of its vectors; null: it has none yet."""
    embedding_text_hash: str | None
    """SHA-256 of the text that its vectors were made of."""
    entities: list[str]
    """URNs of the things that it speaks of; what happens to them makes it stale."""
    expires_at: datetime | None
    """From then on it is out of recall; omitted in a new one, by its type."""
    failed: int
    """How many verdicts said that it failed."""
    failed_weight: float
    """The evidence that it fails, as it has faded by `last_used_at`."""
    id: str
    """Its id."""
    last_accessed_at: datetime | None
    """When a recall last showed it."""
    last_used_at: datetime | None
    """When its outcome was last reported."""
    outcome_score: float
    """What verdicts on it sum up to, -1 to 1."""
    partial: int
    """How many verdicts said that it worked in part."""
    persona: str | None
    """Who alone may see it; omitted: everyone."""
    pinned: bool
    """Kept hot and out of pruning whatever its use."""
    position: int | None
    """Its place in its session, from 0."""
    project: str
    """The project that it belongs to."""
    relations: list[Relation]
    """Typed edges to URNs or to other memories."""
    relevance_score: float
    """How much it matters by itself, 0 to 1."""
    relevance_set: float | None
    """What `relevance_score` was before results moved it; null: they have not."""
    said_at: datetime | None
    """When it was said: what its words about time are resolved against; null: unknown."""
    session_id: str | None
    """The conversation that it was said in."""
    similarity: float
    """Cosine of the two contents; 1.0 for equal text."""
    source: MemorySource
    """Who it comes from: a person, a run, or what runs taught."""
    source_recall_id: str | None
    """The recall that it was written after."""
    source_run_id: str | None
    """The run that it was learned in."""
    source_runs: list[str]
    """All runs that taught it."""
    standing: Standing
    """Said by a person or approved by a reviewer, or not."""
    status: MemoryStatus
    """Its state: active ones are recalled."""
    status_reason: str | None
    """Why it is in its status, in words."""
    success_rate: float | None
    """How often it worked where it was learned, 0 to 1."""
    summary: str | None
    """The same in fewer words."""
    superseded_by: str | None
    """Id of the memory that is true instead."""
    supersedes: str | None
    """Id of the memory that it corrects."""
    tags: list[str]
    """Words or paths to find it by, and by which it belongs to a class of content."""
    task_type: TaskType | None
    """The kind of task that it helps with."""
    tenant: str
    """The tenant that it belongs to."""
    tier: Tier
    """Where it lies: hot and warm are recalled, cold is listed, frozen is for admins."""
    times: list[ResolvedTime]
    """Its words about time, with the days that they mean; computed from `content` and `said_at`."""
    type: MemoryType
    """How it is used, and by which default expiry it ends."""
    unseconded: float
    """What one stranger alone took off `outcome_score`; ranking adds it back."""
    updated_at: datetime
    """When it was last changed."""
    use_count: int
    """How often its outcome was reported."""
    valid_from: datetime | None
    """The time in which what it says is so."""
    valid_to: datetime | None
    """The time in which what it says is so."""
    verdict: Literal["same", "otherwise", "related"]
    """It says the same, or otherwise of the same thing, or something else that is related."""
    version: int
    """Number of its version, from 1."""
    worked: int
    """How many verdicts said that it worked."""
    worked_weight: float
    """The evidence that it works, as it has faded by `last_used_at`."""


class NodeAnswer(Document):
    """Node of a graph; `kind` is memory, entity, urn, name, date, identifier or path. `nearness` is a
    share of the nearest. Of an entity that was walked from `total` is the number of memories tied to it
    that the caller may see; of one with more than were looked at, `total_at_most` is, in its place, an
    upper bound. The rest belongs to memories.
    """

    created_by: str | None
    """Who wrote the memory."""
    id: str
    """Its id."""
    kind: str
    """Memory, entity, urn, name, date, identifier or path."""
    nearness: float
    """How near it is to where the walk began, as a share of the nearest."""
    project: str | None
    """The project of the memory."""
    standing: Standing | None
    """Whose words these are: trusted or unreviewed."""
    summary: str | None
    """What the memory says, in short."""
    total: int | None
    """Number of memories tied to it, counted."""
    total_at_most: int | None
    """Bound on that number, where not all were looked at."""
    type: str | None
    """The type of the memory."""


class Omission(Document):
    """Offer that is not in the context, and the reason."""

    detail: str | None
    """Of which memory it repeats, where it does."""
    id: str
    """The memory that was left out."""
    reason: Literal[
        "below_quality",
        "near_duplicate",
        "over_budget",
        "conflict_lost",
        "other_layer",
        "repeated",
        "evicted",
    ]
    """The kind of reason."""


class OperationAnswer(Document):
    """State of an operation; `result` or `problem` once it has ended."""

    created_at: datetime
    """When it was accepted."""
    done: int
    """How much of how much is done."""
    id: str
    """Its id."""
    kind: str
    """The work that is done."""
    problem: dict[str, Any] | None
    """Why it failed."""
    result: dict[str, Any] | None
    """The answer that the work would have had at once."""
    status: str
    """Running, succeeded or failed."""
    total: int
    """How much of how much is done."""


class OutcomeEstimateAnswer(Document):
    """Estimate of how well a memory serves the caller, and what it rests on."""

    by_task_type: list[KindEstimateAnswer]
    """The estimate for each kind of task that it was shown in."""
    deviation: float
    """Standard deviation of that chance."""
    exploration: float
    """How much lists go by this estimate; 0: not at all."""
    failed: int
    """How many verdicts said that it failed."""
    high: float
    """Upper end of that range."""
    id: str
    """Its id."""
    inherited: EvidenceAnswer
    """Evidence on the memory that it took the place of or was copied from, counted at half."""
    low: float
    """Lower end of the range in which the chance lies with 90 %; far from `high`: little is known yet."""
    mean: float
    """Chance that it serves, 0 to 1, by the runs that were shown it and cited nothing; .5: nothing is
    known.
    """
    others: EvidenceAnswer
    """Evidence of persons' runs, and of other agents' as far as two agree."""
    outcome_score: float
    """What verdicts that named it have taught; nothing of the above moves it."""
    own: EvidenceAnswer
    """Evidence of the caller's own runs, which counts in full."""
    partial: int
    """How many verdicts said that it worked in part."""
    voices: int
    """How many other callers have had runs that were shown it."""
    worked: int
    """How many verdicts said that it worked."""


class PageAnswer(Document):
    """Page of memories; `note` names those left out because they cannot be read as they were written."""

    memories: list[Memory]
    """The memories, in the order that the route names."""
    next_cursor: str | None
    """To be sent as `cursor` for the next page; null: this is the last."""
    note: str | None
    """What the answer lacks and why, in a sentence; missing where it lacks nothing."""
    rows: list[dict[str, Any]] | None
    """The fields asked for, of each record, with its id and version, in place of `memories`."""
    total: int | None
    """Number of records on all pages, where `count` asks for it."""


class PageOutcomeAnswer(Document):
    """Verdicts on memories of a page, in the order of the request."""

    recall_id: str
    """Id of this recall, by which outcomes name it."""
    results: list[ReferenceAnswer]
    """What became of each, in the order of the request."""


class PairAnswer(Document):
    """Two memories that contradict each other, or say the same; severity 0..1, of a conflict only."""

    age_days: int
    """Days since it was found."""
    etag: str
    """Names the versions of both; as If-Match of a decision, one on what was changed since is refused."""
    found_at: datetime
    """When it was found."""
    id: str
    """Its id."""
    kind: PairKind
    """Why they are a pair."""
    memories: list[PairedMemory]
    """The two."""
    reason: str
    """The point in which they disagree, or why they are alike."""
    severity: float
    """How grave the conflict is, 0 to 1."""
    similarity: float
    """Cosine of the two contents."""


class PairedMemory(Document):
    """Memory of a pair, with the fields that a decision goes by."""

    approved: bool
    """A reviewer approved it."""
    confidence: float
    """How far to believe it."""
    content: str
    """What it says."""
    created_at: datetime
    """When it was made."""
    id: str
    """Its id."""
    persona: str | None
    """Who alone may see it; null: everyone."""
    source: str
    """Who it comes from: a person, a run, or what runs taught."""
    standing: Standing
    """Said by a person or approved by a reviewer, or not."""
    status: MemoryStatus
    """Its state."""
    updated_at: datetime
    """When it was last changed."""
    version: int
    """Number of its version, from 1."""


class PastEntityEvent(Document):
    """Event of an entity as it was told."""

    created_by: str
    """Who told it."""
    detail: dict[str, Any]
    """More about it."""
    event: EntityEventKind
    """What happened."""
    id: str
    """The event's id."""
    marked: int
    """How many memories went stale by it."""
    occurred_at: datetime
    """When it happened."""
    target: str | None
    """The other end: the new name, or what is linked."""
    urn: str
    """What it happened to."""


class PinRules(Document):
    """Memories that stay hot however seldom they are recalled."""

    max_size_mb: int | None
    """How much of what matches is held, the newest first."""
    patterns: list[str] | None
    """Globs over tags and URNs (`*.md`, `urn:file:src/`), and ids, of what stays hot."""
    ttl_hours: int | None
    """For how long after the last change of what it says; being recalled adds nothing."""


class PlaybookAnswer(Document):
    """Playbook of a project, or what has changed in it."""

    as_of: datetime
    """What `since` takes for the next page."""
    bullets: list[BulletAnswer]
    """All of them, or those that are new or say or count something else, in the order of the page."""
    markdown: str
    """The page; what did not change stands before what did, byte by byte."""
    note: str | None
    """What is not on the page, and of whom, where there are too many; null: all is."""
    retired: list[str]
    """Names of bullets that are in use no more; empty without `since`."""
    set_hash: str
    """Digest of the whole playbook."""
    total: int
    """How many bullets the whole playbook has."""


class PoppedAnswer(Document):
    """Turn that was taken back."""

    turn: Memory | None
    """As it is archived now, if there was any."""


class PriorityWeights(Document):
    """Weights of the priority signals of a fragment; each 0..1, all together 1. Source: Context Assembly,
    priority scoring algorithm; SPEC 3.17. Args: relevance: of how near it is to the intent. recency: of
    how new it is. credibility: of how far to believe it. coherence: of how well it fits the others.
    """

    coherence: float | None
    """Of how well it fits the others. Omitted: `0.15`."""
    credibility: float | None
    """Of how far to believe it. Omitted: `0.25`."""
    recency: float | None
    """Of how new it is. Omitted: `0.2`."""
    relevance: float | None
    """Of how near it is to the intent. Omitted: `0.4`."""


class Problem(Document):
    """RFC 9457 problem details."""

    contradicts: SimilarMemory | None
    """The memory that says otherwise of the same thing, where one does."""
    detail: str
    """What is wrong here, and what to do."""
    duplicate_of: SimilarMemory | None
    """The memory that says the same, where one does."""
    errors: list[BrokenRule]
    """Each broken rule, by a JSON pointer into the request."""
    instance: str
    """The path that was asked for."""
    remedies: list[Remedy] | None
    """Ways out, as data, of which one is enough; those of a broken rule stand with it."""
    repeats: list[str] | None
    """Ids of the memories that a recall returned, and that the text repeats."""
    request_id: str
    """Id of the request, as the server's log has it."""
    status: int
    """The status of the answer."""
    title: str
    """The kind of problem in a few words."""
    type: str
    """A URN that ends in a short code."""


class ProjectAnswer(Document):
    """Project that the caller sees a memory of."""

    active: int
    """Those of them in use; an expired one is among them until its sweep has come by."""
    project: str
    """Its name."""
    total: int
    """Memories of every status that the caller sees."""


class ProjectsAnswer(Document):
    """Page of projects."""

    next_cursor: str | None
    """Where the next page begins, unless this is the last."""
    projects: list[ProjectAnswer]
    """By name."""


class PromotionReport(Document):
    """Counts of learnings that became memories, were merged into known ones, or were skipped."""

    merged: int
    """How many were united with known ones."""
    promoted: int
    """How many became memories."""
    skipped: int
    """How many were left as they were."""


class PromptAnswer(Document):
    """Composed prompt section; `groups` comes with the format `knowledge`."""

    degraded: bool
    """A part was down, as `note` says: the answer may lack something."""
    groups: KnowledgeGroups | None
    """The knowledge by kind."""
    markdown: str
    """The section, ready for a prompt; empty: nothing is known."""
    memory_ids: list[str]
    """Ids of the memories in it, in their order."""
    memory_set_hash: str
    """SHA-256 of the memories in it, their versions and doubts, whatever their order."""
    note: str | None
    """What the answer lacks and why, in a sentence; missing where it lacks nothing."""
    recall_id: str
    """Id of this recall, by which outcomes name it."""


class PruneReport(Document):
    """Numbers of memories that the rule met and archived, and the first 1,000 of their ids."""

    archived: int
    """Of these, those that were archived."""
    dry_run: bool
    """Nothing was written: it tells what would be done."""
    ids: list[str]
    """The ids, of many the first 1,000."""
    matched: int
    """Memories that the rule met."""


class Readiness(Document):
    """Sign that records can be read."""

    damage: str | None
    """Records that are not as they were written and not healed; null: none is known."""
    degraded: bool
    """A part is down or damaged, without which it serves less."""
    disk: str
    """`ready`, or how little room is left."""
    embedder: str
    """`ready`, or why recall goes by words alone."""
    index: str
    """`ready`, or why recall looks at the newest records alone."""
    index_coverage: float | None
    """Share of the records that are found by meaning; the others wait for a vector, and are found by their
    words. null: the index does not say.
    """
    lost: list[str]
    """Acknowledged writes that the disk lost, in sentences."""
    status: Literal["ready"]
    """Records can be read."""
    webhooks: str | None
    """How many are paused after failures; absent: none is."""
    writes: str
    """`accepted`, or why they are refused."""


class RecallAnswer(Document):
    """Memories that bear on the query, best first."""

    abstained: bool
    """Nothing relevant is known."""
    degraded: bool
    """A part was down, as `note` says."""
    evidence: float
    """Chance that an answer is known, 0 to 1; abstention rests on it."""
    evidence_gaps: list[str]
    """What the question names and no memory found covers."""
    memories: list[RecalledMemory]
    """The best first."""
    note: str | None
    """That a part was down, or that the section which is asked for has more lines, and with which limit."""
    ranking: str
    """The way in which they were found and blended."""
    recall_id: str
    """Id of this recall, by which outcomes name it."""
    strategy: str
    """The strategy that was followed."""


class RecalledMemory(Document):
    """A record with the score that orders it and the signals behind it."""

    access_count: int
    """How often a recall showed it."""
    active: bool
    """It is in use: its status is active."""
    approved_at: datetime | None
    """When it was approved."""
    approved_by: str | None
    """The reviewer who approved it; null: nobody has."""
    category: Category
    """What it is about; omitted, told from the content."""
    confidence: float
    """How far to believe it, 0 to 1; below 0.2 it goes out of use."""
    content: str
    """What it says: one thought."""
    content_hash: str
    """SHA-256 of the content in UTF-8, hex."""
    context: str | None
    """What stood around it; searched too."""
    created_at: datetime
    """When it was made."""
    created_by: str
    """Who it is from; an admin alone names somebody else."""
    detail: dict[str, Any]
    """Facts beside the words, as a JSON object."""
    dimension: Dimension
    """What kind of knowledge it is."""
    doubted: Doubt | None
    """The question that agents have raised about it; null: none."""
    drifted_at: datetime | None
    """End of the disuse for which `outcome_score` has drifted to 0."""
    embedding_model: str | None
    """The model of its vectors; null: it has none yet."""
    embedding_text_hash: str | None
    """SHA-256 of the text that its vectors were made of."""
    entities: list[str]
    """URNs of the things that it speaks of; what happens to them makes it stale."""
    expires_at: datetime | None
    """From then on it is out of recall; omitted in a new one, by its type."""
    failed: int
    """How many verdicts said that it failed."""
    failed_weight: float
    """The evidence that it fails, as it has faded by `last_used_at`."""
    id: str
    """Its id."""
    last_accessed_at: datetime | None
    """When a recall last showed it."""
    last_used_at: datetime | None
    """When its outcome was last reported."""
    matched: Match | None
    """What it says of the question, if asked."""
    outcome_score: float
    """What verdicts on it sum up to, -1 to 1."""
    partial: int
    """How many verdicts said that it worked in part."""
    persona: str | None
    """Who alone may see it; omitted: everyone."""
    pinned: bool
    """Kept hot and out of pruning whatever its use."""
    placed_by: Literal["relevance", "trust", "fold", "exploration", "correction", "record", "file", "release"]
    """Why it stands there; trust: before unreviewed ones; fold: behind one that it is like; correction:
    under the doubted one that it is to replace; record: others found lines of its author wrong; file:
    as a step of what is asked for, in the order of its file; release: the newest news stands first.
    """
    position: int | None
    """Its place in its session, from 0."""
    project: str
    """The project that it belongs to."""
    relations: list[Relation]
    """Typed edges to URNs or to other memories."""
    relevance: float
    """Chance that it bears on the question, 0 to 1, comparable between questions and projects."""
    relevance_score: float
    """How much it matters by itself, 0 to 1."""
    relevance_set: float | None
    """What `relevance_score` was before results moved it; null: they have not."""
    said_at: datetime | None
    """When it was said: what its words about time are resolved against; null: unknown."""
    score: float
    """By which the memories are ordered."""
    session_id: str | None
    """The conversation that it was said in."""
    signals: Signals
    """What the score is made of."""
    source: MemorySource
    """Who it comes from: a person, a run, or what runs taught."""
    source_recall_id: str | None
    """The recall that it was written after."""
    source_run_id: str | None
    """The run that it was learned in."""
    source_runs: list[str]
    """All runs that taught it."""
    standing: Standing
    """Said by a person or approved by a reviewer, or not."""
    status: MemoryStatus
    """Its state: active ones are recalled."""
    status_reason: str | None
    """Why it is in its status, in words."""
    success_rate: float | None
    """How often it worked where it was learned, 0 to 1."""
    summary: str | None
    """The same in fewer words."""
    superseded_by: str | None
    """Id of the memory that is true instead."""
    supersedes: str | None
    """Id of the memory that it corrects."""
    tags: list[str]
    """Words or paths to find it by, and by which it belongs to a class of content."""
    task_type: TaskType | None
    """The kind of task that it helps with."""
    tenant: str
    """The tenant that it belongs to."""
    tier: Tier
    """Where it lies: hot and warm are recalled, cold is listed, frozen is for admins."""
    times: list[ResolvedTime]
    """Its words about time, with the days that they mean; computed from `content` and `said_at`."""
    type: MemoryType
    """How it is used, and by which default expiry it ends."""
    unseconded: float
    """What one stranger alone took off `outcome_score`; ranking adds it back."""
    updated_at: datetime
    """When it was last changed."""
    use_count: int
    """How often its outcome was reported."""
    valid_from: datetime | None
    """The time in which what it says is so."""
    valid_to: datetime | None
    """The time in which what it says is so."""
    version: int
    """Number of its version, from 1."""
    worked: int
    """How many verdicts said that it worked."""
    worked_weight: float
    """The evidence that it works, as it has faded by `last_used_at`."""


class RedactedPart(Document):
    """Part out of which something was taken before it was stored: its place in the file, and the kinds of
    it.
    """

    kinds: list[str]
    """Of what was taken out, each once."""
    where: str
    """Its line or JSON pointer in the file."""


class RedactionFinding(Document):
    """Number of secrets of a kind that were redacted at a place; never their text."""

    count: int
    """How many of the kind were there."""
    kind: str
    """The kind of secret."""
    pointer: str
    """JSON pointer of the place."""


class ReferenceAnswer(Document):
    """Result of the verdict on one reference."""

    confidence: float | None
    """After the verdict."""
    id: str
    """The number on the page, and the memory that it stands for."""
    memory_status: str | None
    """After the verdict."""
    outcome_score: float | None
    """After the verdict."""
    problem: Problem | None
    """What went wrong, as a refusal of its own would say it."""
    project: str
    """The project of the memory."""
    ref: int
    """The number on the page, and the memory that it stands for."""
    status: int
    """As HTTP would answer for this memory alone."""


class Refusal(Document):
    """Operation of another that a project without the excluded ones would have refused."""

    by: str
    """Who did it."""
    id: str
    """The memory that it was on."""
    verb: str
    """What it did."""
    version: int | None
    """Version that it made; None: it was a verdict that made none."""
    why: str
    """The reason in words."""


class RefusedRecord(Document):
    """A record that may not come in, and the reason."""

    id: str
    """Its id."""
    problem: str
    """Why it may not come in, in words."""


class Relation(Document):
    """A typed edge from a memory to a URN or to another memory's id. Args: type: what it is to the target.
    target: a URN or a memory's id.
    """

    target: str
    """A URN or a memory's id."""
    type: str
    """What it is to the target."""


class Remedy(Document):
    """One way out: a field to give, or to leave out, or something else to do."""

    action: str | None
    """What to do, in words that name no field; of a field, what giving it does."""
    is_omitted: bool
    """The field is to be left out."""
    pointer: str
    """JSON pointer of the field; empty: there is none."""
    values: list[str]
    """The values that will do; none: any that keeps the rules."""


class ReorganisationAnswer(Document):
    """Playbook as it would be with near-duplicates united, beside the present one."""

    id: str | None
    """What a decision names; null: there is nothing to reorganise."""
    note: str | None
    """What stands in neither, and of whom, where there are too many; null: all does."""
    present: list[BulletAnswer]
    """The bullets as they are."""
    proposed: list[BulletAnswer]
    """The bullets as they would be."""
    unions: list[Union]
    """Learnings that would become one."""


class ReorganisationResult(Document):
    """Decision that was carried out."""

    done: int
    """How many unions it was carried out on."""
    problems: list[str]
    """A sentence about each union that was refused meanwhile."""


class ResolvedAnswer(Document):
    """Decision on a pair; `winner` null: both stay."""

    id: str
    """The pair's id."""
    ids: list[str]
    """The two memories."""
    kind: PairKind
    """Why they were a pair."""
    resolution: PairDecision
    """What became of them."""
    resolved_at: datetime
    """When it was decided."""
    resolved_by: str
    """Who decided."""
    winner: str | None
    """Id of the one that stays; null: both stay."""


class ResolvedTime(Document):
    """Words about time in a content, and the days that they mean."""

    certainty: Literal["exact", "likely", "rough"]
    """Exact: they mean these very days; likely: another reading is possible; rough: about then."""
    from_: str
    """First and last day of what they mean; of one day the same twice."""
    to: str
    """First and last day of what they mean; of one day the same twice."""
    words: str
    """As the content has them."""


class RestoreAnswer(Document):
    """Result of a restoration."""

    after: LaterRecords
    """Records newer than the snapshot: those that it does not know, which stay, and those that were put
    back.
    """
    dry_run: bool
    """Nothing was written: it tells what would be done."""
    erased: int
    """Records that were erased since, and stay so."""
    left_out: int
    """Records that were damaged in the snapshot's time."""
    records: int
    """How many it holds."""
    recreated: int
    """Records that were not there."""
    restored: int
    """Records that said something else."""
    settings: Literal["kept", "restored"]
    """They were kept, or restored as well."""
    snapshot: str
    """Id of the snapshot."""
    unchanged: int
    """Records that said the same."""


class ReviewGroup(Document):
    """Memories that wait for the same reason: held-back ones of one principal, or all that the same ones
    doubt alike.
    """

    count: int
    """How many they are."""
    kind: str
    """Why they wait."""
    principal: str
    """Whose token wrote them, whatever name they bear; of doubts, all who raised them."""
    reasons: list[str]
    """Of doubts, what is said against each of them."""
    runs: list[str]
    """Of doubts, the runs that raised them."""
    seen: list[SeenMemory]
    """Each, at the version that is shown."""


class ReviewsAnswer(Document):
    """Page of what waits for a person."""

    groups: list[ReviewGroup]
    """Its held-back memories by principal and kind, its doubted ones by who raised all of it, largest
    first.
    """
    next_cursor: str | None
    """To be sent as `cursor` for the next page; null: this is the last."""
    note: str | None
    """What the answer lacks and why, in a sentence; missing where it lacks nothing."""
    reviews: list[Memory | StagedLearning | PairAnswer]
    """Memories, staged learnings and pairs, the oldest first."""


class RollbackReceipt(Document):
    """What a rollback did, or would do."""

    by: str
    """The admin who asked for it."""
    counts: dict[str, int]
    """Memories taken out of use (`retired`), brought back (`restored`), changed otherwise (`changed`), and
    those of which verdicts alone changed (`judged_anew`); `tuning`: 1 where that of contexts changed;
    `links`: links between entities made or undone; `shared`: copies for the whole tenant archived or
    brought back.
    """
    id: str
    """Names it, for its undo."""
    ids: list[str]
    """The memories, at most 1,000."""
    principal: str
    """Whose operations are taken back."""
    refused: list[Refusal]
    """Operations of others that would have been refused without what is taken back, at most 1,000."""
    since: datetime | None
    """From when on; null: from the first on."""
    status: Literal["planned", "begun", "applied", "undoing", "undone"]
    """Planned (a dry run), begun, applied, undoing or undone."""
    unread: list[str]
    """Memories whose history cannot be read, and that stay as they are."""
    until: datetime
    """Up to when."""


class RunAnswer(Document):
    """Run and its result; the counts are missing until it has ended. `verdict` is null for a run that
    crashed, or that `failed_by` its tools: it blames nothing.
    """

    created_by: str
    """Who reported it."""
    credited: int | None
    """Memories that it used, and that its verdict counted for."""
    extracted: int | None
    """Learnings found in it."""
    failed_by: Literal["killed", "memory", "time", "network", "limit", "disk", "credentials"] | None
    """The failure of a tool that ended it; null: none did."""
    finished_at: datetime | None
    """When all was learned from it; null: not yet."""
    iterations: int
    """How many it took."""
    memories_used: list[str]
    """Ids of the memories that it had."""
    merged: int | None
    """Those that known memories took in."""
    mode: RunMode
    """When its learnings become memories."""
    objective: str
    """What it was to do."""
    persona: str | None
    """Who alone may see it; null: everyone."""
    promoted: int | None
    """Those that became memories."""
    recall_ids: list[str]
    """Recalls, prompts and contexts that it was shown."""
    received_at: datetime
    """When it was reported."""
    rejected: int | None
    """Those that passed the judgement, and those that did not."""
    run_id: str
    """The run's own id."""
    staged: int | None
    """Of these, those put into the staging area."""
    status: RunStatus
    """How it ended."""
    task_type: TaskType
    """The kind of task that it was."""
    unknown: list[str] | None
    """Ids of the report that are of no memory and no recall; missing: there are none, or it is read later."""
    validated: int | None
    """Those that passed the judgement, and those that did not."""
    verdict: OutcomeResult | None
    """What it says of the memories that it used."""


class RunHistoryAnswer(Document):
    """Run with all its iterations."""

    iterations: list[dict[str, Any]] | None
    """As they were reported, without secrets; null: the run is older than histories are."""
    run: RunAnswer
    """As it is listed."""
    shown: list[ShownListAnswer]
    """The lists that it was shown."""


class RunsAnswer(Document):
    """Page of runs, newest first."""

    next_cursor: str | None
    """To be sent as `cursor` for the next page; null: this is the last."""
    runs: list[RunAnswer]
    """The newest first."""


class SeenMemory(Document):
    """A memory at the version that was looked at; a newer one is not decided on."""

    id: str
    """The reviewed memory."""
    version: int
    """The one that was looked at."""


class ServiceVersion(Document):
    """Version of the service."""

    version: str
    """As `major.minor.patch`."""


class SessionAnswer(Document):
    """Conversation, as its last turn tells it."""

    last_at: datetime
    """When that turn was said."""
    last_position: int
    """Place of its last turn that the caller sees, from 0."""
    session_id: str
    """Its own id."""


class SessionsAnswer(Document):
    """Page of conversations."""

    next_cursor: str | None
    """Where the next page begins, unless this is the last."""
    sessions: list[SessionAnswer]
    """By id."""


class Settings(Document):
    """A project's settings; what is omitted goes back to its default. `blend`: how keywords and meaning
    become one relevance. `minmax` counts each score as its share of the best of its list, from 0 (not
    from the list's least, as the name says); `flag` is 0.6 x cosine + 0.4 if any keyword matches.
    `tier_policy`: by class of content what stays hot, what leaves its row and what goes out of the
    index.
    """

    blend: BlendMode | None
    """How keywords and meaning become one relevance."""
    context_prefetch: bool | None
    """A server between two requests assembles the context that a session will likely ask for next; refused
    in the cloud, where nothing runs between requests.
    """
    context_weights: dict[str, PriorityWeights] | None
    """By class of content, what makes a fragment of a context worth its place; those given stand, whatever
    feedback says; the four make 1.
    """
    default_expiry_days: dict[str, int | None] | None
    """By type, after how many days a memory ends by itself; null: never."""
    event_sources: list[str] | None
    """Names of agents' tokens whose entity events count as a person's."""
    exploration: float | None
    """How much lists try out what verdicts have not told apart, 0 to 1; 0: not at all."""
    limits: Limits | None
    """How often `failed` may be said, and how much one principal may do in an hour."""
    outcome_model: OutcomeModel | None
    """`fixed` steps, or the mean of a `beta` posterior over evidence that fades."""
    privacy_mode: PrivacyMode | None
    """What is redacted before it is stored: secrets, personal data too, nothing; or refuse it."""
    profile: RankingProfile | None
    """How a recall that names none is ranked."""
    prompt_limit: int | None
    """How many memories a prompt has that says no limit itself."""
    review_sources: list[MemorySource] | None
    """Sources whose memories wait for a person."""
    synonyms: dict[str, list[str]] | None
    """By a word or two of the project, what else is said for it; beside the table that the product has."""
    tier_policy: dict[str, TierRules] | None
    """By class of content, what stays hot, leaves its row, and goes cold."""
    token_prices: dict[str, float] | None
    """US dollars for a million input tokens, by a model or the beginning of its name; before the list that
    the product has.
    """
    version: int | None
    """Number of its changes; 0: never set."""


class ShowingRecallAnswer(Document):
    """Recall, prompt or context that showed a memory."""

    at: datetime
    """The time of it."""
    chance: float | None
    """Probability with which an exploring list's draws show it, before the order of trust; null: it did
    not explore, or the memory was on trial.
    """
    place: int
    """Number of the memory on the page, from 1."""
    principal: str
    """Who was shown it."""
    recall_id: str
    """Id of this recall, by which outcomes name it."""
    run_id: str | None
    """The run that asked; null: none was named."""
    shown: int
    """How many memories the page had."""


class ShowingRecallsAnswer(Document):
    """Recalls that showed a memory, of the project's last 1,000, at most 200."""

    recalls: list[ShowingRecallAnswer]
    """The last first."""


class ShownListAnswer(Document):
    """List that a run was shown."""

    at: datetime
    """The time of it."""
    memories: list[ShownMemoryAnswer]
    """In their order on the page."""
    recall_id: str
    """Id of this recall, by which outcomes name it."""


class ShownMemoryAnswer(Document):
    """Memory that a run was shown."""

    id: str
    """Its id."""
    project: str
    """The project that it belongs to."""
    version: int
    """As it was then."""


class Signals(Document):
    """Ranking signals of a memory, all 0..1 but `boost`, a factor from 1 to 1.5. `semantic` is the blended
    relevance to the query, `lexical` the share of the keyword arm in it; `formula`, 0 to 1.5, the
    weighted sum of all (Outcome-Ranked Engine), which is shown and does not order.
    """

    boost: float
    """Factor for what fits the task, 1 to 1.5."""
    confidence: float
    """How far to believe it."""
    formula: float
    """Weighted sum of all; it is shown and does not order."""
    frequency: float
    """How often it was used and helped."""
    lexical: float
    """Share of the keywords in that relevance."""
    outcome: float
    """How well it has worked, by its verdicts."""
    recency: float
    """How lately it was changed or used."""
    semantic: float
    """Blended relevance to the query."""


class SimilarMemory(Document):
    """Known memory that is near to a stored one and says something else, as a receipt names it."""

    content: str | None
    """What it says; left out of what is kept on a disk."""
    differs_in: str | None
    """The point in which the stored one differs from it."""
    id: str
    """Its id."""
    similarity: float
    """Cosine of the two contents."""
    standing: Standing | None
    """Whose words these are: trusted or unreviewed."""


class SnapshotAnswer(Document):
    """Snapshot of a project."""

    by: str
    """Who took it."""
    bytes: int
    """Size of its files."""
    created_at: datetime
    """When it was made."""
    id: str
    """Its id."""
    left_out: list[str]
    """The first 1,000 records that were damaged when it was taken."""
    left_out_count: int
    """Number of the damaged records that it lacks."""
    manifest: str
    """SHA-256 of the project, as a verification tells it."""
    parts: int
    """Number of files that it is kept in."""
    problem: str | None
    """The reason that keeps it from being restored."""
    records: int
    """How many it holds."""


class SnapshotsAnswer(Document):
    """Snapshots, newest first."""

    snapshots: list[SnapshotAnswer]
    """The newest first."""


class StagedLearning(Document):
    """Learning on its way, with each decision on it and its author."""

    age_days: int | None
    """For how many days it waits."""
    decided_at: datetime | None
    """Who decided on it, and when."""
    decided_by: str | None
    """Who decided on it, and when."""
    id: str
    """Its id."""
    kind: str | None
    """That it is staged."""
    learning: Learning
    """What was learned."""
    memory_id: str | None
    """The memory that it became."""
    persona: str | None
    """Who alone may see it; null: everyone."""
    rejection_reason: str | None
    """Why it was rejected."""
    run_id: str
    """The run that it comes from."""
    staged_at: datetime
    """When it was put here."""
    status: StagedStatus
    """How far it has come."""
    validated_at: datetime | None
    """When it passed the judgement."""


class StagingAnswer(Document):
    """Page of staged learnings, with the counts of all statuses."""

    counts: dict[str, int]
    """How many there are in each status, and in `total`."""
    next_cursor: str | None
    """To be sent as `cursor` for the next page; null: this is the last."""
    staged: list[StagedLearning]
    """The learnings of this page."""


class StaleAnswer(Document):
    """Page of stale memories."""

    next_cursor: str | None
    """To be sent as `cursor` for the next page; null: this is the last."""
    stale: list[Memory]
    """The memories of this page."""


class StateTold(Document):
    """Absent where nobody may say any more."""

    doubted: bool
    """Somebody has said against it, and nobody has decided."""
    standing: Standing
    """Trusted if a person said it or a reviewer approved it."""
    status: MemoryStatus
    """As a read would show it."""
    version: int
    """Its newest; equal to that of the event, nothing has happened since."""


class StatsAnswer(Document):
    """Numbers of a project, over all statuses."""

    active: int
    """Of these, the active ones."""
    average_confidence: float | None
    """Mean over those that have one; null: none has."""
    average_outcome_score: float | None
    """Mean over those that have one; null: none has."""
    average_success_rate: float | None
    """Mean over those that have one; null: none has."""
    by: dict[str, dict[str, int]]
    """Counts by group, and in it by value."""
    bytes: int
    """Size of all their texts."""
    entity_events: dict[str, int]
    """By kind; `unknown`: of those whose URN no memory named."""
    index_coverage: float
    """Share of the records that are found by meaning; 1 says that none is missing."""
    last_updated_at: datetime | None
    """When the last of them was changed."""
    most_used: list[UseCount]
    """Those with the most reports."""
    outcome_bands: dict[str, int]
    """Number of memories whose outcome score is high, neutral or low."""
    tiers: dict[str, TierAnswer]
    """What lies in each tier."""
    total: int
    """Number of memories."""
    waiting_long: int
    """What has waited for a person for 14 days; of each kind at most 100 are counted."""


class StoreActor(Document):
    """Author of a change."""

    api_key_id: str | None
    """Name that its token gives an agent or a service."""
    type: Literal["user_actor", "api_actor"]
    """`user_actor`: a person; `api_actor`: an agent or a service."""
    user_id: str | None
    """E-mail address of a person."""


class StoreAnswer(Document):
    """Store of files: a project, with what it is called and is for."""

    archived_at: datetime | None
    """From then on its files are read and deleted here, and not written; null: it is in use."""
    created_at: datetime
    """When it was made."""
    description: str
    """What it is for."""
    id: str
    """`memstore_` and the project's name."""
    metadata: dict[str, str]
    """The caller's own pairs."""
    name: str
    """What it is called; a project that nobody has described is called as its own name."""
    type: Literal["memory_store"]
    """Tells it from other documents."""
    updated_at: datetime
    """When it was last changed."""


class StoreError(Document):
    """Error of a route of stores."""

    error: StoreErrorDetail
    """What went wrong."""
    request_id: str
    """Id of the request, as the server's log has it."""
    type: str
    """Always `error`."""


class StoreErrorDetail(Document):
    """What went wrong."""

    conflicting_memory_id: str | None
    """The file in the way, where there is one that the caller sees."""
    conflicting_path: str | None
    """Its path."""
    message: str
    """What is wrong, and what to do."""
    type: str
    """The kind of error, a word of that API."""


class StoreFile(Document):
    """File of a store: a memory, at a path."""

    content: str | None
    """Its text; null with `view=basic`."""
    content_sha256: str
    """SHA-256 of its text in UTF-8, hex; null where it has none."""
    content_size_bytes: int
    """Length of its text, in bytes of UTF-8."""
    created_at: datetime
    """When it was made."""
    id: str
    """The memory's own; it stays when the path changes."""
    memory_store_id: str
    """The store."""
    memory_version_id: str
    """The version that it is in."""
    path: str
    """Where it lies."""
    type: Literal["memory"]
    """Tells it from other documents."""
    updated_at: datetime
    """When it was last changed."""


class StoreFilesPage(Document):
    """Page of files."""

    data: list[StoreFile | StoreFolder]
    """By path."""
    next_page: str | None
    """What `page` takes for the next one; null: this is the last."""
    note: str | None
    """What is no file of the store, and of whom, where there are too many; null: all is."""


class StoreFolder(Document):
    """Folder of a store, in a list of depth 1: it stands for all files below it."""

    path: str
    """With a slash at its end."""
    type: Literal["memory_prefix"]
    """Tells it from other documents."""


class StoreVersion(Document):
    """Version of a file."""

    content: str | None
    """Its text; null with `view=basic`, of a deletion, and of what was redacted."""
    content_sha256: str | None
    """SHA-256 of its text in UTF-8, hex; null where it has none."""
    content_size_bytes: int | None
    """Length of its text in bytes of UTF-8; null as its hash."""
    created_at: datetime
    """When the change was made."""
    created_by: StoreActor
    """Who made the change."""
    id: str
    """Its id."""
    memory_id: str
    """The file; its versions stay when it is deleted."""
    memory_store_id: str
    """The store."""
    operation: FileOperation
    """How it came about."""
    path: str | None
    """Where the file lay; null: it was redacted."""
    redacted_at: datetime | None
    """Since when its words are gone; null: they are there."""
    redacted_by: StoreActor | None
    """Who took them out."""
    type: Literal["memory_version"]
    """Always `memory_version`."""


class StoreVersionsPage(Document):
    """Page of versions."""

    data: list[StoreVersion]
    """The newest first."""
    next_page: str | None
    """What `page` takes for the next one; null: this is the last."""
    note: str | None
    """Whose files' versions are not listed, where there are too many; null: all are."""


class StoredAnswer(Document):
    """A record with the receipt of its writing."""

    access_count: int
    """How often a recall showed it."""
    active: bool
    """It is in use: its status is active."""
    approved_at: datetime | None
    """When it was approved."""
    approved_by: str | None
    """The reviewer who approved it; null: nobody has."""
    category: Category
    """What it is about; omitted, told from the content."""
    confidence: float
    """How far to believe it, 0 to 1; below 0.2 it goes out of use."""
    content: str
    """What it says: one thought."""
    content_hash: str
    """SHA-256 of the content in UTF-8, hex."""
    context: str | None
    """What stood around it; searched too."""
    created_at: datetime
    """When it was made."""
    created_by: str
    """Who it is from; an admin alone names somebody else."""
    detail: dict[str, Any]
    """Facts beside the words, as a JSON object."""
    dimension: Dimension
    """What kind of knowledge it is."""
    doubted: Doubt | None
    """The question that agents have raised about it; null: none."""
    drifted_at: datetime | None
    """End of the disuse for which `outcome_score` has drifted to 0."""
    embedding_model: str | None
    """The model of its vectors; null: it has none yet."""
    embedding_text_hash: str | None
    """SHA-256 of the text that its vectors were made of."""
    entities: list[str]
    """URNs of the things that it speaks of; what happens to them makes it stale."""
    expires_at: datetime | None
    """From then on it is out of recall; omitted in a new one, by its type."""
    failed: int
    """How many verdicts said that it failed."""
    failed_weight: float
    """The evidence that it fails, as it has faded by `last_used_at`."""
    id: str
    """Its id."""
    last_accessed_at: datetime | None
    """When a recall last showed it."""
    last_used_at: datetime | None
    """When its outcome was last reported."""
    outcome_score: float
    """What verdicts on it sum up to, -1 to 1."""
    partial: int
    """How many verdicts said that it worked in part."""
    persona: str | None
    """Who alone may see it; omitted: everyone."""
    pinned: bool
    """Kept hot and out of pruning whatever its use."""
    position: int | None
    """Its place in its session, from 0."""
    project: str
    """The project that it belongs to."""
    receipt: WriteReceipt
    """What was done with what was sent."""
    relations: list[Relation]
    """Typed edges to URNs or to other memories."""
    relevance_score: float
    """How much it matters by itself, 0 to 1."""
    relevance_set: float | None
    """What `relevance_score` was before results moved it; null: they have not."""
    said_at: datetime | None
    """When it was said: what its words about time are resolved against; null: unknown."""
    session_id: str | None
    """The conversation that it was said in."""
    source: MemorySource
    """Who it comes from: a person, a run, or what runs taught."""
    source_recall_id: str | None
    """The recall that it was written after."""
    source_run_id: str | None
    """The run that it was learned in."""
    source_runs: list[str]
    """All runs that taught it."""
    standing: Standing
    """Said by a person or approved by a reviewer, or not."""
    status: MemoryStatus
    """Its state: active ones are recalled."""
    status_reason: str | None
    """Why it is in its status, in words."""
    success_rate: float | None
    """How often it worked where it was learned, 0 to 1."""
    summary: str | None
    """The same in fewer words."""
    superseded_by: str | None
    """Id of the memory that is true instead."""
    supersedes: str | None
    """Id of the memory that it corrects."""
    tags: list[str]
    """Words or paths to find it by, and by which it belongs to a class of content."""
    task_type: TaskType | None
    """The kind of task that it helps with."""
    tenant: str
    """The tenant that it belongs to."""
    tier: Tier
    """Where it lies: hot and warm are recalled, cold is listed, frozen is for admins."""
    times: list[ResolvedTime]
    """Its words about time, with the days that they mean; computed from `content` and `said_at`."""
    type: MemoryType
    """How it is used, and by which default expiry it ends."""
    unseconded: float
    """What one stranger alone took off `outcome_score`; ranking adds it back."""
    updated_at: datetime
    """When it was last changed."""
    use_count: int
    """How often its outcome was reported."""
    valid_from: datetime | None
    """The time in which what it says is so."""
    valid_to: datetime | None
    """The time in which what it says is so."""
    version: int
    """Number of its version, from 1."""
    worked: int
    """How many verdicts said that it worked."""
    worked_weight: float
    """The evidence that it works, as it has faded by `last_used_at`."""


class StoresPage(Document):
    """Page of stores."""

    data: list[StoreAnswer]
    """By the names of their projects."""
    next_page: str | None
    """What `page` takes for the next one; null: this is the last."""


class SweepAnswer(Document):
    """Sweep: work over all projects that is done again and again."""

    every_minutes: int
    """Between two runs."""
    is_running: bool
    """A process has taken it up."""
    last_report: SweepCounts | None
    """What it last did; null: it never ran."""
    name: str
    """As `mem sweep` calls it."""
    purpose: str
    """What it does."""


class SweepCounts(Document):
    """Report of a sweep's last run in numbers: its sentences name what belongs to other tenants."""

    complete: bool
    """The walk came to its end; else the next run goes on from there."""
    did: dict[str, int]
    """Number of changes by verb."""
    ended_at: datetime
    """When it ran."""
    failed_count: int
    """What could not be done, and is tried again."""
    looked_at: int
    """Records, events or projects, whatever the sweep walks over."""
    started_at: datetime
    """When it ran."""


class SweepsAnswer(Document):
    """All sweeps."""

    sweeps: list[SweepAnswer]
    """In the order in which they are declared."""


class TierAnswer(Document):
    """Contents of one tier: `bytes` of texts, `body_bytes` of these in blobs, and the cost at AWS's list
    prices.
    """

    body_bytes: int
    """Of these, what lies in blobs."""
    bytes: int
    """Size of their texts."""
    records: int
    """Number of memories in it."""
    usd_per_month: float
    """What keeping them costs, by AWS's list prices."""


class TierRules(Document):
    """The rules of one class; what is omitted has the class's default."""

    compress: CompressRules | None
    """What leaves its row."""
    evict: EvictRules | None
    """How much may stay near."""
    match: list[str] | None
    """Globs over tags and URNs of what belongs to the class."""
    pin: PinRules | None
    """What stays hot for a while."""


class TuningAnswer(Document):
    """Tuning of the assembly: `weights` by class of content; `version` 0: nobody ever tuned it. `cooling`
    is the factor, by class, on `tier_policy.*.compress.age_threshold_hours` that use has brought about.
    """

    conflict_sensitivity: float
    """Factor on the severity of contradictions."""
    cooling: dict[str, float]
    """By class of content, factor on the hours after which it is told in a line."""
    entity_share: float
    """Share of the budget that memories of the asked entities may take first."""
    history: list[TuningChange]
    """Its last changes, the oldest first."""
    learned: LearnedPriorityAnswer
    """Correction of the places by what readers used."""
    version: int
    """Number of its changes."""
    weights: dict[str, PriorityWeights]
    """By class of content, what a fragment's priority is made of."""


class TuningChange(Document):
    """Change of the tuning; `by` and `request_id` are shown to reviewers and to the caller who made it."""

    at: datetime
    """The time of it."""
    by: str | None
    """Who caused it."""
    request_id: str | None
    """The context whose feedback it came from."""
    why: list[str]
    """What was changed and why, in sentences."""


class TurnsAnswer(Document):
    """Page of the turns of a conversation."""

    next_cursor: str | None
    """Where the next page begins, unless this is the last."""
    note: str | None
    """Names those left out because they cannot be read as they were written."""
    turns: list[Memory]
    """By position, the first or the last ones first."""


class Union(Document):
    """Learnings that become one."""

    content: str
    """What it says then."""
    into: str
    """Id of the one that goes on."""
    others: list[str]
    """Ids of those that it supersedes."""
    pairs: list[str]
    """Ids of the pairs that this decides."""


class UseCount(Document):
    """A memory, and how often its outcome was reported."""

    id: str
    """Its id."""
    use_count: int
    """Number of reports."""


class VerdictAnswer(Document):
    """Verdict on a memory."""

    at: datetime
    """The time of it."""
    confidence_moved: float
    """How far the confidence moved by it."""
    id: str
    """Its id."""
    is_in_force: bool
    """No later verdict or rollback has replaced it."""
    note: str | None
    """What happened, in their words."""
    principal: str
    """Who reported it."""
    recall_id: str | None
    """Id of this recall, by which outcomes name it."""
    result: OutcomeResult
    """Worked, partial or failed."""
    run_id: str | None
    """The run's own id."""
    score_moved: float
    """How far the outcome score moved by it, after every bound."""
    session_id: str | None
    """The conversation that it was reported in."""


class VerdictsAnswer(Document):
    """Verdicts on a memory, at most 200."""

    verdicts: list[VerdictAnswer]
    """The last first."""


class VerificationReport(Document):
    """Findings of a verification."""

    broken: list[BrokenPart]
    """By id; `broken_count` may be more than are named."""
    broken_count: int
    """Number of the broken parts."""
    checked: int
    """Number of records that were read."""
    compared_with: str | None
    """Id of the snapshot whose records all had to be there still; None: there is none."""
    is_valid: bool
    """Nothing is broken."""
    manifest: str
    """SHA-256 of the project: over (id, version, digest) of each record, in order."""
    unsealed: int
    """Number of ids, and of rows beside records, older than digests: damage to those may not show."""


class VersionAnswer(Document):
    """State of a record after one change, with the change's verb, author, time and reason."""

    at: datetime
    """When it was done."""
    by: str
    """Who did it."""
    memory: Memory
    """The record after it."""
    reason: str | None
    """Why, as its author said."""
    verb: str
    """What was done."""
    version: int
    """Number of the version."""


class WebhookAnswer(Document):
    """Webhook, and its newest deliveries."""

    attempts: list[Attempt]
    """The last first."""
    created_at: datetime
    """When it was made."""
    created_by: str
    """The admin with whose rights changes are told."""
    delivered: int
    """Position of the last change that it has, or is not to have."""
    failing_since: datetime | None
    """Time of the first of them."""
    failures: int
    """Attempts since the last one that was taken."""
    id: str
    """Its id."""
    last_error: str | None
    """Absent: the last delivery was taken."""
    next_at: datetime | None
    """Time of the next attempt."""
    paused_at: datetime | None
    """Absent: it is not paused. A test that is taken takes it up again."""
    secret: str | None
    """The key of its signatures (Standard Webhooks), shown when it is made and never again."""
    types: list[ChangeType]
    """Empty: every type."""
    url: str
    """Where changes are sent."""


class WebhooksAnswer(Document):
    """Webhooks of a project."""

    webhooks: list[WebhookAnswer]
    """The oldest first."""


class WriteReceipt(Document):
    """Receipt of a write."""

    durable: bool
    """It is stored, and stays so."""
    indexed: bool
    """The search index has it, with its meaning. False without an embedding model; and in the cloud, whose
    index has it seconds later: until then recalls find it in the store.
    """
    proposed_for: str | None
    """Id of the trusted memory that stays until a reviewer approves this one."""
    quarantined: bool
    """It waits for a person, and is not recalled until then."""
    redacted: list[RedactionFinding]
    """What was taken out of the text, by place and kind."""
    similar: list[SimilarMemory]
    """Known memories that are near to it and say something else; each with the point."""


if TYPE_CHECKING:

    class Analysis(TypedDict):
        """What came of it."""

        errors: NotRequired[Sequence[str]]
        """What went wrong, a message each."""
        progressMade: NotRequired[bool]
        """As `progress_made`. Omitted: `false`."""
        progress_made: NotRequired[bool]
        """Whether the iteration came closer to the objective. Omitted: `false`."""

    Application = TypedDict(
        "Application",
        {"as": "NotRequired[Literal['memory', 'context_document', 'glossary_term', 'tag', 'property']]"},
    )
    """Type under which the memory is shared."""

    class Approval(TypedDict):
        """Approval of a memory; of a proposal, of what it takes the place of as well."""

        seen: NotRequired[Sequence[SeenMemoryInput] | None]
        """Memories in whose place an approval puts it, all of them, at the versions that were looked at; newer
        ones stay. Left out: any.
        """

    class BatchLine(TypedDict):
        """One line of a batch."""

        category: NotRequired[Category]
        """What it is about; omitted, told from the content."""
        confidence: NotRequired[float]
        """How far to believe it, 0 to 1; below 0.2 it goes out of use."""
        content: str
        """What it says: one thought."""
        context: NotRequired[str | None]
        """What stood around it; searched too."""
        created_by: NotRequired[str]
        """Who it is from; an admin alone names somebody else."""
        detail: NotRequired[Mapping[str, Any]]
        """Facts beside the words, as a JSON object."""
        dimension: NotRequired[Dimension]
        """What kind of knowledge it is."""
        entities: NotRequired[Sequence[str]]
        """URNs of the things that it speaks of; what happens to them makes it stale."""
        expires_at: NotRequired[datetime | str | None]
        """From then on it is out of recall; omitted in a new one, by its type."""
        id: NotRequired[str | None]
        """The memory's id; omitted, a new one."""
        idempotency_key: NotRequired[str | None]
        """With it a line that is sent again is stored once."""
        on_duplicate: NotRequired[OnDuplicate]
        """What to do where one says the same (409 duplicate) or otherwise of the same thing (409 contradicts):
        ask, merge into it (never one that says otherwise), create another, or supersede it. What is near
        and says something else is stored; the receipt names it. Omitted: `"ask"`.
        """
        persona: NotRequired[str | None]
        """Who alone may see it; omitted: everyone."""
        pinned: NotRequired[bool]
        """Kept hot and out of pruning whatever its use."""
        position: NotRequired[int | None]
        """Its place in its session, from 0."""
        relations: NotRequired[Sequence[RelationInput]]
        """Typed edges to URNs or to other memories."""
        relevance_score: NotRequired[float]
        """How much it matters by itself, 0 to 1."""
        said_at: NotRequired[datetime | str | None]
        """When it was said: what its words about time are resolved against; null: unknown."""
        session_id: NotRequired[str | None]
        """The conversation that it was said in."""
        source: NotRequired[MemorySource]
        """Who it comes from: a person, a run, or what runs taught."""
        source_recall_id: NotRequired[str | None]
        """The recall that it was written after."""
        source_run_id: NotRequired[str | None]
        """The run that it was learned in."""
        source_runs: NotRequired[Sequence[str]]
        """All runs that taught it."""
        success_rate: NotRequired[float | None]
        """How often it worked where it was learned, 0 to 1."""
        summary: NotRequired[str | None]
        """The same in fewer words."""
        tags: NotRequired[Sequence[str]]
        """Words or paths to find it by, and by which it belongs to a class of content."""
        task_type: NotRequired[TaskType | None]
        """The kind of task that it helps with."""
        type: NotRequired[MemoryType]
        """How it is used, and by which default expiry it ends."""
        valid_from: NotRequired[datetime | str | None]
        """The time in which what it says is so."""
        valid_to: NotRequired[datetime | str | None]
        """The time in which what it says is so."""

    class Budgets(TypedDict):
        """How long it may be and may take, and how good it must be."""

        cost_max: NotRequired[float | None]
        """US dollars that `rendered` may cost as input of `model`; the smaller of this and `tokens_max` holds."""
        quality_min: NotRequired[float]
        """Least relevance of a fragment. Omitted: `0.0`."""
        time_ms: NotRequired[int]
        """Until the answer; sources have 80 % of it, partial beats late. Omitted: `500`."""
        tokens_max: NotRequired[int]
        """Of `rendered`, delimiters included; 0: nothing fits. Omitted: `4000`."""

    class CloudEvent(TypedDict):
        """CloudEvent."""

        data: Run
        """The run."""
        source: str
        """Who sent it."""
        specversion: Literal["1.0"]
        """Of CloudEvents."""
        type: str
        """Ends in `run.completed`."""

    class CompressRulesInput(TypedDict):
        """Contents that leave their row."""

        access_threshold: NotRequired[int]
        """Recalled as often as that it stays hot."""
        age_threshold_hours: NotRequired[int]
        """Untouched for so many hours it may leave its row."""
        compression_ratio: NotRequired[float]
        """It leaves only if it shrinks to this share of its size; in a request: is told in it."""

    class ContentPrecondition(TypedDict):
        """The text that the caller has seen."""

        content_sha256: NotRequired[str | None]
        """SHA-256 of it, hex; omitted: any text."""
        type: Literal["content_sha256"]
        """What is held against the file: its text."""

    class ContextQuery(TypedDict):
        """Purpose of a context, and its bounds. Without an intent it is what a session should know first."""

        budgets: NotRequired[Budgets]
        """How long it may be and may take, and how good it must be."""
        entities: NotRequired[Sequence[str]]
        """URNs that it should cover."""
        format: NotRequired[Literal["markdown", "xml", "json"]]
        """Of `rendered`. Omitted: `"markdown"`."""
        intent: NotRequired[str | None]
        """What the context is for, in words; omitted: a session begins, and what is pinned, the rules and
        warnings that people vouch for, and the latest proven strategies come first.
        """
        kv_policy: NotRequired[KvPolicyFields | None]
        """Tier rules for this request alone."""
        lod_preference: NotRequired[Literal["macro", "micro", "atomic", "adaptive"]]
        """macro: a line each; micro: whole; atomic: with their facts; adaptive: what fits best. Omitted:
        `"adaptive"`.
        """
        model: NotRequired[str | None]
        """The model that will read it, for its price: of the settings' `token_prices`, else of the product's
        list.
        """
        request_id: NotRequired[str | None]
        """Your name for this request; feedback under it is on the last context answered under it."""
        session_id: NotRequired[str | None]
        """Whose turns the source workshop reads."""
        source_scope: NotRequired[Sequence[SourceLayer]]
        """Sources to ask: all four if omitted; L1 to L4 will do. Omitted: `["global", "project", "experience",
        "workshop"]`.
        """
        standing: NotRequired[Standing | None]
        """trusted: what people said or approved alone; unreviewed: the rest."""
        tokenizer: NotRequired[str | None]
        """wordpiece (default), chars4 or tiktoken:<encoding>: the limit holds by it."""

    class Decision(TypedDict):
        """One reviewed memory; `version` is the one that was looked at, and a newer one is not decided on."""

        decision: Literal["approve", "reject", "archive"]
        """What becomes of it."""
        id: str
        """The reviewed memory."""
        reason: NotRequired[str | None]
        """Why, for the history."""
        seen: NotRequired[Sequence[SeenMemoryInput] | None]
        """Memories in whose place an approval puts it, all of them, at the versions that were looked at; newer
        ones stay. Left out: any.
        """
        version: NotRequired[int | None]
        """The one that was looked at; a newer one is not decided on."""

    class Decisions(TypedDict):
        """Decisions one by one, or one on a group."""

        decisions: NotRequired[Sequence[Decision]]
        """One for each memory, each done by itself."""
        group: NotRequired[GroupToDecide | None]
        """All of one principal and kind."""

    class EnrichQuery(TypedDict):
        """A tool's response, of which the URNs are looked up; nothing of it is stored. `payload` is text or
        any JSON; of one that is nested more than 64 deep, has more than 200,000 values or more than 64 URNs
        (or 4,096 pieces that look like one) the rest is not looked at, and `is_whole` says so. `tokens_max`
        bounds the block, by four characters a token.
        """

        limit: NotRequired[int]
        """How many memories at most. Omitted: `10`."""
        payload: Any
        """Text, or any JSON: the response as the tool gave it."""
        tokens_max: NotRequired[int]
        """How long the block may be. Omitted: `2000`."""

    class ErasureRequest(TypedDict):
        """Memories to erase: those of an author or those of an entity, one of the two."""

        created_by: NotRequired[str | None]
        """Whose memories, runs, receipts and notes."""
        dry_run: NotRequired[bool]
        """Tell what would be done, and write nothing. Omitted: `false`."""
        entity: NotRequired[str | None]
        """The URN that the memories name."""

    EventBridgeEvent = TypedDict("EventBridgeEvent", {"detail": "Run", "detail-type": "str", "source": "str"})
    """"""

    class EvictRulesInput(TypedDict):
        """Size that may stay near, and the weights that choose what goes first."""

        lru_weight: NotRequired[float]
        """How much age counts in choosing what goes, 0 to 1."""
        max_total_size_gb: NotRequired[float]
        """More of the class than that goes cold, the worst first; for a request: is left out."""
        quality_weight: NotRequired[float]
        """How much want of quality counts; with `lru_weight` it makes 1."""

    class FileRevision(TypedDict):
        """Another text of a file, another path, or both."""

        content: NotRequired[str | None]
        """The file's text, 102,400 bytes of UTF-8 at most."""
        path: NotRequired[str | None]
        """Where the file lies: begins with /, 1 to 20 segments, 1,024 bytes at most."""
        precondition: NotRequired[ContentPrecondition | None]
        """Change nothing unless the file is so."""

    class FilterFields(TypedDict):
        """Filters on records: inside a field any of the values will do."""

        category: NotRequired[Sequence[Category]]
        """What it is about; omitted, told from the content."""
        complexity: NotRequired[Sequence[str]]
        """`low`, `medium` or `high`, as estimates say it in their detail."""
        created_after: NotRequired[datetime | str | None]
        """Created then or later."""
        created_before: NotRequired[datetime | str | None]
        """Created before then."""
        created_by: NotRequired[Sequence[str]]
        """Who it is from; an admin alone names somebody else."""
        dimension: NotRequired[Sequence[Dimension]]
        """What kind of knowledge it is."""
        entities: NotRequired[Sequence[str]]
        """URNs of the things that it speaks of; what happens to them makes it stale."""
        min_confidence: NotRequired[float | None]
        """At least this confidence, 0 to 1."""
        min_success_rate: NotRequired[float | None]
        """At least this success rate, 0 to 1; what has none is left out."""
        persona: NotRequired[Sequence[str]]
        """Who alone may see it; omitted: everyone."""
        session_id: NotRequired[Sequence[str]]
        """The conversation that it was said in."""
        source: NotRequired[Sequence[MemorySource]]
        """Who it comes from: a person, a run, or what runs taught."""
        standing: NotRequired[Standing | None]
        """`trusted`, said by a person or approved by a reviewer, or `unreviewed`."""
        tags: NotRequired[Sequence[str]]
        """Words or paths to find it by, and by which it belongs to a class of content."""
        task_type: NotRequired[Sequence[TaskType]]
        """The kind of task that it helps with."""
        tier: NotRequired[Sequence[Tier]]
        """Where it lies: hot and warm are recalled, cold is listed, frozen is for admins."""
        type: NotRequired[Sequence[MemoryType]]
        """How it is used, and by which default expiry it ends."""
        updated_after: NotRequired[datetime | str | None]
        """What it says was changed then or later."""
        updated_before: NotRequired[datetime | str | None]
        """What it says was changed before then."""

    class GivenFeedback(TypedDict):
        """Ratings of a context; at least one of these."""

        coherence_score: NotRequired[float | None]
        """How well its fragments fit together."""
        completeness: NotRequired[float | None]
        """How much of what was needed was there."""
        contradiction_rate: NotRequired[float | None]
        """How much of it contradicted the rest."""
        useful: NotRequired[Sequence[int] | None]
        """Numbers on the page of the memories that were used; the priority is learned from them."""
        user_satisfaction: NotRequired[float | None]
        """How well it served; the lower, the farther the policy moves."""

    class GivenReason(TypedDict):
        """Reason for a decision."""

        reason: NotRequired[str | None]
        """Why, for the history."""

    class GroupToDecide(TypedDict):
        """What one principal has waiting, or alone doubts, up to 100 at a time, as one decision on what was
        looked at.
        """

        decision: Literal["approve", "confirm", "reject", "archive"]
        """What becomes of it; `confirm`, of doubted ones alone: they still hold."""
        kind: GroupKind
        """Why it waits."""
        principal: str
        """Who wrote it, or doubts it, as `groups` has it."""
        reason: NotRequired[str | None]
        """Why, for the history."""
        seen: NotRequired[Sequence[SeenMemoryInput] | None]
        """Those that were looked at, as `groups` has them: what came since waits on. Of proposals, the
        memories in whose place they go as well. Required of approvals and doubts.
        """

    class Iteration(TypedDict):
        """One turn of the loop."""

        analysis: NotRequired[Analysis]
        """What came of it."""
        duration: NotRequired[float]
        """Milliseconds. Omitted: `0.0`."""
        filesModified: NotRequired[Sequence[str]]
        """As `files_modified`."""
        files_modified: NotRequired[Sequence[str]]
        """Paths."""
        learnings: NotRequired[Sequence[str]]
        """What was learned, in words."""
        number: int
        """Its place in the run."""
        status: RunStatus
        """How it ended."""

    class KvPolicyFields(TypedDict):
        """Overrides of the project's tier policy for this request. `pin`: what matches goes in first, and
        whole, however old it is unless `ttl_hours` is given. `compress`: what is old and seldom recalled
        goes in as one line, or, with `compression_ratio`, as the sentences nearest to the intent that make
        this share of it, the nearest in any case. `evict`: what falls first when the budget is short, by
        both weights together, and out if all that was found is more than `max_total_size_gb`.
        """

        compress: NotRequired[CompressRulesInput | None]
        """What is told in one line."""
        evict: NotRequired[EvictRulesInput | None]
        """What goes first where there is no room for all."""
        pin: NotRequired[PinRulesInput | None]
        """What goes in before all else, whole."""

    class LearningToJudge(TypedDict):
        """A learning to judge; omitted: all that are pending."""

        learning: NotRequired[Mapping[str, Any] | None]
        """type, task_type, content, confidence …."""

    class LimitsInput(TypedDict):
        """Limits on one caller in an hour (SPEC 4.23, 4.32). Args: failed_per_session_hour: `failed` verdicts
        of one session. failed_per_principal_hour: `failed` verdicts of one principal in all sessions.
        citations_per_principal_hour: memories that the runs of one principal cite.
        writes_per_principal_hour: memories that one principal stores or changes. events_per_principal_hour:
        entity events that one principal reports. held_back_per_principal_hour: texts of one principal that
        wait for a person.
        """

        citations_per_principal_hour: NotRequired[int]
        """Memories that the runs of one principal cite. Omitted: `500`."""
        events_per_principal_hour: NotRequired[int]
        """Entity events that one principal reports. Omitted: `200`."""
        failed_per_principal_hour: NotRequired[int]
        """`failed` verdicts of one principal in all sessions. Omitted: `12`."""
        failed_per_session_hour: NotRequired[int]
        """`failed` verdicts of one session. Omitted: `3`."""
        held_back_per_principal_hour: NotRequired[int]
        """Texts of one principal that wait for a person. Omitted: `50`."""
        writes_per_principal_hour: NotRequired[int]
        """Memories that one principal stores or changes. Omitted: `2000`."""

    MergeRequest = TypedDict("MergeRequest", {"dry_run": "NotRequired[bool]", "from": "str"})
    """Project that is brought into this one."""

    class Merging(TypedDict):
        """The memories to take in."""

        content: NotRequired[str | None]
        """What is said from now on; none: all that they say."""
        ids: Sequence[str]
        """The memories to take in."""
        reason: NotRequired[str | None]
        """Why, for the history."""

    class NewFile(TypedDict):
        """A file to store."""

        content: str | None
        """The file's text, 102,400 bytes of UTF-8 at most."""
        path: str
        """Where the file lies: begins with /, 1 to 20 segments, 1,024 bytes at most."""

    class NewMemory(TypedDict):
        """A memory to store. What is omitted is derived from the content, or has the default of its type."""

        category: NotRequired[Category]
        """What it is about; omitted, told from the content."""
        confidence: NotRequired[float]
        """How far to believe it, 0 to 1; below 0.2 it goes out of use."""
        content: str
        """What it says: one thought."""
        context: NotRequired[str | None]
        """What stood around it; searched too."""
        created_by: NotRequired[str]
        """Who it is from; an admin alone names somebody else."""
        detail: NotRequired[Mapping[str, Any]]
        """Facts beside the words, as a JSON object."""
        dimension: NotRequired[Dimension]
        """What kind of knowledge it is."""
        entities: NotRequired[Sequence[str]]
        """URNs of the things that it speaks of; what happens to them makes it stale."""
        expires_at: NotRequired[datetime | str | None]
        """From then on it is out of recall; omitted in a new one, by its type."""
        id: NotRequired[str | None]
        """The memory's id; omitted, a new one."""
        on_duplicate: NotRequired[OnDuplicate]
        """What to do where one says the same (409 duplicate) or otherwise of the same thing (409 contradicts):
        ask, merge into it (never one that says otherwise), create another, or supersede it. What is near
        and says something else is stored; the receipt names it. Omitted: `"ask"`.
        """
        persona: NotRequired[str | None]
        """Who alone may see it; omitted: everyone."""
        pinned: NotRequired[bool]
        """Kept hot and out of pruning whatever its use."""
        position: NotRequired[int | None]
        """Its place in its session, from 0."""
        relations: NotRequired[Sequence[RelationInput]]
        """Typed edges to URNs or to other memories."""
        relevance_score: NotRequired[float]
        """How much it matters by itself, 0 to 1."""
        said_at: NotRequired[datetime | str | None]
        """When it was said: what its words about time are resolved against; null: unknown."""
        session_id: NotRequired[str | None]
        """The conversation that it was said in."""
        source: NotRequired[MemorySource]
        """Who it comes from: a person, a run, or what runs taught."""
        source_recall_id: NotRequired[str | None]
        """The recall that it was written after."""
        source_run_id: NotRequired[str | None]
        """The run that it was learned in."""
        source_runs: NotRequired[Sequence[str]]
        """All runs that taught it."""
        success_rate: NotRequired[float | None]
        """How often it worked where it was learned, 0 to 1."""
        summary: NotRequired[str | None]
        """The same in fewer words."""
        tags: NotRequired[Sequence[str]]
        """Words or paths to find it by, and by which it belongs to a class of content."""
        task_type: NotRequired[TaskType | None]
        """The kind of task that it helps with."""
        type: NotRequired[MemoryType]
        """How it is used, and by which default expiry it ends."""
        valid_from: NotRequired[datetime | str | None]
        """The time in which what it says is so."""
        valid_to: NotRequired[datetime | str | None]
        """The time in which what it says is so."""

    class NewStore(TypedDict):
        """A store to begin: a project, called so."""

        description: NotRequired[str]
        """What it is for, in words for a model. Omitted: `""`."""
        metadata: NotRequired[Mapping[str, str]]
        """Pairs for the caller's own use, 16 at most."""
        name: str
        """What the store is called."""

    class Outcome(TypedDict):
        """Outcome of using a memory."""

        note: NotRequired[str | None]
        """What happened, in words; kept with the verdict and in the history."""
        recall_id: NotRequired[str | None]
        """The recall that brought the memory up."""
        result: OutcomeResult
        """`worked` +0.2, `partial` +0.05, `failed` -0.3 on its outcome score."""
        run_id: NotRequired[str | None]
        """In one run a later verdict replaces the earlier one."""
        session_id: NotRequired[str | None]
        """The session whose `failed` are counted."""

    class PageOutcome(TypedDict):
        """Outcome of using memories that a recall, prompt or context showed under these numbers."""

        note: NotRequired[str | None]
        """What happened, in words; kept with the verdict and in the history."""
        recall_id: str
        """The recall that made the page."""
        refs: Sequence[int]
        """Numbers of the memories on the page, from 1."""
        result: OutcomeResult
        """`worked` +0.2, `partial` +0.05, `failed` -0.3 on its outcome score."""
        run_id: NotRequired[str | None]
        """In one run a later verdict replaces the earlier one."""
        session_id: NotRequired[str | None]
        """The session whose `failed` are counted."""

    class PinRulesInput(TypedDict):
        """Memories that stay hot however seldom they are recalled."""

        max_size_mb: NotRequired[int]
        """How much of what matches is held, the newest first."""
        patterns: NotRequired[Sequence[str]]
        """Globs over tags and URNs (`*.md`, `urn:file:src/`), and ids, of what stays hot."""
        ttl_hours: NotRequired[int]
        """For how long after the last change of what it says; being recalled adds nothing."""

    class PriorityWeightsInput(TypedDict):
        """Weights of the priority signals of a fragment; each 0..1, all together 1. Source: Context Assembly,
        priority scoring algorithm; SPEC 3.17. Args: relevance: of how near it is to the intent. recency: of
        how new it is. credibility: of how far to believe it. coherence: of how well it fits the others.
        """

        coherence: NotRequired[float]
        """Of how well it fits the others. Omitted: `0.15`."""
        credibility: NotRequired[float]
        """Of how far to believe it. Omitted: `0.25`."""
        recency: NotRequired[float]
        """Of how new it is. Omitted: `0.2`."""
        relevance: NotRequired[float]
        """Of how near it is to the intent. Omitted: `0.4`."""

    class PromoteStaging(TypedDict):
        """Options of a promotion: judging pending learnings first, removing promoted ones from the staging
        area.
        """

        auto_validate: NotRequired[bool]
        """Judge pending learnings first. Omitted: `true`."""
        clear_after: NotRequired[bool]
        """Take out of the staging area what was promoted. Omitted: `false`."""

    class PromptQuery(TypedDict):
        """The task whose prompt is being composed. `memories`: those of the write scope first, then those in
        the best standing. `knowledge`: what earlier runs taught: strategies (3 at most), anti-patterns (5),
        estimates (2) and conventions (3), which take turns where `limit` is less; without a task_type it is
        told from the task.
        """

        error_patterns: NotRequired[Sequence[str]]
        """Error messages that the task meets; profile task alone goes by it, which is that of a prompt of
        knowledge.
        """
        file_patterns: NotRequired[Sequence[str]]
        """Globs of the files that the task touches; profile task alone goes by it, which is that of a prompt
        of knowledge.
        """
        format: NotRequired[Literal["memories", "knowledge"]]
        """Memories in the best standing, or what earlier runs taught. Omitted: `"memories"`."""
        limit: NotRequired[int | None]
        """How many at most; omitted, as many as the project's `prompt_limit` says."""
        task: str
        """The task in words."""
        task_type: NotRequired[TaskType | None]
        """The kind of task; profile task alone goes by it, which is that of a prompt of knowledge."""
        write_scope: NotRequired[Sequence[str]]
        """Paths, globs or keywords of what the task may change; profile governed alone goes by it, which is
        that of a prompt of memories.
        """

    class PruneRequest(TypedDict):
        """Rule for archiving: a memory goes when all that is given holds of it; with `match` any, when one of
        these does. Below `min_confidence`; below `min_success_rate`, where there is one; not changed for
        more than `older_than_days`; `unused`: no outcome was ever reported. Approved and pinned memories
        stay unless included.
        """

        dry_run: NotRequired[bool]
        """Tell what would be done, and write nothing. Omitted: `false`."""
        include_approved: NotRequired[bool]
        """Approved ones too. Omitted: `false`."""
        include_pinned: NotRequired[bool]
        """Pinned ones too. Omitted: `false`."""
        match: NotRequired[Literal["all", "any"]]
        """all: every condition given has to hold; any: one of them is enough. Omitted: `"all"`."""
        min_confidence: NotRequired[float | None]
        """Those below it."""
        min_success_rate: NotRequired[float | None]
        """Those below it, of those that have one."""
        older_than_days: NotRequired[int | None]
        """Those not changed for more than so many days."""
        unused: NotRequired[bool]
        """Those whose outcome nobody ever reported. Omitted: `false`."""

    class RecallQuery(TypedDict):
        """Query of a recall. `entities` are URNs or names: strategy `entity` looks up the memories that have
        one among their own `entities`; `graph` starts from them, as words say them too, and goes `hops` far
        (2 if omitted), `auto` looks at them beside the words. `hops` goes with strategy `graph` alone.
        """

        as_of: NotRequired[datetime | str | None]
        """What was known at that time; not in the future."""
        consistency: NotRequired[Literal["strong", "eventual"]]
        """`eventual` spares the look at the last moment's writes. Omitted: `"strong"`."""
        entities: NotRequired[Sequence[str]]
        """URNs or names that the question is about."""
        error_patterns: NotRequired[Sequence[str]]
        """Error messages that the task meets; profile task alone goes by it, which is that of a prompt of
        knowledge.
        """
        explain: NotRequired[bool]
        """Each memory with the words and entities of the question that it says. Omitted: `false`."""
        explore: NotRequired[bool]
        """false: the list tries nothing out, whatever the project's `exploration` says. Omitted: `true`."""
        file_patterns: NotRequired[Sequence[str]]
        """Globs of the files that the task touches; profile task alone goes by it, which is that of a prompt
        of knowledge.
        """
        filters: NotRequired[FilterFields]
        """Which memories may be found."""
        hops: NotRequired[int | None]
        """How far strategy graph goes from what the question names."""
        include_stale: NotRequired[bool]
        """Those in doubt too. Omitted: `false`."""
        limit: NotRequired[int]
        """How many at most. Omitted: `10`."""
        min_relevance: NotRequired[float]
        """What is less likely to bear on the question is left out. Omitted: `0.0`."""
        min_score: NotRequired[float | None]
        """What scores less is left out; 0: nothing is, however little is known."""
        objective: NotRequired[str | None]
        """What the run that asks is for, in words: the kind of task is told from it where `task_type` names
        none.
        """
        profile: NotRequired[RankingProfile | None]
        """How what fits is ranked; omitted, as the project's settings say."""
        query: str
        """The question in words."""
        run_id: NotRequired[str | None]
        """The run that asks: its later verdict meets what it was shown."""
        strategy: NotRequired[Literal["auto", "semantic", "lexical", "entity", "graph"]]
        """By meaning, by words or by entities alone; auto: by all that there is. Omitted: `"auto"`."""
        task_type: NotRequired[TaskType | None]
        """The kind of task; profile task alone goes by it, which is that of a prompt of knowledge."""
        write_scope: NotRequired[Sequence[str]]
        """Paths, globs or keywords of what the task may change; profile governed alone goes by it, which is
        that of a prompt of memories.
        """

    class RelationInput(TypedDict):
        """A typed edge from a memory to a URN or to another memory's id. Args: type: what it is to the target.
        target: a URN or a memory's id.
        """

        target: str
        """A URN or a memory's id."""
        type: str
        """What it is to the target."""

    class ReorganisationDecision(TypedDict):
        """Decision on a reorganised playbook."""

        decision: Literal["accept", "drop"]
        """`accept` merges each union; `drop` keeps all of them apart for good."""
        id: str
        """Of the proposal that was looked at."""

    class Replacement(TypedDict):
        """A memory under the caller's own id."""

        category: NotRequired[Category]
        """What it is about; omitted, told from the content."""
        confidence: NotRequired[float]
        """How far to believe it, 0 to 1; below 0.2 it goes out of use."""
        content: str
        """What it says: one thought."""
        context: NotRequired[str | None]
        """What stood around it; searched too."""
        created_by: NotRequired[str]
        """Who it is from; an admin alone names somebody else."""
        detail: NotRequired[Mapping[str, Any]]
        """Facts beside the words, as a JSON object."""
        dimension: NotRequired[Dimension]
        """What kind of knowledge it is."""
        entities: NotRequired[Sequence[str]]
        """URNs of the things that it speaks of; what happens to them makes it stale."""
        expires_at: NotRequired[datetime | str | None]
        """From then on it is out of recall; omitted in a new one, by its type."""
        persona: NotRequired[str | None]
        """Who alone may see it; omitted: everyone."""
        pinned: NotRequired[bool]
        """Kept hot and out of pruning whatever its use."""
        position: NotRequired[int | None]
        """Its place in its session, from 0."""
        relations: NotRequired[Sequence[RelationInput]]
        """Typed edges to URNs or to other memories."""
        relevance_score: NotRequired[float]
        """How much it matters by itself, 0 to 1."""
        said_at: NotRequired[datetime | str | None]
        """When it was said: what its words about time are resolved against; null: unknown."""
        session_id: NotRequired[str | None]
        """The conversation that it was said in."""
        source: NotRequired[MemorySource]
        """Who it comes from: a person, a run, or what runs taught."""
        source_recall_id: NotRequired[str | None]
        """The recall that it was written after."""
        source_run_id: NotRequired[str | None]
        """The run that it was learned in."""
        source_runs: NotRequired[Sequence[str]]
        """All runs that taught it."""
        success_rate: NotRequired[float | None]
        """How often it worked where it was learned, 0 to 1."""
        summary: NotRequired[str | None]
        """The same in fewer words."""
        tags: NotRequired[Sequence[str]]
        """Words or paths to find it by, and by which it belongs to a class of content."""
        task_type: NotRequired[TaskType | None]
        """The kind of task that it helps with."""
        type: NotRequired[MemoryType]
        """How it is used, and by which default expiry it ends."""
        valid_from: NotRequired[datetime | str | None]
        """The time in which what it says is so."""
        valid_to: NotRequired[datetime | str | None]
        """The time in which what it says is so."""

    class Resolution(TypedDict):
        """Decision to take. `superseded`: `winner` takes the other's place. `merge`: it takes the other in;
        without a winner the one that is approved, surer or newer. `kept_both`: neither is brought up again
        as long as both say what they say now.
        """

        content: NotRequired[str | None]
        """Of a merge: what is said from now on; none: all that both say. Two that contradict each other need
        it.
        """
        note: NotRequired[str | None]
        """Why, for the history."""
        resolution: PairDecision
        """What becomes of the two."""
        winner: NotRequired[str | None]
        """The id of the one that stays."""

    class Restoration(TypedDict):
        """Earlier version whose content becomes current again."""

        reason: NotRequired[str | None]
        """Why, for the history."""
        version: int
        """The one that says again what is to be said."""

    class Revision(TypedDict):
        """The fields to change; what is not named stays."""

        active: NotRequired[bool | None]
        """False takes it out of recall, true brings it back."""
        category: NotRequired[Category]
        """What it is about; omitted, told from the content."""
        confidence: NotRequired[float]
        """How far to believe it, 0 to 1; below 0.2 it goes out of use."""
        content: NotRequired[str]
        """What it says: one thought."""
        context: NotRequired[str | None]
        """What stood around it; searched too."""
        created_by: NotRequired[str]
        """Who it is from; an admin alone names somebody else."""
        detail: NotRequired[Mapping[str, Any]]
        """Facts beside the words, as a JSON object."""
        dimension: NotRequired[Dimension]
        """What kind of knowledge it is."""
        entities: NotRequired[Sequence[str]]
        """URNs of the things that it speaks of; what happens to them makes it stale."""
        expires_at: NotRequired[datetime | str | None]
        """From then on it is out of recall; omitted in a new one, by its type."""
        persona: NotRequired[str | None]
        """Who alone may see it; omitted: everyone."""
        pinned: NotRequired[bool]
        """Kept hot and out of pruning whatever its use."""
        position: NotRequired[int | None]
        """Its place in its session, from 0."""
        relations: NotRequired[Sequence[RelationInput]]
        """Typed edges to URNs or to other memories."""
        relevance_score: NotRequired[float]
        """How much it matters by itself, 0 to 1."""
        said_at: NotRequired[datetime | str | None]
        """When it was said: what its words about time are resolved against; null: unknown."""
        session_id: NotRequired[str | None]
        """The conversation that it was said in."""
        success_rate: NotRequired[float | None]
        """How often it worked where it was learned, 0 to 1."""
        summary: NotRequired[str | None]
        """The same in fewer words."""
        tags: NotRequired[Sequence[str]]
        """Words or paths to find it by, and by which it belongs to a class of content."""
        task_type: NotRequired[TaskType | None]
        """The kind of task that it helps with."""
        type: NotRequired[MemoryType]
        """How it is used, and by which default expiry it ends."""
        valid_from: NotRequired[datetime | str | None]
        """The time in which what it says is so."""
        valid_to: NotRequired[datetime | str | None]
        """The time in which what it says is so."""

    class RollbackRequest(TypedDict):
        """A principal, all that it did, and from when on."""

        dry_run: NotRequired[bool]
        """Tell what would be done, and write nothing. Omitted: `false`."""
        principal: str
        """E-mail or subject of the token, as histories name it."""
        since: NotRequired[datetime | str | None]
        """From when on; omitted: all."""

    class Run(TypedDict):
        """A run that has ended, as its orchestrator reports it."""

        currentIteration: NotRequired[int | None]
        """As `current_iteration`."""
        current_iteration: NotRequired[int | None]
        """How far it came."""
        iterations: Sequence[Iteration]
        """Its turns, in order."""
        loopId: NotRequired[str]
        """As `run_id`."""
        loop_id: NotRequired[str]
        """As `run_id`."""
        memoriesUsed: NotRequired[Sequence[str]]
        """As `memories_used`."""
        memories_used: NotRequired[Sequence[str]]
        """Ids of memories that it cites: they get its verdict."""
        objective: str
        """What it was to do."""
        project: NotRequired[str]
        """Whose knowledge it adds to, where no path says so."""
        recallIds: NotRequired[Sequence[str]]
        """As `recall_ids`."""
        recall_ids: NotRequired[Sequence[str]]
        """Recalls, prompts and contexts of its reporter's that it was shown; those that named its `run_id`
        count by themselves.
        """
        runId: NotRequired[str]
        """As `run_id`."""
        run_id: NotRequired[str]
        """Its id: the same twice is one run."""
        status: RunStatus
        """How it ended."""
        verdict: NotRequired[OutcomeResult | None]
        """Of the whole; omitted: worked if it was completed, else failed."""

    class SeenMemoryInput(TypedDict):
        """A memory at the version that was looked at; a newer one is not decided on."""

        id: str
        """The reviewed memory."""
        version: int
        """The one that was looked at."""

    class SettingsInput(TypedDict):
        """A project's settings; what is omitted goes back to its default. `blend`: how keywords and meaning
        become one relevance. `minmax` counts each score as its share of the best of its list, from 0 (not
        from the list's least, as the name says); `flag` is 0.6 x cosine + 0.4 if any keyword matches.
        `tier_policy`: by class of content what stays hot, what leaves its row and what goes out of the
        index.
        """

        blend: NotRequired[BlendMode]
        """How keywords and meaning become one relevance."""
        context_prefetch: NotRequired[bool]
        """A server between two requests assembles the context that a session will likely ask for next; refused
        in the cloud, where nothing runs between requests.
        """
        context_weights: NotRequired[Mapping[str, PriorityWeightsInput]]
        """By class of content, what makes a fragment of a context worth its place; those given stand, whatever
        feedback says; the four make 1.
        """
        default_expiry_days: NotRequired[Mapping[str, int | None]]
        """By type, after how many days a memory ends by itself; null: never."""
        event_sources: NotRequired[Sequence[str]]
        """Names of agents' tokens whose entity events count as a person's."""
        exploration: NotRequired[float]
        """How much lists try out what verdicts have not told apart, 0 to 1; 0: not at all."""
        limits: NotRequired[LimitsInput]
        """How often `failed` may be said, and how much one principal may do in an hour."""
        outcome_model: NotRequired[OutcomeModel]
        """`fixed` steps, or the mean of a `beta` posterior over evidence that fades."""
        privacy_mode: NotRequired[PrivacyMode]
        """What is redacted before it is stored: secrets, personal data too, nothing; or refuse it."""
        profile: NotRequired[RankingProfile]
        """How a recall that names none is ranked."""
        prompt_limit: NotRequired[int]
        """How many memories a prompt has that says no limit itself."""
        review_sources: NotRequired[Sequence[MemorySource]]
        """Sources whose memories wait for a person."""
        synonyms: NotRequired[Mapping[str, Sequence[str]]]
        """By a word or two of the project, what else is said for it; beside the table that the product has."""
        tier_policy: NotRequired[Mapping[str, TierRulesInput]]
        """By class of content, what stays hot, leaves its row, and goes cold."""
        token_prices: NotRequired[Mapping[str, float]]
        """US dollars for a million input tokens, by a model or the beginning of its name; before the list that
        the product has.
        """
        version: NotRequired[int]
        """Number of its changes; 0: never set."""

    class SettingsPatch(TypedDict):
        """Some of a project's settings (RFC 7396): what is omitted stays, null goes back to its default. Of
        `synonyms`, `token_prices` and `context_weights` null takes one member away; in
        `default_expiry_days` it means never.
        """

        blend: NotRequired[BlendMode | None]
        """How keywords and meaning become one relevance."""
        context_prefetch: NotRequired[bool | None]
        """A server between two requests assembles the context that a session will likely ask for next; refused
        in the cloud, where nothing runs between requests.
        """
        context_weights: NotRequired[Mapping[str, PriorityWeightsInput | None] | None]
        """By class of content, what makes a fragment of a context worth its place; those given stand, whatever
        feedback says; the four make 1.
        """
        default_expiry_days: NotRequired[Mapping[str, int | None] | None]
        """By type, after how many days a memory ends by itself; null: never."""
        event_sources: NotRequired[Sequence[str] | None]
        """Names of agents' tokens whose entity events count as a person's."""
        exploration: NotRequired[float | None]
        """How much lists try out what verdicts have not told apart, 0 to 1; 0: not at all."""
        limits: NotRequired[LimitsInput | None]
        """How often `failed` may be said, and how much one principal may do in an hour."""
        outcome_model: NotRequired[OutcomeModel | None]
        """`fixed` steps, or the mean of a `beta` posterior over evidence that fades."""
        privacy_mode: NotRequired[PrivacyMode | None]
        """What is redacted before it is stored: secrets, personal data too, nothing; or refuse it."""
        profile: NotRequired[RankingProfile | None]
        """How a recall that names none is ranked."""
        prompt_limit: NotRequired[int | None]
        """How many memories a prompt has that says no limit itself."""
        review_sources: NotRequired[Sequence[MemorySource] | None]
        """Sources whose memories wait for a person."""
        synonyms: NotRequired[Mapping[str, Sequence[str] | None] | None]
        """By a word or two of the project, what else is said for it; beside the table that the product has."""
        tier_policy: NotRequired[Mapping[str, TierRulesInput] | None]
        """By class of content, what stays hot, leaves its row, and goes cold."""
        token_prices: NotRequired[Mapping[str, float | None] | None]
        """US dollars for a million input tokens, by a model or the beginning of its name; before the list that
        the product has.
        """

    class SnapshotRestoration(TypedDict):
        """Options of a restoration: a dry run says what would happen, and writes nothing."""

        dry_run: NotRequired[bool]
        """Tell what would be done, and write nothing. Omitted: `false`."""

    class StoreRevision(TypedDict):
        """The fields of a store to change; what is not named stays."""

        description: NotRequired[str | None]
        """What it is for, in words for a model."""
        metadata: NotRequired[Mapping[str, str | None] | None]
        """Pairs to set; null removes a key."""
        name: NotRequired[str | None]
        """What the store is called."""

    class Supersession(TypedDict):
        """Correction of a memory: a new memory, or by `id` alone one that is there already."""

        category: NotRequired[Category]
        """What it is about; omitted, told from the content."""
        confidence: NotRequired[float]
        """How far to believe it, 0 to 1; below 0.2 it goes out of use."""
        content: NotRequired[str | None]
        """What it says: one thought."""
        context: NotRequired[str | None]
        """What stood around it; searched too."""
        created_by: NotRequired[str]
        """Who it is from; an admin alone names somebody else."""
        detail: NotRequired[Mapping[str, Any]]
        """Facts beside the words, as a JSON object."""
        dimension: NotRequired[Dimension]
        """What kind of knowledge it is."""
        entities: NotRequired[Sequence[str]]
        """URNs of the things that it speaks of; what happens to them makes it stale."""
        expires_at: NotRequired[datetime | str | None]
        """From then on it is out of recall; omitted in a new one, by its type."""
        id: NotRequired[str | None]
        """One that is there already, and is true instead."""
        persona: NotRequired[str | None]
        """Who alone may see it; omitted: everyone."""
        pinned: NotRequired[bool]
        """Kept hot and out of pruning whatever its use."""
        position: NotRequired[int | None]
        """Its place in its session, from 0."""
        reason: NotRequired[str | None]
        """Why, for the history."""
        relations: NotRequired[Sequence[RelationInput]]
        """Typed edges to URNs or to other memories."""
        relevance_score: NotRequired[float]
        """How much it matters by itself, 0 to 1."""
        said_at: NotRequired[datetime | str | None]
        """When it was said: what its words about time are resolved against; null: unknown."""
        session_id: NotRequired[str | None]
        """The conversation that it was said in."""
        source: NotRequired[MemorySource]
        """Who it comes from: a person, a run, or what runs taught."""
        source_recall_id: NotRequired[str | None]
        """The recall that it was written after."""
        source_run_id: NotRequired[str | None]
        """The run that it was learned in."""
        source_runs: NotRequired[Sequence[str]]
        """All runs that taught it."""
        success_rate: NotRequired[float | None]
        """How often it worked where it was learned, 0 to 1."""
        summary: NotRequired[str | None]
        """The same in fewer words."""
        tags: NotRequired[Sequence[str]]
        """Words or paths to find it by, and by which it belongs to a class of content."""
        task_type: NotRequired[TaskType | None]
        """The kind of task that it helps with."""
        type: NotRequired[MemoryType]
        """How it is used, and by which default expiry it ends."""
        valid_from: NotRequired[datetime | str | None]
        """The time in which what it says is so."""
        valid_to: NotRequired[datetime | str | None]
        """The time in which what it says is so."""

    class TierRulesInput(TypedDict):
        """The rules of one class; what is omitted has the class's default."""

        compress: NotRequired[CompressRulesInput]
        """What leaves its row."""
        evict: NotRequired[EvictRulesInput]
        """How much may stay near."""
        match: NotRequired[Sequence[str]]
        """Globs over tags and URNs of what belongs to the class."""
        pin: NotRequired[PinRulesInput]
        """What stays hot for a while."""

    class ToldEntityEvent(TypedDict):
        """Event of an entity. `occurred_at` omitted: now. `id`: the caller's own; the same id counts once."""

        detail: NotRequired[Mapping[str, Any]]
        """More about it, as a JSON object."""
        event: EntityEventKind
        """What happened."""
        id: NotRequired[str | None]
        """The caller's own: told twice under it, it happened once."""
        occurred_at: NotRequired[datetime | str]
        """Omitted in a report: now."""
        target: NotRequired[str | None]
        """The other end: the new name of `renamed`, what `linked` links to."""
        urn: str
        """What it happened to."""

    class Turn(TypedDict):
        """A conversation turn or a tool's output; without a position it follows the last one. Its session
        stands in the path.
        """

        category: NotRequired[Category]
        """What it is about; omitted, told from the content."""
        confidence: NotRequired[float]
        """How far to believe it, 0 to 1; below 0.2 it goes out of use."""
        content: str
        """What it says: one thought."""
        context: NotRequired[str | None]
        """What stood around it; searched too."""
        created_by: NotRequired[str]
        """Who it is from; an admin alone names somebody else."""
        detail: NotRequired[Mapping[str, Any]]
        """Facts beside the words, as a JSON object."""
        dimension: NotRequired[Dimension]
        """What kind of knowledge it is."""
        entities: NotRequired[Sequence[str]]
        """URNs of the things that it speaks of; what happens to them makes it stale."""
        expires_at: NotRequired[datetime | str | None]
        """From then on it is out of recall; omitted in a new one, by its type."""
        id: NotRequired[str | None]
        """The memory's id; omitted, a new one."""
        persona: NotRequired[str | None]
        """Who alone may see it; omitted: everyone."""
        pinned: NotRequired[bool]
        """Kept hot and out of pruning whatever its use."""
        position: NotRequired[int | None]
        """Its place in its session, from 0."""
        relations: NotRequired[Sequence[RelationInput]]
        """Typed edges to URNs or to other memories."""
        relevance_score: NotRequired[float]
        """How much it matters by itself, 0 to 1."""
        said_at: NotRequired[datetime | str | None]
        """When it was said: what its words about time are resolved against; null: unknown."""
        source: NotRequired[MemorySource]
        """Who it comes from: a person, a run, or what runs taught."""
        source_recall_id: NotRequired[str | None]
        """The recall that it was written after."""
        source_run_id: NotRequired[str | None]
        """The run that it was learned in."""
        source_runs: NotRequired[Sequence[str]]
        """All runs that taught it."""
        speaker: NotRequired[str | None]
        """Who said it."""
        success_rate: NotRequired[float | None]
        """How often it worked where it was learned, 0 to 1."""
        summary: NotRequired[str | None]
        """The same in fewer words."""
        tags: NotRequired[Sequence[str]]
        """Words or paths to find it by, and by which it belongs to a class of content."""
        task_type: NotRequired[TaskType | None]
        """The kind of task that it helps with."""
        type: NotRequired[MemoryType]
        """How it is used, and by which default expiry it ends."""
        valid_from: NotRequired[datetime | str | None]
        """The time in which what it says is so."""
        valid_to: NotRequired[datetime | str | None]
        """The time in which what it says is so."""

    class Undoing(TypedDict):
        """What is to be undone."""

        back_to: NotRequired[int | None]
        """The version whose status and approval come back; all that changed them since is undone as one. Left
        out: the one before the last change.
        """
        reason: NotRequired[str | None]
        """Why, for the history."""

    class WebhookRequest(TypedDict):
        """Receiver of changes."""

        after: NotRequired[int | None]
        """Position behind which it is told; omitted: from now on."""
        types: NotRequired[Sequence[ChangeType]]
        """Empty: every type."""
        url: str
        """https, of a public address."""


else:  # the classes of typing take longer to make than all the rest to import
    Analysis = dict
    Application = dict
    Approval = dict
    BatchLine = dict
    Budgets = dict
    CloudEvent = dict
    CompressRulesInput = dict
    ContentPrecondition = dict
    ContextQuery = dict
    Decision = dict
    Decisions = dict
    EnrichQuery = dict
    ErasureRequest = dict
    EventBridgeEvent = dict
    EvictRulesInput = dict
    FileRevision = dict
    FilterFields = dict
    GivenFeedback = dict
    GivenReason = dict
    GroupToDecide = dict
    Iteration = dict
    KvPolicyFields = dict
    LearningToJudge = dict
    LimitsInput = dict
    MergeRequest = dict
    Merging = dict
    NewFile = dict
    NewMemory = dict
    NewStore = dict
    Outcome = dict
    PageOutcome = dict
    PinRulesInput = dict
    PriorityWeightsInput = dict
    PromoteStaging = dict
    PromptQuery = dict
    PruneRequest = dict
    RecallQuery = dict
    RelationInput = dict
    ReorganisationDecision = dict
    Replacement = dict
    Resolution = dict
    Restoration = dict
    Revision = dict
    RollbackRequest = dict
    Run = dict
    SeenMemoryInput = dict
    SettingsInput = dict
    SettingsPatch = dict
    SnapshotRestoration = dict
    StoreRevision = dict
    Supersession = dict
    TierRulesInput = dict
    ToldEntityEvent = dict
    Turn = dict
    Undoing = dict
    WebhookRequest = dict
