"""Operations of the API, declared once for both clients. Derived by `make client`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Literal

from memory_layer.client.models import (
    Attempt,
    AuditAnswer,
    AuditEntryAnswer,
    AuditVerification,
    AuthorAnswer,
    AuthorsAnswer,
    BatchAnswer,
    BatchLine,
    BlendMode,
    Budgets,
    CallerAnswer,
    Category,
    ChangesAnswer,
    ChangeType,
    ClearedAnswer,
    ClearedSession,
    CloudEvent,
    ConflictsAnswer,
    ContentPrecondition,
    ContextAnswer,
    DailyCounts,
    Decision,
    DeletedFile,
    DeletedStore,
    Dimension,
    DuplicatesAnswer,
    EnrichAnswer,
    EntityEventPageAnswer,
    EntityEventsAnswer,
    ErasureReceipt,
    EventBridgeEvent,
    FeedbackAnswer,
    FileOperation,
    FileView,
    FilterFields,
    ForeignTally,
    GraphAnswer,
    GroupKind,
    GroupToDecide,
    Health,
    HistoryAnswer,
    ImportReport,
    JudgedAnswer,
    KvPolicyFields,
    LimitsInput,
    Memory,
    MemorySource,
    MemoryStatus,
    MemoryType,
    MergeAnswer,
    NearAnswer,
    OnDuplicate,
    OperationAnswer,
    OutcomeEstimateAnswer,
    OutcomeModel,
    OutcomeResult,
    PageAnswer,
    PageOutcomeAnswer,
    PairAnswer,
    PairDecision,
    PastEntityEvent,
    PlaybookAnswer,
    PoppedAnswer,
    PriorityWeightsInput,
    PrivacyMode,
    ProjectAnswer,
    ProjectsAnswer,
    PromotionReport,
    PromptAnswer,
    PruneReport,
    RankingProfile,
    Readiness,
    RecallAnswer,
    RelationInput,
    ReorganisationAnswer,
    ReorganisationResult,
    ResolvedAnswer,
    RestoreAnswer,
    ReviewsAnswer,
    RollbackReceipt,
    Run,
    RunAnswer,
    RunHistoryAnswer,
    RunMode,
    RunsAnswer,
    RunStatus,
    SeenMemoryInput,
    ServiceVersion,
    SessionAnswer,
    SessionsAnswer,
    Settings,
    ShowingRecallsAnswer,
    SnapshotAnswer,
    SnapshotsAnswer,
    SourceLayer,
    StagedLearning,
    StagedStatus,
    StagingAnswer,
    StaleAnswer,
    Standing,
    StatsAnswer,
    StoreAnswer,
    StoredAnswer,
    StoreFile,
    StoreFilesPage,
    StoresPage,
    StoreVersion,
    StoreVersionsPage,
    SweepsAnswer,
    TaskType,
    Tier,
    TierRulesInput,
    ToldEntityEvent,
    TuningAnswer,
    Turn,
    TurnsAnswer,
    VerdictsAnswer,
    VerificationReport,
    WebhookAnswer,
    WebhooksAnswer,
)
from memory_layer.client.operation import UNSET, Call, Unset, long_operation, operation, paged


class Operations:
    """Every operation of the API, by its name there."""

    @long_operation
    def add_turns(
        self,
        session_id: str,
        body: Sequence[Turn] | str | bytes,
        *,
        idempotency_key: str | None = None,
        prefer: str | None = None,
    ) -> Call[BatchAnswer]:
        """Store turns of a conversation; their surroundings become their context.

        Args:
            session_id: The conversation's own id; it has no slash
            body: Text of type application/x-ndjson, or data as JSON.
            idempotency_key: One effect per key, 24 h
            prefer: respond-async: answer 202 at once (RFC 7240)
        """
        return Call(locals())

    @operation
    def add_webhook(
        self, url: str, *, after: int | Unset | None = UNSET, types: Sequence[ChangeType] | Unset = UNSET
    ) -> Call[WebhookAnswer]:
        """Have changes sent to a receiver (admins).

        Args:
            url: https, of a public address.
            after: Position behind which it is told; omitted: from now on.
            types: Empty: every type.
        """
        return Call(locals())

    @operation
    def apply_memory(
        self,
        id: str,
        *,
        as_: Literal["memory", "context_document", "glossary_term", "tag", "property"] | Unset = UNSET,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> Call[Memory]:
        """Share a reviewed memory with the whole tenant (reviewers).

        Args:
            id: The memory's id
            as_: What it shall serve as in the tenant's shared project. Omitted: `"memory"`.
            if_match: The ETag last seen
            idempotency_key: One effect per key, 24 h
        """
        return Call(locals())

    @operation
    def approve_memory(
        self,
        id: str,
        *,
        seen: Sequence[SeenMemoryInput] | Unset | None = UNSET,
        if_match: int | str | None = None,
    ) -> Call[Memory]:
        """Approve a memory (reviewers).

        Args:
            id: The memory's id
            seen: Memories in whose place an approval puts it, all of them, at the versions that were
                looked at; newer ones stay. Left out: any.
            if_match: The ETag last seen
        """
        return Call(locals())

    @operation
    def archive_memory_store(self, memory_store_id: str, *, beta: str | Unset = UNSET) -> Call[StoreAnswer]:
        """Archive a store: its files are read and deleted here from now on, and not written.

        Args:
            memory_store_id: `memstore_` and the project's name
            beta: Sent by that client; nothing follows from it
        """
        return Call(locals())

    @operation
    def assemble_context(
        self,
        *,
        budgets: Budgets | Unset = UNSET,
        entities: Sequence[str] | Unset = UNSET,
        format: Literal["markdown", "xml", "json"] | Unset = UNSET,
        intent: str | Unset | None = UNSET,
        kv_policy: KvPolicyFields | Unset | None = UNSET,
        lod_preference: Literal["macro", "micro", "atomic", "adaptive"] | Unset = UNSET,
        model: str | Unset | None = UNSET,
        request_id: str | Unset | None = UNSET,
        session_id: str | Unset | None = UNSET,
        source_scope: Sequence[SourceLayer] | Unset = UNSET,
        standing: Standing | Unset | None = UNSET,
        tokenizer: str | Unset | None = UNSET,
    ) -> Call[ContextAnswer]:
        """A context for an intent, within a budget of tokens and of time.

        Args:
            budgets: How long it may be and may take, and how good it must be.
            entities: URNs that it should cover
            format: Of `rendered`. Omitted: `"markdown"`.
            intent: What the context is for, in words; omitted: a session begins, and what is pinned,
                the rules and warnings that people vouch for, and the latest proven strategies come
                first
            kv_policy: Tier rules for this request alone.
            lod_preference: macro: a line each; micro: whole; atomic: with their facts; adaptive: what
                fits best. Omitted: `"adaptive"`.
            model: The model that will read it, for its price: of the settings' `token_prices`, else of
                the product's list
            request_id: Your name for this request; feedback under it is on the last context answered
                under it
            session_id: Whose turns the source workshop reads
            source_scope: Sources to ask: all four if omitted; L1 to L4 will do. Omitted: `["global",
                "project", "experience", "workshop"]`.
            standing: trusted: what people said or approved alone; unreviewed: the rest
            tokenizer: wordpiece (default), chars4 or tiktoken:<encoding>: the limit holds by it
        """
        return Call(locals())

    @operation
    def clear_session(self, session_id: str, *, hard: bool | Unset = UNSET) -> Call[ClearedSession]:
        """Clear a conversation: archive its turns, or erase them (hard=true).

        Args:
            session_id: The conversation's own id; it has no slash
            hard: Erase them for good, the archived ones as well
        """
        return Call(locals())

    @operation
    def clear_staging(self, *, status: Sequence[StagedStatus] | Unset = UNSET) -> Call[ClearedAnswer]:
        """Empty the staging area, or what of it is in these statuses (reviewers).

        Args:
            status: Any of these; omitted: all
        """
        return Call(locals())

    @operation
    def compose_prompt(
        self,
        task: str,
        *,
        error_patterns: Sequence[str] | Unset = UNSET,
        file_patterns: Sequence[str] | Unset = UNSET,
        format: Literal["memories", "knowledge"] | Unset = UNSET,
        limit: int | Unset | None = UNSET,
        task_type: TaskType | Unset | None = UNSET,
        write_scope: Sequence[str] | Unset = UNSET,
    ) -> Call[PromptAnswer]:
        """A section of a prompt: memories, or what earlier runs taught.

        Args:
            task: The task in words.
            error_patterns: Error messages that the task meets; profile task alone goes by it, which is
                that of a prompt of knowledge.
            file_patterns: Globs of the files that the task touches; profile task alone goes by it,
                which is that of a prompt of knowledge.
            format: Memories in the best standing, or what earlier runs taught. Omitted: `"memories"`.
            limit: How many at most; omitted, as many as the project's `prompt_limit` says.
            task_type: The kind of task; profile task alone goes by it, which is that of a prompt of
                knowledge.
            write_scope: Paths, globs or keywords of what the task may change; profile governed alone
                goes by it, which is that of a prompt of memories.
        """
        return Call(locals())

    @operation
    def confirm_memory(
        self,
        id: str,
        *,
        reason: str | Unset | None = UNSET,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> Call[Memory]:
        """Say that a stale or doubted memory still holds.

        Args:
            id: The memory's id
            reason: Why, for the history.
            if_match: The ETag last seen
            idempotency_key: One effect per key, 24 h
        """
        return Call(locals())

    @long_operation
    def create_memories(
        self,
        body: Sequence[BatchLine] | str | bytes,
        *,
        idempotency_key: str | None = None,
        prefer: str | None = None,
    ) -> Call[BatchAnswer]:
        """Store up to 1,000 memories, each on its own.

        Args:
            body: Text of type application/x-ndjson, or data as JSON.
            idempotency_key: One effect per key, 24 h
            prefer: respond-async: answer 202 at once (RFC 7240)
        """
        return Call(locals())

    @operation
    def create_memory(
        self,
        content: str,
        *,
        category: Category | Unset = UNSET,
        confidence: float | Unset = UNSET,
        context: str | Unset | None = UNSET,
        created_by: str | Unset = UNSET,
        detail: Mapping[str, Any] | Unset = UNSET,
        dimension: Dimension | Unset = UNSET,
        entities: Sequence[str] | Unset = UNSET,
        expires_at: datetime | str | Unset | None = UNSET,
        id: str | Unset | None = UNSET,
        on_duplicate: OnDuplicate | Unset = UNSET,
        persona: str | Unset | None = UNSET,
        pinned: bool | Unset = UNSET,
        position: int | Unset | None = UNSET,
        relations: Sequence[RelationInput] | Unset = UNSET,
        relevance_score: float | Unset = UNSET,
        said_at: datetime | str | Unset | None = UNSET,
        session_id: str | Unset | None = UNSET,
        source: MemorySource | Unset = UNSET,
        source_recall_id: str | Unset | None = UNSET,
        source_run_id: str | Unset | None = UNSET,
        source_runs: Sequence[str] | Unset = UNSET,
        success_rate: float | Unset | None = UNSET,
        summary: str | Unset | None = UNSET,
        tags: Sequence[str] | Unset = UNSET,
        task_type: TaskType | Unset | None = UNSET,
        type: MemoryType | Unset = UNSET,
        valid_from: datetime | str | Unset | None = UNSET,
        valid_to: datetime | str | Unset | None = UNSET,
        idempotency_key: str | None = None,
    ) -> Call[StoredAnswer]:
        """Store a memory.

        Args:
            content: What it says: one thought.
            category: What it is about; omitted, told from the content.
            confidence: How far to believe it, 0 to 1; below 0.2 it goes out of use.
            context: What stood around it; searched too.
            created_by: Who it is from; an admin alone names somebody else.
            detail: Facts beside the words, as a JSON object.
            dimension: What kind of knowledge it is.
            entities: URNs of the things that it speaks of; what happens to them makes it stale.
            expires_at: From then on it is out of recall; omitted in a new one, by its type.
            id: The memory's id; omitted, a new one.
            on_duplicate: What to do where one says the same (409 duplicate) or otherwise of the same
                thing (409 contradicts): ask, merge into it (never one that says otherwise), create
                another, or supersede it. What is near and says something else is stored; the receipt
                names it. Omitted: `"ask"`.
            persona: Who alone may see it; omitted: everyone.
            pinned: Kept hot and out of pruning whatever its use.
            position: Its place in its session, from 0.
            relations: Typed edges to URNs or to other memories.
            relevance_score: How much it matters by itself, 0 to 1.
            said_at: When it was said: what its words about time are resolved against; null: unknown.
            session_id: The conversation that it was said in.
            source: Who it comes from: a person, a run, or what runs taught.
            source_recall_id: The recall that it was written after.
            source_run_id: The run that it was learned in.
            source_runs: All runs that taught it.
            success_rate: How often it worked where it was learned, 0 to 1.
            summary: The same in fewer words.
            tags: Words or paths to find it by, and by which it belongs to a class of content.
            task_type: The kind of task that it helps with.
            type: How it is used, and by which default expiry it ends.
            valid_from: The time in which what it says is so.
            valid_to: The time in which what it says is so.
            idempotency_key: One effect per key, 24 h
        """
        return Call(locals())

    @operation
    def create_memory_store(
        self,
        name: str,
        *,
        description: str | Unset = UNSET,
        metadata: Mapping[str, str] | Unset = UNSET,
        beta: str | Unset = UNSET,
    ) -> Call[StoreAnswer]:
        """Begin a store of files: a project.

        Args:
            name: What the store is called.
            description: What it is for, in words for a model. Omitted: `""`.
            metadata: Pairs for the caller's own use, 16 at most.
            beta: Sent by that client; nothing follows from it
        """
        return Call(locals())

    @operation
    def create_store_file(
        self,
        memory_store_id: str,
        path: str,
        content: str | None,
        *,
        view: FileView | Unset = UNSET,
        beta: str | Unset = UNSET,
    ) -> Call[StoreFile]:
        """Store a new file.

        Args:
            memory_store_id: `memstore_` and the project's name
            path: Where the file lies: begins with /, 1 to 20 segments, 1,024 bytes at most.
            content: The file's text, 102,400 bytes of UTF-8 at most.
            view: `full`: with texts; `basic`: without. Omitted: full of one, else basic
            beta: Sent by that client; nothing follows from it
        """
        return Call(locals())

    @operation
    def decide_reorganisation(
        self, id: str, decision: Literal["accept", "drop"]
    ) -> Call[ReorganisationResult]:
        """Accept or drop the reorganised playbook (reviewers).

        Args:
            id: Of the proposal that was looked at.
            decision: `accept` merges each union; `drop` keeps all of them apart for good.
        """
        return Call(locals())

    @operation
    def decide_reviews(
        self,
        *,
        decisions: Sequence[Decision] | Unset = UNSET,
        group: GroupToDecide | Unset | None = UNSET,
        idempotency_key: str | None = None,
    ) -> Call[BatchAnswer]:
        """Decide on many, or on all of one principal (reviewers).

        Args:
            decisions: One for each memory, each done by itself.
            group: All of one principal and kind.
            idempotency_key: One effect per key, 24 h
        """
        return Call(locals())

    @operation
    def delete_memory(
        self,
        id: str,
        *,
        hard: bool | Unset = UNSET,
        reason: str | Unset = UNSET,
        if_match: int | str | None = None,
    ) -> Call[Memory | None]:
        """Archive a memory, or erase it (hard=true).

        Args:
            id: The memory's id
            hard: Erase it for good
            reason: Why, for the history
            if_match: The ETag last seen
        """
        return Call(locals())

    @operation
    def delete_memory_store(self, memory_store_id: str, *, beta: str | Unset = UNSET) -> Call[DeletedStore]:
        """Erase a store: the whole project (admins).

        Args:
            memory_store_id: `memstore_` and the project's name
            beta: Sent by that client; nothing follows from it
        """
        return Call(locals())

    @operation
    def delete_store_file(
        self,
        memory_store_id: str,
        id: str,
        *,
        expected_content_sha256: str | Unset = UNSET,
        beta: str | Unset = UNSET,
    ) -> Call[DeletedFile]:
        """Delete a file; its versions stay.

        Args:
            memory_store_id: `memstore_` and the project's name
            id: The memory's id
            expected_content_sha256: Only if its text has this SHA-256
            beta: Sent by that client; nothing follows from it
        """
        return Call(locals())

    @operation
    def enrich(
        self, payload: Any, *, limit: int | Unset = UNSET, tokens_max: int | Unset = UNSET
    ) -> Call[EnrichAnswer]:
        """What is known of the URNs in a tool's response.

        Args:
            payload: Text, or any JSON: the response as the tool gave it
            limit: How many memories at most. Omitted: `10`.
            tokens_max: How long the block may be. Omitted: `2000`.
        """
        return Call(locals())

    @long_operation
    def erase(
        self,
        *,
        created_by: str | Unset | None = UNSET,
        dry_run: bool | Unset = UNSET,
        entity: str | Unset | None = UNSET,
        idempotency_key: str | None = None,
    ) -> Call[ErasureReceipt]:
        """Erase all of a person, or all that names an entity (admins, or one's own).

        Args:
            created_by: Whose memories, runs, receipts and notes.
            dry_run: Tell what would be done, and write nothing. Omitted: `false`.
            entity: The URN that the memories name.
            idempotency_key: One effect per key, 24 h
        """
        return Call(locals())

    @long_operation
    def erase_project(
        self, *, dry_run: bool | Unset = UNSET, idempotency_key: str | None = None
    ) -> Call[ErasureReceipt]:
        """Erase a whole project (admins).

        Args:
            dry_run: Say what would go, and erase nothing
            idempotency_key: One effect per key, 24 h
        """
        return Call(locals())

    @operation
    def explore_graph(
        self, *, entity: str, hops: int | Unset = UNSET, limit: int | Unset = UNSET
    ) -> Call[GraphAnswer]:
        """Entities and memories around one, the nearest first.

        Args:
            entity: A URN, a name, or a memory's id
            hops: How many steps from the entity
            limit: How many nodes at most
        """
        return Call(locals())

    @long_operation
    def export_project(
        self, *, format: Literal["ndjson", "csv", "mif", "markdown"] | Unset = UNSET
    ) -> Call[dict[str, Any] | str]:
        """Everything that the caller may see of a project, sealed by a manifest.

        Args:
            format: ndjson, mif (MIF 2.0) and markdown (a page a memory) can be imported again, whole;
                csv is for spreadsheets
        """
        return Call(locals())

    @operation
    def export_runs(
        self,
        *,
        format: Literal["jsonl"] | Unset = UNSET,
        shape: Literal["trajectories", "messages", "preferences"] | Unset = UNSET,
        query: str | Unset = UNSET,
        status: RunStatus | Unset = UNSET,
        task_type: TaskType | Unset = UNSET,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
    ) -> Call[str]:
        """Runs as training data, redacted (reviewers).

        Args:
            format: One JSON document a line
            shape: trajectories: whole runs; messages: conversations; preferences: of one task a run
                that worked and one that failed
            query: Words that the run says in its objective or its iterations, all of them
            status: How it ended
            task_type: Kind of its task
            limit: How many a page holds at most
            cursor: `next_cursor` of the page before
        """
        return Call(locals())

    @operation
    def get_caller(self) -> Call[CallerAnswer]:
        """Who calls, and what they may do."""
        return Call(locals())

    @operation
    def get_context_tuning(self) -> Call[TuningAnswer]:
        """How the project assembles its contexts, and what tuned it."""
        return Call(locals())

    @operation
    def get_daily_stats(self, *, days: int | Unset = UNSET) -> Call[DailyCounts]:
        """Counts of a project by day.

        Args:
            days: How many days, today among them.
        """
        return Call(locals())

    @operation
    def get_default_settings(self) -> Call[Settings]:
        """The settings of a project that never set any (admins)."""
        return Call(locals())

    @operation
    def get_docs(self) -> Call[str]:
        """This API, for people."""
        return Call(locals())

    @operation
    def get_docs_asset(self, name: Literal["start.js", "swagger-ui.css", "swagger-ui.js"]) -> Call[str]:
        """A script or a style of that page.

        Args:
            name: The file's name
        """
        return Call(locals())

    @operation
    def get_health(self) -> Call[Health]:
        """Is the process up?"""
        return Call(locals())

    @operation
    def get_memory(
        self, id: str, *, as_of: datetime | str | Unset = UNSET, shown: bool | Unset = UNSET
    ) -> Call[Memory]:
        """Read a memory.

        Args:
            id: The memory's id
            as_of: As it was at that time; RFC 3339, with its zone
            shown: Count how often it was shown lately
        """
        return Call(locals())

    @operation
    def get_memory_history(self, id: str, *, as_of: datetime | str | Unset = UNSET) -> Call[HistoryAnswer]:
        """Every version, through the whole correction chain.

        Args:
            id: The memory's id
            as_of: As it was at that time; RFC 3339, with its zone
        """
        return Call(locals())

    @operation
    def get_memory_store(self, memory_store_id: str, *, beta: str | Unset = UNSET) -> Call[StoreAnswer]:
        """Read a store.

        Args:
            memory_store_id: `memstore_` and the project's name
            beta: Sent by that client; nothing follows from it
        """
        return Call(locals())

    @operation
    def get_openapi(self) -> Call[dict[str, Any]]:
        """This API, described."""
        return Call(locals())

    @operation
    def get_operation(self, id: str) -> Call[OperationAnswer]:
        """How far a long piece of work is.

        Args:
            id: As `Location` named it
        """
        return Call(locals())

    @operation
    def get_operation_part(self, id: str, n: int) -> Call[dict[str, Any] | str]:
        """A part of what an operation made, for a week.

        Args:
            id: As `Location` named it
            n: Which part, from 1
        """
        return Call(locals())

    @operation
    def get_outcome_estimate(
        self, id: str, *, task_type: TaskType | Unset = UNSET
    ) -> Call[OutcomeEstimateAnswer]:
        """How well a memory serves the caller, and how sure that is.

        Args:
            id: The memory's id
            task_type: For this kind of task; omitted: all kinds alike
        """
        return Call(locals())

    @operation
    def get_playbook(self, *, since: datetime | str | Unset = UNSET) -> Call[PlaybookAnswer]:
        """The playbook: every learning in use as a bullet with a stable name, or what has changed in it.

        Args:
            since: `as_of` of an earlier page: only what has changed since
        """
        return Call(locals())

    @operation
    def get_readiness(self) -> Call[Readiness]:
        """Can it serve?"""
        return Call(locals())

    @operation
    def get_reorganisation(self) -> Call[ReorganisationAnswer]:
        """The playbook with near-duplicates united, beside the present one (reviewers)."""
        return Call(locals())

    @operation
    def get_rollback(self, id: str) -> Call[RollbackReceipt]:
        """The receipt of a rollback (admins).

        Args:
            id: The rollback's id, from its receipt.
        """
        return Call(locals())

    @operation
    def get_run(self, run_id: str) -> Call[RunAnswer]:
        """One run.

        Args:
            run_id: The run's own id
        """
        return Call(locals())

    @operation
    def get_run_history(self, run_id: str) -> Call[RunHistoryAnswer]:
        """One run with all its iterations, and with what it was shown.

        Args:
            run_id: The run's own id
        """
        return Call(locals())

    @operation
    def get_run_schema(self) -> Call[dict[str, Any]]:
        """The JSON Schema of a run's report, in each of its envelopes."""
        return Call(locals())

    @operation
    def get_settings(self) -> Call[Settings]:
        """A project's settings (admins)."""
        return Call(locals())

    @operation
    def get_stats(self) -> Call[StatsAnswer]:
        """Counts of a project."""
        return Call(locals())

    @operation
    def get_store_file(
        self, memory_store_id: str, id: str, *, view: FileView | Unset = UNSET, beta: str | Unset = UNSET
    ) -> Call[StoreFile]:
        """Read a file.

        Args:
            memory_store_id: `memstore_` and the project's name
            id: The memory's id
            view: `full`: with texts; `basic`: without. Omitted: full of one, else basic
            beta: Sent by that client; nothing follows from it
        """
        return Call(locals())

    @operation
    def get_store_version(
        self,
        memory_store_id: str,
        memory_version_id: str,
        *,
        view: FileView | Unset = UNSET,
        beta: str | Unset = UNSET,
    ) -> Call[StoreVersion]:
        """Read a version of a file.

        Args:
            memory_store_id: `memstore_` and the project's name
            memory_version_id: As a list has it
            view: `full`: with texts; `basic`: without. Omitted: full of one, else basic
            beta: Sent by that client; nothing follows from it
        """
        return Call(locals())

    @operation
    def get_version(self) -> Call[ServiceVersion]:
        """Which version is this?"""
        return Call(locals())

    @operation
    def give_context_feedback(
        self,
        request_id: str,
        *,
        coherence_score: float | Unset | None = UNSET,
        completeness: float | Unset | None = UNSET,
        contradiction_rate: float | Unset | None = UNSET,
        useful: Sequence[int] | Unset | None = UNSET,
        user_satisfaction: float | Unset | None = UNSET,
    ) -> Call[FeedbackAnswer]:
        """Say how good a context was; tunes how the project assembles them, once for each context.

        Args:
            request_id: Of the answer that the feedback is on
            coherence_score: How well its fragments fit together
            completeness: How much of what was needed was there
            contradiction_rate: How much of it contradicted the rest
            useful: Numbers on the page of the memories that were used; the priority is learned from
                them
            user_satisfaction: How well it served; the lower, the farther the policy moves
        """
        return Call(locals())

    @long_operation
    def import_project(
        self,
        body: Mapping[str, Any] | str | bytes,
        *,
        format: Literal[
            "ndjson",
            "csv",
            "markdown",
            "agent-notes",
            "mem0",
            "zep",
            "agentcore",
            "mif",
            "memory-store",
            "ralph",
        ]
        | Unset = UNSET,
        dry_run: bool | Unset = UNSET,
        on_existing: Literal["skip", "replace"] | Unset = UNSET,
        allow_unsealed: bool | Unset = UNSET,
        name: str | Unset = UNSET,
        prune: bool | Unset = UNSET,
        map: Sequence[str] | Unset = UNSET,
        source: MemorySource | Unset = UNSET,
        users: Literal["together", "apart"] | Unset = UNSET,
        idempotency_key: str | None = None,
    ) -> Call[ImportReport | ForeignTally]:
        """Bring in an export, whole or not at all, or another tool's file (admins).

        Args:
            body: Text of type application/octet-stream, application/x-ndjson, text/csv, text/markdown,
                or data as JSON.
            format: What the file is; omitted, told from its content. ndjson, csv, mif and markdown may
                be exports of this system
            dry_run: Say what would happen, and write nothing
            on_existing: What to do about ids that are there
            allow_unsealed: Lines without a manifest will do
            name: A Markdown file's path: by it a later import of the file updates
            prune: Archive what the file, by its name, says no more
            map: COLUMN=FIELD for a column of a table, as often as needed: memory=content, notes=detail;
                x=- leaves it out, and * is every other column
            source: Whose words another tool's are, as you vouch for
            users: Memories of many users: seen by everyone together, or each under its persona
            idempotency_key: One effect per key, 24 h
        """
        return Call(locals())

    @operation
    def learn_from_run(
        self,
        body: Run | EventBridgeEvent | CloudEvent,
        *,
        mode: RunMode | Unset = UNSET,
        idempotency_key: str | None = None,
    ) -> Call[RunAnswer]:
        """Learn from a run that has ended: plain JSON, an EventBridge event or a CloudEvent.

        Args:
            body: As it is written above.
            mode: staged: leave all learnings pending, for people
            idempotency_key: One effect per key, 24 h
        """
        return Call(locals())

    @paged("authors", list[AuthorAnswer])
    def list_authors(self, *, limit: int | Unset = UNSET, cursor: str | Unset = UNSET) -> Call[AuthorsAnswer]:
        """Authors whose lines were judged, those who rank lowest first (reviewers of all personas).

        Args:
            limit: How many a page holds at most
            cursor: `next_cursor` of the page before
        """
        return Call(locals())

    @paged("conflicts", list[PairAnswer])
    def list_conflicts(
        self, *, limit: int | Unset = UNSET, cursor: str | Unset = UNSET
    ) -> Call[ConflictsAnswer]:
        """Memories that contradict each other, oldest finds first.

        Args:
            limit: How many a page holds at most
            cursor: `next_cursor` of the page before
        """
        return Call(locals())

    @paged("duplicates", list[PairAnswer])
    def list_duplicates(
        self, *, limit: int | Unset = UNSET, cursor: str | Unset = UNSET
    ) -> Call[DuplicatesAnswer]:
        """Memories that say nearly the same, oldest finds first.

        Args:
            limit: How many a page holds at most
            cursor: `next_cursor` of the page before
        """
        return Call(locals())

    @paged("events", list[PastEntityEvent])
    def list_entity_events(
        self, *, urn: str, limit: int | Unset = UNSET, cursor: str | Unset = UNSET
    ) -> Call[EntityEventPageAnswer]:
        """What happened to an entity, the first event first.

        Args:
            urn: The entity, at either end
            limit: How many a page holds at most
            cursor: `next_cursor` of the page before
        """
        return Call(locals())

    @operation
    def list_events(
        self,
        *,
        after: int | Unset = UNSET,
        before: int | Unset = UNSET,
        type: Sequence[ChangeType] | Unset = UNSET,
        limit: int | Unset = UNSET,
    ) -> Call[ChangesAnswer]:
        """Every change as a CloudEvent, the first one first.

        Args:
            after: `next_after` of the page before; 0: from the first
            before: Instead of `after`: what lies in front of this position, the newest first, as
                `next_before` of the page before says; 0: from the end
            type: Only of these types; may be repeated
            limit: How many a page holds at most
        """
        return Call(locals())

    @paged("memories", list[Memory])
    def list_memories(
        self,
        *,
        type: Sequence[MemoryType] | Unset = UNSET,
        category: Sequence[Category] | Unset = UNSET,
        dimension: Sequence[Dimension] | Unset = UNSET,
        task_type: Sequence[TaskType] | Unset = UNSET,
        source: Sequence[MemorySource] | Unset = UNSET,
        tier: Sequence[Tier] | Unset = UNSET,
        persona: Sequence[str] | Unset = UNSET,
        created_by: Sequence[str] | Unset = UNSET,
        session_id: Sequence[str] | Unset = UNSET,
        complexity: Sequence[str] | Unset = UNSET,
        tags: Sequence[str] | Unset = UNSET,
        entities: Sequence[str] | Unset = UNSET,
        standing: Standing | Unset = UNSET,
        min_confidence: float | Unset = UNSET,
        min_success_rate: float | Unset = UNSET,
        created_after: datetime | str | Unset = UNSET,
        created_before: datetime | str | Unset = UNSET,
        updated_after: datetime | str | Unset = UNSET,
        updated_before: datetime | str | Unset = UNSET,
        status: Sequence[MemoryStatus] | Unset = UNSET,
        active: bool | Unset = UNSET,
        pinned: bool | Unset = UNSET,
        as_of: datetime | str | Unset = UNSET,
        sort: str | Unset = UNSET,
        from_end: bool | Unset = UNSET,
        fields: Sequence[str] | Unset = UNSET,
        count: bool | Unset = UNSET,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
    ) -> Call[PageAnswer]:
        """List memories, newest first or in another order.

        Args:
            type: How it is used, and by which default expiry it ends.
            category: What it is about; omitted, told from the content.
            dimension: What kind of knowledge it is.
            task_type: The kind of task that it helps with.
            source: Who it comes from: a person, a run, or what runs taught.
            tier: Where it lies: hot and warm are recalled, cold is listed, frozen is for admins.
            persona: Who alone may see it; omitted: everyone.
            created_by: Who it is from; an admin alone names somebody else.
            session_id: The conversation that it was said in.
            complexity: `low`, `medium` or `high`, as estimates say it in their detail.
            tags: Words or paths to find it by, and by which it belongs to a class of content.
            entities: URNs of the things that it speaks of; what happens to them makes it stale.
            standing: `trusted`, said by a person or approved by a reviewer, or `unreviewed`.
            min_confidence: At least this confidence, 0 to 1.
            min_success_rate: At least this success rate, 0 to 1; what has none is left out.
            created_after: Created then or later.
            created_before: Created before then.
            updated_after: What it says was changed then or later.
            updated_before: What it says was changed before then.
            status: Its state: active ones are recalled.
            active: False: those out of use, of any status.
            pinned: Whether it is kept hot by hand.
            as_of: As it was at that time; not in the future.
            sort: Field to order by; with - before it the greatest first.
            from_end: Read the same order from its end: the last page first, its last row first.
            fields: Answer `rows` of these fields, with id and version, instead of records.
            count: Count what all pages hold, as `total`.
            limit: How many a page holds at most.
            cursor: `next_cursor` of the page before, with the same filters.
        """
        return Call(locals())

    @operation
    def list_memory_recalls(self, id: str) -> Call[ShowingRecallsAnswer]:
        """Recalls that showed a memory, the last first (reviewers).

        Args:
            id: The memory's id
        """
        return Call(locals())

    @operation
    def list_memory_stores(
        self,
        *,
        limit: int | Unset = UNSET,
        page: str | Unset = UNSET,
        include_archived: bool | Unset = UNSET,
        created_at_gte: datetime | str | Unset = UNSET,
        created_at_lte: datetime | str | Unset = UNSET,
        beta: str | Unset = UNSET,
    ) -> Call[StoresPage]:
        """List the projects that the caller sees a memory of as stores of files.

        Args:
            limit: How many a page holds at most
            page: `next_page` of the page before
            include_archived: Those that are archived as well
            created_at_gte: Begun then or later
            created_at_lte: Begun then or before
            beta: Sent by that client; nothing follows from it
        """
        return Call(locals())

    @operation
    def list_memory_verdicts(self, id: str) -> Call[VerdictsAnswer]:
        """Verdicts on a memory, the last first.

        Args:
            id: The memory's id
        """
        return Call(locals())

    @operation
    def list_near_memories(self, id: str) -> Call[NearAnswer]:
        """What is in force and near to an item that waits (reviewers).

        Args:
            id: The memory's id
        """
        return Call(locals())

    @paged("projects", list[ProjectAnswer])
    def list_projects(
        self, *, limit: int | Unset = UNSET, cursor: str | Unset = UNSET
    ) -> Call[ProjectsAnswer]:
        """List the projects that the caller sees a memory of, by name.

        Args:
            limit: How many a page holds at most
            cursor: `next_cursor` of the page before
        """
        return Call(locals())

    @paged("reviews", list[Memory | StagedLearning | PairAnswer])
    def list_reviews(
        self,
        *,
        principal: str | Unset = UNSET,
        kind: GroupKind | Unset = UNSET,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
    ) -> Call[ReviewsAnswer]:
        """All that waits for a person, oldest first.

        Args:
            principal: Only what this one has waiting, 100 at most
            kind: With `principal`: of this kind; `doubted`: what they alone doubt
            limit: How many a page holds at most
            cursor: `next_cursor` of the page before
        """
        return Call(locals())

    @paged("runs", list[RunAnswer])
    def list_runs(
        self,
        *,
        query: str | Unset = UNSET,
        status: RunStatus | Unset = UNSET,
        task_type: TaskType | Unset = UNSET,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
    ) -> Call[RunsAnswer]:
        """Runs, newest first; all, or those that say some words.

        Args:
            query: Words that the run says in its objective or its iterations, all of them
            status: How it ended
            task_type: Kind of its task
            limit: How many a page holds at most
            cursor: `next_cursor` of the page before
        """
        return Call(locals())

    @paged("sessions", list[SessionAnswer])
    def list_sessions(
        self, *, limit: int | Unset = UNSET, cursor: str | Unset = UNSET
    ) -> Call[SessionsAnswer]:
        """List conversations, by id.

        Args:
            limit: How many a page holds at most
            cursor: `next_cursor` of the page before
        """
        return Call(locals())

    @operation
    def list_snapshots(self) -> Call[SnapshotsAnswer]:
        """What was put aside (admins)."""
        return Call(locals())

    @paged("staged", list[StagedLearning])
    def list_staging(
        self,
        *,
        status: Sequence[StagedStatus] | Unset = UNSET,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
    ) -> Call[StagingAnswer]:
        """Learnings that wait, and those decided on in the last 30 days; oldest first.

        Args:
            status: Any of these; omitted: all
            limit: How many a page holds at most
            cursor: `next_cursor` of the page before
        """
        return Call(locals())

    @paged("stale", list[Memory])
    def list_stale(self, *, limit: int | Unset = UNSET, cursor: str | Unset = UNSET) -> Call[StaleAnswer]:
        """What went stale, the oldest memories first.

        Args:
            limit: How many a page holds at most
            cursor: `next_cursor` of the page before
        """
        return Call(locals())

    @operation
    def list_store_files(
        self,
        memory_store_id: str,
        *,
        path_prefix: str | Unset = UNSET,
        depth: int | Unset = UNSET,
        limit: int | Unset = UNSET,
        page: str | Unset = UNSET,
        view: FileView | Unset = UNSET,
        beta: str | Unset = UNSET,
    ) -> Call[StoreFilesPage]:
        """List the files of a store, by path.

        Args:
            memory_store_id: `memstore_` and the project's name
            path_prefix: Only what is below; ends with /
            depth: 1: the folder itself, with folders in the place of what is deeper
            limit: How many a page holds at most
            page: `next_page` of the page before
            view: `full`: with texts; `basic`: without. Omitted: full of one, else basic
            beta: Sent by that client; nothing follows from it
        """
        return Call(locals())

    @operation
    def list_store_versions(
        self,
        memory_store_id: str,
        *,
        memory_id: str | Unset = UNSET,
        operation: FileOperation | Unset = UNSET,
        api_key_id: str | Unset = UNSET,
        service_account_id: str | Unset = UNSET,
        session_id: str | Unset = UNSET,
        created_at_gte: datetime | str | Unset = UNSET,
        created_at_lte: datetime | str | Unset = UNSET,
        limit: int | Unset = UNSET,
        page: str | Unset = UNSET,
        view: FileView | Unset = UNSET,
        beta: str | Unset = UNSET,
    ) -> Call[StoreVersionsPage]:
        """List the versions of a store's files, the newest first.

        Args:
            memory_store_id: `memstore_` and the project's name
            memory_id: Those of one file alone
            operation: Those that came about in this way
            api_key_id: Those of an agent or service, by its name
            service_account_id: Nothing here has such an author: the list is empty
            session_id: Nothing here has such an author: the list is empty
            created_at_gte: Made then or later
            created_at_lte: Made then or before
            limit: How many a page holds at most
            page: `next_page` of the page before
            view: `full`: with texts; `basic`: without. Omitted: full of one, else basic
            beta: Sent by that client; nothing follows from it
        """
        return Call(locals())

    @operation
    def list_sweeps(self) -> Call[SweepsAnswer]:
        """Sweeps, with what each does and last did (admins)."""
        return Call(locals())

    @paged("turns", list[Memory])
    def list_turns(
        self,
        session_id: str,
        *,
        newest_first: bool | Unset = UNSET,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
    ) -> Call[TurnsAnswer]:
        """Read the turns of a conversation, in order.

        Args:
            session_id: The conversation's own id; it has no slash
            newest_first: The last turn first
            limit: How many a page holds at most
            cursor: `next_cursor` of the page before
        """
        return Call(locals())

    @operation
    def list_webhooks(self) -> Call[WebhooksAnswer]:
        """Webhooks with their newest deliveries (admins)."""
        return Call(locals())

    @operation
    def merge_memories(
        self,
        id: str,
        ids: Sequence[str],
        *,
        content: str | Unset | None = UNSET,
        reason: str | Unset | None = UNSET,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> Call[StoredAnswer]:
        """Take in memories that say the same; they are superseded by this one.

        Args:
            id: The memory's id
            ids: The memories to take in.
            content: What is said from now on; none: all that they say.
            reason: Why, for the history.
            if_match: The ETag last seen
            idempotency_key: One effect per key, 24 h
        """
        return Call(locals())

    @long_operation
    def merge_project(
        self, from_: str, *, dry_run: bool | Unset = UNSET, idempotency_key: str | None = None
    ) -> Call[MergeAnswer]:
        """Bring another project of the tenant in: by id, then by content (admins).

        Args:
            from_: The project that is brought into this one.
            dry_run: Tell what would be done, and write nothing. Omitted: `false`.
            idempotency_key: One effect per key, 24 h
        """
        return Call(locals())

    @operation
    def patch_settings(
        self,
        *,
        blend: BlendMode | Unset | None = UNSET,
        context_prefetch: bool | Unset | None = UNSET,
        context_weights: Mapping[str, PriorityWeightsInput | None] | Unset | None = UNSET,
        default_expiry_days: Mapping[str, int | None] | Unset | None = UNSET,
        event_sources: Sequence[str] | Unset | None = UNSET,
        exploration: float | Unset | None = UNSET,
        limits: LimitsInput | Unset | None = UNSET,
        outcome_model: OutcomeModel | Unset | None = UNSET,
        privacy_mode: PrivacyMode | Unset | None = UNSET,
        profile: RankingProfile | Unset | None = UNSET,
        prompt_limit: int | Unset | None = UNSET,
        review_sources: Sequence[MemorySource] | Unset | None = UNSET,
        synonyms: Mapping[str, Sequence[str] | None] | Unset | None = UNSET,
        tier_policy: Mapping[str, TierRulesInput] | Unset | None = UNSET,
        token_prices: Mapping[str, float | None] | Unset | None = UNSET,
        if_match: int | str | None = None,
    ) -> Call[Settings]:
        """Set some of a project's settings (admins).

        Args:
            blend: How keywords and meaning become one relevance.
            context_prefetch: A server between two requests assembles the context that a session will
                likely ask for next; refused in the cloud, where nothing runs between requests.
            context_weights: By class of content, what makes a fragment of a context worth its place;
                those given stand, whatever feedback says; the four make 1.
            default_expiry_days: By type, after how many days a memory ends by itself; null: never.
            event_sources: Names of agents' tokens whose entity events count as a person's.
            exploration: How much lists try out what verdicts have not told apart, 0 to 1; 0: not at
                all.
            limits: How often `failed` may be said, and how much one principal may do in an hour.
            outcome_model: `fixed` steps, or the mean of a `beta` posterior over evidence that fades.
            privacy_mode: What is redacted before it is stored: secrets, personal data too, nothing; or
                refuse it.
            profile: How a recall that names none is ranked.
            prompt_limit: How many memories a prompt has that says no limit itself.
            review_sources: Sources whose memories wait for a person.
            synonyms: By a word or two of the project, what else is said for it; beside the table that
                the product has.
            tier_policy: By class of content, what stays hot, leaves its row, and goes cold.
            token_prices: US dollars for a million input tokens, by a model or the beginning of its
                name; before the list that the product has.
            if_match: The ETag last seen
        """
        return Call(locals())

    @operation
    def pop_turn(self, session_id: str, *, idempotency_key: str | None = None) -> Call[PoppedAnswer]:
        """Take back the last turn of a conversation.

        Args:
            session_id: The conversation's own id; it has no slash
            idempotency_key: One effect per key, 24 h
        """
        return Call(locals())

    @operation
    def promote_staged(self, id: str, *, idempotency_key: str | None = None) -> Call[StagedLearning]:
        """Promote one learning (reviewers).

        Args:
            id: As the staging area lists it
            idempotency_key: One effect per key, 24 h
        """
        return Call(locals())

    @operation
    def promote_staging(
        self,
        *,
        auto_validate: bool | Unset = UNSET,
        clear_after: bool | Unset = UNSET,
        idempotency_key: str | None = None,
    ) -> Call[PromotionReport]:
        """Promote all validated learnings (reviewers).

        Args:
            auto_validate: Judge pending learnings first. Omitted: `true`.
            clear_after: Take out of the staging area what was promoted. Omitted: `false`.
            idempotency_key: One effect per key, 24 h
        """
        return Call(locals())

    @long_operation
    def prune_project(
        self,
        *,
        dry_run: bool | Unset = UNSET,
        include_approved: bool | Unset = UNSET,
        include_pinned: bool | Unset = UNSET,
        match: Literal["all", "any"] | Unset = UNSET,
        min_confidence: float | Unset | None = UNSET,
        min_success_rate: float | Unset | None = UNSET,
        older_than_days: int | Unset | None = UNSET,
        unused: bool | Unset = UNSET,
        idempotency_key: str | None = None,
    ) -> Call[PruneReport]:
        """Archive what has not proven itself (reviewers).

        Args:
            dry_run: Tell what would be done, and write nothing. Omitted: `false`.
            include_approved: Approved ones too. Omitted: `false`.
            include_pinned: Pinned ones too. Omitted: `false`.
            match: all: every condition given has to hold; any: one of them is enough. Omitted: `"all"`.
            min_confidence: Those below it.
            min_success_rate: Those below it, of those that have one.
            older_than_days: Those not changed for more than so many days.
            unused: Those whose outcome nobody ever reported. Omitted: `false`.
            idempotency_key: One effect per key, 24 h
        """
        return Call(locals())

    @operation
    def put_memory(
        self,
        id: str,
        content: str,
        *,
        category: Category | Unset = UNSET,
        confidence: float | Unset = UNSET,
        context: str | Unset | None = UNSET,
        created_by: str | Unset = UNSET,
        detail: Mapping[str, Any] | Unset = UNSET,
        dimension: Dimension | Unset = UNSET,
        entities: Sequence[str] | Unset = UNSET,
        expires_at: datetime | str | Unset | None = UNSET,
        persona: str | Unset | None = UNSET,
        pinned: bool | Unset = UNSET,
        position: int | Unset | None = UNSET,
        relations: Sequence[RelationInput] | Unset = UNSET,
        relevance_score: float | Unset = UNSET,
        said_at: datetime | str | Unset | None = UNSET,
        session_id: str | Unset | None = UNSET,
        source: MemorySource | Unset = UNSET,
        source_recall_id: str | Unset | None = UNSET,
        source_run_id: str | Unset | None = UNSET,
        source_runs: Sequence[str] | Unset = UNSET,
        success_rate: float | Unset | None = UNSET,
        summary: str | Unset | None = UNSET,
        tags: Sequence[str] | Unset = UNSET,
        task_type: TaskType | Unset | None = UNSET,
        type: MemoryType | Unset = UNSET,
        valid_from: datetime | str | Unset | None = UNSET,
        valid_to: datetime | str | Unset | None = UNSET,
        if_match: int | str | None = None,
    ) -> Call[StoredAnswer]:
        """Store a memory under your own id, or replace what it says.

        Args:
            id: The memory's id
            content: What it says: one thought.
            category: What it is about; omitted, told from the content.
            confidence: How far to believe it, 0 to 1; below 0.2 it goes out of use.
            context: What stood around it; searched too.
            created_by: Who it is from; an admin alone names somebody else.
            detail: Facts beside the words, as a JSON object.
            dimension: What kind of knowledge it is.
            entities: URNs of the things that it speaks of; what happens to them makes it stale.
            expires_at: From then on it is out of recall; omitted in a new one, by its type.
            persona: Who alone may see it; omitted: everyone.
            pinned: Kept hot and out of pruning whatever its use.
            position: Its place in its session, from 0.
            relations: Typed edges to URNs or to other memories.
            relevance_score: How much it matters by itself, 0 to 1.
            said_at: When it was said: what its words about time are resolved against; null: unknown.
            session_id: The conversation that it was said in.
            source: Who it comes from: a person, a run, or what runs taught.
            source_recall_id: The recall that it was written after.
            source_run_id: The run that it was learned in.
            source_runs: All runs that taught it.
            success_rate: How often it worked where it was learned, 0 to 1.
            summary: The same in fewer words.
            tags: Words or paths to find it by, and by which it belongs to a class of content.
            task_type: The kind of task that it helps with.
            type: How it is used, and by which default expiry it ends.
            valid_from: The time in which what it says is so.
            valid_to: The time in which what it says is so.
            if_match: The ETag last seen
        """
        return Call(locals())

    @operation
    def put_settings(
        self,
        *,
        blend: BlendMode | Unset = UNSET,
        context_prefetch: bool | Unset = UNSET,
        context_weights: Mapping[str, PriorityWeightsInput] | Unset = UNSET,
        default_expiry_days: Mapping[str, int | None] | Unset = UNSET,
        event_sources: Sequence[str] | Unset = UNSET,
        exploration: float | Unset = UNSET,
        limits: LimitsInput | Unset = UNSET,
        outcome_model: OutcomeModel | Unset = UNSET,
        privacy_mode: PrivacyMode | Unset = UNSET,
        profile: RankingProfile | Unset = UNSET,
        prompt_limit: int | Unset = UNSET,
        review_sources: Sequence[MemorySource] | Unset = UNSET,
        synonyms: Mapping[str, Sequence[str]] | Unset = UNSET,
        tier_policy: Mapping[str, TierRulesInput] | Unset = UNSET,
        token_prices: Mapping[str, float] | Unset = UNSET,
        version: int | Unset = UNSET,
        if_match: int | str | None = None,
    ) -> Call[Settings]:
        """Set a project's settings (admins).

        Args:
            blend: How keywords and meaning become one relevance.
            context_prefetch: A server between two requests assembles the context that a session will
                likely ask for next; refused in the cloud, where nothing runs between requests.
            context_weights: By class of content, what makes a fragment of a context worth its place;
                those given stand, whatever feedback says; the four make 1.
            default_expiry_days: By type, after how many days a memory ends by itself; null: never.
            event_sources: Names of agents' tokens whose entity events count as a person's.
            exploration: How much lists try out what verdicts have not told apart, 0 to 1; 0: not at
                all.
            limits: How often `failed` may be said, and how much one principal may do in an hour.
            outcome_model: `fixed` steps, or the mean of a `beta` posterior over evidence that fades.
            privacy_mode: What is redacted before it is stored: secrets, personal data too, nothing; or
                refuse it.
            profile: How a recall that names none is ranked.
            prompt_limit: How many memories a prompt has that says no limit itself.
            review_sources: Sources whose memories wait for a person.
            synonyms: By a word or two of the project, what else is said for it; beside the table that
                the product has.
            tier_policy: By class of content, what stays hot, leaves its row, and goes cold.
            token_prices: US dollars for a million input tokens, by a model or the beginning of its
                name; before the list that the product has.
            version: Number of its changes; 0: never set.
            if_match: The ETag last seen
        """
        return Call(locals())

    @paged("entries", list[AuditEntryAnswer])
    def read_audit(
        self,
        *,
        principal: str | Unset = UNSET,
        about: str | Unset = UNSET,
        what: str | Unset = UNSET,
        since: datetime | str | Unset = UNSET,
        until: datetime | str | Unset = UNSET,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
    ) -> Call[AuditAnswer]:
        """Every change and decision, the last first (reviewers of all personas).

        Args:
            principal: Only entries with this value
            about: Only entries with this value
            what: Only entries with this value
            since: RFC 3339, with its zone; inclusive
            until: RFC 3339, with its zone; inclusive
            limit: How many a page holds at most
            cursor: `next_cursor` of the page before
        """
        return Call(locals())

    @operation
    def recall(
        self,
        query: str,
        *,
        as_of: datetime | str | Unset | None = UNSET,
        consistency: Literal["strong", "eventual"] | Unset = UNSET,
        entities: Sequence[str] | Unset = UNSET,
        error_patterns: Sequence[str] | Unset = UNSET,
        explain: bool | Unset = UNSET,
        explore: bool | Unset = UNSET,
        file_patterns: Sequence[str] | Unset = UNSET,
        filters: FilterFields | Unset = UNSET,
        hops: int | Unset | None = UNSET,
        include_stale: bool | Unset = UNSET,
        limit: int | Unset = UNSET,
        min_relevance: float | Unset = UNSET,
        min_score: float | Unset | None = UNSET,
        objective: str | Unset | None = UNSET,
        profile: RankingProfile | Unset | None = UNSET,
        run_id: str | Unset | None = UNSET,
        strategy: Literal["auto", "semantic", "lexical", "entity", "graph"] | Unset = UNSET,
        task_type: TaskType | Unset | None = UNSET,
        write_scope: Sequence[str] | Unset = UNSET,
    ) -> Call[RecallAnswer]:
        """Recall what bears on a question, best first.

        Args:
            query: The question in words.
            as_of: What was known at that time; not in the future.
            consistency: `eventual` spares the look at the last moment's writes. Omitted: `"strong"`.
            entities: URNs or names that the question is about.
            error_patterns: Error messages that the task meets; profile task alone goes by it, which is
                that of a prompt of knowledge.
            explain: Each memory with the words and entities of the question that it says. Omitted:
                `false`.
            explore: false: the list tries nothing out, whatever the project's `exploration` says.
                Omitted: `true`.
            file_patterns: Globs of the files that the task touches; profile task alone goes by it,
                which is that of a prompt of knowledge.
            filters: Which memories may be found.
            hops: How far strategy graph goes from what the question names.
            include_stale: Those in doubt too. Omitted: `false`.
            limit: How many at most. Omitted: `10`.
            min_relevance: What is less likely to bear on the question is left out. Omitted: `0.0`.
            min_score: What scores less is left out; 0: nothing is, however little is known.
            objective: What the run that asks is for, in words: the kind of task is told from it where
                `task_type` names none.
            profile: How what fits is ranked; omitted, as the project's settings say.
            run_id: The run that asks: its later verdict meets what it was shown.
            strategy: By meaning, by words or by entities alone; auto: by all that there is. Omitted:
                `"auto"`.
            task_type: The kind of task; profile task alone goes by it, which is that of a prompt of
                knowledge.
            write_scope: Paths, globs or keywords of what the task may change; profile governed alone
                goes by it, which is that of a prompt of memories.
        """
        return Call(locals())

    @operation
    def redact_store_version(
        self, memory_store_id: str, memory_version_id: str, *, beta: str | Unset = UNSET
    ) -> Call[StoreVersion]:
        """Take the words out of a version for good (its author, or admins).

        Args:
            memory_store_id: `memstore_` and the project's name
            memory_version_id: As a list has it
            beta: Sent by that client; nothing follows from it
        """
        return Call(locals())

    @operation
    def reject_memory(
        self, id: str, *, reason: str | Unset | None = UNSET, if_match: int | str | None = None
    ) -> Call[Memory]:
        """Reject a memory (reviewers).

        Args:
            id: The memory's id
            reason: Why, for the history.
            if_match: The ETag last seen
        """
        return Call(locals())

    @operation
    def reject_staged(
        self, id: str, *, reason: str | Unset | None = UNSET, idempotency_key: str | None = None
    ) -> Call[StagedLearning]:
        """Keep one learning from becoming a memory (reviewers).

        Args:
            id: As the staging area lists it
            reason: Why, for the history.
            idempotency_key: One effect per key, 24 h
        """
        return Call(locals())

    @operation
    def remove_webhook(self, id: str) -> Call[None]:
        """Remove a webhook (admins).

        Args:
            id: As the list has it
        """
        return Call(locals())

    @operation
    def report_outcome(
        self,
        id: str,
        result: OutcomeResult,
        *,
        note: str | Unset | None = UNSET,
        recall_id: str | Unset | None = UNSET,
        run_id: str | Unset | None = UNSET,
        session_id: str | Unset | None = UNSET,
        idempotency_key: str | None = None,
    ) -> Call[Memory]:
        """Report whether a memory helped.

        Args:
            id: The memory's id
            result: `worked` +0.2, `partial` +0.05, `failed` -0.3 on its outcome score.
            note: What happened, in words; kept with the verdict and in the history.
            recall_id: The recall that brought the memory up.
            run_id: In one run a later verdict replaces the earlier one.
            session_id: The session whose `failed` are counted.
            idempotency_key: One effect per key, 24 h
        """
        return Call(locals())

    @operation
    def report_page_outcome(
        self,
        result: OutcomeResult,
        recall_id: str,
        refs: Sequence[int],
        *,
        note: str | Unset | None = UNSET,
        run_id: str | Unset | None = UNSET,
        session_id: str | Unset | None = UNSET,
        idempotency_key: str | None = None,
    ) -> Call[PageOutcomeAnswer]:
        """Report whether memories of a page helped, by their numbers on it.

        Args:
            result: `worked` +0.2, `partial` +0.05, `failed` -0.3 on its outcome score.
            recall_id: The recall that made the page.
            refs: Numbers of the memories on the page, from 1.
            note: What happened, in words; kept with the verdict and in the history.
            run_id: In one run a later verdict replaces the earlier one.
            session_id: The session whose `failed` are counted.
            idempotency_key: One effect per key, 24 h
        """
        return Call(locals())

    @operation
    def reset_author(
        self, author: str, *, reason: str | Unset | None = UNSET, idempotency_key: str | None = None
    ) -> Call[AuthorAnswer]:
        """Begin an author's record anew (reviewers of all personas).

        Args:
            author: The author's id, as the list has it
            reason: Why, for the history.
            idempotency_key: One effect per key, 24 h
        """
        return Call(locals())

    @operation
    def reset_context_tuning(self) -> Call[TuningAnswer]:
        """Go back to the defaults of how contexts are assembled."""
        return Call(locals())

    @operation
    def resolve_conflict(
        self,
        id: str,
        resolution: PairDecision,
        *,
        content: str | Unset | None = UNSET,
        note: str | Unset | None = UNSET,
        winner: str | Unset | None = UNSET,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> Call[ResolvedAnswer]:
        """Decide on two memories, of either list (reviewers).

        Args:
            id: As conflicts and duplicates list it
            resolution: What becomes of the two.
            content: Of a merge: what is said from now on; none: all that both say. Two that contradict
                each other need it.
            note: Why, for the history.
            winner: The id of the one that stays.
            if_match: `etag` of the pair, as it was looked at
            idempotency_key: One effect per key, 24 h
        """
        return Call(locals())

    @long_operation
    def restore_snapshot(
        self, id: str, *, dry_run: bool | Unset = UNSET, idempotency_key: str | None = None
    ) -> Call[RestoreAnswer]:
        """Bring a project back to what a snapshot holds (admins).

        Args:
            id: Of a snapshot, or `latest`: the newest one that is sound
            dry_run: Tell what would be done, and write nothing. Omitted: `false`.
            idempotency_key: One effect per key, 24 h
        """
        return Call(locals())

    @operation
    def restore_version(
        self,
        id: str,
        version: int,
        *,
        reason: str | Unset | None = UNSET,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> Call[StoredAnswer]:
        """Say again what an earlier version said.

        Args:
            id: The memory's id
            version: The one that says again what is to be said.
            reason: Why, for the history.
            if_match: The ETag last seen
            idempotency_key: One effect per key, 24 h
        """
        return Call(locals())

    @long_operation
    def roll_back(
        self,
        principal: str,
        *,
        dry_run: bool | Unset = UNSET,
        since: datetime | str | Unset | None = UNSET,
        idempotency_key: str | None = None,
    ) -> Call[RollbackReceipt]:
        """Take back all that a principal wrote, voted and reported (admins).

        Args:
            principal: E-mail or subject of the token, as histories name it.
            dry_run: Tell what would be done, and write nothing. Omitted: `false`.
            since: From when on; omitted: all.
            idempotency_key: One effect per key, 24 h
        """
        return Call(locals())

    @operation
    def supersede_memory(
        self,
        id: str,
        *,
        category: Category | Unset = UNSET,
        confidence: float | Unset = UNSET,
        content: str | Unset | None = UNSET,
        context: str | Unset | None = UNSET,
        created_by: str | Unset = UNSET,
        detail: Mapping[str, Any] | Unset = UNSET,
        dimension: Dimension | Unset = UNSET,
        entities: Sequence[str] | Unset = UNSET,
        expires_at: datetime | str | Unset | None = UNSET,
        body_id: str | Unset | None = UNSET,
        persona: str | Unset | None = UNSET,
        pinned: bool | Unset = UNSET,
        position: int | Unset | None = UNSET,
        reason: str | Unset | None = UNSET,
        relations: Sequence[RelationInput] | Unset = UNSET,
        relevance_score: float | Unset = UNSET,
        said_at: datetime | str | Unset | None = UNSET,
        session_id: str | Unset | None = UNSET,
        source: MemorySource | Unset = UNSET,
        source_recall_id: str | Unset | None = UNSET,
        source_run_id: str | Unset | None = UNSET,
        source_runs: Sequence[str] | Unset = UNSET,
        success_rate: float | Unset | None = UNSET,
        summary: str | Unset | None = UNSET,
        tags: Sequence[str] | Unset = UNSET,
        task_type: TaskType | Unset | None = UNSET,
        type: MemoryType | Unset = UNSET,
        valid_from: datetime | str | Unset | None = UNSET,
        valid_to: datetime | str | Unset | None = UNSET,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> Call[StoredAnswer]:
        """Put a correction in the place of a memory.

        Args:
            id: The memory's id
            category: What it is about; omitted, told from the content.
            confidence: How far to believe it, 0 to 1; below 0.2 it goes out of use.
            content: What it says: one thought.
            context: What stood around it; searched too.
            created_by: Who it is from; an admin alone names somebody else.
            detail: Facts beside the words, as a JSON object.
            dimension: What kind of knowledge it is.
            entities: URNs of the things that it speaks of; what happens to them makes it stale.
            expires_at: From then on it is out of recall; omitted in a new one, by its type.
            body_id: One that is there already, and is true instead.
            persona: Who alone may see it; omitted: everyone.
            pinned: Kept hot and out of pruning whatever its use.
            position: Its place in its session, from 0.
            reason: Why, for the history.
            relations: Typed edges to URNs or to other memories.
            relevance_score: How much it matters by itself, 0 to 1.
            said_at: When it was said: what its words about time are resolved against; null: unknown.
            session_id: The conversation that it was said in.
            source: Who it comes from: a person, a run, or what runs taught.
            source_recall_id: The recall that it was written after.
            source_run_id: The run that it was learned in.
            source_runs: All runs that taught it.
            success_rate: How often it worked where it was learned, 0 to 1.
            summary: The same in fewer words.
            tags: Words or paths to find it by, and by which it belongs to a class of content.
            task_type: The kind of task that it helps with.
            type: How it is used, and by which default expiry it ends.
            valid_from: The time in which what it says is so.
            valid_to: The time in which what it says is so.
            if_match: The ETag last seen
            idempotency_key: One effect per key, 24 h
        """
        return Call(locals())

    @operation
    def take_entity_events(
        self, body: ToldEntityEvent | Sequence[ToldEntityEvent], *, idempotency_key: str | None = None
    ) -> Call[EntityEventsAnswer]:
        """Tell what happened to things that memories speak of, one event or up to 1,000.

        Args:
            body: As it is written above.
            idempotency_key: One effect per key, 24 h
        """
        return Call(locals())

    @long_operation
    def take_snapshot(self, *, idempotency_key: str | None = None) -> Call[SnapshotAnswer]:
        """Put the project aside as it is (admins).

        Args:
            idempotency_key: One effect per key, 24 h
        """
        return Call(locals())

    @operation
    def try_webhook(self, id: str) -> Call[Attempt]:
        """Send a test event now, and take up what was paused if it is taken (admins).

        Args:
            id: As the list has it
        """
        return Call(locals())

    @operation
    def undo_last_change(
        self,
        id: str,
        *,
        back_to: int | Unset | None = UNSET,
        reason: str | Unset | None = UNSET,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> Call[Memory]:
        """Undo the last change of status or approval.

        Args:
            id: The memory's id
            back_to: The version whose status and approval come back; all that changed them since is
                undone as one. Left out: the one before the last change.
            reason: Why, for the history.
            if_match: The ETag last seen
            idempotency_key: One effect per key, 24 h
        """
        return Call(locals())

    @long_operation
    def undo_rollback(self, id: str, *, idempotency_key: str | None = None) -> Call[RollbackReceipt]:
        """Bring back what a rollback took (admins).

        Args:
            id: The rollback's id, from its receipt.
            idempotency_key: One effect per key, 24 h
        """
        return Call(locals())

    @operation
    def update_memory(
        self,
        id: str,
        *,
        active: bool | Unset | None = UNSET,
        category: Category | Unset = UNSET,
        confidence: float | Unset = UNSET,
        content: str | Unset = UNSET,
        context: str | Unset | None = UNSET,
        created_by: str | Unset = UNSET,
        detail: Mapping[str, Any] | Unset = UNSET,
        dimension: Dimension | Unset = UNSET,
        entities: Sequence[str] | Unset = UNSET,
        expires_at: datetime | str | Unset | None = UNSET,
        persona: str | Unset | None = UNSET,
        pinned: bool | Unset = UNSET,
        position: int | Unset | None = UNSET,
        relations: Sequence[RelationInput] | Unset = UNSET,
        relevance_score: float | Unset = UNSET,
        said_at: datetime | str | Unset | None = UNSET,
        session_id: str | Unset | None = UNSET,
        success_rate: float | Unset | None = UNSET,
        summary: str | Unset | None = UNSET,
        tags: Sequence[str] | Unset = UNSET,
        task_type: TaskType | Unset | None = UNSET,
        type: MemoryType | Unset = UNSET,
        valid_from: datetime | str | Unset | None = UNSET,
        valid_to: datetime | str | Unset | None = UNSET,
        if_match: int | str | None = None,
    ) -> Call[StoredAnswer]:
        """Change what a memory says.

        Args:
            id: The memory's id
            active: False takes it out of recall, true brings it back.
            category: What it is about; omitted, told from the content.
            confidence: How far to believe it, 0 to 1; below 0.2 it goes out of use.
            content: What it says: one thought.
            context: What stood around it; searched too.
            created_by: Who it is from; an admin alone names somebody else.
            detail: Facts beside the words, as a JSON object.
            dimension: What kind of knowledge it is.
            entities: URNs of the things that it speaks of; what happens to them makes it stale.
            expires_at: From then on it is out of recall; omitted in a new one, by its type.
            persona: Who alone may see it; omitted: everyone.
            pinned: Kept hot and out of pruning whatever its use.
            position: Its place in its session, from 0.
            relations: Typed edges to URNs or to other memories.
            relevance_score: How much it matters by itself, 0 to 1.
            said_at: When it was said: what its words about time are resolved against; null: unknown.
            session_id: The conversation that it was said in.
            success_rate: How often it worked where it was learned, 0 to 1.
            summary: The same in fewer words.
            tags: Words or paths to find it by, and by which it belongs to a class of content.
            task_type: The kind of task that it helps with.
            type: How it is used, and by which default expiry it ends.
            valid_from: The time in which what it says is so.
            valid_to: The time in which what it says is so.
            if_match: The ETag last seen
        """
        return Call(locals())

    @operation
    def update_memory_store(
        self,
        memory_store_id: str,
        *,
        description: str | Unset | None = UNSET,
        metadata: Mapping[str, str | None] | Unset | None = UNSET,
        name: str | Unset | None = UNSET,
        beta: str | Unset = UNSET,
    ) -> Call[StoreAnswer]:
        """Change what a store is called and is for.

        Args:
            memory_store_id: `memstore_` and the project's name
            description: What it is for, in words for a model.
            metadata: Pairs to set; null removes a key.
            name: What the store is called.
            beta: Sent by that client; nothing follows from it
        """
        return Call(locals())

    @operation
    def update_store_file(
        self,
        memory_store_id: str,
        id: str,
        *,
        content: str | Unset | None = UNSET,
        path: str | Unset | None = UNSET,
        precondition: ContentPrecondition | Unset | None = UNSET,
        view: FileView | Unset = UNSET,
        beta: str | Unset = UNSET,
    ) -> Call[StoreFile]:
        """Give a file another text, another path, or both.

        Args:
            memory_store_id: `memstore_` and the project's name
            id: The memory's id
            content: The file's text, 102,400 bytes of UTF-8 at most.
            path: Where the file lies: begins with /, 1 to 20 segments, 1,024 bytes at most.
            precondition: Change nothing unless the file is so.
            view: `full`: with texts; `basic`: without. Omitted: full of one, else basic
            beta: Sent by that client; nothing follows from it
        """
        return Call(locals())

    @operation
    def validate_staging(self, *, learning: Mapping[str, Any] | Unset | None = UNSET) -> Call[JudgedAnswer]:
        """Judge all pending learnings (reviewers), or one that is posted, of which nothing is stored.

        Args:
            learning: type, task_type, content, confidence …
        """
        return Call(locals())

    @operation
    def verify_audit(self) -> Call[AuditVerification]:
        """Check the chain of the audit log, and name the first entry that does not hold (reviewers of all
        personas).
        """
        return Call(locals())

    @long_operation
    def verify_project(self, *, idempotency_key: str | None = None) -> Call[VerificationReport]:
        """Read everything, and name all that is broken (admins).

        Args:
            idempotency_key: One effect per key, 24 h
        """
        return Call(locals())
