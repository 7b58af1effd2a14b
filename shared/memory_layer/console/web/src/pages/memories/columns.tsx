// Columns of the list, the fields that they need of a record, and the orders that a list can have.

import { type Answer, get, type Memory } from "../../api/client.ts";
import { PAGE, type Seek, seekBy } from "../../app/paging.ts";
import { linkTo } from "../../app/router.ts";
import { CategoryMark, MemoryMarks, StandingMark } from "../../widgets/badge.tsx";
import { count, Moment, share } from "../../widgets/moment.tsx";
import type { Column } from "../../widgets/table.tsx";
import type { ListFilters } from "./filters.tsx";

const FIELDS = [
  ...(["project", "content", "type", "category", "status", "standing", "doubted", "pinned", "tags"] as const),
  ...(["approved_by", "supersedes", "relations"] as const),
  ...(["outcome_score", "confidence", "use_count", "created_by", "created_at"] as const),
];

/** Row of the list: what it shows and what a change of it needs. */
export type Row = Pick<Memory, "id" | "version" | (typeof FIELDS)[number]>;

export const NEWEST_FIRST = "-created_at";

/** Orders of the API, by what they are called. */
export const ORDERS: readonly [field: string, name: string][] = [
  ["created_at", "created"],
  ["updated_at", "changed"],
  ["expires_at", "expires"],
  ["worth", "worth to a task"],
  ["outcome_score", "outcome score"],
  ["confidence", "confidence"],
  ["success_rate", "success rate"],
  ["relevance_score", "relevance by itself"],
  ["use_count", "uses"],
  ["type", "type"],
  ["category", "category"],
  ["dimension", "dimension"],
  ["task_type", "task type"],
  ["source", "source"],
  ["status", "status"],
  ["tier", "tier"],
  ["persona", "persona"],
  ["created_by", "created by"],
];

export const COLUMNS: readonly Column<Row>[] = [
  {
    name: "standing",
    title: "",
    show: (row) => <StandingMark standing={row.standing} />,
    class: "cell-short",
  },
  { name: "content", title: "Memory", show: (row) => <Words memory={row} />, class: "cell-wide" },
  { name: "type", title: "Type", show: (row) => row.type, class: "cell-short", sorts: true },
  {
    name: "category",
    title: "Category",
    show: (row) => <CategoryMark category={row.category} />,
    class: "cell-short",
    sorts: true,
  },
  {
    name: "outcome_score",
    title: "Outcome",
    show: (row) => signed(row.outcome_score),
    align: "end",
    sorts: true,
  },
  {
    name: "confidence",
    title: "Confidence",
    show: (row) => share(row.confidence),
    align: "end",
    sorts: true,
  },
  { name: "use_count", title: "Uses", show: (row) => count(row.use_count), align: "end", sorts: true },
  { name: "created_by", title: "By", show: (row) => row.created_by, class: "cell-short", sorts: true },
  {
    name: "created_at",
    title: "Created",
    show: (row) => <Moment at={row.created_at} />,
    class: "cell-short",
    sorts: true,
  },
];

function Words({ memory }: { memory: Row }) {
  return (
    <>
      <p class="clamp">{memory.content}</p>
      <div class="memory-line-meta">
        <MemoryMarks memory={memory} />
        <a href={linkTo("memories", {}, [memory.id])}>
          <code>{memory.id}</code>
        </a>
      </div>
    </>
  );
}

function signed(score: number): string {
  return score > 0 ? `+${score}` : String(score);
}

export interface ListPage {
  /** The question that it answers: while another is asked, no way leads on from it. */
  readonly of: string;
  readonly rows: readonly Row[];
  readonly next: string | null;
  readonly note: string | null;
}

export interface AskedPage {
  readonly project: string;
  readonly filters: ListFilters;
  readonly sort: string;
  /** The order is read backwards: its last page is the first. */
  readonly isFromEnd: boolean;
  readonly cursor: string;
}

export function keyOfPage({ project, filters, sort, isFromEnd, cursor }: AskedPage): string {
  return JSON.stringify([project, filters, sort, isFromEnd, cursor]);
}

function orderOf({ filters, sort, isFromEnd }: AskedPage): object {
  return { ...filters, sort, from_end: isFromEnd || undefined };
}

/** Page of the list, of the fields that it shows. */
export async function readPage(asked: AskedPage, signal: AbortSignal): Promise<ListPage> {
  const query = { ...orderOf(asked), limit: PAGE, fields: [...FIELDS], cursor: asked.cursor || undefined };
  const found = await list(asked.project, query, signal);
  return {
    of: keyOfPage(asked),
    rows: (found.rows ?? []) as unknown as Row[],
    next: found.next_cursor,
    note: found.note ?? null,
  };
}

/** Finds a page of a list by its rows' ids alone. */
export function seekPage(asked: AskedPage): Seek {
  return seekBy(async (limit, cursor, signal) => {
    const query = { ...orderOf(asked), limit, fields: ["id"], cursor };
    const found = await list(asked.project, query, signal);
    return { rows: found.rows?.length ?? 0, next: found.next_cursor };
  });
}

/** Number of all rows that pass; null: nobody counted, as at an earlier time. */
export async function readTotal(
  project: string,
  filters: ListFilters,
  signal: AbortSignal,
): Promise<number | null> {
  const query = { ...filters, limit: 1, fields: ["id"], count: true };
  return (await list(project, query, signal)).total ?? null;
}

function list(
  project: string,
  query: object,
  signal: AbortSignal,
): Promise<Answer<"/v1/projects/{project}/memories", "get">> {
  return get("/v1/projects/{project}/memories", { path: { project }, query: query as never, signal });
}
